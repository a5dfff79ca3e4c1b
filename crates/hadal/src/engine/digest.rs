//! Taking in what steps bring back, one at a time: reward, learn, place the links, keep one outcome.

use super::hosts::HostIx;
use super::step::{Catch, Done, Job, Reading, Step};
use super::{CrawlError, Engine, Event};
use crate::fetch::politeness::next_request_at;
use crate::fetch::retry::{self, Next};
use crate::fetch::robots::{RobotsReading, interpret, robots_header};
use crate::store::*;
use hadal_core::address::{Host, LinkId, Site, Tracking, normalise};
use hadal_core::critic::PageVerdict;
use hadal_core::http::{Completeness, Exchange, FetchError};
use hadal_core::lead::{Lead, Origin, Parent, Task, Waiting};
use hadal_core::strategy::{Command, SiteTally, Visited};
use hadal_core::time::Time;
use std::time::Duration;
use url::Url;

/// Redirects in a row that are still believed.
const MOST_REDIRECTS: usize = 10;
/// robots.txt may be this many redirects away (RFC 9309, section 2.3.1.2).
const MOST_ROBOTS_HOPS: u8 = 5;

impl Engine {
    /// Takes in a finished step.
    pub(super) fn digest(
        &mut self,
        done: Done,
        tell: &mut (dyn FnMut(Event) + Send),
    ) -> Result<(), CrawlError> {
        let Done { step, catch, took } = done;
        let flight = self.in_flight.remove(&step.seq);
        self.setup.clock.advance(step.at.after(took));
        let now = self.setup.clock.now();
        let mut outcome = blank(&step, now);
        let mut commands = Vec::new();
        match (step.job.clone(), catch) {
            (Job::Visit(waiting), Catch::Answer(exchange, reading)) => {
                commands = self.digest_visit(*waiting, &step, &exchange, reading.as_deref(), &mut outcome)?;
            }
            (Job::Robots { host, url, hops }, Catch::Answer(exchange, _)) => {
                self.digest_robots(&host, &url, hops, &exchange, &mut outcome)?;
            }
            (Job::Lookup(_), Catch::Backlinks(found)) => self.digest_lookup(found, &mut outcome)?,
            _ => outcome.ending = Ending::Failed("robots".into()),
        }
        self.report(&outcome, &step, tell);
        self.accept(outcome, flight.and_then(|flight| flight.host))?;
        for command in commands {
            self.obey(command)?;
        }
        Ok(())
    }

    /// Hands one outcome to the store and lets its host go.
    fn accept(&mut self, outcome: Outcome, host: Option<HostIx>) -> Result<(), CrawlError> {
        self.spent.requests += u64::from(outcome.requests);
        self.spent.bytes += outcome.bytes;
        if let Some(host) = host {
            let next = outcome.host.as_ref().map(|state| (state.next_at, state.address_next_at));
            let (next_at, address_next_at) = next.unwrap_or_default();
            for host in self.hosts.release(host, next_at, address_next_at) {
                self.refresh(host);
            }
        }
        self.line_up(&outcome.found)?;
        if let Ending::Again(waiting, _) = &outcome.ending {
            self.line_up(std::slice::from_ref(waiting))?;
        }
        let hopeless = hopeless_host(&outcome);
        self.setup.store.commit(self.run, &Batch { outcomes: vec![outcome], ..Batch::default() })?;
        match hopeless {
            Some((host, kind)) => self.give_up_host(host, kind),
            None => Ok(()),
        }
    }

    /// No page of the host can ever be had: its leads are not tried one by one.
    fn give_up_host(&mut self, host: Host, kind: String) -> Result<(), CrawlError> {
        if let Some(ix) = self.hosts.find(&host) {
            self.frontier.drop_host(ix);
        }
        self.change(Change::FailHost(host, kind))
    }

    fn digest_visit(
        &mut self,
        waiting: Waiting,
        step: &Step,
        exchange: &Exchange,
        reading: Option<&Reading>,
        outcome: &mut Outcome,
    ) -> Result<Vec<Command>, CrawlError> {
        let host = self.meet(&waiting.lead)?;
        let known = self.host_book.get(self.setup.store.as_ref(), self.run, &self.hosts, host)?;
        let failures = known.state.failures;
        let mut next = retry::after(&waiting.lead.url, exchange, waiting.attempts, failures, outcome.at);
        if step.body_limit < self.setup.body_limit && is_cut(exchange) {
            next = Next::Retry { at: outcome.at, host_until: None, kind: "byte_budget".into() };
        }
        outcome.host = Some(self.host_after(host, exchange, &next, outcome.at)?);
        outcome.bytes = exchange.result.as_ref().map_or(0, |response| response.transferred);
        match next {
            Next::Accept => match reading {
                Some(reading) => return self.digest_page(&waiting.lead, exchange, reading, outcome),
                None => outcome.ending = Ending::Failed("no_page".into()),
            },
            Next::Redirect(target) => self.digest_redirect(&waiting.lead, target, outcome)?,
            Next::Retry { at, kind, .. } => {
                let attempts = waiting.attempts.saturating_add(1);
                let again = Waiting { attempts, not_before: at, ..waiting };
                outcome.ending = Ending::Again(Box::new(again), kind);
            }
            Next::GiveUp(kind) => outcome.ending = Ending::Failed(kind),
        }
        Ok(Vec::new())
    }

