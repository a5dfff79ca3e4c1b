//! Visits that look further where a page suggests a search that its HTML does not show: an OpenSearch description is
//! fetched, and a page with a search by script is rendered in a browser. A crawl of one site also reads its sitemap.
//!
//! All this belongs to the step that fetched the page, so the host takes no other step meanwhile. The turn of the step
//! ends with the exchange of the page; each further request takes a turn of its own from the hosts of the run, like a
//! step. The further requests are counted with the step, and taken from the budget of the crawl before they are sent.

use super::parse_pool::on_parse_thread;
use super::scope::Scope;
use super::step::{
    ExaminedPage, FurtherRequests, Visit, VisitContext, VisitResult, examine_used, fetch_page, judged,
};
use crate::fetch::Fetch;
use crate::polite::{Clock, PoliteClient, RequestBudget, RequestReserve};
use crate::render::{RenderMode, RenderedPage, Renderer, SearchTrial};
use crate::store::{Store, Submitter};
use futures::future::BoxFuture;
use hadal_core::address::{LinkId, Site};
use hadal_core::critic::Critic;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::probe::query_field;
use hadal_core::html::{self, Sitemap};
use hadal_core::http::{Request, Response};
use hadal_core::identity::{FormId, form_id};
use hadal_core::page::{FieldKind, Form, Link, Page};
use hadal_core::scripted::rendering::{RenderNeed, RenderReason};
use hadal_core::scripted::rendering::{gains_fields, is_scripted, render_allowance, render_need};
use hadal_core::time::Time;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;
use url::{Position, Url};

/// Maximum number of pages rendered at the same time. Guess.
const MAX_AT_ONCE: usize = 2;
/// After this many rendered pages without a new form, no further page of the site is rendered. Guess.
const MAX_FRUITLESS: u32 = 2;
/// Pages on sites of seeds that are rendered whatever they cost: the user knows these sites. Guess.
const MAX_SEED_PAGES: u64 = 5;
/// On a page that is not on topic, a search box is rendered only if its P(relevant) is at least this. Guess.
const MIN_P_RELEVANT: f32 = 0.2;
/// Sitemaps read beside the first one. Guess.
const MAX_SITEMAPS: usize = 3;
/// Descriptions and sitemaps that are remembered as fetched. Guess.
const MAX_DESCRIPTIONS: usize = 100_000;

/// Fetches pages, and looks further where they suggest a search that their HTML does not show.
pub struct RenderingVisit {
    /// HTTP client of the crawl.
    pub fetch: Arc<dyn Fetch>,
    /// Critic of the crawl.
    pub critic: Arc<dyn Critic>,
    /// Client for further requests, with the politeness of the crawl. It uses the hosts of the run.
    pub client: PoliteClient,
    /// Browser that renders pages, if there is one.
    pub browser: Option<Renderer>,
    /// Pages that are rendered.
    pub mode: RenderMode,
    /// Store with the audit log of test queries.
    pub store: Arc<dyn Store>,
    /// Topic of the crawl.
    pub topic: String,
    /// Totals that `hadal find` prints at its end.
    pub counters: Arc<RenderTotals>,
    /// Part of the crawl's request budget for further requests.
    pub reserve: Arc<RequestReserve>,
    seeds: Vec<Url>,
    /// Sites of the seeds.
    seed_sites: FxHashSet<Site>,
    /// The crawl is of one site. Its sitemap is read with the first seed.
    is_of_one_site: bool,
    places: Semaphore,
    descriptions: Mutex<FxHashSet<LinkId>>,
    tried: Mutex<TriedPages>,
}

/// Pages that were rendered in this session, so that a box on every page of a site is tried once.
#[derive(Default)]
struct TriedPages {
    forms: FxHashSet<FormId>,
    /// Rendered pages without a new form, by site.
    fruitless: FxHashMap<Site, u32>,
}

/// A page with the forms that a further look showed, and the evidence for a learned one.
type FurtherPage = (Page, Option<(FormId, String)>);

