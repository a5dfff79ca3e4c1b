//! One harvest of one database by one policy.
//!
//! [`run`] is the loop: choose, ask, learn. Every request is charged: a query with the first page of its
//! answer, each further page, each page again that failed. It ends when nearly everything is found, when the
//! budget is spent, or when the policy has nothing left to ask.

use super::arena::Arena;
use super::curve::{Curve, Point};
use super::oracle::record_id;
use super::plan::Case;
use super::promises::{Listener, Promise};
use crate::find::trial::cpu_time;
use hadal_core::harvest::policy::result_cap::ResultCap;
use hadal_core::harvest::policy::{Hit, Policy, QueryOutcome, ReadingEnd, RequestCosts, StatedTotal};
use hadal_core::harvest::query::Query;
use hadal_core::learn::random::Random;
use hadal_world::database::{self, SearchResult, TotalShown};
use serde::{Deserialize, Serialize};

/// What came of a harvest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Which harvest it was.
    pub case: Case,
    /// Requests it was given.
    pub budget: u64,
    /// Its course.
    pub curve: Curve,
    /// How large the database was said to be on the way.
    pub promises: Vec<Promise>,
    /// What the trial cost to run; no part of the result.
    pub cpu_seconds: f64,
}

/// How often a page is asked for that does not come.
const TRIES: u32 = 3;
/// Totals below this are told exactly even where the others are rounded.
const LEAST_ROUNDED: u32 = 50;

impl Trial {
    /// Requests to a level, by its place among the levels; the budget when it was missed.
    pub fn requests_to(&self, level: usize) -> f64 {
        self.curve.levels.get(level).map_or(self.budget as f64, |point| point.requests as f64)
    }

    /// Queries to a level; when it was missed, as many as the budget would have paid for.
    pub fn queries_to(&self, level: usize) -> f64 {
        let end = self.curve.end();
        let missed = || end.queries as f64 * (self.budget as f64 / end.requests.max(1) as f64).max(1.0);
        self.curve.levels.get(level).map_or_else(missed, |point| point.queries as f64)
    }

    /// Whether it came that far.
    pub fn reached(&self, level: usize) -> bool {
        level < self.curve.levels.len()
    }

    /// The same trial, whatever it cost to run.
    pub fn same_result(&self, other: &Trial) -> bool {
        Trial { cpu_seconds: other.cpu_seconds, ..self.clone() } == *other
    }
}

/// Runs a trial.
pub fn run(arena: &Arena, policy: &mut dyn Policy, case: &Case) -> Trial {
    let begun = cpu_time();
    let budget = case.requests.unwrap_or_else(|| arena.setting.budget(arena.shown.len() as u32));
    let (mut harvest, mut listener) = (Harvest::new(arena, case.seed, budget), Listener::default());
    while !harvest.is_over() {
        let costs = harvest.costs();
        let Some(query) = policy.choose(&costs) else { break };
        let answer = harvest.ask(&query, policy, &costs);
        let asked = answer.asked(&query);
        harvest.cap.learn(&asked);
        policy.learn(&asked);
        listener.learn(&asked, harvest.curve.coverage(&harvest.now));
    }
    harvest.curve.finish(harvest.now);
    let (curve, promises) = (harvest.curve, listener.finish());
    Trial { case: case.clone(), budget, curve, promises, cpu_seconds: cpu_time() - begun }
}

/// A harvest under way.
struct Harvest<'a> {
    arena: &'a Arena,
    budget: u64,
    seen: Vec<bool>,
    cap: ResultCap,
    chance: Random,
    now: Point,
    curve: Curve,
}

/// What has been read of an answer.
struct Answer<'a> {
    hits: Vec<Hit<'a>>,
    total: Option<StatedTotal>,
    pages: u32,
    end: ReadingEnd,
}

impl Answer<'_> {
    fn asked<'s>(&'s self, query: &'s Query) -> QueryOutcome<'s> {
        let Answer { hits, total, pages, end } = self;
        QueryOutcome { query, hits, total: *total, pages: *pages, end: *end }
    }
}

impl<'a> Harvest<'a> {
    fn new(arena: &'a Arena, seed: u64, budget: u64) -> Harvest<'a> {
        Harvest {
            arena,
            budget,
            seen: vec![false; arena.shown.len()],
            cap: ResultCap::default(),
            chance: Random::new(!seed),
            now: Point::default(),
            curve: Curve::new(arena.existing),
        }
    }

    fn is_over(&self) -> bool {
        self.is_spent() || self.curve.is_complete()
    }

    fn is_spent(&self) -> bool {
        self.now.requests >= self.budget
    }

    fn costs(&self) -> RequestCosts {
        let page = if self.arena.setting.pages_are_free { 0.0 } else { 1.0 };
        let page_size = self.arena.database.config().page_size;
        RequestCosts { query: 1.0, page, detail: 0.0, page_size, cap: self.cap.value() }
    }

    /// Sends a query and reads its answer, as far as the policy wants it.
    fn ask(&mut self, query: &Query, policy: &dyn Policy, costs: &RequestCosts) -> Answer<'a> {
        self.now.queries += u64::from(query.after == 0);
        let found = self.arena.database.search_all(&database::SearchQuery::words(&query.words));
        let mut answer =
            Answer { hits: Vec::new(), total: self.told(&found), pages: 0, end: ReadingEnd::Paused };
        let left = &found.hits[(query.after as usize).min(found.hits.len())..];
        let mut pages = left.chunks(costs.page_size.max(1) as usize);
        loop {
            if !self.fetch(query.after + answer.pages) {
                answer.end = ReadingEnd::Failed;
                return answer;
            }
            answer.pages += 1;
            self.take(pages.next().unwrap_or_default(), &mut answer);
            if pages.len() == 0 {
                answer.end = ReadingEnd::LastPage;
                return answer;
            }
            if self.is_spent() || !policy.wants_next_page(&answer.asked(query), costs) {
                return answer;
            }
        }
    }

