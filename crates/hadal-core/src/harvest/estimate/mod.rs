//! How many records there are, and what share of them has come: intervals, never a single number.
//!
//! An [`Estimator`] sees the same answers as a policy and works beside any of them. [`survey`] holds totals against
//! the records that came, [`evidence`] keeps how often each came; [`calibration`] turns that into an interval that
//! held nine times in ten on databases it was not fitted on; [`stop`] says when a harvest is over.

mod calibration;
pub mod evidence;
pub mod stop;
pub mod survey;

use super::policy::{Asked, Total};
use evidence::Evidence;
use survey::Survey;

/// A range that holds the truth nine times in ten, and the likeliest value.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Best single guess.
    pub estimate: f64,
    /// Upper end.
    pub high: f64,
}

/// How large a database is, and how much of it is seen.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Estimate {
    /// Records seen.
    pub seen: u64,
    /// Records that can be found at all.
    pub size: Interval,
    /// Share of them that is seen.
    pub coverage: Interval,
}

/// Learns the size of a database from its answers.
#[derive(Default)]
pub struct Estimator {
    evidence: Evidence,
    survey: Survey,
    /// The most records that one query was told to have.
    told: u64,
}

impl Estimator {
    /// Takes in an answer.
    pub fn learn(&mut self, answer: &Asked<'_>) {
        self.evidence.learn(answer);
        self.survey.learn(answer);
        if let Some(Total::Exactly(total)) = answer.total {
            self.told = self.told.max(total);
        }
    }

    /// What is known by now; nothing before some records came twice. There are at least as many records as
    /// any one query was told to have.
    pub fn estimate(&self) -> Option<Estimate> {
        let seen = self.evidence.seen() as f64;
        let least = seen.max(self.told as f64);
        let features = self.evidence.features()?;
        let ratios = match self.survey.result() {
            Some(surveyed) => calibration::log_size(&surveyed, seen).map(f64::exp),
            None => calibration::log_odds(&features).map(|odds| 1.0 + odds.exp()),
        };
        let [low, middle, high] = ratios.map(|ratio| (seen * ratio).max(least));
        let size = Interval { low, estimate: middle, high };
        let coverage = Interval { low: seen / high, estimate: seen / middle, high: seen / low };
        Some(Estimate { seen: seen as u64, size, coverage })
    }

    /// What the totals say, for calibration.
    pub fn survey(&self) -> &Survey {
        &self.survey
    }

    /// What it is judged by, for calibration.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }
}
