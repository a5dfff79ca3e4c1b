//! `hadal eval calibrate`: fits the intervals of size estimates to harvests of known collections.

use super::find::cores;
use super::harvest::collections;
use super::print;
use crate::exit::Exit;
use crate::session::Session;
use clap::Args;
use hadal_eval::find::TrialFolder;
use hadal_eval::harvest::settings::SETTINGS;
use hadal_eval::harvest::{self, HarvestTrial, HarvestTrialPlan, calibrate};
use hadal_eval::progress::TrialsProgress;
use std::path::PathBuf;

/// Fit the intervals of size estimates to harvests of known collections; the same command resumes
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal eval calibrate --collections data/collections --records 3000")]
pub struct EvalCalibrateArgs {
    /// Folder of .jsonl or .jsonl.gz files, one collection each [default: three generated ones]
    #[arg(long, value_name = "DIR")]
    collections: Option<PathBuf>,
    /// Maximum number of records per collection
    #[arg(long, value_name = "N", default_value_t = 3_000, value_parser = clap::value_parser!(u32).range(20..=2_000_000))]
    records: u32,
    /// Repetitions with other first words and record orders
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    worlds: u32,
    /// Folder of finished harvests, which are not repeated
    #[arg(long, value_name = "DIR", default_value = "hadal-eval-calibrate")]
    output: PathBuf,
    /// Concurrent harvests [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// Policies of the fitted harvests.
const POLICIES: [&str; 2] = ["hadal", "adaptive"];

/// Coverage in percent at which a harvest ends: the interval matters most when a harvest is nearly complete. Guess.
const UNTIL_PERCENT: u8 = 99;

/// Runs missing harvests and prints the fitted figures.
pub fn run(args: &EvalCalibrateArgs, session: &Session) -> anyhow::Result<Exit> {
    let plan = HarvestTrialPlan {
        policies: POLICIES.map(String::from).into(),
        settings: SETTINGS.iter().filter(|setting| !setting.pages_are_free).collect(),
        collections: collections(args.collections.as_deref(), &[])?,
        records: args.records,
        seeds: (0..u64::from(args.worlds)).map(|nth| session.seed.wrapping_add(nth)).collect(),
        requests: None,
        until_percent: UNTIL_PERCENT,
    };
    let folder = TrialFolder::open(&args.output)?;
    let threads = args.threads.map_or_else(cores, usize::from);
    let progress = TrialsProgress::new(session.progress(), "harvests");
    let policies = &crate::extensions().policies;
    let trials = harvest::run(&plan, policies, &folder, threads, &|now| progress.update(now))?;
    progress.finish();
    print::<HarvestTrial>(&[], &calibrate::sections(&trials), session)
}
