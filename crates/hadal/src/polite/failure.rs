//! Kinds of failure, as counted in tables and exports.

use hadal_core::http::FetchError;
use http::StatusCode;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Ordering;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// Reason why a link gave no page. Its name (`http_404`, `connect`, `robots`, ...) is the same in stores,
/// exports and events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// The server sent this status code.
    Http(u16),
    /// The server sent no response.
    Fetch(FetchError),
    /// The target of a redirect is not an HTTP URL.
    BadRedirect,
    /// The redirects form a loop, or there are too many of them.
    RedirectLoop,
    /// The body has a content type that is not downloaded.
    Unwanted,
    /// The connection broke before the first byte of the body.
    Broken,
    /// The response is not an HTML page.
    NoPage,
    /// robots.txt disallows the URL.
    Robots,
    /// The byte budget cut the body short.
    ByteBudget,
    /// The session ended before the response was recorded.
    Interrupted,
    /// A submission was logged and then not sent: the budget was spent, robots.txt disallows the URL, the host rests for
    /// too long, or the session was stopped.
    NotSent,
    /// A kind that another version of hadal wrote.
    Other,
}

const FETCH_ERRORS: [FetchError; 13] = [
    FetchError::NoSuchHost,
    FetchError::Dns,
    FetchError::PrivateAddress,
    FetchError::BadPort,
    FetchError::Connect,
    FetchError::Proxy,
    FetchError::Tls,
    FetchError::ConnectTimeout,
    FetchError::AnswerTimeout,
    FetchError::BodyTimeout,
    FetchError::Closed,
    FetchError::Protocol,
    FetchError::BadUrl,
];

const OTHER_KINDS: [FailureKind; 9] = [
    FailureKind::BadRedirect,
    FailureKind::RedirectLoop,
    FailureKind::Unwanted,
    FailureKind::Broken,
    FailureKind::NoPage,
    FailureKind::Robots,
    FailureKind::ByteBudget,
    FailureKind::Interrupted,
    FailureKind::NotSent,
];

impl FailureKind {
    /// The name, without the status code of [`FailureKind::Http`].
    fn word(self) -> &'static str {
        match self {
            FailureKind::Http(_) => "http",
            FailureKind::Fetch(error) => fetch_error_name(error),
            FailureKind::BadRedirect => "bad_redirect",
            FailureKind::RedirectLoop => "redirect_loop",
            FailureKind::Unwanted => "unwanted",
            FailureKind::Broken => "broken",
            FailureKind::NoPage => "no_page",
            FailureKind::Robots => "robots",
            FailureKind::ByteBudget => "byte_budget",
            FailureKind::Interrupted => "interrupted",
            FailureKind::NotSent => "not_sent",
            FailureKind::Other => "other",
        }
    }

    /// Explanation for people.
    pub fn explanation(self) -> String {
        match self {
            FailureKind::Http(status) => {
                let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
                format!("status {status}{}", reason.map(|reason| format!(" ({reason})")).unwrap_or_default())
            }
            FailureKind::Fetch(error) => error.to_string(),
            FailureKind::BadRedirect => "redirects to an invalid or non-HTTP URL".into(),
            FailureKind::RedirectLoop => "redirect loop, or too many redirects".into(),
            FailureKind::Unwanted => "the content type is not downloaded".into(),
            FailureKind::Broken => "connection broke before the first byte of the body".into(),
            FailureKind::NoPage => "the response is not an HTML page".into(),
            FailureKind::Robots => "robots.txt disallows the URL".into(),
            FailureKind::ByteBudget => "the byte budget cut the body short".into(),
            FailureKind::Interrupted => "the session ended before the response".into(),
            FailureKind::NotSent => {
                "not sent: budget, robots.txt, a long pause or the end of the session".into()
            }
            FailureKind::Other => "unknown reason, stored by another version of hadal".into(),
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FailureKind::Http(status) => write!(f, "http_{status}"),
            other => f.write_str(other.word()),
        }
    }
}

/// An unknown name is [`FailureKind::Other`], so that stores of other versions can be read.
impl FromStr for FailureKind {
    type Err = Infallible;

    fn from_str(name: &str) -> Result<FailureKind, Infallible> {
        let status = name.strip_prefix("http_").and_then(|status| status.parse().ok());
        let fetch = FETCH_ERRORS.into_iter().map(FailureKind::Fetch);
        let mut named = fetch.chain(OTHER_KINDS).filter(|kind| kind.word() == name);
        Ok(status.map(FailureKind::Http).or_else(|| named.next()).unwrap_or(FailureKind::Other))
    }
}

/// Alphabetical order of the names, which is the order in exports.
impl Ord for FailureKind {
    fn cmp(&self, other: &FailureKind) -> Ordering {
        match (self, other) {
            (FailureKind::Http(_), FailureKind::Http(_)) => self.to_string().cmp(&other.to_string()),
            _ => self.word().cmp(other.word()),
        }
    }
}

impl PartialOrd for FailureKind {
    fn partial_cmp(&self, other: &FailureKind) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for FailureKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FailureKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FailureKind, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(name.parse().unwrap_or(FailureKind::Other))
    }
}

fn fetch_error_name(error: FetchError) -> &'static str {
    match error {
        FetchError::NoSuchHost => "no_such_host",
        FetchError::Dns => "dns",
        FetchError::PrivateAddress => "private_address",
        FetchError::BadPort => "bad_port",
        FetchError::Connect => "connect",
        FetchError::Proxy => "proxy",
        FetchError::Tls => "tls",
        FetchError::ConnectTimeout => "connect_timeout",
        FetchError::AnswerTimeout => "answer_timeout",
        FetchError::BodyTimeout => "body_timeout",
        FetchError::Closed => "closed",
        FetchError::Protocol => "protocol",
        FetchError::BadUrl => "bad_url",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn names_are_read_back_and_unknown_ones_are_other() {
        let fetch = FETCH_ERRORS.into_iter().map(FailureKind::Fetch);
        let all = fetch.chain(OTHER_KINDS).chain([FailureKind::Http(404), FailureKind::Other]);
        for kind in all {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!("http_".parse(), Ok(FailureKind::Other));
        assert_eq!("made_up".parse(), Ok(FailureKind::Other));
    }

    #[test]
    fn a_status_code_is_explained_with_its_name() {
        assert_eq!(FailureKind::Http(404).explanation(), "status 404 (Not Found)");
        assert_eq!(FailureKind::Http(799).explanation(), "status 799");
        assert_eq!(FailureKind::Fetch(FetchError::NoSuchHost).explanation(), "host name does not resolve");
    }

    #[test]
    fn counts_are_objects_in_the_order_of_names() {
        let kinds = ["unwanted", "http_503", "connect", "http_1000", "http_404", "no_page"];
        let counts: BTreeMap<FailureKind, u64> =
            kinds.iter().map(|name| (name.parse().unwrap_or(FailureKind::Other), 1)).collect();
        let json = serde_json::to_string(&counts).unwrap();
        assert_eq!(json, r#"{"connect":1,"http_1000":1,"http_404":1,"http_503":1,"no_page":1,"unwanted":1}"#);
        assert_eq!(serde_json::from_str::<BTreeMap<FailureKind, u64>>(&json).unwrap(), counts);
    }
}
