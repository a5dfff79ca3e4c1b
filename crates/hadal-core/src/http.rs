//! Requests and answers as every carrier sees them: the network and the simulated web alike.
//!
//! One [`Request`] is one unit of every budget. A failed exchange is data, not an exception:
//! it is stored, counted, and tells whether trying again can help.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// How a request is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Parameters travel in the URL.
    #[default]
    Get,
    /// Parameters travel in the body.
    Post,
}

/// Header lines in the order they were sent; names compare without case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Headers(pub Vec<(String, String)>);

impl Headers {
    /// The first value of a header.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Every value of a header, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let of_name = move |(key, _): &&(String, String)| key.eq_ignore_ascii_case(name);
        self.0.iter().filter(of_name).map(|(_, value)| value.as_str())
    }

    /// Adds a line.
    pub fn push(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_string(), value.into()));
    }
}

/// One HTTP request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// How.
    pub method: Method,
    /// Where.
    pub url: Url,
    /// Extra header lines, beyond those that the carrier adds by itself.
    pub headers: Headers,
    /// What, for POST.
    pub body: Vec<u8>,
    /// The most bytes of body to take; what comes after is cut off.
    pub body_limit: u64,
}

impl Request {
    /// A plain page request with the default body limit.
    pub fn get(url: Url) -> Request {
        let (method, headers, body) = (Method::Get, Headers::default(), Vec::new());
        Request { method, url, headers, body, body_limit: DEFAULT_BODY_LIMIT }
    }
}

/// Bodies beyond this are cut: real search pages are far smaller.
pub const DEFAULT_BODY_LIMIT: u64 = 4 * 1024 * 1024;

/// What a server answered, body decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Header lines.
    pub headers: Headers,
    /// The body with transfer and content coding undone, cut at the request's limit.
    pub body: Vec<u8>,
    /// What the body cost: its bytes as they came over the wire.
    pub transferred: u64,
    /// Whether the whole body is here.
    pub completeness: Completeness,
}

/// Whether a body is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Completeness {
    /// To the last byte.
    #[default]
    Whole,
    /// Cut at the limit, on the wire or while it was decompressed.
    Cut,
    /// Not downloaded, because nobody wants this content type.
    Unwanted,
    /// The connection broke or the coding was damaged on the way; what came is kept.
    Broken,
}

/// One request and what came of it.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The answer, or why there is none.
    pub result: Result<Response, FetchError>,
    /// How long it took, on the carrier's clock.
    pub took: Duration,
    /// The address that was connected to, when there was one.
    pub peer: Option<std::net::IpAddr>,
}

/// Why a request brought no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FetchError {
    /// The name does not resolve.
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
    /// Nothing listens there, or it cannot be reached.
    #[error("connection refused or unreachable")]
    Connect,
    /// The TLS handshake failed.
    #[error("TLS handshake failed")]
    Tls,
    /// No connection in time.
    #[error("timed out while connecting")]
    ConnectTimeout,
    /// No answer in time.
    #[error("timed out while waiting for the answer")]
    AnswerTimeout,
    /// The body stalled, or all together took too long.
    #[error("timed out while reading the body")]
    BodyTimeout,
    /// The connection was closed before an answer.
    #[error("connection closed before an answer")]
    Closed,
    /// What came is not HTTP.
    #[error("not a valid HTTP answer")]
    Protocol,
    /// The URL cannot be requested.
    #[error("URL cannot be requested")]
    BadUrl,
}

impl FetchError {
    /// Whether the same request may succeed a little later.
    pub fn is_transient(self) -> bool {
        use FetchError::*;
        matches!(self, Dns | Connect | ConnectTimeout | AnswerTimeout | BodyTimeout | Closed)
    }
}
