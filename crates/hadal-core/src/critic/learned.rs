//! A topic learned from a few examples, against the background of the ordinary web.
//!
//! The background may hold forms of the very topic:
//! those that a first model takes for it are set aside before the second one is trained (Liu et al. 2002,
//! learning from positive and unlabelled examples). How sure to be is found out by leaving each example out.

use super::topic_features::{TopicFeatures, text_topic_features};
use crate::learn::logistic::{Logistic, LogisticOptions};
use crate::learn::platt::Sigmoid;
use crate::learn::sparse::SparseRow;
use crate::learn::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};

/// Judges forms and pages of one learned topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedTopic {
    forms: BinaryTopicModel,
    pages: BinaryTopicModel,
    /// Example forms it was made from; with none it knows words only.
    pub examples: u32,
}

/// What a topic is learned from.
#[derive(Clone, Debug, Default)]
pub struct TopicExamples {
    /// Rows of example forms, with their pages.
    pub forms: Vec<TopicFeatures>,
    /// Rows of example pages.
    pub pages: Vec<TopicFeatures>,
    /// Rows of forms that are known not to be of the topic.
    pub other_forms: Vec<TopicFeatures>,
    /// Words that describe it.
    pub words: String,
}

impl LearnedTopic {
    /// Learns a topic; `forms` and `pages` are the background.
    pub fn train(material: &TopicExamples, forms: &[TopicFeatures], pages: &[TopicFeatures]) -> LearnedTopic {
        let described = described(&material.words);
        let of = |examples: &[TopicFeatures]| -> Vec<TopicFeatures> {
            // Words alone are an example of their own only when there is nothing better.
            let spoken = if examples.is_empty() { described.as_slice() } else { &[] };
            examples.iter().chain(spoken).cloned().collect()
        };
        LearnedTopic {
            forms: BinaryTopicModel::train(&of(&material.forms), &material.other_forms, forms, &described),
            pages: BinaryTopicModel::train(&of(&material.pages), &[], pages, &described),
            examples: material.forms.len() as u32,
        }
    }

    /// P(topic) of a search form.
    pub fn p_form(&self, words: &[(u32, f32)]) -> f32 {
        self.forms.probability(words)
    }

    /// P(topic) of a page.
    pub fn p_page(&self, words: &[(u32, f32)]) -> f32 {
        self.pages.probability(words)
    }

    /// What a word says for the topic, in a form or on a page.
    pub fn weight(&self, hash: u32) -> f32 {
        self.forms.weight(hash)
    }
}

