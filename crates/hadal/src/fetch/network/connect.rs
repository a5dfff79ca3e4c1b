//! From a URL to an open connection: route, resolve, check every address, connect.
//!
//! Every new connection is checked here, so a redirect, or a name with another address at the second look-up, is
//! checked like the first request.

use super::connect_to::ConnectTo;
use super::connection::{ConnectionEnd, HostConnection};
use super::options::NetworkOptions;
use super::proxy::Proxies;
use super::refusal::{is_bad_port, is_public};
use super::resolver::{NameResolver, ip_literal};
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use hadal_core::http::FetchError;
use http::Uri;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Intercept;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tower_service::Service;

/// Time after which the next address is tried in parallel (RFC 8305, section 5, recommends 250 ms).
const HEAD_START: Duration = Duration::from_millis(250);

/// Opens TCP connections to hosts and proxies.
#[derive(Clone)]
pub(super) struct TcpConnector(Arc<ConnectRules>);

struct ConnectRules {
    resolver: NameResolver,
    connect_to: Vec<ConnectTo>,
    proxies: Proxies,
    allow_private: bool,
    open_connections: Arc<()>,
}

/// Route of a request.
enum Route<'a> {
    /// To the host itself. Its addresses are checked.
    Direct(&'a str, u16),
    /// To the target of a `--connect-to` rule.
    Rerouted(&'a str, u16),
    /// Through a configured proxy.
    Proxy(Intercept),
}

impl TcpConnector {
    pub(super) fn new(options: &NetworkOptions) -> TcpConnector {
        TcpConnector(Arc::new(ConnectRules {
            resolver: NameResolver::new(options.timeouts.dns),
            connect_to: options.connect_to.clone(),
            proxies: options.proxies.clone(),
            allow_private: options.allow_private,
            open_connections: Arc::new(()),
        }))
    }

    /// Refuses bad ports and private IP literals before a name is resolved. Behind a proxy this is the only check of an
    /// IP literal.
    pub(super) fn check(&self, uri: &Uri) -> Result<(), FetchError> {
        let (host, port) = host_and_port(uri)?;
        if is_bad_port(port) {
            return Err(FetchError::BadPort);
        }
        let private = ip_literal(host).is_some_and(|ip| !is_public(ip));
        if private && !self.0.allow_private && self.rule_for(host, port).is_none() {
            return Err(FetchError::PrivateAddress);
        }
        Ok(())
    }

    /// The `--connect-to` rule for a host.
    pub(super) fn rule_for(&self, host: &str, port: u16) -> Option<&ConnectTo> {
        self.0.connect_to.iter().find(|rule| rule.matches(host, port))
    }

    /// `Proxy-Authorization` header of a plain request through a proxy.
    pub(super) fn proxy_authorization(&self, uri: &Uri) -> Option<http::HeaderValue> {
        match self.route(uri).ok()? {
            Route::Proxy(_) => self.0.proxies.authorization(uri),
            _ => None,
        }
    }

    fn route<'a>(&'a self, uri: &'a Uri) -> Result<Route<'a>, FetchError> {
        let (host, port) = host_and_port(uri)?;
        if let Some(rule) = self.rule_for(host, port) {
            let (host, port) = rule.target();
            return Ok(Route::Rerouted(host, port));
        }
        match self.0.proxies.intercept(uri) {
            Some(_) if is_local_name(host) && !self.0.allow_private => Err(FetchError::PrivateAddress),
            Some(proxy) => Ok(Route::Proxy(proxy)),
            None => Ok(Route::Direct(host, port)),
        }
    }

    async fn connect(&self, uri: &Uri) -> Result<HostConnection, FetchError> {
        self.check(uri)?;
        match self.route(uri)? {
            Route::Direct(host, port) => {
                let mut addresses = self.0.resolver.addresses(host, port).await?;
                addresses.retain(|address| self.0.allow_private || is_public(address.ip()));
                if addresses.is_empty() {
                    return Err(FetchError::PrivateAddress);
                }
                self.open(addresses, ConnectionEnd::Host).await
            }
            Route::Rerouted(host, port) => {
                self.open(self.0.resolver.addresses(host, port).await?, ConnectionEnd::Host).await
            }
            Route::Proxy(proxy) if uri.scheme_str() == Some("http") => {
                self.open_to_proxy(proxy.uri(), ConnectionEnd::Proxy).await
            }
            Route::Proxy(proxy) => self.tunnel(uri, &proxy).await,
        }
    }

    /// First address of a host that is connected to directly.
    pub(super) async fn first_address(&self, uri: &Uri) -> Option<IpAddr> {
        let Route::Direct(host, port) = self.route(uri).ok()? else { return None };
        Some(self.0.resolver.addresses(host, port).await.ok()?.first()?.ip())
    }

    async fn open(
        &self,
        addresses: Vec<SocketAddr>,
        end: ConnectionEnd,
    ) -> Result<HostConnection, FetchError> {
        Ok(HostConnection::new(connect(addresses).await?, end, self.0.open_connections.clone()))
    }

    async fn open_to_proxy(&self, proxy: &Uri, end: ConnectionEnd) -> Result<HostConnection, FetchError> {
        let (host, port) = host_and_port(proxy)?;
        let addresses = self.0.resolver.addresses(host, port).await.map_err(|_| FetchError::Proxy)?;
        self.open(addresses, end).await.map_err(|_| FetchError::Proxy)
    }

    async fn tunnel(&self, uri: &Uri, proxy: &Intercept) -> Result<HostConnection, FetchError> {
        let mut tunnel = Tunnel::new(proxy.uri().clone(), ProxyConnector(self.clone()));
        if let Some(authorization) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(authorization.clone());
        }
        tunnel.call(uri.clone()).await.map_err(|_| FetchError::Proxy)
    }
}

