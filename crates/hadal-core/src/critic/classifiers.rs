//! Trained classifiers that ship with the program, and the format of model files.
//!
//! A model file consists of an 8-byte magic number, a format version (u16), an xxh3 checksum of the body (u64),
//! both little-endian, and the body in postcard encoding. The header is checked before the body is decoded.

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
    decode(include_bytes!("../../models/classifiers.bin")).expect("a test decodes the shipped file")
});

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

    /// Trains a topic of the user against the shipped background.
    pub fn learn_topic(&self, examples: &TopicExamples) -> LearnedTopic {
        let vocabulary = self.domains.vocabulary();
        let (forms, pages) = (self.background.forms(vocabulary), self.background.pages(vocabulary));
        LearnedTopic::train(examples, &forms, &pages)
    }
}

const MAGIC: &[u8; 8] = b"hadal\0md";

/// Format version. Increase it when the stored types or the hashed features change.
const FORMAT: u16 = 1;

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
