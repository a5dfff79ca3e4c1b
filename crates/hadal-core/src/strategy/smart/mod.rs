//! SmartCrawler (Zhao et al. 2015) and its plain sibling SCDI: two stages, sites first, then the links of a site.
//!
//! A site is known by its home page. Home pages wait in the site frontier; one that is on topic opens its
//! site, which is explored by [`explored`] until it has tried our [`patience`]. Only then the sites it
//! links to join the frontier: in the high queue if it yielded searchable forms, in the low one if not.
//! [`reverse`] searching finds more when few wait. The [`learner`] ranks sites and links. SCDI does without
//! the last three; [`Parts`] says which are there. Links of sites that are not open are never taken.

mod explored;
mod feature_space;
mod learner;
mod link_tree;
mod memory;
mod patience;
mod queues;
mod reverse;
mod site_table;
mod stages;

use super::{
    PageVisit, Placement, QueueChoice, QueueHeads, RestoreError, SiteCounters, Strategy, StrategyCommand,
    StrategyContext, StrategyGauge,
};
use crate::address::Site;
use crate::link::{FrontierLink, LinkOrigin, LinkTask, QueueId};
use explored::Offered;
use learner::Learner;
use memory::Memory;
use patience::Next;
use queues::{CENTRES, HIGH, LOOKUPS, LOW, SiteKey};
use reverse::FEW_SITES;
use rustc_hash::FxHashSet;
use site_table::Standing;
use url::Url;

/// Sites that are explored at once: enough to be busy while each host rests between requests, few enough
/// for the ranking to decide.
const MOST_OPEN: usize = 64;
/// Seeds were chosen with care: no rank comes near this.
const SEED_SCORE: f32 = 1_000.0;

/// What SmartCrawler has and SCDI has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Asks who links to good sites when few sites wait.
    pub reverse: bool,
    /// Two queues: what sites with searchable forms link to comes first.
    pub incremental: bool,
    /// Ranks sites and links by what was found so far, instead of in the order they were met.
    pub adaptive: bool,
}

impl Parts {
    /// SmartCrawler complete.
    pub const ALL: Parts = Parts { reverse: true, incremental: true, adaptive: true };
}

/// The crawler.
pub struct Smart {
    parts: Parts,
    seed: u64,
    seeds: FxHashSet<SiteKey>,
    memory: Memory,
}

impl Smart {
    /// A crawler with some of the parts.
    pub fn new(parts: Parts, briefing: &StrategyContext) -> Smart {
        let parts = Parts { reverse: parts.reverse && briefing.backlinks, ..parts };
        let mut memory = Memory::default();
        briefing.seeds.iter().for_each(|url| memory.reverse.remember(url));
        if parts.adaptive {
            memory.learner.prepare(&briefing.seeds, &briefing.examples);
        }
        let seeds: FxHashSet<SiteKey> =
            briefing.seeds.iter().map(|url| SiteKey::of(&Site::of(url))).collect();
        for seed in &seeds {
            memory.sites.meet(*seed, Standing::High);
        }
        Smart { parts, seed: briefing.seed, seeds, memory }
    }

    /// The same crawler, but it never learns and knows nothing to begin with.
    pub fn frozen(mut self) -> Smart {
        self.parts.adaptive = false;
        self.memory.learner = Learner::default();
        self
    }

    fn place_home(&self, link: &FrontierLink) -> Placement {
        let site = SiteKey::of(&link.site());
        let rank = || self.memory.learner.rank_site(link, self.memory.sites.frequency(site));
        let score = if self.seeds.contains(&site) { SEED_SCORE } else { rank() };
        Placement::Enqueue { queue: self.memory.sites.queue(site), score }
    }

    fn place_inside(&self, link: &FrontierLink) -> Placement {
        let site = SiteKey::of(&link.site());
        let open = self.memory.open.iter().find(|open| open.key == site);
        match open.and_then(|open| open.queue_of(link)) {
            Some(queue) => Placement::Enqueue { queue, score: self.memory.learner.rank_link(link) },
            None => Placement::Drop,
        }
    }

    /// The next link of an open site, the site that was opened first before others.
    fn explore(&mut self, heads: &dyn QueueHeads) -> Option<QueueId> {
        let mut at = 0;
        while at < self.memory.open.len() {
            let served = self.memory.served;
            let site = &mut self.memory.open[at];
            match site.offered(heads, served) {
                Offered::Queue(queue) => {
                    site.served(served);
                    return Some(queue);
                }
                Offered::Later => at += 1,
                Offered::Through if site.through() == Next::Deeper => site.descend(),
                Offered::Through | Offered::Over => self.leave_later(at),
            }
        }
        None
    }

