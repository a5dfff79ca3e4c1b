//! User-defined topics: created from pages, words, folders and groups; shown, tested, used.
use crate::pages::{OTHERS, VOLCANOES, page, serve, write_pages};
use crate::program::{Place, Ran};
use serde_json::Value;
use std::collections::HashMap;

/// A folder with volcano pages and a labelled folder.
fn place() -> Place {
    let place = Place::new();
    write_pages(&place.path().join("mine"), &VOLCANOES[..5]);
    write_pages(&place.path().join("labelled/relevant"), &VOLCANOES[5..]);
    write_pages(&place.path().join("labelled/other"), &OTHERS);
    place
}

const NEW: [&str; 9] = [
    "topics",
    "new",
    "volcano",
    "--examples",
    "mine/0.html",
    "mine/1.html",
    "mine/2.html",
    "mine/3.html",
    "mine/4.html",
];

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn five_pages_make_a_topic_that_knows_others_of_its_kind() {
    let place = place();
    let made = place.run(&NEW);
    assert!(made.err.contains("mine/0.html: took form 1 (f0 f1 f2)"), "{made:?}");
    let out = made.done();
    assert!(out.contains("learned from 5 example forms"), "{out}");

    let list = place.run(&["topics", "list"]).done();
    assert_eq!(list.lines().count(), 1 + 12 + 1, "{list}");
    assert!(list.contains("volcano") && list.contains("5 example forms"), "{list}");
    let show = place.run(&["topics", "show", "volcano"]).done();
    assert!(show.contains("eruption") && show.contains("mine/0.html"), "{show}");

    let test = object(&place.run(&["topics", "test", "volcano", "--from", "labelled", "--json"]).done());
    assert_eq!(test["confusion"]["relevant"], serde_json::json!({ "relevant": 3, "other": 0 }), "{test}");
    assert_eq!(test["f1"]["estimate"], 1.0, "{test}");
    let text = place.run(&["topics", "test", "volcano", "--from", "labelled"]).done();
    assert!(text.contains("judged relevant") && text.contains("F1         1.00 (1.00 to 1.00)"), "{text}");
}

#[test]
fn built_in_topics_are_shown_and_tested_like_any_other() {
    let place = place();
    let show = object(&place.run(&["topics", "show", "book", "--json", "--words", "40"]).done());
    assert_eq!(show["built_in"], true);
    let words: Vec<&str> =
        show["forms"].as_array().unwrap().iter().map(|word| word["word"].as_str().unwrap()).collect();
    assert!(words.iter().any(|word| word.contains("book")), "{words:?}");
    let test = place.run(&["topics", "test", "book", "--from", "labelled"]).done();
    assert!(test.contains("missed: "), "volcanoes are no books: {test}");
    place.run(&["topics", "show", "bokk"]).refused(&["did you mean 'book'?"]);
}

#[test]
fn examples_are_fetched_as_politely_as_anything_else() {
    let place = Place::new();
    let mut web: HashMap<String, String> = HashMap::new();
    for (number, about) in VOLCANOES[..3].iter().enumerate() {
        web.insert(format!("/find{number}"), page(*about));
    }
    web.insert("/secret".into(), page(VOLCANOES[3]));
    web.insert("/text".into(), "<p>No form here.".into());
    web.insert("/robots.txt".into(), "User-agent: *\nDisallow: /secret\n".into());
    web.insert("/old".into(), "http://volcano.example/find2".into());
    let addr = serve(web);
    let list =
        "# mine\nhttp://volcano.example/find0\nhttp://volcano.example/find1#1\nhttp://volcano.example/old
        http://volcano.example/secret\nhttp://volcano.example/gone\nhttp://volcano.example/text\n";
    place.write("list.txt", list);
    let ran = place.run(&[
        "topics",
        "new",
        "volcano",
        "--examples",
        "list.txt",
        "--json",
        "--delay",
        "0s",
        "--connect-to",
        &format!("*={addr}"),
    ]);
    for line in [
        "/find0: took form 1",
        "/find1#1: took form 1",
        "/old: took form 1",
        "/secret: skipped, robots.txt does not allow it",
        "/gone: skipped, status 404 (Not Found)",
        "/text: skipped, the page has no form",
    ] {
        assert!(ran.err.contains(line), "{line}: {ran:?}");
    }
    let event = object(&ran.done());
    assert_eq!((&event["relevant"], &event["skipped"]), (&Value::from(3), &Value::from(3)), "{event}");
    let toml = std::fs::read_to_string(place.path().join("hadal-topics/volcano.toml")).unwrap();
    assert!(toml.contains("\"http://volcano.example/find1#1\""), "{toml}");
    let again =
        place.run(&["topics", "train", "volcano", "--delay", "0s", "--connect-to", &format!("*={addr}")]);
    assert!(again.done().contains("3 example forms"));
}

