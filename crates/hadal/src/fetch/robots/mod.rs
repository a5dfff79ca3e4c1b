//! robots.txt (RFC 9309) and `X-Robots-Tag`: what a host lets us do.
//!
//! Pure: the engine fetches, keeps the text with the host and asks here. Our own parser and matcher
//! instead of a crate: the ones tried missed cases of the RFC (agent tokens with a version, merged
//! groups) or took exponential time on starry patterns, and all of it is little code.

mod header;
mod reading;
mod rules;

pub use header::{RobotsHeader, robots_header};
pub use reading::{RobotsReading, interpret};
pub use rules::Rules;

/// The name we go by in robots.txt and `X-Robots-Tag`.
pub const AGENT: &str = "hadal";
