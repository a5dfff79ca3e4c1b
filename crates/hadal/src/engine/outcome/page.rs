//! Outcome of a visited page: its forms, what the strategy learns, and its links.

use super::super::probing::{kept_form, probe_link};
use super::super::step::ExaminedPage;
use super::{Commands, OutcomeBuilder};
use crate::polite::robots::PageDirectives;
use crate::store::*;
use hadal_core::address::{LinkId, Site};
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::PageVerdict;
use hadal_core::critic::evidence_words::evidence_in_words;
use hadal_core::http::{BodyCompleteness, Exchange};
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, ParentPage, QueueId, QueuedLink};
use hadal_core::page::Link;
use hadal_core::strategy::MAX_CREDITED_LINKS;
use hadal_core::strategy::{PageVisit, SiteCounters, StrategyCommand};
use rustc_hash::FxHashSet;
use url::Url;

/// True for a seed, and for the page that a seed redirects to.
///
/// `noindex` keeps a page out of search results. The user named the seeds, so their forms are stored nevertheless.
fn is_seed(link: &FrontierLink, seeds: &[Url]) -> bool {
    match link.redirects.first() {
        Some(first) => seeds.iter().any(|seed| LinkId::of(seed) == LinkId::of(first)),
        None => link.origin == LinkOrigin::Seed,
    }
}

/// Maximum number of links to other sites that are stored per page. Guess.
const MAX_CITED: usize = 200;