/// Totals of a crawl with a browser.
#[derive(Debug, Default)]
pub struct RenderTotals {
    /// Number of rendered pages.
    pub pages: AtomicU64,
    /// Forms that only the rendered pages showed.
    pub forms: AtomicU64,
    /// Pages on which the browser failed.
    pub failed: AtomicU64,
    /// Pages that would have been rendered if there were a browser.
    pub without_browser: AtomicU64,
    /// Pages that the session visited.
    visited: AtomicU64,
    /// Requests of rendered pages.
    requests: AtomicU64,
    /// Relevant forms that only the rendered pages showed.
    relevant: AtomicU64,
}

impl RenderTotals {
    /// Takes the requests that a page will probably send from the allowance; false if it is spent.
    fn reserve(&self, requests: u64, is_on_seed_site: bool) -> bool {
        let [visited, spent, relevant, pages] = [&self.visited, &self.requests, &self.relevant, &self.pages]
            .map(|count| count.load(Ordering::Relaxed));
        let is_free = is_on_seed_site && pages < MAX_SEED_PAGES;
        let is_granted = is_free || render_allowance(visited, spent, relevant) >= requests;
        if is_granted {
            self.requests.fetch_add(requests, Ordering::Relaxed);
        }
        is_granted
    }

    /// Replaces the reserved requests by those that were sent.
    fn settle(&self, reserved: u64, sent: u64) {
        self.requests.fetch_add(sent, Ordering::Relaxed);
        self.requests.fetch_sub(reserved, Ordering::Relaxed);
    }
}

impl RenderingVisit {
    /// Visit that looks further. The client and the critic are those of the crawl.
    pub fn new(
        (fetch, critic): (Arc<dyn Fetch>, Arc<dyn Critic>),
        client: PoliteClient,
        (browser, mode): (Option<Renderer>, RenderMode),
        (store, topic): (Arc<dyn Store>, String),
    ) -> RenderingVisit {
        let (counters, reserve, descriptions) = (Arc::default(), Arc::default(), Mutex::default());
        let places = Semaphore::new(MAX_AT_ONCE);
        RenderingVisit {
            fetch,
            critic,
            client,
            browser,
            mode,
            store,
            topic,
            counters,
            reserve,
            seeds: Vec::new(),
            seed_sites: FxHashSet::default(),
            is_of_one_site: false,
            places,
            descriptions,
            tried: Mutex::default(),
        }
    }

    /// Names the seeds. If all are on one site and the scope has patterns, the crawl is of a site, not of a topic, and
    /// reads its sitemap.
    pub fn with_seeds(self, seeds: &[Url], scope: &Scope) -> RenderingVisit {
        let is_same = |pair: &[Url]| Site::of(&pair[0]) == Site::of(&pair[1]);
        let is_of_one_site = scope.has_patterns() && seeds.windows(2).all(is_same);
        let seed_sites = seeds.iter().map(Site::of).collect();
        RenderingVisit { seeds: seeds.to_vec(), seed_sites, is_of_one_site, ..self }
    }

    fn reads_sitemap(&self, url: &Url) -> bool {
        self.is_of_one_site && self.seeds.contains(url)
    }

    fn looks_further(&self, url: &Url, need: Option<RenderNeed>, examined: &ExaminedPage) -> bool {
        need.is_some() || undescribed_search(examined).is_some() || self.reads_sitemap(url)
    }

