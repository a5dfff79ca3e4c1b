//! `hadal demo` and `hadal harvests --truth`.
use crate::program::Place;
use serde_json::Value;

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn forms_are_found_harvested_and_held_against_the_truth() {
    let place = Place::new();
    let text = place.run(&["demo", "--max-requests", "700", "--harvest", "3", "-q"]).done();
    assert!(text.contains("hotel forms found:") && text.contains("records downloaded:"), "{text}");
    assert!(text.contains("Next:"), "{text}");
    let harvests = rows(&place.run(&["harvests", "--truth", "--format", "jsonl"]).done());
    assert_eq!(harvests.len(), 3);
    let sum = |name: &str| harvests.iter().map(|row| row[name].as_u64().unwrap()).sum::<u64>();
    let (right, wrong, exist) = (sum("right"), sum("wrong"), sum("exist"));
    assert!(right > 0 && right <= exist, "{right} of {exist}");
    assert!(wrong * 20 <= right, "{wrong} wrong, {right} right");
    assert_eq!(sum("records"), right + wrong);
    assert!(text.contains(&format!("{} records downloaded: {right} right", right + wrong)), "{text}");
    let submitted = rows(&place.run(&["submissions", "--truth", "--format", "jsonl"]).done());
    let all = rows(&place.run(&["submissions", "--format", "jsonl"]).done()).len() as u64;
    assert_eq!(submitted.iter().map(|row| row["submissions"].as_u64().unwrap()).sum::<u64>(), all);
    assert_eq!((&submitted[0]["kind"], &submitted[0]["form_id"]), (&Value::from("search"), &Value::Null));
    let no_search = |row: &&Value| row["kind"] != "search";
    assert!(submitted.iter().filter(no_search).all(|row| row["method"] == "get"), "{submitted:?}");
}

#[test]
fn a_complete_demo_is_shown_again_and_discarded_on_request_only() {
    let place = Place::new();
    let demo = ["demo", "--max-requests", "300", "--harvest", "1", "--dashboard", "off"];
    let first = place.run(&demo).done();
    let again = place.run(&demo);
    assert!(again.err.contains("run 1 of this demo is complete; --fresh"), "{again:?}");
    let forms = |text: &str| text.split("\n\n").next().map(String::from);
    assert_eq!(forms(&again.done()), forms(&first));
    assert_eq!(rows(&place.run(&["runs", "--json"]).done())[0]["run"], 1);
    let fresh = place.run(&[&demo[..], &["--fresh"]].concat());
    assert!(fresh.err.contains("discarding run 1"), "{fresh:?}");
    assert_eq!(rows(&place.run(&["runs", "--json"]).done())[0]["run"], 2);
}

#[test]
fn a_port_in_use_is_reported_before_the_crawl() {
    let place = Place::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    place.run(&["demo", "--max-requests", "200", "--harvest", "0", "-q"]).done();
    let ran = place.run(&["demo", "--max-requests", "200", "--fresh", "--dashboard", &address]);
    ran.refused(&["could not listen on", &address]);
    assert!(!ran.err.contains("discarding"), "{ran:?}");
    assert_eq!(rows(&place.run(&["runs", "--json"]).done())[0]["run"], 1);
}

#[test]
fn a_dry_run_archives_nothing() {
    let place = Place::new();
    place.run(&["demo", "--max-requests", "300", "--harvest", "0", "--dashboard", "off", "-q"]).done();
    let requests = place.run(&["harvest", "--topic", "hotel", "--dry-run", "--warc", "archive"]).done();
    assert!(requests.contains(" http"), "{requests}");
    assert!(!place.path().join("archive").exists());
}

#[test]
fn a_demo_may_end_with_the_forms() {
    let place = Place::new();
    let text = place.run(&["demo", "--max-requests", "300", "--harvest", "0", "-q"]).done();
    assert!(!text.contains("records downloaded"), "{text}");
    assert!(rows(&place.run(&["harvests", "--truth", "--format", "jsonl"]).done()).is_empty());
}
