//! Help texts, suggestions, usage errors and exit status.
use crate::program;
use crate::program::Place;

fn run(args: &[&str]) -> program::Ran {
    Place::new().run(args)
}

#[test]
fn without_a_command_a_short_guide_is_printed() {
    let guide = run(&[]).done();
    assert!(guide.contains("hadal demo") && guide.lines().count() < 20, "{guide}");
}

#[test]
fn all_commands_are_listed_under_their_subject() {
    let help = run(&["--help"]).done();
    for line in ["First steps:\n  demo ", "Results:\n", "Setup:\n  config ", "Common options:\n"] {
        assert!(help.contains(line), "{line}: {help}");
    }
}

#[test]
fn options_with_similar_names_are_not_taken_for_each_other() {
    run(&["find", "book", "--seed", "http://a.example/"]).refused(&["--seeds"]);
    run(&["forms", "--topics", "book"]).refused(&["--topic NAME"]);
    let help = run(&["find", "--help"]).done();
    assert!(help.contains("--random-seed <N>") && help.contains("--topics-dir <DIR>"), "{help}");
    assert!(!help.contains("--seed ") && !help.contains("--topics "), "{help}");
}

#[test]
fn every_command_has_help_that_ends_with_an_example() {
    let help = run(&["--help"]).done();
    for command in [
        "demo",
        "find",
        "forms",
        "sites",
        "runs",
        "harvests",
        "records",
        "queries",
        "submissions",
        "lessons",
        "quality",
        "topics",
        "judge",
        "status",
        "world",
        "eval",
        "config",
        "doctor",
        "completions",
    ] {
        assert!(help.contains(&format!("  {command} ")), "{command} is missing: {help}");
        let own = run(&[command, "--help"]).done();
        let last = own.rsplit("\n\n").next().unwrap();
        assert!(last.starts_with(&format!("Example:\n  hadal {command}")), "{own}");
    }
}

#[test]
fn unknown_values_of_options_are_refused_not_ignored() {
    let find = ["find", "book", "--seeds", "http://a.example/"];
    run(&[&find[..], &["--render", "sometimes"]].concat()).refused(&["never"]);
}

#[test]
fn misspelt_names_get_a_suggestion() {
    run(&["fnid"]).refused(&["find"]);
    run(&["forms", "--fromat", "csv"]).refused(&["--format"]);
    run(&["find", "hotle", "--seeds", "http://a.example/"]).refused(&["did you mean 'hotel'?"]);
    run(&["find", "book", "--seeds", "http://a.example/", "--strategy", "best-frist"]).refused(&[
        "crawl.strategy",
        "--strategy",
        "did you mean 'best-first'?",
    ]);
}

#[test]
fn bad_arguments_are_reported_with_the_expected_form() {
    run(&["find", "book"]).refused(&["--seeds"]);
    run(&["harvest"]).refused(&["FORM|URL", "--topic NAME"]);
    run(&["find", "book", "--seeds", "no/such/file"]).refused(&["no/such/file", "http://"]);
    run(&["find", "book", "--seeds", "ftp://a.example/"]).refused(&["ftp://a.example/"]);
    run(&["find", "book", "--seeds", "http://a.example/", "--delay", "5"])
        .refused(&["politeness.delay", "1s"]);
    run(&["forms", "--min-relevance", "2"]).refused(&["0 to 1"]);
    run(&["runs", "--store", "redis://x"]).refused(&["redis://x", "file:DIR"]);
}

#[test]
fn seeds_in_a_file_are_checked_line_by_line() {
    let place = Place::new();
    place.write("seeds.txt", "# mine\nhttp://a.example/\nnonsense\n");
    place.run(&["find", "book", "--seeds", "seeds.txt"]).refused(&["seeds.txt, line 3", "nonsense"]);
}

#[test]
fn a_missing_store_is_reported_with_a_next_step() {
    for command in ["forms", "sites", "runs", "harvests", "records", "queries", "submissions", "status"] {
        let ran = run(&[command]);
        assert_eq!(ran.status, 1, "{ran:?}");
        assert!(ran.err.contains("hadal find"), "{ran:?}");
    }
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(run(&["completions", shell]).done().contains("doctor"), "{shell}");
    }
    run(&["completions", "bsh"]).refused(&["bash"]);
}

#[test]
fn the_doctor_names_each_problem() {
    let place = Place::new();
    let healthy = place.run(&["doctor"]).done();
    assert!(healthy.contains("ok    configuration"), "{healthy}");
    place.write("hadal.toml", "[crawl]\nconcurrency = 0\n");
    let ran = place.run(&["doctor"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("fail  configuration") && ran.out.contains("crawl.concurrency"), "{ran:?}");
    for line in place.run(&["doctor", "--json"]).out.lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("one JSON object per line");
    }
}
