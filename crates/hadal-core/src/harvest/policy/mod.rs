//! Policies: which query next.
//!
//! A policy sees what a client sees: the words of the records that came, how many there were, what the
//! form said about the rest. Time, disk and network are not its affair, and it keeps no file: whoever
//! resumes a harvest lets a new policy learn from the stored answers in their order, and it goes on as
//! the old one would have.

pub mod adaptive;
pub mod cap;
#[cfg(test)]
mod fixture;
pub mod hadal;
pub mod lexicon;
pub mod listed;
mod opening;
pub mod oracle;
pub(super) mod retries;

use super::query::Query;
use super::record::RecordId;
use adaptive::{Adaptive, Cost, Estimator, Options, Weights};
use listed::{GenericFrequency, Listed};

/// A way to choose queries.
pub trait Policy: Send {
    /// The query to send next; `None` when nothing is left to ask. The same until something was learned.
    /// With [`Query::after`] it is one that was left off, to be read on.
    fn choose(&mut self, costs: &Costs) -> Option<Query>;

    /// Whether the next page of an answer is worth its request.
    fn goes_on(&self, answer: &Asked<'_>, costs: &Costs) -> bool {
        let _ = (answer, costs);
        true
    }

    /// Takes in an answer, once no more of its pages are read.
    fn learn(&mut self, answer: &Asked<'_>);

    /// Takes note that a query which was left off cannot be read on.
    fn lose(&mut self, query: &Query) {
        let _ = query;
    }

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

impl Costs {
    /// New records for each request, when a query brings so many.
    pub fn yield_of(&self, new: f64) -> f64 {
        let further = (new / f64::from(self.page_size.max(1)) - 1.0).max(0.0);
        new / (self.query + self.page * further + self.detail * new)
    }
}

impl Default for Costs {
    /// What is assumed before the first answer.
    fn default() -> Costs {
        Costs { query: 1.0, page: 1.0, detail: 0.0, page_size: 10, cap: None }
    }
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
    /// What it says as name and value.
    pub fields: &'a [(String, String)],
}

/// How many records answer a query, in the form's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Total {
    /// Just so many.
    Exactly(u64),
    /// "About", "more than": a round number.
    About(u64),
}

impl Total {
    /// The number itself.
    pub fn count(self) -> u64 {
        match self {
            Total::Exactly(count) | Total::About(count) => count,
        }
    }
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

/// What a policy is told before a harvest.
#[derive(Clone, Debug, Default)]
pub struct Briefing {
    /// Feeds random choices.
    pub seed: u64,
    /// Words to begin with, best first: the topic's, then those of the form's page.
    pub first: Vec<String>,
    /// Language of the site as its ISO 639-1 code, when known.
    pub language: Option<String>,
    /// The user's own list of words, most frequent first, in place of the one that ships.
    pub words: Option<Vec<String>>,
}

/// A policy as it is offered to users.
pub struct Offer {
    /// Name on the command line.
    pub name: &'static str,
    /// When to use it, in one line.
    pub about: &'static str,
    make: fn(&Briefing) -> Box<dyn Policy>,
}

impl Offer {
    /// A fresh policy.
    pub fn make(&self, briefing: &Briefing) -> Box<dyn Policy> {
        (self.make)(briefing)
    }
}

/// Every policy, simplest first. A new one is a file and a line here.
pub const OFFERS: &[Offer] = &[
    Offer {
        name: "random-16k",
        about: "any of the 16,000 most frequent words; a control to measure others against",
        make: |briefing| Box::new(Listed::random(briefing, 16_000)),
    },
    Offer {
        name: "random-all",
        about: "any word of the whole list; a control",
        make: |briefing| Box::new(Listed::random(briefing, usize::MAX)),
    },
    Offer {
        name: "generic-frequency",
        about: "the language's most frequent words first, whatever comes back",
        make: |briefing| Box::new(GenericFrequency::new(briefing)),
    },
    Offer {
        name: "adaptive",
        about: "the word most frequent in the records so far; fewest queries where nothing is capped",
        make: |briefing| Box::new(Adaptive::new(briefing, Options::default())),
    },
    Offer {
        name: "adaptive-zipf",
        about: "adaptive with frequencies read off a curve fitted to the words asked",
        make: |briefing| {
            let options = Options { estimator: Estimator::Zipf, ..Options::default() };
            Box::new(Adaptive::new(briefing, options))
        },
    },
    Offer {
        name: "adaptive-cost",
        about: "adaptive that weighs queries by what they and their new records cost",
        make: |briefing| {
            let options = Options { cost: Cost::New(Weights::default()), ..Options::default() };
            Box::new(Adaptive::new(briefing, options))
        },
    },
    Offer {
        name: "adaptive-limit",
        about: "adaptive that makes up for answers which the form cuts off",
        make: |briefing| {
            let options = Options { corrects_limit: true, ..Options::default() };
            Box::new(Adaptive::new(briefing, options))
        },
    },
    Offer {
        name: "hadal",
        about: "most new records for each request, by what was caught only once; our own, the usual choice",
        make: |briefing| Box::new(hadal::Hadal::new(briefing)),
    },
];

/// The policy of that name.
pub fn offer(name: &str) -> Option<&'static Offer> {
    OFFERS.iter().find(|offer| offer.name == name)
}