    /// A page was read: reward what led here, learn, then place its links with what was just learned.
    fn digest_page(
        &mut self,
        lead: &Lead,
        exchange: &Exchange,
        reading: &Reading,
        outcome: &mut Outcome,
    ) -> Result<Vec<Command>, CrawlError> {
        let header =
            exchange.result.as_ref().map(|response| robots_header(&response.headers)).unwrap_or_default();
        let page = &reading.page;
        outcome.ending = Ending::Visited;
        outcome.page = Some(self.page_row(lead, exchange, reading));
        if !page.hints.noindex && !header.noindex {
            outcome.forms = self.found_forms(lead, reading)?;
        }
        let site = lead.site();
        let mut tally = self.site_book.get(self.setup.store.as_ref(), self.run, &site)?;
        let news = News::of(&outcome.forms);
        news.add_to(&mut tally);
        let commands = self.learn(lead, Some(reading), &news, &tally);
        tally.closed |= commands.contains(&Command::CloseSite(site.clone()));
        self.site_book.set(site.clone(), tally);
        outcome.site = Some((site, tally));
        if !page.hints.nofollow && !header.nofollow {
            let leads = self.leads_on(lead, reading, news.relevant > 0);
            outcome.found = self.admit(leads)?;
        }
        Ok(commands)
    }

    fn learn(
        &mut self,
        lead: &Lead,
        reading: Option<&Reading>,
        news: &News,
        tally: &SiteTally,
    ) -> Vec<Command> {
        let nothing = PageVerdict::default();
        let mut commands = self.setup.strategy.learn(&Visited {
            lead,
            page: reading.map(|reading| &reading.page),
            verdict: reading.map_or(&nothing, |reading| &reading.verdict),
            forms: reading.map_or(&[], |reading| &reading.forms),
            new_relevant: news.relevant,
            new_searchable: news.searchable,
            site: tally,
        });
        if self.setup.scope.max_pages_per_site.is_some_and(|most| tally.pages >= most) && !tally.closed {
            commands.push(Command::CloseSite(lead.site()));
        }
        commands
    }

    /// The links on a page that were not met lately, with the context they stand in.
    fn leads_on(&mut self, lead: &Lead, reading: &Reading, has_relevant_form: bool) -> Vec<Lead> {
        let here = lead.site();
        let links = reading.page.links.iter().filter(|link| !link.context.rel.contains("nofollow"));
        let links = links.map(|link| (&link.url, Some(&link.context), Origin::Link));
        let refresh = reading.page.hints.refresh.iter().map(|(_, url)| (url, None, Origin::Redirect));
        let mut leads = Vec::new();
        for (url, context, origin) in links.chain(refresh) {
            let id = LinkId::of(url);
            if self.seen.contains(id) {
                continue;
            }
            let same_site = Site::of(url) == here;
            let parent =
                Parent { id: lead.id, p_topic: reading.verdict.p_topic, has_relevant_form, same_site };
            leads.push(Lead {
                id,
                url: url.clone(),
                task: Task::Page,
                origin,
                context: context.cloned().unwrap_or_default(),
                parent: Some(parent),
                depth: lead.depth.saturating_add(1),
                site_depth: if same_site { lead.site_depth.saturating_add(1) } else { 0 },
                redirects: Vec::new(),
            });
        }
        leads
    }

    fn page_row(&self, lead: &Lead, exchange: &Exchange, reading: &Reading) -> PageRow {
        let response = exchange.result.as_ref().ok();
        let header = |name| response.and_then(|response| response.headers.get(name)).map(String::from);
        let cut = response.map(|response| response.completeness).filter(|c| *c != Completeness::Whole);
        let page = &reading.page;
        PageRow {
            id: lead.id,
            url: lead.url.clone(),
            site: lead.site(),
            status: response.map_or(0, |response| response.status),
            title: page.title.clone(),
            language: page.language.clone(),
            p_topic: reading.verdict.p_topic,
            fingerprint: page.fingerprint,
            depth: lead.depth,
            parent: lead.parent.map(|parent| parent.id),
            redirects: lead.redirects.clone(),
            at_request: self.spent.requests + 1,
            validator: header("etag").or_else(|| header("last-modified")),
            note: page.bound.map(|bound| format!("{bound:?}")).or(cut.map(|cut| format!("{cut:?}"))),
        }
    }

