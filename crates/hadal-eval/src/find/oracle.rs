//! Reference for every strategy: a greedy crawl that knows where all relevant forms are. Usually better than any
//! strategy, but not a bound.
//!
//! For each site the world gives a greedy tour through its relevant forms; robots.txt comes first. A tour
//! is cut into segments of decreasing yield (forms per request). The oracle takes segments in order of yield
//! over all sites. Segments of one site keep their order because their yield decreases.

use super::cached_web::RequestCounts;
use super::plan::TrialSpec;
use super::score::{CurvePoint, Gauges};
use super::topic_setup::TopicSetup;
use super::trial::{FindTrial, TrainingCost, TrialCost};
use hadal_world::World;

/// Requests between two points of the curve. Guess.
const POINT_EVERY: u64 = 500;

/// New relevant forms per request of a site's tour. Request 0 is robots.txt.
struct SiteTour(Vec<u32>);

/// Consecutive requests of one tour.
struct TourSegment {
    tour: usize,
    from: usize,
    to: usize,
    forms: u64,
}

/// Trial of the oracle.
pub fn trial(setup: &TopicSetup, spec: &TrialSpec) -> FindTrial {
    let tours = tours(&setup.known_world.world, &spec.topic);
    let (curve, robots) = walk(&tours, spec.requests);
    let end = curve.last().copied().unwrap_or_default();
    FindTrial {
        spec: spec.clone(),
        existing: setup.known_world.truth.relevant(&spec.topic),
        requests: RequestCounts { robots, lookups: 0, pages: end.pages },
        curve,
        training: TrainingCost::default(),
        deep: Vec::new(),
        lessons: Vec::new(),
        gauges: Gauges::new(),
        cost: TrialCost::default(),
    }
}

/// Tours of all sites with relevant forms.
fn tours(world: &World, topic: &str) -> Vec<SiteTour> {
    let tour = |tour: hadal_world::OracleVisit| SiteTour(std::iter::once(0).chain(tour.steps).collect());
    world.shortest_visits(topic).into_iter().map(tour).collect()
}

/// Takes segments by yield until the budget is spent. Returns the curve and the number of robots.txt requests.
fn walk(tours: &[SiteTour], budget: u64) -> (Vec<CurvePoint>, u64) {
    let mut segments: Vec<TourSegment> =
        tours.iter().enumerate().flat_map(|(tour, SiteTour(steps))| segments(tour, steps)).collect();
    segments.sort_by(|a, b| yields_more(b, a).then_with(|| (a.tour, a.from).cmp(&(b.tour, b.from))));
    let (mut now, mut robots) = (CurvePoint::default(), 0);
    let mut curve = vec![now];
    let steps = segments.iter().flat_map(|segment| (segment.from..segment.to).map(|at| (segment.tour, at)));
    for (tour, at) in steps.take(usize::try_from(budget).unwrap_or(usize::MAX)) {
        let SiteTour(steps) = &tours[tour];
        let forms = u64::from(steps[at]);
        let first = forms > 0 && steps[..at].iter().all(|before| *before == 0);
        now.requests += 1;
        now.pages += u64::from(at > 0);
        robots += u64::from(at == 0);
        now.relevant += forms;
        now.deep_sites += u64::from(first);
        (now.met, now.searchable) = (now.relevant, now.relevant);
        if now.requests.is_multiple_of(POINT_EVERY) {
            curve.push(now);
        }
    }
    if curve.last() != Some(&now) {
        curve.push(now);
    }
    (curve, robots)
}

fn yields_more(a: &TourSegment, b: &TourSegment) -> std::cmp::Ordering {
    let length = |segment: &TourSegment| (segment.to - segment.from) as u64;
    (a.forms * length(b)).cmp(&(b.forms * length(a)))
}

/// Cuts a tour into segments. Each segment has the highest mean yield among all segments that start where it
/// starts.
fn segments(tour: usize, steps: &[u32]) -> Vec<TourSegment> {
    let mut cut: Vec<TourSegment> = Vec::new();
    let mut from = 0;
    while let Some(best) = best_segment(tour, steps, from) {
        from = best.to;
        cut.push(best);
    }
    cut
}

fn best_segment(tour: usize, steps: &[u32], from: usize) -> Option<TourSegment> {
    let mut forms = 0;
    let mut best: Option<TourSegment> = None;
    for (at, step) in steps.iter().enumerate().skip(from) {
        forms += u64::from(*step);
        let segment = TourSegment { tour, from, to: at + 1, forms };
        if forms > 0 && best.as_ref().is_none_or(|best| yields_more(&segment, best).is_gt()) {
            best = Some(segment);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_richest_stretch_comes_first_and_robots_are_charged_once() {
        let tours = [SiteTour(vec![0, 1, 0, 1]), SiteTour(vec![0, 0, 9]), SiteTour(vec![0, 2])];
        let relevant = |budget| {
            let (curve, _) = walk(&tours, budget);
            curve.last().map_or(0, |point| point.relevant)
        };
        // Yields: 9 forms in 3 requests, 2 in 2, 1 in 2, 1 in 2.
        assert_eq!([2, 3, 5, 7, 9, 50].map(relevant), [0, 9, 11, 12, 13, 13]);
        let (curve, robots) = walk(&tours, 50);
        let end = curve[curve.len() - 1];
        assert_eq!((end.requests, end.pages, end.deep_sites, robots), (9, 6, 3, 3));
    }

    #[test]
    fn pages_after_the_last_form_are_not_visited() {
        let (curve, _) = walk(&[SiteTour(vec![0, 3, 0, 0, 0])], 100);
        assert_eq!(curve[curve.len() - 1].requests, 2);
        assert_eq!(walk(&[], 100).0, [CurvePoint::default()]);
    }
}
