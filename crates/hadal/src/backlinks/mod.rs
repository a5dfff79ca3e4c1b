//! Sources of backlinks: pages that link to a URL.
//!
//! A strategy asks for a look-up, and the engine performs it as a step. It costs one request, unless the source is
//! local. Sources are the links
//! that crawls found themselves ([`own`]), the simulated web ([`world`]), a Common Crawl web graph on disk
//! ([`common_crawl`]) and a search engine ([`searxng`]). [`source`] parses their names and asks several of them
//! in order.

pub mod common_crawl;
pub mod own;
pub mod searxng;
pub mod source;
pub mod world;

pub use common_crawl::CommonCrawl;
pub use own::OwnBacklinks;
pub use searxng::Searxng;
pub use source::{Chain, Source};
pub use world::WorldBacklinks;

use futures::future::BoxFuture;
use hadal_core::http::FetchError;
use url::Url;

/// A source of backlinks.
pub trait Backlinks: Send + Sync {
    /// Returns pages that link to `url`, the best known first.
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>>;

    /// True when a look-up may send a request. Then it counts as one.
    fn sends_requests(&self) -> bool {
        true
    }

    /// True when the source answers from links that crawls store. Then this crawl stores its links to other sites.
    fn remembers(&self) -> bool {
        false
    }
}
