//! Query policies: which query a harvest sends next.
//!
//! A policy sees only the answers of the form: the records, their words, the stated totals. It uses no clock, disk or
//! network and stores no state. To resume a harvest, the caller makes a new policy and passes all stored answers to
//! [`Policy::learn`] in their order; the policy then continues as the old one would have.
//!
//! | module | policies |
//! |---|---|
//! | [`word_list`] | `random-16k`, `random-all`, `generic-frequency`: words of a fixed list |
//! | [`adaptive`] | `adaptive*`: Ntoulas, Zerfos and Cho (2005) |
//! | [`hadal`] | `hadal`: most expected new records per request |
//! | [`oracle`] | `oracle`: greedy with the true answers, for evaluation only |
//!
//! [`PolicyRegistry`] lists them by name and takes policies of other crates. [`result_cap`], [`total_check`]
//! and [`lexicon`] are shared parts.

pub mod adaptive;
#[cfg(test)]
mod fixture;
pub mod hadal;
pub mod lexicon;
pub mod oracle;
mod outcome;
mod registry;
pub mod result_cap;
pub mod total_check;
pub mod word_list;

use super::query::Query;

pub use outcome::{Hit, QueryOutcome, ReadingEnd, RetryCounter, StatedTotal};
pub use registry::{PolicyEntry, PolicyRegistry, find_policy};

/// Maximum number of paused answers that a session or policy keeps; then the oldest is dropped. Guess; limits
/// memory and time.
pub const MAX_PAUSED: usize = 4_096;

/// Chooses the queries of a harvest.
///
/// [`Policy::choose`], [`Policy::learn`] and [`Policy::top_queries`] are required. The example asks for the numbers
/// from 1 to 3 and ends.
///
/// ```
/// use hadal_core::harvest::policy::*;
/// use hadal_core::harvest::query::Query;
///
/// struct Numbers(u32);
///
/// impl Policy for Numbers {
///     fn choose(&mut self, costs: &RequestCosts) -> Option<Query> {
///         self.top_queries(costs, 1).pop().map(|(query, _)| query)
///     }
///
///     fn learn(&mut self, answer: &QueryOutcome<'_>) {
///         if answer.query.words == self.0.to_string() {
///             self.0 += 1;
///         }
///     }
///
///     fn top_queries(&self, costs: &RequestCosts, limit: usize) -> Vec<(Query, f64)> {
///         let expected_new = f64::from(costs.page_size);
///         (self.0..=3).take(limit).map(|number| (Query::words(&number.to_string()), expected_new)).collect()
///     }
/// }
///
/// let mut policies = PolicyRegistry::built_in();
/// policies.register(PolicyEntry::new("numbers", "the numbers from 1 to 3", |_| Box::new(Numbers(1))))?;
///
/// let mut policy = policies.find("numbers").unwrap().make(&PolicyContext::default());
/// let mut sent = Vec::new();
/// while let Some(query) = policy.choose(&RequestCosts::default()) {
///     let end = ReadingEnd::LastPage;
///     policy.learn(&QueryOutcome { query: &query, hits: &[], total: None, pages: 1, end });
///     sent.push(query.words);
/// }
/// assert_eq!(sent, ["1", "2", "3"]);
/// # Ok::<(), hadal_core::registry::DuplicateName>(())
/// ```
pub trait Policy: Send {
    /// Returns the next query, or `None` when no query is left. Repeated calls return the same query until the next
    /// [`Policy::learn`]. A query with [`Query::after`] > 0 continues a paused answer.
    fn choose(&mut self, costs: &RequestCosts) -> Option<Query>;

    /// Returns true if the next page of an answer is worth its request. Called after each page that has a successor;
    /// `answer` holds all pages so far.
    fn wants_next_page(&self, answer: &QueryOutcome<'_>, costs: &RequestCosts) -> bool {
        let _ = (answer, costs);
        true
    }

    /// Learns from an answer after its last page was read. A query counts as sent from here on. Failed answers and
    /// answers to browse links, whose query has no words, come here too.
    fn learn(&mut self, answer: &QueryOutcome<'_>);

    /// Forgets a paused answer, because its next page cannot be requested any more. `query` is the continuation that
    /// [`Policy::choose`] returned.
    fn drop_continuation(&mut self, query: &Query) {
        let _ = query;
    }

    /// Returns up to `limit` queries, best first, each with the expected number of new records. A policy without
    /// expectations returns 0 for each. An empty list disables the stop rule for low yield.
    fn top_queries(&self, costs: &RequestCosts, limit: usize) -> Vec<(Query, f64)>;
}

/// Costs of the requests of a harvest, in any one unit, and the shape of its answers as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestCosts {
    /// Cost of a query with the first page of its answer.
    pub query: f64,
    /// Cost of each further result page.
    pub page: f64,
    /// Cost of the detail page of one new record; 0 if detail pages are not fetched.
    pub detail: f64,
    /// Records per result page.
    pub page_size: u32,
    /// Result cap, once known.
    pub cap: Option<u32>,
}

impl RequestCosts {
    /// New records per unit of cost, for a query that returns `new` records, all of them new:
    /// `new / (query + page * (pages - 1) + detail * new)`, with `pages = max(1, new / page_size)`.
    pub fn yield_of(&self, new: f64) -> f64 {
        let further_pages = (new / f64::from(self.page_size.max(1)) - 1.0).max(0.0);
        new / (self.query + self.page * further_pages + self.detail * new)
    }
}

impl Default for RequestCosts {
    /// Assumptions before the first answer: every request costs 1, pages of 10, no detail pages, no cap.
    fn default() -> RequestCosts {
        RequestCosts { query: 1.0, page: 1.0, detail: 0.0, page_size: 10, cap: None }
    }
}

/// Input of a policy at the start of a harvest.
#[derive(Clone, Debug, Default)]
pub struct PolicyContext {
    /// Seed of random choices.
    pub seed: u64,
    /// First queries, best first: words of the topic, then words of the form's page.
    pub first_words: Vec<String>,
    /// Language of the site as ISO 639-1 code, if known.
    pub language: Option<String>,
    /// Word list of the user, most frequent first; replaces the built-in list.
    pub word_list: Option<Vec<String>>,
}
