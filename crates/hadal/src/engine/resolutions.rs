//! Addresses of hosts before their first request, so that two names of one address take turns from the start.

use crate::fetch::Fetch;
use crate::polite::HostIx;
use rustc_hash::FxHashSet;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::mpsc;
use url::Url;

/// Most host names that are resolved at the same time. Guess: below the limits of public resolvers.
const MAX_RESOLVING: usize = 64;

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

    /// Resolves the host of a URL, unless that was done before. True while the result is awaited.
    pub fn resolve(&mut self, host: HostIx, url: &Url) -> bool {
        let Some(fetch) = &self.fetch else { return false };
        if self.resolved.contains(&host) || !self.pending.insert(host) {
            return self.pending.contains(&host);
        }
        let (fetch, url, results) = (Arc::clone(fetch), url.clone(), self.results.0.clone());
        tokio::spawn(async move {
            let address = fetch.resolve(&url).await;
            // Fails when the engine is gone; then the result is not needed.
            let _ = results.send((host, address));
        });
        true
    }

    /// Next result that has arrived.
    pub fn next(&mut self) -> Option<ResolvedHost> {
        let resolved = self.results.1.try_recv().ok()?;
        self.pending.remove(&resolved.0);
        self.resolved.insert(resolved.0);
        Some(resolved)
    }
}
