//! Proxies from the environment, as in curl: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`.
//!
//! A proxy resolves names itself, so the address of a host name is not checked here. IP literals, `localhost` and bad
//! ports are refused as always. `--connect-to` bypasses the proxy.

use super::options::NetworkError;
use http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use std::sync::Arc;

/// Rules that select a proxy for a request.
#[derive(Clone, Debug)]
pub struct Proxies(Arc<Matcher>);

impl Proxies {
    /// Rules without a proxy.
    pub fn none() -> Proxies {
        Proxies(Arc::new(Matcher::builder().build()))
    }

    /// Rules from the environment variables.
    pub fn from_environment() -> Result<Proxies, NetworkError> {
        Proxies::checked(Matcher::from_env())
    }

    /// One proxy for all hosts but some, as in `ALL_PROXY` and `NO_PROXY`.
    pub fn all(proxy: &str, except: &str) -> Result<Proxies, NetworkError> {
        Proxies::checked(Matcher::builder().all(proxy).no(except).build())
    }

    /// Refuses proxies that are not plain HTTP, rather than ignore them.
    fn checked(matcher: Matcher) -> Result<Proxies, NetworkError> {
        for uri in ["http://any.invalid/", "https://any.invalid/"].map(Uri::from_static) {
            if let Some(proxy) = matcher.intercept(&uri)
                && proxy.uri().scheme_str() != Some("http")
            {
                return Err(NetworkError::Proxy(proxy.uri().to_string()));
            }
        }
        Ok(Proxies(Arc::new(matcher)))
    }

    pub(super) fn intercept(&self, uri: &Uri) -> Option<Intercept> {
        self.0.intercept(uri)
    }

    /// `Proxy-Authorization` header of a plain `http` request. Tunnels send it when they are opened.
    pub(super) fn authorization(&self, uri: &Uri) -> Option<HeaderValue> {
        let plain = uri.scheme_str() == Some("http");
        self.intercept(uri).filter(|_| plain)?.basic_auth().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsupported_proxies_are_refused() {
        for proxy in ["socks5://127.0.0.1:1080", "https://proxy.example:443"] {
            assert!(matches!(Proxies::all(proxy, ""), Err(NetworkError::Proxy(_))), "{proxy}");
        }
        assert!(Proxies::all("http://proxy.example:3128", "").is_ok());
        assert!(Proxies::all("", "").is_ok());
    }

    #[test]
    fn excepted_hosts_bypass_the_proxy() {
        let proxies = Proxies::all("http://proxy.example:3128", "near.example").unwrap();
        assert!(proxies.intercept(&Uri::from_static("http://far.example/")).is_some());
        assert!(proxies.intercept(&Uri::from_static("http://www.near.example/")).is_none());
    }
}
