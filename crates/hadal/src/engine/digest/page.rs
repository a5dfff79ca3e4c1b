//! A page that was read: its forms, what the strategy learns from it, and its links.

use super::super::probing::kept_whole;
use super::super::step::Reading;
use super::super::{CrawlError, Engine, once};
use crate::polite::robots::robots_header;
use crate::store::*;
use hadal_core::address::{LinkId, Site};
use hadal_core::critic::PageVerdict;
use hadal_core::http::{Completeness, Exchange};
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, ParentPage};
use hadal_core::strategy::{PageVisit, SiteCounters, StrategyCommand};
use url::Url;

/// A strategy learns about links this many clicks before a form, the link to its page not counted.
const LONGEST_PATH: usize = 3;
/// Links of one page to other sites that are remembered.
const MOST_CITED: usize = 200;

impl Engine {
    /// A page was read: reward what led here, learn, then place its links with what was just learned.
    pub(super) fn digest_page(
        &mut self,
        lead: &FrontierLink,
        exchange: &Exchange,
        reading: &Reading,
        outcome: &mut Outcome,
    ) -> Result<Vec<StrategyCommand>, CrawlError> {
        let header = exchange
            .result
            .as_ref()
            .map(|response| robots_header(&response.headers, &self.setup.agent))
            .unwrap_or_default();
        let page = &reading.page;
        outcome.end = StepEnd::Visited;
        outcome.cited = self.cited(lead, reading);
        outcome.page = Some(self.page_row(lead, exchange, reading));
        let taken = self.setup.strategy.accepts_page(&reading.verdict);
        if taken && !page.hints.noindex && !header.noindex {
            outcome.forms = self.found_forms(lead, reading)?;
        }
        let site = lead.site();
        let before = self.site_book.get(self.setup.store.as_ref(), self.run, &site)?;
        let (mut tally, news) = (before, News::of(&outcome.forms));
        news.add_to(&mut tally);
        tally.on_topic += u32::from(reading.verdict.p_topic >= 0.5);
        // A page whose links are not to be followed does not want its forms sent either.
        let may_follow = taken && !page.hints.nofollow && !header.nofollow;
        if may_follow {
            outcome.found = self.inquiries(&outcome.forms, &mut tally);
        }
        let commands = self.learn(lead, Some(reading), &news, [&before, &tally])?;
        tally.closed |= commands.contains(&StrategyCommand::CloseSite(site.clone()));
        tally.bonus = commands.iter().filter_map(preferred).next_back().unwrap_or(tally.bonus);
        self.prefer(&site, tally.bonus);
        self.site_book.set(site.clone(), tally);
        outcome.site = Some((site, tally));
        if may_follow {
            let leads = self.leads_on(lead, reading, news.relevant > 0);
            outcome.found.extend(self.admit(leads)?);
        }
        Ok(commands)
    }

    /// A lead that came to nothing teaches too.
    pub(super) fn learn_of_failure(
        &mut self,
        lead: &FrontierLink,
    ) -> Result<Vec<StrategyCommand>, CrawlError> {
        let tally = self.site_book.get(self.setup.store.as_ref(), self.run, &lead.site())?;
        self.learn(lead, None, &News::default(), [&tally, &tally])
    }

    /// The leads that were followed to get to one, the nearest first.
    fn path_to(&self, lead: &FrontierLink) -> Result<Vec<FrontierLink>, CrawlError> {
        let mut path: Vec<FrontierLink> = Vec::new();
        while let Some(parent) = path.last().unwrap_or(lead).parent
            && path.len() < LONGEST_PATH
            && let Some(earlier) = self.setup.store.lead(self.run, parent.id)?
        {
            path.push(earlier);
        }
        Ok(path)
    }

    fn learn(
        &mut self,
        lead: &FrontierLink,
        reading: Option<&Reading>,
        news: &News,
        [before, tally]: [&SiteCounters; 2],
    ) -> Result<Vec<StrategyCommand>, CrawlError> {
        let path = if news.searchable > 0 { self.path_to(lead)? } else { Vec::new() };
        let nothing = PageVerdict::default();
        let mut commands = self.setup.strategy.learn(&PageVisit {
            link: lead,
            path: &path,
            page: reading.map(|reading| &reading.page),
            verdict: reading.map_or(&nothing, |reading| &reading.verdict),
            forms: reading.map_or(&[], |reading| &reading.forms),
            new_relevant: news.relevant,
            new_searchable: news.searchable,
            reward: news.gain,
            site_before: before,
            site: tally,
        });
        if self.setup.scope.max_pages_per_site.is_some_and(|most| tally.pages >= most) && !tally.closed {
            commands.push(StrategyCommand::CloseSite(lead.site()));
        }
        Ok(commands)
    }

