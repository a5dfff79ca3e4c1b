//! The strategy contract: a strategy orders a crawl and holds no links.
//!
//! It places each lead in a lane with a score, picks the lane that is served next, and learns from
//! every visit. What it wants done beyond that it asks of the engine with a [`Command`]. The engine
//! owns readiness (politeness, budgets), fetching and persistence. What a strategy has learned is a
//! [`Lesson`], kept with the run.

pub mod best_first;
pub mod breadth_first;
pub mod features;
pub mod fixed_depth;
pub mod hadal;
pub mod lesson;
pub mod levels;
pub mod random;
pub mod smart;

use crate::address::Site;
use crate::critic::{FormVerdict, PageVerdict};
use crate::lead::{Lane, Lead};
use crate::page::{LinkContext, Page};
use url::Url;

pub use lesson::{Lesson, Selected};
use levels::Levels;
use smart::{Parts, Smart};

/// Orders a crawl.
pub trait Strategy: Send {
    /// What is to be done before anything is chosen, once per run.
    fn begin(&mut self) -> Vec<Command> {
        Vec::new()
    }

    /// Where a lead waits. Depends on the lead's stored context, on its site as it stands and on what
    /// was learned, on nothing else: the same function places new leads and leads that are placed again.
    fn place(&self, lead: &Lead, site: &SiteTally) -> Placement;

    /// Which lane is served next. Only lanes with a lead that may be visited now are offered.
    fn choose(&mut self, heads: &dyn Heads) -> Choice;

    /// Learns from a visit and asks for what follows from it.
    fn learn(&mut self, visit: &Visited<'_>) -> Vec<Command>;

    /// Who links to an address it asked about; these pages are placed as leads right after.
    fn hear(&mut self, _about: &Url, _linking: &[Url]) -> Vec<Command> {
        Vec::new()
    }

    /// Whether the forms and links of a page with this verdict are taken.
    fn takes(&self, _verdict: &PageVerdict) -> bool {
        true
    }

    /// What speaks for a lead by all that was learned, for people to read: parts that add up to its score and
    /// to what its site is worth. Empty where the score is one number.
    fn parts(&self, _lead: &Lead, _site: &SiteTally) -> Vec<Gauge> {
        Vec::new()
    }

    /// Numbers worth watching over a crawl: queue sizes, look-ups made.
    fn gauges(&self, _heads: &dyn Heads) -> Vec<Gauge> {
        Vec::new()
    }

    /// Takes over what an earlier crawl of the same topic and strategy saved, before a crawl begins.
    fn inherit(&mut self, _saved: &[u8]) -> Result<(), RestoreError> {
        Ok(())
    }

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
    /// The lead's score, and what its site is worth on top of that.
    pub score: f32,
}

/// What a strategy answers when asked for the next lane.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Serve this lane.
    Serve(Lane),
    /// Do this first, then ask again.
    First(Box<Command>),
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
    /// The model changed a little: place the heads of all lanes anew now, the rest when they are loaded.
    Rescore,
    /// The model looks at other things than before: place all that waits anew now.
    Rerank,
    /// Visit a page in its own right, usually the root of a site; the context is that of a link to it.
    Open(Url, LinkContext),
    /// From now on this is added to the scores of what waits of the site just visited, or will wait:
    /// it decides between sites, never within one. Only meant as the answer to a visit.
    Prefer(f32),
    /// Forget the waiting leads of a site and take no new ones.
    CloseSite(Site),
    /// Ask who links to an address; the answers become leads. Costs a request.
    Backlinks(Url),
    /// Keep what a learning iteration selected.
    Note(Lesson),
}

/// A number worth watching.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Gauge {
    /// What it counts.
    pub name: &'static str,
    /// How much.
    pub value: f64,
}

/// What the engine tells of a visit, after the site's counters took it in.
pub struct Visited<'a> {
    /// The lead that was followed.
    pub lead: &'a Lead,
    /// The leads that were followed before it, the nearest first, three at most. Only told when the
    /// page brought a searchable form that was not known.
    pub path: &'a [Lead],
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
    /// How sure it is that it brought relevant forms that were not known before: for each, by how much
    /// P(relevant) exceeds P(not relevant).
    pub gain: f32,
    /// The site as it stood before.
    pub before: &'a SiteTally,
    /// The site as it stands now.
    pub site: &'a SiteTally,
}

/// What a site has yielded so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
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
    /// Pages since the last new relevant form.
    pub barren: u32,
    /// Pages that were on topic.
    pub on_topic: u32,
    /// Forms of it that were, or are to be, asked whether they search.
    pub probes: u32,
    /// The strategy left it.
    pub closed: bool,
    /// What the strategy adds to the scores of its leads.
    pub worth: f32,
}

