//! How many records there are, and what share of them has come: intervals, never a single number.
//!
//! An [`SizeEstimator`] sees the same answers as a policy and works beside any of them. [`survey`] holds totals against
//! the records that came, [`evidence`] keeps how often each came; [`calibration`] turns that into an interval that
//! held nine times in ten on databases it was not fitted on; [`listing`] is for forms that show everything when
//! nothing is asked; [`stop`] says when a harvest is over.

mod calibration;
pub mod evidence;
mod listing;
pub mod stop;
mod survey;

use super::policy::{QueryOutcome, StatedTotal};
use super::query::Query;
use evidence::Evidence;
use listing::Listing;
use survey::Survey;

/// A range that holds the truth nine times in ten, and the likeliest value.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EstimateInterval {
    /// Lower end.
    pub low: f64,
    /// Best single guess.
    pub estimate: f64,
    /// Upper end.
    pub high: f64,
}

/// How large a database is, and how much of it is seen.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SizeEstimate {
    /// Records seen.
    pub seen: u64,
    /// Records that can be found at all.
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

/// How far the total of a question for everything may be off: some records are counted that cannot be found.
const OFF: f64 = 0.02;

/// Records before which totals say nothing.
const FEWEST: f64 = 20.0;

/// Learns the size of a database from its answers.
#[derive(Default)]
pub struct SizeEstimator {
    evidence: Evidence,
    survey: Survey,
    listing: Listing,
    /// The most records that one query was told to have.
    told: u64,
    /// What the question that leaves everything open was told to have.
    everything: Option<u64>,
    /// The fewest records that another query was told to have.
    least_told: Option<u64>,
}

impl SizeEstimator {
    /// Takes in an answer.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) {
        let seen = self.evidence.seen();
        let is_whole = self.evidence.learn(answer);
        self.listing.learn(answer, is_whole, self.evidence.seen() > seen);
        self.survey.learn(answer);
        if let Some(StatedTotal::Exactly(total)) = answer.total {
            self.told = self.told.max(total);
            match *answer.query == Query::default() {
                true => self.everything = Some(total),
                false => self.least_told = Some(self.least_told.map_or(total, |least| least.min(total))),
            }
        }
    }

    /// What is known by now: the total of everything, when others have smaller ones and no more came; or that
    /// everything was shown, when nothing new comes; or what totals say together. Without them, nothing before some
    /// records came twice. There are at least as many as any one query was told to have.
    pub fn estimate(&self) -> Option<SizeEstimate> {
        let seen = self.evidence.seen() as f64;
        let least = seen.max(self.told as f64);
        let is_less = |all: &u64| self.least_told.is_some_and(|least| least < *all);
        if let Some(all) = self.everything.filter(is_less).map(|all| all as f64)
            && least <= all * (1.0 + OFF)
        {
            let size = [1.0 - OFF, 1.0, 1.0 + OFF].map(|share| (share * all).max(seen));
            return Some(SizeEstimate::of(seen, size));
        }
        if let Some(share) = self.listing.least_share().filter(|_| least <= seen) {
            return Some(SizeEstimate::of(seen, [seen, seen, seen / share]));
        }
        let ratios = match self.survey.result(seen).filter(|_| seen >= FEWEST) {
            Some(surveyed) => calibration::log_size(&surveyed, seen).map(f64::exp),
            None => calibration::log_odds(&self.evidence.features()?).map(|odds| 1.0 + odds.exp()),
        };
        Some(SizeEstimate::of(seen, ratios.map(|ratio| (seen * ratio).max(least))))
    }

    /// What a form says of itself that can be asked nothing else: everything is as many records as it showed.
    pub fn by_stated_total(&self) -> Option<SizeEstimate> {
        let seen = self.evidence.seen() as f64;
        let is_all = self.everything.is_some_and(|all| all > 0 && all as f64 == seen);
        is_all.then(|| SizeEstimate::of(seen, [seen, seen, seen * (1.0 + OFF)]))
    }

    /// What it is judged by, for calibration.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::{Hit, ReadingEnd};
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
    fn the_total_of_everything_is_the_size() {
        let mut estimator = SizeEstimator::default();
        answer(&mut estimator, &Query::default(), 0..30, Some(120));
        answer(&mut estimator, &Query::words("anything"), 0..30, Some(120));
        assert_eq!(estimator.estimate(), None, "it may tell the same of everything");
        answer(&mut estimator, &Query::words("sea"), 30..60, Some(90));
        let SizeEstimate { size, coverage, .. } = estimator.estimate().unwrap();
        assert!(size.low < 120.0 && size.estimate == 120.0 && size.high > 120.0);
        assert_eq!(coverage.estimate, 0.5);
        answer(&mut estimator, &Query::words("deep"), 60..120, Some(60));
        assert_eq!(estimator.estimate().unwrap().coverage.estimate, 1.0);
        answer(&mut estimator, &Query::words("ship"), 120..200, Some(80));
        let low = |estimate: SizeEstimate| estimate.size.low >= 200.0;
        assert!(estimator.estimate().is_none_or(low), "more came than there should be");
    }

    #[test]
    fn a_form_that_showed_as_many_as_it_tells_may_be_taken_at_its_word() {
        let mut estimator = SizeEstimator::default();
        answer(&mut estimator, &Query::default(), 0..30, Some(46));
        assert_eq!(estimator.by_stated_total(), None, "it told of more");
        answer(&mut estimator, &Query::default(), 0..46, Some(46));
        assert_eq!(estimator.estimate(), None, "as long as it can be asked");
        assert_eq!(estimator.by_stated_total().unwrap().coverage.estimate, 1.0);
    }

    #[test]
    fn a_form_that_showed_everything_is_believed_once_nothing_new_comes() {
        let mut estimator = SizeEstimator::default();
        answer(&mut estimator, &Query::default(), 0..60, None);
        assert_eq!(estimator.estimate(), None, "it may show some of them only");
        answer(&mut estimator, &Query::words("sea"), 10..40, None);
        let SizeEstimate { size, coverage, .. } = estimator.estimate().unwrap();
        assert_eq!((size.low, coverage.estimate), (60.0, 1.0));
        assert!((coverage.low - 0.9).abs() < 0.05, "{coverage:?}");
        answer(&mut estimator, &Query::words("deep"), 60..90, None);
        assert!(estimator.listing.least_share().is_none(), "there was more");
    }
}
