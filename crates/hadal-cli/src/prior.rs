//! `--prior`: model of an earlier run that a new run starts with.

use super::args::choices;
use super::exit::Usage;
use hadal::config::Prior;
use hadal::store::{RunId, RunParts, RunQuery, RunRow, RunSpec, Store};
use std::io::Write;

/// Help text of `--prior`.
pub fn help() -> String {
    let priors = choices(&[
        ("auto", "the latest other run in the store with the same topic and strategy, if there is one"),
        ("none", "no earlier run; for comparisons of strategies, or after a bad crawl"),
        ("RUN", "the run with this number (`hadal runs`), of the same strategy"),
    ]);
    let whose = "Earlier run whose model a new run starts with, if its strategy learns [default: auto]:";
    format!("{whose}{priors}\nA resumed run keeps its own model.")
}

/// Saved state of the earlier run, if the run is new and an earlier one fits.
pub fn knowledge(
    store: &dyn Store,
    spec: &RunSpec,
    prior: Prior,
    fresh: bool,
) -> anyhow::Result<Option<Vec<u8>>> {
    let runs = store.runs(&RunQuery::default())?;
    let begun = |run: &RunRow| run.spec == *spec && run.progress.next_seq > 0;
    if !fresh && let Some(known) = runs.iter().find(|run| begun(run)) {
        if let Prior::Run(_) = prior {
            let id = known.id.0;
            let note = "resumes with its own model; --prior takes effect with --fresh";
            writeln!(std::io::stderr(), "note: run {id} {note}").ok();
        }
        return Ok(None);
    }
    let candidates = candidates(&runs, spec, prior)?;
    for &run in &candidates {
        if let Some(saved) = saved_model(store, run)? {
            writeln!(std::io::stderr(), "starting with the model of run {}", run.0).ok();
            return Ok(Some(saved));
        }
    }
    match prior {
        Prior::Run(number) => Err(Usage(format!("run {number} has no model")).into()),
        Prior::Auto | Prior::None => Ok(None),
    }
}

/// Runs with a model that may be used, best first.
fn candidates(runs: &[RunRow], spec: &RunSpec, prior: Prior) -> Result<Vec<RunId>, Usage> {
    match prior {
        Prior::None => Ok(Vec::new()),
        Prior::Auto => {
            let is_similar = |run: &&RunRow| {
                let theirs = (&run.spec.topic, &run.spec.strategy, &run.spec.source);
                run.spec != *spec && theirs == (&spec.topic, &spec.strategy, &spec.source)
            };
            Ok(runs.iter().rev().filter(is_similar).map(|run| run.id).collect())
        }
        Prior::Run(number) => {
            let run = runs.iter().find(|run| run.id.0 == number);
            let run =
                run.ok_or_else(|| Usage(format!("unknown run {number}; `hadal runs` lists all runs")))?;
            let theirs = &run.spec.strategy;
            if *theirs != spec.strategy {
                let wanted = format!("a run of strategy {} cannot use its model", spec.strategy);
                return Err(Usage(format!("run {number} has strategy {theirs}; {wanted}")));
            }
            Ok(vec![run.id])
        }
    }
}

/// Saved model of a run. It may be large, so models are read one by one.
fn saved_model(store: &dyn Store, run: RunId) -> anyhow::Result<Option<Vec<u8>>> {
    let parts = RunParts { strategy: true, ..RunParts::default() };
    let rows = store.runs(&RunQuery { parts, ..RunQuery::one(run) })?;
    Ok(rows.into_iter().find_map(|row| row.progress.strategy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal::store::{Access, Batch, RunProgress, open};
    use std::sync::Arc;

    fn spec(strategy: &str, seed: u64) -> RunSpec {
        let (topic, source) = ("book".into(), "web".into());
        RunSpec { topic, strategy: strategy.into(), seeds: Vec::new(), seed, source }
    }

    fn run(store: &dyn Store, spec: &RunSpec, next_seq: u64, saved: Option<&[u8]>) -> RunId {
        let run = store.begin(spec).unwrap();
        let strategy = saved.map(<[u8]>::to_vec);
        let progress = Some(RunProgress { next_seq, strategy, ..RunProgress::default() });
        store.commit(run, &Batch { progress, ..Batch::default() }).unwrap();
        run
    }

    /// Runs 1 to 5: two that learned, one that did not, one of another web, one of another strategy.
    fn store() -> Arc<dyn Store> {
        let store = open("memory:", Access::Crawl).unwrap();
        run(store.as_ref(), &spec("ache", 1), 9, Some(b"first"));
        run(store.as_ref(), &spec("ache", 2), 9, Some(b"second"));
        run(store.as_ref(), &spec("ache", 3), 9, None);
        run(store.as_ref(), &spec("ffc", 4), 9, Some(b"another"));
        let elsewhere = RunSpec { source: "demo world 1".into(), ..spec("ache", 5) };
        run(store.as_ref(), &elsewhere, 9, Some(b"simulated"));
        store
    }

    fn known(spec: &RunSpec, prior: Prior, fresh: bool) -> Result<Option<Vec<u8>>, String> {
        knowledge(store().as_ref(), spec, prior, fresh).map_err(|error| error.to_string())
    }

    #[test]
    fn a_new_run_starts_with_the_model_of_the_latest_similar_run() {
        let new = spec("ache", 9);
        assert_eq!(known(&new, Prior::Auto, false), Ok(Some(b"second".to_vec())));
        assert_eq!(known(&new, Prior::None, false), Ok(None));
        assert_eq!(known(&spec("smart", 9), Prior::Auto, false), Ok(None));
        assert_eq!(
            known(&spec("ache", 2), Prior::Auto, true),
            Ok(Some(b"first".to_vec())),
            "not with its own"
        );
    }

    #[test]
    fn a_run_can_be_named() {
        let new = spec("ache", 9);
        assert_eq!(known(&new, Prior::Run(1), false), Ok(Some(b"first".to_vec())));
        for (number, word) in [(77, "unknown run 77"), (3, "no model"), (4, "strategy ffc")] {
            let error = known(&new, Prior::Run(number), false).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn a_resumed_run_keeps_its_own_model() {
        for prior in [Prior::Auto, Prior::Run(1), Prior::Run(77)] {
            assert_eq!(known(&spec("ache", 2), prior, false), Ok(None));
        }
    }
}
