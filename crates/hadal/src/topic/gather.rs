//! Example pages from the web, fetched by a crawl that follows no link.
//!
//! The crawl uses the engine with its robots.txt, politeness, redirects and retries. A fetcher around its
//! fetcher keeps the responses.

use crate::fetch::Fetch;
use crate::polite::retry::{MAX_REDIRECTS, NextAction, next_action};
use futures::future::BoxFuture;
use hadal_core::address::{TrackingParams, normalise};
use hadal_core::critic::{Critic, FormKind, FormVerdict, PageVerdict};
use hadal_core::html::parse;
use hadal_core::http::{Exchange, Request};
use hadal_core::page::{Form, Page};
use hadal_core::time::Time;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;

/// Fetcher that keeps the last response of every URL.
pub struct RecordingFetcher {
    inner: Arc<dyn Fetch>,
    kept: Mutex<HashMap<Url, Exchange>>,
}

impl RecordingFetcher {
    pub fn new(inner: Arc<dyn Fetch>) -> RecordingFetcher {
        RecordingFetcher { inner, kept: Mutex::default() }
    }

    /// Page that a URL led to, or the reason why there is none.
    pub fn page(&self, url: &Url) -> Result<Page, String> {
        let mut url = plain(url.clone());
        for _ in 0..=MAX_REDIRECTS {
            let Some(exchange) = self.answer(&url) else { return Err(self.why_not_asked(&url)) };
            match (next_action(&url, &exchange, 0, 0, Time(0)), exchange.result) {
                (NextAction::Accept, Ok(response)) => {
                    return Ok(parse(&response.body, response.headers.get("content-type"), &url));
                }
                (NextAction::Redirect(target), _) => url = plain(target),
                (_, Err(error)) => return Err(error.to_string()),
                (NextAction::GiveUp { kind, .. } | NextAction::Retry { kind, .. }, _) => {
                    return Err(kind.explanation());
                }
            }
        }
        Err("redirect loop, or too many redirects".to_string())
    }

    fn why_not_asked(&self, url: &Url) -> String {
        let robots = url.join("/robots.txt").ok().and_then(|robots| self.answer(&robots));
        match robots.map(|exchange| exchange.result) {
            Some(Err(error)) => format!("the request failed: {error}"),
            Some(Ok(response)) if response.status >= 500 => {
                "robots.txt of its host could not be fetched".to_string()
            }
            _ => "robots.txt does not allow it".to_string(),
        }
    }

    fn answer(&self, url: &Url) -> Option<Exchange> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(url).cloned()
    }
}

fn plain(url: Url) -> Url {
    normalise(url.clone(), TrackingParams::Strip).unwrap_or(url)
}

impl Fetch for RecordingFetcher {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        Box::pin(async move {
            let exchange = self.inner.fetch(request, at).await;
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.insert(plain(request.url.clone()), exchange.clone());
            exchange
        })
    }
}

/// Critic without judgement, because pages are judged after the crawl.
pub struct NullCritic;

impl Critic for NullCritic {
    fn judge_page(&self, _: &Page) -> PageVerdict {
        PageVerdict::default()
    }

    fn judge_form(&self, _: &Form, _: &Page, _: &PageVerdict) -> FormVerdict {
        FormVerdict { kind: FormKind::Other, p_searchable: 0.0, p_relevant: 0.0, evidence: Vec::new() }
    }
}
