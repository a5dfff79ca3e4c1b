//! Trained classifiers that ship with the program, and the format of model files.
//!
//! A model file consists of an 8-byte magic number, a format version (u16), an xxh3 checksum of the body (u64),
//! both little-endian, and the body in postcard encoding. The header is checked before the body is decoded.

use super::MIN_ACCEPTED_P;
use super::background::Background;
use super::domain::{DomainClassifier, OTHER};
use super::learned::{LearnedTopic, TopicExamples};
use super::page_topic::PageClassifier;
use super::quality::{ProportionInterval, wilson_interval};
use super::searchable::SearchableClassifier;
use super::topic_features::TopicFeatures;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::{LazyLock, OnceLock};
use xxhash_rust::xxh3::xxh3_64;

/// Name of the model file in a folder of models.
pub const FILE_NAME: &str = "classifiers.bin";

static SHIPPED: LazyLock<Classifiers> = LazyLock::new(|| {
    decode(include_bytes!("../../models/classifiers.bin")).expect("a test decodes the shipped file")
});

/// Classifiers that replace the shipped ones in this process.
static REPLACEMENT: OnceLock<Classifiers> = OnceLock::new();

/// All trained classifiers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Classifiers {
    /// Kind of a form.
    pub searchable: SearchableClassifier,
    /// Domain of a search form.
    pub domains: DomainClassifier,
    /// Domain of a page.
    pub pages: PageClassifier,
    /// Negative examples for topics of the user.
    pub background: Background,
    /// Words with the largest weights for each domain, in the order of [`super::domain::DOMAINS`].
    pub top_words: Vec<Vec<(String, f32)>>,
}

impl Classifiers {
    /// Classifiers that are compiled into the program.
    pub fn shipped() -> &'static Classifiers {
        &SHIPPED
    }

    /// Classifiers that judge in this process: the shipped ones, unless [`Classifiers::replace_shipped`] was called.
    pub fn current() -> &'static Classifiers {
        REPLACEMENT.get().unwrap_or_else(|| Classifiers::shipped())
    }

    /// Makes [`Classifiers::current`] return other classifiers. Called once, before anything is judged; later calls
    /// change nothing and return false.
    pub fn replace_shipped(classifiers: Classifiers) -> bool {
        REPLACEMENT.set(classifiers).is_ok()
    }

    /// Trains a topic of the user against the background. If the examples are of one built-in domain, its
    /// classifier supports the topic.
    pub fn learn_topic(&self, examples: &TopicExamples) -> LearnedTopic {
        self.learn_topic_within(examples, self.similar_domain(&examples.forms))
    }

    /// Trains a topic that is supported by a built-in domain, or by none.
    pub fn learn_topic_within(&self, examples: &TopicExamples, related: Option<usize>) -> LearnedTopic {
        let vocabulary = self.domains.vocabulary();
        let (forms, pages) = (self.background.forms(vocabulary), self.background.pages(vocabulary));
        LearnedTopic::train(examples, &forms, &pages).with_domain(related)
    }

    fn similar_domain(&self, forms: &[TopicFeatures]) -> Option<usize> {
        let judged: Vec<Vec<f32>> = forms.iter().map(|row| self.domains.classify_features(row)).collect();
        similar_domain(&judged)
    }

    /// P(topic) of a search form, for a topic of the user.
    pub fn p_form(&self, topic: &LearnedTopic, features: &[(u32, f32)]) -> f32 {
        topic.supported(topic.p_form(features), |domain| self.domains.classify_features(features)[domain])
    }

    /// P(topic) of a page, for a topic of the user.
    pub fn p_page(&self, topic: &LearnedTopic, features: &[(u32, f32)]) -> f32 {
        topic.supported(topic.p_page(features), |domain| self.pages.classify(features)[domain])
    }

    /// Cross-validated estimate of a topic: each example is judged by a topic learned from the others, and each half of
    /// the background by a topic learned with the other half.
    pub fn estimate_topic(&self, examples: &TopicExamples) -> TopicEstimate {
        let background = self.background.forms(self.domains.vocabulary());
        // Only forms are judged, so that the model for pages is not needed.
        let learn = |examples: TopicExamples, background: &[TopicFeatures]| {
            let related = self.similar_domain(&examples.forms);
            let examples = TopicExamples { pages: Vec::new(), ..examples };
            LearnedTopic::train(&examples, background, &[]).with_domain(related)
        };
        let is_claimed =
            |topic: &LearnedTopic, form: &TopicFeatures| self.p_form(topic, form) >= MIN_ACCEPTED_P;
        let recognised = (0..examples.forms.len())
            .filter(|&out| is_claimed(&learn(examples.without(out), &background), &examples.forms[out]));
        let claimed = (0..2).map(|half| {
            let (judged, others): (Vec<_>, Vec<_>) =
                background.iter().cloned().enumerate().partition(|(at, _)| at % 2 == half);
            let others: Vec<TopicFeatures> = others.into_iter().map(|(_, form)| form).collect();
            let topic = learn(examples.clone(), &others);
            judged.iter().filter(|(_, form)| is_claimed(&topic, form)).count() as u32
        });
        TopicEstimate {
            recognised: recognised.count() as u32,
            examples: examples.forms.len() as u32,
            claimed: claimed.sum(),
            background: background.len() as u32,
        }
    }
}

