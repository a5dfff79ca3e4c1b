//! `hadal eval refresh`: refreshes harvests of changing simulated databases and compares them with new harvests.

use super::print;
use crate::exit::Exit;
use crate::session::Session;
use anyhow::Context;
use clap::Args;
use hadal_eval::harvest::refresh::{self, RefreshEvaluation};

/// Refresh harvests of databases that change from day to day: changes found per request, against new harvests
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal eval refresh
  hadal eval refresh --topic book --forms 10 --rounds 8 --interval 1")]
pub struct EvalRefreshArgs {
    /// Topic of the databases
    #[arg(long, default_value = "hotel")]
    topic: String,
    /// Number of databases
    #[arg(long, value_name = "N", default_value_t = 20)]
    forms: usize,
    /// Minimum number of records of a database
    #[arg(long, value_name = "N", default_value_t = 60)]
    min_records: u32,
    /// Number of refreshes
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Simulated days between two refreshes
    #[arg(long, value_name = "DAYS", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=30))]
    interval: u32,
}

pub fn run(args: &EvalRefreshArgs, session: &Session) -> anyhow::Result<Exit> {
    let policy =
        crate::extensions().policies.find(&session.config.harvest.policy).context("no such policy")?;
    let plan = RefreshEvaluation {
        seed: session.seed,
        topic: args.topic.clone(),
        forms: args.forms,
        min_records: args.min_records,
        rounds: args.rounds,
        interval: args.interval,
    };
    let rounds = refresh::run(&plan, policy)?;
    let sections = refresh::sections(&rounds);
    print(&rounds, &sections, session)
}
