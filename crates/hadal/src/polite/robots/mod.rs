//! robots.txt (RFC 9309), `<meta name=robots>` and the `X-Robots-Tag` header.
//!
//! Pure: callers fetch robots.txt and keep its text. The parser and matcher are our own because the crates we tried
//! missed cases of the RFC (agent tokens with a version, merged groups) or took exponential time on patterns with
//! many `*`.

mod header;
mod response;
mod rules;

pub use header::PageDirectives;
pub(super) use response::MAX_LIFETIME;
pub use response::{MAX_ROBOTS_HOPS, RobotsAnswer, interpret_robots};
pub use rules::RobotsRules;

use serde::{Deserialize, Serialize};
use url::Url;

/// Product token of hadal in robots.txt, `<meta name=hadal>` and `X-Robots-Tag`.
pub const AGENT: &str = "hadal";

/// Result of the last robots.txt request to a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RobotsState {
    /// Everything is allowed: there is no robots.txt, or it has no rules.
    AllowAll,
    /// Everything is disallowed for now: robots.txt could not be fetched.
    DisallowAll,
    /// Rules of robots.txt, without lines that mean nothing to us.
    Text(String),
    /// robots.txt redirects; the next request for it goes to `url`.
    Elsewhere {
        /// Target of the redirect.
        url: Url,
        /// Redirects followed so far.
        hops: u8,
    },
}
