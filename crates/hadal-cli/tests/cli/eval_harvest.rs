//! Comparison of policies: trials do not depend on threads and are run once.

use crate::program::Place;
use hadal_core::harvest::policy::PolicyRegistry;
use hadal_eval::find::{PlanProgress, TrialFolder};
use hadal_eval::harvest::settings::{SETTINGS, setting};
use hadal_eval::harvest::{HIGHEST_LEVEL, HarvestTrial, HarvestTrialPlan, NamedCollection, run};
use std::sync::atomic::{AtomicUsize, Ordering};

fn plan(settings: &[&str], policies: &[&str]) -> HarvestTrialPlan {
    HarvestTrialPlan {
        collections: NamedCollection::generated()[..1].to_vec(),
        records: 300,
        settings: settings.iter().map(|name| setting(name).unwrap()).collect(),
        policies: policies.iter().map(|name| name.to_string()).collect(),
        seeds: vec![1, 2],
        requests: None,
        until_percent: HIGHEST_LEVEL,
    }
}

fn trials(plan: &HarvestTrialPlan, threads: usize) -> Vec<HarvestTrial> {
    let place = tempfile::tempdir().unwrap();
    run(plan, &PolicyRegistry::built_in(), &TrialFolder::open(place.path()).unwrap(), threads, &|_| ())
        .unwrap()
}

#[test]
fn an_interrupted_plan_resumes() {
    let place = tempfile::tempdir().unwrap();
    let folder = TrialFolder::open(place.path()).unwrap();
    let plan = plan(&["base", "page-50"], &["generic-frequency", "hadal"]);
    let made = AtomicUsize::new(0);
    let count = |progress: &PlanProgress| made.store(progress.made, Ordering::SeqCst);
    let first = run(&plan, &PolicyRegistry::built_in(), &folder, 2, &count).unwrap();
    assert_eq!((first.len(), made.load(Ordering::SeqCst)), (8, 8));

    let file = |trial: &HarvestTrial| place.path().join(trial.case.name() + ".json");
    std::fs::remove_file(file(&first[3])).unwrap();
    std::fs::write(file(&first[6]), "{").unwrap();
    let again = run(&plan, &PolicyRegistry::built_in(), &folder, 2, &count).unwrap();
    assert_eq!(made.load(Ordering::SeqCst), 2);
    assert!(first.iter().zip(&again).all(|(first, again)| first.same_result(again)));
    assert_eq!(first[0], again[0], "what was there is not run again");

    run(&HarvestTrialPlan { requests: Some(50), ..plan }, &PolicyRegistry::built_in(), &folder, 1, &count)
        .unwrap();
    assert_eq!(made.load(Ordering::SeqCst), 8, "another budget is another trial");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let plan = plan(&["failures-10", "rank-static"], &["random-16k", "adaptive", "hadal", "oracle"]);
    let (one, two) = (trials(&plan, 1), trials(&plan, 2));
    assert!(one.iter().zip(&two).all(|(one, two)| one.same_result(two)));
    let seeds: Vec<&HarvestTrial> = one.iter().filter(|trial| trial.case.policy == "hadal").collect();
    assert_ne!(seeds[0].curve, seeds[1].curve, "other seeds are other trials");
}

#[test]
fn every_setting_lets_a_policy_find_most_records_within_its_budget() {
    let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
    for trial in trials(&plan(&names, &["hadal"]), 2) {
        let end = trial.curve.end();
        assert!(trial.curve.coverage(&end) > 0.5, "{}: {end:?}", trial.case.name());
        assert!(end.found <= trial.curve.existing && end.found <= end.shown && end.queries <= end.requests);
        assert!(end.requests <= trial.budget + 3, "{}: {end:?}", trial.case.name());
    }
}

#[test]
fn the_oracle_needs_least_and_free_pages_leave_one_request_a_query() {
    let base = trials(&plan(&["base"], &["oracle", "hadal", "adaptive", "random-16k"]), 2);
    let requests = |policy: &str| {
        let of_it = base.iter().filter(|trial| trial.case.policy == policy);
        of_it.map(|trial| trial.requests_to(3)).sum::<f64>()
    };
    for policy in ["hadal", "adaptive", "random-16k"] {
        assert!(requests("oracle") <= requests(policy), "{policy}");
    }
    let paper = trials(&plan(&["paper"], &["adaptive"]), 2);
    assert_eq!(
        paper.iter().map(|trial| (trial.case.seed, trial.case.start)).collect::<Vec<_>>(),
        [(1, 0), (1, 1), (1, 2), (1, 3), (2, 0)]
    );
    assert!(paper.iter().all(|trial| trial.curve.end().queries == trial.curve.end().requests));
}

#[test]
fn unknown_policies_settings_and_collections_are_refused() {
    let refused =
        |args: &[&str], hint: &str| Place::new().run(&[&["eval", "harvest"], args].concat()).refused(&[hint]);
    refused(&["--policies", "adaptve"], "did you mean 'adaptive'?");
    refused(&["--settings", "bas"], "did you mean 'base'?");
    refused(&["--collection", "unspacd"], "did you mean 'unspaced'?");
    refused(&["--collections", "no-such-folder"], "no-such-folder");
    refused(&["--records", "3"], "--records");
}

#[test]
fn the_command_prints_tables_and_writes_a_page() {
    let place = Place::new();
    let lines: String = (0..200)
        .map(|n| {
            format!(
                "{{\"id\": {n}, \"title\": \"ship {}\", \"text\": \"harbour {} tide {}\"}}\n",
                n % 40,
                n % 7,
                n
            )
        })
        .collect();
    std::fs::create_dir(place.path().join("held")).unwrap();
    std::fs::write(place.path().join("held/ships.jsonl"), lines).unwrap();
    let args = ["eval", "harvest", "--collections", "held", "--records", "150", "--settings", "base,paper"];
    let names = ["--policies", "generic-frequency,adaptive,hadal", "--html", "harvest.html"];
    let text = place.run(&[&args[..], &names].concat()).done();
    assert!(text.contains("hadal / adaptive") && text.contains("ships"), "{text}");
    let page = std::fs::read_to_string(place.path().join("harvest.html")).unwrap();
    assert!(page.contains("<svg") && !page.contains("<script"));

    let json = place.run(&[&args[..], &names, &["--json"]].concat()).done();
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let trials = report["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 6 + 3, "three more starts in the paper's setting");
    assert!(
        trials
            .iter()
            .all(|trial| trial["case"]["collection"] == "ships" && trial["curve"]["levels"].is_array())
    );
    assert!(report["tables"].as_array().unwrap().iter().all(|table| table["title"].is_string()));
}
