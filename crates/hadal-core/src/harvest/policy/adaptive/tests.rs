//! Tests of the whole policy against a generated database.

use super::*;
use crate::harvest::policy::fixture::{TestDatabase, records};
use std::collections::BTreeSet;

fn adaptive(first: &str, options: AdaptiveOptions) -> AdaptivePolicy {
    let context = PolicyContext { first_words: vec![first.into()], ..PolicyContext::default() };
    AdaptivePolicy::new(&context, options)
}

#[test]
fn four_first_queries_lead_to_the_same_coverage_and_the_same_words() {
    let database = TestDatabase::generated(3_000, 1);
    let runs = ["w0", "w5", "s3x2", "w60"]
        .map(|first| database.harvest(&mut adaptive(first, AdaptiveOptions::default()), usize::MAX, 30));
    let covered = runs.each_ref().map(|sent| records(sent) as f64 / 3_000.0);
    let (low, high) =
        covered.iter().fold((1.0, 0.0), |(low, high): (f64, f64), at| (low.min(*at), high.max(*at)));
    assert!(low > 0.9 && high - low < 0.02, "{covered:?}");
    let words = runs.each_ref().map(|sent| sent.iter().map(|(word, ..)| word).collect::<BTreeSet<_>>());
    assert!(words.iter().all(|one| one.intersection(&words[0]).count() >= 25), "{words:?}");
}

#[test]
fn the_most_frequent_word_not_yet_asked_is_next() {
    let texts = ["sea deep", "sea deep blue", "sea deep", "sea cold"];
    let database = TestDatabase::of(texts.map(|text| (String::new(), text.to_string())).into());
    let sent = database.harvest(&mut adaptive("sea", AdaptiveOptions::default()), usize::MAX, 3);
    assert_eq!(sent.iter().map(|(word, ..)| word.as_str()).collect::<Vec<_>>(), ["sea", "deep", "blue"]);
}

#[test]
fn the_estimated_downloaded_share_is_below_twice_the_true_one() {
    let database = TestDatabase::generated(2_000, 2);
    let mut policy = adaptive("w3", AdaptiveOptions::default());
    let sent = database.harvest(&mut policy, 600, 50);
    let true_share = records(&sent) as f64 / 2_000.0;
    assert!((policy.downloaded_share() / true_share).abs() < 2.0 && policy.downloaded_share() < 1.0);
}

#[test]
fn every_option_covers_the_database() {
    let options = [
        AdaptiveOptions { estimator: FrequencyEstimator::Zipf, ..AdaptiveOptions::default() },
        AdaptiveOptions { cost: CostModel::NewRecords(CostWeights::default()), ..AdaptiveOptions::default() },
        AdaptiveOptions { corrects_cap: true, ..AdaptiveOptions::default() },
    ];
    for options in options {
        let mut database = TestDatabase::generated(1_000, 3);
        database.cap = 100;
        let sent = database.harvest(&mut adaptive("w2", options), 900, 400);
        assert!(records(&sent) >= 900, "{options:?}: {}", records(&sent));
    }
}

#[test]
fn equation_2_charges_for_new_records() {
    let new = CostModel::NewRecords(CostWeights::default());
    assert_eq!(CostModel::Constant.cost(0.5, 0.1), 1.0);
    assert_eq!(new.cost(0.5, 0.1), 100.0 + 50.0 + 1_000.0);
}

#[test]
fn a_failed_query_is_sent_again() {
    let mut database = TestDatabase::generated(500, 4);
    database.fails_every = 2;
    let sent = database.harvest(&mut adaptive("w1", AdaptiveOptions::default()), usize::MAX, 6);
    assert_eq!(sent[1].0, sent[2].0);
}
