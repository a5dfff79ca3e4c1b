//! Tests of the whole policy against a generated database.

use super::*;
use crate::harvest::policy::Hit;
use crate::harvest::policy::adaptive::{AdaptiveOptions, AdaptivePolicy};
use crate::harvest::policy::fixture::{TestDatabase, records, requests};
use crate::harvest::record::RecordId;

pub fn context() -> PolicyContext {
    PolicyContext { first_words: vec!["w3".into()], language: Some("en".into()), ..PolicyContext::default() }
}

pub fn capped(cap: usize) -> TestDatabase {
    let mut database = TestDatabase::generated(1_500, 7);
    database.cap = cap;
    database
}

#[test]
fn under_a_cap_it_needs_fewer_requests_than_adaptive() {
    let database = capped(30);
    let ours = database.harvest(&mut HadalPolicy::new(&context()), 1_350, 2_000);
    let theirs =
        database.harvest(&mut AdaptivePolicy::new(&context(), AdaptiveOptions::default()), 1_350, 2_000);
    assert!(records(&ours) >= 1_350);
    assert!(requests(&ours) < requests(&theirs), "{} {}", requests(&ours), requests(&theirs));
}

#[test]
fn totals_that_count_the_page_cost_no_requests() {
    let cost = |counts_page: bool| {
        let mut database = TestDatabase::generated(1_500, 7);
        database.counts_page = counts_page;
        requests(&database.harvest(&mut HadalPolicy::new(&context()), 1_350, 2_000))
    };
    assert!(cost(true) <= cost(false), "{} {}", cost(true), cost(false));
}

#[test]
fn the_same_history_leads_to_the_same_choice() {
    let database = capped(30);
    let mut first = HadalPolicy::new(&context());
    let mut second = HadalPolicy::new(&context());
    let sent = database.harvest(&mut first, usize::MAX, 60);
    assert_eq!(sent, database.harvest(&mut second, usize::MAX, 60));
    assert_eq!(first.choose(&database.costs()), second.choose(&database.costs()));
    assert_eq!(first.choose(&database.costs()), first.choose(&database.costs()));
    assert_eq!(first.top_queries(&database.costs(), 1)[0].0, first.choose(&database.costs()).unwrap());
}

#[test]
fn word_classes_that_are_not_indexed_are_given_up() {
    let english = Language::of(Some("en"));
    let stop =
        ["the", "of", "and", "in", "to", "for", "is", "on", "that", "by", "this", "with", "from", "at", "it"];
    let text = |at: usize| format!("{} w{} w{} {}", stop.join(" "), at % 40, at % 7, at);
    let texts = (0..400).map(|at| (text(at), text(at))).collect();
    let database = TestDatabase::of(texts).without(|word| english.is_stop(word));
    let sent = database.harvest(&mut HadalPolicy::new(&context()), 380, 100);
    let empty = sent.iter().filter(|(word, ..)| english.is_stop(word)).count();
    assert!(records(&sent) >= 380 && empty <= 6, "{empty} empty answers");
}

#[test]
fn numbers_that_records_show_and_the_form_does_not_index_are_given_up() {
    // Every record shows its size, as in "boat 417 bytes".
    let text = |at: usize| format!("w{} w{} x{at} {}", at % 41, 41 + at * 7 % 89, 100 + at * 13 % 60);
    let texts = (0..900).map(|at| (String::new(), text(at))).collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut database = TestDatabase::of(texts).without(is_number);
    database.states_totals = true;
    let first = PolicyContext { first_words: vec!["w1".into()], ..PolicyContext::default() };
    let sent = database.harvest(&mut HadalPolicy::new(&first), 700, 400);
    let numbers = sent.iter().filter(|(word, ..)| is_number(word)).count();
    assert!(records(&sent) >= 700 && numbers <= 6, "{numbers} numbers of {}", sent.len());
}

#[test]
fn each_stem_is_asked_once_where_the_form_matches_stems() {
    let roots = ["boat", "sail", "mast", "anchor", "storm", "island", "captain", "deck", "wave", "harbor"];
    let endings = ["", "s", "ed", "ing"];
    let text = |at: usize| {
        let word = |step: usize| format!("{}{}", roots[at / step % 10], endings[at / (2 * step + 1) % 4]);
        [word(1), word(10), word(100), format!("n{at}")].join(" ")
    };
    let texts = (0..900).map(|at| (String::new(), text(at))).collect();
    let database = TestDatabase::of(texts).stemmed();
    let first = PolicyContext {
        first_words: vec!["boats".into()],
        language: Some("en".into()),
        ..PolicyContext::default()
    };
    let mut policy = HadalPolicy::new(&first);
    let sent = database.harvest(&mut policy, 900, 200);
    let english = Language::of(Some("en"));
    let words: std::collections::BTreeSet<&str> = sent.iter().map(|(words, ..)| words.as_str()).collect();
    let stems: std::collections::BTreeSet<String> = words.iter().map(|word| english.stem(word)).collect();
    assert_eq!((records(&sent), stems.len()), (900, words.len()), "{words:?}");
}