    fn found_forms(&mut self, lead: &Lead, reading: &Reading) -> Result<Vec<FoundForm>, CrawlError> {
        let known = self.setup.store.known_forms(self.run, &reading.form_ids)?;
        let mut met = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        for (at, id) in reading.form_ids.iter().enumerate().filter(|(_, id)| met.insert(**id)) {
            found.push(match known[at] {
                true => FoundForm::Again(*id),
                false => FoundForm::New(Box::new(self.form_row(lead, reading, at))),
            });
        }
        Ok(found)
    }

    fn form_row(&self, lead: &Lead, reading: &Reading, at: usize) -> FormRow {
        let (form, verdict) = (&reading.page.forms[at], &reading.forms[at]);
        let shown = form.fields.iter().filter(|field| !field.kind.is_button());
        FormRow {
            form_id: reading.form_ids[at],
            topic: self.setup.spec.topic.clone(),
            site: lead.site(),
            page_url: lead.url.clone(),
            action: form.action.clone(),
            method: form.method,
            fields: shown
                .map(|field| FieldRow {
                    name: field.name.clone(),
                    kind: field.kind.name().to_string(),
                    label: field.label.clone(),
                    options: field.options.len(),
                })
                .collect(),
            kind: verdict.kind,
            p_searchable: verdict.p_searchable,
            p_relevant: verdict.p_relevant,
            found_at_request: self.spent.requests + 1,
            depth: lead.depth,
            also_on: 0,
            source: form.source,
            language: reading.page.language.clone(),
            evidence: verdict.evidence.clone(),
        }
    }

    /// The next hop is a lead of its own: it may be on another host, and waits for that one's turn.
    fn digest_redirect(&mut self, lead: &Lead, target: Url, outcome: &mut Outcome) -> Result<(), CrawlError> {
        outcome.ending = Ending::Redirected;
        let Some(target) = normalise(target, Tracking::Strip) else {
            outcome.ending = Ending::Failed("bad_redirect".into());
            return Ok(());
        };
        let circular = target == lead.url || lead.redirects.contains(&target);
        if circular || lead.redirects.len() >= MOST_REDIRECTS {
            outcome.ending = Ending::Failed("redirect_loop".into());
            return Ok(());
        }
        outcome.found = self.admit(vec![next_hop(lead, target)])?;
        Ok(())
    }

    fn digest_lookup(
        &mut self,
        found: Result<Vec<Url>, FetchError>,
        outcome: &mut Outcome,
    ) -> Result<(), CrawlError> {
        match found {
            Ok(urls) => {
                outcome.ending = Ending::Visited;
                let normal = urls.into_iter().filter_map(|url| normalise(url, Tracking::Strip));
                outcome.found = self.admit(normal.map(|url| Lead::root(url, Origin::Backlink)).collect())?;
            }
            Err(error) => outcome.ending = Ending::Failed(retry::kind_of(error).into()),
        }
        Ok(())
    }

    fn digest_robots(
        &mut self,
        host: &Host,
        url: &Url,
        hops: u8,
        exchange: &Exchange,
        outcome: &mut Outcome,
    ) -> Result<(), CrawlError> {
        let ix = self.hosts.intern(host, || Site::of(url));
        let now = outcome.at;
        let mut state = self.host_after(ix, exchange, &Next::Accept, now)?;
        let known = self.host_book.get(self.setup.store.as_ref(), self.run, &self.hosts, ix)?;
        let (robots, until) = match interpret(url, exchange, known.state.failures, now) {
            RobotsReading::Known(robots, until) => (robots, until),
            RobotsReading::Redirect(url) if hops < MOST_ROBOTS_HOPS => {
                (Robots::Elsewhere { url, hops: hops + 1 }, now.after(Duration::from_secs(3600)))
            }
            RobotsReading::Redirect(_) => (Robots::AllowAll, now.after(Duration::from_secs(86_400))),
        };
        known.set_robots(robots.clone(), until);
        let crawl_delay = known.rules.as_ref().and_then(|rules| rules.crawl_delay());
        known.state.next_at = next_request_at(now, exchange.took, &self.setup.politeness, crawl_delay);
        state.next_at = known.state.next_at;
        state.robots = Some(robots);
        state.robots_until = until;
        outcome.bytes = exchange.result.as_ref().map_or(0, |response| response.transferred);
        outcome.ending = match &exchange.result {
            Err(error) if !error.is_transient() => Ending::Failed(retry::kind_of(*error).into()),
            _ => Ending::Robots,
        };
        outcome.host = Some(state);
        Ok(())
    }

