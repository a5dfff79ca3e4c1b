//! What the capture history says about the size of the whole.
//!
//! Answers are ranked and queries are chosen, so no classic estimator holds as it stands. Several are
//! computed, each wrong in its own way, and [`super::calibration`] weighs them against each other.

use crate::harvest::policy::result_cap::ResultCap;
use crate::harvest::policy::{QueryOutcome, ReadingEnd};
use crate::harvest::record::RecordId;
use rustc_hash::FxHashMap;

/// How much of the older answers is left after another one.
const MEMORY: f64 = 0.96;

/// Records whose captures are counted.
const MOST_RECORDS: usize = 20_000_000;

/// Answers that it takes to tell anything.
const ENOUGH: f64 = 4.0;

/// Number of features.
pub const FEATURES: usize = 9;

/// Captures, and sums over answers that fade.
#[derive(Default)]
pub struct Evidence {
    captures: FxHashMap<RecordId, u8>,
    came: [u64; 3],
    cap: ResultCap,
    whole: Sums,
    all: Sums,
    lengths: Fading,
}

/// Sums over some of the answers.
#[derive(Default)]
struct Sums {
    /// Records of each answer times records seen before it, to those that came again (Schnabel).
    pooled: (f64, f64),
    /// Mean logarithm of the size that each answer alone suggests.
    log_size: Fading,
}

/// A mean that forgets.
#[derive(Default)]
struct Fading {
    sum: f64,
    weight: f64,
}

impl Fading {
    fn learn(&mut self, value: f64) {
        self.sum = self.sum * MEMORY + value;
        self.weight = self.weight * MEMORY + 1.0;
    }

    fn mean(&self) -> f64 {
        self.sum / self.weight.max(1e-9)
    }
}

impl Sums {
    fn learn(&mut self, seen: f64, shown: f64, again: f64) {
        self.pooled.0 = self.pooled.0 * MEMORY + shown * seen;
        self.pooled.1 = self.pooled.1 * MEMORY + again;
        self.log_size.learn((seen * (shown + 1.0) / (again + 0.5)).ln());
    }

    fn pooled_size(&self) -> f64 {
        (self.pooled.0 + 1.0) / (self.pooled.1 + 0.1)
    }
}

impl Evidence {
    /// Takes in an answer; whether it held all that match.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) -> bool {
        self.cap.learn(answer);
        let seen = self.captures.len() as f64;
        let shown = answer.hits.len() as f64;
        let again = answer.hits.iter().filter(|hit| self.capture(hit.id)).count() as f64;
        let is_whole = self.is_whole(answer);
        if seen == 0.0 || shown == 0.0 {
            return is_whole;
        }
        if is_whole {
            self.whole.learn(seen, shown, again);
        }
        self.all.learn(seen, shown, again);
        self.lengths.learn(shown.ln());
        is_whole
    }

    /// Counts a capture; whether it was not the first.
    fn capture(&mut self, id: RecordId) -> bool {
        let is_full = self.captures.len() >= MOST_RECORDS;
        let Some(count) = self.captures.get_mut(&id) else {
            if !is_full {
                self.captures.insert(id, 1);
                self.came[0] += 1;
            }
            return is_full;
        };
        let before = usize::from(*count);
        *count = count.saturating_add(1);
        if (1..=3).contains(&before) {
            self.came[before - 1] -= 1;
        }
        if before < 3 {
            self.came[before] += 1;
        }
        true
    }

    fn is_whole(&self, answer: &QueryOutcome<'_>) -> bool {
        let shown = answer.hits.len() as u64;
        let at_cap = self.cap.value().is_some_and(|cap| shown >= u64::from(cap));
        let is_told = answer.total.is_some_and(|total| total.count() > shown);
        answer.query.after == 0 && answer.end == ReadingEnd::LastPage && !at_cap && !is_told
    }

    /// Records seen.
    pub fn seen(&self) -> usize {
        self.captures.len()
    }

    /// The features, once there is enough to tell: logarithms of unseen to seen records by several
    /// estimators, and what tells when each is to be trusted.
    pub fn features(&self) -> Option<[f64; FEATURES]> {
        let seen = self.captures.len() as f64;
        let [once, twice, thrice] = self.came.map(|came| came as f64);
        if seen < 20.0 || seen - once < 3.0 || self.all.log_size.weight < ENOUGH {
            return None;
        }
        let whole = if self.whole.log_size.weight > 2.0 { &self.whole } else { &self.all };
        let odds = |size: f64| ((size - seen) / seen).max(0.003).ln().min(6.0);
        let chao = once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0));
        Some([
            1.0,
            odds(whole.pooled_size()),
            odds(whole.log_size.mean().exp()),
            odds(self.all.pooled_size()),
            odds(self.all.log_size.mean().exp()),
            odds(seen + chao),
            (once / seen).max(0.003).ln(),
            ((twice + 1.0) / (thrice + 1.0)).ln().clamp(-2.0, 4.0),
            self.whole.log_size.weight / self.all.log_size.weight,
        ])
    }

    /// Chao's lower bound of the size.
    pub fn chao(&self) -> f64 {
        let [once, twice, _] = self.came.map(|came| came as f64);
        self.captures.len() as f64 + once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0))
    }
}
