//! All trained judges together, as they are shipped, and the file they are kept in.
//!
//! The file says what it is, which format it has and what its bytes add up to before anything in it is
//! believed: an older, newer or damaged one is refused with a reason.

use super::background::Background;
use super::domain::DomainClassifier;
use super::learned::{LearnedTopic, TopicExamples};
use super::page_topic::PageClassifier;
use super::searchable::SearchableClassifier;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

static SHIPPED: LazyLock<Classifiers> = LazyLock::new(|| {
    decode(include_bytes!("../../models/classifiers.bin")).expect("a test reads the shipped judges")
});

/// The trained judges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Classifiers {
    /// What is a form for?
    pub searchable: SearchableClassifier,
    /// Which domain does it search?
    pub domains: DomainClassifier,
    /// Which domain is a page about?
    pub pages: PageClassifier,
    /// What the web outside of a topic looks like.
    pub background: Background,
    /// For each domain the words that tell it best, with their weights.
    pub top_words: Vec<Vec<(String, f32)>>,
}

impl Classifiers {
    /// The judges that come with the program.
    pub fn shipped() -> &'static Classifiers {
        &SHIPPED
    }

    /// Learns a topic of the user's own against the shipped background.
    pub fn learn_topic(&self, material: &TopicExamples) -> LearnedTopic {
        let vocabulary = self.domains.vocabulary();
        let (forms, pages) = (self.background.forms(vocabulary), self.background.pages(vocabulary));
        LearnedTopic::train(material, &forms, &pages)
    }
}

const MAGIC: &[u8; 8] = b"hadal\0md";

/// Raised whenever what is stored, or the words it is about, changes its meaning.
const FORMAT: u16 = 1;

/// Why a model file is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// It begins like something else.
    #[error("this is no model file")]
    NotAModel,
    /// Another version of the program wrote it.
    #[error("the model has format {found}, this program reads {FORMAT}: train it again")]
    Format {
        /// The format it has.
        found: u16,
    },
    /// Its bytes do not add up.
    #[error("the model file is damaged: fetch or train it again")]
    Damaged,
}

/// A model as bytes.
pub fn encode<T: Serialize>(model: &T) -> Vec<u8> {
    let body = postcard::to_allocvec(model).expect("models hold nothing that cannot be written");
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend(xxh3_64(&body).to_le_bytes());
    bytes.extend(body);
    bytes
}

/// A model from bytes.
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

    #[test]
    fn a_model_is_read_as_it_was_written() {
        assert_eq!(decode::<Vec<u32>>(&encode(&vec![1u32, 2, 3])), Ok(vec![1, 2, 3]));
    }

    #[test]
    fn a_model_that_is_none_is_refused_with_a_reason() {
        let mut bytes = encode(&vec![1u32, 2, 3]);
        assert_eq!(decode::<Vec<u32>>(b"GIF89a"), Err(ModelError::NotAModel));
        assert_eq!(decode::<Vec<u32>>(&bytes[..12]), Err(ModelError::Damaged));
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        assert_eq!(decode::<Vec<u32>>(&bytes), Err(ModelError::Damaged));
        bytes[8] = 200;
        assert_eq!(decode::<Vec<u32>>(&bytes), Err(ModelError::Format { found: 200 }));
    }

    #[test]
    fn the_shipped_judges_are_whole_and_small() {
        let bytes = include_bytes!("../../models/classifiers.bin");
        assert!(
            encode(Classifiers::shipped()) == bytes,
            "the shipped file is not what its judges are written as"
        );
        let words = include_bytes!("../../models/words-en.txt");
        assert!(bytes.len() + words.len() < 3_000_000, "{}", bytes.len());
    }
}
