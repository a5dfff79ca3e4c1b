//! `hadal eval world`: compares the simulated web with published measurements of the real one.

use crate::exit::Exit;
use crate::session::Session;
use crate::world::Scale;
use anyhow::Context;
use clap::Args;
use hadal::output::table::Table;
use hadal_eval::find::page_cache::CacheLimit;
use hadal_eval::find::topic_setup::{FormTruth, KnownWorld, TopicSetup};
use hadal_eval::find::{Preset, TrialSpec, trial};
use hadal_world::{Measurement, World, measure};
use std::io::Write;
use std::sync::Arc;

/// Compare the simulated web with published measurements
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal eval world --sample 20000\n  hadal eval world --crawl 25000")]
pub struct EvalWorldArgs {
    /// Size of the simulated web; the demo has more forms than the targets
    #[arg(long, default_value = "evaluation")]
    scale: Scale,
    /// Number of pages to measure
    #[arg(long, value_name = "N", default_value_t = 6000, value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,
    /// Requests per topic to measure the density of relevant forms by crawling; takes minutes
    #[arg(long, value_name = "N", default_value_t = 0)]
    crawl: u64,
}

pub fn run(args: &EvalWorldArgs, session: &Session) -> anyhow::Result<Exit> {
    let world = Arc::new(args.scale.world(session.seed));
    let mut measures = measure(&world, args.sample as usize);
    if args.crawl > 0 {
        let mut on_topic = |topic: &str| tracing::info!("crawling for {topic}");
        measures.extend(densities(&world, args.crawl, session.seed, &mut on_topic)?);
    }
    let text = if session.json { lines(&measures)? } else { table(&measures, session) };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

fn lines(measures: &[Measurement]) -> serde_json::Result<String> {
    measures.iter().map(|measure| Ok(serde_json::to_string(measure)? + "\n")).collect()
}

fn table(measures: &[Measurement], session: &Session) -> String {
    let mut table = Table::new(&["measure", "measured", "target", "on target"], session.stdout());
    table.right(1);
    for measure in measures {
        let met = if measure.is_met() { "yes" } else { "no" };
        table.row([measure.name.as_str(), &format!("{:.3}", measure.measured), &measure.target, met]);
    }
    table.to_string()
}

/// Baseline of the ACHE paper.
const STRATEGY: &str = "best-first-sc";

/// Crawls for every topic with a request budget. `on_progress` receives the next topic.
fn densities(
    world: &Arc<World>,
    requests: u64,
    seed: u64,
    on_progress: &mut dyn FnMut(&str),
) -> anyhow::Result<Vec<Measurement>> {
    let known_world = KnownWorld { world: Arc::clone(world), truth: Arc::new(FormTruth::of(world)) };
    let baseline = crate::extensions().strategies.find(STRATEGY).context("the baseline is registered")?;
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