/// What a strategy is told before a crawl.
#[derive(Clone, Debug, Default)]
pub struct Briefing {
    /// Feeds its random choices.
    pub seed: u64,
    /// Where the crawl starts.
    pub seeds: Vec<Url>,
    /// Pages that are known to hold relevant forms, to learn from.
    pub examples: Vec<Url>,
    /// Whether anyone here knows who links to a page.
    pub backlinks: bool,
}

impl Briefing {
    /// Nothing but where random choices come from.
    pub fn seeded(seed: u64) -> Briefing {
        Briefing { seed, ..Briefing::default() }
    }
}

/// A strategy as it is offered to users.
pub struct Offer {
    /// Name on the command line.
    pub name: &'static str,
    /// When to use it, in one line.
    pub about: &'static str,
    make: fn(&Briefing) -> Box<dyn Strategy>,
}

impl Offer {
    /// A fresh strategy.
    pub fn make(&self, briefing: &Briefing) -> Box<dyn Strategy> {
        (self.make)(briefing)
    }
}

/// Every strategy, simplest first. A new one is a file and a line here.
pub const OFFERS: &[Offer] = &[
    Offer {
        name: "random",
        about: "any known link; a control to measure others against",
        make: |briefing| Box::new(random::Random { seed: briefing.seed }),
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
        about: "best-first that leaves a site after 5 searchable forms or 100 pages; the baseline of others",
        make: |_| Box::new(best_first::BestFirst { leave: Some(best_first::Leave::default()) }),
    },
    Offer {
        name: levels::plan::FFC.name,
        about: "links by clicks to a form, learned backward from pages with forms; any searchable form",
        make: |briefing| Box::new(Levels::new(levels::plan::FFC, briefing)),
    },
    Offer {
        name: levels::plan::FFC_1.name,
        about: "ffc that knows one level only; to see what delayed benefit is worth",
        make: |briefing| Box::new(Levels::new(levels::plan::FFC_1, briefing)),
    },
    Offer {
        name: levels::plan::OFFLINE.name,
        about: "ffc with features selected by itself; a fixed focus to measure others against",
        make: |briefing| Box::new(Levels::new(levels::plan::OFFLINE, briefing)),
    },
    Offer {
        name: levels::plan::OFFLINE_ONLINE.name,
        about: "ache-offline that learns again after every 100 relevant forms; where examples and backlinks are at hand",
        make: |briefing| Box::new(Levels::new(levels::plan::OFFLINE_ONLINE, briefing)),
    },
    Offer {
        name: levels::plan::ONLINE.name,
        about: "starts as best-first-sc and learns its link classifier while it crawls; needs nothing but seeds",
        make: |briefing| Box::new(Levels::new(levels::plan::ONLINE, briefing)),
    },
    Offer {
        name: levels::plan::APPRENTICE.name,
        about: "with a link model that learns which links stay on topic",
        make: |briefing| Box::new(Levels::new(levels::plan::APPRENTICE, briefing)),
    },
    Offer {
        name: levels::plan::BACKWARD.name,
        about: "with backward crawls from newly found forms whenever it learns; look-ups cost requests",
        make: |briefing| Box::new(Levels::new(levels::plan::BACKWARD, briefing)),
    },
    Offer {
        name: "scdi",
        about: "sites by their home pages, then the links of those on topic; learns nothing",
        make: |briefing| Box::new(Smart::new(Parts::default(), briefing)),
    },
    Offer {
        name: "scdi+reverse",
        about: "scdi that asks who links to good sites when few sites wait",
        make: |briefing| Box::new(Smart::new(Parts { reverse: true, ..Parts::default() }, briefing)),
    },
    Offer {
        name: "scdi+incremental",
        about: "scdi that prefers what sites with searchable forms link to",
        make: |briefing| Box::new(Smart::new(Parts { incremental: true, ..Parts::default() }, briefing)),
    },
    Offer {
        name: "scdi+adaptive",
        about: "scdi that ranks sites and links by what it has found",
        make: |briefing| Box::new(Smart::new(Parts { adaptive: true, ..Parts::default() }, briefing)),
    },
    Offer {
        name: "smart",
        about: "SmartCrawler: scdi with all three; for many sites of a topic, few pages of each",
        make: |briefing| Box::new(Smart::new(Parts::ALL, briefing)),
    },
    Offer {
        name: "hadal",
        about: "every request where most is expected, learning at every page; our own, the usual choice",
        make: |briefing| Box::new(hadal::Hadal::new(briefing)),
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
