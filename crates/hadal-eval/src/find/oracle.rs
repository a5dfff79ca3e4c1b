//! The bound that no strategy beats: a crawl that knows where every relevant form is.
//!
//! Each site is a tour in its best order, with its robots.txt in front. A tour is cut into stretches of
//! falling yield (forms per request); the richest stretch of any site comes next. Within a site later
//! stretches yield less than earlier ones, so the order is possible, and no other one is ahead of it at
//! the end of a stretch.

use super::arena::Arena;
use super::carrier::ByKind;
use super::plan::Setting;
use super::score::{Gauges, Point};
use super::trial::{Cost, Training, Trial};
use hadal_world::World;

/// Its name among strategies.
pub const ORACLE: &str = "oracle";

/// A point of the curve every so many requests.
const POINT_EVERY: u64 = 500;

/// A site in its best order: how many new relevant forms each request brings, robots.txt first.
struct Tour(Vec<u32>);

/// Requests of one tour that are made in a row.
struct Stretch {
    tour: usize,
    from: usize,
    to: usize,
    forms: u64,
}

/// The trial of a strategy that knows everything.
pub fn trial(arena: &Arena, setting: &Setting) -> Trial {
    let tours = tours(&arena.ground.world, &setting.topic);
    let (curve, robots) = walk(&tours, setting.requests);
    let end = curve.last().copied().unwrap_or_default();
    Trial {
        setting: setting.clone(),
        existing: arena.ground.truth.relevant(&setting.topic),
        requests: ByKind { robots, lookups: 0, pages: end.pages },
        curve,
        training: Training::default(),
        deep: Vec::new(),
        lessons: Vec::new(),
        gauges: Gauges::new(),
        cost: Cost::default(),
    }
}

/// The tours of all sites with relevant forms.
fn tours(world: &World, topic: &str) -> Vec<Tour> {
    let tour = |tour: hadal_world::OracleVisit| Tour(std::iter::once(0).chain(tour.steps).collect());
    world.shortest_visits(topic).into_iter().map(tour).collect()
}

/// Follows the richest stretches until the budget is spent; answers the curve and robots.txt read.
fn walk(tours: &[Tour], budget: u64) -> (Vec<Point>, u64) {
    let mut stretches: Vec<Stretch> =
        tours.iter().enumerate().flat_map(|(tour, Tour(steps))| stretches(tour, steps)).collect();
    stretches.sort_by(|a, b| yields_more(b, a).then_with(|| (a.tour, a.from).cmp(&(b.tour, b.from))));
    let (mut now, mut robots) = (Point::default(), 0);
    let mut curve = vec![now];
    let steps = stretches.iter().flat_map(|stretch| (stretch.from..stretch.to).map(|at| (stretch.tour, at)));
    for (tour, at) in steps.take(usize::try_from(budget).unwrap_or(usize::MAX)) {
        let Tour(steps) = &tours[tour];
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

fn yields_more(a: &Stretch, b: &Stretch) -> std::cmp::Ordering {
    let length = |stretch: &Stretch| (stretch.to - stretch.from) as u64;
    (a.forms * length(b)).cmp(&(b.forms * length(a)))
}

/// Cuts a tour where its yield falls: each stretch is the one with the highest mean from where it begins.
fn stretches(tour: usize, steps: &[u32]) -> Vec<Stretch> {
    let mut cut: Vec<Stretch> = Vec::new();
    let mut from = 0;
    while let Some(best) = best_stretch(tour, steps, from) {
        from = best.to;
        cut.push(best);
    }
    cut
}

fn best_stretch(tour: usize, steps: &[u32], from: usize) -> Option<Stretch> {
    let mut forms = 0;
    let mut best: Option<Stretch> = None;
    for (at, step) in steps.iter().enumerate().skip(from) {
        forms += u64::from(*step);
        let stretch = Stretch { tour, from, to: at + 1, forms };
        if forms > 0 && best.as_ref().is_none_or(|best| yields_more(&stretch, best).is_gt()) {
            best = Some(stretch);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_richest_stretch_comes_first_and_robots_are_charged_once() {
        let tours = [Tour(vec![0, 1, 0, 1]), Tour(vec![0, 0, 9]), Tour(vec![0, 2])];
        let relevant = |budget| {
            let (curve, _) = walk(&tours, budget);
            curve.last().map_or(0, |point| point.relevant)
        };
        // 9 forms in 3 requests, then 2 in 2, then 1 in 2, then 1 in 2.
        assert_eq!([2, 3, 5, 7, 9, 50].map(relevant), [0, 9, 11, 12, 13, 13]);
        let (curve, robots) = walk(&tours, 50);
        let end = curve[curve.len() - 1];
        assert_eq!((end.requests, end.pages, end.deep_sites, robots), (9, 6, 3, 3));
    }

    #[test]
    fn pages_after_the_last_form_are_not_visited() {
        let (curve, _) = walk(&[Tour(vec![0, 3, 0, 0, 0])], 100);
        assert_eq!(curve[curve.len() - 1].requests, 2);
        assert_eq!(walk(&[], 100).0, [Point::default()]);
    }
}
