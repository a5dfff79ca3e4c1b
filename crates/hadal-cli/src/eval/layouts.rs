//! `hadal eval layouts`: harvests simulated sites in every arrangement of records and scores them by the truth.

use super::find::{cores, named};
use super::harvest::collections;
use super::print;
use crate::exit::Exit;
use crate::session::Session;
use anyhow::Context;
use clap::Args;
use hadal_eval::harvest::layouts::{self, LayoutPlan, LayoutVariant};
use hadal_world::database::Arrangement;
use std::path::PathBuf;

/// Harvest simulated sites in every arrangement of records: precision, recall and requests
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal eval layouts
  hadal eval layouts --variants linkless --records 300
  hadal eval layouts --collections data/collections --collection quotes_ru")]
pub struct EvalLayoutsArgs {
    /// Folder of .jsonl or .jsonl.gz files, one collection each [default: three generated ones]
    #[arg(long, value_name = "DIR")]
    collections: Option<PathBuf>,
    /// Collections, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    collection: Vec<String>,
    /// Variants of the sites, separated by commas: plain, linkless, cluttered, static, varied [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    variants: Vec<String>,
    /// Arrangements of records, separated by commas, as list,grid,row-pairs [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    arrangements: Vec<String>,
    /// Maximum number of records per collection
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(20..=100_000))]
    records: u32,
    /// Request budget of a harvest, per record
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100))]
    requests_per_record: u64,
    /// Coverage at which a harvest stops
    #[arg(long, value_name = "SHARE", default_value_t = 0.98)]
    target_coverage: f64,
    /// Concurrent harvests [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// Runs all harvests and prints two tables.
pub fn run(args: &EvalLayoutsArgs, session: &Session) -> anyhow::Result<Exit> {
    let policy =
        crate::extensions().policies.find(&session.config.harvest.policy).context("no such policy")?;
    let threads = args.threads.map_or_else(cores, usize::from);
    let trials = layouts::run(&plan(args, session.seed)?, policy, threads, &|done, all| {
        tracing::info!("{done} of {all} harvests");
    })?;
    let sections = layouts::sections(&trials);
    print(&trials, &sections, session)
}

fn plan(args: &EvalLayoutsArgs, seed: u64) -> anyhow::Result<LayoutPlan> {
    let variants = LayoutVariant::ALL.map(|(name, _)| name);
    let arrangements = Arrangement::ALL.map(Arrangement::name);
    let wanted = named("variant", &args.variants, &variants, &variants)?;
    let arranged = named("arrangement", &args.arrangements, &arrangements, &arrangements)?;
    let is_wanted = |(name, _): &(&str, LayoutVariant)| wanted.iter().any(|wanted| wanted == name);
    let is_arranged = |known: &Arrangement| arranged.iter().any(|wanted| *wanted == known.name());
    Ok(LayoutPlan {
        collections: collections(args.collections.as_deref(), &args.collection)?,
        records: args.records,
        variants: LayoutVariant::ALL.into_iter().filter(is_wanted).map(|(_, variant)| variant).collect(),
        arrangements: Arrangement::ALL.into_iter().filter(is_arranged).collect(),
        requests_per_record: args.requests_per_record,
        coverage: args.target_coverage,
        seed,
    })
}
