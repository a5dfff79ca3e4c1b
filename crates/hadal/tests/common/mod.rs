//! A tiny web of pages written by hand, and crawls of it.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod course;
pub mod watched;

use futures::future::BoxFuture;
use hadal::engine::{Crawl, CrawlBuilder, CrawlSummary, crawl};
use hadal::fetch::Fetch;
use hadal::polite::Clock;
use hadal::store::{
    Access, FailureKind, FormQuery, FormRow, LessonRow, LookUp, PageQuery, PageRow, RunCounters, RunId,
    RunParts, RunQuery, RunSpec, Store, all_forms, all_pages, open,
};
use hadal_core::address::Site;
use hadal_core::critic::keywords::KeywordCritic;
use hadal_core::http::{BodyCompleteness, Exchange, FetchError, Headers, Request, Response};
use hadal_core::strategy::{SiteCounters, Strategy, StrategyContext, find_strategy};
use hadal_core::time::Time;
use hadal_core::topic::Topic;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use url::Url;

/// Pages by URL. Any other URL is a 404.
#[derive(Default)]
pub struct Web {
    answers: HashMap<String, Vec<Result<Response, FetchError>>>,
    log: Mutex<Vec<String>>,
}

impl Web {
    pub fn page(self, url: &str, html: &str) -> Web {
        self.answer(url, 200, &[("content-type", "text/html")], html)
    }

    pub fn redirect(self, from: &str, to: &str) -> Web {
        self.answer(from, 302, &[("location", to)], "")
    }

    /// Adds a response to a URL. Several responses of one URL are sent in turn; the last one repeats.
    pub fn answer(mut self, url: &str, status: u16, headers: &[(&str, &str)], body: &str) -> Web {
        let headers = Headers(headers.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect());
        let body = body.as_bytes().to_vec();
        let transferred = body.len() as u64;
        let response = Response { status, headers, body, transferred, completeness: BodyCompleteness::Whole };
        self.answers.entry(url.to_string()).or_default().push(Ok(response));
        self
    }

    pub fn error(mut self, url: &str, error: FetchError) -> Web {
        self.answers.entry(url.to_string()).or_default().push(Err(error));
        self
    }

    /// Requested URLs without robots.txt.
    pub fn visits(&self) -> Vec<String> {
        self.requests().into_iter().filter(|url| !url.ends_with("/robots.txt")).collect()
    }

    /// All requested URLs.
    pub fn requests(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

impl Fetch for Web {
    fn fetch<'a>(&'a self, request: &'a Request, _at: Time) -> BoxFuture<'a, Exchange> {
        let url = request.url.to_string();
        let mut log = self.log.lock().unwrap();
        let before = log.iter().filter(|asked| **asked == url).count();
        log.push(url.clone());
        drop(log);
        let missing = || Ok(Response { status: 404, ..Response::default() });
        let mut result =
            self.answers.get(&url).map_or_else(missing, |all| all[before.min(all.len() - 1)].clone());
        if let Ok(response) = &mut result
            && response.body.len() as u64 > request.body_limit
        {
            response.body.truncate(request.body_limit as usize);
            response.transferred = request.body_limit;
            response.completeness = BodyCompleteness::Cut;
        }
        Box::pin(async move { Exchange { result, took: Duration::from_millis(50), peer: None } })
    }
}

/// An on-topic page of links.
pub fn links(targets: &[&str]) -> String {
    let links: String =
        targets.iter().map(|url| format!("<p>books <a href=\"{url}\">book</a></p>")).collect();
    format!("<title>Books by author</title><p>library of novels, fiction, isbn, publisher</p>{links}")
}

/// A book search form.
pub const BOOK_FORM: &str =
    "<h2>Book search</h2><form action=/find>Author <input name=author> Title <input name=title>
    ISBN <input name=isbn> <input type=submit value=Search></form>";

/// Crawl for books with a simulated clock and a store in memory.
pub fn setup(web: Arc<dyn Fetch>, strategy: Box<dyn Strategy>, seeds: &[&str]) -> Crawl {
    let spec = RunSpec {
        topic: "book".into(),
        strategy: "test".into(),
        seeds: seeds.iter().map(|seed| Url::parse(seed).unwrap()).collect(),
        seed: 1,
        source: "test".into(),
    };
    let store = open("memory:", Access::Crawl).unwrap();
    let critic = Arc::new(KeywordCritic::new(&Topic::from_words("book").unwrap()));
    let mut crawl = CrawlBuilder::new(store, spec, strategy, critic, web)
        .concurrency(4)
        .body_limit(1 << 20)
        .clock(Clock::simulated(), 8)
        .build();
    crawl.probe_word = "book".into();
    crawl
}

/// A strategy by name.
pub fn strategy(name: &str) -> Box<dyn Strategy> {
    find_strategy(name).unwrap().make(&StrategyContext::seeded(1))
}

/// Runs a crawl to its end.
pub async fn run(setup: Crawl) -> CrawlSummary {
    crawl(setup, &mut |_| {}).await.unwrap()
}

/// Every form a store holds.
pub fn forms(store: &dyn Store) -> Vec<FormRow> {
    all_forms(store, FormQuery::default()).map(|entry| entry.unwrap().row).collect()
}

/// A kind of failure by its name.
pub fn kind(name: &str) -> FailureKind {
    name.parse().unwrap()
}

/// Every page of a run, in the order of their commits.
pub fn pages(store: &dyn Store, run: RunId) -> Vec<PageRow> {
    all_pages(store, PageQuery::of(run)).map(Result::unwrap).collect()
}

/// Counters of a run.
pub fn counters(store: &dyn Store, run: RunId) -> RunCounters {
    store.runs(&RunQuery::one(run)).unwrap().remove(0).counters
}

/// Lessons of a run's strategy, oldest first.
pub fn lessons(store: &dyn Store, run: RunId) -> Vec<LessonRow> {
    let parts = RunParts { lessons: usize::MAX, ..RunParts::default() };
    store.runs(&RunQuery { parts, ..RunQuery::one(run) }).unwrap().remove(0).lessons
}

/// Counters of a site.
pub fn site_counters(store: &dyn Store, run: RunId, site: &Site) -> SiteCounters {
    let keys = LookUp { sites: std::slice::from_ref(site), ..LookUp::default() };
    store.look_up(run, &keys).unwrap().sites.remove(0)
}

/// A small simulated web without `Crawl-delay`, so that tests on a real clock are fast.
pub fn patient(seed: u64) -> hadal_world::Spec {
    hadal_world::Spec {
        rates: hadal_world::Rates { robots: 0.0, ..hadal_world::Rates::calm() },
        ..hadal_world::Spec::tiny(seed)
    }
}
