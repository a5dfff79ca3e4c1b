//! Choice of the queries that a refresh sends again.

use super::ChangeRate;
use crate::harvest::estimate::stop::MIN_YIELD;
use crate::harvest::policy::{Policy, QueryOutcome, RequestCosts};
use crate::harvest::query::Query;
use crate::harvest::record::RecordId;
use rustc_hash::{FxHashMap, FxHashSet};

/// A query of a harvest, with its last answer.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownQuery {
    /// The query, without a continuation.
    pub query: Query,
    /// Records of its last answer, in order.
    pub hits: Vec<RecordId>,
    /// Requests that its last answer took.
    pub requests: u32,
    /// Changes that it found in earlier refreshes.
    pub history: ChangeRate,
}

/// Sends known queries again, first those with most expected changes per request.
///
/// The expected number of changes in the first `n` result pages of query `q` is
///
/// `E(q, n) = r * f_q * sum over the records of these pages of d`
///
/// with the rate `r` of the form and the factor `f_q` of the query, see [`ChangeRate`], and the days `d` since a record
/// was last seen. A record that this refresh has seen counts 0, so queries with the same records follow late. New
/// records are part of the rate: they match a query as often as known records do. The value of a query is the greatest
/// `E(q, n) / n`. An answer is read on as long as its next page has at least the value of the best other query.
pub struct RefreshPolicy {
    queries: Vec<KnownQuery>,
    /// Days since each record was last seen; records that this refresh saw are removed.
    days: FxHashMap<RecordId, f64>,
    rate: f64,
    /// Value of each query at its last computation. It never grows, because records are only removed from `days`.
    values: Vec<f64>,
    /// Queries that this refresh has sent.
    sent: FxHashSet<usize>,
    /// Positions by query.
    places: FxHashMap<Query, usize>,
}

impl RefreshPolicy {
    /// Policy for the queries of a harvest. `days` holds the days since each record was last seen, `prior` is the rate
    /// of change of all forms.
    pub fn new(queries: Vec<KnownQuery>, days: FxHashMap<RecordId, f64>, prior: f64) -> RefreshPolicy {
        let mut total = ChangeRate::default();
        queries.iter().for_each(|query| total.add(query.history));
        let places = queries.iter().enumerate().map(|(at, known)| (known.query.clone(), at)).collect();
        let mut policy = RefreshPolicy {
            rate: total.rate(prior),
            values: Vec::new(),
            sent: FxHashSet::default(),
            places,
            queries,
            days,
        };
        policy.values = (0..policy.queries.len()).map(|at| policy.value(at)).collect();
        policy
    }

    /// Values of the queries in the order in which they would be sent, each with its number of requests.
    pub fn forecast(&self) -> Vec<(f64, u32)> {
        let mut copy = RefreshPolicy {
            queries: self.queries.clone(),
            days: self.days.clone(),
            values: self.values.clone(),
            sent: self.sent.clone(),
            places: FxHashMap::default(),
            rate: self.rate,
        };
        let mut forecast = Vec::new();
        while let Some(at) = copy.best() {
            forecast.push((copy.values[at], copy.queries[at].requests.max(1)));
            copy.finish(at, &copy.queries[at].hits.clone());
        }
        forecast
    }

    /// Marks records as seen, because an interrupted refresh saw them.
    pub fn add_seen(&mut self, records: impl IntoIterator<Item = RecordId>) {
        for record in records {
            self.days.remove(&record);
        }
    }

    /// Records of the last answer to a query.
    pub fn known(&self, query: &Query) -> Option<&KnownQuery> {
        self.places.get(&query.after(0)).map(|at| &self.queries[*at])
    }

    fn finish(&mut self, at: usize, seen: &[RecordId]) {
        self.sent.insert(at);
        self.add_seen(seen.iter().copied());
    }