    /// Looks further at an examined page.
    async fn look_further(
        &self,
        url: &Url,
        response: Response,
        need: Option<RenderNeed>,
        examined: ExaminedPage,
        (client, submitter): (PoliteClient, Option<Submitter>),
    ) -> ExaminedPage {
        let client = client.with_budget(RequestBudget::of_page(&self.reserve));
        let description = undescribed_search(&examined).filter(|link| self.is_first(link));
        let need = need.filter(|need| self.is_promising(url, *need, &examined));
        let mut further = match (need, description) {
            (Some(need), _) => self.render(url, response, need.reason, &examined, (&client, submitter)).await,
            (None, Some(link)) => self.describe(&link, &examined.page, &client).await,
            (None, None) => None,
        };
        if self.reads_sitemap(url) {
            let links = self.sitemap_links(url, &client).await;
            let (page, _) = further.get_or_insert_with(|| (examined.page.clone(), None));
            page.links.extend(links);
        }
        let (requests, bytes) = client.spent();
        let examined = match further {
            Some((page, learned)) => {
                let shown = with_evidence(judged(page, url, self.critic.as_ref()), learned);
                if need.is_some() {
                    self.counters.relevant.fetch_add(new_relevant(&shown, &examined), Ordering::Relaxed);
                }
                shown
            }
            None => examined,
        };
        if let Some(need) = need {
            self.counters.settle(need.requests, requests);
        }
        ExaminedPage { further: Some(FurtherRequests { requests, bytes }), ..examined }
    }

    /// Renders a page. Returns it with the forms that only the browser showed; `None` if the browser failed.
    async fn render(
        &self,
        url: &Url,
        response: Response,
        reason: RenderReason,
        examined: &ExaminedPage,
        (client, submitter): (&PoliteClient, Option<Submitter>),
    ) -> Option<FurtherPage> {
        let renderer = self.browser.as_ref()?;
        let _place = self.places.acquire().await.ok()?;
        let (topic, seed) = (self.topic.as_str(), LinkId::of(url).0);
        let (store, min_p_searchable) = (self.store.as_ref(), MIN_ACCEPTED_P);
        let trial = submitter.map(|by| SearchTrial { store, by, topic, seed, min_p_searchable });
        match renderer.render(url, response, client, trial.as_ref()).await {
            Ok(rendered) => {
                let learned = rendered.search.clone();
                let (page, added) = merged(examined.page.clone(), rendered, reason, url);
                self.counters.pages.fetch_add(1, Ordering::Relaxed);
                self.counters.forms.fetch_add(added, Ordering::Relaxed);
                if added == 0 {
                    *self.tried().fruitless.entry(Site::of(url)).or_default() += 1;
                }
                Some((page, learned.map(|learned| (form_id(&learned.form, url), learned.evidence))))
            }
            Err(error) => {
                tracing::warn!("could not render {url}: {error}");
                self.counters.failed.fetch_add(1, Ordering::Relaxed);
                *self.tried().fruitless.entry(Site::of(url)).or_default() += 1;
                None
            }
        }
    }

    fn tried(&self) -> MutexGuard<'_, TriedPages> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if rendering may bring a form that no page before it showed. Notes the page as tried.
    fn is_promising(&self, url: &Url, need: RenderNeed, examined: &ExaminedPage) -> bool {
        let mut tried = self.tried();
        let is_barren = tried.fruitless.get(&Site::of(url)).is_some_and(|pages| *pages >= MAX_FRUITLESS);
        let is_always = self.mode == RenderMode::Always;
        let needs_script = |form: &Form| is_scripted(form) || gains_fields(form);
        let ids =
            examined.page.forms.iter().filter(|form| needs_script(form)).map(|form| tried_id(form, url));
        let new: Vec<FormId> = ids.filter(|id| !tried.forms.contains(id)).collect();
        let may_show_more = !is_barren && (need.reason == RenderReason::EmptyPage || !new.is_empty());
        let is_granted = (is_always || may_show_more)
            && self.counters.reserve(need.requests, self.seed_sites.contains(&Site::of(url)));
        if !is_granted {
            return false;
        }
        tried.forms.extend(new);
        if self.browser.is_none() {
            self.counters.without_browser.fetch_add(1, Ordering::Relaxed);
            self.counters.settle(need.requests, 0);
        }
        self.browser.is_some()
    }