    /// Pays for the page after so many others; whether it came.
    fn fetch(&mut self, pages: u32) -> bool {
        let charge = u64::from(pages == 0 || !self.arena.setting.pages_are_free);
        let failures = self.arena.database.config().failure_rate;
        (0..TRIES).any(|_| {
            self.now.requests += charge;
            self.chance.share() >= failures
        })
    }

    fn take(&mut self, page: &[u32], answer: &mut Answer<'a>) {
        let collection = self.arena.database.collection();
        for &number in page {
            let (Some(record), at) = (collection.record(number), number as usize) else { continue };
            let is_new = !std::mem::replace(&mut self.seen[at], true);
            self.now.shown += 1;
            self.now.found += u64::from(is_new);
            let (id, title, text) = (record_id(number), record.title, self.arena.shown[at].as_str());
            answer.hits.push(Hit { id, is_new, title, text, fields: &[] });
        }
        self.curve.note(self.now);
    }

    /// The number of results as the database tells it.
    fn told(&self, found: &SearchResult) -> Option<StatedTotal> {
        match self.arena.database.config().total_shown {
            TotalShown::Hidden => None,
            TotalShown::Rounded if found.total >= LEAST_ROUNDED => {
                Some(StatedTotal::About(u64::from(rounded(found.total))))
            }
            TotalShown::Exact | TotalShown::Rounded => Some(StatedTotal::Exactly(u64::from(found.total))),
        }
    }
}

/// Two figures, the rest zeros.
fn rounded(total: u32) -> u32 {
    let unit = 10u32.pow(total.max(1).ilog10().saturating_sub(1));
    total / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::arena::Ground;
    use crate::harvest::collections::Held;
    use std::sync::Arc;

    /// Asks for one word again and again, and remembers what came.
    struct Stubborn {
        word: &'static str,
        most_pages: u32,
        came: Vec<(usize, u32, Option<StatedTotal>, ReadingEnd)>,
    }

    impl Policy for Stubborn {
        fn choose(&mut self, _costs: &RequestCosts) -> Option<Query> {
            (self.came.len() < 4).then(|| Query::words(self.word))
        }

        fn wants_next_page(&self, answer: &QueryOutcome<'_>, _costs: &RequestCosts) -> bool {
            answer.pages < self.most_pages
        }

        fn learn(&mut self, answer: &QueryOutcome<'_>) {
            self.came.push((answer.hits.len(), answer.pages, answer.total, answer.end));
        }

        fn top_queries(&self, _costs: &RequestCosts, _most: usize) -> Vec<(Query, f64)> {
            Vec::new()
        }
    }

    fn harvested(setting: &str, most_pages: u32, requests: Option<u64>) -> (Stubborn, Trial) {
        let case = Case {
            collection: "short-texts".into(),
            records: 1_000,
            setting: setting.into(),
            policy: "stubborn".into(),
            seed: 1,
            start: 0,
            requests,
        };
        let ground = Ground::of(&Held::generated()[0], 1_000).unwrap();
        let arena = Arena::new(Arc::new(ground), &case).unwrap();
        let mut policy = Stubborn { word: "the", most_pages, came: Vec::new() };
        let trial = run(&arena, &mut policy, &case);
        (policy, trial)
    }

    #[test]
    fn every_page_is_charged_and_a_record_is_found_once() {
        let (policy, trial) = harvested("base", u32::MAX, None);
        let end = trial.curve.end();
        assert_eq!(
            (policy.came[0].0, policy.came[0].1, policy.came[0].3),
            (50, 5, ReadingEnd::LastPage),
            "the cap is N/20"
        );
        assert!(matches!(policy.came[0].2, Some(StatedTotal::Exactly(total)) if total > 50));
        assert_eq!(end, Point { queries: 4, requests: 20, shown: 200, found: 50 });
        assert!(!trial.reached(0));
        assert_eq!((trial.requests_to(0), trial.queries_to(0)), (1_400.0, 280.0), "at the pace it had");
    }

    #[test]
    fn a_policy_may_leave_off_and_a_budget_ends_in_the_middle_of_an_answer() {
        let (policy, trial) = harvested("base", 2, None);
        assert_eq!((policy.came[0].0, policy.came[0].3), (20, ReadingEnd::Paused));
        assert_eq!(trial.curve.end().requests, 8);
        let (policy, trial) = harvested("base", u32::MAX, Some(3));
        assert_eq!((policy.came.len(), policy.came[0].1, policy.came[0].3), (1, 3, ReadingEnd::Paused));
        assert_eq!(trial.curve.end().requests, 3);
    }

    #[test]
    fn totals_are_told_as_the_setting_wants_and_free_pages_are_free() {
        assert_eq!(harvested("total-hidden", 1, None).0.came[0].2, None);
        let rounded = harvested("total-rounded", 1, None).0.came[0].2;
        assert!(matches!(rounded, Some(StatedTotal::About(total)) if total % 10 == 0), "{rounded:?}");
        let (_, trial) = harvested("paper", u32::MAX, None);
        assert_eq!(trial.curve.end(), Point { queries: 4, requests: 4, shown: 0, found: 0 }, "no stop words");
        assert_eq!([7, 49, 50, 99, 1_234].map(super::rounded), [7, 49, 50, 99, 1_200]);
    }

    #[test]
    fn pages_that_fail_are_asked_for_again_and_charged() {
        let (_, calm) = harvested("base", u32::MAX, None);
        let (_, flaky) = harvested("failures-10", u32::MAX, None);
        assert!(flaky.curve.end().requests > calm.curve.end().requests);
    }
}
