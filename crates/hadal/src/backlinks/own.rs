//! Backlinks from the store: links that this run and earlier runs found themselves.
//!
//! The source needs no other service. It grows with the crawl and knows only links on visited pages.
//! [`CrawlStore::backlinks`](crate::store::CrawlStore::backlinks) documents which links are kept.

use super::Backlinks;
use crate::store::Store;
use futures::future::BoxFuture;
use hadal_core::http::FetchError;
use std::sync::Arc;
use url::Url;

/// Maximum number of pages per look-up. Guess.
const MAX_PAGES: usize = 100;

/// Backlinks from the store.
pub struct OwnBacklinks {
    /// Store that holds the links.
    pub store: Arc<dyn Store>,
    /// Source of the pages, as in [`crate::store::RunSpec::source`]. Only runs with the same source count.
    pub source: String,
}

impl Backlinks for OwnBacklinks {
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        Box::pin(async move {
            let found = self.store.backlinks(&self.source, std::slice::from_ref(url), MAX_PAGES);
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
