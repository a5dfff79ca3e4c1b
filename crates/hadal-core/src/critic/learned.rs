//! Topic of the user, trained on a few positive examples and the unlabelled [`super::background`].
//!
//! [`super::binary_topic`] holds the model and its training.

use super::binary_topic::BinaryTopicModel;
use super::topic_features::{TopicFeatures, text_topic_features};
use crate::learn::platt::PlattScaling;
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
