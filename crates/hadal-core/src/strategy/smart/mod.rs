//! SmartCrawler and SCDI (Zhao et al., SmartCrawler paper, 2015): sites first, then the links of a site.
//!
//! | stage | section | file |
//! |---|---|---|
//! | site frontier with two priority queues | 3.2.1, algorithm 2 | `site_table.rs` |
//! | reverse searching for more sites | 3.2.1, algorithm 1 | `reverse_search.rs` |
//! | site ranker and link ranker | 4.1 to 4.3 | `learner.rs`, `feature_space.rs` |
//! | in-site exploring | 3.3.1 | `open_site.rs`, `stop_early.rs`, `link_tree.rs` |
//!
//! A site is represented by its home page, which waits in the site frontier. An on-topic home page opens its site. The
//! crawl explores an open site until a stop-early criterion ends it. Then the sites it links to join the site frontier:
//! the high priority queue if the site had searchable forms, else the low priority queue. Links of sites that are not
//! open are dropped.
//!
//! SCDI (section 5.1) is SmartCrawler without reverse searching, incremental site prioritizing and adaptive learning;
//! [`SmartOptions`] adds them one by one (figure 9).

mod feature_space;
mod learner;
mod link_tree;
mod open_site;
mod reverse_search;
mod site_table;
mod state;
pub mod stop_early;
mod visits;

use super::{
    PageVisit, Placement, QueueChoice, QueueHeads, RestoreError, SiteCounters, Strategy, StrategyCommand,
    StrategyContext, StrategyGauge,
};
use crate::address::Site;
use crate::link::{FrontierLink, LinkOrigin, LinkTask, QueueId};
use learner::AdaptiveLearner;
use open_site::SiteAvailability;
use reverse_search::MIN_SITES;
use rustc_hash::FxHashSet;
use site_table::{CENTRES, HIGH, LOOKUPS, LOW, SiteKey, SiteStatus};
use state::SmartState;
use stop_early::StopDecision;
use url::Url;

/// Maximum number of open sites. Guess: enough requests while each host waits for its delay, few enough for
/// the ranking to matter.
const MAX_OPEN_SITES: usize = 64;
/// Rank of seed sites, above all computed ranks (section 4.3.1: seeds have relatively high scores).
const SEED_SCORE: f32 = 1_000.0;

/// Parts of SmartCrawler that SCDI lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmartOptions {
    /// Reverse searching: look up backlinks of good sites when few sites wait.
    pub reverse: bool,
    /// Incremental site prioritizing: sites linked from sites with searchable forms come first.
    pub incremental: bool,
    /// Adaptive learning: rank sites and links by similarity to earlier finds instead of by arrival.
    pub adaptive: bool,
}

impl SmartOptions {
    /// SmartCrawler as published.
    pub const ALL: SmartOptions = SmartOptions { reverse: true, incremental: true, adaptive: true };
}

/// SmartCrawler; see the [module documentation](self).
pub struct SmartCrawler {
    options: SmartOptions,
    seed: u64,
    seeds: FxHashSet<SiteKey>,
    state: SmartState,
}

impl SmartCrawler {
    /// A crawler with some of the parts. Reverse searching needs a source of backlinks.
    pub fn new(options: SmartOptions, context: &StrategyContext) -> SmartCrawler {
        let options = SmartOptions { reverse: options.reverse && context.backlinks, ..options };
        let mut state = SmartState::default();
        context.seeds.iter().for_each(|url| state.reverse.add_site(url));
        if options.adaptive {
            state.learner.add_examples(&context.seeds, &context.examples);
        }
        let seeds: FxHashSet<SiteKey> = context.seeds.iter().map(|url| SiteKey::of(&Site::of(url))).collect();
        for seed in &seeds {
            state.sites.add(*seed, SiteStatus::High);
        }
        SmartCrawler { options, seed: context.seed, seeds, state }
    }

    /// The same crawler without adaptive learning and without examples.
    pub fn frozen(mut self) -> SmartCrawler {
        self.options.adaptive = false;
        self.state.learner = AdaptiveLearner::default();
        self
    }

    fn place_home_page(&self, link: &FrontierLink) -> Placement {
        let site = SiteKey::of(&link.site());
        let rank = || self.state.learner.rank_site(link, self.state.sites.frequency(site));
        let score = if self.seeds.contains(&site) { SEED_SCORE } else { rank() };
        Placement::Enqueue { queue: self.state.sites.queue(site), score }
    }

    fn place_inside_site(&self, link: &FrontierLink) -> Placement {
        let site = SiteKey::of(&link.site());
        let open = self.state.open.iter().find(|open| open.key == site);
        match open.and_then(|open| open.queue_of(link)) {
            Some(queue) => Placement::Enqueue { queue, score: self.state.learner.rank_link(link) },
            None => Placement::Drop,
        }
    }