    /// Expected changes in records that were last seen `days` record-days ago, by query `at`.
    fn expected(&self, at: usize, days: f64) -> f64 {
        self.rate * self.queries[at].history.factor(self.rate) * days
    }

    fn value(&self, at: usize) -> f64 {
        let known = &self.queries[at];
        let per_page = page_size(known);
        let (mut days, mut best) = (0.0, 0.0_f64);
        for (page, hits) in (1..).zip(known.hits.chunks(per_page)) {
            days += self.days_of(hits);
            best = best.max(self.expected(at, days) / f64::from(page));
        }
        best
    }

    fn days_of(&self, records: &[RecordId]) -> f64 {
        records.iter().filter_map(|record| self.days.get(record)).sum()
    }

    /// The query with the greatest value. Values never grow, so a query whose updated value is still at least every
    /// other outdated one is the best.
    fn best(&mut self) -> Option<usize> {
        loop {
            let open = (0..self.queries.len()).filter(|at| !self.sent.contains(at));
            let best = open.max_by(|a, b| self.values[*a].total_cmp(&self.values[*b]).then(b.cmp(a)))?;
            let value = self.value(best);
            if value >= self.values[best] {
                return (value >= MIN_YIELD).then_some(best);
            }
            self.values[best] = value;
        }
    }

    /// Greatest value of the queries other than `at` that were not sent, at their last computation.
    fn best_other_value(&self, at: usize) -> f64 {
        let open = (0..self.queries.len()).filter(|other| *other != at && !self.sent.contains(other));
        open.map(|other| self.values[other]).fold(MIN_YIELD, f64::max)
    }
}

impl Policy for RefreshPolicy {
    fn choose(&mut self, _costs: &RequestCosts) -> Option<Query> {
        self.best().map(|at| self.queries[at].query.clone())
    }

    fn wants_next_page(&self, answer: &QueryOutcome<'_>, _costs: &RequestCosts) -> bool {
        let Some(&at) = self.places.get(answer.query) else { return false };
        let known = &self.queries[at];
        let size = page_size(known);
        let read = answer.hits.len();
        if read >= known.hits.len() {
            // The answer has grown. Its new end is read as long as it holds unknown records.
            let last = &answer.hits[read.saturating_sub(size)..];
            return last.iter().any(|hit| !known.hits.contains(&hit.id));
        }
        let next = &known.hits[read..known.hits.len().min(read + size)];
        self.expected(at, self.days_of(next)) >= self.best_other_value(at)
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        let seen: Vec<RecordId> = answer.hits.iter().map(|hit| hit.id).collect();
        match self.places.get(answer.query) {
            Some(&at) => self.finish(at, &seen),
            None => self.add_seen(seen),
        }
    }

    fn top_queries(&self, _costs: &RequestCosts, limit: usize) -> Vec<(Query, f64)> {
        let mut open: Vec<usize> = (0..self.queries.len()).filter(|at| !self.sent.contains(at)).collect();
        open.sort_by(|a, b| self.values[*b].total_cmp(&self.values[*a]));
        open.into_iter().take(limit).map(|at| (self.queries[at].query.clone(), self.values[at])).collect()
    }
}

/// Records per result page of an answer.
fn page_size(known: &KnownQuery) -> usize {
    known.hits.len().div_ceil(known.requests.max(1) as usize).max(1)
}

