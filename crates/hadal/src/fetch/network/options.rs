//! Options of the network client: identity, timeouts, permitted addresses.

use super::connect_to::ConnectTo;
use super::cookies::CookieJar;
use super::proxy::Proxies;
use http::{HeaderName, HeaderValue, header};
use std::path::PathBuf;
use std::time::Duration;

/// Options of [`super::Network`].
#[derive(Clone, Debug)]
pub struct NetworkOptions {
    /// Product name and version sent with every request.
    pub user_agent: String,
    /// Contact for owners of visited hosts: a URL or an e-mail address.
    pub contact: Option<String>,
    /// Extra headers of every request. They replace our own headers of the same name.
    pub headers: Vec<(String, String)>,
    /// True: private, loopback and link-local addresses may be visited.
    pub allow_private: bool,
    /// Rules of `--connect-to`. The first matching rule applies.
    pub connect_to: Vec<ConnectTo>,
    /// Timeouts of the phases of a request.
    pub timeouts: Timeouts,
    /// Patterns of content types to download, in which `*` matches anything. A missing content type is accepted.
    pub accepted: Vec<String>,
    /// Cookies at the start of the session.
    pub cookies: CookieJar,
    /// Proxies by URL scheme.
    pub proxies: Proxies,
    /// PEM file with additional certificate authorities.
    pub ca_file: Option<PathBuf>,
}

/// Timeouts of the phases of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Resolution of the host name.
    pub dns: Duration,
    /// Connection with TLS handshake.
    pub connect: Duration,
    /// From the open connection to the response head.
    pub answer: Duration,
    /// Pause between two pieces of the body.
    pub stall: Duration,
    /// Limit for the whole request, with its body.
    pub total: Duration,
}

/// Error of invalid options.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// A header is invalid.
    #[error(
        "header '{0}' cannot be sent: expected 'Name: value' in plain characters, and not a line that the connection itself needs (Host, Content-Length, Connection, Transfer-Encoding)"
    )]
    Header(String),
    /// The user agent or the contact is invalid.
    #[error("user agent or contact '{0}' cannot be sent: use plain characters")]
    UserAgent(String),
    /// The certificate file cannot be read.
    #[error("certificate file {}: {detail}", .path.display())]
    CaFile {
        /// Path of the file.
        path: PathBuf,
        detail: String,
    },
    /// The proxy has an unsupported scheme.
    #[error(
        "proxy '{0}' is not supported: use an http:// proxy, or unset HTTP_PROXY, HTTPS_PROXY and ALL_PROXY"
    )]
    Proxy(String),
}

impl Default for NetworkOptions {
    fn default() -> NetworkOptions {
        NetworkOptions {
            user_agent: concat!("hadal/", env!("CARGO_PKG_VERSION")).to_string(),
            contact: None,
            headers: Vec::new(),
            allow_private: false,
            connect_to: Vec::new(),
            timeouts: Timeouts::default(),
            accepted: ACCEPTED.map(String::from).to_vec(),
            cookies: CookieJar::default(),
            proxies: Proxies::none(),
            ca_file: None,
        }
    }
}

/// Content types of pages, feeds, sitemaps, OpenSearch descriptions and scripted searches. A search index may be a
/// script.
const ACCEPTED: [&str; 10] = [
    "text/html",
    "text/plain",
    "text/xml",
    "application/xml",
    "application/*+xml",
    "application/json",
    "application/*+json",
    "text/javascript",
    "application/javascript",
    "application/x-javascript",
];

impl Default for Timeouts {
    fn default() -> Timeouts {
        let [dns, connect, answer, stall, total] = [5, 10, 20, 10, 60].map(Duration::from_secs);
        Timeouts { dns, connect, answer, stall, total }
    }
}

impl NetworkOptions {
    /// Value of the `User-Agent` header: `hadal/1.0 (+contact)`.
    pub fn full_user_agent(&self) -> String {
        match &self.contact {
            Some(contact) => format!("{} (+{contact})", self.user_agent),
            None => self.user_agent.clone(),
        }
    }

    /// Headers of every request.
    pub(super) fn standing_headers(&self) -> Result<http::HeaderMap, NetworkError> {
        let agent = self.full_user_agent();
        let agent = HeaderValue::from_str(&agent).map_err(|_| NetworkError::UserAgent(agent))?;
        let mut headers = http::HeaderMap::new();
        headers.insert(header::USER_AGENT, agent);
        headers.insert(header::ACCEPT, HeaderValue::from_static(ACCEPT));
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, br, zstd, deflate"));
        for (name, value) in &self.headers {
            let (name, value) =
                header_line(name, value).ok_or_else(|| NetworkError::Header(format!("{name}: {value}")))?;
            headers.insert(name, value);
        }
        Ok(headers)
    }
}

/// Value of the `Accept` header: that of browsers. Some servers ignore the weights and send JSON where it is named.
const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// Parses a header. `None` for invalid headers and for those of the connection itself.
pub(super) fn header_line(name: &str, value: &str) -> Option<(HeaderName, HeaderValue)> {
    let name = HeaderName::from_bytes(name.trim().as_bytes()).ok()?;
    let value = HeaderValue::from_bytes(value.trim().as_bytes()).ok()?;
    let of_connection = [
        header::HOST,
        header::CONTENT_LENGTH,
        header::CONNECTION,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
    ];
    (!of_connection.contains(&name)).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_agent_names_product_and_contact() {
        let mut options = NetworkOptions::default();
        assert!(options.full_user_agent().starts_with("hadal/"));
        options.contact = Some("https://owner.example/bot".to_string());
        assert!(options.full_user_agent().ends_with(" (+https://owner.example/bot)"));
    }

    #[test]
    fn pages_are_preferred_and_no_data_format_is_named() {
        let headers = NetworkOptions::default().standing_headers().unwrap();
        let accept = headers[header::ACCEPT].to_str().unwrap();
        assert!(accept.starts_with("text/html,") && !accept.contains("json"), "{accept}");
    }

    #[test]
    fn invalid_headers_are_refused() {
        for (name, value) in
            [("", "x"), ("a b", "x"), ("X", "a\nb"), ("Host", "other"), ("Connection", "close")]
        {
            let headers = vec![(name.to_string(), value.to_string())];
            let options = NetworkOptions { headers, ..NetworkOptions::default() };
            assert!(matches!(options.standing_headers(), Err(NetworkError::Header(_))), "{name}: {value}");
        }
        let options = NetworkOptions { contact: Some("a\nb".to_string()), ..NetworkOptions::default() };
        assert!(matches!(options.standing_headers(), Err(NetworkError::UserAgent(_))));
    }
}
