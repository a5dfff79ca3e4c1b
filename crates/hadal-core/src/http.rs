//! HTTP requests and responses, shared by the network client and the simulated web.
//!
//! One [`Request`] is one unit of every request budget. A failed exchange is data, not an exception: it is stored and
//! counted, and [`FetchError::is_transient`] decides about retries.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// HTTP method of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Parameters are in the URL.
    #[default]
    Get,
    /// Parameters are in the body.
    Post,
}

/// Header lines in the order they were sent. Names are compared without case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Headers(pub Vec<(String, String)>);

impl Headers {
    /// First value of a header.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// All values of a header, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let of_name = move |(key, _): &&(String, String)| key.eq_ignore_ascii_case(name);
        self.0.iter().filter(of_name).map(|(_, value)| value.as_str())
    }

    /// Appends a header line; lines with the same name stay.
    pub fn push(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_string(), value.into()));
    }
}

/// One HTTP request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Method of the request line.
    pub method: Method,
    /// URL to fetch.
    pub url: Url,
    /// Header lines in addition to those of the HTTP client.
    pub headers: Headers,
    /// Body of a POST request, already encoded.
    pub body: Vec<u8>,
    /// Maximum number of bytes of the response body to read; the rest is cut off.
    pub body_limit: u64,
    /// Longest wait for the response head, if it is shorter than that of the HTTP client.
    #[serde(skip)]
    pub answer_limit: Option<Duration>,
}

impl Request {
    /// A GET request without extra headers and with the default body limit.
    pub fn get(url: Url) -> Request {
        let (method, headers, body) = (Method::Get, Headers::default(), Vec::new());
        Request { method, url, headers, body, body_limit: DEFAULT_BODY_LIMIT, answer_limit: None }
    }
}

/// Body limit of page requests in bytes. Guess; search pages are far smaller.
pub const DEFAULT_BODY_LIMIT: u64 = 4 * 1024 * 1024;

/// Response of a server with its body decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// HTTP status code.
    pub status: u16,
    /// Header lines as received.
    pub headers: Headers,
    /// Body without transfer and content coding, cut at the request's limit.
    pub body: Vec<u8>,
    /// Bytes of the body as transferred, before decoding.
    pub transferred: u64,
    /// Completeness of the body.
    pub completeness: BodyCompleteness,
}

/// Completeness of a response body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyCompleteness {
    /// All bytes were read.
    #[default]
    Whole,
    /// Cut at the limit, before or after decompression.
    Cut,
    /// Not downloaded because of its content type.
    Unwanted,
    /// The connection or the content coding broke; the bytes read before are kept.
    Broken,
}

/// Result of one request.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The response, or the reason of the failure.
    pub result: Result<Response, FetchError>,
    /// Duration by the client's clock, which is simulated in the simulated web.
    pub took: Duration,
    /// IP address of the connection, if there was one.
    pub peer: Option<std::net::IpAddr>,
}

/// Reason why a request has no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FetchError {
    /// The host name does not resolve.
    #[error("host name does not resolve")]
    NoSuchHost,
    /// The resolver did not answer.
    #[error("name resolution failed")]
    Dns,
    /// The address is private, loopback or link-local and not allowed.
    #[error("private address refused (use --allow-private to visit it)")]
    PrivateAddress,
    /// The port belongs to another protocol.
    #[error("port is not a web port")]
    BadPort,
    /// The connection was refused, or the host is unreachable.
    #[error("connection refused or unreachable")]
    Connect,
    /// The proxy did not open a connection.
    #[error("no connection through the proxy")]
    Proxy,
    /// The TLS handshake failed.
    #[error("TLS handshake failed")]
    Tls,
    /// The connection was not established in time.
    #[error("timed out while connecting")]
    ConnectTimeout,
    /// The response did not start in time.
    #[error("timed out while waiting for the answer")]
    AnswerTimeout,
    /// The body stalled, or the whole exchange took too long.
    #[error("timed out while reading the body")]
    BodyTimeout,
    /// The connection was closed before the response.
    #[error("connection closed before an answer")]
    Closed,
    /// The response is not valid HTTP.
    #[error("not a valid HTTP answer")]
    Protocol,
    /// The URL cannot be requested.
    #[error("URL cannot be requested")]
    BadUrl,
}

impl FetchError {
    /// Returns true if the same request may succeed later.
    pub fn is_transient(self) -> bool {
        use FetchError::*;
        matches!(self, Dns | Connect | Proxy | ConnectTimeout | AnswerTimeout | BodyTimeout | Closed)
    }
}
