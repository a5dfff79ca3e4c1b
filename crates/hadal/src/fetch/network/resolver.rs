//! Resolution of host names.

use hadal_core::http::FetchError;
use hickory_resolver::TokioResolver;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Resolver with a cache that honours the lifetime of answers. The system resolver is the fallback when it has no
/// configuration or no answer.
pub(super) struct NameResolver {
    resolver: Option<TokioResolver>,
    limit: Duration,
}

/// Answers kept in the cache. Guess.
const CACHED_ANSWERS: u64 = 10_000;

impl NameResolver {
    pub(super) fn new(limit: Duration) -> NameResolver {
        let resolver = TokioResolver::builder_tokio().ok().and_then(|mut builder| {
            builder.options_mut().cache_size = CACHED_ANSWERS;
            builder.build().ok()
        });
        NameResolver { resolver, limit }
    }

    /// All addresses of a host. An IP literal is its own address.
    pub(super) async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, FetchError> {
        if let Some(ip) = ip_literal(host) {
            return Ok(vec![SocketAddr::new(ip, port)]);
        }
        let resolving = tokio::time::timeout(self.limit, self.resolve(host));
        let ips = resolving.await.map_err(|_| FetchError::Dns)??;
        Ok(ips.into_iter().map(|ip| SocketAddr::new(ip, port)).collect())
    }

    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, FetchError> {
        if let Some(resolver) = &self.resolver {
            // The final dot keeps local search domains out.
            match resolver.lookup_ip(format!("{}.", host.trim_end_matches('.'))).await {
                Ok(found) => return Ok(found.iter().collect()),
                Err(error) if error.is_nx_domain() || error.is_no_records_found() => {
                    return Err(FetchError::NoSuchHost);
                }
                Err(_) => {}
            }
        }
        let found = tokio::net::lookup_host((host, 0)).await.map_err(|_| FetchError::Dns)?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Address of a host that is an IP literal. The `url` crate has normalised unusual spellings such as `0x7f.1`.
pub(super) fn ip_literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}
