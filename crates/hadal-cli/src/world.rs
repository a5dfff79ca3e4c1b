//! `hadal world`: serves the simulated web over HTTP, with databases on their own hosts, and prints its ground truth.

use super::exit::{Exit, Usage};
use super::list::{ListArgs, list};
use super::session::Session;
use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use hadal::choice::nearest;
use hadal::fetch::world_server::{RunningServer, ServerOptions, serve};
use hadal_world::database::{DatabaseHosts, DatabaseList};
use hadal_world::{Spec, TrueForm, World};
use serde_json::json;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

/// Serve the simulated web over HTTP, or print its ground truth
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  hadal world serve --topic book\n  hadal world truth --topic book --format csv"
)]
pub struct WorldArgs {
    #[command(subcommand)]
    command: WorldCommand,
}

#[derive(Debug, Subcommand)]
enum WorldCommand {
    Serve(WorldServeArgs),
    Truth(TruthArgs),
}

/// Serve the simulated web over HTTP, all hosts on one address
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  hadal world serve --scale demo --listen 127.0.0.1:8080 --topic book\n  hadal world serve --scale tiny --databases 12"
)]
struct WorldServeArgs {
    #[command(flatten)]
    size: ScaleArg,
    /// Listen address; port 0 picks a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Topic for which seeds are printed
    #[arg(long, default_value = "book")]
    topic: String,
    /// Share of the simulated response time that passes on the real clock, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    pace: f64,
    /// Response time on the real clock, the same for every request, as 50ms
    #[arg(long, value_name = "TIME", conflicts_with = "pace")]
    latency: Option<humantime::Duration>,
    /// Add databases on their own hosts: a number of random ones, or a TOML file that lists them
    ///
    /// Each [[database]] of the file has a name, a source ({ file = "x.jsonl.gz" }, { generated = { records =
    /// 1000 } } or { cars = 1000 }) and a conduct ({ preset = "used-cars" }, { varied = 7 } or { habits = { cap
    /// = 100 } }).
    #[arg(long, value_name = "FILE|N")]
    databases: Option<String>,
}

/// Print every form of the simulated web
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal world truth --topic book --format jsonl --output truth.jsonl")]
struct TruthArgs {
    #[command(flatten)]
    size: ScaleArg,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Clone, Copy, Debug, Args)]
struct ScaleArg {
    /// Size of the simulated web
    #[arg(long, default_value = "demo")]
    scale: Scale,
}

/// Sizes of simulated webs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scale {
    /// A few sites, for tests
    Tiny,
    /// 2,000 sites and a million pages
    Demo,
    /// 800,000 sites and over eighty million pages
    Evaluation,
}

impl ScaleArg {
    fn world(self, seed: u64) -> World {
        self.scale.world(seed)
    }
}

impl Scale {
    /// Simulated web of this size. The same seed gives the same web.
    pub fn world(self, seed: u64) -> World {
        World::new(match self {
            Scale::Tiny => Spec::tiny(seed),
            Scale::Demo => Spec::demo(seed),
            Scale::Evaluation => Spec::evaluation(seed),
        })
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".to_string())
}

pub fn run(args: &WorldArgs, session: &Session) -> anyhow::Result<Exit> {
    match &args.command {
        WorldCommand::Serve(args) => run_serve(args, session),
        WorldCommand::Truth(args) => run_truth(args, session),
    }
}

fn run_truth(args: &TruthArgs, session: &Session) -> anyhow::Result<Exit> {
    let topic = args.list.topic.as_deref();
    topic.map(world_topic).transpose()?;
    let world = args.size.world(session.seed);
    let wanted = |form: &TrueForm| topic.is_none_or(|topic| form.topic == Some(topic));
    list(&args.list, session, "no such forms", world.truth().filter(wanted).map(Ok))
}

fn run_serve(args: &WorldServeArgs, session: &Session) -> anyhow::Result<Exit> {
    let topic = world_topic(&args.topic)?;
    let databases = args.databases.as_deref().map(|given| library(given, session.seed)).transpose()?;
    let world = Arc::new(args.size.world(session.seed).with_databases(databases.unwrap_or_default()));
    let latency = args.latency.map(Into::into);
    let options = ServerOptions { latency_share: args.pace, latency, ..ServerOptions::default() };
    let runtime = tokio::runtime::Runtime::new().context("could not start threads")?;
    runtime.block_on(async {
        let running = serve(world.clone(), args.listen, options).await.with_context(|| {
            format!("could not listen on {}; give another address with --listen", args.listen)
        })?;
        std::io::stdout().write_all(greeting(&world, topic, &running, session.json).as_bytes())?;
        std::io::stdout().flush()?;
        tokio::signal::ctrl_c().await.context("could not wait for Ctrl-C")?;
        Ok(Exit::Interrupted)
    })
}

/// Message with the address, start URLs and a command that crawls the web.
fn greeting(world: &World, topic: &str, running: &RunningServer, json: bool) -> String {
    let (addr, seeds) = (running.addr, world.seeds(topic));
    let (sites, pages) = (world.site_count(), world.page_count());
    if json {
        let homes: Vec<String> = world.databases().iter().map(|(_, home, _)| home.to_string()).collect();
        let event = json!({ "event": "serving", "addr": addr, "topic": topic, "sites": sites, "pages": pages, "seeds": seeds, "databases": homes });
        return format!("{event}\n");
    }
    let list: String = seeds.iter().map(|seed| format!("  {seed}\n")).collect();
    let first: Vec<&str> = seeds.iter().take(3).map(|seed| seed.as_str()).collect();
    format!(
        "{sites} sites with {pages} pages at http://{addr}/; Ctrl-C ends it\n\n\
         seeds for {topic}:\n{list}\n{}\
         Next:\n  hadal find {topic} --connect-to '*={addr}' --delay 0s --seeds {}\n",
        database_list(world.databases()),
        first.join(" ")
    )
}

/// List of the databases with their hosts.
fn database_list(library: &DatabaseHosts) -> String {
    if library.is_empty() {
        return String::new();
    }
    let line = |(_, home, database): (&str, url::Url, &hadal_world::database::Database)| {
        format!("  {home}  {} records\n", database.collection().len())
    };
    format!("databases:\n{}\n", library.iter().map(line).collect::<String>())
}

/// Checks that the simulated web has the topic.
fn world_topic(name: &str) -> Result<&'static str, Usage> {
    let topics = World::topics();
    topics.iter().find(|topic| **topic == name).copied().ok_or_else(|| {
        let meant = nearest(name, topics.iter().copied()).map(|topic| format!("; did you mean '{topic}'?"));
        Usage(format!(
            "unknown topic '{name}'{1} (the simulated web has {0})",
            topics.join(", "),
            meant.unwrap_or_default()
        ))
    })
}

