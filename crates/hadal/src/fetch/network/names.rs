//! Host names to addresses.

use hadal_core::http::FetchError;
use hickory_resolver::TokioResolver;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Resolves names with our own resolver, which keeps answers as long as they live; the system's is
/// the fallback, where ours has no configuration or no answer.
pub(super) struct Names {
    resolver: Option<TokioResolver>,
    limit: Duration,
}

const CACHED_ANSWERS: u64 = 10_000;

impl Names {
    pub(super) fn new(limit: Duration) -> Names {
        let resolver = TokioResolver::builder_tokio().ok().and_then(|mut builder| {
            builder.options_mut().cache_size = CACHED_ANSWERS;
            builder.build().ok()
        });
        Names { resolver, limit }
    }

    /// Every address of a host; an IP literal is its own.
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
            // A final dot keeps the local search domains out of it.
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

/// The address that a host in a URL spells out. `url` has parsed every odd spelling (`0x7f.1`,
/// `2130706433`) before it comes here.
pub(super) fn ip_literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}
