//! Curves over requests, thinned for charts.

use crate::store::{
    CurvePoint, HarvestId, HarvestPoint, HarvestQuery, RunId, RunParts, RunQuery, Store, StoreError,
};
use serde::Serialize;
use utoipa::ToSchema;

/// Maximum number of points per curve. Guess.
pub const MAX_POINTS: usize = 500;

/// Counters of a run at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RunPoint {
    /// Requests sent so far.
    pub requests: u64,
    /// HTML pages fetched so far.
    pub pages: u64,
    /// Distinct forms of any kind.
    pub forms: u64,
    /// Distinct searchable forms.
    pub forms_searchable: u64,
    /// Distinct relevant forms.
    pub forms_relevant: u64,
    /// Links in the frontier.
    pub frontier: u64,
}

/// Counters of a harvest at one time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct CoveragePoint {
    /// Requests sent so far.
    pub requests: u64,
    /// Queries with answers that were read.
    pub queries: u64,
    /// Distinct records found so far.
    pub records: u64,
    /// Coverage from 0 to 1: lower bound, estimate, upper bound.
    pub coverage: Option<[f64; 3]>,
}

/// Curve of a run. The last point is the current state.
pub fn of_run(store: &dyn Store, run: RunId) -> Result<Vec<RunPoint>, StoreError> {
    let query = RunQuery { parts: RunParts { curve: true, ..RunParts::default() }, ..RunQuery::one(run) };
    let mut points = Vec::new();
    if let Some(row) = store.runs(&query)?.pop() {
        points = row.curve;
        let counters = row.counters;
        points.retain(|point| point.requests < counters.requests);
        points.push(CurvePoint {
            requests: counters.requests,
            pages: counters.pages,
            forms: counters.forms,
            searchable: counters.searchable,
            relevant: counters.relevant,
            waiting: counters.waiting,
        });
    }
    Ok(thinned(points, |point| point.requests).into_iter().map(run_point).collect())
}

fn run_point(point: CurvePoint) -> RunPoint {
    RunPoint {
        requests: point.requests,
        pages: point.pages,
        forms: point.forms,
        forms_searchable: point.searchable,
        forms_relevant: point.relevant,
        frontier: point.waiting,
    }
}

/// Curve of a harvest.
pub fn of_harvest(store: &dyn Store, harvest: HarvestId) -> Result<Vec<CoveragePoint>, StoreError> {
    let point = |point: HarvestPoint| CoveragePoint {
        requests: point.requests,
        queries: point.queries,
        records: point.records,
        coverage: point.coverage,
    };
    let query = HarvestQuery { curve: true, ..HarvestQuery::one(harvest) };
    let points = store.harvests(&query)?.pop().map(|row| row.curve).unwrap_or_default();
    Ok(thinned(points, |point| point.requests).into_iter().map(point).collect())
}

/// Keeps the points that a chart can distinguish, with the first and the last.
fn thinned<T>(points: Vec<T>, at: impl Fn(&T) -> u64) -> Vec<T> {
    let (count, end) = (points.len(), points.last().map_or(0, &at));
    let step = end.div_ceil(MAX_POINTS as u64 - 2).max(1);
    let mut next = 0;
    let mut kept = Vec::with_capacity(count.min(MAX_POINTS));
    for (place, point) in points.into_iter().enumerate() {
        let here = at(&point);
        if here >= next || place + 1 == count {
            next = here.saturating_add(step);
            kept.push(point);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_ends_and_its_shape() {
        for length in [1_u64, 2, 499, 500, 501, 5_000, 100_000] {
            let kept = thinned((1..=length).collect(), |point| *point);
            assert!(kept.len() <= MAX_POINTS, "{length}: {}", kept.len());
            assert_eq!((kept[0], kept[kept.len() - 1]), (1, length));
            let widest = kept.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
            assert!(widest <= length / 400 + 1, "{length}: {widest}");
        }
        assert!(thinned(Vec::<u64>::new(), |point| *point).is_empty());
    }
}
