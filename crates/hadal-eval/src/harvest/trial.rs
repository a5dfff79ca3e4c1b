//! One harvest of one database by one policy.
//!
//! [`run`] is the loop: choose a query, send it, learn. Each request is charged: the query with its first
//! result page, each further result page, each retry. The harvest ends at the highest coverage level, at the
//! end of the budget, or when the policy has no query left.

use super::curve::{HarvestCurve, HarvestPoint};
use super::database_setup::{DatabaseSetup, record_id};
use super::plan::HarvestCase;
use super::recorded_estimates::{EstimateRecorder, RecordedEstimate, RecordedEvidence};
use crate::find::trial::cpu_time;
use hadal_core::harvest::policy::result_cap::ResultCap;
use hadal_core::harvest::policy::{Hit, Policy, QueryOutcome, ReadingEnd, RequestCosts, StatedTotal};
use hadal_core::harvest::query::Query;
use hadal_core::learn::rng::Rng;
use hadal_world::database::{self, SearchResult, TotalShown};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use typed_arena::Arena;

/// Result of one harvest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HarvestTrial {
    /// Parameters of the harvest.
    pub case: HarvestCase,
    /// Maximum number of requests of the trial.
    pub budget: u64,
    /// Coverage over cost.
    pub curve: HarvestCurve,
    /// Size estimates during the harvest.
    pub claims: Vec<RecordedEstimate>,
    /// Evidence behind the estimates, at more coverages.
    #[serde(default)]
    pub evidence: Vec<RecordedEvidence>,
    /// CPU time of the trial. Not part of the result.
    pub cpu_seconds: f64,
}

/// Attempts per result page. Guess.
const TRIES: u32 = 3;
/// Totals below this are exact even in settings with rounded totals. Guess.
const MIN_ROUNDED: u32 = 50;

impl HarvestTrial {
    /// Requests to a level, given by its index in [`LEVELS`](super::curve::LEVELS); the budget if it was not
    /// reached.
    pub fn requests_to(&self, level: usize) -> f64 {
        self.curve.levels.get(level).map_or(self.budget as f64, |point| point.requests as f64)
    }

    /// Queries to a level. If it was not reached, the number of queries that the budget allows at the same
    /// rate.
    pub fn queries_to(&self, level: usize) -> f64 {
        let end = self.curve.end();
        let missed = || end.queries as f64 * (self.budget as f64 / end.requests.max(1) as f64).max(1.0);
        self.curve.levels.get(level).map_or_else(missed, |point| point.queries as f64)
    }

    /// True if a level was reached.
    pub fn reached(&self, level: usize) -> bool {
        level < self.curve.levels.len()
    }

    /// True if both trials have the same result. Ignores CPU time.
    pub fn same_result(&self, other: &HarvestTrial) -> bool {
        HarvestTrial { cpu_seconds: other.cpu_seconds, ..self.clone() } == *other
    }
}

/// Runs a trial.
pub fn run(setup: &DatabaseSetup, policy: &mut dyn Policy, case: &HarvestCase) -> HarvestTrial {
    let begun = cpu_time();
    let budget = case.requests.unwrap_or_else(|| setup.setting.budget(setup.records()));
    let texts = Arena::new();
    let mut harvest = RunningHarvest::new(setup, &texts, case, budget);
    let mut recorder = EstimateRecorder::default();
    while !harvest.is_over() {
        let costs = harvest.costs();
        let Some(query) = policy.choose(&costs) else { break };
        let answer = harvest.ask(&query, policy, &costs);
        let outcome = answer.outcome(&query);
        harvest.cap.learn(&outcome);
        policy.learn(&outcome);
        recorder.learn(&outcome, harvest.curve.coverage(&harvest.now));
    }
    harvest.curve.finish(harvest.now);
    let (curve, (claims, evidence)) = (harvest.curve, recorder.finish());
    HarvestTrial { case: case.clone(), budget, curve, claims, evidence, cpu_seconds: cpu_time() - begun }
}

/// State of a running harvest.
struct RunningHarvest<'a> {
    setup: &'a DatabaseSetup,
    /// Texts of records that depend on the query.
    texts: &'a Arena<String>,
    budget: u64,
    until_percent: u8,
    seen: Vec<bool>,
    cap: ResultCap,
    chance: Rng,
    now: HarvestPoint,
    curve: HarvestCurve,
}

/// Result pages read so far of one answer.
struct ReadAnswer<'a> {
    hits: Vec<Hit<'a>>,
    total: Option<StatedTotal>,
    pages: u32,
    end: ReadingEnd,
}

impl ReadAnswer<'_> {
    fn outcome<'s>(&'s self, query: &'s Query) -> QueryOutcome<'s> {
        let ReadAnswer { hits, total, pages, end } = self;
        QueryOutcome { query, hits, total: *total, pages: *pages, end: *end }
    }
}

