//! `hadal sites`: lists the sites visited, by number of relevant forms.

use super::args::probability;
use super::exit::Exit;
use super::list::{ListArgs, list};
use super::session::{Session, known_topic};
use clap::Args;
use hadal::store::SiteQuery;

/// List or export the sites visited
///
/// `best` is the relevance of the site's best form. `closed` means that the strategy visits no further page of the
/// site, because its pages led to nothing.
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
    let query = SiteQuery {
        topic: args.list.topic.clone(),
        min_relevance: args.min_relevance.unwrap_or(0.0),
        ..SiteQuery::default()
    };
    let nothing = "no matching sites; continue the crawl or loosen the filters";
    list(&args.list, session, nothing, store.sites(&query)?.into_iter().map(Ok))
}