/// Built-in domain of example forms, by the mean of their probabilities in the order of [`super::domain::DOMAINS`].
pub fn similar_domain<P: AsRef<[f32]>>(judged: &[P]) -> Option<usize> {
    let mean =
        |domain: usize| judged.iter().map(|p| p.as_ref()[domain]).sum::<f32>() / judged.len().max(1) as f32;
    (0..OTHER).find(|&domain| mean(domain) >= MIN_RELATED)
}

/// Least mean P(domain) of the examples for a built-in domain to support a topic of the user. Guess.
const MIN_RELATED: f32 = 0.5;

/// Cross-validated estimate of the quality of a topic of the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicEstimate {
    /// Examples that a topic learned from the other examples recognises.
    pub recognised: u32,
    /// Number of example forms.
    pub examples: u32,
    /// Background forms that the topic claims. Some of them may be of the topic.
    pub claimed: u32,
    /// Number of background forms.
    pub background: u32,
}

impl TopicEstimate {
    /// Estimated recall. `None` without examples.
    pub fn recall(&self) -> Option<ProportionInterval> {
        wilson_interval(u64::from(self.recognised), u64::from(self.examples))
    }
}

const MAGIC: &[u8; 8] = b"hadal\0md";

/// Format version. Increase it when the stored types or the hashed features change.
const FORMAT: u16 = 2;

/// Reason why a model file is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The magic number is missing.
    #[error("not a model file")]
    NotAModel,
    /// The file was written by another version of the program.
    #[error("model file has format {found}, this program reads format {FORMAT}: train it again")]
    Format {
        /// Format version of the file.
        found: u16,
    },
    /// The checksum does not match, or the body does not decode.
    #[error("model file is damaged: fetch or train it again")]
    Damaged,
}

/// Encodes a model with its header.
pub fn encode<T: Serialize>(model: &T) -> Vec<u8> {
    let body = postcard::to_allocvec(model).expect("models contain only encodable types");
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend(xxh3_64(&body).to_le_bytes());
    bytes.extend(body);
    bytes
}

/// Checks the header and decodes a model.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ModelError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(ModelError::NotAModel)?;
    let (format, rest) = rest.split_first_chunk::<2>().ok_or(ModelError::Damaged)?;
    let found = u16::from_le_bytes(*format);
    if found != FORMAT {
        return Err(ModelError::Format { found });
    }
    let (sum, body) = rest.split_first_chunk::<8>().ok_or(ModelError::Damaged)?;
    if u64::from_le_bytes(*sum) != xxh3_64(body) {
        return Err(ModelError::Damaged);
    }
    postcard::from_bytes(body).map_err(|_| ModelError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critic::topic_features::text_topic_features;

    #[test]
    fn decoding_inverts_encoding() {
        assert_eq!(decode::<Vec<u32>>(&encode(&vec![1u32, 2, 3])), Ok(vec![1, 2, 3]));
    }

    #[test]
    fn other_and_damaged_files_are_rejected() {
        let mut bytes = encode(&vec![1u32, 2, 3]);
        assert_eq!(decode::<Vec<u32>>(b"GIF89a"), Err(ModelError::NotAModel));
        assert_eq!(decode::<Vec<u32>>(&bytes[..12]), Err(ModelError::Damaged));
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        assert_eq!(decode::<Vec<u32>>(&bytes), Err(ModelError::Damaged));
        bytes[8] = 200;
        assert_eq!(decode::<Vec<u32>>(&bytes), Err(ModelError::Format { found: 200 }));
    }

    fn book_examples() -> TopicExamples {
        let texts = [
            "title author isbn search books",
            "book title author publisher",
            "find books by author",
            "library catalogue author title isbn",
            "used books author title",
        ];
        let forms = texts.iter().map(|text| text_topic_features(text)).collect();
        TopicExamples { forms, ..TopicExamples::default() }
    }

    #[test]
    fn a_built_in_domain_supports_a_topic_of_its_own_forms() {
        let (classifiers, examples) = (Classifiers::shipped(), book_examples());
        let topic = classifiers.learn_topic(&examples);
        let p = |text: &str| classifiers.p_form(&topic, &text_topic_features(text));
        assert!(p("novels by author, publisher or isbn") > 0.5);
        assert!(p("hotel check in check out rooms guests") < 0.5);
        let estimate = classifiers.estimate_topic(&examples);
        assert!(estimate.recognised >= 4 && estimate.claimed * 4 < estimate.background, "{estimate:?}");
    }

    #[test]
    fn the_interval_of_an_estimate_is_wide_for_few_examples() {
        let estimate = TopicEstimate { recognised: 5, examples: 5, claimed: 3, background: 300 };
        let recall = estimate.recall().unwrap();
        assert!(recall.estimate == 1.0 && (0.5..0.6).contains(&recall.low) && recall.high == 1.0);
        assert_eq!(TopicEstimate::default().recall(), None);
    }

    #[test]
    fn the_shipped_file_is_current_and_small() {
        let bytes = include_bytes!("../../models/classifiers.bin");
        assert!(
            encode(Classifiers::shipped()) == bytes,
            "the shipped file differs from its encoded classifiers"
        );
        let words = include_bytes!("../../models/words-en.txt");
        assert!(bytes.len() + words.len() < 3_000_000, "{}", bytes.len());
    }
}
