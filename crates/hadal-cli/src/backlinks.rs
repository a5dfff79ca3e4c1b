//! Opens the backlink sources of a crawl.

use super::args::choices;
use super::exit::Usage;
use super::find::{FindPlan, SOURCE};
use hadal::backlinks::common_crawl::GraphError;
use hadal::backlinks::{Backlinks, Chain, CommonCrawl, OwnBacklinks, Searxng, Source};
use hadal::fetch::network::{Network, NetworkOptions};
use hadal::store::Store;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use url::Url;

/// Help text of `--backlinks`.
pub fn help() -> String {
    let sources = choices(&[
        ("own", "links found by this crawl and earlier ones in the store; few at first"),
        (
            "searxng:URL",
            "a SearXNG instance with JSON output, queried with the site's name; useful with few seeds",
        ),
        (
            "common-crawl:DIR",
            "a Common Crawl web graph of hosts or domains, downloaded to DIR, where an index of it is made \
             once; for large crawls: it knows every site, and no pages",
        ),
        ("none", "no look-ups"),
    ]);
    let asked = "Sources of backlinks, for strategies that use them [default: own]:";
    let several = "Several sources, separated by commas, are tried in order until one has an answer.";
    format!("{asked}{sources}\n{several} A look-up counts as a request.")
}

/// Combines the sources of a plan. Must be called within a tokio runtime.
pub fn open(plan: &FindPlan, store: &Arc<dyn Store>) -> anyhow::Result<Option<Arc<dyn Backlinks>>> {
    let mut sources = Vec::new();
    for source in &plan.backlinks {
        sources.push(match source {
            Source::Own => Arc::new(OwnBacklinks { store: Arc::clone(store), source: SOURCE.into() }),
            Source::CommonCrawl(folder) => graph(folder)?,
            Source::Searxng(api) => search_engine(api, plan)?,
        });
    }
    Ok(match sources.len() {
        0 | 1 => sources.pop(),
        _ => Some(Arc::new(Chain(sources))),
    })
}

fn graph(folder: &Path) -> anyhow::Result<Arc<dyn Backlinks>> {
    let say = || {
        let line = "building an index of the web graph in";
        let hint =
            "this happens once; a complete graph takes an hour or more and as much disk space as its files";
        writeln!(std::io::stderr(), "{line} {}, {hint}", folder.display()).ok();
    };
    Ok(Arc::new(CommonCrawl::open(folder, say).map_err(|error| match error {
        GraphError::Missing(_) | GraphError::Several { .. } => anyhow::Error::from(Usage(error.to_string())),
        other => other.into(),
    })?))
}

/// A search engine that the user names may have a private address.
fn search_engine(api: &Url, plan: &FindPlan) -> anyhow::Result<Arc<dyn Backlinks>> {
    let network = Network::new(NetworkOptions { allow_private: true, ..plan.network.clone() })?;
    Ok(Arc::new(Searxng::new(api.clone(), Arc::new(network), plan.politeness.delay, plan.body_limit)))
}
