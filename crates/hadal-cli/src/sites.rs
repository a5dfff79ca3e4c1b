//! `hadal sites`: lists the sites visited, by number of relevant forms.

use super::args::probability;
use super::exit::Exit;
use super::list::{ListArgs, list};
use super::session::{Session, known_topic};
use clap::Args;
use hadal::store::{Filter, SiteRow, Walk};

/// List or export the sites visited
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal sites --min-relevance 0.5 --format jsonl")]
pub struct SitesArgs {
    #[command(flatten)]
    list: ListArgs,
    /// Only sites with a form of at least this relevance
    #[arg(long, value_name = "P", value_parser = probability)]
    min_relevance: Option<f32>,
}

pub fn run(args: &SitesArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    known_topic(store.as_ref(), &args.list.topic)?;
    let filter = Filter { topic: args.list.topic.clone(), ..Filter::default() };
    let least = args.min_relevance.unwrap_or(0.0);
    list::<SiteRow>(
        &args.list,
        session,
        "no matching sites; continue the crawl or loosen the filters",
        |each| store.sites(&filter, &mut |site| if site.best >= least { each(site) } else { Walk::On }),
    )
}
