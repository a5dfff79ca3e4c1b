//! provisional
#![allow(missing_docs)]
use super::policy::Asked;
#[derive(Default)]
pub struct Estimator;
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    pub low: f64,
    pub estimate: f64,
    pub high: f64,
}
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    pub size: Interval,
    pub coverage: Interval,
}
impl Estimate {
    pub fn is_covered(&self, _: f64) -> bool {
        false
    }
}
impl Estimator {
    pub fn learn(&mut self, _: &Asked<'_>) {}
    pub fn estimate(&self) -> Option<Estimate> {
        None
    }
}
