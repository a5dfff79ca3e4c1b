//! What an estimator said when certain shares of the records had really come.

use hadal_core::harvest::estimate::{EstimateInterval, SizeEstimator};
use hadal_core::harvest::policy::QueryOutcome;
use serde::{Deserialize, Serialize};

/// True coverages at which the estimator is asked.
pub const MOMENTS: [f64; 3] = [0.3, 0.6, 0.9];

/// The size that was estimated at one of these moments.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Promise {
    /// The true coverage.
    pub coverage: f64,
    /// The size, as far as the estimator said any.
    pub size: Option<EstimateInterval>,
}

impl Promise {
    /// Whether the interval holds the true size.
    pub fn holds(&self, existing: u64) -> bool {
        let existing = existing as f64;
        self.size.is_some_and(|size| size.low <= existing && existing <= size.high)
    }

    /// The width of the interval over the true size.
    pub fn width(&self, existing: u64) -> f64 {
        self.size.map_or(f64::INFINITY, |size| (size.high - size.low) / existing.max(1) as f64)
    }
}

/// An estimator that is asked at the moments.
#[derive(Default)]
pub struct Listener {
    estimator: SizeEstimator,
    promises: Vec<Promise>,
}

impl Listener {
    /// Takes in an answer, and the share of the records that has really come by now.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>, coverage: f64) {
        self.estimator.learn(answer);
        while MOMENTS.get(self.promises.len()).is_some_and(|moment| coverage >= *moment) {
            let size = self.estimator.estimate().map(|estimate| estimate.size);
            self.promises.push(Promise { coverage, size });
        }
    }

    /// What was said at each moment that came.
    pub fn finish(self) -> Vec<Promise> {
        self.promises
    }
}
