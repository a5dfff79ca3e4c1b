//! Coverage over all harvests together.

use crate::store::{HarvestEstimate, HarvestRow};
use serde::Serialize;

/// Interval for the share of records downloaded; unknown before the first harvest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Coverage {
    /// Most likely share of the database.
    pub estimate: Option<f64>,
    /// Lower end of the interval.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
}

impl Coverage {
    /// Mean coverage of the harvests with an estimate, weighted by estimated size. The bounds are the means of
    /// the bounds, as if all harvests erred in the same direction, so the interval is conservative.
    pub fn of(harvests: &[HarvestRow]) -> Coverage {
        let known: Vec<HarvestEstimate> = harvests.iter().filter_map(|harvest| harvest.estimate).collect();
        let size =
            |known: &HarvestEstimate| Some(known.size[1]).filter(|size| size.is_finite() && *size >= 1.0);
        let weights: Vec<f64> = known.iter().map(|known| size(known).unwrap_or(1.0)).collect();
        let all: f64 = weights.iter().sum();
        let mean = |part: usize| {
            let shares = known.iter().zip(&weights).map(|(known, weight)| known.coverage[part] * weight);
            (!known.is_empty()).then(|| shares.sum::<f64>() / all)
        };
        Coverage { estimate: mean(1), low: mean(0), high: mean(2) }
    }
}
