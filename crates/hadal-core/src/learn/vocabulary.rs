//! Which features a model knows: hashes of names, numbered.
//!
//! Features come as 32-bit hashes of what they say, too many to keep a weight for each. A vocabulary keeps
//! those that several rows of the training data share; at judging time everything else is passed over.

use super::sparse::SparseRow;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// The features a model knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "HashGaps", into = "HashGaps")]
pub struct Vocabulary {
    numbers: FxHashMap<u32, u32>,
}

impl Vocabulary {
    /// The features that at least `rows_needed` of the rows have.
    pub fn of<'a>(rows: impl Iterator<Item = &'a [(u32, f32)]>, rows_needed: u32) -> Vocabulary {
        Vocabulary::shared(rows.enumerate(), rows_needed)
    }

    /// The features that rows of at least `groups_needed` groups have: what only one site says is its name,
    /// not a word to learn.
    pub fn shared<'a, G: Ord>(
        rows: impl Iterator<Item = (G, &'a [(u32, f32)])>,
        groups_needed: u32,
    ) -> Vocabulary {
        let mut rows: Vec<(G, &[(u32, f32)])> = rows.collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        for group in rows.chunk_by(|a, b| a.0 == b.0) {
            let said: FxHashSet<u32> =
                group.iter().flat_map(|(_, row)| *row).map(|(hash, _)| *hash).collect();
            said.into_iter().for_each(|hash| *counts.entry(hash).or_default() += 1);
        }
        let kept = counts.into_iter().filter(|(_, count)| *count >= groups_needed).map(|(hash, _)| hash);
        Vocabulary::numbered(kept.collect())
    }

    fn numbered(mut hashes: Vec<u32>) -> Vocabulary {
        hashes.sort_unstable();
        hashes.dedup();
        Vocabulary { numbers: hashes.into_iter().zip(0..).collect() }
    }

    /// The number of a feature.
    pub fn number(&self, hash: u32) -> Option<u32> {
        self.numbers.get(&hash).copied()
    }

    /// A row of the known features, of length 1. Each feature is to be given once.
    pub fn row(&self, features: &[(u32, f32)]) -> SparseRow {
        self.counts(features).normalised()
    }

    /// A row of the known features with their values as they are.
    pub fn counts(&self, features: &[(u32, f32)]) -> SparseRow {
        let known = features.iter().filter_map(|(hash, value)| Some((self.number(*hash)?, *value)));
        SparseRow::new(known.collect())
    }

    /// The features' hashes, by number.
    pub fn hashes(&self) -> Vec<u32> {
        let mut hashes: Vec<u32> = self.numbers.keys().copied().collect();
        hashes.sort_unstable();
        hashes
    }

    /// How many features are known.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// As it is stored: hashes in rising order, each as the distance from the one before.
#[derive(Clone, Serialize, Deserialize)]
struct HashGaps(Vec<u32>);

impl From<Vocabulary> for HashGaps {
    fn from(vocabulary: Vocabulary) -> HashGaps {
        let mut last = 0;
        HashGaps(
            vocabulary.hashes().into_iter().map(|hash| hash - std::mem::replace(&mut last, hash)).collect(),
        )
    }
}

impl From<HashGaps> for Vocabulary {
    fn from(HashGaps(gaps): HashGaps) -> Vocabulary {
        let sum = |last: &mut u32, gap: u32| {
            *last = last.wrapping_add(gap);
            Some(*last)
        };
        Vocabulary::numbered(gaps.into_iter().scan(0, sum).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [&[(u32, f32)]; 3] =
        [&[(7, 1.0), (900, 1.0)], &[(7, 3.0), (4_000_000_000, 4.0)], &[(900, 1.0)]];

    #[test]
    fn only_shared_features_are_known() {
        let vocabulary = Vocabulary::of(ROWS.into_iter(), 2);
        assert_eq!(vocabulary.len(), 2);
        assert_eq!((vocabulary.number(7), vocabulary.number(900)), (Some(0), Some(1)));
        assert_eq!(vocabulary.number(4_000_000_000), None);
        assert_eq!(vocabulary.row(ROWS[1]).items(), [(0, 1.0)]);
    }

    #[test]
    fn what_one_group_alone_says_is_not_known() {
        let vocabulary = Vocabulary::shared(["a", "a", "b"].into_iter().zip(ROWS), 2);
        assert_eq!(vocabulary.hashes(), [900]);
    }

    #[test]
    fn it_is_the_same_after_storing() {
        let vocabulary = Vocabulary::of(ROWS.into_iter(), 1);
        let bytes = postcard::to_allocvec(&vocabulary).unwrap();
        assert_eq!(postcard::from_bytes::<Vocabulary>(&bytes).unwrap(), vocabulary);
    }
}
