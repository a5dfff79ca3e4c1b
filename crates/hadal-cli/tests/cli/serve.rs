//! `hadal serve`, `hadal ask` and the dashboard.
use crate::pages::{VOLCANOES, page, serve};
use crate::program::Place;
use hadal::store::{Access, FormEntry, FormQuery, Label, LabelFilter, LabelUpdate, UserChange, open};
use hadal_core::time::Time;
use serde_json::{Value, json};
use std::collections::HashMap;
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
    place.run(&["demo", "--dashboard", "nowhere"]).refused(&["nowhere"]);
    let weak = demo().run_with(&[("HADAL_TOKEN", "short")], &["serve", "--listen", "127.0.0.1:0"]);
    weak.refused(&["at least 8 characters"]);
}

/// Sends a write as our own pages do, and returns the status line and the body.
fn post(address: &str, path: &str, body: &Value) -> (String, Value) {
    let session: Value = serde_json::from_str(&get(address, "/api/session", "").1).unwrap();
    let (csrf, body) = (session["csrf"].as_str().unwrap(), body.to_string());
    let mut stream = TcpStream::connect(address).unwrap();
    let head =
        format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nX-Hadal-Csrf: {csrf}");
    let length = body.len();
    write!(stream, "{head}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_string(), serde_json::from_str(body).unwrap())
}

/// Waits for the end of a job and returns it.
fn ended(address: &str, job: &Value) -> Value {
    loop {
        let now: Value =
            serde_json::from_str(&get(address, &format!("/api/jobs/{}", job["job"]), "").1).unwrap();
        if now["state"] != "running" {
            return now;
        }
        std::thread::yield_now();
    }
}

/// Starts a job and waits for its end.
fn done(address: &str, path: &str, body: &Value) -> Value {
    let (status, job) = post(address, path, body);
    assert_eq!(status, "HTTP/1.1 202 Accepted", "{job}");
    let job = ended(address, &job);
    assert_eq!(job["state"], "done", "{job:#}");
    job
}

#[test]
fn a_crawl_and_a_topic_are_started_in_the_dashboard_of_an_empty_folder() {
    let place = Place::new();
    let site =
        serve(HashMap::from([("/".to_string(), page(VOLCANOES[0])), ("/2".to_string(), page(VOLCANOES[1]))]));
    let (_serving, address, _) =
        start(&place, &["serve", "--listen", "127.0.0.1:0", "--allow-private", "--delay", "0s"]);
    assert!(get(&address, "/api/runs", "").1.contains("\"runs\":[]"), "an empty store was created");
    let pages = json!([format!("http://{site}/"), format!("http://{site}/2")]);
    done(&address, "/api/imports", &json!({"topic": "volcano eruption", "pages": pages}));
    let forms: Value =
        serde_json::from_str(&get(&address, "/api/forms?topic=volcano+eruption", "").1).unwrap();
    assert!(!forms["forms"].as_array().unwrap().is_empty(), "{forms}");
    let draft = json!({"name": "volcano", "words": "volcano eruption lava", "examples": pages});
    assert_eq!(done(&address, "/api/topics", &draft)["result"][0]["topic"], "volcano");
    assert!(get(&address, "/api/topics", "").1.contains("\"topic\":\"volcano\""));
    let trial = done(&address, "/api/topics/volcano/test", &json!({ "pages": pages }));
    assert_eq!(trial["result"].as_array().unwrap().len(), 2, "{trial}");
    let crawl = json!({"topic": "volcano", "seeds": pages, "max_requests": 5});
    done(&address, "/api/crawls", &crawl);
    let runs: Value = serde_json::from_str(&get(&address, "/api/runs", "").1).unwrap();
    assert_eq!((&runs["runs"][0]["topic"], &runs["runs"][0]["max_requests"]), (&json!("volcano"), &json!(5)));
    let bad =
        post(&address, "/api/crawls", &json!({"topic": "volcano", "strategy": "none-such", "seeds": pages}));
    let failed = ended(&address, &bad.1);
    assert_eq!((&failed["state"], &failed["exit"]), (&json!("failed"), &json!(2)));
    assert!(failed["messages"].to_string().contains("none-such"), "{failed}");
}

/// Writes the forms of a demo for other search programs.
fn sources_are_written_for_other_search_programs(place: &Place) {
    let engines = place.run(&["forms", "--topic", "hotel", "--engines", "searxng", "--limit", "20"]).done();
    let count = engines.lines().filter(|line| line.starts_with("  - name: ")).count();
    assert!(count > 1 && engines.contains("engine: json_engine"), "{engines}");
    let args = ["forms", "--topic", "hotel", "--engines", "opensearch", "--output", "descriptions"];
    place.run(&args).done();
    let mut files = std::fs::read_dir(place.path().join("descriptions")).unwrap();
    let text = std::fs::read_to_string(files.next().unwrap().unwrap().path()).unwrap();
    assert!(text.contains("{searchTerms}") && text.contains("<OpenSearchDescription "), "{text}");
    place.run(&["forms", "--engines", "opensearch"]).refused(&["--output"]);
    place.run(&["forms", "--engines", "searxng", "--format", "csv"]).refused(&["--engines"]);
}

/// Runs the code of the notebook, cell by cell, if there is Python.
fn the_notebook_runs(address: &str) {
    const RUN: &str = "import json, sys; cells = json.load(open(sys.argv[1]))['cells']; names = {}\n\
        for cell in cells:\n    if cell['cell_type'] == 'code': exec(''.join(cell['source']), names)";
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/python");
    let mut python = std::process::Command::new("python3");
    python.args(["-B", "-c", RUN, "example.ipynb"]).current_dir(folder).env("PYTHONPATH", ".");
    match python.env("HADAL_URL", format!("http://{address}")).output() {
        Ok(output) => {
            let ran = crate::program::Ran::from(output);
            assert!(ran.out.contains("harvest: done") && ran.out.contains(" records\n- "), "{ran:?}");
        }
        Err(error) => drop(writeln!(std::io::stderr(), "skipped: python3: {error}")),
    }
}

/// Runs the example of the Python client if there is Python.
fn the_python_example_runs(address: &str) {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/python/example.py");
    let mut python = std::process::Command::new("python3");
    match python.args(["-B", example, "hotel", &format!("http://{address}")]).output() {
        Ok(output) => {
            let ran = crate::program::Ran::from(output);
            assert!(ran.out.contains("harvest: done\n- "), "{ran:?}");
        }
        Err(error) => drop(writeln!(std::io::stderr(), "skipped: python3: {error}")),
    }
}

#[test]
fn a_harvest_is_started_refreshed_and_refused_on_a_read_only_server() {
    let place = demo();
    sources_are_written_for_other_search_programs(&place);
    let (serving, address, _) = start(&place, &["serve", "--listen", "127.0.0.1:0"]);
    let harvest = json!({"topic": "hotel", "top": 1, "max_requests": 30});
    done(&address, "/api/harvests", &harvest);
    let harvests: Value = serde_json::from_str(&get(&address, "/api/harvests", "").1).unwrap();
    let form = &harvests["harvests"][0]["form_id"];
    assert_eq!(harvests["harvests"][0]["topic"], "hotel", "{harvests}");
    done(&address, "/api/refreshes", &json!({"forms": [form], "max_requests": 5}));
    the_python_example_runs(&address);
    the_notebook_runs(&address);
    drop(serving);
    let (_serving, address, _) = start(&place, &["serve", "--listen", "127.0.0.1:0", "--read-only"]);
    assert_eq!(post(&address, "/api/harvests", &harvest).0, "HTTP/1.1 409 Conflict");
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
        let update = LabelUpdate { form, topic, label: Some(label), at: Time(1) };
        store.apply_user_changes(&[UserChange::Label(update)]).unwrap();
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
