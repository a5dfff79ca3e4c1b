//! What a strategy may ask for beyond the next page, and how leads come into the frontier.

use super::{CrawlError, Engine, once};
use crate::polite::HostIx;
use crate::store::*;
use hadal_core::address::{LinkId, Site};
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, QueueId, QueueRank, QueuedLink};
use hadal_core::page::LinkContext;
use hadal_core::strategy::{Lesson, Placement, StrategyCommand};
use hadal_core::time::Time;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

impl Engine {
    /// Begins a run: with what is known from before, with what the strategy wants done first, and with
    /// the user's seeds.
    pub(super) fn set_out(&mut self) -> Result<(), CrawlError> {
        if let Some(prior) = self.setup.prior.take() {
            self.setup.strategy.load_earlier_run(&prior)?;
        }
        for command in self.setup.strategy.begin() {
            self.obey(command)?;
        }
        self.plant_seeds()
    }

    fn plant_seeds(&mut self) -> Result<(), CrawlError> {
        let seeds: Vec<FrontierLink> = self
            .setup
            .spec
            .seeds
            .iter()
            .map(|url| FrontierLink::root(url.clone(), LinkOrigin::Seed))
            .collect();
        let planted = self.admit(seeds)?;
        if planted.is_empty() {
            return Err(CrawlError::NoSeeds);
        }
        self.add(planted)
    }

    /// Does what a strategy asked for.
    pub(super) fn obey(&mut self, command: StrategyCommand) -> Result<(), CrawlError> {
        match command {
            StrategyCommand::Refill { from, to, limit } => self.refill(from, to, limit),
            StrategyCommand::RescoreHeads => self.rescore(),
            StrategyCommand::RescoreAll => self.rerank(),
            StrategyCommand::AddPage(root, context) => self.open_page(root, context),
            StrategyCommand::SetSiteBonus(_) => Ok(()),
            StrategyCommand::RecordLesson(lesson) => self.note(lesson),
            StrategyCommand::CloseSite(site) => self.close_site(&site),
            StrategyCommand::LookUpBacklinks(url) => self.look_up(url),
        }
    }

    /// Leads that are in scope, on open sites, new and wanted, placed; each is known from now on.
    pub(super) fn admit(&mut self, leads: Vec<FrontierLink>) -> Result<Vec<QueuedLink>, CrawlError> {
        let mut fresh: Vec<FrontierLink> = Vec::with_capacity(leads.len());
        for lead in leads {
            if !self.seen.contains(lead.id) && self.setup.scope.admits(&lead) {
                fresh.push(lead);
            }
        }
        let ids: Vec<LinkId> = fresh.iter().map(|lead| lead.id).collect();
        let known = self.setup.store.known(self.run, &ids)?;
        let mut placed = Vec::new();
        for (lead, known) in fresh.into_iter().zip(known) {
            if known || self.seen.contains(lead.id) {
                self.seen.insert(lead.id);
            } else if let Some(waiting) = self.place(lead)? {
                self.seen.insert(waiting.link.id);
                placed.push(waiting);
            }
        }
        Ok(placed)
    }

    fn place(&mut self, lead: FrontierLink) -> Result<Option<QueuedLink>, CrawlError> {
        let Placement::Enqueue { queue: lane, score } = self.placement(&lead)? else { return Ok(None) };
        let order = self.progress.next_order;
        self.progress.next_order += 1;
        let generation = self.progress.generation;
        Ok(Some(QueuedLink {
            link: lead,
            queue: lane,
            score,
            order,
            generation,
            attempts: 0,
            not_before: Time(0),
        }))
    }

    /// Where the strategy wants a lead, by what it has learned so far; nowhere on a site it left.
    fn placement(&mut self, lead: &FrontierLink) -> Result<Placement, CrawlError> {
        let site = self.site_book.get(self.setup.store.as_ref(), self.run, &lead.site())?;
        Ok(if site.closed { Placement::Drop } else { self.setup.strategy.place(lead, &site) })
    }

    /// Adds placed leads to the store and to the frontier.
    fn add(&mut self, leads: Vec<QueuedLink>) -> Result<(), CrawlError> {
        self.line_up(&leads)?;
        self.change(FrontierChange::Add(leads))
    }

    /// Tells the frontier of leads that the store has or is about to get.
    pub(super) fn line_up(&mut self, leads: &[QueuedLink]) -> Result<(), CrawlError> {
        let now = self.setup.clock.now();
        for waiting in leads {
            let host = self.meet(&waiting.link.host())?;
            let idle = self.hosts.is_idle(host, now);
            self.frontier.add(waiting.queue, host, waiting.rank(), 1, idle);
        }
        Ok(())
    }

    pub(super) fn change(&mut self, change: FrontierChange) -> Result<(), CrawlError> {
        Ok(self.setup.store.commit(self.run, &Batch { changes: vec![change], ..Batch::default() })?)
    }