    /// Fetches the OpenSearch description of a page. Returns the page with its form.
    async fn describe(&self, link: &Url, page: &Page, client: &PoliteClient) -> Option<FurtherPage> {
        let (at, response) = client.without_retries().get_page(link, &mut Clock::Real).await.ok()?;
        let form = html::opensearch_form(&response.body, &at)?;
        let mut page = page.clone();
        page.forms.push(form);
        Some((page, None))
    }

    /// Links of `/sitemap.xml` and of the sitemaps that it or robots.txt names. Each sitemap is read once.
    async fn sitemap_links(&self, url: &Url, client: &PoliteClient) -> Vec<Link> {
        let client = client.without_retries();
        let mut pages = Vec::new();
        let usual = url.join("/sitemap.xml").ok().filter(|usual| self.is_first(usual));
        let Some(usual) = usual else { return Vec::new() };
        let first = self.read_sitemap(&usual, &client).await;
        let mut further = first.as_ref().map(|found| found.sitemaps.clone()).unwrap_or_default();
        further.extend(client.sitemaps(url));
        further.retain(|link| self.is_first(link));
        further.truncate(MAX_SITEMAPS);
        for link in further {
            pages.extend(self.read_sitemap(&link, &client).await.unwrap_or_default().pages);
        }
        pages.extend(first.unwrap_or_default().pages);
        html::sitemap_links(&pages)
    }

    async fn read_sitemap(&self, link: &Url, client: &PoliteClient) -> Option<Sitemap> {
        let (at, response) = client.get_page(link, &mut Clock::Real).await.ok()?;
        Some(html::sitemap(&response.body, &at))
    }

    /// True for a description or sitemap that this session has not fetched.
    fn is_first(&self, link: &Url) -> bool {
        let mut known = self.descriptions.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_DESCRIPTIONS {
            known.clear();
        }
        known.insert(LinkId::of(link))
    }
}

/// Identity of a form that is tried once. Hidden fields, such as the order of a list, do not count.
fn tried_id(form: &Form, url: &Url) -> FormId {
    let visible = form.fields.iter().filter(|field| field.kind != FieldKind::Hidden).cloned().collect();
    form_id(&Form { fields: visible, ..form.clone() }, url)
}

/// Relevant forms of a rendered page that it did not show before.
fn new_relevant(shown: &ExaminedPage, before: &ExaminedPage) -> u64 {
    let forms = shown.form_ids.iter().zip(&shown.forms);
    let is_new = |id: &FormId| !before.form_ids.contains(id);
    forms.filter(|(id, verdict)| is_new(id) && verdict.p_relevant >= MIN_ACCEPTED_P).count() as u64
}

/// Adds the evidence for a learned search to the verdict on its form.
fn with_evidence(mut examined: ExaminedPage, learned: Option<(FormId, String)>) -> ExaminedPage {
    let Some((id, evidence)) = learned else { return examined };
    let of_form = examined.form_ids.iter().position(|known| *known == id);
    if let Some(verdict) = of_form.and_then(|at| examined.forms.get_mut(at)) {
        verdict.evidence.insert(0, evidence);
    }
    examined
}

/// OpenSearch description of a page on topic without a likely search form. Other descriptions are not worth a request.
fn undescribed_search(examined: &ExaminedPage) -> Option<Url> {
    let has_search = examined.forms.iter().any(|verdict| verdict.p_searchable >= MIN_ACCEPTED_P);
    let is_worth = !has_search && examined.verdict.p_topic >= MIN_ACCEPTED_P;
    examined.page.hints.opensearch.first().filter(|_| is_worth).map(|link| link.url.clone())
}

