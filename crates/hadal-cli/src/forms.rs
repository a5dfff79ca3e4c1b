//! `hadal forms`: lists the forms found, most relevant first.

use super::args::probability;
use super::exit::Exit;
use super::list::{ListArgs, list};
use super::session::{Session, known_topic};
use clap::Args;
use hadal::store::{FormQuery, all_forms};
use hadal_core::critic::MIN_ACCEPTED_P;

/// List or export the forms found
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  hadal forms --topic book --min-relevance 0.5 --format csv --output books.csv"
)]
pub struct FormsArgs {
    #[command(flatten)]
    list: ListArgs,
    /// Least probability that a form is a search of the topic
    #[arg(long, value_name = "P", value_parser = probability)]
    min_relevance: Option<f32>,
    /// Include forms that are not searchable
    #[arg(long)]
    all: bool,
}

pub fn run(args: &FormsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    known_topic(store.as_ref(), &args.list.topic)?;
    let query = FormQuery {
        topic: args.list.topic.clone(),
        min_relevance: args.min_relevance.unwrap_or(0.0),
        min_searchable: if args.all { 0.0 } else { MIN_ACCEPTED_P },
        ..FormQuery::default()
    };
    let nothing = "no matching forms; continue the crawl or loosen the filters (--all, --min-relevance)";
    let rows = all_forms(store.as_ref(), query).map(|entry| entry.map(|entry| entry.row));
    list(&args.list, session, nothing, rows)
}
