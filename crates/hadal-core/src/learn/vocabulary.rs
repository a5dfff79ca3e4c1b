//! Vocabulary of a model: the feature hashes that it uses, numbered.
//!
//! Features are 32-bit hashes, too many for one weight each. A vocabulary contains the hashes that occur in
//! several rows or groups of the training data. All other features are ignored.

use super::sparse::SparseRow;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// Numbered feature hashes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "HashGaps", into = "HashGaps")]
pub struct Vocabulary {
    numbers: FxHashMap<u32, u32>,
}

impl Vocabulary {
    /// Features that occur in at least `rows_needed` rows.
    pub fn of<'a>(rows: impl Iterator<Item = &'a [(u32, f32)]>, rows_needed: u32) -> Vocabulary {
        Vocabulary::shared(rows.enumerate(), rows_needed)
    }

    /// Features that occur in rows of at least `groups_needed` groups. With sites as groups, this excludes names of
    /// sites.
    pub fn shared<'a, G: Ord>(
        rows: impl Iterator<Item = (G, &'a [(u32, f32)])>,
        groups_needed: u32,
    ) -> Vocabulary {
        let mut rows: Vec<(G, &[(u32, f32)])> = rows.collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        for group in rows.chunk_by(|a, b| a.0 == b.0) {
            let present: FxHashSet<u32> =
                group.iter().flat_map(|(_, row)| *row).map(|(hash, _)| *hash).collect();
            present.into_iter().for_each(|hash| *counts.entry(hash).or_default() += 1);
        }
        let kept = counts.into_iter().filter(|(_, count)| *count >= groups_needed).map(|(hash, _)| hash);
        Vocabulary::numbered(kept.collect())
    }

    fn numbered(mut hashes: Vec<u32>) -> Vocabulary {
        hashes.sort_unstable();
        hashes.dedup();
        Vocabulary { numbers: hashes.into_iter().zip(0..).collect() }
    }

    /// Number of a feature, from 0.
    pub fn number(&self, hash: u32) -> Option<u32> {
        self.numbers.get(&hash).copied()
    }

    /// Row of the known features, scaled to length 1. Each feature must occur once.
    pub fn row(&self, features: &[(u32, f32)]) -> SparseRow {
        self.counts(features).normalised()
    }

    /// Row of the known features with their values unchanged.
    pub fn counts(&self, features: &[(u32, f32)]) -> SparseRow {
        let known = features.iter().filter_map(|(hash, value)| Some((self.number(*hash)?, *value)));
        SparseRow::new(known.collect())
    }

    /// Hashes in the order of their numbers.
    pub fn hashes(&self) -> Vec<u32> {
        let mut hashes: Vec<u32> = self.numbers.keys().copied().collect();
        hashes.sort_unstable();
        hashes
    }

    /// Number of features.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// True if the vocabulary has no features.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// Serialised form: hashes in rising order as differences.
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
    fn features_of_a_single_group_are_unknown() {
        let vocabulary = Vocabulary::shared(["a", "a", "b"].into_iter().zip(ROWS), 2);
        assert_eq!(vocabulary.hashes(), [900]);
    }

    #[test]
    fn it_survives_serialisation() {
        let vocabulary = Vocabulary::of(ROWS.into_iter(), 1);
        let bytes = postcard::to_allocvec(&vocabulary).unwrap();
        assert_eq!(postcard::from_bytes::<Vocabulary>(&bytes).unwrap(), vocabulary);
    }
}
