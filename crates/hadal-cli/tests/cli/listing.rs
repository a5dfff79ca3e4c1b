//! Listings of a store: schema, filters, files, escaping.
use crate::fixture;
use crate::program::Place;
use hadal::store::*;
use hadal_core::critic::FormKind;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

const EVIL: &str = "=cmd|'/c calc'\u{1b}[31m\u{202e}\u{200b}\u{9b}";

/// A store with an ordinary form, a hostile form and a login form.
fn place_with_forms() -> Place {
    let place = Place::new();
    let url = format!("file:{}", place.path().join("hadal-data").display());
    let store = open(&url, Access::Crawl).unwrap();
    let run = fixture::begin(store.as_ref());
    let waiting = fixture::queued_link("http://books.example/", 0, 1.0, 1);
    let mut evil = fixture::form(0xbad, "http://evil.example/", 0.8, 0.7);
    evil.fields[0].name = EVIL.into();
    let mut login = fixture::form(3, "http://books.example/login", 0.01, 0.0);
    login.kind = FormKind::Login;
    let plain = fixture::form(1, "http://books.example/", 0.912_345_6, 0.9);
    let forms = [plain, evil, login].map(fixture::new_form).to_vec();
    let end = Outcome { forms, ..fixture::visit(1, &waiting, Default::default()) };
    fixture::run_step(store.as_ref(), run, &waiting, end);
    store.sync().unwrap();
    place
}

#[test]
fn jsonl_of_forms_has_the_documented_keys_in_their_order() {
    let out = place_with_forms().run(&["forms", "--format", "jsonl"]).done();
    let first = out.lines().next().unwrap();
    assert_eq!(
        first,
        "{\"form_id\":\"0000000000000001\",\"topic\":\"books\",\"site\":\"books.example\",\
         \"page_url\":\"http://books.example/\",\"action\":\"http://books.example/find\",\"method\":\"post\",\
         \"fields\":[{\"name\":\"q\",\"type\":\"search\",\"label\":\"Find\",\"options\":2}],\"kind\":\"search\",\
         \"p_searchable\":0.9123,\"p_relevant\":0.9,\"found_at_request\":12,\"depth\":2,\"also_on\":0,\
         \"source\":\"searchaction\",\"language\":null,\"evidence\":[\"a button says find\"],\
         \"state\":null,\"checked_at\":null}"
    );
    assert_eq!(place_with_forms().run(&["forms", "--json"]).done(), out);
}

#[test]
fn only_searchable_forms_are_listed_unless_all_are_asked_for() {
    let place = place_with_forms();
    let count = |args: &[&str]| place.run(args).done().lines().count();
    assert_eq!(count(&["forms", "--json"]), 2);
    assert_eq!(count(&["forms", "--json", "--all"]), 3);
    assert_eq!(count(&["forms", "--json", "--min-relevance", "0.8"]), 1);
    assert_eq!(count(&["forms", "--json", "--topic", "books"]), 2);
}

#[test]
fn a_limit_takes_the_most_relevant_forms() {
    let place = place_with_forms();
    let first = place.run(&["forms", "--json", "--limit", "1"]).done();
    assert!(first.lines().count() == 1 && first.contains("0000000000000001"), "{first}");
    assert_eq!(place.run(&["forms", "--json", "--limit", "all"]).done().lines().count(), 2);
    place.run(&["forms", "--limit", "0"]).refused(&["--limit", "or all"]);
}

#[test]
fn a_form_is_named_by_the_first_digits_of_its_id_if_they_are_unique() {
    let place = place_with_forms();
    place.run(&["harvest", "00000000"]).refused(&["several form_ids begin with '00000000'"]);
    place.run(&["harvest", "beef"]).refused(&["no form_id begins with 'beef'"]);
    place.run(&["harvest", "book"]).refused(&["neither a form_id nor a URL"]);
    let named = place.run(&["harvest", "0000000000000b", "--dry-run", "--allow-post"]);
    assert!(!named.err.contains("begin") && !named.err.contains("is not a form_id"), "{named:?}");
}

#[test]
fn a_topic_without_runs_is_refused_with_the_nearest_name() {
    place_with_forms().run(&["forms", "--topic", "bokks"]).refused(&["did you mean 'books'?"]);
}

