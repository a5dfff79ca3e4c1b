//! From the result of a step to its outcome: what is stored, what the strategy learns, which links are new.
//!
//! Results are turned into outcomes one at a time. [`OutcomeBuilder`] changes the strategy and the memory of the
//! frontier; the outcome makes the same changes in the store.

mod page;
mod probe;

use super::frontier::Frontier;
use super::setup::Crawl;
use super::step::{ExaminedPage, FinishedStep, FurtherRequests, Step, StepKind, StepResult};
use crate::polite::RobotsRequest;
use crate::polite::retry::{NextAction, follow_redirect, is_permanent_for_host, next_action};
use crate::store::*;
use hadal_core::address::{Host, LinkId, Site, TrackingParams, normalise};
use hadal_core::http::{BodyCompleteness, Exchange, FetchError};
use hadal_core::link::{FrontierLink, LinkOrigin, ParentPage, QueuedLink};
use hadal_core::strategy::StrategyCommand;
use hadal_core::time::Time;
use url::Url;

/// Commands that a strategy answers with.
type Commands = Vec<StrategyCommand>;

/// Builds the outcome of one step.
pub struct OutcomeBuilder<'a> {
    crawl: &'a mut Crawl,
    frontier: &'a mut Frontier,
    /// Number of the step's request within the run, counted from 1.
    at_request: u64,
    body_limit: u64,
    outcome: Outcome,
}

