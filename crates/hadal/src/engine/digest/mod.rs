//! Taking in what steps bring back, one at a time: reward, learn, place the links, keep one outcome.

mod host;
mod page;
mod probe;

use super::choose::target_of;
use super::step::{Catch, Done, Job, Reading, Step};
use super::{CrawlError, CrawlEvent, Engine};
use crate::polite::retry::{NextAction, follow_redirect, next_action};
use crate::polite::{FailureKind, HostIx};
use crate::store::*;
use hadal_core::address::{LinkId, Site, TrackingParams, normalise};
use hadal_core::http::{Completeness, Exchange, FetchError};
use hadal_core::link::{FrontierLink, LinkOrigin, ParentPage, QueuedLink};
use hadal_core::strategy::StrategyCommand;
use hadal_core::time::Time;
use url::Url;

/// A strategy's gauges are told this often, in requests.
const GAUGE_EVERY: u64 = 500;

impl Engine {
    /// Takes in a finished step.
    pub(super) fn digest(
        &mut self,
        done: Done,
        tell: &mut (dyn FnMut(CrawlEvent) + Send),
    ) -> Result<(), CrawlError> {
        let Done { step, catch, took } = done;
        let flight = self.in_flight.remove(&step.seq);
        self.setup.clock.advance(step.at.after(took));
        let now = self.setup.clock.now();
        let mut outcome = Outcome::of(step.seq, target_of(&step.job), now);
        let mut commands = Vec::new();
        match (step.job.clone(), catch) {
            (Job::Visit(waiting), Catch::Answer(exchange, reading)) => {
                commands = self.digest_visit(*waiting, &step, &exchange, reading.as_deref(), &mut outcome)?;
            }
            (Job::Robots { host, request }, Catch::Answer(exchange, _)) => {
                self.digest_robots(&host, &request, &exchange, &mut outcome)?;
            }
            (Job::Probe(waiting), Catch::Reply(exchange, page)) => {
                self.digest_probe(*waiting, &step, &exchange, page.as_deref(), &mut outcome)?;
            }
            (Job::Lookup(waiting), Catch::Backlinks(found)) => {
                commands = self.digest_lookup(&waiting.link.url, found, &mut outcome)?;
            }
            (job, _) => {
                outcome.requests = 0;
                outcome.end = StepEnd::Failed(FailureKind::Robots.into());
                if let Job::Refused(waiting) = job
                    && !waiting.queue.is_reserved()
                {
                    commands = self.learn_of_failure(&waiting.link)?;
                }
            }
        }
        self.report(&outcome, &step, tell);
        let requests_before = self.spent.requests;
        self.accept(outcome, &flight.map_or_else(Vec::new, |flight| flight.hosts))?;
        for command in commands {
            self.obey(command)?;
        }
        if self.spent.requests / GAUGE_EVERY > requests_before / GAUGE_EVERY {
            tell(self.gauges());
        }
        Ok(())
    }

    fn gauges(&self) -> CrawlEvent {
        let gauges = self.setup.strategy.gauges(&self.frontier);
        CrawlEvent::Gauges { requests: self.spent.requests, pages: self.spent.pages, gauges }
    }

    /// Hands one outcome to the store and lets its hosts go.
    pub(super) fn accept(&mut self, outcome: Outcome, hosts: &[HostIx]) -> Result<(), CrawlError> {
        self.spent.requests += u64::from(outcome.requests);
        self.spent.bytes += outcome.bytes;
        self.spent.pages += u64::from(outcome.page.is_some());
        self.spent.probes += u64::from(outcome.submission.is_some());
        for host in hosts {
            let state = outcome.hosts.iter().find(|state| state.host == *self.hosts.name(*host));
            let (next_at, place_next_at) =
                state.map(|state| (state.next_at, state.address_next_at)).unwrap_or_default();
            for host in self.hosts.release(*host, next_at, place_next_at) {
                self.refresh(host);
            }
        }
        self.line_up(&outcome.found)?;
        if let Some(waiting) = outcome.end.back() {
            self.line_up(std::slice::from_ref(waiting))?;
        }
        let hopeless = host::hopeless_host(&outcome);
        self.setup.store.commit(self.run, &Batch { outcomes: vec![outcome], ..Batch::default() })?;
        match hopeless {
            Some((host, kind)) => self.give_up_host(host, kind),
            None => Ok(()),
        }
    }

    fn digest_visit(
        &mut self,
        waiting: QueuedLink,
        step: &Step,
        exchange: &Exchange,
        reading: Option<&Reading>,
        outcome: &mut Outcome,
    ) -> Result<Vec<StrategyCommand>, CrawlError> {
        match self.next_after(&waiting, step, exchange, outcome)? {
            NextAction::Accept => match reading {
                Some(reading) => return self.digest_page(&waiting.link, exchange, reading, outcome),
                None => outcome.end = StepEnd::Failed(FailureKind::NoPage.into()),
            },
            NextAction::Redirect(target) => self.digest_redirect(&waiting.link, target, outcome)?,
            NextAction::Retry { at, kind, .. } => {
                outcome.end = again(waiting, at, kind);
                return Ok(Vec::new());
            }
            NextAction::GiveUp(kind) => outcome.end = StepEnd::Failed(kind.into()),
        }
        match outcome.end {
            StepEnd::Failed(_) => self.learn_of_failure(&waiting.link),
            StepEnd::Redirected if outcome.found.is_empty() => self.learn_of_failure(&waiting.link),
            _ => Ok(Vec::new()),
        }
    }

