//! Learns a topic from samples, and extracts its strongest words.

use super::model::{StrongestWords, TopicModel};
use super::sample::Sample;
use hadal_core::critic::classifiers::{Classifiers, TopicEstimate};
use hadal_core::critic::learned::{LearnedTopic, TopicExamples};
use hadal_core::critic::topic_features::{
    TopicFeatures, concept_feature_name, each_named_feature, text_topic_features,
};
use hadal_core::html::parse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use url::Url;

/// Probability of the topic for a feature row.
type Judge<'a> = dyn Fn(&[(u32, f32)]) -> f32 + 'a;

/// Words shown per topic. Guess.
const SHOWN: usize = 30;

/// Learns a topic against the background. Without samples only its words are used.
pub fn learn(relevant: &[Sample], others: &[Sample], words: &str) -> TopicModel {
    let material = material(relevant, others, words);
    let learned = Classifiers::current().learn_topic(&material);
    with_words(learned, &material, relevant)
}

/// Learns a topic that extends a built-in domain.
pub fn extend(domain: usize, relevant: &[Sample], others: &[Sample], words: &str) -> TopicModel {
    let material = material(relevant, others, words);
    let learned = Classifiers::current().learn_topic_within(&material, Some(domain));
    with_words(learned, &material, relevant)
}

/// Cross-validated estimate of the topic that [`learn`] returns.
pub fn estimate(relevant: &[Sample], others: &[Sample], words: &str) -> TopicEstimate {
    Classifiers::current().estimate_topic(&material(relevant, others, words))
}

fn material(relevant: &[Sample], others: &[Sample], words: &str) -> TopicExamples {
    TopicExamples {
        forms: relevant.iter().map(Sample::form_row).collect(),
        pages: relevant.iter().map(Sample::page_row).filter(|row| !row.is_empty()).collect(),
        other_forms: others.iter().map(Sample::form_row).collect(),
        words: words.to_string(),
    }
}

fn with_words(learned: LearnedTopic, material: &TopicExamples, relevant: &[Sample]) -> TopicModel {
    let names = names(relevant, &material.words);
    let spoken = text_topic_features(&material.words);
    let strongest_words = |rows: &[TopicFeatures], p: &Judge<'_>| {
        let known: BTreeSet<u32> = rows.iter().flatten().chain(&spoken).map(|(hash, _)| *hash).collect();
        strongest(known.into_iter(), &names, p)
    };
    let strongest_words = StrongestWords {
        forms: strongest_words(&material.forms, &|row| learned.p_form(row)),
        pages: strongest_words(&material.pages, &|row| learned.p_page(row)),
    };
    TopicModel { learned, strongest_words }
}

/// Words with the largest contribution when they occur alone.
fn strongest(
    known: impl Iterator<Item = u32>,
    names: &HashMap<u32, String>,
    p: &Judge<'_>,
) -> Vec<(String, f32)> {
    let nothing = log_odds(p(&[]));
    let named = known.filter_map(|hash| {
        let name = concept_feature_name(hash).or_else(|| names.get(&hash).cloned())?;
        Some((name, log_odds(p(&[(hash, 1.0)])) - nothing))
    });
    let mut words: Vec<(String, f32)> = named.filter(|(_, weight)| *weight > 0.0).collect();
    words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    words.truncate(SHOWN);
    words
}

fn log_odds(p: f32) -> f32 {
    let p = f64::from(p).clamp(1e-9, 1.0 - 1e-9);
    (p / (1.0 - p)).ln() as f32
}

/// Most frequent word of each feature; ties are broken alphabetically.
pub fn names(samples: &[Sample], words: &str) -> HashMap<u32, String> {
    let mut counts: HashMap<u32, BTreeMap<String, u32>> = HashMap::new();
    let mut count = |hash: u32, word: &str| {
        *counts.entry(hash).or_default().entry(word.to_lowercase()).or_default() += 1;
    };
    for sample in samples {
        each_named_feature(Some(&sample.form), &sample.page, &mut count);
    }
    let nowhere = Url::parse("about:blank").expect("a valid address");
    let mut spoken = parse(b"", None, &nowhere);
    spoken.title = words.to_string();
    each_named_feature(None, &spoken, &mut count);
    let commonest = |words: BTreeMap<String, u32>| words.into_iter().rev().max_by_key(|(_, count)| *count);
    counts.into_iter().filter_map(|(hash, words)| Some((hash, commonest(words)?.0))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(site: &str, html: &str) -> Sample {
        let url = Url::parse(&format!("http://{site}.example/")).unwrap();
        Sample::of(site, parse(html.as_bytes(), Some("text/html"), &url), None).unwrap()
    }

    fn volcanoes() -> Vec<Sample> {
        ["Volcano name", "Eruption year", "Volcanoes by magma", "Crater, lava, eruption"]
            .iter()
            .enumerate()
            .map(|(n, label)| {
                sample(
                    &format!("site{n}"),
                    &format!(
                        "<title>Volcano database {n}</title><p>Eruptions, lava and magma of volcanoes.</p>
                        <form action=/find>{label} <input name=q> <button>Search</button></form>"
                    ),
                )
            })
            .collect()
    }

    #[test]
    fn learned_words_and_scores_fit_the_examples() {
        let model = learn(&volcanoes(), &[], "");
        let first: Vec<&str> = model.strongest_words.words().take(8).collect();
        assert!(first.iter().any(|word| word.starts_with("volcano")), "{:?}", model.strongest_words);
        assert!(
            model.strongest_words.pages.iter().any(|(word, _)| word.starts_with("erupt")),
            "{:?}",
            model.strongest_words
        );
        let (of, other) = (
            &volcanoes()[0],
            sample("jobs", "<h1>Jobs</h1><form>Job title <input name=q><button>Search</button></form>"),
        );
        assert!(model.learned.p_form(&of.form_row()) > model.learned.p_form(&other.form_row()));
    }

    #[test]
    fn words_alone_are_shown_too() {
        let model = learn(&[], &[], "volcano eruption");
        assert_eq!(model.learned.examples, 0);
        assert!(model.strongest_words.words().any(|word| word == "volcano"), "{:?}", model.strongest_words);
    }
}
