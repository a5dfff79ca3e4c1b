//! Topic of the user, trained on a few positive examples and the unlabelled [`super::background`].
//!
//! The background may contain forms of the topic. A first model finds them, and the second model is trained
//! without them (learning from positive and unlabelled examples, Liu et al. 2002). P = 0.5 lies between the background
//! and the positive examples, each judged by a model trained without it.

use super::topic_features::{TopicFeatures, text_topic_features};
use crate::learn::logistic::{Logistic, LogisticOptions};
use crate::learn::platt::PlattScaling;
use crate::learn::sparse::SparseRow;
use crate::learn::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};

/// Estimates P(topic) of forms and pages for a topic of the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedTopic {
    forms: BinaryTopicModel,
    pages: BinaryTopicModel,
    /// Number of example forms. With 0 the topic was trained on words only.
    pub examples: u32,
    /// Built-in domain that supports the topic, as an index into [`super::domain::DOMAINS`].
    pub related: Option<u8>,
}

/// Weight of the built-in domain in the log-odds of a topic that resembles one; the topic's own model has the
/// rest. Topics of eleven domains from five examples each, precision / recall on other sites, measured
/// outside the project: 0.94 / 0.60 with 0.5, 0.96 / 0.66 with 0.7, 0.97 / 0.82 with 0.85, 0.94 / 0.86 with
/// 1; 0.84 / 0.48 with 0.
const DOMAIN_WEIGHT: f32 = 0.85;

/// Training data of a topic.
#[derive(Clone, Debug, Default)]
pub struct TopicExamples {
    /// Features of example forms, with their pages.
    pub forms: Vec<TopicFeatures>,
    /// Features of example pages.
    pub pages: Vec<TopicFeatures>,
    /// Features of forms that are known not to be of the topic.
    pub other_forms: Vec<TopicFeatures>,
    /// Words that describe the topic.
    pub words: String,
}

impl LearnedTopic {
    /// Trains a topic. `forms` and `pages` are the background.
    pub fn train(examples: &TopicExamples, forms: &[TopicFeatures], pages: &[TopicFeatures]) -> LearnedTopic {
        let hints = word_rows(&examples.words);
        let or_words = |given: &[TopicFeatures]| -> Vec<TopicFeatures> {
            // Words serve as examples only if there are no others.
            let words = if given.is_empty() { hints.as_slice() } else { &[] };
            given.iter().chain(words).cloned().collect()
        };
        LearnedTopic {
            forms: BinaryTopicModel::train(&or_words(&examples.forms), &examples.other_forms, forms, &hints),
            pages: BinaryTopicModel::train(&or_words(&examples.pages), &[], pages, &hints),
            examples: examples.forms.len() as u32,
            related: None,
        }
    }

    /// The topic, supported by a built-in domain or by none.
    pub fn with_domain(self, domain: Option<usize>) -> LearnedTopic {
        LearnedTopic { related: domain.and_then(|domain| u8::try_from(domain).ok()), ..self }
    }

    /// Combines P(topic) by the own model with P(domain) of the supporting domain: a weighted mean of the log-odds.
    pub fn supported(&self, own: f32, p_domain: impl FnOnce(usize) -> f32) -> f32 {
        let Some(domain) = self.related else { return own };
        let odds =
            (1.0 - DOMAIN_WEIGHT) * log_odds(own) + DOMAIN_WEIGHT * log_odds(p_domain(usize::from(domain)));
        PlattScaling::IDENTITY.probability(odds)
    }

    /// P(topic) of a search form.
    pub fn p_form(&self, features: &[(u32, f32)]) -> f32 {
        self.forms.probability(features)
    }

    /// P(topic) of a page.
    pub fn p_page(&self, features: &[(u32, f32)]) -> f32 {
        self.pages.probability(features)
    }

    /// Weight of a feature in the model for forms.
    pub fn weight(&self, hash: u32) -> f32 {
        self.forms.weight(hash)
    }
}

impl TopicExamples {
    /// All examples but one form and its page.
    pub(super) fn without(&self, form: usize) -> TopicExamples {
        let mut kept = self.clone();
        kept.forms.remove(form);
        if self.pages.len() == self.forms.len() {
            kept.pages.remove(form);
        }
        kept
    }
}

fn log_odds(p: f32) -> f32 {
    let p = p.clamp(1e-4, 1.0 - 1e-4);
    (p / (1.0 - p)).ln()
}

/// Features of each word, and of all words together.
fn word_rows(words: &str) -> Vec<TopicFeatures> {
    let all = text_topic_features(words);
    let single = words.split_whitespace().map(text_topic_features).filter(|row| !row.is_empty());
    let mut rows: Vec<TopicFeatures> = single.collect();
    if rows.len() > 1 {
        rows.push(all);
    }
    rows
}

/// Calibrated logistic regression: topic or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct BinaryTopicModel {
    vocabulary: Vocabulary,
    model: Logistic,
    sigmoid: PlattScaling,
}

/// L2 penalty. Chosen by hand on the figures of `hadal eval forms` for topics from five examples.
const L2: f64 = 0.1;

