//! Capture history: how often each record was captured, and size estimates that follow from it.
//!
//! Answers are ranked and queries are chosen, so no classic capture-recapture estimator holds by itself. Several are
//! computed as features, and [`calibration`](super::calibration) combines them. With `S` seen records and `f_k` records
//! captured exactly `k` times:
//!
//! | feature | formula |
//! |---|---|
//! | 0 | 1 |
//! | 1, 3 | Schnabel: `N = sum(m * s) / sum(a)`; over complete answers, over all |
//! | 2, 4 | Lincoln-Petersen: mean of `ln N`, `N = s * (m + 1) / (a + 0.5)`; over complete answers, over all |
//! | 5 | Chao's lower bound: `N = S + f_1 * (f_1 - 1) / (2 * (f_2 + 1))` |
//! | 6 | `ln(f_1 / S)` |
//! | 7 | `ln((f_2 + 1) / (f_3 + 1))` |
//! | 8 | share of complete answers |
//!
//! Here an answer of `m` records came when `s` records were seen, and `a` of the `m` had been seen before. Older answers
//! count less. Features 1 to 5 are `ln((N - S) / S)`, the logarithm of unseen to seen records.
//!
//! The limits of the features were in force when the weights of the calibration were fitted. A change needs a new fit.

use crate::harvest::policy::result_cap::ResultCap;
use crate::harvest::policy::{QueryOutcome, ReadingEnd};
use crate::harvest::record::RecordId;
use rustc_hash::FxHashMap;

/// Factor by which an answer loses weight with each later one. Guess.
const DECAY: f64 = 0.96;

/// Most records with counted captures. Guess; limits memory.
const MOST_RECORDS: usize = 20_000_000;

/// Least number of answers for features, after decay. Guess; the first value was 6.
const LEAST_ANSWERS: f64 = 4.0;

/// Least number of seen records for features. Guess.
const LEAST_SEEN: f64 = 20.0;

/// Least number of records captured more than once for features. Guess.
const LEAST_RECAPTURED: f64 = 3.0;

/// Weight of complete answers above which features 1 and 2 use only these. Guess.
const LEAST_COMPLETE: f64 = 2.0;

/// Least ratio of unseen to seen records, and of `f_1` to `S`, in features. Guess.
const LEAST_RATIO: f64 = 0.003;

/// Greatest logarithm of unseen to seen records in features. Guess.
const MOST_LOG_ODDS: f64 = 6.0;

/// Limits of feature 7. Guess.
const RECAPTURE_LIMITS: (f64, f64) = (-2.0, 4.0);

/// Number of features.
pub const FEATURES: usize = 9;

/// Captures of all records, and decaying sums over the answers.
#[derive(Default)]
pub struct CaptureHistory {
    captures: FxHashMap<RecordId, u8>,
    /// `f_1`, `f_2`, `f_3`.
    frequencies: [u64; 3],
    cap: ResultCap,
    complete: RecaptureSums,
    all: RecaptureSums,
}

/// Sums of the estimators over a set of answers.
#[derive(Default)]
struct RecaptureSums {
    /// Sums of `m * s` and of `a`.
    schnabel: (f64, f64),
    /// Mean of the Lincoln-Petersen `ln N`.
    log_size: DecayingMean,
}

/// Mean in which older values count less.
#[derive(Default)]
struct DecayingMean {
    sum: f64,
    weight: f64,
}

impl DecayingMean {
    fn learn(&mut self, value: f64) {
        self.sum = self.sum * DECAY + value;
        self.weight = self.weight * DECAY + 1.0;
    }

    fn value(&self) -> f64 {
        self.sum / self.weight.max(1e-9)
    }
}

impl RecaptureSums {
    fn learn(&mut self, seen: f64, shown: f64, again: f64) {
        self.schnabel.0 = self.schnabel.0 * DECAY + shown * seen;
        self.schnabel.1 = self.schnabel.1 * DECAY + again;
        self.log_size.learn((seen * (shown + 1.0) / (again + 0.5)).ln());
    }

    fn schnabel_size(&self) -> f64 {
        (self.schnabel.0 + 1.0) / (self.schnabel.1 + 0.1)
    }
}

impl CaptureHistory {
    /// Counts an answer. Returns true if it is complete, that is, holds all matching records.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) -> bool {
        self.cap.learn(answer);
        let seen = self.captures.len() as f64;
        let shown = answer.hits.len() as f64;
        let again = answer.hits.iter().filter(|hit| self.capture(hit.id)).count() as f64;
        let is_complete = self.is_complete(answer);
        if seen == 0.0 || shown == 0.0 {
            return is_complete;
        }
        if is_complete {
            self.complete.learn(seen, shown, again);
        }
        self.all.learn(seen, shown, again);
        is_complete
    }

    /// Counts a capture. Returns true if the record was captured before.
    fn capture(&mut self, id: RecordId) -> bool {
        let is_full = self.captures.len() >= MOST_RECORDS;
        let Some(count) = self.captures.get_mut(&id) else {
            if !is_full {
                self.captures.insert(id, 1);
                self.frequencies[0] += 1;
            }
            return is_full;
        };
        let before = usize::from(*count);
        *count = count.saturating_add(1);
        if (1..=3).contains(&before) {
            self.frequencies[before - 1] -= 1;
        }
        if before < 3 {
            self.frequencies[before] += 1;
        }
        true
    }

    fn is_complete(&self, answer: &QueryOutcome<'_>) -> bool {
        let shown = answer.hits.len() as u64;
        let at_cap = self.cap.value().is_some_and(|cap| shown >= u64::from(cap));
        let is_below_total = answer.total.is_some_and(|total| total.count() > shown);
        let is_whole = answer.query.after == 0 && answer.end == ReadingEnd::LastPage;
        is_whole && !at_cap && !is_below_total
    }

    /// `S`: number of seen records.
    pub fn seen(&self) -> usize {
        self.captures.len()
    }

    /// The features of the module's table, or `None` with too few answers or captures.
    pub fn features(&self) -> Option<[f64; FEATURES]> {
        let seen = self.captures.len() as f64;
        let [once, twice, thrice] = self.frequencies.map(|records| records as f64);
        if seen < LEAST_SEEN || seen - once < LEAST_RECAPTURED || self.all.log_size.weight < LEAST_ANSWERS {
            return None;
        }
        let has_complete = self.complete.log_size.weight > LEAST_COMPLETE;
        let complete = if has_complete { &self.complete } else { &self.all };
        let odds = |size: f64| ((size - seen) / seen).max(LEAST_RATIO).ln().min(MOST_LOG_ODDS);
        let chao = once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0));
        let (least, most) = RECAPTURE_LIMITS;
        Some([
            1.0,
            odds(complete.schnabel_size()),
            odds(complete.log_size.value().exp()),
            odds(self.all.schnabel_size()),
            odds(self.all.log_size.value().exp()),
            odds(seen + chao),
            (once / seen).max(LEAST_RATIO).ln(),
            ((twice + 1.0) / (thrice + 1.0)).ln().clamp(least, most),
            self.complete.log_size.weight / self.all.log_size.weight,
        ])
    }
}