/// Maximum number of random databases. Each is built in memory before the server starts. Guess.
const MAX_DATABASES: u32 = 1_000;

/// Random databases from the seed, or those of a file.
fn library(given: &str, seed: u64) -> anyhow::Result<DatabaseHosts> {
    let path = Path::new(given);
    let catalogue = match given.parse::<u32>() {
        Ok(count) if count > MAX_DATABASES => {
            return Err(
                Usage(format!("--databases {count} is too many; the limit is {MAX_DATABASES}")).into()
            );
        }
        Ok(count) => DatabaseList::varied(count, seed),
        Err(_) => read(path)?,
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    catalogue.build(folder).map_err(|error| Usage(format!("--databases {given}: {error}")).into())
}

fn read(path: &Path) -> anyhow::Result<DatabaseList> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("could not read {}; give a TOML file or a number", path.display()))?;
    toml::from_str(&text).map_err(|error| Usage(format!("{}: {error}", path.display())).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("databases.toml");
        std::fs::write(&path, text).unwrap();
        library(path.to_str().unwrap(), 1).err().unwrap().to_string()
    }

    #[test]
    fn a_file_lists_databases_and_their_habits() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("two.jsonl"), "{\"title\":\"one\"}\n{\"title\":\"two\"}\n").unwrap();
        let path = place.path().join("databases.toml");
        let text = r#"
            [[database]]
            name = "db-two"
            source = { file = "two.jsonl" }
            conduct = { habits = { cap = 1, matching = "or", layout = { pager = "cursor" } } }

            [[database]]
            name = "cars"
            source = { cars = 50 }
            conduct = { preset = "used-cars" }

            [[database]]
            name = "texts"
            source = { generated = { records = 30, script = "unspaced" } }
        "#;
        std::fs::write(&path, text).unwrap();
        let library = library(path.to_str().unwrap(), 1).unwrap();
        let sizes: Vec<(&str, u32)> =
            library.iter().map(|(name, _, database)| (name, database.collection().len())).collect();
        assert_eq!(sizes, [("cars", 50), ("db-two", 2), ("texts", 30)]);
        assert_eq!(library.get("db-two").unwrap().config().result_cap, Some(1));
    }

    #[test]
    fn invalid_database_specifications_are_refused_by_name() {
        let entry = |name: &str, rest: &str| {
            format!("[[database]]\nname = \"{name}\"\nsource = {{ cars = 2 }}\n{rest}")
        };
        assert!(refused(&entry("No Name", "")).contains("No Name"));
        assert!(refused(&(entry("a", "") + "\n" + &entry("a", ""))).contains("two databases"));
        assert!(refused(&entry("a", "conduct = { preset = \"none\" }")).contains("used-cars"));
        assert!(refused(&entry("a", "conduct = { habits = { cup = 1 } }")).contains("cup"));
        assert!(
            refused("[[database]]\nname = \"a\"\nsource = { file = \"gone.jsonl\" }").contains("gone.jsonl")
        );
        assert!(library("100000", 1).is_err());
    }
}
