//! Listings of harvests, queries and records: schema, filters, formats, escaping.
use crate::harvest_fixture::*;
use crate::program::Place;
use hadal::store::*;
use hadal_core::harvest::policy::ReadingEnd;
use hadal_core::time::Time;
use serde_json::{Value, json};

const EVIL: &str = "=cmd|'/c calc'\u{1b}[31m\u{202e}\u{200b}\u{9b}";

/// A store with a finished harvest of books, an unfinished one of cars, and hostile records.
fn place() -> Place {
    let place = Place::new();
    let store = open(&format!("file:{}", place.path().join("hadal-data").display()), Access::Crawl).unwrap();
    let books = begin_harvest(store.as_ref());
    let mut evil = record(2);
    (evil.record.title, evil.words, evil.record.url) = (EVIL.into(), EVIL.into(), None);
    evil.record.fields.clear();
    let step = HarvestStep {
        records: vec![record(1), evil],
        finished_query: Some(query_row(1, 1..3)),
        estimate: Some(HarvestEstimate { size: [2.0, 2.5, 4.0], coverage: [0.5, 0.8, 1.0] }),
        ..harvest_step(0, 1, 0..0)
    };
    let second =
        QueryRow { total: None, end: ReadingEnd::Failed, words: "fish".into(), ..query_row(2, 0..0) };
    let failed = HarvestStep {
        finished_query: Some(second),
        failed: Some(FailureKind::Http(500)),
        ..harvest_step(1, 2, 0..0)
    };
    commit_steps(store.as_ref(), books, &[step, failed]);
    log_submission(store.as_ref(), &harvest_entry(books, 0));
    let ending = Some("more requests no longer pay".to_string());
    let done = HarvestProgress { state: HarvestState::Done, ending, now: Time(9), elapsed_ms: 1500 };
    note_harvest(store.as_ref(), books, &done);
    let cars = HarvestSpec { topic: "cars".into(), ..harvest_spec(0xca25) };
    let cars = store.begin_harvest(&cars, Time(1)).unwrap();
    commit_steps(store.as_ref(), cars, &[harvest_step(0, 1, 5..8)]);
    store.sync().unwrap();
    place
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn jsonl_of_records_has_the_documented_keys_in_their_order() {
    let out = place().run(&["records", "--format", "jsonl"]).done();
    assert_eq!(
        out.lines().next().unwrap(),
        "{\"record_id\":\"0000000000000001\",\"form_id\":\"0000000000000001\",\
         \"url\":\"http://books.example/record/1\",\"title\":\"Title 1\",\
         \"text\":\"Title 1, the text of a record\",\"fields\":{\"year\":\"1870\",\"author\":\"J. Verne\"},\
         \"query\":\"deep sea\",\"position\":3,\"fetched_at\":\"1970-01-02T00:00:00.000Z\",\
         \"harvest\":1,\"detail\":null,\"seen_at\":\"1970-01-02T00:00:00.000Z\",\"changed_at\":null,\
         \"removed_at\":null}"
    );
    assert_eq!(out.lines().count(), 5);
    let evil = &objects(&out)[1];
    assert_eq!((&evil["title"], &evil["url"], &evil["fields"]), (&json!(EVIL), &Value::Null, &json!({})));
}

#[test]
fn jsonl_of_queries_has_the_result_of_each() {
    let out = place().run(&["queries", "--json"]).done();
    assert_eq!(
        out.lines().next().unwrap(),
        "{\"harvest\":1,\"number\":1,\"form_id\":\"0000000000000001\",\"query\":\"deep sea s=x\",\
         \"kind\":\"word\",\"total\":2000,\"total_is_round\":true,\"found\":2,\"new\":2,\"pages\":2,\
         \"requests\":2,\"end\":\"left off\",\"asked_at\":\"1970-01-01T00:00:01.234Z\",\"rechecks\":0,\"changes\":0}"
    );
    let second = &objects(&out)[1];
    assert_eq!((&second["total"], &second["end"]), (&Value::Null, &json!("failed")));
}

#[test]
fn a_harvest_is_one_line_with_its_coverage_and_its_ending() {
    let place = place();
    let rows = objects(&place.run(&["harvests", "--json"]).done());
    let books = &rows[0];
    for (key, value) in [
        ("harvest", json!(1)),
        ("site", json!("books.example")),
        ("policy", json!("hadal")),
        ("requests", json!(2)),
        ("queries", json!(2)),
        ("failed", json!(1)),
        ("records", json!(2)),
        ("size", json!({"estimate": 2.5, "low": 2.0, "high": 4.0})),
        ("coverage", json!({"estimate": 0.8, "low": 0.5, "high": 1.0})),
        ("state", json!("done")),
        ("ending", json!("more requests no longer pay")),
        ("elapsed_s", json!(1.5)),
        ("size_estimate", json!(2.5)),
        ("coverage_low", json!(0.5)),
    ] {
        assert_eq!(books[key], value, "{key}: {books}");
    }
    let cars = &rows[1];
    assert_eq!(
        (&cars["coverage"], &cars["ending"], &cars["state"]),
        (&Value::Null, &Value::Null, &json!("interrupted"))
    );
    let table = place.run(&["harvests"]).done();
    assert!(table.contains("80 % (50 % to 100 %)") && table.contains("no longer pay"), "{table}");
}

#[test]
fn lists_are_narrowed() {
    let place = place();
    let count = |args: &[&str]| place.run(&[args, &["--json"]].concat()).done().lines().count();
    assert_eq!(count(&["records", "--topic", "cars"]), 3);
    assert_eq!(count(&["records", "--harvest", "1"]), 2);
    assert_eq!(count(&["records", "--form", "000000000000ca25"]), 3);
    assert_eq!(count(&["records", "--search", "TITLE 6"]), 1);
    assert_eq!(count(&["records", "--search", "title", "--harvest", "1"]), 2);
    assert_eq!(count(&["records", "--search", "octopus"]), 0);
    assert_eq!(count(&["records", "--limit", "4"]), 4);
    assert_eq!(count(&["queries", "--search", "sea"]), 1);
    assert_eq!(count(&["queries", "--topic", "cars"]), 0);
    assert_eq!(count(&["harvests", "--limit", "1"]), 1);
    assert_eq!(count(&["submissions", "--harvest", "1"]), 1);
    assert_eq!(count(&["submissions", "--run", "1"]), 0);
}

#[test]
fn invalid_filters_are_refused() {
    let place = place();
    place.run(&["records", "--topic", "boks"]).refused(&["did you mean 'books'?"]);
    place.run(&["queries", "--harvest", "9"]).refused(&["harvest 9", "hadal harvests"]);
    place.run(&["records", "--form", "77"]).refused(&["no form_id begins with '77'"]);
    place.run(&["records", "--form", "0000000000000077"]).refused(&["0000000000000077", "hadal harvests"]);
    place.run(&["records", "--form", "a form"]).refused(&["16 hexadecimal digits"]);
    place.run(&["records", "--search", " ?! "]).refused(&["at least one word"]);
    place.run(&["records", "--limit", "0"]).refused(&["--limit"]);
}

#[test]
fn a_store_without_harvests_has_empty_lists() {
    let place = Place::new();
    open(&format!("file:{}", place.path().join("hadal-data").display()), Access::Crawl).unwrap();
    for (list, said) in
        [("records", "no matching records"), ("queries", "no matching queries"), ("harvests", "no harvests")]
    {
        let ran = place.run(&[list, "--topic", "books"]);
        assert!(ran.err.contains(said), "{ran:?}");
        assert_eq!(ran.done(), "");
    }
}

#[test]
fn nothing_from_the_web_steers_the_terminal_or_a_spreadsheet() {
    let place = place();
    for args in [&["records"][..], &["records", "--format", "csv"], &["records", "--json"]] {
        let out = place.run(args).done();
        assert!(!out.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\u{9b}']), "{out:?}");
    }
    let csv = place.run(&["records", "--format", "csv"]).done();
    assert!(csv.starts_with("record_id,form_id,url,title,"), "{csv}");
    assert!(csv.contains(",,'=cmd|'/c calc'\\u{1b}"), "no address, and no formula: {csv}");
}

#[test]
fn every_format_goes_into_a_file() {
    let place = place();
    for list in ["records", "queries", "harvests"] {
        for format in ["table", "jsonl", "csv", "parquet"] {
            assert_eq!(place.run(&[list, "--format", format, "--output", "out"]).done(), "");
            let file = std::fs::read(place.path().join("out")).unwrap();
            assert!(!file.is_empty(), "{list} {format}");
            assert_eq!(format == "parquet", file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
        }
    }
}

#[test]
fn submissions_name_their_run_or_harvest() {
    let rows = objects(&place().run(&["submissions", "--json"]).done());
    assert_eq!((&rows[0]["run"], &rows[0]["harvest"]), (&Value::Null, &json!(1)));
    assert_eq!((&rows[0]["purpose"], &rows[0]["seq"]), (&json!("harvest"), &json!(0)));
}

#[test]
fn ground_truth_of_real_harvests_is_refused() {
    for list in ["submissions", "harvests"] {
        place().run(&[list, "--truth"]).refused(&["simulated web"]);
    }
}

#[test]
fn status_adds_up_what_was_harvested() {
    let place = place();
    let status = &objects(&place.run(&["status", "--json"]).done())[0];
    for (key, value) in [("requests", 3), ("queries", 2), ("records", 5), ("failed", 1)] {
        assert_eq!(status[key], value, "{key}: {status}");
    }
    assert_eq!(status["coverage"], json!({"estimate": 0.8, "low": 0.5, "high": 1.0}));
    let screen = place.run(&["status"]).done();
    assert!(screen.contains("harvest   5 records with 2 queries, coverage 80 % (50 % to 100 %)"), "{screen}");
}
