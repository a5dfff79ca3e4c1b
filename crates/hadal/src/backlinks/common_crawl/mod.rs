//! Backlinks from a Common Crawl web graph on disk: sites that link to a site.
//!
//! The graph is published as text files of vertices and edges, for hosts or for domains. It has no pages, so
//! answers are home pages. They help to find sites, not the pages that link to a form page. The first use
//! builds an index beside the files ([`build`]) in bounded memory ([`sort`]). Later look-ups take a few reads.
//! The files may be deleted once the index exists.

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

/// Maximum number of numbers sorted in memory at once: 200 MB. Guess.
const MAX_SORTED: usize = 25_000_000;

/// Backlinks from a web graph.
pub struct CommonCrawl(Arc<Index>);

/// Reason why a graph cannot be used. Each message ends with the next thing to do.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// The folder has neither the files nor an index.
    #[error(
        "there is no Common Crawl web graph in {}: put its ...-vertices.txt.gz and ...-edges.txt.gz there, or its folders vertices and edges", .0.display()
    )]
    Missing(PathBuf),
    /// The folder has files of several graphs.
    #[error("there are several files of {what} in {}: keep those of one graph there", .folder.display())]
    Several {
        /// Folder that was searched.
        folder: PathBuf,
        /// Kind of file: vertices or edges.
        what: &'static str,
    },
    /// A file does not have the published format.
    #[error("{} is damaged at line {line}: {detail}; download it again", .path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line.
        line: u64,
        /// Description of the error.
        detail: String,
    },
    /// The index cannot be written or read.
    #[error("index {}: {detail}; delete it; the next run builds it again", .path.display())]
    Index {
        /// Path of the index.
        path: PathBuf,
        /// Error message of SQLite or the file system.
        detail: String,
    },
}

impl CommonCrawl {
    /// Opens the graph in a folder. Calls `on_build` before it builds the index, which may take hours.
    pub fn open(folder: &Path, on_build: impl FnOnce()) -> Result<CommonCrawl, GraphError> {
        CommonCrawl::open_holding(folder, on_build, MAX_SORTED)
    }

    fn open_holding(folder: &Path, on_build: impl FnOnce(), held: usize) -> Result<CommonCrawl, GraphError> {
        let place = folder.join("hadal-backlinks.db");
        match Files::find(folder)? {
            Some(files) if !Index::was_built_from(&place, &files.mark()) => {
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
            let read = tokio::task::spawn_blocking(move || linking_home_pages(&index, &url)).await;
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

/// Home pages of the sites that link to the host or site of a URL: one per site, without the site itself.
fn linking_home_pages(index: &Index, url: &Url) -> Result<Vec<Url>, GraphError> {
    let Some(host) = url.domain() else { return Ok(Vec::new()) };
    let site = Site::of(url);
    let mut met: FxHashSet<Site> = [site.clone()].into_iter().collect();
    let mut home_pages = Vec::new();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let names = if host == site.0 { vec![host] } else { vec![host, &site.0] };
    for name in names {
        let linking = index.linking_to(&reversed(name))?;
        let roots =
            linking.iter().filter_map(|name| Url::parse(&format!("https://{}/", reversed(name))).ok());
        home_pages.extend(roots.filter(|root| met.insert(Site::of(root))));
    }
    Ok(home_pages)
}

/// Reverses the labels of a host name: `www.example.org` becomes `org.example.www`, and back.
fn reversed(name: &str) -> String {
    name.rsplit('.').collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests;
