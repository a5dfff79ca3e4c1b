//! Size of the database and coverage of a harvest, as intervals.
//!
//! A [`SizeEstimator`] learns from the same answers as a policy and works with any policy. It has four
//! sources:
//!
//! | source | module | applies |
//! |---|---|---|
//! | stated total of the empty query | `empty_query` | if other queries have smaller totals |
//! | complete answer to the empty query | `empty_query` | while no later answer holds a new record |
//! | stated totals of words | `stated_totals` | with at least two different totals |
//! | number of captures of each record | `capture_history` | with a few recaptures |
//!
//! If one of the first two sources applies, it alone gives the estimate. Otherwise the last two do, alone or combined.
//! `calibration` turns these two into intervals and combines them. `latest_answers` corrects an estimate from captures
//! alone that the latest answers contradict. [`stop`] decides when a harvest ends.
//!
//! Coverage is `S / N`, the seen records over the size. The lower end of its interval is `S` over the upper end of the
//! size.

pub mod calibration;
mod capture_history;
mod empty_query;
mod latest_answers;
mod stated_totals;
pub mod stop;

use super::policy::total_check::TotalCheck;
use super::policy::{QueryOutcome, StatedTotal};
use calibration::Calibration;
use capture_history::{CaptureHistory, FEATURES};
use empty_query::{EmptyQueryEvidence, TOTAL_ERROR};
pub use stated_totals::SizeByTotals;
use stated_totals::TotalsEstimator;

/// Least number of seen records for an estimate from stated totals of words. Guess.
const MIN_SEEN_FOR_TOTALS: f64 = 20.0;

/// Interval for a size or a coverage.
///
/// Intervals from stated totals of words and from captures are calibrated to hold the true value in nine of
/// ten harvests. From the empty query, the size interval is its stated total plus and minus 2 % (guess), or
/// ends at the 95 % bound of the rule of three.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EstimateInterval {
    /// Lower end of the interval.
    pub low: f64,
    /// Best single estimate.
    pub estimate: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Estimated size of a database and coverage of a harvest.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SizeEstimate {
    /// Number of seen records.
    pub seen: u64,
    /// Number of records that queries can find.
    pub size: EstimateInterval,
    /// Share of them that is seen.
    pub coverage: EstimateInterval,
}

impl SizeEstimate {
    fn of(seen: f64, [low, estimate, high]: [f64; 3]) -> SizeEstimate {
        let size = EstimateInterval { low, estimate, high };
        let coverage = EstimateInterval { low: seen / high, estimate: seen / estimate, high: seen / low };
        SizeEstimate { seen: seen as u64, size, coverage }
    }
}

/// Evidence behind an estimate from stated totals of words and from the capture history.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EstimateEvidence {
    /// `S`: number of seen records.
    pub seen: f64,
    /// Least number of records: the number of seen ones, or the greatest stated total if it is more.
    pub least: f64,
    /// Size by the stated totals of words.
    pub by_totals: Option<SizeByTotals>,
    /// Features of the capture history.
    pub captures: Option<[f64; FEATURES]>,
    /// True if most answers were cut off by a known result cap.
    pub is_cut_off: bool,
}

impl EstimateEvidence {
    /// Estimate with the figures of a calibration; `None` without totals and captures.
    pub fn estimate(&self, calibration: &Calibration) -> Option<SizeEstimate> {
        let seen = self.seen;
        let by_totals = self.by_totals.map(|size| calibration.log_size_by_totals(&size, seen));
        let by_captures = self.captures.map(|captures| calibration.log_size_by_captures(&captures));
        let log_ratios = match (by_totals, by_captures) {
            (Some(totals), Some(captures)) => calibration.combined(totals, captures),
            (totals, captures) => totals.or(captures)?,
        };
        let log_ratios = calibration::above_bound(log_ratios, (self.least / seen).ln());
        Some(SizeEstimate::of(seen, log_ratios.map(|log_ratio| seen * log_ratio.exp())))
    }
}

/// Learns the size of a database from answers.
#[derive(Default)]
pub struct SizeEstimator {
    history: CaptureHistory,
    stated_totals: TotalsEstimator,
    empty_query: EmptyQueryEvidence,
    totals: TotalCheck,
    /// Greatest stated total of any query; for a rounded one, the least number that rounds to it.
    greatest_total: u64,
}

