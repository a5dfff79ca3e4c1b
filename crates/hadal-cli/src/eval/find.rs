//! `hadal eval find`: compares strategies on simulated webs and prints the figures of the papers.

use super::{print, write_page};
use crate::args::choice_parser;
use crate::exit::{Exit, Usage};
use crate::session::Session;
use clap::Args;
use hadal::choice::nearest;
use hadal::config::units;
use hadal_eval::ORACLE;
use hadal_eval::find::{self, FindPlan, Preset, Protocol, TrialFolder, figures};
use hadal_eval::progress::TrialsProgress;
use hadal_world::World;
use std::path::PathBuf;

/// Compare strategies on simulated webs; the same command resumes
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal eval find --quick
  hadal eval find --html find.html
  hadal eval find --protocol smartcrawler --requests 30000
  hadal eval find --topics book,hotel --strategies best-first-sc,hadal --worlds 3")]
pub struct EvalFindArgs {
    /// Topics, separated by commas [default: the twelve built-in topics]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    topics: Vec<String>,
    /// Strategies, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    strategies: Vec<String>,
    /// Request budget of each crawl [default: 100000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    requests: Option<u64>,
    /// Number of webs, with seeds from --random-seed on
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    worlds: u32,
    /// Kind of the webs
    #[arg(long, value_name = "KIND", default_value = "standard", value_parser = choice_parser::<Preset>())]
    world: Preset,
    /// Setting of a paper: kind of the webs and strategies as the paper ran them
    #[arg(long, value_name = "NAME", conflicts_with = "world", value_parser = choice_parser::<Protocol>())]
    protocol: Option<Protocol>,
    /// Two topics, short crawls and a small web; takes two minutes
    #[arg(long)]
    quick: bool,
    /// Folder of finished crawls, which are not repeated
    #[arg(long, value_name = "DIR", default_value = "hadal-eval-find")]
    output: PathBuf,
    /// Repeat crawls that the folder already holds
    #[arg(long)]
    fresh: bool,
    /// Also write tables and charts to an HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Concurrent crawls [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Memory for pages that strategies share
    #[arg(long, value_name = "SIZE", default_value = "6GB", value_parser = size)]
    cache: u64,
}

/// Default request budget of each crawl.
const REQUESTS: u64 = 100_000;

/// Topics of `--quick`: one with many forms and one with few.
const QUICK_TOPICS: [&str; 2] = ["hotel", "book"];
/// Budget and size of the web of `--quick`. Guesses.
const QUICK_REQUESTS: u64 = 5_000;
const QUICK_SITES: u32 = 20_000;

fn size(text: &str) -> Result<u64, String> {
    units::size(text).ok_or_else(|| "expected a size such as 6GB".to_string())
}

/// Runs missing crawls and prints all figures.
pub fn run(args: &EvalFindArgs, session: &Session) -> anyhow::Result<Exit> {
    let plan = plan(args, session.seed)?;
    let folder = TrialFolder::open(&args.output)?;
    if args.fresh {
        plan.specs().iter().try_for_each(|spec| folder.delete(&spec.name()))?;
    }
    let threads = args.threads.map_or_else(cores, usize::from);
    let progress = TrialsProgress::new(session.progress(), "crawls");
    let strategies = crate::extensions().strategies.clone();
    let strategies = match args.protocol {
        Some(protocol) => protocol.adapt(strategies),
        None => strategies,
    };
    let trials = find::run(&plan, &strategies, &folder, threads, args.cache, &|now| progress.update(now))?;
    progress.finish();
    let sections = figures::sections(&trials);
    write_page(args.html.as_deref(), "How strategies find search forms", &sections)?;
    print(&trials, &sections, session)
}

/// Default number of concurrent trials.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn plan(args: &EvalFindArgs, seed: u64) -> Result<FindPlan, Usage> {
    let all_topics = if args.quick { &QUICK_TOPICS[..] } else { World::topics() };
    let usual = if args.quick { QUICK_REQUESTS } else { REQUESTS };
    let strategies: Vec<&str> =
        crate::extensions().strategies.iter().map(|entry| entry.name).chain([ORACLE]).collect();
    let compared: &[&str] = match args.protocol {
        Some(protocol) => protocol.strategies(),
        None => &strategies,
    };
    let world = args.protocol.map_or(args.world, Protocol::world);
    Ok(FindPlan {
        world,
        sites: (args.quick && world != Preset::Tiny).then_some(QUICK_SITES),
        seeds: (0..u64::from(args.worlds)).map(|n| seed.wrapping_add(n)).collect(),
        topics: named("topic", &args.topics, all_topics, World::topics())?,
        strategies: named("strategy", &args.strategies, compared, &strategies)?,
        requests: args.requests.unwrap_or(usual),
    })
}

/// Distinct given names, or else the default ones. Unknown names are usage errors.
pub fn named(what: &str, given: &[String], usual: &[&str], known: &[&str]) -> Result<Vec<String>, Usage> {
    let mut names: Vec<String> = Vec::new();
    for name in given {
        if !known.contains(&name.as_str()) {
            let meant =
                nearest(name, known.iter().copied()).map(|meant| format!("; did you mean '{meant}'?"));
            let hint = meant.unwrap_or_default();
            return Err(Usage(format!("unknown {what} '{name}'{hint} (available: {})", known.join(", "))));
        }
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    Ok(if names.is_empty() { usual.iter().map(|name| name.to_string()).collect() } else { names })
}