impl OutcomeBuilder<'_> {
    /// The strategy learns from the page first, so that its links are placed with what was just learned.
    pub(super) fn page(
        &mut self,
        link: &FrontierLink,
        exchange: &Exchange,
        examined: &ExaminedPage,
    ) -> Result<Commands, StoreError> {
        let directives = PageDirectives::of(&examined.page, exchange, &self.crawl.agent);
        self.outcome.end = StepEnd::Visited;
        self.outcome.cited = self.cited(link, examined);
        self.outcome.page = Some(page_row(link, exchange, examined, self.at_request));
        let is_mirror = self.is_mirror(link, exchange, examined);
        let is_accepted = !is_mirror && self.crawl.strategy.accepts_page(&examined.verdict);
        if is_accepted && (!directives.noindex || is_seed(link, &self.crawl.spec.seeds)) {
            self.outcome.forms = self.found_forms(link, examined)?;
        }
        // The forms of a page that must not be followed are not probed either.
        let may_follow = is_accepted && !directives.nofollow;
        let new_forms = NewForms::of(&self.outcome.forms);
        let is_read = may_follow && !directives.noindex;
        if let Some(repetition) = &mut self.frontier.known.repetition {
            repetition.count_page(&link.url, &examined.page.text, new_forms.forms);
            let canonical = examined.page.hints.canonical.as_ref().filter(|_| is_read);
            canonical.into_iter().for_each(|address| repetition.add_canonical(&link.url, address));
        }
        let commands = self.learn_page(link, examined, &new_forms, may_follow)?;
        if may_follow {
            let links = self.links_on(link, examined, new_forms.relevant > 0);
            let admitted = self.admit(links)?;
            self.outcome.found.extend(admitted);
        }
        Ok(commands)
    }

    /// True when the page is one that several other sites at the same address have. Its forms and links are not used.
    fn is_mirror(&mut self, link: &FrontierLink, exchange: &Exchange, examined: &ExaminedPage) -> bool {
        let (Some(address), Some(seen)) = (exchange.peer, &mut self.frontier.known.repetition) else {
            return false;
        };
        seen.is_mirror(address, &link.site(), examined.page.fingerprint)
    }

    /// Updates the counters of the site, queues probes, and lets the strategy learn.
    fn learn_page(
        &mut self,
        link: &FrontierLink,
        examined: &ExaminedPage,
        new_forms: &NewForms,
        may_probe: bool,
    ) -> Result<Commands, StoreError> {
        let site = link.site();
        let before = self.frontier.known.site(&site)?;
        let mut counters = new_forms.added_to(before);
        counters.on_topic += u32::from(examined.verdict.p_topic >= MIN_ACCEPTED_P);
        if may_probe {
            self.outcome.found = self.probe_links(&mut counters);
        }
        let commands = self.learn(link, Some(examined), new_forms, [&before, &counters])?;
        counters.closed |= commands.contains(&StrategyCommand::CloseSite(site.clone()));
        counters.bonus = commands.iter().filter_map(site_bonus).next_back().unwrap_or(counters.bonus);
        self.frontier.waiting.set_bonus(&site, counters.bonus);
        self.frontier.known.set_site(&site, counters);
        self.outcome.site = Some((site, counters));
        Ok(commands)
    }

    /// Lets the strategy learn from a link that gave no page.
    pub(super) fn learn_failure(&mut self, link: &FrontierLink) -> Result<Commands, StoreError> {
        let site = link.site();
        let mut counters = self.frontier.known.site(&site)?;
        let commands = self.learn(link, None, &NewForms::default(), [&counters, &counters])?;
        if let Some(bonus) = commands.iter().filter_map(site_bonus).next_back() {
            counters.bonus = bonus;
            self.frontier.waiting.set_bonus(&site, bonus);
            self.frontier.known.set_site(&site, counters);
            self.outcome.site = Some((site, counters));
        }
        Ok(commands)
    }

    fn learn(
        &mut self,
        link: &FrontierLink,
        examined: Option<&ExaminedPage>,
        new_forms: &NewForms,
        [before, counters]: [&SiteCounters; 2],
    ) -> Result<Commands, StoreError> {
        let path = match new_forms.searchable {
            0 => Vec::new(),
            _ => self.frontier.store.path_to(link, MAX_CREDITED_LINKS)?,
        };
        let no_verdict = PageVerdict::default();
        let mut commands = self.crawl.strategy.learn(&PageVisit {
            link,
            path: &path,
            page: examined.map(|examined| &examined.page),
            verdict: examined.map_or(&no_verdict, |examined| &examined.verdict),
            forms: examined.map_or(&[], |examined| &examined.forms),
            new_relevant: new_forms.relevant,
            new_searchable: new_forms.searchable,
            reward: new_forms.reward,
            site_before: before,
            site: counters,
        });
        let max_pages = self.crawl.scope.max_pages_per_site;
        if max_pages.is_some_and(|max| counters.pages >= max) && !counters.closed {
            commands.push(StrategyCommand::CloseSite(link.site()));
        }
        Ok(commands)
    }

    /// Links to the new forms of the page that are probed. The counters of the site count them.
    fn probe_links(&mut self, counters: &mut SiteCounters) -> Vec<QueuedLink> {
        let probing = &self.crawl.probing;
        let mut links = Vec::new();
        for form in &self.outcome.forms {
            let FoundForm::New(row) = form else { continue };
            let Some(form) = row.form_snapshot.as_deref() else { continue };
            if !probing.selects(row) || counters.probes >= probing.per_site {
                continue;
            }
            let (order, _) = self.frontier.position();
            if let Some(link) = probe_link(row, form, self.crawl, QueueId::PROBES, order) {
                counters.probes += 1;
                self.frontier.take_arrival();
                links.extend(self.frontier.partitions.forward_placed(link));
            }
        }
        links
    }

    /// Links on the page that were not seen lately, with their context.
    fn links_on(
        &self,
        link: &FrontierLink,
        examined: &ExaminedPage,
        has_relevant_form: bool,
    ) -> Vec<FrontierLink> {
        let site = link.site();
        let is_used = |found: &&Link| !found.is_unused && !found.context.rel.contains("nofollow");
        let links = examined.page.links.iter().filter(is_used);
        let links = links.map(|found| (&found.url, Some(&found.context), LinkOrigin::Link));
        let refresh = examined.page.hints.refresh.iter().map(|(_, url)| (url, None, LinkOrigin::Redirect));
        let mut new = Vec::new();
        for (url, context, origin) in links.chain(refresh) {
            let id = LinkId::of(url);
            if self.frontier.known.seen.contains(id) {
                continue;
            }
            let same_site = url.host_str() == link.url.host_str() || Site::of(url) == site;
            let p_topic = examined.verdict.p_topic;
            new.push(FrontierLink {
                id,
                url: url.clone(),
                task: LinkTask::Page,
                origin,
                context: context.cloned().unwrap_or_default(),
                parent: Some(ParentPage { id: link.id, p_topic, has_relevant_form, same_site }),
                depth: link.depth.saturating_add(1),
                site_depth: if same_site { link.site_depth.saturating_add(1) } else { 0 },
                redirects: Vec::new(),
            });
        }
        new
    }

    /// URLs on other sites that the page links to, if the strategy uses backlinks and one source of them is
    /// the store.
    fn cited(&self, link: &FrontierLink, examined: &ExaminedPage) -> Vec<Url> {
        let is_kept = self.crawl.backlinks.as_ref().is_some_and(|source| source.remembers());
        if !is_kept || !self.crawl.strategy.uses_backlinks() {
            return Vec::new();
        }
        let (host, site) = (link.url.host_str(), link.site());
        let urls = examined.page.links.iter().map(|found| &found.url);
        let mut cited = FxHashSet::default();
        let outward = urls.filter(|url| url.host_str() != host && Site::of(url) != site);
        outward.filter(|url| cited.insert(*url)).take(MAX_CITED).cloned().collect()
    }

    fn found_forms(
        &self,
        link: &FrontierLink,
        examined: &ExaminedPage,
    ) -> Result<Vec<FoundForm>, StoreError> {
        let known = self.frontier.store.known_forms(&examined.form_ids)?;
        let mut distinct = FxHashSet::default();
        let mut found = Vec::new();
        for (index, id) in examined.form_ids.iter().enumerate().filter(|(_, id)| distinct.insert(**id)) {
            found.push(match known[index] {
                true => FoundForm::Known(*id),
                false => {
                    let topic = &self.crawl.spec.topic;
                    FoundForm::New(Box::new(form_row(link, examined, index, topic, self.at_request)))
                }
            });
        }
        Ok(found)
    }
}

