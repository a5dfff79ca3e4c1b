//! Kills the program at random moments, and interrupts it.

use crate::crawl_process::{Site, draws, listed_forms, listed_submissions, program, signal};
use hadal::store::{Access, PageQuery, RunId, all_pages, open};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

/// Pages that the store has committed.
fn kept_pages(store: &Path) -> BTreeSet<String> {
    let Ok(store) = open(&format!("file:{}", store.display()), Access::Read) else { return BTreeSet::new() };
    all_pages(store.as_ref(), PageQuery::of(RunId(1))).map(|page| page.unwrap().url.to_string()).collect()
}

/// Ids of the forms that a store lists.
fn form_ids(store: &Path) -> BTreeSet<String> {
    let id = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["form_id"].to_string();
    listed_forms(store).lines().map(id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_twenty_times_a_crawl_finds_the_same_forms_and_requests_no_stored_page_again() {
    let site = Site::tiny(3).await;
    let dir = tempfile::tempdir().unwrap();
    let (calm, rough) = (dir.path().join("calm"), dir.path().join("rough"));
    assert!(site.find(&calm).status().unwrap().success());
    let requests = site.take_log().len();
    let mut draw = draws(7);
    for _ in 0..20 {
        let kept = kept_pages(&rough);
        let mut child = site.find(&rough).spawn().unwrap();
        site.wait_for(1 + draw(requests / 12), &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        let repeated: Vec<String> = site.take_log().into_iter().filter(|url| kept.contains(url)).collect();
        assert_eq!(repeated, [] as [String; 0], "stored pages were requested again");
    }
    let kept = kept_pages(&rough);
    assert!(!kept.is_empty());
    assert!(site.find(&rough).status().unwrap().success());
    assert!(site.take_log().iter().all(|url| !kept.contains(url)));
    assert_eq!(form_ids(&rough), form_ids(&calm));
    assert_eq!(kept_pages(&rough), kept_pages(&calm));
}

#[test]
fn killed_under_a_budget_in_simulated_time_a_crawl_ends_byte_for_byte_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let (calm, rough) = (dir.path().join("calm"), dir.path().join("rough"));
    let demo = |store: &Path| {
        let mut command = program(store);
        command.args(["demo", "--max-requests", "1200", "--harvest", "0", "--concurrency", "8", "--json"]);
        command
    };
    assert!(demo(&calm).status().unwrap().success());
    let mut draw = draws(11);
    for _ in 0..8 {
        let mut child = demo(&rough).stdout(Stdio::piped()).spawn().unwrap();
        let events = BufReader::new(child.stdout.take().unwrap()).lines();
        let last = events.take(2 + draw(40)).last().unwrap().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        if last.contains("\"finished\"") {
            break;
        }
    }
    assert!(demo(&rough).status().unwrap().success());
    assert_eq!(listed_forms(&rough), listed_forms(&calm));
    assert_eq!(listed_submissions(&rough), listed_submissions(&calm));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_submission_before_a_kill_is_in_the_audit_log() {
    let site = Site::tiny(3).await;
    let dir = tempfile::tempdir().unwrap();
    let find = || {
        let mut command = site.find(dir.path());
        command.env("HADAL_PROBE_SHARE", "1").env("HADAL_PROBE_FROM", "0").env("HADAL_PROBE_TO", "1");
        command.env("HADAL_PROBE_PER_SITE", "100").env("HADAL_PROBE_WHEN", "uncertain");
        command
    };
    let mut asked = Vec::new();
    let mut draw = draws(5);
    for _ in 0..12 {
        let mut child = find().spawn().unwrap();
        site.wait_for(1 + draw(30), &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        asked.extend(site.take_log());
    }
    assert!(find().status().unwrap().success());
    asked.extend(site.take_log());
    let of_row = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["url"].clone();
    let log: Vec<String> = listed_submissions(dir.path())
        .lines()
        .map(|line| of_row(line).as_str().unwrap().to_string())
        .collect();
    let kept = kept_pages(dir.path());
    assert!(log.len() > 5, "{log:?}");
    let is_question = |url: &&String| url.contains("=book") && !kept.contains(*url);
    for url in asked.iter().filter(is_question) {
        assert!(log.contains(url), "{url} was sent and is not on record");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_interrupt_finishes_what_is_in_flight_saves_and_exits_130() {
    let site = Site::tiny(4).await;
    let dir = tempfile::tempdir().unwrap();
    // Slow enough that the signal arrives long before the end.
    let mut slow = site.find(dir.path());
    slow.env("HADAL_POLITENESS_LATENCY_FACTOR", "1000").env("HADAL_POLITENESS_MAX_DELAY", "25ms");
    let mut child = slow.spawn().unwrap();
    site.wait_for(40, &mut child);
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let asked: BTreeSet<String> = site.take_log().into_iter().collect();
    assert!(site.find(dir.path()).status().unwrap().success());
    let again: Vec<String> = site.take_log().into_iter().filter(|url| asked.contains(url)).collect();
    assert_eq!(again, [] as [String; 0], "no answered request is sent again");
}

#[test]
fn a_second_interrupt_leaves_at_once_and_the_store_is_fine() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("*={}", silent.local_addr().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let mut command = program(dir.path());
    command.args(["find", "book", "--seeds", "http://a.example/", "--connect-to", &address]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let _held = silent.accept().unwrap();
    signal(&child, "INT");
    let mut words = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(words.any(|line| line.unwrap().contains("press Ctrl-C again")));
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(program(dir.path()).arg("status").status().unwrap().success());
}

#[test]
fn a_second_crawl_into_the_same_store_is_refused_and_harms_nothing() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("*={}", silent.local_addr().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let find = || {
        let mut command = program(dir.path());
        command.args(["find", "book", "--seeds", "http://a.example/", "--connect-to", &address]);
        command
    };
    let mut first = find().spawn().unwrap();
    let _held = silent.accept().unwrap();
    let second = find().stderr(Stdio::piped()).output().unwrap();
    let words = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(1));
    assert!(words.contains("in use by another crawl") && words.contains(&first.id().to_string()), "{words}");
    assert!(program(dir.path()).arg("status").status().unwrap().success());
    first.kill().unwrap();
    first.wait().unwrap();
}