    /// What follows from an exchange for its lead; what it cost and told of the host is in the outcome.
    fn next_after(
        &mut self,
        waiting: &QueuedLink,
        step: &Step,
        exchange: &Exchange,
        outcome: &mut Outcome,
    ) -> Result<NextAction, CrawlError> {
        let host = self.meet(&waiting.link.host())?;
        let failures = self.known_host(host)?.state.failures;
        let mut next = next_action(&waiting.link.url, exchange, waiting.attempts, failures, outcome.at);
        if step.body_limit < self.setup.body_limit && is_cut(exchange) {
            next = NextAction::Retry { at: outcome.at, host_until: None, kind: FailureKind::ByteBudget };
        }
        if !waiting.queue.is_reserved()
            && self.site_book.get(self.setup.store.as_ref(), self.run, &waiting.link.site())?.closed
        {
            next = on_closed_site(next);
        }
        outcome.hosts = vec![self.host_after(host, exchange, &next, outcome.at)?];
        outcome.bytes = exchange.result.as_ref().map_or(0, |response| response.transferred);
        Ok(next)
    }

    /// The next hop is a lead of its own: it may be on another host, and waits for that one's turn.
    fn digest_redirect(
        &mut self,
        lead: &FrontierLink,
        target: Url,
        outcome: &mut Outcome,
    ) -> Result<(), CrawlError> {
        match follow_redirect(&lead.url, &lead.redirects, target, TrackingParams::Strip) {
            Ok(target) => {
                outcome.end = StepEnd::Redirected;
                outcome.found = self.admit(vec![next_hop(lead, target)])?;
            }
            Err(kind) => outcome.end = StepEnd::Failed(kind.into()),
        }
        Ok(())
    }

    fn digest_lookup(
        &mut self,
        about: &Url,
        found: Result<Vec<Url>, FetchError>,
        outcome: &mut Outcome,
    ) -> Result<Vec<StrategyCommand>, CrawlError> {
        let (urls, ending) = match found {
            Ok(urls) => (urls, StepEnd::Visited),
            Err(error) => (Vec::new(), StepEnd::Failed(FailureKind::Fetch(error).into())),
        };
        outcome.end = ending;
        let linking: Vec<Url> =
            urls.into_iter().filter_map(|url| normalise(url, TrackingParams::Strip)).collect();
        let commands = self.setup.strategy.on_backlinks(about, &linking);
        let leads = linking.into_iter().map(|url| FrontierLink::root(url, LinkOrigin::Backlink)).collect();
        outcome.found = self.admit(leads)?;
        Ok(commands)
    }

    fn report(&self, outcome: &Outcome, step: &Step, tell: &mut (dyn FnMut(CrawlEvent) + Send)) {
        for form in &outcome.forms {
            if let FoundForm::New(row) = form {
                tell(CrawlEvent::Form(row.clone()));
            }
        }
        if let Some(judged) = &outcome.probe {
            tell(CrawlEvent::Probed(judged.clone()));
        }
        if let (StepEnd::Failed(kind), Job::Visit(waiting) | Job::Refused(waiting)) =
            (&outcome.end, &step.job)
        {
            tell(CrawlEvent::Failed { url: waiting.link.url.to_string(), kind: kind.clone() });
        }
    }
}

/// The lead goes back, with one more attempt behind it.
fn again(waiting: QueuedLink, at: Time, kind: FailureKind) -> StepEnd {
    let attempts = waiting.attempts.saturating_add(1);
    StepEnd::Retry(Box::new(QueuedLink { attempts, not_before: at, ..waiting }), kind.into())
}

/// Nothing is tried again on a site that was left.
fn on_closed_site(next: NextAction) -> NextAction {
    match next {
        NextAction::Retry { kind, .. } => NextAction::GiveUp(kind),
        other => other,
    }
}

fn is_cut(exchange: &Exchange) -> bool {
    exchange.result.as_ref().is_ok_and(|response| response.completeness == Completeness::Cut)
}

fn next_hop(lead: &FrontierLink, target: Url) -> FrontierLink {
    let mut redirects = lead.redirects.clone();
    redirects.push(lead.url.clone());
    let stays = Site::of(&target) == lead.site();
    let same_site = |parent: ParentPage| ParentPage { same_site: parent.same_site && stays, ..parent };
    FrontierLink {
        id: LinkId::of(&target),
        origin: LinkOrigin::Redirect,
        parent: lead.parent.map(same_site),
        site_depth: if stays { lead.site_depth } else { 0 },
        url: target,
        redirects,
        ..lead.clone()
    }
}
