//! The command line of hadal: one file per command.
//!
//! [`run_program`] parses the arguments, reads the configuration into a [`Session`] and calls the command. Names,
//! formats and exit status are a contract with scripts.
//!
//! A program of your own can add strategies and policies to every command:
//!
//! ```no_run
//! use hadal_cli::{Extensions, run_program};
//!
//! fn main() -> std::process::ExitCode {
//!     let mut extensions = Extensions::built_in();
//!     // extensions.strategies.register(my_entry()) makes `find --strategy mine` and `eval find --strategies mine` work.
//!     run_program(extensions)
//! }
//! ```

mod args;
mod ask;
mod backlinks;
mod completions;
mod config;
mod crawl;
mod dashboard;
mod demo;
mod demo_harvest;
mod doctor;
mod echo;
mod eval;
mod exit;
mod find;
mod forms;
mod harvest;
mod harvest_run;
mod harvested;
mod harvests;
mod help;
mod judge;
mod lessons;
mod list;
mod log;
mod logging;
mod man;
mod mcp;
mod network;
mod prior;
mod quality;
mod queries;
mod records;
mod refresh;
mod runs;
mod seeds;
mod serve;
mod session;
mod sites;
mod status;
mod store;
mod submissions;
mod topics;
mod wacz;
mod world;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use exit::{Exit, Usage};
use hadal::config::KnownNames;
use hadal_core::harvest::policy::PolicyRegistry;
use hadal_core::strategy::StrategyRegistry;
use session::{Common, Session};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

/// Finds the databases behind web search forms and downloads what is in them.
#[derive(Debug, Parser)]
#[command(name = "hadal", version, after_help = "Example:\n  hadal demo", max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::DemoArgs),
    Find(Box<find::FindArgs>),
    Harvest(Box<harvest::HarvestArgs>),
    Refresh(Box<refresh::RefreshArgs>),
    Ask(Box<ask::AskArgs>),
    Serve(Box<serve::ServeArgs>),
    Forms(forms::FormsArgs),
    Sites(sites::SitesArgs),
    Runs(runs::RunsArgs),
    Harvests(harvests::HarvestsArgs),
    Records(records::RecordsArgs),
    Queries(queries::QueriesArgs),
    Submissions(submissions::SubmissionsArgs),
    Log(log::LogArgs),
    Lessons(lessons::LessonsArgs),
    Quality(Box<quality::QualityArgs>),
    Topics(Box<topics::TopicsArgs>),
    Judge(Box<judge::JudgeArgs>),
    Status(status::StatusArgs),
    Store(store::StoreArgs),
    Wacz(wacz::WaczArgs),
    World(world::WorldArgs),
    Eval(eval::EvalArgs),
    Mcp(Box<mcp::McpArgs>),
    Config(config::ConfigArgs),
    Doctor(doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// Strategies and policies that users can choose by name.
#[derive(Clone)]
pub struct Extensions {
    /// Crawling strategies of `find`, `demo`, `quality` and `eval find`.
    pub strategies: StrategyRegistry,
    /// Query policies of `harvest`, `demo` and `eval harvest`.
    pub policies: PolicyRegistry,
}

impl Extensions {
    /// The strategies and policies of `hadal-core`.
    pub fn built_in() -> Extensions {
        Extensions { strategies: StrategyRegistry::built_in(), policies: PolicyRegistry::built_in() }
    }

    fn names(&self) -> KnownNames {
        let strategies = self.strategies.iter().map(|entry| entry.name).collect();
        let policies = self.policies.iter().map(|entry| entry.name).collect();
        KnownNames { strategies, policies }
    }
}

static EXTENSIONS: OnceLock<Extensions> = OnceLock::new();

/// Strategies and policies of this process. Help texts need them before a [`Session`] exists.
fn extensions() -> &'static Extensions {
    EXTENSIONS.get_or_init(Extensions::built_in)
}

/// Runs the command line of this process. `extensions` of a second call are ignored.
pub fn run_program(extensions: Extensions) -> ExitCode {
    EXTENSIONS.set(extensions).ok();
    set_process_limits();
    let cli = match parsed(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    match run(cli) {
        Ok(exit) => exit.into(),
        Err(error) => exit::report(&error),
    }
}

/// Parses a command line. The first argument is the name of the program.
fn parsed(args: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<Cli, clap::Error> {
    let mut description = description();
    let matches = description.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut description))
}

/// Maximum number of open files of a crawl with the default concurrency: requests, slow requests, idle
/// connections, the store.
const MAX_OPEN_FILES: u64 = 4096;

/// Allows more open files, and no huge memory pages. Failures are harmless: the usual limits hold.
///
/// The kernel clears a huge page as a whole when its first byte is used. In a crawl of real pages that took a third of
/// the CPU time.
fn set_process_limits() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(MAX_OPEN_FILES, |maximum| maximum.min(MAX_OPEN_FILES));
    if limit.current.is_some_and(|current| current < wanted) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit }).ok();
    }
    #[cfg(target_os = "linux")]
    rustix::thread::disable_transparent_huge_pages(true).ok();
}