impl Service<Uri> for TcpConnector {
    type Response = HostConnection;
    type Error = FetchError;
    type Future = BoxFuture<'static, Result<HostConnection, FetchError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), FetchError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move { connector.connect(&uri).await })
    }
}

/// Connects to the proxy of a tunnel.
struct ProxyConnector(TcpConnector);

impl Service<Uri> for ProxyConnector {
    type Response = HostConnection;
    type Error = FetchError;
    type Future = BoxFuture<'static, Result<HostConnection, FetchError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), FetchError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, proxy: Uri) -> Self::Future {
        let connector = self.0.clone();
        Box::pin(async move { connector.open_to_proxy(&proxy, ConnectionEnd::Tunnel).await })
    }
}

fn host_and_port(uri: &Uri) -> Result<(&str, u16), FetchError> {
    let default = match uri.scheme_str() {
        Some("http") => 80,
        Some("https") => 443,
        _ => return Err(FetchError::BadUrl),
    };
    Ok((uri.host().ok_or(FetchError::BadUrl)?, uri.port_u16().unwrap_or(default)))
}

/// True for names of the local machine.
fn is_local_name(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    host == "localhost" || host.ends_with(".localhost")
}

/// Connects to the first address that answers. Slow addresses are tried in parallel with the next.
async fn connect(addresses: Vec<SocketAddr>) -> Result<TcpStream, FetchError> {
    let mut waiting = addresses.into_iter();
    let mut attempts = FuturesUnordered::new();
    loop {
        let next = waiting.next();
        let last = next.is_none();
        attempts.extend(next.map(TcpStream::connect));
        let ended = if last {
            attempts.next().await
        } else {
            tokio::time::timeout(HEAD_START, attempts.next()).await.ok().flatten()
        };
        match ended {
            Some(Ok(stream)) => {
                // Sends small requests at once. A failure here is harmless.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            None if last => return Err(FetchError::Connect),
            _ => {}
        }
    }
}
