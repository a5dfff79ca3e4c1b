//! `hadal mcp`: the store as tools for language models, by the Model Context Protocol on standard input and output.
//!
//! One JSON-RPC message per line. [`protocol`] understands messages, [`tools`] answers calls.

mod protocol;
mod tools;

use super::exit::Exit;
use super::network::NetworkArgs;
use super::session::Session;
use anyhow::Context;
use clap::Args;
use hadal::config::Override;
use hadal::output::escape::for_json;
use std::io::{BufRead, Write};
use tools::Toolbox;

/// Offer sources and records to agents as Model Context Protocol tools over standard input and output
///
/// Tools: list_sources, search_sources, get_records, ask, find_forms_on_page. Without --allow-crawl the server is
/// read-only: it sends no request to any host and writes nothing. With it, `ask` sends queries to sources and
/// `find_forms_on_page` fetches pages, within robots.txt and delays; `hadal submissions` lists what was sent.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  hadal mcp --store file:./hadal-data\n  hadal mcp --allow-crawl --contact you@example.org"
)]
pub struct McpArgs {
    /// Let the tools send requests to sites
    #[arg(long)]
    allow_crawl: bool,
    #[command(flatten)]
    network: NetworkArgs,
}

impl McpArgs {
    pub fn overrides(&self) -> Vec<Override> {
        self.network.overrides()
    }
}

/// Answers messages until standard input ends.
pub fn run(args: &McpArgs, session: &Session) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Runtime::new().context("could not start threads")?;
    let mut tools = Toolbox::new(session, args.allow_crawl);
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line.context("could not read standard input")?;
        if line.trim().is_empty() {
            continue;
        }
        let reply =
            protocol::reply(&line, &mut |name, arguments| runtime.block_on(tools.call(name, arguments)));
        if let Some(reply) = reply {
            writeln!(out, "{}", for_json(reply.to_string()))?;
            out.flush()?;
        }
    }
    runtime.shutdown_background();
    Ok(Exit::Done)
}
