//! `hadal harvest` over real sockets.
use crate::pages::serve;
use crate::program::Place;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// A served web with one database; it ends with the test.
struct Served {
    child: Child,
    connect: String,
}

impl Served {
    fn new(place: &Place) -> Served {
        let args = ["world", "serve", "--scale", "tiny", "--listen", "127.0.0.1:0", "--json"];
        let args = [&args[..], &["--databases", "1"]].concat();
        let mut child = place.command(&args).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let event: Value = serde_json::from_str(&line).unwrap();
        Served { child, connect: format!("*={}", event["addr"].as_str().unwrap()) }
    }

    fn harvest<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let args = ["harvest", "http://db1.example/", "--connect-to", &self.connect, "--allow-private"];
        [&args[..], &["--delay", "0s", "--json"], more].concat()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn events(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn records_are_harvested_over_http_and_the_same_command_resumes() {
    let place = Place::new();
    let served = Served::new(&place);
    let first = events(&place.run(&served.harvest(&["--max-requests", "20"])).done());
    assert_eq!((&first[0]["event"], &first[0]["resumed_at"]), (&"began".into(), &0.into()));
    let last = first.last().unwrap();
    assert_eq!((&last["state"], &last["requests"]), (&"budget".into(), &20.into()));
    let second = events(&place.run(&served.harvest(&["--max-requests", "60"])).done());
    assert_eq!(second[0]["resumed_at"], 20);
    let records = second.last().unwrap()["records"].as_u64().unwrap();
    assert!(records > last["records"].as_u64().unwrap() && records > 20, "{second:?}");
    let listed = events(&place.run(&["records", "--format", "jsonl"]).done());
    assert_eq!(listed.len() as u64, records);
    assert!(listed.iter().all(|record| record["title"].as_str().is_some_and(|title| !title.is_empty())));
}

#[test]
fn the_budget_bounds_the_requests_that_open_a_form() {
    let place = Place::new();
    let served = Served::new(&place);
    let ran = place.run(&served.harvest(&["--max-requests", "1"]));
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.err.contains("the request or byte budget is spent"), "{ran:?}");
}

#[test]
fn a_dry_run_submits_nothing() {
    let place = Place::new();
    let served = Served::new(&place);
    let shown = events(&place.run(&served.harvest(&["--dry-run", "--first", "lantern"])).done());
    assert!(shown.iter().any(|line| line["url"].as_str().unwrap().contains("lantern")), "{shown:?}");
    assert!(events(&place.run(&["submissions", "--format", "jsonl"]).done()).is_empty());
}

#[test]
fn forms_that_cannot_be_harvested_are_refused_with_a_reason() {
    let place = Place::new();
    place.run(&["harvest"]).refused(&["FORM|URL"]);
    place.run(&["harvest", "no-address"]).refused(&["neither a form_id nor a URL"]);
    place
        .run(&["harvest", "http://a.example/", "--policy", "greedy"])
        .refused(&["harvest.policy", "adaptive"]);
    place.run(&["harvest", "0123456789abcdef"]).refused(&["unknown form 0123456789abcdef"]);
}

#[test]
fn a_page_that_cannot_be_opened_does_not_keep_the_others_from_being_harvested() {
    let place = Place::new();
    let served = Served::new(&place);
    let missing = "http://db1.example/no-such-page";
    let ran = place.run(&served.harvest(&[missing, "--max-requests", "20"]));
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.err.contains(&format!("skipped: could not fetch {missing}: ")), "{ran:?}");
    let last = events(&ran.out).pop().unwrap();
    assert!(last["records"].as_u64().unwrap() > 0, "{ran:?}");
}

#[test]
fn a_harvest_that_only_met_errors_fails() {
    let place = Place::new();
    let form = "<title>Boats</title><form action=/find>Search boats <input type=search name=q>
        <input type=submit value=Search></form>";
    let pages = [("/robots.txt", "User-agent: *\nDisallow: /find"), ("/", form)];
    let site = serve(pages.iter().map(|(path, body)| (path.to_string(), body.to_string())).collect());
    let home = format!("http://{site}/");
    let ran = place.run(&["harvest", &home, "--allow-private", "--delay", "0s", "--render", "never"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.err.contains("robots.txt"), "{ran:?}");
}

#[test]
fn a_dry_run_requests_no_list_of_records() {
    let place = Place::new();
    let form = "<title>Museum</title><script src=/searchindex.js></script>
        <form action=/search.html role=search>Search <input type=search name=q></form>";
    let site = serve(HashMap::from([("/".to_string(), form.to_string())]));
    let home = format!("http://{site}/");
    let ran = place.run(&["harvest", &home, "--allow-private", "--delay", "0s", "--dry-run", "-v"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("/searchindex.js"), "it would be requested first: {ran:?}");
    assert!(ran.err.contains("robots.txt") && !ran.err.contains("searchindex"), "{ran:?}");
}

#[test]
fn a_refresh_that_fails_once_is_repeated_after_its_interval() {
    let place = Place::new();
    let served = Served::new(&place);
    place.run(&served.harvest(&["--max-requests", "10"])).done();
    let url = format!("file:{}", place.path().join("hadal-data").display());
    let used = hadal::store::open(&url, hadal::store::Access::Crawl).unwrap();
    let mut command = place.command(&["refresh", "--every", "1m", "--store", &url]);
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut messages = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let failed = messages.find(|line| line.contains("the next refresh begins in")).unwrap_or_default();
    assert!(failed.starts_with("error: ") && failed.contains("in use"), "{failed}");
    assert!(child.try_wait().unwrap().is_none(), "it goes on");
    drop(used);
    child.kill().unwrap();
    child.wait().unwrap();
}
