//! Size estimates at fixed true coverages.

use hadal_core::harvest::estimate::{EstimateEvidence, EstimateInterval, SizeEstimator};
use hadal_core::harvest::policy::QueryOutcome;
use serde::{Deserialize, Serialize};

/// True coverages at which the estimate is recorded. Choice of the report.
pub const COVERAGES: [f64; 3] = [0.3, 0.6, 0.9];

/// True coverages at which the evidence behind the estimate is recorded, for fits of the calibration. Guess.
pub const EVIDENCE_COVERAGES: [f64; 14] =
    [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.99];

/// Evidence at one of [`EVIDENCE_COVERAGES`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedEvidence {
    /// Share of the records that was found, by ground truth.
    pub coverage: f64,
    /// Evidence that the estimator had.
    pub evidence: EstimateEvidence,
}

/// A size estimate at one of [`COVERAGES`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedEstimate {
    /// Share of the records that was found, by ground truth.
    pub coverage: f64,
    /// Estimated size, if the estimator gave one.
    pub size: Option<EstimateInterval>,
}

impl RecordedEstimate {
    /// True if the interval contains the true size.
    pub fn holds(&self, existing: u64) -> bool {
        let existing = existing as f64;
        self.size.is_some_and(|size| size.low <= existing && existing <= size.high)
    }

    /// Width of the interval divided by the true size.
    pub fn width(&self, existing: u64) -> f64 {
        self.size.map_or(f64::INFINITY, |size| (size.high - size.low) / existing.max(1) as f64)
    }
}

/// Runs an estimator beside a harvest and records its estimates.
#[derive(Default)]
pub struct EstimateRecorder {
    estimator: SizeEstimator,
    claims: Vec<RecordedEstimate>,
    evidence: Vec<RecordedEvidence>,
    /// Number of [`EVIDENCE_COVERAGES`] that were reached.
    reached: usize,
}

impl EstimateRecorder {
    /// Passes an answer to the estimator. `coverage` is the true coverage after it.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>, coverage: f64) {
        self.estimator.learn(answer);
        while COVERAGES.get(self.claims.len()).is_some_and(|moment| coverage >= *moment) {
            let size = self.estimator.estimate().map(|estimate| estimate.size);
            self.claims.push(RecordedEstimate { coverage, size });
        }
        let reached = EVIDENCE_COVERAGES.iter().filter(|moment| coverage >= **moment).count();
        if reached > self.reached {
            self.reached = reached;
            self.evidence.push(RecordedEvidence { coverage, evidence: self.estimator.evidence() });
        }
    }

    /// Ends the recording and returns estimates and evidence.
    pub fn finish(self) -> (Vec<RecordedEstimate>, Vec<RecordedEvidence>) {
        (self.claims, self.evidence)
    }
}
