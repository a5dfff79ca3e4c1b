//! Policies: which query next.
//!
//! A policy sees what a client sees: the words of the records that came, how many there were, what the
//! form said about the rest. Time, disk and network are not its affair, and it keeps no file: whoever
//! resumes a harvest lets a new policy learn from the stored answers in their order, and it goes on as
//! the old one would have.

pub mod adaptive;
#[cfg(test)]
mod fixture;
pub mod hadal;
pub mod lexicon;
pub mod listed;
mod opening;
pub mod oracle;
pub mod result_cap;
pub(super) mod retry;

use super::query::Query;
use super::record::RecordId;
use adaptive::{AdaptiveOptions, AdaptivePolicy, Cost, FrequencyEstimator, Weights};
use listed::{GenericFrequency, Listed};

/// A way to choose queries.
pub trait Policy: Send {
    /// The query to send next; `None` when nothing is left to ask. The same until something was learned.
    /// With [`Query::after`] it is one that was left off, to be read on.
    fn choose(&mut self, costs: &RequestCosts) -> Option<Query>;

    /// Whether the next page of an answer is worth its request.
    fn wants_next_page(&self, answer: &QueryOutcome<'_>, costs: &RequestCosts) -> bool {
        let _ = (answer, costs);
        true
    }

    /// Takes in an answer, once no more of its pages are read.
    fn learn(&mut self, answer: &QueryOutcome<'_>);

    /// Takes note that a query which was left off cannot be read on.
    fn drop_continuation(&mut self, query: &Query) {
        let _ = query;
    }

    /// What it would ask next, best first, with the new records it expects of each.
    fn top_queries(&self, costs: &RequestCosts, most: usize) -> Vec<(Query, f64)>;
}

/// What things cost, and how answers come, as far as the harvest has learned it.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestCosts {
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

impl RequestCosts {
    /// New records for each request, when a query brings so many.
    pub fn yield_of(&self, new: f64) -> f64 {
        let further = (new / f64::from(self.page_size.max(1)) - 1.0).max(0.0);
        new / (self.query + self.page * further + self.detail * new)
    }
}

impl Default for RequestCosts {
    /// What is assumed before the first answer.
    fn default() -> RequestCosts {
        RequestCosts { query: 1.0, page: 1.0, detail: 0.0, page_size: 10, cap: None }
    }
}

/// A query and what came of it.
#[derive(Clone, Debug)]
pub struct QueryOutcome<'a> {
    /// The query.
    pub query: &'a Query,
    /// The records in the order of the answer.
    pub hits: &'a [Hit<'a>],
    /// How many the form says there are.
    pub total: Option<StatedTotal>,
    /// Pages that were read.
    pub pages: u32,
    /// Why no more were read.
    pub end: ReadingEnd,
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
    /// What it says as name and value.
    pub fields: &'a [(String, String)],
}

/// How many records answer a query, in the form's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum StatedTotal {
    /// Just so many.
    Exactly(u64),
    /// "About", "more than": a round number.
    About(u64),
}

impl StatedTotal {
    /// The number itself.
    pub fn count(self) -> u64 {
        match self {
            StatedTotal::Exactly(count) | StatedTotal::About(count) => count,
        }
    }
}

/// Why the reading of an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ReadingEnd {
    /// It has no further page: these are all, or all that the form ever shows.
    #[serde(rename = "Last")]
    LastPage,
    /// More could have been read.
    #[serde(rename = "LeftOff")]
    Paused,
    /// A page of it did not come.
    Failed,
}

/// What a policy is told before a harvest.
#[derive(Clone, Debug, Default)]
pub struct PolicyContext {
    /// Feeds random choices.
    pub seed: u64,
    /// Words to begin with, best first: the topic's, then those of the form's page.
    pub first_words: Vec<String>,
    /// Language of the site as its ISO 639-1 code, when known.
    pub language: Option<String>,
    /// The user's own list of words, most frequent first, in place of the one that ships.
    pub word_list: Option<Vec<String>>,
}

/// A policy as it is offered to users.
pub struct PolicyEntry {
    /// Name on the command line.
    pub name: &'static str,
    /// When to use it, in one line.
    pub about: &'static str,
    make: fn(&PolicyContext) -> Box<dyn Policy>,
}

impl PolicyEntry {
    /// A fresh policy.
    pub fn make(&self, context: &PolicyContext) -> Box<dyn Policy> {
        (self.make)(context)
    }
}

/// Every policy, simplest first. A new one is a file and a line here.
pub const POLICIES: &[PolicyEntry] = &[
    PolicyEntry {
        name: "random-16k",
        about: "any of the 16,000 most frequent words; a control to measure others against",
        make: |context| Box::new(Listed::random(context, 16_000)),
    },
    PolicyEntry {
        name: "random-all",
        about: "any word of the whole list; a control",
        make: |context| Box::new(Listed::random(context, usize::MAX)),
    },
    PolicyEntry {
        name: "generic-frequency",
        about: "the language's most frequent words first, whatever comes back",
        make: |context| Box::new(GenericFrequency::new(context)),
    },
    PolicyEntry {
        name: "adaptive",
        about: "the word most frequent in the records so far; fewest queries where nothing is capped",
        make: |context| Box::new(AdaptivePolicy::new(context, AdaptiveOptions::default())),
    },
    PolicyEntry {
        name: "adaptive-zipf",
        about: "adaptive with frequencies read off a curve fitted to the words asked",
        make: |context| {
            let options =
                AdaptiveOptions { estimator: FrequencyEstimator::Zipf, ..AdaptiveOptions::default() };
            Box::new(AdaptivePolicy::new(context, options))
        },
    },
    PolicyEntry {
        name: "adaptive-cost",
        about: "adaptive that weighs queries by what they and their new records cost",
        make: |context| {
            let options =
                AdaptiveOptions { cost: Cost::New(Weights::default()), ..AdaptiveOptions::default() };
            Box::new(AdaptivePolicy::new(context, options))
        },
    },
    PolicyEntry {
        name: "adaptive-limit",
        about: "adaptive that makes up for answers which the form cuts off",
        make: |context| {
            let options = AdaptiveOptions { corrects_limit: true, ..AdaptiveOptions::default() };
            Box::new(AdaptivePolicy::new(context, options))
        },
    },
    PolicyEntry {
        name: "hadal",
        about: "most new records for each request, by what was caught only once; our own, the usual choice",
        make: |context| Box::new(hadal::HadalPolicy::new(context)),
    },
];

/// The policy of that name.
pub fn find_policy(name: &str) -> Option<&'static PolicyEntry> {
    POLICIES.iter().find(|entry| entry.name == name)
}
