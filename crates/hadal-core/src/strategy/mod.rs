//! The strategy contract: a strategy orders a crawl and holds no links.
//!
//! It places each lead in a lane with a score, picks the lane that is served next, and learns from
//! every visit. What it wants done beyond that it asks of the engine with a [`Command`]. The engine
//! owns readiness (politeness, budgets), fetching and persistence.

pub mod best_first;
pub mod breadth_first;
pub mod fixed_depth;
pub mod random;

use crate::address::Site;
use crate::critic::{FormVerdict, PageVerdict};
use crate::lead::{Lane, Lead};
use crate::page::Page;
use url::Url;

/// Orders a crawl.
pub trait Strategy: Send {
    /// Where a lead waits. Depends on the lead's stored context and on what was learned, on nothing
    /// else: the same function places new leads and leads that are placed again.
    fn place(&self, lead: &Lead) -> Placement;

    /// Which lane is served next. Only lanes with a lead that may be visited now are offered.
    fn choose(&mut self, heads: &dyn Heads) -> Choice;

    /// Learns from a visit and asks for what follows from it.
    fn learn(&mut self, visit: &Visited<'_>) -> Vec<Command>;

    /// What was learned, for the store; empty when there is nothing to keep.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Takes back what [`Strategy::save`] gave.
    fn restore(&mut self, _saved: &[u8]) -> Result<(), RestoreError> {
        Ok(())
    }
}

/// A saved state that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the saved state of strategy {strategy} cannot be read; start over with --fresh")]
pub struct RestoreError {
    /// Whose state.
    pub strategy: &'static str,
}

/// Where a lead waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Placement {
    /// In a lane, the highest score first.
    Wait {
        /// The lane.
        lane: Lane,
        /// The score.
        score: f32,
    },
    /// Not worth keeping.
    Drop,
}

/// The best lead of each lane among those whose hosts are ready.
pub trait Heads {
    /// Lanes with a ready lead, in no particular order.
    fn lanes(&self) -> Vec<Head>;

    /// The head of one lane.
    fn head(&self, lane: Lane) -> Option<Head>;

    /// How many leads wait in a lane, ready or not, in memory or in the store.
    fn waiting(&self, lane: Lane) -> u64;
}

/// The best ready lead of a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    /// The lane.
    pub lane: Lane,
    /// The lead's score.
    pub score: f32,
}

/// What a strategy answers when asked for the next lane.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Serve this lane.
    Serve(Lane),
    /// Do this first, then ask again.
    First(Command),
    /// Nothing now.
    Rest,
}

/// Work that a strategy asks of the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Move the best `take` leads of one lane into another, placing them anew on the way.
    Refill {
        /// Where they wait.
        from: Lane,
        /// Where they go.
        to: Lane,
        /// How many at most.
        take: usize,
    },
    /// The model changed: place the heads of all lanes anew now, the rest when they are loaded.
    Rescore,
    /// Visit the root of a site.
    OpenSite(Url),
    /// Forget the waiting leads of a site and take no new ones.
    CloseSite(Site),
    /// Ask who links to an address; the answers become leads. Costs a request.
    Backlinks(Url),
}

/// What the engine tells of a visit, after the site's counters took it in.
pub struct Visited<'a> {
    /// The lead that was followed.
    pub lead: &'a Lead,
    /// The page it led to; `None` when it failed, redirected or was no page.
    pub page: Option<&'a Page>,
    /// The page's verdict.
    pub verdict: &'a PageVerdict,
    /// Its forms' verdicts, in the page's order.
    pub forms: &'a [FormVerdict],
    /// How many of its forms are relevant and were not known before.
    pub new_relevant: u32,
    /// How many of its forms are searchable and were not known before.
    pub new_searchable: u32,
    /// The site as it stands now.
    pub site: &'a SiteTally,
}

/// What a site has yielded so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SiteTally {
    /// Pages read.
    pub pages: u32,
    /// Distinct forms of any kind.
    pub forms: u32,
    /// Distinct searchable forms.
    pub searchable: u32,
    /// Distinct relevant forms.
    pub relevant: u32,
    /// Pages since the last new searchable form.
    pub dry: u32,
    /// Forms of it that were, or are to be, asked whether they search.
    pub probes: u32,
    /// The strategy left it.
    pub closed: bool,
}

/// A strategy as it is offered to users.
pub struct Offer {
    /// Name on the command line.
    pub name: &'static str,
    /// When to use it, in one line.
    pub about: &'static str,
    make: fn(seed: u64) -> Box<dyn Strategy>,
}

impl Offer {
    /// A fresh strategy; `seed` feeds its random choices.
    pub fn make(&self, seed: u64) -> Box<dyn Strategy> {
        (self.make)(seed)
    }
}

/// Every strategy, simplest first. A new one is a file and a line here.
pub const OFFERS: [Offer; 5] = [
    Offer {
        name: "random",
        about: "any known link; a control to measure others against",
        make: |seed| Box::new(random::Random { seed }),
    },
    Offer {
        name: "breadth-first",
        about: "fewest clicks from a seed first; for small, known parts of the web",
        make: |_| Box::new(breadth_first::BreadthFirst),
    },
    Offer {
        name: "fixed-depth",
        about: "every site from its root to depth 3; for lists of sites that are known to be good",
        make: |_| Box::new(fixed_depth::FixedDepth),
    },
    Offer {
        name: "best-first",
        about: "links of on-topic pages, surest first; stays long in large sites",
        make: |_| Box::new(best_first::BestFirst { leave: None }),
    },
    Offer {
        name: "best-first-sc",
        about: "best-first that leaves a site after 5 searchable forms or 100 pages; the usual choice",
        make: |_| Box::new(best_first::BestFirst { leave: Some(best_first::Leave::default()) }),
    },
];

/// The strategy of that name.
pub fn offer(name: &str) -> Option<&'static Offer> {
    OFFERS.iter().find(|offer| offer.name == name)
}

/// Serves the lane whose head scores highest; the lowest lane wins a tie.
pub fn serve_best(heads: &dyn Heads) -> Choice {
    let best = heads.lanes().into_iter().max_by(|a, b| a.score.total_cmp(&b.score).then(b.lane.cmp(&a.lane)));
    best.map_or(Choice::Rest, |head| Choice::Serve(head.lane))
}