fn run(cli: Cli) -> anyhow::Result<Exit> {
    let Some(command) = cli.command else { return help::print_guide() };
    check_topics_dir(&cli.common, &command)?;
    logging::start(&cli.common)?;
    match command {
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
        Command::Wacz(args) => wacz::run(&args),
        Command::Config(args) => config::run(&args, &cli.common),
        Command::Doctor(args) => doctor::run(&args, &cli.common),
        Command::Demo(args) => demo::run(&args, &Session::open(&cli.common, &[])?),
        Command::Find(args) => find::run(&args, &Session::open(&cli.common, &args.overrides())?),
        Command::Harvest(args) => harvest::run(&args, &Session::open(&cli.common, &args.overrides())?),
        Command::Refresh(args) => refresh::run(&args, &Session::open(&cli.common, &args.overrides())?),
        Command::Ask(args) => ask::run(&args, &Session::open(&cli.common, &args.overrides())?),
        Command::Serve(args) => {
            serve::run(&args, &Session::open(&cli.common, &args.overrides())?, &cli.common)
        }
        Command::Forms(args) => match args.import() {
            Some(crawl) => find::run(&crawl, &Session::open(&cli.common, &crawl.overrides())?),
            None => forms::run(&args, &Session::open(&cli.common, &[])?),
        },
        Command::Sites(args) => sites::run(&args, &Session::open(&cli.common, &[])?),
        Command::Runs(args) => runs::run(&args, &Session::open(&cli.common, &[])?),
        Command::Harvests(args) => harvests::run(&args, &Session::open(&cli.common, &[])?),
        Command::Records(args) => records::run(&args, &Session::open(&cli.common, &[])?),
        Command::Queries(args) => queries::run(&args, &Session::open(&cli.common, &[])?),
        Command::Submissions(args) => submissions::run(&args, &Session::open(&cli.common, &[])?),
        Command::Log(args) => log::run(&args, &Session::open(&cli.common, &[])?),
        Command::Lessons(args) => lessons::run(&args, &Session::open(&cli.common, &[])?),
        Command::Quality(args) => quality::run(&args, &Session::open(&cli.common, &args.overrides())?),
        Command::Topics(args) => topics::run(&args, &Session::open(&cli.common, &args.overrides())?),
        Command::Judge(args) => judge::run(&args, &Session::open(&cli.common, &args.overrides())?),
        Command::Mcp(args) => mcp::run(&args, &Session::open(&cli.common, &args.overrides())?),
        Command::Status(args) => status::run(&args, &Session::open(&cli.common, &[])?),
        Command::Store(args) => store::run(&args, &Session::open(&cli.common, &[])?),
        Command::World(args) => world::run(&args, &Session::open(&cli.common, &[])?),
        Command::Eval(args) => eval::run(&args, &Session::open(&cli.common, &[])?),
    }
}

/// Refuses a folder of topics that does not exist, such as a topic's name after the old spelling `--topics`. `topics`
/// creates the folder, and `eval` has an option `--topics` of its own.
fn check_topics_dir(common: &Common, command: &Command) -> Result<(), Usage> {
    let Some(folder) = common.topics.as_ref().filter(|folder| !Path::new(folder).exists()) else {
        return Ok(());
    };
    match command {
        Command::Topics(_) | Command::Eval(_) => Ok(()),
        _ => Err(Usage(format!("--topics-dir: there is no folder '{folder}'; --topic NAME selects a topic"))),
    }
}

/// Prints a parse error. Help and version exit with 0, errors with 2.
fn refuse(error: &clap::Error) -> ExitCode {
    // A closed standard error is ignored.
    error.print().ok();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Description of the command line, with subjects and defaults.
fn description() -> clap::Command {
    help::complete(Cli::command())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every(command: &clap::Command) -> Vec<clap::Command> {
        let below = command.get_subcommands().flat_map(every);
        std::iter::once(command.clone()).chain(below).collect()
    }

    #[test]
    fn the_description_is_consistent() {
        description().debug_assert();
    }

    #[test]
    fn every_help_ends_with_an_example() {
        for mut command in every(&description()) {
            let help = command.render_long_help().to_string();
            let example = help.rsplit("\n\n").next().unwrap();
            assert!(example.starts_with("Example:\n  hadal"), "{}: {help}", command.get_name());
        }
    }

    /// Splits a command line as a shell does, with double quotes.
    fn words(line: &str) -> Vec<&str> {
        let part =
            |(index, part)| if index % 2 == 1 { vec![part] } else { str::split_whitespace(part).collect() };
        line.split('"').enumerate().flat_map(part).collect()
    }

    #[test]
    fn every_command_of_the_readme_parses() {
        let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
        let text = std::fs::read_to_string(readme).unwrap().replace('\'', "\"");
        let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
        assert!(commands.len() > 8, "{commands:?}");
        for command in commands {
            // An explanation follows after some spaces.
            let own = command.split("   ").next().unwrap();
            let parsed = parsed(words(own));
            assert!(parsed.is_ok(), "{command}: {}", parsed.unwrap_err());
        }
    }

    #[test]
    fn every_example_parses() {
        for mut command in every(&description()) {
            let help = command.render_long_help().to_string();
            let example = help.rsplit("Example:\n").next().unwrap().trim();
            for line in example.lines() {
                let own = line.split(['|', '>']).next().unwrap_or_default();
                let parsed = parsed(words(own));
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }
}