    /// Moves the best leads of one lane into another, with scores of the model as it is now.
    fn refill(&mut self, from: QueueId, to: QueueId, take: usize) -> Result<(), CrawlError> {
        let moved = self.setup.store.of_lane(self.run, from, take)?;
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for waiting in &moved {
            match self.placement(&waiting.link)? {
                Placement::Enqueue { score, .. } => {
                    kept.push(QueuedLink {
                        queue: to,
                        score,
                        generation: self.progress.generation,
                        ..waiting.clone()
                    });
                }
                Placement::Drop => dropped.push(waiting.link.id),
            }
        }
        self.change(FrontierChange::Replace(kept.clone()))?;
        self.change(FrontierChange::Drop(dropped))?;
        for waiting in &moved {
            let host = self.meet(&waiting.link.host())?;
            self.frontier.remove(from, host, Some(waiting.rank()));
        }
        for host in once(moved.iter().map(|waiting| waiting.link.host())) {
            let head = self.setup.store.of_host(self.run, from, &host, None, 1)?;
            if let Some(ix) = self.hosts.find(&host) {
                self.frontier.set_head(from, ix, head.first().map(QueuedLink::rank));
            }
        }
        self.line_up(&kept)
    }

    /// The model changed: heads are placed anew at once, the rest when they become heads.
    fn rescore(&mut self) -> Result<(), CrawlError> {
        self.progress.generation += 1;
        for (lane, host) in self.frontier.queues() {
            let mut best =
                self.setup.store.of_host(self.run, lane, self.hosts.name(host), None, 2)?.into_iter();
            if let Some(head) = best.next() {
                self.place_anew(head, host, best.next().map(|waiting| waiting.rank()))?;
            }
        }
        Ok(())
    }

    /// Places one lead by the model as it is now; `next` is the rank of the one behind it.
    pub(super) fn place_anew(
        &mut self,
        old: QueuedLink,
        host: HostIx,
        next: Option<QueueRank>,
    ) -> Result<(), CrawlError> {
        self.frontier.remove(old.queue, host, next);
        match self.placement(&old.link)? {
            Placement::Enqueue { queue: lane, score } => {
                let anew = QueuedLink { queue: lane, score, generation: self.progress.generation, ..old };
                self.line_up(std::slice::from_ref(&anew))?;
                self.change(FrontierChange::Replace(vec![anew]))
            }
            Placement::Drop => self.change(FrontierChange::Drop(vec![old.link.id])),
        }
    }

    /// Everything that waits is placed anew, host by host.
    fn rerank(&mut self) -> Result<(), CrawlError> {
        self.progress.generation += 1;
        let generation = self.progress.generation;
        for (host, lanes) in self.frontier.hosts() {
            let name = self.hosts.name(host).clone();
            let (mut kept, mut dropped) = (Vec::new(), Vec::new());
            for lane in lanes {
                for old in self.setup.store.of_host(self.run, lane, &name, None, usize::MAX)? {
                    match self.placement(&old.link)? {
                        Placement::Enqueue { queue: lane, score } => {
                            kept.push(QueuedLink { queue: lane, score, generation, ..old });
                        }
                        Placement::Drop => dropped.push(old.link.id),
                    }
                }
            }
            self.frontier.leave_host(host);
            self.line_up(&kept)?;
            self.change(FrontierChange::Replace(kept))?;
            self.change(FrontierChange::Drop(dropped))?;
        }
        Ok(())
    }

    fn open_page(&mut self, root: Url, context: LinkContext) -> Result<(), CrawlError> {
        let opened =
            self.admit(vec![FrontierLink { context, ..FrontierLink::root(root, LinkOrigin::SiteRoot) }])?;
        self.add(opened)
    }

    fn note(&mut self, lesson: Lesson) -> Result<(), CrawlError> {
        let (at_request, at_page) = (self.spent.requests, self.spent.pages);
        self.change(FrontierChange::Learned(LessonRow { at_request, at_page, lesson }))
    }

    fn close_site(&mut self, site: &Site) -> Result<(), CrawlError> {
        let mut tally = self.site_book.get(self.setup.store.as_ref(), self.run, site)?;
        tally.closed = true;
        self.site_book.set(site.clone(), tally);
        for host in self.hosts.of_site(site) {
            self.frontier.leave_host(host);
        }
        self.change(FrontierChange::CloseSite(site.clone()))
    }

    /// A look-up waits like any other lead, under an identity of its own.
    fn look_up(&mut self, url: Url) -> Result<(), CrawlError> {
        if self.setup.backlinks.is_none() {
            tracing::debug!(%url, "nobody here knows backlinks");
            return Ok(());
        }
        let id = LinkId(xxh3_64(format!("backlinks of {url}").as_bytes()));
        let lead =
            FrontierLink { id, task: LinkTask::Backlinks, ..FrontierLink::root(url, LinkOrigin::Backlink) };
        let asked = self.admit(vec![lead])?;
        self.add(asked)
    }
}
