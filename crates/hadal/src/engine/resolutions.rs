//! DNS look-ups before the first request to a host, so that two names of one address are in one politeness group from
//! the start.

use crate::fetch::Fetch;
use crate::polite::HostIx;
use futures::FutureExt;
use rustc_hash::FxHashSet;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::mpsc;
use url::Url;

/// Maximum number of host names that are resolved at the same time. Guess: below the limits of public
/// resolvers.
pub const MAX_RESOLVING: usize = 64;

/// Host names that are being resolved, and those that were.
pub struct Resolutions {
    fetch: Option<Arc<dyn Fetch>>,
    pending: FxHashSet<HostIx>,
    /// Hosts that were resolved in this session.
    resolved: FxHashSet<HostIx>,
    results: (mpsc::UnboundedSender<ResolvedHost>, mpsc::UnboundedReceiver<ResolvedHost>),
}

/// A host with its address, if there is one.
type ResolvedHost = (HostIx, Option<IpAddr>);

impl Resolutions {
    /// No resolutions. Without an HTTP client every host counts as resolved.
    pub fn new(fetch: Option<Arc<dyn Fetch>>) -> Resolutions {
        let (pending, resolved) = (FxHashSet::default(), FxHashSet::default());
        Resolutions { fetch, pending, resolved, results: mpsc::unbounded_channel() }
    }

    /// True when no more names may be resolved for now.
    pub fn is_full(&self) -> bool {
        self.pending.len() >= MAX_RESOLVING
    }

    /// True when no result is awaited.
    pub fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// True for a host that [`Resolutions::resolve`] would look up.
    pub fn is_new(&self, host: HostIx) -> bool {
        self.fetch.is_some() && !self.resolved.contains(&host) && !self.pending.contains(&host)
    }

    /// Resolves the host of a URL, unless that was done before. True while the result is awaited. A host without an
    /// address of its own, as with `--connect-to`, is never awaited, so that its turn does not depend on timing.
    pub fn resolve(&mut self, host: HostIx, url: &Url) -> bool {
        let Some(fetch) = self.fetch.as_ref().filter(|_| self.is_new(host)) else {
            return self.pending.contains(&host);
        };
        let (fetch, url, results) = (Arc::clone(fetch), url.clone(), self.results.0.clone());
        let mut resolving = Box::pin(async move { fetch.resolve(&url).await });
        let known = (&mut resolving).now_or_never();
        if known == Some(None) {
            self.resolved.insert(host);
            return false;
        }
        self.pending.insert(host);
        tokio::spawn(async move {
            let address = match known {
                Some(address) => address,
                None => resolving.await,
            };
            // Fails when the engine is gone; then the result is not needed.
            let _ = results.send((host, address));
        });
        true
    }

    /// Removes a host that is not in memory any more. Numbers of hosts are not used again.
    pub fn forget(&mut self, host: HostIx) {
        self.resolved.remove(&host);
    }

    /// Next result that has arrived.
    pub fn next(&mut self) -> Option<ResolvedHost> {
        let resolved = self.results.1.try_recv().ok()?;
        self.pending.remove(&resolved.0);
        self.resolved.insert(resolved.0);
        Some(resolved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::future::BoxFuture;
    use hadal_core::http::{Exchange, FetchError, Request};
    use hadal_core::time::Time;
    use std::net::Ipv4Addr;
    use std::time::Duration;

    /// Resolves hosts of `.test` to nothing at once, and others after a turn of the scheduler.
    struct TestResolver;

    impl Fetch for TestResolver {
        fn fetch<'a>(&'a self, _request: &'a Request, _at: Time) -> BoxFuture<'a, Exchange> {
            Box::pin(async { Exchange { result: Err(FetchError::Dns), took: Duration::ZERO, peer: None } })
        }

        fn resolve<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<IpAddr>> {
            Box::pin(async {
                if url.as_str().contains(".test") {
                    return None;
                }
                tokio::task::yield_now().await;
                Some(IpAddr::V4(Ipv4Addr::LOCALHOST))
            })
        }
    }

    #[tokio::test]
    async fn only_a_host_with_an_address_of_its_own_is_awaited() {
        let mut resolutions = Resolutions::new(Some(Arc::new(TestResolver)));
        let url = |text: &str| Url::parse(text).unwrap();
        assert!(!resolutions.resolve(HostIx(1), &url("http://a.test/")));
        assert!(resolutions.resolve(HostIx(2), &url("http://b.org/")));
        assert!(resolutions.resolve(HostIx(2), &url("http://b.org/x")), "still awaited");
        let (host, address) = resolutions.results.1.recv().await.unwrap();
        assert_eq!((host, address), (HostIx(2), Some(IpAddr::V4(Ipv4Addr::LOCALHOST))));
    }
}
