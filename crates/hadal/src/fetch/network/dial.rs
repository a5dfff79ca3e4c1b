//! From a URL to an open connection: route, resolve, check every address, connect.
//!
//! Every new connection passes here, so a redirect or a name that changes its address between two
//! look-ups meets the same check as the first request.

use super::connect_to::ConnectTo;
use super::line::{End, Line};
use super::names::{Names, ip_literal};
use super::options::NetworkOptions;
use super::proxy::Proxies;
use super::refusal::{is_bad_port, is_public};
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use hadal_core::http::FetchError;
use http::Uri;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Intercept;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tower_service::Service;

/// How long one address has before the next is tried beside it.
const HEAD_START: Duration = Duration::from_millis(250);

/// Opens connections.
#[derive(Clone)]
pub(super) struct Dialer(Arc<Plan>);

struct Plan {
    names: Names,
    connect_to: Vec<ConnectTo>,
    proxies: Proxies,
    allow_private: bool,
    lines: Arc<()>,
}

/// Which way a request goes.
enum Route<'a> {
    /// To the host itself, whose addresses are checked.
    Direct(&'a str, u16),
    /// To where the user said.
    Rerouted(&'a str, u16),
    /// Through a proxy that the user named.
    Proxy(Intercept),
}

impl Dialer {
    pub(super) fn new(options: &NetworkOptions) -> Dialer {
        Dialer(Arc::new(Plan {
            names: Names::new(options.timeouts.dns),
            connect_to: options.connect_to.clone(),
            proxies: options.proxies.clone(),
            allow_private: options.allow_private,
            lines: Arc::new(()),
        }))
    }

    /// Refuses what can be refused without looking up a name, before anything is sent: with a proxy
    /// in between, this is the only check of an IP literal.
    pub(super) fn admit(&self, uri: &Uri) -> Result<(), FetchError> {
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

    /// The rule that sends a host elsewhere, if one does.
    pub(super) fn rule_for(&self, host: &str, port: u16) -> Option<&ConnectTo> {
        self.0.connect_to.iter().find(|rule| rule.matches(host, port))
    }

    /// What a plain request must say to the proxy it goes through, if it goes through one.
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

    async fn dial(&self, uri: &Uri) -> Result<Line, FetchError> {
        self.admit(uri)?;
        match self.route(uri)? {
            Route::Direct(host, port) => {
                let mut addresses = self.0.names.addresses(host, port).await?;
                addresses.retain(|address| self.0.allow_private || is_public(address.ip()));
                if addresses.is_empty() {
                    return Err(FetchError::PrivateAddress);
                }
                self.open(addresses, End::Host).await
            }
            Route::Rerouted(host, port) => {
                self.open(self.0.names.addresses(host, port).await?, End::Host).await
            }
            Route::Proxy(proxy) if uri.scheme_str() == Some("http") => {
                self.open_to_proxy(proxy.uri(), End::Proxy).await
            }
            Route::Proxy(proxy) => self.tunnel(uri, &proxy).await,
        }
    }

    async fn open(&self, addresses: Vec<SocketAddr>, end: End) -> Result<Line, FetchError> {
        Ok(Line::new(connect(addresses).await?, end, self.0.lines.clone()))
    }

    async fn open_to_proxy(&self, proxy: &Uri, end: End) -> Result<Line, FetchError> {
        let (host, port) = host_and_port(proxy)?;
        self.open(self.0.names.addresses(host, port).await?, end).await
    }

    async fn tunnel(&self, uri: &Uri, proxy: &Intercept) -> Result<Line, FetchError> {
        let mut tunnel = Tunnel::new(proxy.uri().clone(), ToProxy(self.clone()));
        if let Some(authorization) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(authorization.clone());
        }
        tunnel.call(uri.clone()).await.map_err(|_| FetchError::Connect)
    }
}

impl Service<Uri> for Dialer {
    type Response = Line;
    type Error = FetchError;
    type Future = BoxFuture<'static, Result<Line, FetchError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), FetchError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let dialer = self.clone();
        Box::pin(async move { dialer.dial(&uri).await })
    }
}

/// The first leg of a tunnel.
struct ToProxy(Dialer);

impl Service<Uri> for ToProxy {
    type Response = Line;
    type Error = FetchError;
    type Future = BoxFuture<'static, Result<Line, FetchError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), FetchError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, proxy: Uri) -> Self::Future {
        let dialer = self.0.clone();
        Box::pin(async move { dialer.open_to_proxy(&proxy, End::Tunnel).await })
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

/// Names that no proxy needs to look up.
fn is_local_name(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    host == "localhost" || host.ends_with(".localhost")
}

/// Tries addresses in turn, the next beside those that take their time; the first to answer wins.
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
                // Small requests go out at once; a socket that cannot do this still works.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            None if last => return Err(FetchError::Connect),
            _ => {}
        }
    }
}