impl BinaryTopicModel {
    fn train(
        positives: &[TopicFeatures],
        negatives: &[TopicFeatures],
        background: &[TopicFeatures],
        hints: &[TopicFeatures],
    ) -> BinaryTopicModel {
        // From four examples on, a feature must occur in two of them. Guess.
        let rows_needed = if positives.len() >= 4 { 2 } else { 1 };
        let hinted = Vocabulary::of(hints.iter().map(Vec::as_slice), 1).hashes();
        let shared = Vocabulary::of(positives.iter().map(Vec::as_slice), rows_needed).hashes();
        // With real examples, frequent background features are used too, as evidence against the topic: those
        // in 1 % of the background rows, at least three. Guess.
        let is_words_only = positives == hints;
        let usual = match is_words_only {
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
        let sigmoid = match is_words_only {
            true => calibrate(&positives, &hints, &others),
            false => separate(&positives, &hints, &others),
        };
        BinaryTopicModel { model: fit(&positives, &hints, &others), sigmoid, vocabulary }
    }

    fn probability(&self, features: &[(u32, f32)]) -> f32 {
        self.sigmoid.probability(self.model.margin(&self.vocabulary.row(features)))
    }

    fn weight(&self, hash: u32) -> f32 {
        let number = self.vocabulary.number(hash);
        number.and_then(|number| self.model.weights().get(number as usize)).copied().unwrap_or_default()
    }
}

/// Trains on positives, hints (words of the topic) and negatives. All positives together have a third of the weight
/// of the negatives. A hint has a tenth of the weight of a positive. Both factors are guesses.
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

/// Share of the negatives below the upper end of their margins. Chosen with [`THRESHOLD`].
const NEGATIVES_BELOW: f64 = 0.99;

/// Position of the threshold between the upper end of the negatives (0) and the median of left-out positives
/// (1). Chosen on one fold of topics with five examples: 0.3 gave the highest recall at a precision above 0.9
/// there.
const THRESHOLD: f32 = 0.3;

/// Sigmoid with P = 0.5 between the negatives and left-out positives. It is not fitted, because with five
/// positives one outlier would move a fitted threshold above all others.
fn separate(positives: &[SparseRow], hints: &[SparseRow], others: &[SparseRow]) -> PlattScaling {
    let left_out = sorted_margins(left_out_margins(positives, hints, others));
    let model = fit(positives, hints, others);
    let negative = sorted_margins(others.iter().map(|row| model.margin(row)).collect());
    let (Some(&typical), false) = (left_out.get(left_out.len() / 2), negative.is_empty()) else {
        return PlattScaling::IDENTITY;
    };
    let upper = negative[((negative.len() - 1) as f64 * NEGATIVES_BELOW) as usize];
    let gap = (typical - upper).max(MIN_GAP);
    let slope = TYPICAL_LOG_ODDS / ((1.0 - THRESHOLD) * gap);
    PlattScaling { slope, intercept: -slope * (upper + THRESHOLD * gap) }
}

/// Log-odds of a typical positive: P = 0.9. Guess.
const TYPICAL_LOG_ODDS: f32 = 2.2;

/// Least distance between negatives and positives, for examples that do not resemble each other. Guess.
const MIN_GAP: f32 = 0.5;

fn sorted_margins(mut margins: Vec<f32>) -> Vec<f32> {
    margins.sort_by(f32::total_cmp);
    margins
}

/// Margin of each of the first 20 positives (guess; saves time) under a model trained without it.
fn left_out_margins(positives: &[SparseRow], hints: &[SparseRow], others: &[SparseRow]) -> Vec<f32> {
    let kept = |out: usize| -> Vec<SparseRow> {
        positives.iter().enumerate().filter(|(at, _)| *at != out).map(|(_, row)| row.clone()).collect()
    };
    (0..positives.len().min(20)).map(|out| fit(&kept(out), hints, others).margin(&positives[out])).collect()
}

/// Fits the calibration on margins of positives that were left out of training, and of negatives.
fn calibrate(positives: &[SparseRow], hints: &[SparseRow], others: &[SparseRow]) -> PlattScaling {
    let mut margins = left_out_margins(positives, hints, others);
    let mut labels = vec![true; margins.len()];
    let model = fit(positives, hints, others);
    // About three negatives per positive. Guess.
    let step = (others.len() / (3 * labels.len()).max(1)).max(1);
    for row in others.iter().step_by(step) {
        margins.push(model.margin(row));
        labels.push(false);
    }
    let sigmoid = PlattScaling::fit(&margins, &labels);
    // Examples that do not resemble each other yield no usable slope. The limit of 0.2 is a guess.
    if sigmoid.slope > 0.2 { sigmoid } else { PlattScaling::IDENTITY }
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
        let examples = TopicExamples {
            forms: rows(&[
                "recipe ingredient cuisine",
                "search recipes by ingredient",
                "cuisine diet recipe",
            ]),
            ..TopicExamples::default()
        };
        let topic = LearnedTopic::train(&examples, &background, &background);
        assert!(topic.p_form(&text_topic_features("recipes with ingredients")) > 0.5);
        assert!(topic.p_form(&text_topic_features("hotel room")) < 0.5);
        assert!(topic.weight(text_topic_features("recipe")[0].0) > 0.0);
    }

    #[test]
    fn a_supporting_domain_outweighs_a_doubtful_model_of_few_examples() {
        let topic = LearnedTopic::train(&TopicExamples::default(), &[], &[]).with_domain(Some(2));
        assert!(topic.supported(0.1, |_| 0.9) > 0.7 && topic.supported(0.9, |_| 0.1) < 0.3);
        assert_eq!(topic.with_domain(None).supported(0.1, |_| 0.9), 0.1);
    }

    #[test]
    fn words_alone_match_other_languages() {
        let background = rows(&["hotel room guests", "find flights", "search this site", "cars make model"]);
        let examples = TopicExamples { words: "book author".into(), ..TopicExamples::default() };
        let topic = LearnedTopic::train(&examples, &background, &background);
        assert_eq!(topic.examples, 0);
        assert!(
            topic.p_form(&text_topic_features("книги")) > topic.p_form(&text_topic_features("hotel room"))
        );
    }

    #[test]
    fn a_topic_without_examples_gives_finite_probabilities() {
        let topic = LearnedTopic::train(&TopicExamples::default(), &[], &[]);
        assert!(topic.p_form(&text_topic_features("anything")).is_finite());
    }
}