impl<'a> RunningHarvest<'a> {
    fn new(
        setup: &'a DatabaseSetup,
        texts: &'a Arena<String>,
        case: &HarvestCase,
        budget: u64,
    ) -> RunningHarvest<'a> {
        RunningHarvest {
            setup,
            texts,
            budget,
            until_percent: case.until_percent,
            seen: vec![false; setup.records() as usize],
            cap: ResultCap::default(),
            chance: Rng::new(!case.seed),
            now: HarvestPoint::default(),
            curve: HarvestCurve::new(setup.existing),
        }
    }

    fn is_over(&self) -> bool {
        self.is_spent() || 100.0 * self.curve.coverage(&self.now) >= f64::from(self.until_percent)
    }

    fn is_spent(&self) -> bool {
        self.now.requests >= self.budget
    }

    fn costs(&self) -> RequestCosts {
        let page = if self.setup.setting.pages_are_free { 0.0 } else { 1.0 };
        let page_size = self.setup.database.config().page_size;
        RequestCosts { query: 1.0, page, detail: 0.0, page_size, cap: self.cap.value() }
    }

    /// Sends a query and reads its answer as long as the policy continues.
    fn ask(&mut self, query: &Query, policy: &dyn Policy, costs: &RequestCosts) -> ReadAnswer<'a> {
        self.now.queries += u64::from(query.after == 0);
        let found = self.setup.database.search_all(&database::SearchQuery::words(&query.words));
        let mut answer = ReadAnswer {
            hits: Vec::new(),
            total: self.stated_total(&found, query.after),
            pages: 0,
            end: ReadingEnd::Paused,
        };
        let left = &found.hits[(query.after as usize).min(found.hits.len())..];
        let mut pages = left.chunks(costs.page_size.max(1) as usize);
        loop {
            if !self.fetch(query.after + answer.pages) {
                answer.end = ReadingEnd::Failed;
                return answer;
            }
            answer.pages += 1;
            self.take(pages.next().unwrap_or_default(), query, &mut answer);
            if pages.len() == 0 {
                answer.end = ReadingEnd::LastPage;
                return answer;
            }
            if self.is_spent() || !policy.wants_next_page(&answer.outcome(query), costs) {
                return answer;
            }
        }
    }

    /// Charges a result page and its retries. False if all attempts failed or the budget is spent.
    fn fetch(&mut self, pages: u32) -> bool {
        let charge = u64::from(pages == 0 || !self.setup.setting.pages_are_free);
        let failures = self.setup.database.config().failure_rate;
        (0..TRIES).any(|_| {
            self.now.requests += charge;
            self.chance.fraction() >= failures
        })
    }

    fn take(&mut self, page: &[u32], query: &Query, answer: &mut ReadAnswer<'a>) {
        let collection = self.setup.database.collection();
        for &number in page {
            let (Some(record), at) = (collection.record(number), number as usize) else { continue };
            let is_new = !std::mem::replace(&mut self.seen[at], true);
            self.now.shown += 1;
            self.now.found += u64::from(is_new);
            let text = match self.setup.shown(number, &query.words) {
                Cow::Borrowed(text) => text,
                Cow::Owned(text) => self.texts.alloc(text).as_str(),
            };
            let (id, title) = (record_id(number), record.title);
            answer.hits.push(Hit { id, is_new, title, text, fields: &[] });
        }
        self.curve.note(self.now);
    }

    /// Total as the database states it on the first page after `after` records.
    fn stated_total(&self, found: &SearchResult, after: u32) -> Option<StatedTotal> {
        let config = self.setup.database.config();
        let bound = u64::from(found.total.min(after + config.page_size + 1));
        match config.total_shown {
            TotalShown::Bound => Some(StatedTotal::Exactly(bound)),
            TotalShown::Hidden => None,
            TotalShown::Rounded if found.total >= MIN_ROUNDED => {
                Some(StatedTotal::About(u64::from(rounded(found.total))))
            }
            TotalShown::Exact | TotalShown::Rounded => Some(StatedTotal::Exactly(u64::from(found.total))),
        }
    }
}

/// Rounds down to two significant digits.
fn rounded(total: u32) -> u32 {
    let unit = 10u32.pow(total.max(1).ilog10().saturating_sub(1));
    total / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::collections::NamedCollection;
    use crate::harvest::curve::HIGHEST_LEVEL;
    use crate::harvest::database_setup::IndexedCollection;
    use std::sync::Arc;

    /// Test policy that repeats one word and records the answers.
    struct RepeatPolicy {
        word: &'static str,
        most_pages: u32,
        came: Vec<(usize, u32, Option<StatedTotal>, ReadingEnd)>,
    }

    impl Policy for RepeatPolicy {
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

    fn harvested(setting: &str, most_pages: u32, requests: Option<u64>) -> (RepeatPolicy, HarvestTrial) {
        let case = HarvestCase {
            collection: "short-texts".into(),
            records: 1_000,
            setting: setting.into(),
            policy: "stubborn".into(),
            seed: 1,
            start: 0,
            requests,
            until_percent: HIGHEST_LEVEL,
        };
        let collection = IndexedCollection::of(&NamedCollection::generated()[0], 1_000).unwrap();
        let setup = DatabaseSetup::new(Arc::new(collection), &case).unwrap();
        let mut policy = RepeatPolicy { word: "the", most_pages, came: Vec::new() };
        let trial = run(&setup, &mut policy, &case);
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
        assert_eq!(end, HarvestPoint { queries: 4, requests: 20, shown: 200, found: 50 });
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
    fn totals_follow_the_setting_and_free_pages_cost_nothing() {
        assert_eq!(harvested("total-hidden", 1, None).0.came[0].2, None);
        let rounded = harvested("total-rounded", 1, None).0.came[0].2;
        assert!(matches!(rounded, Some(StatedTotal::About(total)) if total % 10 == 0), "{rounded:?}");
        let (_, trial) = harvested("paper", u32::MAX, None);
        assert_eq!(
            trial.curve.end(),
            HarvestPoint { queries: 4, requests: 4, shown: 0, found: 0 },
            "no stop words"
        );
        assert_eq!([7, 49, 50, 99, 1_234].map(super::rounded), [7, 49, 50, 99, 1_200]);
    }

    #[test]
    fn pages_that_fail_are_asked_for_again_and_charged() {
        let (_, calm) = harvested("base", u32::MAX, None);
        let (_, flaky) = harvested("failures-10", u32::MAX, None);
        assert!(flaky.curve.end().requests > calm.curve.end().requests);
    }
}