impl SizeEstimator {
    /// Learns from an answer.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) {
        self.totals.learn(answer);
        let answer = &QueryOutcome { total: self.totals.usable(answer), ..answer.clone() };
        let seen = self.history.seen();
        let is_complete = self.history.learn(answer);
        self.empty_query.learn(answer, is_complete, self.history.seen() > seen);
        self.stated_totals.learn(answer);
        self.greatest_total = self.greatest_total.max(answer.total.map_or(0, StatedTotal::least));
    }

    /// Returns the estimate, or `None` if no source applies. The size is at least the number of seen records
    /// and, except from a confirmed total, at least the greatest stated total.
    pub fn estimate(&self) -> Option<SizeEstimate> {
        let seen = self.history.seen() as f64;
        let least = seen.max(self.greatest_total() as f64);
        if let Some(total) = self.confirmed_total().map(|total| total as f64)
            && least <= total * (1.0 + TOTAL_ERROR)
        {
            let size = [1.0 - TOTAL_ERROR, 1.0, 1.0 + TOTAL_ERROR].map(|factor| (factor * total).max(seen));
            return Some(SizeEstimate::of(seen, size));
        }
        if let Some(coverage) = self.empty_query.least_coverage().filter(|_| least <= seen) {
            return Some(SizeEstimate::of(seen, [seen, seen, seen / coverage]));
        }
        let evidence = self.evidence();
        let estimate = evidence.estimate(Calibration::shipped(evidence.is_cut_off))?;
        let is_by_captures = evidence.by_totals.is_none();
        Some(if is_by_captures { self.history.latest().corrected(estimate) } else { estimate })
    }

    /// Evidence of stated totals of words and of the capture history.
    pub fn evidence(&self) -> EstimateEvidence {
        let seen = self.history.seen() as f64;
        EstimateEvidence {
            seen,
            least: seen.max(self.greatest_total() as f64),
            by_totals: self.by_totals(seen),
            captures: self.history.features(),
            is_cut_off: self.history.is_cut_off(),
        }
    }

    /// Greatest stated total, while totals are trusted.
    fn greatest_total(&self) -> u64 {
        if self.totals.is_trusted() { self.greatest_total } else { 0 }
    }

    fn confirmed_total(&self) -> Option<u64> {
        self.empty_query.confirmed_total().filter(|_| self.totals.is_trusted())
    }

    /// Size by the stated totals of words, while totals are trusted and enough records were seen.
    fn by_totals(&self, seen: f64) -> Option<SizeByTotals> {
        let is_usable = seen >= MIN_SEEN_FOR_TOTALS && self.totals.is_trusted();
        self.stated_totals.result(seen).filter(|_| is_usable)
    }

    /// Returns an estimate for a form without any other query: the stated total of the empty query, if exactly as many
    /// records were seen.
    pub fn by_stated_total(&self) -> Option<SizeEstimate> {
        let seen = self.history.seen() as f64;
        let is_all = self.empty_query.total().is_some_and(|total| total > 0 && total as f64 == seen);
        is_all.then(|| SizeEstimate::of(seen, [seen, seen, seen * (1.0 + TOTAL_ERROR)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::{Hit, ReadingEnd};
    use crate::harvest::query::Query;
    use crate::harvest::record::RecordId;

    fn answer(
        estimator: &mut SizeEstimator,
        query: &Query,
        records: std::ops::Range<u64>,
        total: Option<u64>,
    ) {
        let hit = |id| Hit { id: RecordId(id), is_new: true, title: "", text: "", fields: &[] };
        let hits: Vec<Hit<'_>> = records.map(hit).collect();
        let total = total.map(StatedTotal::Exactly);
        estimator.learn(&QueryOutcome { query, hits: &hits, total, pages: 1, end: ReadingEnd::LastPage });
    }

    #[test]
    fn the_total_of_the_empty_query_is_the_size() {
        let mut estimator = SizeEstimator::default();
        answer(&mut estimator, &Query::default(), 0..30, Some(120));
        answer(&mut estimator, &Query::words("anything"), 0..30, Some(120));
        assert_eq!(estimator.estimate(), None, "the form may state one total for every query");
        answer(&mut estimator, &Query::words("sea"), 30..60, Some(90));
        let SizeEstimate { size, coverage, .. } = estimator.estimate().unwrap();
        assert!(size.low < 120.0 && size.estimate == 120.0 && size.high > 120.0);
        assert_eq!(coverage.estimate, 0.5);
        answer(&mut estimator, &Query::words("deep"), 60..120, Some(60));
        assert_eq!(estimator.estimate().unwrap().coverage.estimate, 1.0);
        answer(&mut estimator, &Query::words("ship"), 120..200, Some(80));
        let low = |estimate: SizeEstimate| estimate.size.low >= 200.0;
        assert!(estimator.estimate().is_none_or(low), "more records were seen than the total");
    }

    #[test]
    fn a_total_is_trusted_without_other_queries_if_all_records_were_seen() {
        let mut estimator = SizeEstimator::default();
        answer(&mut estimator, &Query::default(), 0..30, Some(46));
        assert_eq!(estimator.by_stated_total(), None, "the total is greater");
        answer(&mut estimator, &Query::default(), 0..46, Some(46));
        assert_eq!(estimator.estimate(), None, "other queries are needed");
        assert_eq!(estimator.by_stated_total().unwrap().coverage.estimate, 1.0);
    }

    #[test]
    fn a_complete_listing_is_trusted_until_a_new_record_appears() {
        let mut estimator = SizeEstimator::default();
        answer(&mut estimator, &Query::default(), 0..60, None);
        assert_eq!(estimator.estimate(), None, "the listing may be incomplete");
        answer(&mut estimator, &Query::words("sea"), 10..40, None);
        let SizeEstimate { size, coverage, .. } = estimator.estimate().unwrap();
        assert_eq!((size.low, coverage.estimate), (60.0, 1.0));
        assert!((coverage.low - 0.9).abs() < 0.05, "{coverage:?}");
        answer(&mut estimator, &Query::words("deep"), 60..90, None);
        assert!(estimator.empty_query.least_coverage().is_none(), "a new record came");
    }
}
