//! provisional
use super::policy::Asked;
#[derive(Default)]
pub struct Estimator;
pub struct Estimate;
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
