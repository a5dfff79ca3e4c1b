//! Who links to an address: one interface, whatever knows it.

use futures::future::BoxFuture;
use hadal_core::http::FetchError;
use url::Url;

/// Knows pages that link to an address. A look-up is charged as one request.
pub trait Backlinks: Send + Sync {
    /// Pages that link to `url`, the best known first.
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>>;
}
