//! Backlinks from a SearXNG-compatible search engine.
//!
//! Search engines no longer offer `link:` queries, so the query is the name of the site in quotes: pages that mention
//! it usually link to it. Results are therefore pages about the site rather than about one URL. The user configured
//! the service, so its robots.txt is not read and it may have a private address. It receives one request at a time,
//! with the pause that any host gets.

use super::Backlinks;
use crate::fetch::Fetch;
use crate::polite::Clock;
use futures::future::BoxFuture;
use hadal_core::address::{Site, TrackingParams, normalise};
use hadal_core::http::{FetchError, Request, Response};
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

/// Maximum number of pages taken from one response. Guess.
const MAX_PAGES: usize = 100;

/// Backlinks from a search engine.
pub struct Searxng {
    api: Url,
    fetch: Arc<dyn Fetch>,
    pause: Duration,
    body_limit: u64,
    next_at: Mutex<Option<Instant>>,
}

impl Searxng {
    /// Source for the search engine at `api`, with `pause` between two requests.
    pub fn new(api: Url, fetch: Arc<dyn Fetch>, pause: Duration, body_limit: u64) -> Searxng {
        Searxng { api, fetch, pause, body_limit, next_at: Mutex::new(None) }
    }

    /// Sends one query after the pause.
    async fn ask(&self, query: Url) -> Result<Response, FetchError> {
        let mut next_at = self.next_at.lock().await;
        if let Some(at) = *next_at {
            tokio::time::sleep_until(at).await;
        }
        let request = Request { body_limit: self.body_limit, ..Request::get(query) };
        let exchange = self.fetch.fetch(&request, Clock::Real.now()).await;
        *next_at = Some(Instant::now() + self.pause);
        exchange.result
    }
}

impl Backlinks for Searxng {
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        Box::pin(async move {
            let site = Site::of(url);
            let response = self.ask(query(&self.api, &site).ok_or(FetchError::BadUrl)?).await?;
            answers(&response, &site).map_err(|why| {
                tracing::warn!(api = %self.api, why, "the search engine failed");
                FetchError::Protocol
            })
        })
    }
}

/// URL of the query for pages that mention a site.
fn query(api: &Url, site: &Site) -> Option<Url> {
    let mut query = api.clone();
    query.path_segments_mut().ok()?.pop_if_empty().push("search");
    query.query_pairs_mut().append_pair("q", &format!("\"{site}\"")).append_pair("format", "json");
    Some(query)
}

/// Result pages that are not on the site itself, or the problem with the response.
fn answers(response: &Response, site: &Site) -> Result<Vec<Url>, &'static str> {
    match response.status {
        200 => {}
        403 => return Err("forbidden: is the json format enabled in its settings?"),
        429 => return Err("too many requests"),
        _ => return Err("the status is not 200"),
    }
    let answer: Value = serde_json::from_slice(&response.body).map_err(|_| "the response is not JSON")?;
    let results = answer["results"].as_array().ok_or("the response has no list of results")?;
    let addresses = results.iter().filter_map(|result| Url::parse(result["url"].as_str()?).ok());
    let pages = addresses.filter_map(|url| normalise(url, TrackingParams::Strip));
    let mut met = FxHashSet::default();
    let others = pages.filter(|page| Site::of(page) != *site && met.insert(page.clone()));
    Ok(others.take(MAX_PAGES).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        Site("books.example".into())
    }

    fn read(status: u16, body: &str) -> Result<Vec<String>, &'static str> {
        let response = Response { status, body: body.as_bytes().to_vec(), ..Response::default() };
        let pages = answers(&response, &site())?;
        Ok(pages.iter().map(|page| page.to_string()).collect())
    }

    #[test]
    fn the_query_is_the_name_of_the_site_in_quotes() {
        for (api, asked) in [
            ("https://s.example", "https://s.example/search?q=%22books.example%22&format=json"),
            ("https://s.example/x/", "https://s.example/x/search?q=%22books.example%22&format=json"),
        ] {
            assert_eq!(query(&Url::parse(api).unwrap(), &site()).unwrap().as_str(), asked);
        }
    }

    #[test]
    fn results_are_distinct_pages_of_other_sites() {
        let body = r##"{"results": [{"url": "http://hub.example/a#top"}, {"url": "http://www.books.example/"},
            {"url": "http://hub.example/a"}, {"url": "mailto:x@y.example"}, {"url": null}, 7, {}]}"##;
        assert_eq!(read(200, body).unwrap(), ["http://hub.example/a"]);
        assert_eq!(read(200, r#"{"results": []}"#).unwrap(), [""; 0]);
    }

    #[test]
    fn failures_differ_from_empty_results() {
        assert!(read(403, "").unwrap_err().contains("json format"));
        for (status, body) in [(429, ""), (302, ""), (200, "<html>"), (200, "[]"), (200, "{\"results\": 3}")]
        {
            assert!(read(status, body).is_err(), "{status} {body}");
        }
    }
}
