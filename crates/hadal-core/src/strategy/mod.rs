//! The strategy contract: a strategy orders a crawl and holds no links.
//!
//! It places each link in a queue with a score, picks the queue that is served next, and learns from
//! every visit. What it wants done beyond that it asks of the engine with a [`StrategyCommand`]. The engine
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
use crate::link::{FrontierLink, QueueId};
use crate::page::{LinkContext, Page};
use url::Url;

pub use lesson::{Lesson, SelectedFeatures};
use levels::Levels;
use smart::{Parts, Smart};

/// Orders a crawl.
pub trait Strategy: Send {
    /// What is to be done before anything is chosen, once per run.
    fn begin(&mut self) -> Vec<StrategyCommand> {
        Vec::new()
    }

    /// Where a link waits. Depends on the link's stored context, on its site as it stands and on what
    /// was learned, on nothing else: the same function places new links and links that are placed again.
    fn place(&self, link: &FrontierLink, site: &SiteCounters) -> Placement;

    /// Which queue is served next. Only queues with a link that may be visited now are offered.
    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice;

    /// Learns from a visit and asks for what follows from it.
    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand>;

    /// Who links to an address it asked about; these pages are placed as links right after.
    fn on_backlinks(&mut self, _about: &Url, _linking: &[Url]) -> Vec<StrategyCommand> {
        Vec::new()
    }

    /// Whether the forms and links of a page with this verdict are taken.
    fn accepts_page(&self, _verdict: &PageVerdict) -> bool {
        true
    }

    /// What speaks for a link by all that was learned, for people to read: parts that add up to its score and
    /// to what its site is worth. Empty where the score is one number.
    fn explain_score(&self, _link: &FrontierLink, _site: &SiteCounters) -> Vec<StrategyGauge> {
        Vec::new()
    }

    /// Numbers worth watching over a crawl: queue sizes, look-ups made.
    fn gauges(&self, _heads: &dyn QueueHeads) -> Vec<StrategyGauge> {
        Vec::new()
    }

    /// Takes over what an earlier crawl of the same topic and strategy saved, before a crawl begins.
    fn load_earlier_run(&mut self, _saved: &[u8]) -> Result<(), RestoreError> {
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

/// Where a link waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Placement {
    /// In a queue, the highest score first.
    Enqueue {
        /// The queue.
        queue: QueueId,
        /// The score.
        score: f32,
    },
    /// Not worth keeping.
    Drop,
}

/// The best link of each queue among those whose hosts are ready.
pub trait QueueHeads {
    /// Lanes with a ready link, in no particular order.
    fn heads(&self) -> Vec<QueueHead>;

    /// The head of one queue.
    fn head(&self, queue: QueueId) -> Option<QueueHead>;

    /// How many links wait in a queue, ready or not, in memory or in the store.
    fn link_count(&self, queue: QueueId) -> u64;
}

/// The best ready link of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueHead {
    /// The queue.
    pub queue: QueueId,
    /// The link's score, and what its site is worth on top of that.
    pub score: f32,
}

/// What a strategy answers when asked for the next queue.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueChoice {
    /// Serve this queue.
    Serve(QueueId),
    /// Do this first, then ask again.
    Execute(Box<StrategyCommand>),
    /// Nothing now.
    Idle,
}

/// Work that a strategy asks of the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum StrategyCommand {
    /// Move the best `take` links of one queue into another, placing them anew on the way.
    Refill {
        /// Where they wait.
        from: QueueId,
        /// Where they go.
        to: QueueId,
        /// How many at most.
        limit: usize,
    },
    /// The model changed a little: place the heads of all queues anew now, the rest when they are loaded.
    RescoreHeads,
    /// The model looks at other things than before: place all that waits anew now.
    RescoreAll,
    /// Visit a page in its own right, usually the root of a site; the context is that of a link to it.
    Open(Url, LinkContext),
    /// From now on this is added to the scores of what waits of the site just visited, or will wait:
    /// it decides between sites, never within one. Only meant as the answer to a visit.
    SetSiteBonus(f32),
    /// Forget the waiting links of a site and take no new ones.
    CloseSite(Site),
    /// Ask who links to an address; the answers become links. Costs a request.
    LookUpBacklinks(Url),
    /// Keep what a learning iteration selected.
    RecordLesson(Lesson),
}

