//! Density of relevant forms under a baseline crawl, beside published densities.
//!
//! The crawl is the baseline of the ACHE paper: links of on-topic pages with stopping criteria. Forms are
//! counted by ground truth.

use anyhow::Context;

use hadal_eval::find::page_cache::CacheLimit;
use hadal_eval::find::topic_setup::{KnownWorld, TopicSetup};
use hadal_eval::find::truth::FormTruth;
use hadal_eval::find::{Preset, TrialSpec, trial};
use hadal_world::{Measurement, World};
use std::sync::Arc;

/// Baseline of the ACHE paper.
const STRATEGY: &str = "best-first-sc";

/// Crawls for every topic with a request budget. `on_progress` receives the next topic.
pub fn densities(
    world: &Arc<World>,
    requests: u64,
    seed: u64,
    on_progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Vec<Measurement>> {
    let known_world = KnownWorld { world: Arc::clone(world), truth: Arc::new(FormTruth::of(world)) };
    let baseline = crate::extensions().strategies.find(STRATEGY).context("the baseline is offered")?;
    let (mut figures, mut shares) = (Vec::new(), Vec::new());
    for topic in World::topics() {
        on_progress(topic);
        let setup = TopicSetup::new(known_world.clone(), topic, CacheLimit::of(0))
            .context("the world's topics are built in")?;
        let spec = TrialSpec {
            world: Preset::Standard,
            sites: world.spec().sites,
            seed,
            topic: topic.to_string(),
            strategy: STRATEGY.to_string(),
            requests,
        };
        let end = trial::run(&Arc::new(setup), baseline, &spec, &mut |_| {})?.end();
        figures.extend(Measurement::density(topic, 100.0 * end.met as f64 / end.pages.max(1) as f64));
        shares.push(end.met as f64 / end.searchable.max(1) as f64);
    }
    figures.extend(Measurement::relevant_shares(&shares));
    Ok(figures)
}