#[test]
fn a_topic_of_words_alone_is_reported_as_weaker() {
    let place = place();
    let new = ["topics", "new", "volcano", "--words", "volcano eruption lava"];
    let ran = place.run(&new);
    assert!(ran.err.contains("words only"), "{ran:?}");
    assert!(ran.done().contains("learned from words only"));
    place.run(&new).refused(&["'volcano' exists", "--force"]);
    place.run(&[&new[..], &["--force"]].concat()).done();
    let few = place.run(&["topics", "new", "few", "--examples", "mine/0.html", "mine/1.html"]);
    assert!(few.err.contains("warning: only 2 usable examples"), "{few:?}");
    place.run(&["topics", "new", "none"]).refused(&["--examples"]);
    place.run(&["topics", "new", "none", "--words", " "]).refused(&["no words"]);
    place.run(&["topics", "new", "../up", "--words", "x y"]).refused(&["is not a valid topic name"]);
    place.run(&["topics", "new", "none", "--examples", "absent.html"]).refused(&["absent.html"]);
}

#[test]
fn unusable_topics_are_refused_with_a_next_step() {
    let place = place();
    place.run(&NEW).done();
    let find = ["find", "volcano", "--seeds", "http://a.example/"];
    let model = place.path().join("hadal-topics/volcano.model");
    let whole = std::fs::read(&model).unwrap();
    std::fs::write(&model, &whole[..whole.len() / 2]).unwrap();
    place.run(&find).refused(&["damaged", "hadal topics train volcano"]);
    let list = place.run(&["topics", "list"]).done();
    assert!(list.contains("unusable"), "one bad topic does not hide the others: {list}");
    std::fs::remove_file(&model).unwrap();
    place.run(&find).refused(&["is missing", "hadal topics train volcano"]);
    place.run(&["topics", "train", "volcano"]).done();
    assert_eq!(std::fs::read(&model).unwrap(), whole, "the same examples teach the same");
    place.write("hadal-topics/volcano.toml", "name = \"volcano\"\nseed = [\"http://a.example/\"]\n");
    place.run(&find).refused(&["unknown field `seed`", "seeds"]);
    place.run(&["topics", "train", "volcanoo"]).refused(&["did you mean 'volcano'?"]);
}

#[test]
fn a_labelled_folder_trains_a_topic() {
    let place = place();
    let ran = place.run(&["topics", "train", "volcano", "--from", "labelled"]);
    assert!(ran.done().contains("a labelled folder: 3 forms, 6 others"));
    std::fs::remove_file(place.path().join("hadal-topics/volcano.model")).unwrap();
    place.run(&["topics", "show", "volcano"]).refused(&["hadal topics train volcano --from DIR"]);
    place
        .run(&["topics", "train", "volcano", "--from", "mine", "--from-labels"])
        .refused(&["cannot be used"]);
    let ran: Ran = place.run(&["topics", "train", "volcano", "--from", "mine"]);
    assert_eq!(ran.status, 1, "{ran:?}");
}

