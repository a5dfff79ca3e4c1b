//! Features of ordinary search forms and pages: negative examples for topics of the user.
//!
//! A user gives a few positive examples of a topic; training needs negative ones too. To save space, only
//! features in the vocabulary of the domain classifier are kept, and their weights have 8 bits.

use super::topic_features::TopicFeatures;
use crate::learn::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};

/// Features of forms and pages of all domains.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Background {
    forms: Vec<PackedFeatures>,
    pages: Vec<PackedFeatures>,
}

/// Features of one form or page: vocabulary numbers as differences, weights as fractions of the largest one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct PackedFeatures {
    largest: f32,
    gaps: Vec<u16>,
    weights: Vec<u8>,
}

impl Background {
    /// Packs the features of forms and pages. Features outside of the vocabulary are dropped.
    pub fn of(forms: &[TopicFeatures], pages: &[TopicFeatures], vocabulary: &Vocabulary) -> Background {
        let pack =
            |rows: &[TopicFeatures]| rows.iter().map(|row| PackedFeatures::pack(row, vocabulary)).collect();
        Background { forms: pack(forms), pages: pack(pages) }
    }

    /// Features of each form.
    pub fn forms(&self, vocabulary: &Vocabulary) -> Vec<TopicFeatures> {
        unpack(&self.forms, vocabulary)
    }

    /// Features of each page.
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
            // A difference above u16::MAX is rare. The feature is left out.
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
    fn known_features_survive_packing() {
        let row: TopicFeatures = vec![(5, 1.0), (80, 0.5), (4_000_000_000, 0.25)];
        let vocabulary = Vocabulary::of([&row[..2], &[(9, 1.0)]].into_iter(), 1);
        let background = Background::of(&[row], &[], &vocabulary);
        let found = background.forms(&vocabulary);
        assert_eq!(found[0].iter().map(|(hash, _)| *hash).collect::<Vec<_>>(), [5, 80]);
        assert!((found[0][1].1 - 0.5).abs() < 0.01);
        assert!(background.pages(&vocabulary).is_empty());
    }
}