    /// The best home page. The low queue is moved into the high one when that is empty; while everybody
    /// in the high one rests, one of the low may go.
    fn open_site(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        if self.memory.open.len() >= MOST_OPEN {
            return QueueChoice::Idle;
        }
        if heads.link_count(HIGH) == 0 && heads.link_count(LOW) > 0 {
            self.memory.sites.empty_low();
            return QueueChoice::Execute(Box::new(StrategyCommand::Refill {
                from: LOW,
                to: HIGH,
                limit: usize::MAX,
            }));
        }
        let ready = [HIGH, LOW].into_iter().find(|queue| heads.head(*queue).is_some());
        ready.map_or(QueueChoice::Idle, QueueChoice::Serve)
    }

    /// A site to ask about, when few sites wait and nothing is left of the last answer.
    fn search(&mut self, heads: &dyn QueueHeads) -> Option<StrategyCommand> {
        if !self.parts.reverse || self.memory.reverse.is_asking() || heads.link_count(CENTRES) > 0 {
            return None;
        }
        let queued = heads.link_count(HIGH) + heads.link_count(LOW);
        let found = || self.memory.open.iter().map(|open| heads.link_count(open.key.finds())).sum::<u64>();
        let few = queued < FEW_SITES && queued + found() < FEW_SITES;
        few.then(|| self.memory.reverse.search(self.seed)).flatten().map(StrategyCommand::LookUpBacklinks)
    }
}

impl Strategy for Smart {
    fn begin(&mut self) -> Vec<StrategyCommand> {
        let mut commands = self.memory.learner.start();
        if self.parts.reverse {
            commands.extend(self.memory.reverse.search(self.seed).map(StrategyCommand::LookUpBacklinks));
        }
        commands
    }

    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        if link.task == LinkTask::Backlinks {
            return Placement::Enqueue { queue: LOOKUPS, score: 0.0 };
        }
        if self.memory.reverse.wants(link) {
            return Placement::Enqueue { queue: CENTRES, score: 0.0 };
        }
        match link.parent {
            None if link.origin == LinkOrigin::Backlink => Placement::Drop,
            None => self.place_home(link),
            Some(parent) if parent.same_site => self.place_inside(link),
            Some(_) => Placement::Drop,
        }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        if let Some(command) = self.memory.next_command().or_else(|| self.search(heads)) {
            return QueueChoice::Execute(Box::new(command));
        }
        let ready = |queue: &QueueId| heads.head(*queue).is_some();
        let queue = [LOOKUPS, CENTRES].into_iter().find(ready).or_else(|| self.explore(heads));
        let choice = match queue {
            Some(queue) => QueueChoice::Serve(queue),
            None => self
                .memory
                .next_command()
                .map_or_else(|| self.open_site(heads), |command| QueueChoice::Execute(Box::new(command))),
        };
        self.memory.served += u64::from(matches!(choice, QueueChoice::Serve(_)));
        choice
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        self.take_in(visit)
    }

    fn on_backlinks(&mut self, about: &Url, linking: &[Url]) -> Vec<StrategyCommand> {
        self.memory.reverse.heard(about, linking);
        Vec::new()
    }

    fn gauges(&self, heads: &dyn QueueHeads) -> Vec<StrategyGauge> {
        let (high, low) = (heads.link_count(HIGH), heads.link_count(LOW));
        let gauge = |(name, value)| StrategyGauge { name, value };
        let gauges = [
            ("high queue", high as f64),
            ("low queue", low as f64),
            ("site queue", (high + low) as f64),
            ("active sites", self.memory.open.len() as f64),
            ("deep sites", f64::from(self.memory.deep_found)),
            ("reverse searches", f64::from(self.memory.reverse.searches())),
            ("centre pages", f64::from(self.memory.reverse.centres())),
            ("learned", f64::from(self.memory.learner.iteration())),
        ];
        gauges.map(gauge).into()
    }

    fn load_earlier_run(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        let earlier = Memory::read(saved)?;
        if self.parts.adaptive {
            self.memory.learner.inherit(earlier.learner);
        }
        self.memory.reverse.inherit(earlier.reverse);
        self.memory.deep.extend(earlier.deep);
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        self.memory.write()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        self.memory = Memory::read(saved)?;
        Ok(())
    }
}