/// One row per word, and one of all words together.
fn described(words: &str) -> Vec<TopicFeatures> {
    let all = text_topic_features(words);
    let single = words.split_whitespace().map(text_topic_features).filter(|row| !row.is_empty());
    let mut rows: Vec<TopicFeatures> = single.collect();
    if rows.len() > 1 {
        rows.push(all);
    }
    rows
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct BinaryTopicModel {
    vocabulary: Vocabulary,
    model: Logistic,
    sigmoid: Sigmoid,
}

const L2: f64 = 0.1;

impl BinaryTopicModel {
    fn train(
        positives: &[TopicFeatures],
        negatives: &[TopicFeatures],
        background: &[TopicFeatures],
        hints: &[TopicFeatures],
    ) -> BinaryTopicModel {
        let rows_needed = if positives.len() >= 4 { 2 } else { 1 };
        let hinted = Vocabulary::of(hints.iter().map(Vec::as_slice), 1).hashes();
        let shared = Vocabulary::of(positives.iter().map(Vec::as_slice), rows_needed).hashes();
        // What other forms are usually about speaks against a topic, once there are examples to compare.
        let usual = match positives == hints {
            true => Vec::new(),
            false => {
                Vocabulary::of(background.iter().map(Vec::as_slice), (background.len() as u32 / 100).max(3))
                    .hashes()
            }
        };
        let known: TopicFeatures =
            shared.into_iter().chain(hinted).chain(usual).map(|hash| (hash, 1.0)).collect();
        let vocabulary = Vocabulary::of([known.as_slice()].into_iter(), 1);
        let rows =
            |words: &[TopicFeatures]| -> Vec<SparseRow> { words.iter().map(|w| vocabulary.row(w)).collect() };
        let (positives, negatives, hints) = (rows(positives), rows(negatives), rows(hints));
        let first = fit(&positives, &hints, &rows(background));
        let mut others: Vec<SparseRow> =
            rows(background).into_iter().filter(|row| first.margin(row) < 0.0).collect();
        others.extend(negatives);
        let sigmoid = calibrate(&positives, &hints, &others);
        BinaryTopicModel { model: fit(&positives, &hints, &others), sigmoid, vocabulary }
    }

    fn probability(&self, words: &[(u32, f32)]) -> f32 {
        self.sigmoid.probability(self.model.margin(&self.vocabulary.row(words)))
    }

    fn weight(&self, hash: u32) -> f32 {
        let number = self.vocabulary.number(hash);
        number.and_then(|number| self.model.weights().get(number as usize)).copied().unwrap_or_default()
    }
}

/// Examples count together a third as much as the background, hints a tenth of an example each.
fn fit(positives: &[SparseRow], hints: &[SparseRow], others: &[SparseRow]) -> Logistic {
    let each = (others.len() as f32 / 3.0 / positives.len().max(1) as f32).max(1.0);
    let rows: Vec<SparseRow> = positives.iter().chain(hints).chain(others).cloned().collect();
    let labels: Vec<bool> = (0..rows.len()).map(|at| at < positives.len() + hints.len()).collect();
    let weights: Vec<f32> = std::iter::repeat_n(each, positives.len())
        .chain(std::iter::repeat_n(each * 0.1, hints.len()))
        .chain(std::iter::repeat_n(1.0, others.len()))
        .collect();
    Logistic::train(&rows, &labels, Some(&weights), &LogisticOptions { l2: L2, ..LogisticOptions::default() })
}

/// Margins of examples that were left out, against those of the background.
fn calibrate(positives: &[SparseRow], hints: &[SparseRow], others: &[SparseRow]) -> Sigmoid {
    let (mut margins, mut labels) = (Vec::new(), Vec::new());
    for out in 0..positives.len().min(20) {
        let kept: Vec<SparseRow> =
            positives.iter().enumerate().filter(|(at, _)| *at != out).map(|(_, row)| row.clone()).collect();
        margins.push(fit(&kept, hints, others).margin(&positives[out]));
        labels.push(true);
    }
    let model = fit(positives, hints, others);
    // Even odds of meeting the topic or not: what a focused crawl finds.
    let step = (others.len() / (3 * labels.len()).max(1)).max(1);
    for row in others.iter().step_by(step) {
        margins.push(model.margin(row));
        labels.push(false);
    }
    let sigmoid = Sigmoid::fit(&margins, &labels);
    // Examples that do not resemble each other teach nothing about how sure to be.
    if sigmoid.slope > 0.2 { sigmoid } else { Sigmoid::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(texts: &[&str]) -> Vec<TopicFeatures> {
        texts.iter().map(|text| text_topic_features(text)).collect()
    }

    #[test]
    fn a_few_examples_make_a_topic() {
        let background = rows(&[
            "search hotel room guests",
            "find flights from to",
            "search this site",
            "used cars make model",
            "job title salary city",
            "search products brand price",
        ]);
        let material = TopicExamples {
            forms: rows(&[
                "recipe ingredient cuisine",
                "search recipes by ingredient",
                "cuisine diet recipe",
            ]),
            ..TopicExamples::default()
        };
        let topic = LearnedTopic::train(&material, &background, &background);
        assert!(topic.p_form(&text_topic_features("recipes with ingredients")) > 0.5);
        assert!(topic.p_form(&text_topic_features("hotel room")) < 0.5);
        assert!(topic.weight(text_topic_features("recipe")[0].0) > 0.0);
    }

    #[test]
    fn words_alone_make_a_weaker_one_that_knows_other_languages() {
        let background = rows(&["hotel room guests", "find flights", "search this site", "cars make model"]);
        let material = TopicExamples { words: "book author".into(), ..TopicExamples::default() };
        let topic = LearnedTopic::train(&material, &background, &background);
        assert_eq!(topic.examples, 0);
        assert!(
            topic.p_form(&text_topic_features("книги")) > topic.p_form(&text_topic_features("hotel room"))
        );
    }

    #[test]
    fn nothing_at_all_makes_a_topic_of_nothing() {
        let topic = LearnedTopic::train(&TopicExamples::default(), &[], &[]);
        assert!(topic.p_form(&text_topic_features("anything")).is_finite());
    }
}
