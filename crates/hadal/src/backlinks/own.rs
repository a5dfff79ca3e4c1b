//! The crawl's own reverse index: links that this run and earlier ones met themselves.
//!
//! Free of charge for everybody but the store, and the only source that needs nobody else. It grows with
//! the crawl: of a site that nobody was seen to link to it knows nothing. What is kept, and how much of
//! it, is the store's business ([`Store::backlinks`]).

use super::Backlinks;
use crate::store::Store;
use futures::future::BoxFuture;
use hadal_core::http::FetchError;
use std::sync::Arc;
use url::Url;

/// Pages told per look-up.
const MOST: usize = 100;

/// Asks the store.
pub struct OwnBacklinks {
    /// What crawls left their links in.
    pub store: Arc<dyn Store>,
    /// Where the pages of this crawl come from: only crawls of the same web count.
    pub source: String,
}

impl Backlinks for OwnBacklinks {
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        Box::pin(async move {
            self.store.backlinks(&self.source, url, MOST).map_err(|error| {
                tracing::warn!(%url, %error, "backlinks cannot be read");
                FetchError::Protocol
            })
        })
    }

    fn remembers(&self) -> bool {
        true
    }
}