#[test]
fn groups_of_forms_are_proposed_and_written() {
    let place = place();
    write_pages(&place.path().join("mixed/volcanoes"), &VOLCANOES);
    let jobs = ["Jobs in your city", "Vacancies", "Career search", "Find a job", "Job board"];
    let jobs = jobs.map(|title| (title, "Job title, salary, company"));
    write_pages(&place.path().join("mixed/jobs"), &jobs);
    let ran = place.run(&["topics", "propose", "--from", "mixed", "--k", "2", "--write"]);
    let out = ran.done();
    assert!(out.starts_with("13 search forms in 2 groups"), "{out}");
    assert!(out.contains("group 1: 8 forms, written as topic ") && out.contains("group 2: 5 forms"), "{out}");
    assert!(out.contains("mixed/volcanoes/"), "{out}");
    let own = place.run(&["topics", "list"]).done();
    assert!(own.contains("a group of 8 forms") && own.contains("a group of 5 forms"), "{own}");
    let groups = place.run(&["topics", "propose", "--from", "mixed", "--json"]).done();
    let sizes: u64 = groups.lines().map(|line| object(line)["size"].as_u64().unwrap()).sum();
    assert_eq!(sizes, 13);
    place.run(&["topics", "propose", "--from", "hadal-topics"]).refused(&["nothing to group"]);
}

#[test]
fn forms_of_crawls_are_grouped_too() {
    let place = Place::new();
    place.run(&["demo", "--max-requests", "700", "-q"]).done();
    let searchable = place.run(&["forms", "--json"]).done().lines().count() as u64;
    let groups = place.run(&["topics", "propose", "--from", "store", "--k", "2", "--write", "--json"]).done();
    let groups: Vec<Value> = groups.lines().map(object).collect();
    assert_eq!(groups.iter().map(|group| group["size"].as_u64().unwrap()).sum::<u64>(), searchable);
    let name = groups[0]["topic"].as_str().unwrap();
    let toml = std::fs::read_to_string(place.path().join(format!("hadal-topics/{name}.toml"))).unwrap();
    assert!(toml.contains("\"http://") && toml.contains("from = \"cluster\""), "{toml}");
}

#[test]
fn private_addresses_are_refused_as_ever() {
    let addr = serve(HashMap::from([("/".to_string(), page(VOLCANOES[0]))]));
    let place = Place::new();
    let url = format!("http://{addr}/");
    let new = ["topics", "new", "volcano", "--delay", "0s", "--examples", &url];
    place.run(&new).refused(&["--allow-private", "no example has a usable form"]);
    place.run(&[&new[..], &["--allow-private"]].concat()).done();
}

#[test]
fn find_looks_for_a_topic_of_ones_own_from_its_own_seeds() {
    let place = place();
    let web = HashMap::from([
        (
            "/".to_string(),
            "<title>Volcanoes</title><a href=/find>Search volcanoes</a> <a href=/jobs>Jobs</a>".into(),
        ),
        ("/find".to_string(), page(VOLCANOES[6])),
        ("/jobs".to_string(), page(OTHERS[0])),
    ]);
    let addr = serve(web);
    place.run(&[&NEW[..], &["--seeds", "http://volcano.example/"]].concat()).done();
    let connect = format!("*={addr}");
    let find = |topic| {
        [
            "find",
            topic,
            "--strategy",
            "breadth-first",
            "--probe",
            "never",
            "--delay",
            "0s",
            "--connect-to",
            &connect,
        ]
        .map(String::from)
    };
    let run = |topic| place.run(&find(topic).each_ref().map(String::as_str));
    run("volcano").done();
    run("hadal-topics/volcano.toml").done();
    let forms = place.run(&["forms", "--json", "--topic", "volcano", "--min-relevance", "0.5"]).done();
    let pages: Vec<Value> = forms.lines().map(|line| object(line)["page_url"].clone()).collect();
    assert_eq!(pages, ["http://volcano.example/find"]);
    assert_eq!(place.run(&["runs", "--json"]).done().lines().count(), 1, "file and name are the same topic");

    run("book").refused(&["--seeds"]);
    let weak = place.run(&[
        "find",
        "deep sea",
        "--seeds",
        "http://a.example/",
        "--max-requests",
        "1",
        "--connect-to",
        &connect,
    ]);
    assert!(weak.err.contains("hadal topics new deep-sea --examples"), "{weak:?}");
    weak.done();
}
