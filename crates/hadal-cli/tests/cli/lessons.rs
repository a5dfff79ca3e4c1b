//! `hadal lessons` with and without lessons.
use crate::fixture;
use crate::program::Place;
use hadal::store::*;
use hadal_core::strategy::{Lesson, SelectedFeatures};

fn lesson(iteration: u32, selected: Vec<SelectedFeatures>) -> LessonRow {
    let lesson = Lesson { model: "link".into(), iteration, examples: 12, selected };
    LessonRow { at_request: 100 * u64::from(iteration), at_page: 80 * u64::from(iteration), lesson }
}

fn selected(space: &str, level: Option<u8>, terms: &[(&str, u32)]) -> SelectedFeatures {
    let terms = terms.iter().map(|(term, count)| (term.to_string(), *count)).collect();
    SelectedFeatures { space: space.into(), level, terms }
}

/// A store in which run 1 learned twice, and run 2 of another topic learned once without terms.
fn place_with_lessons() -> Place {
    let place = Place::new();
    let url = format!("file:{}", place.path().join("hadal-data").display());
    let store = open(&url, Access::Crawl).unwrap();
    let learn = |run, row| store.commit(run, &fixture::changing(FrontierChange::Learned(row))).unwrap();
    let books = fixture::begin(store.as_ref());
    let anchors = selected("anchor", Some(1), &[("librari", 7), ("catalog", 3)]);
    learn(books, lesson(0, vec![anchors, selected("url", None, &[("\u{1b}[31mbook", 2)])]));
    learn(books, lesson(1, vec![selected("around", None, &[("search", 9)])]));
    learn(store.begin(&fixture::spec("cars")).unwrap(), lesson(1, vec![]));
    store.sync().unwrap();
    place
}

#[test]
fn every_iteration_and_place_is_a_row() {
    let out = place_with_lessons().run(&["lessons", "--format", "jsonl"]).done();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[0],
        "{\"run\":1,\"topic\":\"books\",\"strategy\":\"breadth-first\",\"iteration\":0,\"at_request\":0,\"at_page\":0,\
         \"model\":\"link\",\"examples\":12,\"level\":1,\"space\":\"anchor\",\"terms\":[[\"librari\",7],[\"catalog\",3]]}"
    );
    assert!(lines[2].contains("\"iteration\":1,\"at_request\":100,\"at_page\":80"), "{out}");
    assert!(lines[2].contains("\"level\":null,\"space\":\"around\""), "{out}");
    assert!(lines[3].contains("\"run\":2") && lines[3].contains("\"terms\":[]"), "{out}");
    assert_eq!(lines.len(), 4);
}

#[test]
fn terms_are_shown_with_counts_and_escaped() {
    let place = place_with_lessons();
    let out = place.run(&["lessons", "--run", "1"]).done();
    assert!(out.contains("librari 7, catalog 3") && out.contains("search 9"), "{out}");
    assert!(!out.contains('\u{1b}'), "{out:?}");
    let csv = place.run(&["lessons", "--topic", "books", "--format", "csv"]).done();
    assert!(
        csv.starts_with(
            "run,topic,strategy,iteration,at_request,at_page,model,examples,level,space,terms\r\n"
        )
    );
    assert_eq!(csv.lines().count(), 4, "{csv}");
}

#[test]
fn a_run_or_topic_that_is_not_there_is_refused() {
    let place = place_with_lessons();
    place.run(&["lessons", "--run", "7"]).refused(&["unknown run 7", "hadal runs"]);
    place.run(&["lessons", "--topic", "boks"]).refused(&["did you mean 'books'?"]);
    place.run(&["lessons", "--topic", "books", "--run", "1"]).refused(&["--topic", "--run"]);
}

#[test]
fn runs_without_lessons_are_reported() {
    let place = Place::new();
    let url = format!("file:{}", place.path().join("hadal-data").display());
    fixture::begin(open(&url, Access::Crawl).unwrap().as_ref());
    let ran = place.run(&["lessons"]);
    assert!(ran.status == 0 && ran.err.contains("no lessons"), "{ran:?}");
}
