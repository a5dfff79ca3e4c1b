//! How often a crawl of the simulated web meets relevant forms, beside what crawls of the real web met.
//!
//! The crawl is the papers' baseline: links of on-topic pages, sites left behind by the stopping criteria.
//! What it met is counted by the world's truth, not by the judges.

use crate::cli::crawl::{self, Show};
use crate::cli::demo::WINDOW;
use crate::cli::session::Session;
use crate::engine::{Budget, Clock, Crawl, Errand, Probing, Scope, Summary};
use crate::fetch::in_process::InProcess;
use crate::fetch::politeness::Politeness;
use crate::fetch::robots::AGENT;
use crate::store::*;
use hadal_core::critic::Kind;
use hadal_core::critic::trained::{Aim, TrainedCritic};
use hadal_core::http::DEFAULT_BODY_LIMIT;
use hadal_core::identity::FormId;
use hadal_core::strategy::offer;
use hadal_world::{Measure, World};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::watch;

/// The papers' baseline.
const STRATEGY: &str = "best-first-sc";

/// Search forms, with the topic they really search.
type Truth = HashMap<FormId, Option<&'static str>>;

/// Crawls for every topic with so many requests. `None` when it was interrupted.
pub fn densities(
    world: &Arc<World>,
    requests: u64,
    session: &Session,
) -> anyhow::Result<Option<Vec<Measure>>> {
    let searches = world.truth().filter(|form| form.kind == Kind::Search);
    let truth: Truth = searches.map(|form| (form.form_id, form.topic)).collect();
    let (mut figures, mut shares) = (Vec::new(), Vec::new());
    for topic in World::topics() {
        let store = open("memory:", Access::Crawl)?;
        let show = Show { json: false, style: session.progress(), max_requests: Some(requests) };
        let setup = |stop| Ok(baseline(world, topic, requests, session.seed, Arc::clone(&store), stop));
        let summary = crawl::run(setup, show)?;
        if summary.state == RunState::Stopped {
            return Ok(None);
        }
        let (relevant, searchable) = met(store.as_ref(), &summary, topic, &truth)?;
        let pages = summary.tally.pages.max(1) as f64;
        figures.extend(Measure::density(topic, 100.0 * relevant / pages));
        shares.push(relevant / searchable.max(1.0));
    }
    figures.extend(Measure::relevant_shares(&shares));
    Ok(Some(figures))
}

/// Relevant and searchable forms that a crawl met, by the truth.
fn met(store: &dyn Store, summary: &Summary, topic: &str, truth: &Truth) -> anyhow::Result<(f64, f64)> {
    let filter = Filter { run: Some(summary.run), ..Filter::default() };
    let (mut relevant, mut searchable) = (0.0, 0.0);
    store.forms(&filter, &mut |row| {
        if let Some(searched) = truth.get(&row.form_id) {
            searchable += 1.0;
            relevant += f64::from(u8::from(*searched == Some(topic)));
        }
        Walk::On
    })?;
    Ok((relevant, searchable))
}

fn baseline(
    world: &Arc<World>,
    topic: &str,
    requests: u64,
    seed: u64,
    store: Arc<dyn Store>,
    stop: watch::Receiver<bool>,
) -> Crawl {
    let spec = RunSpec {
        topic: topic.to_string(),
        strategy: STRATEGY.to_string(),
        seeds: world.seeds(topic),
        seed,
        source: format!("world {seed}"),
    };
    Crawl {
        store,
        spec,
        strategy: offer(STRATEGY).expect("the baseline is offered").make(seed),
        critic: Arc::new(TrainedCritic::new(Aim::built_in(topic).expect("the world's topics are built in"))),
        backlinks: None,
        fetch: Arc::new(InProcess(Arc::clone(world))),
        budget: Budget { requests: Some(requests), ..Budget::default() },
        scope: Scope::default(),
        politeness: Politeness::default(),
        agent: AGENT.into(),
        concurrency: 8,
        body_limit: DEFAULT_BODY_LIMIT,
        clock: Clock::simulated(WINDOW),
        keep_every: std::time::Duration::from_secs(1),
        stop,
        fresh: true,
        probing: Probing::never(),
        word: String::new(),
        errand: Errand::Find,
    }
}