/// A number worth watching.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct StrategyGauge {
    /// What it counts.
    pub name: &'static str,
    /// How much.
    pub value: f64,
}

/// What the engine tells of a visit, after the site's counters took it in.
pub struct PageVisit<'a> {
    /// The link that was followed.
    pub link: &'a FrontierLink,
    /// The links that were followed before it, the nearest first, three at most. Only told when the
    /// page brought a searchable form that was not known.
    pub path: &'a [FrontierLink],
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
    pub reward: f32,
    /// The site as it stood before.
    pub site_before: &'a SiteCounters,
    /// The site as it stands now.
    pub site: &'a SiteCounters,
}

/// What a site has yielded so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SiteCounters {
    /// Pages read.
    pub pages: u32,
    /// Distinct forms of any kind.
    pub forms: u32,
    /// Distinct searchable forms.
    pub searchable: u32,
    /// Distinct relevant forms.
    pub relevant: u32,
    /// Pages since the last new searchable form.
    #[serde(rename = "dry")]
    pub pages_since_searchable: u32,
    /// Pages since the last new relevant form.
    #[serde(rename = "barren")]
    pub pages_since_relevant: u32,
    /// Pages that were on topic.
    pub on_topic: u32,
    /// Forms of it that were, or are to be, asked whether they search.
    pub probes: u32,
    /// The strategy left it.
    pub closed: bool,
    /// What the strategy adds to the scores of its links.
    #[serde(rename = "worth")]
    pub bonus: f32,
}

/// What a strategy is told before a crawl.
#[derive(Clone, Debug, Default)]
pub struct StrategyContext {
    /// Feeds its random choices.
    pub seed: u64,
    /// Where the crawl starts.
    pub seeds: Vec<Url>,
    /// Pages that are known to hold relevant forms, to learn from.
    pub examples: Vec<Url>,
    /// Whether anyone here knows who links to a page.
    pub backlinks: bool,
}

impl StrategyContext {
    /// Nothing but where random choices come from.
    pub fn seeded(seed: u64) -> StrategyContext {
        StrategyContext { seed, ..StrategyContext::default() }
    }
}

/// A strategy as it is offered to users.
pub struct StrategyEntry {
    /// Name on the command line.
    pub name: &'static str,
    /// When to use it, in one line.
    pub about: &'static str,
    make: fn(&StrategyContext) -> Box<dyn Strategy>,
}

impl StrategyEntry {
    /// A fresh strategy.
    pub fn make(&self, briefing: &StrategyContext) -> Box<dyn Strategy> {
        (self.make)(briefing)
    }
}

