//! Origins of settings, their precedence, and invalid settings.
use crate::program;
use crate::program::Place;

fn in_force(text: &str, key: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(&format!("{key} =")));
    line.unwrap_or_else(|| panic!("{key} is missing: {text}")).to_string()
}

#[test]
fn the_printed_default_file_is_accepted_and_changes_nothing() {
    let place = Place::new();
    let file = place.run(&["config"]).done();
    let before = place.run(&["config", "--in-force"]).done();
    place.write("hadal.toml", &file);
    let after = place.run(&["config", "--in-force"]).done();
    let values =
        |text: &str| text.lines().map(|line| line.split("  # ").next().unwrap().to_string()).collect();
    let (before, after): (Vec<String>, Vec<String>) = (values(&before), values(&after));
    assert_eq!(before, after);
}

#[test]
fn every_default_has_a_line_of_why() {
    let file = Place::new().run(&["config"]).done();
    let lines: Vec<&str> = file.lines().collect();
    for (index, line) in
        lines.iter().enumerate().filter(|(_, line)| line.contains(" = ") && !line.starts_with('#'))
    {
        assert!(lines[index - 1].starts_with("# "), "{line}");
    }
}

#[test]
fn flags_win_over_environment_over_file_over_defaults() {
    let place = Place::new();
    let store = |ran: program::Ran| in_force(&ran.done(), "url");
    assert!(store(place.run(&["config", "--in-force"])).ends_with("# default"));
    place.write("hadal.toml", "[store]\nurl = \"file:a\"\n");
    assert_eq!(store(place.run(&["config", "--in-force"])), "url = \"file:a\"  # hadal.toml");
    let variable = [("HADAL_STORE_URL", "file:b")];
    assert_eq!(
        store(place.run_with(&variable, &["config", "--in-force"])),
        "url = \"file:b\"  # HADAL_STORE_URL"
    );
    assert_eq!(
        store(place.run_with(&variable, &["config", "--in-force", "--store", "file:c"])),
        "url = \"file:c\"  # --store"
    );
}

#[test]
fn another_file_can_be_named() {
    let place = Place::new();
    place.write("hadal.toml", "[store]\nurl = \"file:a\"\n");
    place.write("other.toml", "[store]\nurl = \"file:b\"\n");
    let by_flag = place.run(&["config", "--in-force", "--config", "other.toml"]).done();
    assert!(in_force(&by_flag, "url").starts_with("url = \"file:b\""));
    let by_variable = place.run_with(&[("HADAL_CONFIG", "other.toml")], &["config", "--in-force"]).done();
    assert!(in_force(&by_variable, "url").starts_with("url = \"file:b\""));
    place.run(&["status", "--config", "none.toml"]).refused(&["none.toml"]);
}

#[test]
fn unknown_keys_and_impossible_values_stop_the_start_and_are_named() {
    for (file, words) in [
        ("[crawl]\nmax_request = 5\n", ["crawl.max_request", "did you mean 'crawl.max_requests'?"]),
        ("[crwal]\nmax_requests = 5\n", ["crwal.max_requests", "did you mean 'crawl.max_requests'?"]),
        ("max_requests = 5\n", ["unknown setting", "'max_requests'"]),
        ("[crawl]\nconcurrency = 0\n", ["crawl.concurrency", "1 to 1024"]),
        ("[politeness]\ndelay = 1\n", ["politeness.delay", "\"1s\""]),
        ("[fetch]\nbody_limit = \"big\"\n", ["fetch.body_limit", "4MiB"]),
        ("[crawl]\nstrategy = \"breadth\"\n", ["crawl.strategy", "breadth-first"]),
        ("[fetch]\nheaders = \"A: b\"\n", ["fetch.headers", "list"]),
        ("[crawl\n", ["hadal.toml", "TOML"]),
    ] {
        let place = Place::new();
        place.write("hadal.toml", file);
        place.run(&["status"]).refused(&words);
    }
    let ran = Place::new().run_with(&[("HADAL_CRAWL_MAXDEPTH", "3")], &["status"]);
    ran.refused(&["HADAL_CRAWL_MAXDEPTH", "HADAL_CRAWL_MAX_DEPTH"]);
    let ran = Place::new().run_with(&[("HADAL_CRAWL_MAX_DEPTH", "deep")], &["status"]);
    ran.refused(&["crawl.max_depth", "HADAL_CRAWL_MAX_DEPTH", "deep"]);
}
