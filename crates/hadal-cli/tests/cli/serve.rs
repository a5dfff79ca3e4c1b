//! `hadal serve`, `hadal ask` and the dashboard.
use crate::program::Place;
use hadal::store::{Access, FormEntry, FormQuery, Label, LabelFilter, LabelUpdate, open};
use hadal_core::time::Time;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

/// A folder in which a small demo has run.
fn demo() -> Place {
    let place = Place::new();
    place.run(&["demo", "--max-requests", "700", "--dashboard", "off", "-q"]).done();
    place
}

/// A program that runs until the test is over.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Starts the program and reads the address and token of its dashboard.
fn start(place: &Place, args: &[&str]) -> (Running, String, Option<String>) {
    let mut child = place.command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let child = Running(child);
    let address = lines.by_ref().map(Result::unwrap).find_map(|line| {
        let address = line.strip_prefix("dashboard: http://")?.strip_suffix('/')?;
        Some(address.to_string())
    });
    let token = match args.contains(&"0.0.0.0:0") {
        true => lines.next().unwrap().unwrap().strip_prefix("token: ").map(str::to_string),
        false => None,
    };
    std::thread::spawn(move || lines.for_each(drop));
    (child, address.expect("it says where it is"), token)
}

/// Status line and body of a response.
fn get(address: &str, path: &str, headers: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_string(), body.to_string())
}

#[test]
fn a_store_is_served_and_elsewhere_only_with_a_token() {
    let place = demo();
    let (_home, address, token) = start(&place, &["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(token, None);
    let (status, body) = get(&address, "/api/runs", "");
    assert_eq!(status, "HTTP/1.1 200 OK");
    let runs: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&runs["runs"][0]["topic"], &runs["runs"][0]["requests"]), (&"hotel".into(), &700.into()));
    assert_eq!(runs["runs"][0]["max_requests"], 700);
    let (_away, address, token) = start(&place, &["serve", "--listen", "0.0.0.0:0"]);
    let address = address.replace("0.0.0.0", "127.0.0.1");
    let token = token.expect("a token was made up");
    assert_eq!(get(&address, "/api/runs", "").0, "HTTP/1.1 401 Unauthorized");
    assert_eq!(
        get(&address, "/api/runs", &format!("Authorization: Bearer {token}\r\n")).0,
        "HTTP/1.1 200 OK"
    );
}

#[test]
fn invalid_addresses_stores_and_tokens_are_refused() {
    let place = Place::new();
    place.run(&["serve", "--listen", "nowhere"]).refused(&["nowhere", "127.0.0.1:7878"]);
    let ran = place.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(ran.status != 0 && ran.err.contains("there is no store"), "{ran:?}");
    place.run(&["demo", "--dashboard", "nowhere"]).refused(&["nowhere"]);
    let weak = demo().run_with(&[("HADAL_TOKEN", "short")], &["serve", "--listen", "127.0.0.1:0"]);
    weak.refused(&["at least 8 characters"]);
}

#[test]
fn a_crawl_shows_itself_while_it_runs() {
    let place = Place::new();
    let (mut running, address, _) = start(&place, &["demo", "--dashboard", "127.0.0.1:0"]);
    assert_eq!(get(&address, "/", "").0, "HTTP/1.1 200 OK");
    // The run starts a moment later. If the demo ends before that, the test fails.
    while !get(&address, "/api/runs", "").1.contains("\"state\":\"running\"") {}
    running.0.kill().unwrap();
}

#[test]
fn a_question_is_answered_by_the_sources_found() {
    let place = demo();
    let answers: Value =
        serde_json::from_str(&place.run(&["ask", "hotel", "--topic", "hotel", "--json"]).done()).unwrap();
    assert_eq!(answers["words"], "hotel");
    let sources = answers["sources"].as_array().unwrap();
    assert!(sources.len() > 1 && sources.iter().any(|source| source["outcome"] == "answered"), "{answers}");
    let first = &answers["answers"][0];
    assert!(first["sources"][0]["site"].is_string(), "{first}");
    let table = place.run(&["ask", "hotel", "--topic", "hotel", "--top", "2"]).done();
    assert!(table.contains(sources[0]["site"].as_str().unwrap()), "{table}");
    let log = place.run(&["submissions", "--json"]).done();
    assert!(log.lines().any(|line| line.contains("\"purpose\":\"ask\"")), "{log}");
    place.run(&["ask", "hotel", "--topic", "hotels"]).refused(&["did you mean 'hotel'?"]);
    place.run(&["ask", " ", "--topic", "hotel"]).refused(&["1 to 200 characters"]);
    place.run(&["ask", "x", "--form", "zz"]).refused(&["zz"]);
    place.run(&["ask", "x"]).refused(&["--topic"]);
}

#[test]
fn marks_that_a_topic_already_judges_right_leave_it_as_it_is() {
    let place = demo();
    place
        .run(&["topics", "train", "hotel", "--from-labels"])
        .refused(&["no form of 'hotel' is labelled", "hadal serve"]);
    let store = open(&format!("file:{}", place.path().join("hadal-data").display()), Access::Read).unwrap();
    let query = FormQuery { labels: LabelFilter::Accepted, limit: Some(500), ..FormQuery::default() };
    let forms = store.forms(&query).unwrap().rows;
    let mark = |found: &FormEntry, label| {
        let (form, topic) = (found.row.form_id, found.row.topic.clone());
        store.set_labels(&[LabelUpdate { form, topic, label: Some(label), at: Time(1) }]).unwrap();
    };
    forms.iter().take(6).for_each(|found| mark(found, Label::Right));
    let is_other = |found: &&FormEntry| found.row.p_searchable > 0.5;
    let others: Vec<&FormEntry> = forms.iter().skip(6).rev().filter(is_other).take(3).collect();
    others.iter().for_each(|found| mark(found, Label::Wrong));
    let trained = place.run(&["topics", "train", "hotel", "--from-labels", "--json"]);
    // Some pages of the simulated web fail.
    let skipped = trained.err.matches(": skipped, ").count();
    let marks = (6 + others.len() - skipped).into();
    let trained: Value = serde_json::from_str(&trained.done()).unwrap();
    assert_eq!((&trained["event"], &trained["marks"]), (&"kept".into(), &marks), "{trained}");
    assert!(!place.path().join("hadal-topics/hotel.toml").exists());
}
