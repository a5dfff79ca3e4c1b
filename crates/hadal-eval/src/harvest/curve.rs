//! Coverage of a harvest over its cost.

use serde::{Deserialize, Serialize};

/// Coverages at which policies are compared. Choice of the report.
pub const LEVELS: [f64; 5] = [0.5, 0.7, 0.8, 0.9, 0.95];

/// Coverage in percent at which a harvest ends that compares policies: the highest of [`LEVELS`].
pub const HIGHEST_LEVEL: u8 = 95;

/// Counters of a harvest at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HarvestPoint {
    /// Queries sent so far.
    pub queries: u64,
    /// Requests sent so far.
    pub requests: u64,
    /// Captures: records in answers, counted each time.
    pub shown: u64,
    /// Distinct records found so far.
    pub found: u64,
}

/// Selected points of a harvest, and the first point at each level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HarvestCurve {
    /// Number of records that can be found.
    pub existing: u64,
    /// Points in order of time.
    pub points: Vec<HarvestPoint>,
    /// First point at each of [`LEVELS`] that was reached.
    pub levels: Vec<HarvestPoint>,
}

/// A point is stored after a gain of this share of all records, or after a growth of the number of queries by
/// [`GROWTH`]. Guess.
const GAIN: f64 = 1.0 / 300.0;
/// Growth of the number of queries between two points, see [`GAIN`]. Guess.
const GROWTH: f64 = 1.02;

impl HarvestCurve {
    pub fn new(existing: u64) -> HarvestCurve {
        HarvestCurve { existing, points: vec![HarvestPoint::default()], levels: Vec::new() }
    }

    /// Updates the curve with the current counters.
    pub fn note(&mut self, now: HarvestPoint) {
        while LEVELS.get(self.levels.len()).is_some_and(|level| self.coverage(&now) >= *level) {
            self.levels.push(now);
        }
        let last = self.end();
        let gained = now.found - last.found;
        let is_far = gained as f64 >= GAIN * self.existing as f64
            || now.queries as f64 >= GROWTH * last.queries as f64 + 1.0;
        if is_far {
            self.points.push(now);
        }
    }

    /// Stores the last point.
    pub fn finish(&mut self, now: HarvestPoint) {
        if self.end() != now {
            self.points.push(now);
        }
    }

    /// Last point of the curve.
    pub fn end(&self) -> HarvestPoint {
        self.points.last().copied().unwrap_or_default()
    }

    /// True if the highest level was reached.
    pub fn is_complete(&self) -> bool {
        self.levels.len() == LEVELS.len()
    }

    /// Share of all records found at a point.
    pub fn coverage(&self, point: &HarvestPoint) -> f64 {
        point.found as f64 / self.existing.max(1) as f64
    }

    /// Coverage at the last point with a `measure` of at most `spent`.
    pub fn coverage_at(&self, measure: impl Fn(&HarvestPoint) -> f64, spent: f64) -> f64 {
        let end = self.points.partition_point(|point| measure(point) <= spent);
        let point = end.checked_sub(1).and_then(|last| self.points.get(last)).copied();
        self.coverage(&point.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(queries: u64, found: u64) -> HarvestPoint {
        HarvestPoint { queries, requests: 2 * queries, shown: found, found }
    }

    #[test]
    fn levels_are_where_they_are_first_reached() {
        let mut curve = HarvestCurve::new(100);
        [point(1, 20), point(2, 60), point(3, 85), point(4, 86)]
            .into_iter()
            .for_each(|point| curve.note(point));
        assert_eq!(curve.levels.iter().map(|point| point.queries).collect::<Vec<_>>(), [2, 3, 3]);
        assert!(!curve.is_complete());
        curve.note(point(5, 100));
        assert!(curve.is_complete());
    }

    #[test]
    fn long_courses_keep_few_points_and_both_ends() {
        let mut curve = HarvestCurve::new(1_000_000);
        (1..=50_000).for_each(|n| curve.note(point(n, n)));
        curve.finish(point(50_001, 50_000));
        assert!(curve.points.len() < 700, "{}", curve.points.len());
        assert_eq!((curve.points[0], curve.end()), (HarvestPoint::default(), point(50_001, 50_000)));
    }

    #[test]
    fn a_course_is_read_at_the_last_point_before() {
        let mut curve = HarvestCurve::new(10);
        [point(2, 3), point(4, 8)].into_iter().for_each(|point| curve.note(point));
        let coverage = |spent| curve.coverage_at(|point| point.queries as f64, spent);
        assert_eq!([0.0, 1.9, 2.0, 3.9, 4.0, 99.0].map(coverage), [0.0, 0.0, 0.3, 0.3, 0.8, 0.8]);
    }
}
