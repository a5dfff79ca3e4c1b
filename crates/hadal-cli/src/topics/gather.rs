//! Examples of a topic: reads files, and fetches URLs by a small crawl.

use super::pointer::{Place, Pointer};
use crate::crawl::{self, Show};
use crate::network;
use crate::session::Session;
use anyhow::Context;
use hadal::engine::{Crawl, CrawlBuilder, Scope};
use hadal::fetch::network::Network;
use hadal::output::escape::for_terminal;
use hadal::output::progress::DisplayStyle;
use hadal::store::{Access, RunSpec, RunState, open};
use hadal::topic::gather::{NullCritic, RecordingFetcher};
use hadal::topic::{Sample, labelled};
use hadal_core::page::Page;
use hadal_core::strategy::StrategyContext;
use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use tokio::sync::watch;
use url::Url;

/// Example pages that a crawl collected.
pub struct Gathered {
    /// Examples with a usable form.
    pub samples: Vec<Sample>,
    /// Number of inputs without a usable form.
    pub skipped: usize,
}

/// Fetches the pages, takes one form of each and prints which. `None` after Ctrl-C.
pub fn gather(pointers: &[Pointer], session: &Session) -> anyhow::Result<Option<Gathered>> {
    let urls: Vec<Url> = pointers.iter().filter_map(Pointer::url).collect();
    let mut fetched = match urls.is_empty() {
        true => HashMap::new(),
        false => match fetch(urls, session)? {
            Some(fetched) => fetched,
            None => return Ok(None),
        },
    };
    let mut gathered = Gathered { samples: Vec::new(), skipped: 0 };
    for pointer in pointers {
        let page = match &pointer.place {
            Place::Web(url) => fetched.entry(url.clone()).or_insert(Err("not fetched".into())).clone(),
            Place::File(path) => labelled::page(path).map_err(|error| format!("{error:#}")),
        };
        let sample = page.and_then(|page| {
            Sample::of(&pointer.source, page, pointer.picked).map_err(|error| error.to_string())
        });
        let source = for_terminal(&pointer.source);
        let line = match &sample {
            Ok(sample) => format!("{source}: took {}", for_terminal(&sample.card())),
            Err(why) => format!("{source}: skipped, {why}"),
        };
        writeln!(std::io::stderr(), "{line}").ok();
        gathered.skipped += usize::from(sample.is_err());
        gathered.samples.extend(sample.ok());
    }
    Ok(Some(gathered))
}

impl Pointer {
    fn url(&self) -> Option<Url> {
        match &self.place {
            Place::Web(url) => Some(url.clone()),
            Place::File(_) => None,
        }
    }
}

type Pages = HashMap<Url, Result<Page, String>>;

/// Fetches every URL once without following links. `None` after Ctrl-C.
fn fetch(mut urls: Vec<Url>, session: &Session) -> anyhow::Result<Option<Pages>> {
    urls.sort();
    urls.dedup();
    let network = network::options(&session.config)?;
    if let Some(warning) = network::contact_warning(&urls, &network) {
        writeln!(std::io::stderr(), "{warning}").ok();
    }
    writeln!(std::io::stderr(), "fetching {} example pages", urls.len()).ok();
    let show = Show { json: false, style: DisplayStyle::Silent, max_requests: None, is_probing: false };
    let mut recorder = None;
    let summary = crawl::run(
        |stop| {
            let fetcher = Arc::new(RecordingFetcher::new(Arc::new(Network::new(network)?)));
            recorder = Some(Arc::clone(&fetcher));
            setup(fetcher, urls.clone(), session, stop)
        },
        show,
        None,
    )?;
    let recorder = recorder.context("the crawl was set up")?;
    let page = |url: Url| {
        let page = recorder.page(&url);
        (url, page)
    };
    let pages = urls.into_iter().map(page).collect();
    Ok((summary.state != RunState::Stopped).then_some(pages))
}

fn setup(
    fetch: Arc<RecordingFetcher>,
    seeds: Vec<Url>,
    session: &Session,
    stop: watch::Receiver<bool>,
) -> anyhow::Result<Crawl> {
    let config = &session.config;
    let strategy = "breadth-first";
    let spec = RunSpec {
        topic: "examples".into(),
        strategy: strategy.into(),
        seeds,
        seed: session.seed,
        source: "web".into(),
    };
    let mut scope = Scope::default();
    scope.max_depth = Some(0);
    let entry = crate::extensions().strategies.find(strategy).context("no such strategy")?;
    let order = entry.make(&StrategyContext::seeded(session.seed));
    let store = open("memory:", Access::Crawl)?;
    Ok(CrawlBuilder::new(store, spec, order, Arc::new(NullCritic), fetch)
        .scope(scope)
        .politeness(config.politeness.delays, config.politeness.agent())
        .concurrency(config.crawl.concurrency)
        .body_limit(config.fetch.body_limit)
        .checkpoint_every(config.store.group_commit)
        .stop(stop)
        .build())
}