    /// The host's state after an exchange with it, also written into the book.
    fn host_after(
        &mut self,
        host: HostIx,
        exchange: &Exchange,
        next: &Next,
        now: Time,
    ) -> Result<HostState, CrawlError> {
        if let Some(ip) = exchange.peer {
            self.hosts.learn_address(host, ip);
        }
        let known = self.host_book.get(self.setup.store.as_ref(), self.run, &self.hosts, host)?;
        let crawl_delay = known.rules.as_ref().and_then(|rules| rules.crawl_delay());
        let state = &mut known.state;
        let troubled = match &exchange.result {
            Ok(response) => response.status >= 500 || response.status == 429,
            Err(_) => true,
        };
        let took = u32::try_from(exchange.took.as_millis()).unwrap_or(u32::MAX);
        state.failures = if troubled { state.failures.saturating_add(1) } else { 0 };
        state.latency_ms = if state.requests == 0 { took } else { state.latency_ms / 8 * 7 + took / 8 };
        state.requests += 1;
        state.ip = exchange.peer.or(state.ip);
        state.next_at = next_request_at(now, exchange.took, &self.setup.politeness, crawl_delay);
        state.address_next_at = next_request_at(now, exchange.took, &self.setup.politeness, None);
        if let Next::Retry { at, host_until, .. } = next {
            state.next_at = state.next_at.max(*at).max(host_until.unwrap_or_default());
        }
        Ok(HostState { robots: None, ..state.clone() })
    }

    fn report(&self, outcome: &Outcome, step: &Step, tell: &mut (dyn FnMut(Event) + Send)) {
        for form in &outcome.forms {
            if let FoundForm::New(row) = form {
                tell(Event::Form(row.clone()));
            }
        }
        if let (Ending::Failed(kind), Job::Visit(waiting) | Job::Refused(waiting)) =
            (&outcome.ending, &step.job)
        {
            tell(Event::Failed { url: waiting.lead.url.to_string(), kind: kind.clone() });
        }
    }
}

/// What a page brought that was not known before.
#[derive(Default)]
struct News {
    forms: u32,
    searchable: u32,
    relevant: u32,
}

impl News {
    fn of(forms: &[FoundForm]) -> News {
        let mut news = News::default();
        for form in forms {
            if let FoundForm::New(row) = form {
                news.forms += 1;
                news.searchable += u32::from(row.p_searchable >= 0.5);
                news.relevant += u32::from(row.p_relevant >= 0.5);
            }
        }
        news
    }

    fn add_to(&self, tally: &mut SiteTally) {
        tally.pages += 1;
        tally.forms += self.forms;
        tally.searchable += self.searchable;
        tally.relevant += self.relevant;
        tally.dry = if self.searchable > 0 { 0 } else { tally.dry + 1 };
    }
}

fn blank(step: &Step, at: Time) -> Outcome {
    let (work, requests) = match &step.job {
        Job::Visit(waiting) | Job::Lookup(waiting) => (Work::Lead(waiting.lead.id), 1),
        Job::Refused(waiting) => (Work::Lead(waiting.lead.id), 0),
        Job::Robots { host, url, hops } => {
            (Work::Robots { host: host.clone(), url: url.clone(), hops: *hops }, 1)
        }
    };
    Outcome {
        seq: step.seq,
        at,
        work,
        requests,
        bytes: 0,
        ending: Ending::Visited,
        page: None,
        forms: Vec::new(),
        found: Vec::new(),
        site: None,
        host: None,
    }
}

fn is_cut(exchange: &Exchange) -> bool {
    exchange.result.as_ref().is_ok_and(|response| response.completeness == Completeness::Cut)
}

/// A host whose very robots.txt failed in a way that will not pass.
fn hopeless_host(outcome: &Outcome) -> Option<(Host, String)> {
    match (&outcome.work, &outcome.ending) {
        (Work::Robots { host, .. }, Ending::Failed(kind)) => Some((host.clone(), kind.clone())),
        _ => None,
    }
}

fn next_hop(lead: &Lead, target: Url) -> Lead {
    let mut redirects = lead.redirects.clone();
    redirects.push(lead.url.clone());
    let same_site =
        |parent: Parent| Parent { same_site: parent.same_site && Site::of(&target) == lead.site(), ..parent };
    Lead {
        id: LinkId::of(&target),
        origin: Origin::Redirect,
        parent: lead.parent.map(same_site),
        url: target,
        redirects,
        ..lead.clone()
    }
}
