//! `hadal log`: lists failed requests with their reasons.

use super::exit::Exit;
use super::list::{ListArgs, list};
use super::session::Session;
use clap::Args;
use hadal::store::{FailureQuery, FailureRow, RunId, RunQuery, StoreError, all_failures};
use hadal_core::address::Host;
use std::collections::HashSet;
use url::Url;

/// List or export failed requests with their reasons
///
/// One row per URL, with the reason of its last failure. `given up` is `no` for a request that was or will be tried
/// again. The option -v of every command prints one line per request, also of those that succeed.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal log --host catalogue.example\n  hadal log --run 2 --format csv")]
pub struct LogArgs {
    #[command(flatten)]
    list: ListArgs,
    /// Only requests to this host, as example.org, example.org:8080 or https://example.org
    #[arg(long, value_name = "HOST", value_parser = hosts)]
    host: Option<Hosts>,
    /// Only this run
    #[arg(long, value_name = "N")]
    run: Option<u64>,
}

/// Hosts that a name selects: without a scheme, http and https.
type Hosts = std::sync::Arc<[Host]>;

pub fn run(args: &LogArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    super::session::known_topic(store.as_ref(), &args.list.topic)?;
    let hosts = args.host.as_deref().map(<[Host]>::to_vec).unwrap_or_default();
    let query = FailureQuery { run: args.run.map(RunId), hosts, ..FailureQuery::default() };
    let runs = store.runs(&RunQuery { topic: args.list.topic.clone(), ..RunQuery::default() })?;
    let of_topic: HashSet<RunId> = runs.into_iter().map(|run| run.id).collect();
    let is_wanted =
        |row: &Result<FailureRow, StoreError>| row.as_ref().map_or(true, |row| of_topic.contains(&row.run));
    let rows = all_failures(store.as_ref(), query).filter(is_wanted);
    let is_filtered = args.host.is_some() || args.run.is_some() || args.list.topic.is_some();
    let none = if is_filtered { "no failed requests match these options" } else { "no failed requests" };
    list(&args.list, session, none, rows)
}

fn hosts(text: &str) -> Result<Hosts, String> {
    let named = if text.contains("://") {
        vec![text.to_string()]
    } else {
        vec![format!("http://{text}"), format!("https://{text}")]
    };
    let parsed = named.iter().map(|url| Url::parse(url).map(|url| Host::of(&url)));
    parsed.collect::<Result<Vec<_>, _>>().map(Hosts::from).map_err(|_| "expected a host name".to_string())
}