/// The page with the forms and links that the browser showed, and the number of forms that only it showed.
fn merged(page: Page, rendered: RenderedPage, reason: RenderReason, url: &Url) -> (Page, u64) {
    let known: Vec<_> = page.forms.iter().map(|form| form_id(form, url)).collect();
    let RenderedPage { page: shown, search, .. } = rendered;
    let mut page = match reason {
        RenderReason::EmptyPage => Page { url: url.clone(), ..shown },
        // A page may have both a box and a form that gains fields.
        RenderReason::ScriptedBox | RenderReason::ScriptedFields => with_added_fields(page, shown),
    };
    // A box of a form that needs no script sends the request of that form.
    let place = |form: &Form| (form.method, form.action[..Position::AfterPath].to_string());
    let is_plain = |found: &Form| {
        page.forms
            .iter()
            .any(|form| !is_scripted(form) && query_field(form).is_some() && place(form) == place(found))
    };
    let learned = search.map(|search| search.form).filter(|form| !is_plain(form));
    page.forms.extend(learned);
    let added = page.forms.iter().filter(|form| !known.contains(&form_id(form, url))).count();
    (page, added as u64)
}

/// The page with the forms to which scripts added fields, in place of those without.
fn with_added_fields(mut page: Page, shown: Page) -> Page {
    for form in page.forms.iter_mut().filter(|form| gains_fields(form)) {
        let is_same = |other: &&Form| {
            let is_sent = !gains_fields(other) && query_field(other).is_some();
            let is_named = other.attributes == form.attributes;
            is_sent && is_named && other.action == form.action && other.method == form.method
        };
        let gained = shown.forms.iter().find(is_same).cloned();
        if let Some(gained) = gained {
            *form = Form { index: form.index, ..gained };
        }
    }
    page
}

impl Visit for RenderingVisit {
    fn visit<'a>(&'a self, request: &'a Request, at: Time, run: VisitContext) -> BoxFuture<'a, VisitResult> {
        Box::pin(async move {
            let (exchange, page) = fetch_page(self.fetch.as_ref(), request, at).await;
            let Some((body, content_type)) = page else { return (exchange, None) };
            self.counters.visited.fetch_add(1, Ordering::Relaxed);
            let (critic, url) = (Arc::clone(&self.critic), request.url.clone());
            let mode = self.mode;
            let used = run.used.clone();
            let read = move |body: &[u8]| {
                let examined = examine_used(body, content_type.as_deref(), &url, critic.as_ref(), &used);
                let need = need_for(&examined, body, mode);
                let kept = if need.is_some() { body.to_vec() } else { Vec::new() };
                (examined, need, kept)
            };
            let read = on_parse_thread(body, read).await;
            let Some((examined, need, body)) = read else { return (exchange, None) };
            let looks_further = self.looks_further(&request.url, need, &examined);
            let client = || run.further_client(&self.client, &request.url, &exchange);
            let client = if looks_further { client() } else { None };
            let examined = match (&exchange.result, client) {
                (Ok(response), Some(client)) => {
                    let response = Response { body, ..response.clone() };
                    let sender = (client, run.submitter_on(&examined.page, &exchange));
                    self.look_further(&request.url, response, need, examined, sender).await
                }
                _ => examined,
            };
            (exchange, Some(Arc::new(examined)))
        })
    }
}

/// Need to render a page in this mode.
fn need_for(examined: &ExaminedPage, body: &[u8], mode: RenderMode) -> Option<RenderNeed> {
    let page = &examined.page;
    let is_on_topic = examined.verdict.p_topic >= MIN_ACCEPTED_P;
    // A box that is hardly of the topic is not worth a browser.
    let p_searchable = |form: &Form| {
        let at = page.forms.iter().position(|known| std::ptr::eq(known, form));
        let verdict = at.and_then(|at| examined.forms.get(at));
        let worth = verdict.filter(|verdict| is_on_topic || verdict.p_relevant >= MIN_P_RELEVANT);
        worth.map_or(0.0, |verdict| verdict.p_searchable)
    };
    let need = || render_need(page, body, p_searchable);
    match mode {
        RenderMode::Never => None,
        RenderMode::Auto => need().filter(|need| is_on_topic || need.reason != RenderReason::ScriptedFields),
        // The user allows what it takes.
        RenderMode::Always => {
            let reason = need().map_or(RenderReason::ScriptedBox, |need| need.reason);
            Some(RenderNeed { reason, requests: 0 })
        }
    }
}
