//! Policies: which query next.
//!
//! A policy sees what a client sees: the words of the records that came, how many there were, what the
//! form said about the rest. Time, disk and network are not its affair, and it keeps no file: whoever
//! resumes a harvest lets a new policy learn from the stored answers in their order, and it goes on as
//! the old one would have.

use super::query::Query;
use super::record::RecordId;

/// A way to choose queries.
pub trait Policy: Send {
    /// The query to send next; `None` when nothing is left to ask. The same until something was learned.
    fn choose(&mut self, costs: &Costs) -> Option<Query>;

    /// Whether the next page of an answer is worth its request.
    fn goes_on(&self, answer: &Asked<'_>, costs: &Costs) -> bool {
        let _ = (answer, costs);
        true
    }

    /// Takes in an answer, once no more of its pages are read.
    fn learn(&mut self, answer: &Asked<'_>);

    /// What it would ask next, best first, with the new records it expects of each.
    fn outlook(&self, costs: &Costs, most: usize) -> Vec<(Query, f64)>;
}

/// What things cost, and how answers come, as far as the harvest has learned it.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// Sending a query and reading the first page of its answer.
    pub query: f64,
    /// Each further page.
    pub page: f64,
    /// Fetching the page of one new record; zero when they are not fetched.
    pub detail: f64,
    /// Records on a page.
    pub page_size: u32,
    /// The most records one query ever brings up, once that is known.
    pub cap: Option<u32>,
}

/// A query and what came of it.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The query.
    pub query: &'a Query,
    /// The records in the order of the answer.
    pub hits: &'a [Hit<'a>],
    /// How many the form says there are.
    pub total: Option<Total>,
    /// Pages that were read.
    pub pages: u32,
    /// Why no more were read.
    pub end: End,
}

/// A record in an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<'a> {
    /// Which one.
    pub id: RecordId,
    /// Whether no answer before this one held it.
    pub is_new: bool,
    /// What it is called.
    pub title: &'a str,
    /// Everything known of it, the title included.
    pub text: &'a str,
}

/// How many records answer a query, in the form's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Total {
    /// Just so many.
    Exactly(u64),
    /// "About", "more than": a round number.
    About(u64),
}

/// Why the reading of an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum End {
    /// It has no further page: these are all, or all that the form ever shows.
    Last,
    /// More could have been read.
    LeftOff,
    /// A page of it did not come.
    Failed,
}
