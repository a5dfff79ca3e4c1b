//! Who comes first: a fixed order, the newest, or those that fit best.

use super::index::Index;
use super::matching::Matches;
use crate::database::collection::Column;
use crate::database::config::{QueryOperator, Ranking};
use crate::random::mix;

/// How soon repeating a word stops to help, and how much long records are held back.
const SATURATION: f32 = 1.2;
const LENGTH_WEIGHT: f32 = 0.75;

/// Records that fit, in order, each with how well.
pub(in crate::database) type Scored = Vec<(u32, f32)>;

impl Index {
    /// Joins what was found for each group of words.
    pub(in crate::database) fn join(&self, found: Vec<Matches>, matching: QueryOperator) -> Scored {
        let mut groups = found.iter();
        let mut scored = groups.next().map(|first| self.weigh(first)).unwrap_or_default();
        for group in groups {
            let next = self.weigh(group);
            scored = match matching {
                QueryOperator::And | QueryOperator::Phrase => both(&scored, &next),
                QueryOperator::Or => either(&scored, &next),
            };
        }
        scored
    }

    /// Okapi BM25 for one group of words.
    fn weigh(&self, matches: &Matches) -> Scored {
        let (all, with) = (self.records as f32, matches.len() as f32);
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        let weight = |times: u32, record: u32| {
            let length = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * self.relative_length(record);
            rarity * times as f32 * (SATURATION + 1.0) / (times as f32 + SATURATION * length)
        };
        matches.iter().map(|(record, times)| (*record, weight(*times, *record))).collect()
    }
}

fn both(one: &Scored, other: &Scored) -> Scored {
    let (mut kept, mut rest) = (Vec::new(), other.iter().peekable());
    for (record, score) in one {
        while rest.next_if(|(candidate, _)| candidate < record).is_some() {}
        if let Some((_, more)) = rest.next_if(|(candidate, _)| candidate == record) {
            kept.push((*record, score + more));
        }
    }
    kept
}

fn either(one: &Scored, other: &Scored) -> Scored {
    let mut all: Scored = one.iter().chain(other).copied().collect();
    all.sort_by_key(|(record, _)| *record);
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    all
}

/// The order of a database.
pub(in crate::database) struct ResultOrder<'d> {
    pub(in crate::database) rank: Ranking,
    pub(in crate::database) seed: u64,
    /// When records were made, where that is known.
    pub(in crate::database) dates: Option<&'d Column>,
}

impl ResultOrder<'_> {
    /// The first so many of the records, best first.
    pub(in crate::database) fn first(&self, scored: Scored, upto: usize) -> Vec<u32> {
        let mut keyed: Vec<(u64, u32)> =
            scored.into_iter().map(|(record, score)| (self.key(record, score), record)).collect();
        if upto < keyed.len() {
            keyed.select_nth_unstable(upto);
            keyed.truncate(upto);
        }
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, record)| record).collect()
    }

    /// Smaller comes earlier.
    fn key(&self, record: u32, score: f32) -> u64 {
        match self.rank {
            Ranking::Static => mix(self.seed, u64::from(record)),
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
