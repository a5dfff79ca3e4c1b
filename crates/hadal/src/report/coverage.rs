//! How much of what is behind the harvested forms was brought up, all harvests together.

use crate::store::{HarvestEstimate, HarvestRow};
use serde::Serialize;

/// An interval for the share of records brought up; unknown before anything was harvested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Coverage {
    /// Best guess.
    pub estimate: Option<f64>,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

impl Coverage {
    /// The coverage of harvests that have an estimate, each counting as much as there is behind its form.
    /// The ends are those of all harvests erring the same way: rather too wide than too narrow.
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
