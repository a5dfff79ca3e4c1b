//! `hadal topics list`: lists all topics with their origin.

use crate::exit::Exit;
use crate::session::Session;
use clap::Args;
use hadal::output::escape::for_json;
use hadal::output::table::Table;
use hadal_core::topic::Topic;
use serde_json::{Value, json};
use std::io::Write;

/// List the built-in topics and your own, with their origin
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal topics list\n  hadal topics list --json")]
pub struct TopicsListArgs {}

struct Row {
    topic: String,
    built_in: bool,
    made_from: String,
    seeds: usize,
}

pub fn run(_: &TopicsListArgs, session: &Session) -> anyhow::Result<Exit> {
    let mut out = std::io::stdout();
    if session.json {
        for row in rows(session) {
            writeln!(out, "{}", for_json(event(&row).to_string()))?;
        }
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&["topic", "seeds", "made from"], session.stdout());
    table.right(1);
    for row in rows(session) {
        table.row([row.topic.as_str(), &row.seeds.to_string(), &row.made_from]);
    }
    write!(out, "{table}")?;
    Ok(Exit::Done)
}

fn event(row: &Row) -> Value {
    json!({ "topic": row.topic, "built_in": row.built_in, "made_from": row.made_from, "seeds": row.seeds })
}

fn rows(session: &Session) -> Vec<Row> {
    let folder = &session.config.topics;
    let own = folder.names();
    let built_in = Topic::names().map(|name| Row {
        topic: name.to_string(),
        built_in: true,
        made_from: match own.iter().any(|own| own == name) {
            true => "built in; replaced by your own topic of this name".to_string(),
            false => "built in".to_string(),
        },
        seeds: 0,
    });
    let of_file = |name: &String| {
        let (made_from, seeds) = match folder.load(name) {
            Ok((file, _)) => (file.made_from(), file.seeds.len()),
            Err(error) => (format!("unusable: {error}"), 0),
        };
        Row { topic: name.clone(), built_in: false, made_from, seeds }
    };
    built_in.chain(own.iter().map(of_file)).collect()
}