/// Distributes a request budget over several forms: each gets the requests of its queries with the greatest values.
/// `forecasts` holds values and requests per form, as [`RefreshPolicy::forecast`] returns them.
pub fn allocate(forecasts: &[Vec<(f64, u32)>], budget: u64) -> Vec<u64> {
    let all = forecasts.iter().enumerate();
    let mut steps: Vec<(f64, usize, u32)> =
        all.flat_map(|(form, steps)| steps.iter().map(move |step| (step.0, form, step.1))).collect();
    // Of equal values the cheaper one comes first, so that more forms get a share.
    steps.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
    let (mut left, mut shares) = (budget, vec![0; forecasts.len()]);
    for (_, form, requests) in steps {
        let granted = u64::from(requests).min(left);
        shares[form] += granted;
        left -= granted;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::super::FIRST_RATE;
    use super::*;
    use crate::harvest::policy::{Hit, ReadingEnd};

    fn known(words: &str, hits: std::ops::Range<u64>, changes: f64) -> KnownQuery {
        let record_days = if changes > 0.0 { hits.clone().count() as f64 } else { 0.0 };
        let requests = (hits.clone().count() as u32).div_ceil(10);
        let history = ChangeRate { changes, record_days };
        KnownQuery { query: Query::words(words), hits: hits.map(RecordId).collect(), requests, history }
    }

    fn policy(queries: Vec<KnownQuery>) -> RefreshPolicy {
        let days = queries.iter().flat_map(|known| &known.hits).map(|hit| (*hit, 30.0)).collect();
        RefreshPolicy::new(queries, days, FIRST_RATE)
    }

    /// Words of all queries in the order in which they are sent, if each answer is as before.
    fn order(policy: &mut RefreshPolicy) -> Vec<String> {
        let mut sent = Vec::new();
        while let Some(query) = policy.choose(&RequestCosts::default()) {
            let hits = policy.known(&query).unwrap().hits.clone();
            let fields = &[];
            let hit = |id: &RecordId| Hit { id: *id, is_new: false, title: "", text: "", fields };
            let hits: Vec<Hit<'_>> = hits.iter().map(hit).collect();
            let end = ReadingEnd::LastPage;
            policy.learn(&QueryOutcome { query: &query, hits: &hits, total: None, pages: 1, end });
            sent.push(query.words);
        }
        sent
    }

    #[test]
    fn a_query_whose_answer_changed_before_is_sent_first() {
        let queries = vec![known("calm", 0..10, 0.0), known("busy", 10..20, 6.0)];
        assert_eq!(order(&mut policy(queries)), ["busy", "calm"]);
    }

    #[test]
    fn a_query_with_records_that_were_all_seen_is_not_sent() {
        let queries = vec![known("all", 0..20, 0.0), known("part", 3..9, 0.0), known("other", 15..40, 0.0)];
        let sent = order(&mut policy(queries));
        assert!(!sent.contains(&"part".to_string()) && sent.len() == 2, "{sent:?}");
    }

    #[test]
    fn records_of_an_interrupted_refresh_count_as_seen() {
        let mut policy = policy(vec![known("sea", 0..10, 0.0)]);
        policy.add_seen((0..10).map(RecordId));
        assert_eq!(policy.choose(&RequestCosts::default()), None);
    }

    #[test]
    fn a_page_is_read_if_no_other_query_promises_more() {
        let mut policy = policy(vec![known("long", 0..40, 0.0), known("short", 100..110, 0.0)]);
        let first = policy.choose(&RequestCosts::default()).unwrap();
        let fields = &[];
        let hit = |id| Hit { id: RecordId(id), is_new: false, title: "", text: "", fields };
        let hits: Vec<Hit<'_>> = (0..10).map(hit).collect();
        let query = Query::words("long");
        let answer =
            QueryOutcome { query: &query, hits: &hits, total: None, pages: 1, end: ReadingEnd::Paused };
        assert!(policy.wants_next_page(&answer, &RequestCosts::default()), "{first:?}");
        policy.add_seen((10..20).map(RecordId));
        assert!(!policy.wants_next_page(&answer, &RequestCosts::default()));
    }

    #[test]
    fn a_budget_goes_to_the_forms_that_change_most() {
        let forecasts = [vec![(0.5, 4), (0.1, 4)], vec![(0.3, 5), (0.2, 5)]];
        assert_eq!(allocate(&forecasts, 14), [4, 10]);
        assert_eq!(allocate(&forecasts, 100), [8, 10]);
        assert_eq!(allocate(&forecasts, 2), [2, 0]);
    }
}
