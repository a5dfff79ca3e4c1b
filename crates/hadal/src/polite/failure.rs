//! Kinds of failure, as counted in tables and exports.

use hadal_core::http::FetchError;
use std::fmt;

/// Reason why a link gave no page. The names are part of the output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The server sent this status code.
    Http(u16),
    /// The server sent no response.
    Fetch(FetchError),
    /// The target of a redirect is no web address.
    BadRedirect,
    /// Redirects lead in a circle, or there are too many of them.
    RedirectLoop,
    /// The body has a content type that is not downloaded.
    Unwanted,
    /// The connection broke before the first byte of the body.
    Broken,
    /// The response is no HTML page.
    NoPage,
    /// robots.txt disallows the URL.
    Robots,
    /// The byte budget cut the body short.
    ByteBudget,
    /// The session ended before the response was recorded.
    Interrupted,
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FailureKind::Http(status) => return write!(f, "http_{status}"),
            FailureKind::Fetch(error) => fetch_error_name(*error),
            FailureKind::BadRedirect => "bad_redirect",
            FailureKind::RedirectLoop => "redirect_loop",
            FailureKind::Unwanted => "unwanted",
            FailureKind::Broken => "broken",
            FailureKind::NoPage => "no_page",
            FailureKind::Robots => "robots",
            FailureKind::ByteBudget => "byte_budget",
            FailureKind::Interrupted => "interrupted",
        })
    }
}

impl From<FailureKind> for String {
    fn from(kind: FailureKind) -> String {
        kind.to_string()
    }
}

fn fetch_error_name(error: FetchError) -> &'static str {
    match error {
        FetchError::NoSuchHost => "no_such_host",
        FetchError::Dns => "dns",
        FetchError::PrivateAddress => "private_address",
        FetchError::BadPort => "bad_port",
        FetchError::Connect => "connect",
        FetchError::Tls => "tls",
        FetchError::ConnectTimeout => "connect_timeout",
        FetchError::AnswerTimeout => "answer_timeout",
        FetchError::BodyTimeout => "body_timeout",
        FetchError::Closed => "closed",
        FetchError::Protocol => "protocol",
        FetchError::BadUrl => "bad_url",
    }
}