/// Every strategy, simplest first. A new one is a file and a line here.
pub const STRATEGIES: &[StrategyEntry] = &[
    StrategyEntry {
        name: "random",
        about: "any known link; a control to measure others against",
        make: |briefing| Box::new(random::Random { seed: briefing.seed }),
    },
    StrategyEntry {
        name: "breadth-first",
        about: "fewest clicks from a seed first; for small, known parts of the web",
        make: |_| Box::new(breadth_first::BreadthFirst),
    },
    StrategyEntry {
        name: "fixed-depth",
        about: "every site from its root to depth 3; for lists of sites that are known to be good",
        make: |_| Box::new(fixed_depth::FixedDepth),
    },
    StrategyEntry {
        name: "best-first",
        about: "links of on-topic pages, surest first; stays long in large sites",
        make: |_| Box::new(best_first::BestFirst { leave: None }),
    },
    StrategyEntry {
        name: "best-first-sc",
        about: "best-first that leaves a site after 5 searchable forms or 100 pages; the baseline of others",
        make: |_| Box::new(best_first::BestFirst { leave: Some(best_first::Leave::default()) }),
    },
    StrategyEntry {
        name: levels::plan::FFC.name,
        about: "links by clicks to a form, learned backward from pages with forms; any searchable form",
        make: |briefing| Box::new(Levels::new(levels::plan::FFC, briefing)),
    },
    StrategyEntry {
        name: levels::plan::FFC_1.name,
        about: "ffc that knows one level only; to see what delayed benefit is worth",
        make: |briefing| Box::new(Levels::new(levels::plan::FFC_1, briefing)),
    },
    StrategyEntry {
        name: levels::plan::OFFLINE.name,
        about: "ffc with features selected by itself; a fixed focus to measure others against",
        make: |briefing| Box::new(Levels::new(levels::plan::OFFLINE, briefing)),
    },
    StrategyEntry {
        name: levels::plan::OFFLINE_ONLINE.name,
        about: "ache-offline that learns again after every 100 relevant forms; where examples and backlinks are at hand",
        make: |briefing| Box::new(Levels::new(levels::plan::OFFLINE_ONLINE, briefing)),
    },
    StrategyEntry {
        name: levels::plan::ONLINE.name,
        about: "starts as best-first-sc and learns its link classifier while it crawls; needs nothing but seeds",
        make: |briefing| Box::new(Levels::new(levels::plan::ONLINE, briefing)),
    },
    StrategyEntry {
        name: levels::plan::APPRENTICE.name,
        about: "with a link model that learns which links stay on topic",
        make: |briefing| Box::new(Levels::new(levels::plan::APPRENTICE, briefing)),
    },
    StrategyEntry {
        name: levels::plan::BACKWARD.name,
        about: "with backward crawls from newly found forms whenever it learns; look-ups cost requests",
        make: |briefing| Box::new(Levels::new(levels::plan::BACKWARD, briefing)),
    },
    StrategyEntry {
        name: "scdi",
        about: "sites by their home pages, then the links of those on topic; learns nothing",
        make: |briefing| Box::new(Smart::new(Parts::default(), briefing)),
    },
    StrategyEntry {
        name: "scdi+reverse",
        about: "scdi that asks who links to good sites when few sites wait",
        make: |briefing| Box::new(Smart::new(Parts { reverse: true, ..Parts::default() }, briefing)),
    },
    StrategyEntry {
        name: "scdi+incremental",
        about: "scdi that prefers what sites with searchable forms link to",
        make: |briefing| Box::new(Smart::new(Parts { incremental: true, ..Parts::default() }, briefing)),
    },
    StrategyEntry {
        name: "scdi+adaptive",
        about: "scdi that ranks sites and links by what it has found",
        make: |briefing| Box::new(Smart::new(Parts { adaptive: true, ..Parts::default() }, briefing)),
    },
    StrategyEntry {
        name: "smart",
        about: "SmartCrawler: scdi with all three; for many sites of a topic, few pages of each",
        make: |briefing| Box::new(Smart::new(Parts::ALL, briefing)),
    },
    StrategyEntry {
        name: "hadal",
        about: "every request where most is expected, learning at every page; our own, the usual choice",
        make: |briefing| Box::new(hadal::Hadal::new(briefing)),
    },
];

/// The strategy of that name.
pub fn find_strategy(name: &str) -> Option<&'static StrategyEntry> {
    STRATEGIES.iter().find(|offer| offer.name == name)
}

/// Serves the queue whose head scores highest; the lowest queue wins a tie.
pub fn serve_best(heads: &dyn QueueHeads) -> QueueChoice {
    let best =
        heads.heads().into_iter().max_by(|a, b| a.score.total_cmp(&b.score).then(b.queue.cmp(&a.queue)));
    best.map_or(QueueChoice::Idle, |head| QueueChoice::Serve(head.queue))
}