#[test]
fn conjunctive_queries_reach_records_behind_broad_words() {
    // 16 x 16 x 8 records of three words each, and a cap of 20: one word matches 128 records or more.
    let all = (0..2_048).map(|at| format!("a{} b{} c{}", at % 16, at / 16 % 16, at / 256));
    let mut database = TestDatabase::of(all.map(|text| (String::new(), text)).collect());
    database.cap = 20;
    let first = PolicyContext { first_words: vec!["a3".into()], ..PolicyContext::default() };
    let sent = database.harvest(&mut HadalPolicy::new(&first), 1_800, 2_000);
    assert!(records(&sent) >= 1_800, "{} records with {} queries", records(&sent), sent.len());
    assert!(sent.iter().any(|(words, ..)| words.contains(' ')));
}

#[test]
fn a_form_that_returns_nothing_is_given_up() {
    let database = TestDatabase::of(Vec::new());
    let sent = database.harvest(&mut HadalPolicy::new(&context()), 1, 10_000);
    assert!(sent.len() < 1_000);
}

#[test]
fn a_form_that_always_shows_one_record_is_given_up() {
    let mut policy = HadalPolicy::new(&context());
    let costs = TestDatabase::of(Vec::new()).costs();
    let hit =
        Hit { id: RecordId(1), is_new: false, title: "welcome", text: "welcome to our shop", fields: &[] };
    for _ in 0..2_000 {
        let Some(query) = policy.choose(&costs) else { return };
        policy.learn(&QueryOutcome {
            query: &query,
            hits: &[hit],
            total: None,
            pages: 1,
            end: ReadingEnd::LastPage,
        });
    }
    panic!("queries never end");
}

#[test]
fn an_answer_without_new_records_is_paused() {
    let database = capped(usize::MAX);
    let mut policy = HadalPolicy::new(&context());
    database.harvest(&mut policy, 300, 5);
    let costs = database.costs();
    let query = policy.choose(&costs).unwrap();
    let hits = |is_new, count: u64| -> Vec<Hit<'static>> {
        (0..count).map(|id| Hit { id: RecordId(id), is_new, title: "", text: "", fields: &[] }).collect()
    };
    let wants_next_page = |hits: &[Hit<'_>]| {
        policy.wants_next_page(
            &QueryOutcome { query: &query, hits, total: None, pages: 1, end: ReadingEnd::Paused },
            &costs,
        )
    };
    assert!(wants_next_page(&hits(true, 200)));
    assert!(!wants_next_page(&hits(false, 2_000)));
}

#[test]
fn failures_and_odd_queries_do_not_stop_it() {
    let mut database = capped(30);
    database.fails_every = 3;
    let context = PolicyContext {
        first_words: vec!["  ".into(), "w1 w2 \u{6d77}".into(), "w1".into()],
        ..PolicyContext::default()
    };
    let sent = database.harvest(&mut HadalPolicy::new(&context), 1_000, 1_000);
    assert!(records(&sent) >= 1_000);
}

#[test]
fn paused_answers_are_continued() {
    let mut database = capped(100);
    database.states_totals = true;
    let mut policy = HadalPolicy::new(&context());
    let sent = database.harvest(&mut policy, 1_350, 2_000);
    let words: std::collections::BTreeSet<&str> = sent.iter().map(|(words, ..)| words.as_str()).collect();
    assert!(records(&sent) >= 1_350 && words.len() < sent.len(), "{} of {}", words.len(), sent.len());
}

#[test]
fn totals_of_several_words_are_read_before_a_long_answer() {
    let text = |at: usize| match at {
        200..210 => "rare half most".to_string(),
        _ => {
            [("half", at < 500), ("most", at >= 100)].map(|(word, has)| if has { word } else { "" }).join(" ")
        }
    };
    let mut database = TestDatabase::of((0..1_000).map(|at| (String::new(), text(at))).collect());
    database.states_totals = true;
    let first = PolicyContext { first_words: vec!["rare".into()], ..PolicyContext::default() };
    let sent = database.harvest(&mut HadalPolicy::new(&first), 900, 20);
    let longest = sent.iter().max_by_key(|(_, new, _)| *new).map(|(words, ..)| words.as_str());
    assert_eq!(longest, Some("most"), "{sent:?}");
}

#[test]
fn a_dropped_continuation_is_not_chosen_again() {
    let mut database = capped(100);
    database.states_totals = true;
    let mut policy = HadalPolicy::new(&context());
    let costs = database.costs();
    for answers in 1..=200 {
        database.harvest(&mut policy, usize::MAX, 1);
        while let Some(query) = policy.choose(&costs).filter(|query| query.after > 0) {
            policy.drop_continuation(&query);
            assert_ne!(policy.choose(&costs), Some(query), "after {answers} answers");
        }
    }
}
