//! Sources of backlinks: pages that link to a URL.
//!
//! A strategy asks for a look-up, and the engine performs it as a step. It costs one request, unless the source is
//! local. Sources are the links that crawls found themselves ([`OwnBacklinks`]), the simulated web
//! ([`WorldBacklinks`]), a Common Crawl web graph on disk ([`common_crawl`]) and a search engine ([`searxng`]).
//! [`source`] parses their names and asks several of them in order.

pub mod common_crawl;
pub mod searxng;
pub mod source;

pub use common_crawl::CommonCrawl;
pub use searxng::Searxng;
pub use source::{Chain, Source};

use crate::store::Store;
use futures::future::BoxFuture;
use hadal_core::http::FetchError;
use hadal_world::World;
use std::sync::Arc;
use url::Url;

/// Maximum number of pages per look-up in the store. Guess.
const MAX_OWN_PAGES: usize = 100;

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

/// Backlinks from the store: links that this run and earlier runs found themselves.
///
/// The source needs no other service. It grows with the crawl and knows only links on visited pages.
/// [`CrawlStore::backlinks`](crate::store::CrawlStore::backlinks) documents which links are kept.
pub struct OwnBacklinks {
    /// Store that holds the links.
    pub store: Arc<dyn Store>,
    /// Source of the pages, as in [`crate::store::RunSpec::source`]. Only runs with the same source count.
    pub source: String,
}

impl Backlinks for OwnBacklinks {
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        Box::pin(async move {
            let found = self.store.backlinks(&self.source, std::slice::from_ref(url), MAX_OWN_PAGES);
            found.map(|pages| pages.into_iter().flatten().collect()).map_err(|error| {
                tracing::warn!(%url, %error, "could not read backlinks from the store");
                FetchError::Protocol
            })
        })
    }

    fn sends_requests(&self) -> bool {
        false
    }

    fn remembers(&self) -> bool {
        true
    }
}

/// Backlinks from a simulated web. It returns a part of them, as a real service does.
pub struct WorldBacklinks(pub Arc<World>);

impl Backlinks for WorldBacklinks {
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        Box::pin(async move { Ok(self.0.backlinks(url)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_world::Spec;

    #[tokio::test]
    async fn the_simulated_web_returns_its_backlinks() {
        let world = Arc::new(World::new(Spec::tiny(3)));
        let target = world.seeds("book").remove(0);
        let linking = WorldBacklinks(Arc::clone(&world)).lookup(&target).await.unwrap();
        assert_eq!(linking, world.backlinks(&target));
        assert!(!linking.is_empty());
        let nobody = Url::parse("http://no-such-site.invalid/").unwrap();
        assert_eq!(WorldBacklinks(world).lookup(&nobody).await, Ok(vec![]));
    }
}