    /// The links on a page that were not met lately, with the context they stand in.
    fn leads_on(
        &mut self,
        lead: &FrontierLink,
        reading: &Reading,
        has_relevant_form: bool,
    ) -> Vec<FrontierLink> {
        let here = lead.site();
        let links = reading.page.links.iter().filter(|link| !link.context.rel.contains("nofollow"));
        let links = links.map(|link| (&link.url, Some(&link.context), LinkOrigin::Link));
        let refresh = reading.page.hints.refresh.iter().map(|(_, url)| (url, None, LinkOrigin::Redirect));
        let mut leads = Vec::new();
        for (url, context, origin) in links.chain(refresh) {
            let id = LinkId::of(url);
            if self.seen.contains(id) {
                continue;
            }
            let same_site = url.host_str() == lead.url.host_str() || Site::of(url) == here;
            let parent =
                ParentPage { id: lead.id, p_topic: reading.verdict.p_topic, has_relevant_form, same_site };
            leads.push(FrontierLink {
                id,
                url: url.clone(),
                task: LinkTask::Page,
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

    /// Where a page links to on other sites, when somebody wants to know it later.
    fn cited(&self, lead: &FrontierLink, reading: &Reading) -> Vec<Url> {
        if !self.setup.backlinks.as_ref().is_some_and(|source| source.remembers()) {
            return Vec::new();
        }
        let (host, site) = (lead.url.host_str(), lead.site());
        let links = reading.page.links.iter().map(|link| &link.url);
        let outward = links.filter(|url| url.host_str() != host && Site::of(url) != site);
        once(outward).into_iter().take(MOST_CITED).cloned().collect()
    }

    fn page_row(&self, lead: &FrontierLink, exchange: &Exchange, reading: &Reading) -> PageRow {
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
            note: page.truncated_by.map(|bound| format!("{bound:?}")).or(cut.map(|cut| format!("{cut:?}"))),
        }
    }

    fn found_forms(&mut self, lead: &FrontierLink, reading: &Reading) -> Result<Vec<FoundForm>, CrawlError> {
        let known = self.setup.store.known_forms(self.run, &reading.form_ids)?;
        let mut met = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        for (at, id) in reading.form_ids.iter().enumerate().filter(|(_, id)| met.insert(**id)) {
            found.push(match known[at] {
                true => FoundForm::Known(*id),
                false => FoundForm::New(Box::new(self.form_row(lead, reading, at))),
            });
        }
        Ok(found)
    }

    fn form_row(&self, lead: &FrontierLink, reading: &Reading, at: usize) -> FormRow {
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
            finding: None,
            whole: kept_whole(form),
        }
    }
}

/// What a page brought that was not known before.
#[derive(Default)]
struct News {
    forms: u32,
    searchable: u32,
    relevant: u32,
    gain: f32,
}

fn preferred(command: &StrategyCommand) -> Option<f32> {
    if let StrategyCommand::SetSiteBonus(worth) = command { Some(*worth) } else { None }
}

impl News {
    fn of(forms: &[FoundForm]) -> News {
        let mut news = News::default();
        for form in forms {
            if let FoundForm::New(row) = form {
                news.forms += 1;
                news.searchable += u32::from(row.p_searchable >= 0.5);
                news.relevant += u32::from(row.p_relevant >= 0.5);
                news.gain += (2.0 * row.p_relevant - 1.0).max(0.0);
            }
        }
        news
    }

    fn add_to(&self, tally: &mut SiteCounters) {
        tally.pages += 1;
        tally.forms += self.forms;
        tally.searchable += self.searchable;
        tally.relevant += self.relevant;
        tally.pages_since_searchable = if self.searchable > 0 { 0 } else { tally.pages_since_searchable + 1 };
        tally.pages_since_relevant = if self.relevant > 0 { 0 } else { tally.pages_since_relevant + 1 };
    }
}