fn page_row(link: &FrontierLink, exchange: &Exchange, examined: &ExaminedPage, at_request: u64) -> PageRow {
    let response = exchange.result.as_ref().ok();
    let header = |name| response.and_then(|response| response.headers.get(name)).map(String::from);
    let cut = response.map(|response| response.completeness).filter(|cut| *cut != BodyCompleteness::Whole);
    let page = &examined.page;
    PageRow {
        id: link.id,
        url: link.url.clone(),
        site: link.site(),
        status: response.map_or(0, |response| response.status),
        title: page.title.clone(),
        language: page.language.clone(),
        p_topic: examined.verdict.p_topic,
        fingerprint: page.fingerprint,
        depth: link.depth,
        parent: link.parent.map(|parent| parent.id),
        redirects: link.redirects.clone(),
        at_request,
        validator: header("etag").or_else(|| header("last-modified")),
        note: page.truncated_by.map(|limit| format!("{limit:?}")).or(cut.map(|cut| format!("{cut:?}"))),
    }
}

fn form_row(
    link: &FrontierLink,
    examined: &ExaminedPage,
    index: usize,
    topic: &str,
    at_request: u64,
) -> FormRow {
    let (form, verdict) = (&examined.page.forms[index], &examined.forms[index]);
    let visible = form.fields.iter().filter(|field| !field.kind.is_button());
    FormRow {
        form_id: examined.form_ids[index],
        topic: topic.to_string(),
        site: link.site(),
        page_url: link.url.clone(),
        action: form.action.clone(),
        method: form.method,
        fields: visible
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
        found_at_request: at_request,
        depth: link.depth,
        also_on: 0,
        source: form.source,
        language: examined.page.language.clone(),
        evidence: verdict.evidence.iter().map(|evidence| evidence_in_words(evidence)).collect(),
        finding: None,
        form_snapshot: kept_form(form, examined.page.charset),
        check: None,
    }
}

fn site_bonus(command: &StrategyCommand) -> Option<f32> {
    if let StrategyCommand::SetSiteBonus(bonus) = command { Some(*bonus) } else { None }
}

/// Counts of the forms of a page that the run did not know.
#[derive(Default)]
struct NewForms {
    forms: u32,
    searchable: u32,
    relevant: u32,
    /// Sum over the new relevant forms of `2 p_relevant - 1`.
    reward: f32,
}

impl NewForms {
    fn of(found: &[FoundForm]) -> NewForms {
        let mut new = NewForms::default();
        for form in found {
            if let FoundForm::New(row) = form {
                new.forms += 1;
                new.searchable += u32::from(row.p_searchable >= MIN_ACCEPTED_P);
                new.relevant += u32::from(row.p_relevant >= MIN_ACCEPTED_P);
                new.reward += (2.0 * row.p_relevant - 1.0).max(0.0);
            }
        }
        new
    }

    /// Counters of a site after one more page with these forms.
    fn added_to(&self, mut counters: SiteCounters) -> SiteCounters {
        counters.pages += 1;
        counters.forms += self.forms;
        counters.searchable += self.searchable;
        counters.relevant += self.relevant;
        counters.pages_since_searchable =
            if self.searchable > 0 { 0 } else { counters.pages_since_searchable + 1 };
        counters.pages_since_relevant = if self.relevant > 0 { 0 } else { counters.pages_since_relevant + 1 };
        counters
    }
}
