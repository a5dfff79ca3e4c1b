//! `hadal eval harvest`: query policies compared on known collections, with the paper's figures.

use super::find::{cores, named};
use crate::exit::{Exit, Usage};
use crate::session::Session;
use anyhow::Context;
use clap::Args;
use hadal::output::sections;
use hadal_core::harvest::policy::POLICIES;
use hadal_eval::find::{TrialFolder, figures::json};
use hadal_eval::harvest::oracle::ORACLE;
use hadal_eval::harvest::settings::{SETTINGS, setting};
use hadal_eval::harvest::{self, HarvestCase, HarvestTrialPlan, NamedCollection, figures};
use hadal_eval::progress::TrialsProgress;
use std::io::Write;
use std::path::PathBuf;

/// Compare query policies on known collections; the same command goes on where it stopped
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal eval harvest --quick
  hadal eval harvest --collections data/collections --html harvest.html
  hadal eval harvest --collection unspaced --policies adaptive,hadal --worlds 3")]
pub struct HarvestArgs {
    /// TrialFolder of .jsonl or .jsonl.gz files, each a collection [default: three generated ones]
    #[arg(long, value_name = "DIR")]
    collections: Option<PathBuf>,
    /// Which collections, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    collection: Vec<String>,
    /// Which policies, separated by commas [default: random-16k, generic-frequency, adaptive, hadal, oracle]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    policies: Vec<String>,
    /// Which settings of the databases, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    settings: Vec<String>,
    /// The most records of a collection, taken from all over it; generated ones have as many, up to
    /// 2,000,000 [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(20..=2_000_000))]
    records: Option<u32>,
    /// Requests of each harvest [default: ten times what turning every page once would take, about]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    requests: Option<u64>,
    /// How many times each, with other first words, orders and failures, from --seed on
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    worlds: u32,
    /// Small collections and four settings: two minutes
    #[arg(long)]
    quick: bool,
    /// TrialFolder of finished harvests; what is there is not run again
    #[arg(long, value_name = "DIR", default_value = "hadal-eval-harvest")]
    output: PathBuf,
    /// Run everything again, whatever the folder holds
    #[arg(long)]
    fresh: bool,
    /// Also write tables and charts to a file that browsers show
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Harvests at once [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// Records of each collection.
const RECORDS: u32 = 20_000;

/// The controls, the paper's own policy, ours, and what nobody can beat.
const COMPARED: [&str; 5] = ["random-16k", "generic-frequency", "adaptive", "hadal", ORACLE];

/// What `--quick` runs unless told otherwise.
const QUICK_RECORDS: u32 = 3_000;
const QUICK_SETTINGS: [&str; 4] = ["base", "cap-200", "rank-static", "paper"];

/// Makes the harvests that are missing and shows what all of them on_progress.
pub fn run(args: &HarvestArgs, session: &Session) -> anyhow::Result<Exit> {
    let plan = plan(args, session.seed)?;
    let folder = TrialFolder::open(&args.output)?;
    if args.fresh {
        plan.cases().iter().map(HarvestCase::name).try_for_each(|name| folder.delete(&name))?;
    }
    let threads = args.threads.map_or_else(cores, usize::from);
    let progress = TrialsProgress::new(session.progress(), "harvests");
    let trials = harvest::run(&plan, &folder, threads, &|now| progress.update(now))?;
    progress.finish();
    let sections = figures::sections(&trials);
    if let Some(path) = &args.html {
        let page = sections::html("How policies harvest databases", &sections);
        std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let text = match session.json {
        true => json(&trials, &sections)? + "\n",
        false => sections::text(&sections, session.stdout()),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

fn plan(args: &HarvestArgs, seed: u64) -> anyhow::Result<HarvestTrialPlan> {
    let all_policies: Vec<&str> = POLICIES.iter().map(|entry| entry.name).chain([ORACLE]).collect();
    let all_settings: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
    let usual_settings = if args.quick { &QUICK_SETTINGS[..] } else { &all_settings };
    let settings = named("setting", &args.settings, usual_settings, &all_settings)?;
    Ok(HarvestTrialPlan {
        policies: named("policy", &args.policies, &COMPARED, &all_policies)?,
        settings: settings.iter().filter_map(|name| setting(name)).collect(),
        collections: collections(args)?,
        records: args.records.unwrap_or(if args.quick { QUICK_RECORDS } else { RECORDS }),
        seeds: (0..u64::from(args.worlds)).map(|n| seed.wrapping_add(n)).collect(),
        requests: args.requests,
    })
}

fn collections(args: &HarvestArgs) -> anyhow::Result<Vec<NamedCollection>> {
    let held = match &args.collections {
        Some(folder) => NamedCollection::in_folder(folder).map_err(|error| Usage(format!("{error:#}")))?,
        None => NamedCollection::generated(),
    };
    let names: Vec<&str> = held.iter().map(|held| held.name.as_str()).collect();
    let wanted = named("collection", &args.collection, &names, &names)?;
    Ok(held.into_iter().filter(|held| wanted.contains(&held.name)).collect())
}
