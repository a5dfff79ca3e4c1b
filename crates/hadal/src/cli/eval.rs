//! `hadal eval`: measurements that anyone can repeat.

use super::exit::Exit;
use super::session::Session;
use super::world::ScaleArg;
use crate::output::table::Table;
use clap::{Args, Subcommand};
use hadal_world::{Measure, measure};
use std::io::Write;

/// Repeat measurements
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal eval world --scale demo")]
pub struct EvalArgs {
    #[command(subcommand)]
    command: EvalCommand,
}

#[derive(Debug, Subcommand)]
enum EvalCommand {
    World(WorldArgs),
}

/// Measure how close the simulated web is to the real one
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal eval world --scale evaluation --sample 500")]
struct WorldArgs {
    #[command(flatten)]
    size: ScaleArg,
    /// Sites to look at
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,
}

/// Measures and prints.
pub fn run(args: &EvalArgs, session: &Session) -> anyhow::Result<Exit> {
    let EvalCommand::World(args) = &args.command;
    let measures = measure(&args.size.world(session.seed), args.sample as usize);
    let text = if session.json { lines(&measures)? } else { table(&measures, session) };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

fn lines(measures: &[Measure]) -> serde_json::Result<String> {
    measures.iter().map(|measure| Ok(serde_json::to_string(measure)? + "\n")).collect()
}

fn table(measures: &[Measure], session: &Session) -> String {
    let mut table = Table::new(&["measure", "measured", "target"], session.stdout());
    table.right(1);
    for measure in measures {
        table.row([measure.name.as_str(), &format!("{:.3}", measure.measured), &measure.target]);
    }
    table.to_string()
}
