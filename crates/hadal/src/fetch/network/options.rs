//! How the network is used: what hadal says about itself, how long it waits, whom it may meet.

use super::connect_to::ConnectTo;
use super::cookies::Jar;
use super::proxy::Proxies;
use http::{HeaderName, HeaderValue, header};
use std::path::PathBuf;
use std::time::Duration;

/// Everything [`super::Network`] can be told.
#[derive(Clone, Debug)]
pub struct NetworkOptions {
    /// Product name and version sent with every request.
    pub user_agent: String,
    /// Where the owner of a visited host can complain: a URL or mail address.
    pub contact: Option<String>,
    /// Extra header lines for every request; they replace our own of the same name.
    pub headers: Vec<(String, String)>,
    /// Private, loopback and link-local addresses may be visited.
    pub allow_private: bool,
    /// Where to connect for some hosts; the first rule that matches counts.
    pub connect_to: Vec<ConnectTo>,
    /// How long each phase may take.
    pub timeouts: Timeouts,
    /// Content types to download, with `*` for any run of characters; a missing type always is.
    pub accepted: Vec<String>,
    /// Cookies to begin with.
    pub cookies: Jar,
    /// Proxies to go through.
    pub proxies: Proxies,
    /// A PEM file of further certificate authorities to trust.
    pub ca_file: Option<PathBuf>,
}

/// How long each phase of a request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Resolving the name.
    pub dns: Duration,
    /// Connecting, TLS handshake included.
    pub connect: Duration,
    /// From the connection to the head of the answer.
    pub answer: Duration,
    /// Between two pieces of the body.
    pub stall: Duration,
    /// All together.
    pub total: Duration,
}

/// Why the network cannot be used as told.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// A header line cannot be sent.
    #[error(
        "header '{0}' cannot be sent: expected 'Name: value' in plain characters, and not a line that the connection itself needs (Host, Content-Length, Connection, Transfer-Encoding)"
    )]
    Header(String),
    /// The name we would go by cannot be sent.
    #[error("user agent or contact '{0}' cannot be sent: use plain characters")]
    UserAgent(String),
    /// The certificate file cannot be used.
    #[error("certificate file {}: {detail}", .path.display())]
    CaFile {
        /// Which.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// A proxy of a kind that is not spoken to.
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
            cookies: Jar::default(),
            proxies: Proxies::none(),
            ca_file: None,
        }
    }
}

/// Pages, feeds, sitemaps, OpenSearch descriptions and the answers of scripted searches.
const ACCEPTED: [&str; 7] = [
    "text/html",
    "text/plain",
    "text/xml",
    "application/xml",
    "application/*+xml",
    "application/json",
    "application/*+json",
];

impl Default for Timeouts {
    fn default() -> Timeouts {
        let [dns, connect, answer, stall, total] = [5, 10, 20, 10, 60].map(Duration::from_secs);
        Timeouts { dns, connect, answer, stall, total }
    }
}

impl NetworkOptions {
    /// The full user agent: `hadal/1.0 (+contact)`.
    pub fn full_user_agent(&self) -> String {
        match &self.contact {
            Some(contact) => format!("{} (+{contact})", self.user_agent),
            None => self.user_agent.clone(),
        }
    }

    /// The header lines that every request begins with.
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

const ACCEPT: &str =
    "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,application/json;q=0.8,*/*;q=0.1";

/// A header line that may be sent, if it may.
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
    fn the_user_agent_says_who_and_whom_to_write_to() {
        let mut options = NetworkOptions::default();
        assert!(options.full_user_agent().starts_with("hadal/"));
        options.contact = Some("https://owner.example/bot".to_string());
        assert!(options.full_user_agent().ends_with(" (+https://owner.example/bot)"));
    }

    #[test]
    fn header_lines_that_cannot_be_sent_are_refused_at_the_start() {
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
