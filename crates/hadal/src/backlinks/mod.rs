//! Who links to an address: one interface, whatever knows it.
//!
//! A strategy asks, the engine charges one request and takes the answer in like any other step. The
//! sources: what crawls met themselves ([`own`]), the simulated web ([`world`]), a web graph of Common
//! Crawl on disk ([`common_crawl`]) and a search engine ([`searxng`]). [`source`] reads their names,
//! [`chain`] asks one after the other.

pub mod chain;
pub mod common_crawl;
pub mod own;
pub mod searxng;
pub mod source;
pub mod world;

pub use chain::Chain;
pub use common_crawl::CommonCrawl;
pub use own::OwnBacklinks;
pub use searxng::Searxng;
pub use source::Source;
pub use world::WorldBacklinks;

use futures::future::BoxFuture;
use hadal_core::http::FetchError;
use url::Url;

/// Knows pages that link to an address. A look-up is charged as one request.
pub trait Backlinks: Send + Sync {
    /// Pages that link to `url`, the best known first.
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>>;

    /// Whether it answers from the links that crawls meet: then those of this one are kept for it.
    fn remembers(&self) -> bool {
        false
    }
}
