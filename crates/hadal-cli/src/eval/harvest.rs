//! `hadal eval harvest`: compares query policies on known collections and prints the figures of the paper.

use super::find::{cores, named};
use super::{print, write_page};
use crate::exit::{Exit, Usage};
use crate::session::Session;
use clap::Args;
use hadal_eval::ORACLE;
use hadal_eval::find::TrialFolder;
use hadal_eval::harvest::settings::{SETTINGS, setting};
use hadal_eval::harvest::{self, HIGHEST_LEVEL, HarvestCase, HarvestTrialPlan, NamedCollection, figures};
use hadal_eval::progress::TrialsProgress;
use std::path::{Path, PathBuf};

/// Compare query policies on known collections; the same command resumes
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal eval harvest --quick
  hadal eval harvest --collections data/collections --html harvest.html
  hadal eval harvest --collection unspaced --policies adaptive,hadal --worlds 3")]
pub struct EvalHarvestArgs {
    /// Folder of .jsonl or .jsonl.gz files, one collection each [default: three generated ones]
    #[arg(long, value_name = "DIR")]
    collections: Option<PathBuf>,
    /// Collections, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    collection: Vec<String>,
    /// Policies, separated by commas [default: random-16k, generic-frequency, adaptive, hadal, oracle]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    policies: Vec<String>,
    /// Settings of the databases, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    settings: Vec<String>,
    /// Maximum number of records per collection, spread over the file; generated collections have exactly as
    /// many, up to 2,000,000 [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(20..=2_000_000))]
    records: Option<u32>,
    /// Request budget of each harvest [default: about ten times the number of result pages]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    requests: Option<u64>,
    /// Repetitions with other first words, record orders and failures, with seeds from --random-seed on
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    worlds: u32,
    /// Small collections and six settings; takes two minutes
    #[arg(long)]
    quick: bool,
    /// Folder of finished harvests, which are not repeated
    #[arg(long, value_name = "DIR", default_value = "hadal-eval-harvest")]
    output: PathBuf,
    /// Repeat harvests that the folder already holds
    #[arg(long)]
    fresh: bool,
    /// Also write tables and charts to an HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Concurrent harvests [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// Default number of records per collection.
const RECORDS: u32 = 20_000;

/// Controls, the policy of the paper, ours, and the oracle.
const COMPARED: [&str; 5] = ["random-16k", "generic-frequency", "adaptive", "hadal", ORACLE];

/// Records per collection with `--quick`. Guess.
const QUICK_RECORDS: u32 = 3_000;
const QUICK_SETTINGS: [&str; 6] = ["base", "cap-200", "rank-static", "passages", "labels", "paper"];

/// Runs missing harvests and prints all figures.
pub fn run(args: &EvalHarvestArgs, session: &Session) -> anyhow::Result<Exit> {
    let plan = plan(args, session.seed)?;
    let folder = TrialFolder::open(&args.output)?;
    if args.fresh {
        plan.cases().iter().map(HarvestCase::name).try_for_each(|name| folder.delete(&name))?;
    }
    let threads = args.threads.map_or_else(cores, usize::from);
    let progress = TrialsProgress::new(session.progress(), "harvests");
    let trials =
        harvest::run(&plan, &crate::extensions().policies, &folder, threads, &|now| progress.update(now))?;
    progress.finish();
    let sections = figures::sections(&trials);
    write_page(args.html.as_deref(), "How policies harvest databases", &sections)?;
    print(&trials, &sections, session)
}

fn plan(args: &EvalHarvestArgs, seed: u64) -> anyhow::Result<HarvestTrialPlan> {
    let policies = crate::extensions().policies.iter();
    let all_policies: Vec<&str> = policies.map(|entry| entry.name).chain([ORACLE]).collect();
    let all_settings: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
    let usual_settings = if args.quick { &QUICK_SETTINGS[..] } else { &all_settings };
    let settings = named("setting", &args.settings, usual_settings, &all_settings)?;
    Ok(HarvestTrialPlan {
        policies: named("policy", &args.policies, &COMPARED, &all_policies)?,
        settings: settings.iter().filter_map(|name| setting(name)).collect(),
        collections: collections(args.collections.as_deref(), &args.collection)?,
        records: args.records.unwrap_or(if args.quick { QUICK_RECORDS } else { RECORDS }),
        seeds: (0..u64::from(args.worlds)).map(|n| seed.wrapping_add(n)).collect(),
        requests: args.requests,
        until_percent: HIGHEST_LEVEL,
    })
}

/// Collections of a folder, or generated ones; all of them if `only` is empty.
pub fn collections(folder: Option<&Path>, only: &[String]) -> anyhow::Result<Vec<NamedCollection>> {
    let held = match folder {
        Some(folder) => NamedCollection::in_folder(folder).map_err(|error| Usage(format!("{error:#}")))?,
        None => NamedCollection::generated(),
    };
    let names: Vec<&str> = held.iter().map(|held| held.name.as_str()).collect();
    let wanted = named("collection", only, &names, &names)?;
    Ok(held.into_iter().filter(|held| wanted.contains(&held.name)).collect())
}
