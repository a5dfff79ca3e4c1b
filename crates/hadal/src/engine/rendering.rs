//! Visits of a crawl with a browser: pages that suggest a search by script are rendered.
//!
//! Rendering belongs to the step that fetched the page, so the host stays busy and receives no other request meanwhile.
//! The requests of the page's scripts are counted with the step.

use super::parse_pool::on_parse_thread;
use super::step::{ExaminedPage, Visit, VisitResult, examine, fetch_page, judged};
use crate::fetch::Fetch;
use crate::polite::PoliteClient;
use crate::render::{RenderMode, RenderedPage, Renderer, SearchTrial};
use crate::store::Store;
use futures::future::BoxFuture;
use hadal_core::address::LinkId;
use hadal_core::critic::Critic;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::http::{Request, Response};
use hadal_core::identity::form_id;
use hadal_core::page::Page;
use hadal_core::scripted::rendering::{RenderReason, render_reason};
use hadal_core::time::Time;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;
use url::Url;

/// Pages rendered at the same time. Guess.
const MAX_AT_ONCE: usize = 2;

/// Fetches pages, and renders those that suggest a search by script.
pub struct RenderingVisit {
    /// HTTP client of the crawl.
    pub fetch: Arc<dyn Fetch>,
    /// Critic of the crawl.
    pub critic: Arc<dyn Critic>,
    /// Client for the requests of scripts, with the politeness of the crawl.
    pub client: PoliteClient,
    /// Pause after the request for the page.
    pub pause: Duration,
    /// Browser that renders the pages.
    pub renderer: Renderer,
    /// Pages that are rendered.
    pub mode: RenderMode,
    /// Store with the audit log of test queries.
    pub store: Arc<dyn Store>,
    /// Topic of the crawl.
    pub topic: String,
    /// Numbers for the last line of the command.
    pub counters: Arc<RenderTotals>,
    places: Semaphore,
}

/// Totals of a crawl with a browser.
#[derive(Debug, Default)]
pub struct RenderTotals {
    /// Number of rendered pages.
    pub pages: AtomicU64,
    /// Forms that only the rendered pages showed.
    pub forms: AtomicU64,
    /// Pages on which the browser failed.
    pub failed: AtomicU64,
}

impl RenderingVisit {
    /// Visit with a browser. The client and the critic are those of the crawl.
    pub fn new(
        (fetch, critic): (Arc<dyn Fetch>, Arc<dyn Critic>),
        (client, pause): (PoliteClient, Duration),
        (renderer, mode): (Renderer, RenderMode),
        (store, topic): (Arc<dyn Store>, String),
    ) -> RenderingVisit {
        let (counters, places) = (Arc::default(), Semaphore::new(MAX_AT_ONCE));
        RenderingVisit { fetch, critic, client, pause, renderer, mode, store, topic, counters, places }
    }

    /// Renders a page and examines it again. `None` if the browser failed.
    async fn render(
        &self,
        url: &Url,
        response: Response,
        reason: RenderReason,
        page: Page,
    ) -> Option<ExaminedPage> {
        let _place = self.places.acquire().await.ok()?;
        self.client.pause(self.pause).await.ok()?;
        let (topic, seed) = (self.topic.as_str(), LinkId::of(url).0);
        let trial = SearchTrial { store: self.store.as_ref(), topic, seed, min_p_searchable: MIN_ACCEPTED_P };
        let rendered = self.renderer.render(url, response, &self.client, Some(&trial)).await;
        let rendered = match rendered {
            Ok(rendered) => rendered,
            Err(error) => {
                tracing::warn!("could not render {url}: {error}");
                self.counters.failed.fetch_add(1, Ordering::Relaxed);
                return None;
            }
        };
        let counts = rendered.counts;
        let (page, added) = merged(page, rendered, reason, url);
        self.counters.pages.fetch_add(1, Ordering::Relaxed);
        self.counters.forms.fetch_add(added, Ordering::Relaxed);
        let examined = judged(page, url, self.critic.as_ref());
        Some(ExaminedPage { script_requests: counts.requests, script_bytes: counts.bytes, ..examined })
    }
}

/// The page with the forms and links that the browser showed, and the number of forms that only it showed.
fn merged(page: Page, rendered: RenderedPage, reason: RenderReason, url: &Url) -> (Page, u64) {
    let known: Vec<_> = page.forms.iter().map(|form| form_id(form, url)).collect();
    let RenderedPage { page: shown, search, .. } = rendered;
    let mut page = if reason == RenderReason::EmptyPage { Page { url: url.clone(), ..shown } } else { page };
    page.forms.extend(search.map(|search| search.form));
    let added = page.forms.iter().filter(|form| !known.contains(&form_id(form, url))).count();
    (page, added as u64)
}

impl Visit for RenderingVisit {
    fn visit<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, VisitResult> {
        Box::pin(async move {
            let (exchange, page) = fetch_page(self.fetch.as_ref(), request, at).await;
            let Some((body, content_type)) = page else { return (exchange, None) };
            let (critic, url, mode) = (Arc::clone(&self.critic), request.url.clone(), self.mode);
            let read = move |body: &[u8]| {
                let examined = examine(body, content_type.as_deref(), &url, critic.as_ref());
                let reason = reason_for(&examined, body, mode);
                (examined, reason.map(|reason| (reason, body.to_vec())))
            };
            let Some((examined, wanted)) = on_parse_thread(body, read).await else { return (exchange, None) };
            let rendered = match (wanted, &exchange.result) {
                (Some((reason, body)), Ok(response)) => {
                    let response = Response { body, ..response.clone() };
                    self.render(&request.url, response, reason, examined.page.clone()).await
                }
                _ => None,
            };
            (exchange, Some(Arc::new(rendered.unwrap_or(examined))))
        })
    }
}

/// Reason to render a page in this mode.
fn reason_for(examined: &ExaminedPage, body: &[u8], mode: RenderMode) -> Option<RenderReason> {
    let page = &examined.page;
    let p_searchable = |form: &hadal_core::page::Form| {
        let at = page.forms.iter().position(|known| std::ptr::eq(known, form));
        at.and_then(|at| examined.forms.get(at)).map_or(0.0, |verdict| verdict.p_searchable)
    };
    let reason = render_reason(page, body, p_searchable);
    match mode {
        RenderMode::Never => None,
        RenderMode::Auto => reason,
        RenderMode::Always => Some(reason.unwrap_or(RenderReason::ScriptedBox)),
    }
}
