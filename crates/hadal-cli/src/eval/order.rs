//! `hadal eval order`: measures the weights of the strategy `hadal` on unchanging webs, and searches for
//! better ones.

use super::find::{cores, named};
use crate::exit::{Exit, Usage};
use crate::session::Session;
use anyhow::Context;
use clap::Args;
use hadal::fetch::Fetch;
use hadal::fetch::in_process::InProcess;
use hadal::fetch::network::{Network, NetworkOptions};
use hadal_core::critic::trained::{CriticTarget, TrainedCritic};
use hadal_core::strategy::hadal::prior::{LINK_WEIGHTS, PriorWeights, SITE_WEIGHTS};
use hadal_eval::find::{Preset, TrialSpec};
use hadal_eval::order::search::{BUDGETS, merit};
use hadal_eval::order::{FoundCurve, KnownWeb, WeightSearch};
use hadal_world::World;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;

/// Measure the order of the strategy hadal on unchanging webs, and search for better weights
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal eval order --simulated 1 --topics hotel,book
  hadal eval order --web pages=127.0.0.1:8080 --cache order-cache --generations 40")]
pub struct EvalOrderArgs {
    /// Folder with a file seeds-TOPIC.txt per topic, and the address of a server of all hosts (repeatable). A file
    /// forms-TOPIC.txt holds lines of page URL, tab and name of a relevant form; without it the critic's verdicts count
    #[arg(long, value_name = "DIR=HOST:PORT", value_parser = served_web)]
    web: Vec<(PathBuf, String)>,
    /// Number of simulated webs, with seeds from --random-seed on
    #[arg(long, value_name = "N", default_value_t = 0)]
    simulated: u32,
    /// Topics, separated by commas [default: the twelve built-in topics]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    topics: Vec<String>,
    /// Topics to leave out of the search; they are measured only
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    hold_out: Vec<String>,
    /// Webs to leave out of the search, counted from the last; they are measured only
    #[arg(long, value_name = "N", default_value_t = 0)]
    hold_out_webs: usize,
    /// Request budget of each crawl
    #[arg(long, value_name = "N", default_value_t = 2000)]
    requests: u32,
    /// Requests in flight
    #[arg(long, value_name = "N", default_value_t = 4)]
    window: usize,
    /// Generations of the search; 0 measures only
    #[arg(long, value_name = "N", default_value_t = 0)]
    generations: usize,
    /// Weights to start from, as printed by an earlier search [default: the shipped ones]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Folder for judged pages, so that the next call need not fetch them
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Concurrent crawls [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// Sites of a simulated web, as in `eval find --quick`.
const SITES: u32 = 20_000;

fn served_web(text: &str) -> Result<(PathBuf, String), String> {
    let (folder, address) = text.rsplit_once('=').ok_or("expected DIR=HOST:PORT")?;
    Ok((PathBuf::from(folder), address.to_string()))
}

/// Measures, searches if asked to, and prints the table and the weights.
pub fn run(args: &EvalOrderArgs, session: &Session) -> anyhow::Result<Exit> {
    let topics = named("topic", &args.topics, World::topics(), World::topics())?;
    let webs = webs(args, &topics, session.seed)?;
    let is_held_out = |web: &KnownWeb| {
        let of_web = |number: usize| web.name.starts_with(&format!("{number}-"));
        let count = args.web.len() + args.simulated as usize;
        args.hold_out.iter().any(|topic| web.name.ends_with(&format!("-{topic}")))
            || (count - args.hold_out_webs.min(count)..count).any(of_web)
    };
    let (held_out, fitted): (Vec<KnownWeb>, Vec<KnownWeb>) = webs.into_iter().partition(is_held_out);
    let groups = [("fitted", mutexes(fitted)), ("held out", mutexes(held_out))];
    let threads = args.threads.unwrap_or_else(cores);
    let search = WeightSearch { requests: args.requests, window: args.window, threads, seed: session.seed };
    let first = read_weights(args.weights.as_deref())?;
    report("before", &search, &groups, &first)?;
    save(args, &groups)?;
    if args.generations > 0 {
        let found = search.improve(&groups[0].1, &first, args.generations, &mut |now| {
            tracing::info!("generation {}: {:.1}", now.generation, now.merit);
        });
        report("after", &search, &groups, &found)?;
        save(args, &groups)?;
        std::io::stdout().write_all(weight_lines(&found).as_bytes())?;
    }
    Ok(Exit::Done)
}

fn mutexes(webs: Vec<KnownWeb>) -> Vec<Mutex<KnownWeb>> {
    webs.into_iter().map(Mutex::new).collect()
}

fn save(args: &EvalOrderArgs, groups: &[(&str, Vec<Mutex<KnownWeb>>)]) -> anyhow::Result<()> {
    let Some(folder) = &args.cache else { return Ok(()) };
    let webs = groups.iter().flat_map(|(_, webs)| webs);
    webs.map(|web| web.lock().unwrap_or_else(PoisonError::into_inner)).try_for_each(|web| web.save(folder))
}

/// All combinations of web and topic.
fn webs(args: &EvalOrderArgs, topics: &[String], seed: u64) -> anyhow::Result<Vec<KnownWeb>> {
    let mut webs = Vec::new();
    for (number, (folder, address)) in args.web.iter().enumerate() {
        for topic in topics {
            let seeds = seeds(&folder.join(format!("seeds-{topic}.txt")))?;
            let runtime = runtime()?;
            let fetch = {
                let _guard = runtime.enter();
                let connect_to =
                    vec![format!("*={address}").parse().map_err(|error| Usage(format!("{error}")))?];
                Network::new(NetworkOptions { connect_to, allow_private: true, ..NetworkOptions::default() })?
            };
            let mut web = known_web(args, number, topic, &seeds, Arc::new(fetch), runtime)?;
            if let Ok(lines) = std::fs::read_to_string(folder.join(format!("forms-{topic}.txt"))) {
                web.set_labels(&lines);
            }
            webs.push(web);
        }
    }
    for n in 0..args.simulated {
        let topic = topics.first().cloned().unwrap_or_default();
        let (strategy, seed) = ("hadal".to_string(), seed.wrapping_add(u64::from(n)));
        let spec = TrialSpec { world: Preset::Standard, sites: SITES, seed, topic, strategy, requests: 0 };
        let world = Arc::new(spec.make_world());
        for topic in topics {
            let (number, fetch) = (args.web.len() + n as usize, Arc::new(InProcess(Arc::clone(&world))));
            webs.push(known_web(args, number, topic, &world.seeds(topic), fetch, runtime()?)?);
        }
    }
    Ok(webs)
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn known_web(
    args: &EvalOrderArgs,
    number: usize,
    topic: &str,
    seeds: &[Url],
    fetch: Arc<dyn Fetch>,
    runtime: tokio::runtime::Runtime,
) -> anyhow::Result<KnownWeb> {
    let target = CriticTarget::built_in(topic).context("the topics are built in")?;
    let name = format!("{number}-{topic}");
    let mut web = KnownWeb::new(name, seeds, fetch, Arc::new(TrainedCritic::new(target)), runtime);
    if let Some(folder) = &args.cache {
        web.load(folder)?;
    }
    Ok(web)
}

fn seeds(path: &Path) -> anyhow::Result<Vec<Url>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    text.split_whitespace().map(|url| Ok(url.parse()?)).collect()
}

fn report(
    when: &str,
    search: &WeightSearch,
    groups: &[(&str, Vec<Mutex<KnownWeb>>)],
    weights: &PriorWeights,
) -> anyhow::Result<()> {
    let mut text = String::new();
    for (group, webs) in groups.iter().filter(|(_, webs)| !webs.is_empty()) {
        let curves = search.curves(webs, weights);
        for (web, curve) in webs.iter().zip(&curves) {
            let name = &web.lock().unwrap_or_else(PoisonError::into_inner).name;
            writeln!(text, "{when} {group} {name}: {}", figures(std::slice::from_ref(curve)))?;
        }
        writeln!(text, "{when} {group} sum: {}", figures(&curves))?;
    }
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

/// Relevant forms at each budget, and shares of requests without a page.
fn figures(curves: &[FoundCurve]) -> String {
    let found = BUDGETS.map(|budget| curves.iter().map(|curve| curve.at(budget)).sum::<usize>().to_string());
    let requests: u32 = curves.iter().map(|curve| curve.requests).sum();
    let share = |count: fn(&FoundCurve) -> u32| {
        100.0 * f64::from(curves.iter().map(count).sum::<u32>()) / f64::from(requests.max(1))
    };
    format!(
        "{} merit {:.1} robots {:.1} % missing {:.1} %",
        found.join("/"),
        curves.iter().map(merit).sum::<f64>(),
        share(|curve| curve.robots),
        share(|curve| curve.missing)
    )
}

fn weight_lines(weights: &PriorWeights) -> String {
    let mut text = String::new();
    let named = LINK_WEIGHTS.iter().zip(&weights.link).chain(SITE_WEIGHTS.iter().zip(&weights.site));
    for ((name, _), weight) in named {
        let _ = writeln!(text, "{weight:.2}\t{name}");
    }
    let rest = [
        ("open site", weights.open_site),
        ("step", weights.step),
        ("discount", weights.discount),
        ("first step", weights.first_step),
        ("events of half the steps", weights.step_events),
    ];
    for (name, value) in rest {
        let _ = writeln!(text, "{value:.2}\t{name}");
    }
    text
}

/// Reads the lines that [`weight_lines`] writes.
fn read_weights(path: Option<&Path>) -> anyhow::Result<PriorWeights> {
    let mut weights = PriorWeights::default();
    let Some(path) = path else { return Ok(weights) };
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut values = text.lines().filter_map(|line| line.split('\t').next()?.parse::<f32>().ok());
    let rest = [
        &mut weights.open_site,
        &mut weights.step,
        &mut weights.discount,
        &mut weights.first_step,
        &mut weights.step_events,
    ];
    let all = weights.link.iter_mut().chain(&mut weights.site).chain(rest);
    all.for_each(|weight| *weight = values.next().unwrap_or(*weight));
    Ok(weights)
}