    /// Queue with the next link of an open site. Sites are checked in the order they were opened; sites that are done
    /// are left.
    fn choose_inside_site(&mut self, heads: &dyn QueueHeads) -> Option<QueueId> {
        let mut at = 0;
        while at < self.state.open.len() {
            let served = self.state.served;
            let site = &mut self.state.open[at];
            match site.availability(heads, served) {
                SiteAvailability::Ready(queue) => {
                    site.on_served(served);
                    return Some(queue);
                }
                SiteAvailability::Waiting => at += 1,
                SiteAvailability::DepthDone if site.end_depth() == StopDecision::NextDepth => {
                    site.start_next_depth();
                }
                SiteAvailability::DepthDone | SiteAvailability::TimedOut => self.leave(at),
            }
        }
        None
    }

    /// Chooses the best home page (algorithm 2). An empty high priority queue gets the links of the low priority queue.
    /// If no host of the high priority queue is ready, the low priority queue is served.
    fn choose_home_page(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        if self.state.open.len() >= MAX_OPEN_SITES {
            return QueueChoice::Idle;
        }
        if heads.link_count(HIGH) == 0 && heads.link_count(LOW) > 0 {
            self.state.sites.promote_low();
            return QueueChoice::Execute(Box::new(StrategyCommand::Refill {
                from: LOW,
                to: HIGH,
                limit: usize::MAX,
            }));
        }
        let ready = [HIGH, LOW].into_iter().find(|queue| heads.head(*queue).is_some());
        ready.map_or(QueueChoice::Idle, QueueChoice::Serve)
    }

    /// Starts a reverse search if few sites wait and no candidates of the last search are left.
    fn search_sites(&mut self, heads: &dyn QueueHeads) -> Option<StrategyCommand> {
        if !self.options.reverse || self.state.reverse.is_running() || heads.link_count(CENTRES) > 0 {
            return None;
        }
        let queued = heads.link_count(HIGH) + heads.link_count(LOW);
        let found =
            || self.state.open.iter().map(|open| heads.link_count(open.key.found_queue())).sum::<u64>();
        let is_short = queued < MIN_SITES && queued + found() < MIN_SITES;
        is_short.then(|| self.state.reverse.start(self.seed)).flatten().map(StrategyCommand::LookUpBacklinks)
    }
}

impl Strategy for SmartCrawler {
    fn begin(&mut self) -> Vec<StrategyCommand> {
        let mut commands = self.state.learner.start();
        if self.options.reverse {
            commands.extend(self.state.reverse.start(self.seed).map(StrategyCommand::LookUpBacklinks));
        }
        commands
    }

    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        if link.task == LinkTask::Backlinks {
            return Placement::Enqueue { queue: LOOKUPS, score: 0.0 };
        }
        if self.state.reverse.is_candidate(link) {
            return Placement::Enqueue { queue: CENTRES, score: 0.0 };
        }
        match link.parent {
            None if link.origin == LinkOrigin::Backlink => Placement::Drop,
            None => self.place_home_page(link),
            Some(parent) if parent.same_site => self.place_inside_site(link),
            Some(_) => Placement::Drop,
        }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        if let Some(command) = self.state.next_command().or_else(|| self.search_sites(heads)) {
            return QueueChoice::Execute(Box::new(command));
        }
        let is_ready = |queue: &QueueId| heads.head(*queue).is_some();
        let queue = [LOOKUPS, CENTRES].into_iter().find(is_ready).or_else(|| self.choose_inside_site(heads));
        let choice = match queue {
            Some(queue) => QueueChoice::Serve(queue),
            None => match self.state.next_command() {
                Some(command) => QueueChoice::Execute(Box::new(command)),
                None => self.choose_home_page(heads),
            },
        };
        self.state.served += u64::from(matches!(choice, QueueChoice::Serve(_)));
        choice
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        self.on_visit(visit)
    }

    fn on_backlinks(&mut self, about: &Url, linking: &[Url]) -> Vec<StrategyCommand> {
        self.state.reverse.on_backlinks(about, linking);
        Vec::new()
    }

    fn uses_backlinks(&self) -> bool {
        self.options.reverse
    }

    fn gauges(&self, heads: &dyn QueueHeads) -> Vec<StrategyGauge> {
        let (high, low) = (heads.link_count(HIGH), heads.link_count(LOW));
        let gauge = |(name, value)| StrategyGauge { name, value };
        let gauges = [
            ("high queue", high as f64),
            ("low queue", low as f64),
            ("site queue", (high + low) as f64),
            ("active sites", self.state.open.len() as f64),
            ("deep sites", f64::from(self.state.deep_found)),
            ("reverse searches", f64::from(self.state.reverse.searches())),
            ("centre pages", f64::from(self.state.reverse.centres())),
            ("learned", f64::from(self.state.learner.iteration())),
        ];
        gauges.map(gauge).into()
    }

    fn load_earlier_run(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        let earlier = SmartState::decode(saved)?;
        if self.options.adaptive {
            self.state.learner.load_earlier(earlier.learner);
        }
        self.state.reverse.add_earlier(earlier.reverse);
        self.state.deep.extend(earlier.deep);
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        self.state.encode()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        self.state = SmartState::decode(saved)?;
        Ok(())
    }
}
