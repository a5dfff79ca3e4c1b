//! Scores and order of the records that match a query.

use super::index::Index;
use super::matching::Matches;
use crate::database::collection::Column;
use crate::database::config::{QueryOperator, Ranking};
use crate::random::mix;

/// Parameters `k1` and `b` of BM25, with the default values of Lucene.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Records in ascending order, each with its score.
pub(in crate::database) type ScoredRecords = Vec<(u32, f32)>;

impl Index {
    /// Combines the matches of all term groups of a query. The score of a record is the sum over the groups.
    pub(in crate::database) fn combine(&self, found: Vec<Matches>, operator: QueryOperator) -> ScoredRecords {
        let mut groups = found.iter();
        let mut scored = groups.next().map(|first| self.score(first)).unwrap_or_default();
        for group in groups {
            let next = self.score(group);
            scored = match operator {
                QueryOperator::And | QueryOperator::Phrase => intersection(&scored, &next),
                QueryOperator::Or => union(&scored, &next),
            };
        }
        scored
    }

    /// Okapi BM25 score of one term group: `idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length))` with
    /// `idf = ln(1 + (N - n + 0.5) / (n + 0.5))`, where `tf` is the frequency in the record, `N` the number of records
    /// and `n` the number of matches.
    fn score(&self, matches: &Matches) -> ScoredRecords {
        let (all, with) = (self.record_count as f32, matches.len() as f32);
        let idf = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        let score = |frequency: u32, record: u32| {
            let length = 1.0 - B + B * self.relative_length(record);
            idf * frequency as f32 * (K1 + 1.0) / (frequency as f32 + K1 * length)
        };
        matches.iter().map(|(record, frequency)| (*record, score(*frequency, *record))).collect()
    }
}

fn intersection(one: &ScoredRecords, other: &ScoredRecords) -> ScoredRecords {
    let (mut kept, mut rest) = (Vec::new(), other.iter().peekable());
    for (record, score) in one {
        while rest.next_if(|(candidate, _)| candidate < record).is_some() {}
        if let Some((_, more)) = rest.next_if(|(candidate, _)| candidate == record) {
            kept.push((*record, score + more));
        }
    }
    kept
}

fn union(one: &ScoredRecords, other: &ScoredRecords) -> ScoredRecords {
    let mut all: ScoredRecords = one.iter().chain(other).copied().collect();
    all.sort_by_key(|(record, _)| *record);
    all.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
    all
}

/// Order of the results of a database.
pub(in crate::database) struct ResultOrder<'d> {
    pub(in crate::database) ranking: Ranking,
    /// Seed of [`Ranking::Static`].
    pub(in crate::database) seed: u64,
    /// Column with the dates of the records, if the collection has one.
    pub(in crate::database) dates: Option<&'d Column>,
}

impl ResultOrder<'_> {
    /// The first `count` records in this order.
    pub(in crate::database) fn first(&self, scored: ScoredRecords, count: usize) -> Vec<u32> {
        let mut keyed: Vec<(u64, u32)> =
            scored.into_iter().map(|(record, score)| (self.key(record, score), record)).collect();
        if count < keyed.len() {
            keyed.select_nth_unstable(count);
            keyed.truncate(count);
        }
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, record)| record).collect()
    }

    /// Sort key of a record; the smallest comes first.
    fn key(&self, record: u32, score: f32) -> u64 {
        match self.ranking {
            Ranking::Static => mix(self.seed, u64::from(record)),
            // The bits of positive floats are ordered as the floats are.
            Ranking::Frequency => u64::from(!score.max(0.0).to_bits()),
            Ranking::Recency => match self.dates {
                Some(dates) => {
                    let day = dates.number_of(record).unwrap_or(0.0).clamp(0.0, 4e9) as u64;
                    !(day << 32 | u64::from(record))
                }
                None => !u64::from(record),
            },
        }
    }
}
