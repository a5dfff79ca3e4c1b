//! How many records there are, and what share of them has come: intervals, never a single number.
//!
//! An [`Estimator`] sees the same answers as a policy and works beside any of them. [`evidence`] keeps the
//! capture history, [`calibration`] turns it into an interval that held nine times in ten on databases it
//! was not fitted on; [`stop`] says when a harvest is over.

mod calibration;
pub mod evidence;
pub mod stop;

use super::policy::{Asked, Total};
use evidence::Evidence;

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
    /// The most records that one query was told to have.
    told: u64,
}

impl Estimator {
    /// Takes in an answer.
    pub fn learn(&mut self, answer: &Asked<'_>) {
        self.evidence.learn(answer);
        if let Some(Total::Exactly(total)) = answer.total {
            self.told = self.told.max(total);
        }
    }

    /// What is known by now; nothing before some records came twice. There are at least as many records as
    /// any one query was told to have.
    pub fn estimate(&self) -> Option<Estimate> {
        let seen = self.evidence.seen() as f64;
        let least = seen.max(self.told as f64);
        let [low, middle, high] = calibration::log_odds(&self.evidence.features()?)
            .map(|odds| (seen * (1.0 + odds.exp())).max(least));
        let size = Interval { low, estimate: middle, high };
        let coverage = Interval { low: seen / high, estimate: seen / middle, high: seen / low };
        Some(Estimate { seen: seen as u64, size, coverage })
    }

    /// What it is judged by, for calibration.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }
}
