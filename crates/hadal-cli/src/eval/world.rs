//! `hadal eval world`: compares the simulated web with published measurements of the real one.

use super::density::densities;
use crate::exit::Exit;
use crate::session::Session;
use crate::world::Scale;
use clap::Args;
use hadal::output::table::Table;
use hadal_world::{Measurement, measure};
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
        let mut tell = |topic: &str| tracing::info!("crawling for {topic}");
        measures.extend(densities(&world, args.crawl, session.seed, &mut tell)?);
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