#[test]
fn nothing_from_the_web_steers_the_terminal() {
    let place = place_with_forms();
    for args in [&["forms"][..], &["forms", "--color", "always"], &["sites"], &["status"]] {
        let out = place.run(args).done();
        let ours = out.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
        assert!(!ours.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\u{9b}']), "{out:?}");
    }
    assert!(place.run(&["forms"]).done().contains("\\u{1b}[31m\\u{202e}"));
}

#[test]
fn json_keeps_the_text_and_escapes_controls() {
    let out = place_with_forms().run(&["forms", "--json"]).done();
    assert!(!out.contains('\u{1b}'));
    let evil: serde_json::Value = serde_json::from_str(out.lines().nth(1).unwrap()).unwrap();
    assert_eq!(evil["fields"][0]["name"], EVIL);
}

#[test]
fn no_csv_cell_is_a_formula() {
    let place = place_with_forms();
    let url = format!("file:{}", place.path().join("hadal-data").display());
    let store = open(&url, Access::Crawl).unwrap();
    store.begin(&RunSpec { topic: "=HYPERLINK(\"x\")".into(), ..fixture::spec("x") }).unwrap();
    store.sync().unwrap();
    drop(store);
    let out = place.run(&["runs", "--format", "csv"]).done();
    assert!(out.starts_with("run,topic,strategy,"), "{out}");
    assert!(out.contains("\"'=HYPERLINK(\"\"x\"\")\""), "{out}");
}

#[test]
fn colour_follows_the_flag_the_variable_and_the_terminal() {
    let place = place_with_forms();
    assert!(!place.run(&["forms"]).done().contains('\u{1b}'), "no terminal, no colour");
    assert!(place.run(&["forms", "--color", "always"]).done().contains("\u{1b}[1m"));
    let no_color = [("NO_COLOR", "1")];
    assert!(!place.run_with(&no_color, &["forms"]).done().contains('\u{1b}'));
    assert!(!place.run_with(&no_color, &["doctor"]).done().contains('\u{1b}'));
    place.run(&["forms", "--color", "pink"]).refused(&["output.color", "--color"]);
}

#[test]
fn an_output_file_appears_whole() {
    let place = place_with_forms();
    for format in ["table", "jsonl", "csv", "parquet"] {
        let out = place.run(&["forms", "--format", format, "--output", "forms.out"]).done();
        assert!(out.is_empty(), "{out}");
        let file = std::fs::read(place.path().join("forms.out")).unwrap();
        assert!(!file.is_empty());
        assert_eq!(format == "parquet", file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
    }
    let names: Vec<_> =
        std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "store and file, no drafts: {names:?}");
    let ran = place.run(&["forms", "--output", "no/such/folder/forms.out"]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("no/such/folder"), "{ran:?}");
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let place = Place::new();
    let url = format!("file:{}", place.path().join("hadal-data").display());
    let store = open(&url, Access::Crawl).unwrap();
    let run = fixture::begin(store.as_ref());
    let waiting = fixture::queued_link("http://books.example/", 0, 1.0, 1);
    // More than a pipe holds, so that the program meets the closed end.
    let forms = (0..4000).map(|id| fixture::new_form(fixture::form(id, "http://books.example/", 0.9, 0.9)));
    let end = Outcome { forms: forms.collect(), ..fixture::visit(1, &waiting, Default::default()) };
    fixture::run_step(store.as_ref(), run, &waiting, end);
    store.sync().unwrap();
    for format in ["table", "jsonl", "csv"] {
        let mut command = place.command(&["forms", "--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{format}: {ended:?}");
        assert!(ended.stderr.is_empty(), "{format}: {}", String::from_utf8_lossy(&ended.stderr));
    }
}

#[test]
fn status_has_the_documented_keys() {
    let place = place_with_forms();
    let status: serde_json::Value = serde_json::from_str(&place.run(&["status", "--json"]).done()).unwrap();
    for (key, value) in [
        ("requests", 1),
        ("pages", 1),
        ("forms_searchable", 2),
        ("forms_relevant", 2),
        ("queries", 0),
        ("records", 0),
    ] {
        assert_eq!(status[key], value, "{key}: {status}");
    }
    for key in ["failed", "sites", "frontier", "elapsed_s"] {
        assert!(status[key].is_number(), "{key}: {status}");
    }
    assert!(status["coverage"]["estimate"].is_null());
    place.run(&["status", "--run", "99"]).refused(&["99"]);
}