impl<'a> OutcomeBuilder<'a> {
    /// Builder for a step that ended at `now`. `requests` counts the requests of the run before it.
    pub fn new(
        crawl: &'a mut Crawl,
        frontier: &'a mut Frontier,
        step: &Step,
        requests: u64,
        now: Time,
    ) -> OutcomeBuilder<'a> {
        let outcome = Outcome::of(step.seq, step.kind.target(), now);
        OutcomeBuilder { crawl, frontier, at_request: requests + 1, body_limit: step.body_limit, outcome }
    }

    /// Builds the outcome. Returns it with the commands of the strategy.
    pub fn build(mut self, finished: FinishedStep) -> Result<(Outcome, Commands), StoreError> {
        let commands = match (finished.step.kind, finished.result) {
            (StepKind::Visit(queued), StepResult::Response(exchange, examined)) => {
                self.visit(*queued, &exchange, examined.as_deref())?
            }
            (StepKind::Robots { host, request }, StepResult::Response(exchange, _)) => {
                self.robots(&host, &request, &exchange)?
            }
            (StepKind::Probe(queued), StepResult::ProbeResponse(exchange, page)) => {
                self.probe(*queued, &exchange, page.as_deref())?
            }
            (StepKind::LookUp(queued), StepResult::Backlinks(found)) => {
                self.backlinks(&queued.link.url, found)?
            }
            (kind, _) => self.refused(kind)?,
        };
        Ok((self.outcome, commands))
    }

    fn visit(
        &mut self,
        queued: QueuedLink,
        exchange: &Exchange,
        examined: Option<&ExaminedPage>,
    ) -> Result<Commands, StoreError> {
        let further = examined.and_then(|examined| examined.further);
        let next = self.next_action(&queued, exchange, further.is_some())?;
        further.into_iter().for_each(|further| self.count_further_requests(further));
        match next {
            NextAction::Accept => match examined {
                Some(examined) => return self.page(&queued.link, exchange, examined),
                None => self.outcome.end = StepEnd::Failed(FailureKind::NoPage),
            },
            NextAction::Redirect(target) => self.redirect(&queued.link, target)?,
            NextAction::Retry { at, kind } => {
                self.outcome.end = retry(queued, at, kind);
                return Ok(Vec::new());
            }
            NextAction::GiveUp { kind, .. } => self.outcome.end = StepEnd::Failed(kind),
        }
        match self.outcome.end {
            StepEnd::Failed(_) => self.learn_failure(&queued.link),
            StepEnd::Redirected
                if self.outcome.found.is_empty() && self.frontier.partitions.forwarded() == 0 =>
            {
                self.learn_failure(&queued.link)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Counts the requests that a visit sent after the one for its page.
    fn count_further_requests(&mut self, further: FurtherRequests) {
        self.outcome.requests += u32::try_from(further.requests).unwrap_or(u32::MAX);
        self.outcome.bytes += further.bytes;
        self.crawl.reserve.count(further.requests, further.bytes);
    }

    /// Action that follows from an exchange. Cost and host states go into the outcome.
    fn next_action(
        &mut self,
        queued: &QueuedLink,
        exchange: &Exchange,
        is_recorded: bool,
    ) -> Result<NextAction, StoreError> {
        let (link, now) = (&queued.link, self.outcome.at);
        let host = self.frontier.host(&link.host(), now)?;
        let failures = self.frontier.waiting.hosts.failures(host)?;
        let mut next = next_action(&link.url, exchange, queued.attempts, failures, now);
        if self.body_limit < self.crawl.body_limit && is_cut(exchange) {
            next = NextAction::Retry { at: now, kind: FailureKind::ByteBudget };
        }
        if !queued.queue.is_reserved() && self.frontier.known.site(&link.site())?.closed {
            next = without_retry(next);
        }
        self.outcome.hosts = match is_recorded {
            true => self.frontier.take_requested(),
            false => vec![self.frontier.waiting.hosts.record_exchange(host, exchange, &next, now)?],
        };
        self.outcome.bytes = transferred(exchange);
        Ok(next)
    }

    /// Admits the target of a redirect as a link of its own, since it may be on another host.
    fn redirect(&mut self, link: &FrontierLink, target: Url) -> Result<(), StoreError> {
        match follow_redirect(&link.url, &link.redirects, target, TrackingParams::Strip) {
            Ok(target) => {
                self.outcome.end = StepEnd::Redirected;
                self.outcome.found = self.admit(vec![redirect_link(link, target)])?;
            }
            Err(kind) => self.outcome.end = StepEnd::Failed(kind),
        }
        Ok(())
    }

    fn robots(
        &mut self,
        host: &Host,
        request: &RobotsRequest,
        exchange: &Exchange,
    ) -> Result<Commands, StoreError> {
        let now = self.outcome.at;
        let host = self.frontier.host(host, now)?;
        let queried_host = self.frontier.host(&Host::of(&request.url), now)?;
        let may_follow = |url: &Url| self.crawl.scope.allows(url);
        let hosts = &mut self.frontier.waiting.hosts;
        let states = hosts.record_robots([host, queried_host], (request, exchange), &may_follow, now)?;
        // After a redirect, the state of the other host belongs to the worker that owns it.
        self.outcome.hosts =
            states.into_iter().filter(|state| self.frontier.partitions.own(&state.host)).collect();
        self.outcome.bytes = transferred(exchange);
        self.outcome.end = match &exchange.result {
            Err(error) if request.hops == 0 && is_permanent_for_host(*error) => {
                StepEnd::Failed(FailureKind::Fetch(*error))
            }
            Err(error) => StepEnd::RobotsFailed(FailureKind::Fetch(*error)),
            Ok(response) if response.status >= 500 || response.status == 429 => {
                StepEnd::RobotsFailed(FailureKind::Http(response.status))
            }
            Ok(_) => StepEnd::Robots,
        };
        Ok(Vec::new())
    }

    fn backlinks(&mut self, url: &Url, found: Result<Vec<Url>, FetchError>) -> Result<Commands, StoreError> {
        let (urls, end) = match found {
            Ok(urls) => (urls, StepEnd::Visited),
            Err(error) => (Vec::new(), StepEnd::Failed(FailureKind::Fetch(error))),
        };
        self.outcome.end = end;
        let sends = self.crawl.backlinks.as_ref().is_some_and(|source| source.sends_requests());
        self.outcome.requests = u32::from(sends);
        let linking: Vec<Url> =
            urls.into_iter().filter_map(|url| normalise(url, TrackingParams::Strip)).collect();
        let commands = self.crawl.strategy.on_backlinks(url, &linking);
        let links = linking.into_iter().map(|url| FrontierLink::root(url, LinkOrigin::Backlink)).collect();
        self.outcome.found = self.admit(links)?;
        Ok(commands)
    }

    /// Outcome of a step that sent nothing because robots.txt disallows its URL.
    fn refused(&mut self, kind: StepKind) -> Result<Commands, StoreError> {
        self.outcome.requests = 0;
        self.outcome.end = StepEnd::Failed(FailureKind::Robots);
        match kind {
            StepKind::Refused(queued) if !queued.queue.is_reserved() => self.learn_failure(&queued.link),
            _ => Ok(Vec::new()),
        }
    }

    fn admit(&mut self, links: Vec<FrontierLink>) -> Result<Vec<QueuedLink>, StoreError> {
        self.frontier.admit(links, &self.crawl.placement_context())
    }
}

fn transferred(exchange: &Exchange) -> u64 {
    exchange.result.as_ref().map_or(0, |response| response.transferred)
}

/// Returns the link to the frontier with one more failed attempt.
fn retry(queued: QueuedLink, at: Time, kind: FailureKind) -> StepEnd {
    let attempts = queued.attempts.saturating_add(1);
    StepEnd::Retry(Box::new(QueuedLink { attempts, not_before: at, ..queued }), kind)
}

/// Gives up where a retry would follow: links of closed sites are not retried.
fn without_retry(next: NextAction) -> NextAction {
    match next {
        NextAction::Retry { kind, at } => NextAction::GiveUp { kind, host_until: Some(at) },
        other => other,
    }
}

fn is_cut(exchange: &Exchange) -> bool {
    exchange.result.as_ref().is_ok_and(|response| response.completeness == BodyCompleteness::Cut)
}

/// Link to the target of a redirect. A URL that is redirected to itself with a session id is another link.
fn redirect_link(link: &FrontierLink, target: Url) -> FrontierLink {
    let id = LinkId::of(&target);
    let mut redirects = link.redirects.clone();
    redirects.push(link.url.clone());
    let stays_on_site = Site::of(&target) == link.site();
    let parent = |parent: ParentPage| ParentPage { same_site: parent.same_site && stays_on_site, ..parent };
    FrontierLink {
        id: if id == link.id { LinkId::of_spelling(&target) } else { id },
        origin: LinkOrigin::Redirect,
        parent: link.parent.map(parent),
        site_depth: if stays_on_site { link.site_depth } else { 0 },
        url: target,
        redirects,
        ..link.clone()
    }
}
