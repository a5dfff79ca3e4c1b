//! The measured crawl: the simulated web without delays.

use super::Anyhow;
use hadal::engine::{Budget, Crawl, CrawlBuilder};
use hadal::fetch::Fetch;
use hadal::polite::{Clock, Politeness};
use hadal::store::{RunSpec, Store};
use hadal_core::critic::trained::{CriticTarget, TrainedCritic};
use hadal_core::page::LinkContext;
use hadal_core::strategy::{StrategyContext, find_strategy};
use hadal_world::{Spec, World};
use std::sync::Arc;

/// Run specification: topic book, seeds of the simulated web. `seed` distinguishes runs.
pub fn bench_spec(strategy: &str, seed: u64) -> RunSpec {
    RunSpec {
        topic: "book".into(),
        strategy: strategy.into(),
        seeds: World::new(Spec::demo(7)).seeds("book"),
        seed,
        source: "bench".into(),
    }
}

/// Link context of realistic length.
pub fn usual_context() -> LinkContext {
    LinkContext {
        anchor: "Search the catalogue".into(),
        before: "thousands of titles by author subject and year in".into(),
        after: "new and used with free delivery from our partners".into(),
        tag_path: "body div.main#content div.row ul.links li a".into(),
        ..LinkContext::default()
    }
}

/// A crawl with a number of pages.
pub fn bench_crawl(
    store: Arc<dyn Store>,
    spec: RunSpec,
    fetch: Arc<dyn Fetch>,
    clock: Clock,
    pages: u64,
) -> Anyhow<Crawl> {
    let strategy =
        find_strategy(&spec.strategy).expect("a built-in strategy").make(&StrategyContext::seeded(spec.seed));
    let critic = Arc::new(TrainedCritic::new(CriticTarget::built_in("book").expect("book is built in")));
    let no_pauses =
        Politeness { delay: std::time::Duration::ZERO, latency_factor: 0.0, ..Politeness::default() };
    Ok(CrawlBuilder::new(store, spec, strategy, critic, fetch)
        .budget(Budget { requests: Some(pages), ..Budget::default() })
        .politeness(no_pauses, "hadal")
        .clock(clock, 8)
        .build())
}
