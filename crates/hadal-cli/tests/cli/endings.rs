//! Endings of crawls: seeds that cannot be fetched, interrupted runs, logs of requests.

use crate::crawl_process::{Site, program, signal};
use crate::pages::{page, serve};
use crate::program::{Place, Ran};
use std::collections::HashMap;
use std::net::SocketAddr;

const SEED: &str = "http://shop.example/";

fn server(pages: &[(&str, &str)]) -> SocketAddr {
    serve(pages.iter().map(|(path, body)| (path.to_string(), body.to_string())).collect::<HashMap<_, _>>())
}

fn find(place: &Place, address: SocketAddr, options: &[&str]) -> Ran {
    let route = format!("*={address}");
    let own = ["find", "book", "--seeds", SEED, "--delay", "0s", "--connect-to", &route];
    place.run(&[&own[..], options].concat())
}

#[test]
fn a_crawl_without_a_page_fails_and_names_each_seed_with_its_reason() {
    let place = Place::new();
    let refused = place.run(&["find", "book", "--seeds", "http://127.0.0.1:8/", "http://10.0.0.1/"]);
    assert_eq!(refused.status, 1, "{refused:?}");
    for line in ["could not fetch http://10.0.0.1/: private address", "error: no seed could be fetched"] {
        assert!(refused.err.contains(line), "{line}: {refused:?}");
    }
    let denied = find(&place, server(&[("/robots.txt", "User-agent: *\nDisallow: /")]), &[]);
    assert_eq!(denied.status, 1, "{denied:?}");
    assert!(denied.err.contains(&format!("could not fetch {SEED}: robots.txt disallows")), "{denied:?}");
}

#[test]
fn the_same_command_tries_a_failed_seed_again() {
    let place = Place::new();
    let down = find(&place, server(&[]), &[]);
    assert_eq!(down.status, 1, "{down:?}");
    assert!(down.err.contains(&format!("could not fetch {SEED}: status 404 (Not Found)")), "{down:?}");
    let log = place.run(&["log", "--host", "shop.example", "--json"]).done();
    let row: serde_json::Value = serde_json::from_str(log.trim()).unwrap();
    assert_eq!((&row["url"], &row["failure"], &row["times"]), (&SEED.into(), &"http_404".into(), &1.into()));
    assert_eq!(row["given_up"], true);
    let up = find(&place, server(&[("/", &page(("Books", "Author, title")))]), &[]);
    assert_eq!(up.status, 0, "{up:?}");
    let listed = place.run(&["forms", "--all", "--json"]).done();
    let form: serde_json::Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    let ran = find(&place, server(&[("/", &page(("Books", "Author, title")))]), &["--fresh", "--json"]);
    assert!(ran.out.contains(&format!("\"form_id\":{}", form["form_id"])), "the same id in events: {ran:?}");
    assert!(!up.err.contains("could not fetch"), "{up:?}");
    let status: serde_json::Value = serde_json::from_str(&place.run(&["status", "--json"]).done()).unwrap();
    assert_eq!((&status["pages"], &status["failed"]), (&1.into(), &0.into()));
}

#[test]
fn each_request_is_a_line_of_the_log() {
    let place = Place::new();
    let address = server(&[("/", &page(("Books", "Author, title")))]);
    let ran = find(&place, address, &["-v", "--probe", "never"]);
    assert!(ran.err.contains("GET") && ran.err.contains(SEED) && ran.err.contains("status=200"), "{ran:?}");
    let ran = find(&place, address, &["-vv", "--probe", "never", "--fresh"]);
    assert!(ran.err.contains("link chosen") && ran.err.contains("score="), "decisions: {ran:?}");
    let options = ["-v", "--probe", "never", "--fresh", "--log-format", "json", "--log-file", "crawl.log"];
    assert!(!find(&place, address, &options).err.contains("status=200"));
    let log = std::fs::read_to_string(place.path().join("crawl.log")).unwrap();
    let lines: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("one JSON object per line")).collect();
    let urls: Vec<&str> = lines.iter().filter_map(|line| line["url"].as_str()).collect();
    assert_eq!(urls, [&format!("{SEED}robots.txt"), SEED]);
    assert_eq!((&lines[1]["status"], &lines[1]["method"]), (&200.into(), &"GET".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_crawl_is_interrupted_and_not_running() {
    let site = Site::tiny(3).await;
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    let mut child = site.find(&store).spawn().unwrap();
    site.wait_for(30, &mut child);
    signal(&child, "KILL");
    child.wait().unwrap();
    let mut status = program(&store);
    status.args(["status"]).stdout(std::process::Stdio::piped());
    let ran = Ran::from(status.output().unwrap()).done();
    assert!(ran.contains("interrupted") && !ran.contains("running"), "{ran}");
}

#[test]
fn an_import_adds_the_forms_of_the_pages_given_and_follows_no_link() {
    let place = Place::new();
    let library = page(("Town library", "Author, title, ISBN"));
    let linked = format!("<a href=/other>Catalogue of all books</a>{library}");
    let address = server(&[("/", &linked), ("/other", &library)]);
    let route = format!("*={address}");
    let options = ["--delay", "0s", "--connect-to", &route, "--probe", "never"];
    place.run(&[&["forms", "import", "book", SEED][..], &options].concat()).done();
    let forms = place.run(&["forms", "--format", "jsonl"]).done();
    assert_eq!(forms.lines().count(), 1, "{forms}");
    assert!(forms.contains("\"page_url\":\"http://shop.example/\""), "{forms}");
    place.run(&["forms", "import", "book"]).refused(&["<FILE|URL>"]);
}
