//! What the web outside of a topic looks like: rows of ordinary search forms and pages.
//!
//! A topic with five examples needs something to differ from. The rows are numbers only; they are kept small
//! by knowing no word that the domain judge does not know, and by coarse weights.

use super::topic_features::TopicFeatures;
use crate::learn::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};

/// Rows of forms and pages about all sorts of things.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Background {
    forms: Vec<PackedFeatures>,
    pages: Vec<PackedFeatures>,
}

/// Numbers of words as gaps, and their weights in 255ths of the row's largest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct PackedFeatures {
    largest: f32,
    gaps: Vec<u16>,
    weights: Vec<u8>,
}

impl Background {
    /// Keeps rows of forms and pages, as far as the vocabulary knows their words.
    pub fn of(forms: &[TopicFeatures], pages: &[TopicFeatures], vocabulary: &Vocabulary) -> Background {
        let pack =
            |rows: &[TopicFeatures]| rows.iter().map(|row| PackedFeatures::pack(row, vocabulary)).collect();
        Background { forms: pack(forms), pages: pack(pages) }
    }

    /// The forms' rows.
    pub fn forms(&self, vocabulary: &Vocabulary) -> Vec<TopicFeatures> {
        unpack(&self.forms, vocabulary)
    }

    /// The pages' rows.
    pub fn pages(&self, vocabulary: &Vocabulary) -> Vec<TopicFeatures> {
        unpack(&self.pages, vocabulary)
    }
}

fn unpack(rows: &[PackedFeatures], vocabulary: &Vocabulary) -> Vec<TopicFeatures> {
    let hashes = vocabulary.hashes();
    rows.iter().map(|row| row.unpack(&hashes)).collect()
}

impl PackedFeatures {
    fn pack(words: &[(u32, f32)], vocabulary: &Vocabulary) -> PackedFeatures {
        let known = words.iter().filter_map(|(hash, weight)| Some((vocabulary.number(*hash)?, *weight)));
        let mut known: Vec<(u32, f32)> = known.collect();
        known.sort_unstable_by_key(|(number, _)| *number);
        let largest = known.iter().fold(0.0f32, |most, (_, weight)| most.max(*weight));
        let mut row = PackedFeatures { largest, ..PackedFeatures::default() };
        let mut last = 0;
        for (number, weight) in known {
            // A gap too wide for its number is rare: the word is left out.
            let Ok(gap) = u16::try_from(number - last) else { continue };
            row.gaps.push(gap);
            row.weights.push((weight / largest * 255.0).round() as u8);
            last = number;
        }
        row
    }

    fn unpack(&self, hashes: &[u32]) -> TopicFeatures {
        let mut number = 0usize;
        let mut words = Vec::with_capacity(self.gaps.len());
        for (gap, weight) in self.gaps.iter().zip(&self.weights) {
            number += usize::from(*gap);
            if let Some(hash) = hashes.get(number) {
                words.push((*hash, f32::from(*weight) / 255.0 * self.largest));
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_far_as_their_words_are_known() {
        let row: TopicFeatures = vec![(5, 1.0), (80, 0.5), (4_000_000_000, 0.25)];
        let vocabulary = Vocabulary::of([&row[..2], &[(9, 1.0)]].into_iter(), 1);
        let background = Background::of(&[row], &[], &vocabulary);
        let found = background.forms(&vocabulary);
        assert_eq!(found[0].iter().map(|(hash, _)| *hash).collect::<Vec<_>>(), [5, 80]);
        assert!((found[0][1].1 - 0.5).abs() < 0.01);
        assert!(background.pages(&vocabulary).is_empty());
    }
}
