//! A web graph of Common Crawl on disk as a source: which sites link to a site.
//!
//! The graph is published as text files of vertices and of edges, of hosts or of domains; it knows no
//! pages, so answers are front doors and serve the search for sites, not the way back from a form page.
//! The first time an index is made beside the files ([`build`]), in bounded memory ([`sort`]); from then
//! on a look-up is a few reads. The files may be deleted once the index stands.

mod build;
mod files;
mod index;
mod sort;

use super::Backlinks;
use files::Files;
use futures::future::BoxFuture;
use hadal_core::address::Site;
use hadal_core::http::FetchError;
use index::Index;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// Numbers that are sorted in memory at once: 200 MB of them.
const HELD: usize = 25_000_000;

/// Asks a web graph.
pub struct CommonCrawl(Arc<Index>);

/// Why a graph cannot be used. Each message says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// Neither files nor index.
    #[error(
        "there is no Common Crawl web graph in {}: put its ...-vertices.txt.gz and ...-edges.txt.gz there, or its folders vertices and edges", .0.display()
    )]
    Missing(PathBuf),
    /// More than one graph.
    #[error("there are several files of {what} in {}: keep those of one graph there", .folder.display())]
    Several {
        /// Where.
        folder: PathBuf,
        /// Vertices or edges.
        what: &'static str,
    },
    /// A file that is not what was published.
    #[error("{} is damaged at line {line}: {detail}; download it again", .path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Where in it.
        line: u64,
        /// What is wrong.
        detail: String,
    },
    /// The index cannot be written or read.
    #[error("index {}: {detail}; delete it to have it made again", .path.display())]
    Index {
        /// Which file.
        path: PathBuf,
        /// What was said.
        detail: String,
    },
}

impl CommonCrawl {
    /// Opens the graph in a folder; `on_build` is called before its index is made, which may take long.
    pub fn open(folder: &Path, on_build: impl FnOnce()) -> Result<CommonCrawl, GraphError> {
        CommonCrawl::open_holding(folder, on_build, HELD)
    }

    fn open_holding(folder: &Path, on_build: impl FnOnce(), held: usize) -> Result<CommonCrawl, GraphError> {
        let place = folder.join("hadal-backlinks.db");
        match Files::find(folder)? {
            Some(files) if !Index::is_of(&place, &files.mark()) => {
                on_build();
                build::build(&files, &place, held)?;
            }
            None if !place.exists() => return Err(GraphError::Missing(folder.to_path_buf())),
            _ => {}
        }
        Ok(CommonCrawl(Arc::new(Index::open(&place)?)))
    }
}

impl Backlinks for CommonCrawl {
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        Box::pin(async move {
            let (index, url) = (Arc::clone(&self.0), url.clone());
            let read = tokio::task::spawn_blocking(move || front_doors(&index, &url)).await;
            match read {
                Ok(Ok(linking)) => Ok(linking),
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the web graph cannot be read");
                    Err(FetchError::Protocol)
                }
                Err(_) => Err(FetchError::Protocol),
            }
        })
    }
}

/// The front doors of sites that link to a URL's host or site; one per site, and not its own.
fn front_doors(index: &Index, url: &Url) -> Result<Vec<Url>, GraphError> {
    let Some(host) = url.domain() else { return Ok(Vec::new()) };
    let site = Site::of(url);
    let mut met: FxHashSet<Site> = [site.clone()].into_iter().collect();
    let mut doors = Vec::new();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let names = if host == site.0 { vec![host] } else { vec![host, &site.0] };
    for name in names {
        let linking = index.linking_to(&reversed(name))?;
        let roots =
            linking.iter().filter_map(|name| Url::parse(&format!("https://{}/", reversed(name))).ok());
        doors.extend(roots.filter(|root| met.insert(Site::of(root))));
    }
    Ok(doors)
}

/// `www.example.org` as `org.example.www`, and back.
fn reversed(name: &str) -> String {
    name.rsplit('.').collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests;
