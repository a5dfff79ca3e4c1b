//! `hadal topics list`: lists all topics with their origin.

use crate::exit::Exit;
use crate::session::Session;
use clap::Args;
use hadal::output::escape::for_json;
use hadal::output::table::Table;
use std::io::Write;

/// List the built-in topics and your own, with their origin
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal topics list\n  hadal topics list --json")]
pub struct TopicsListArgs {}

pub fn run(_: &TopicsListArgs, session: &Session) -> anyhow::Result<Exit> {
    let mut out = std::io::stdout();
    if session.json {
        for row in session.config.topics.entries() {
            writeln!(out, "{}", for_json(serde_json::to_string(&row)?))?;
        }
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&["topic", "seeds", "made from"], session.stdout());
    table.right(1);
    for row in session.config.topics.entries() {
        table.row([row.topic.as_str(), &row.seeds.to_string(), &row.made_from]);
    }
    write!(out, "{table}")?;
    Ok(Exit::Done)
}
