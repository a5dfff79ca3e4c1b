//! Proxies named by the environment, as curl reads it: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`.
//!
//! Behind a proxy it is the proxy that resolves names, so the address of a *named* host cannot be
//! checked here: the operator of the proxy answers for that. IP literals, `localhost` and bad ports
//! are refused before anything is sent, as always. `--connect-to` goes around the proxy.

use super::options::NetworkError;
use http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use std::sync::Arc;

/// Which requests go through which proxy.
#[derive(Clone, Debug)]
pub struct Proxies(Arc<Matcher>);

impl Proxies {
    /// No proxy for anything.
    pub fn none() -> Proxies {
        Proxies(Arc::new(Matcher::builder().build()))
    }

    /// As the environment says.
    pub fn from_environment() -> Result<Proxies, NetworkError> {
        Proxies::checked(Matcher::from_env())
    }

    /// One proxy for everything except the hosts listed, as in `ALL_PROXY` and `NO_PROXY`.
    pub fn all(proxy: &str, except: &str) -> Result<Proxies, NetworkError> {
        Proxies::checked(Matcher::builder().all(proxy).no(except).build())
    }

    /// Only plain HTTP proxies are spoken to; another kind must not be skipped in silence.
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

    /// What a plain `http` request must say to its proxy; tunnels say it when they are opened.
    pub(super) fn authorization(&self, uri: &Uri) -> Option<HeaderValue> {
        let plain = uri.scheme_str() == Some("http");
        self.intercept(uri).filter(|_| plain)?.basic_auth().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_of_another_kind_are_named_at_the_start() {
        for proxy in ["socks5://127.0.0.1:1080", "https://proxy.example:443"] {
            assert!(matches!(Proxies::all(proxy, ""), Err(NetworkError::Proxy(_))), "{proxy}");
        }
        assert!(Proxies::all("http://proxy.example:3128", "").is_ok());
        assert!(Proxies::all("", "").is_ok());
    }

    #[test]
    fn exceptions_are_asked_directly() {
        let proxies = Proxies::all("http://proxy.example:3128", "near.example").unwrap();
        assert!(proxies.intercept(&Uri::from_static("http://far.example/")).is_some());
        assert!(proxies.intercept(&Uri::from_static("http://www.near.example/")).is_none());
    }
}
