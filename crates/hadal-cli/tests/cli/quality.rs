//! The audit log and the quality estimate.
use crate::crawl_process::{Site, listed_submissions, program as silent};
use crate::program::Place;
use serde_json::Value;
use std::process::Stdio;

/// A folder in which a small demo has run.
fn demo(variables: &[(&str, &str)]) -> Place {
    let place = Place::new();
    place.run_with(variables, &["demo", "--max-requests", "700", "--harvest", "0", "-q"]).done();
    place
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_quality_sample_is_printed_and_not_probed_twice() {
    let place = demo(&[("HADAL_PROBE_WHEN", "never")]);
    assert_eq!(place.run(&["submissions", "--json"]).done(), "");
    let quality = ["quality", "--topic", "hotel", "--sample", "6", "--json"];
    let events = objects(&place.run(&quality).done());
    let first = events.last().unwrap();
    assert_eq!((&first["event"], &first["sampled"]), (&Value::from("quality"), &Value::from(6)));
    let parts = ["searches", "does_not", "unclear", "refused", "unanswered"];
    assert_eq!(parts.iter().map(|part| first[part].as_u64().unwrap()).sum::<u64>(), 6);
    let log = place.run(&["submissions", "--json"]).done();
    assert!(objects(&log).iter().all(|row| row["purpose"] == "quality"));
    let again = objects(&place.run(&quality).done());
    assert_eq!(again.last().unwrap(), first);
    assert_eq!(place.run(&["submissions", "--json"]).done(), log, "no form is probed twice");
    let ran = place.run(&["quality", "--sample", "6"]);
    for words in ["nothing left", "nothing to visit", "budget spent", "pages on"] {
        assert!(!ran.err.contains(words), "not the counters of a crawl: {ran:?}");
    }
    assert!(ran.err.starts_with("probing a sample of 6 forms of run 1 (hotel)"), "{ran:?}");
    let text = ran.done();
    assert!(text.starts_with("quality   ") && text.contains("\nsample    6: "), "{text}");
}

#[test]
fn submissions_are_listed_in_every_format_and_outlive_their_run() {
    let everything = [("HADAL_PROBE_FROM", "0"), ("HADAL_PROBE_TO", "1"), ("HADAL_PROBE_SHARE", "0.1")];
    let place = demo(&everything);
    let rows = objects(&place.run(&["submissions", "--json"]).done());
    assert!(!rows.is_empty());
    let keys: Vec<&str> = rows[0].as_object().unwrap().keys().map(String::as_str).collect();
    let columns = "run seq time topic form_id page_url method url body purpose answer harvest";
    let mut sorted: Vec<&str> = columns.split(' ').collect();
    assert!(
        keys == sorted || {
            sorted.sort_unstable();
            keys == sorted
        },
        "{keys:?}"
    );
    assert!(rows[0]["time"].as_str().unwrap().starts_with("1970-01-01T00:"));
    let csv = place.run(&["submissions", "--format", "csv"]).done();
    assert_eq!(csv.lines().next().unwrap(), columns.replace(' ', ","));
    assert!(place.run(&["submissions"]).done().contains("probe"));
    place.run(&["submissions", "--format", "parquet", "--output", "log.parquet"]).done();
    // A demo that starts over discards its run, but not its submissions.
    place.run_with(&everything, &["demo", "--max-requests", "700", "--harvest", "0", "-q", "--fresh"]).done();
    let after = objects(&place.run(&["submissions", "--json"]).done());
    assert_eq!(after.len(), 2 * rows.len());
    assert_eq!(after[..rows.len()], rows);
    assert_eq!(place.run(&["submissions", "--json", "--run", "2"]).done().lines().count(), rows.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_can_end_with_a_look_at_its_quality_within_its_budget() {
    let site = Site::tiny(3).await;
    let dir = tempfile::tempdir().unwrap();
    let mut find = site.find_within(dir.path(), "200");
    let output = find.args(["--quality", "2"]).stdout(Stdio::piped()).output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\nsample    2: "), "{text}");
    assert!(site.take_log().len() <= 200);
    let log = objects(&listed_submissions(dir.path()));
    assert!(!log.is_empty() && log.iter().all(|row| row["purpose"] == "quality"));
    let status = silent(dir.path()).args(["status", "--json"]).stdout(Stdio::piped()).output().unwrap();
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert!(status["requests"].as_u64().unwrap() <= 200);
    assert_eq!(status["probes"], log.len());
}

#[test]
fn invalid_quality_arguments_are_refused() {
    let place = demo(&[("HADAL_PROBE_WHEN", "never")]);
    place.run(&["quality", "--topic", "hotl"]).refused(&["did you mean 'hotel'?"]);
    place.run(&["quality", "--run", "9"]).refused(&["hadal runs"]);
    place.run(&["quality", "--sample", "0"]).refused(&["--sample"]);
}

#[test]
fn the_latest_run_with_relevant_forms_is_sampled() {
    let place = demo(&[("HADAL_PROBE_WHEN", "never")]);
    place.run(&["find", "book", "--seeds", "http://127.0.0.1:1/", "-q"]);
    let events = objects(&place.run(&["quality", "--sample", "2", "--json"]).done());
    assert_eq!(events.last().unwrap()["run"], 1, "run 2 found nothing");
}

#[test]
fn evidence_is_exported_in_words() {
    let place = demo(&[("HADAL_PROBE_WHEN", "never")]);
    let forms = place.run(&["forms", "--format", "jsonl"]).done();
    assert!(forms.contains("mentions searching") && !forms.contains("concept."), "{forms}");
}
