//! Text and number forms of values, the same in tables, exports and the HTTP API.

use crate::store::LAST_TIMESTAMP;
use crate::store::RunState;
use hadal_core::http::Method;
use hadal_core::page::FormSource;
use hadal_core::time::Time;
use std::time::{Duration, SystemTime};

/// Name of an HTTP method in exports.
pub fn method_name(method: Method) -> &'static str {
    match method {
        Method::Get => "get",
        Method::Post => "post",
    }
}

/// Name of the declaration that a form was read from.
pub fn source_name(source: FormSource) -> &'static str {
    source.name()
}

/// RFC 3339 timestamp. Simulated clocks start at the Unix epoch; times after the year 9999 are cut to it.
pub fn timestamp(at: Time) -> String {
    let since = Duration::from_millis(at.0.min(LAST_TIMESTAMP));
    humantime::format_rfc3339_millis(SystemTime::UNIX_EPOCH + since).to_string()
}

/// Name of a run state.
pub fn state_name(state: RunState) -> &'static str {
    match state {
        RunState::Running => "running",
        RunState::Interrupted => "interrupted",
        RunState::Paused => "paused",
        RunState::Stopped => "stopped",
        RunState::Budget => "budget",
        RunState::Exhausted => "exhausted",
    }
}

/// Number with its noun: 1 query, 2 queries.
pub fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Converts milliseconds to seconds.
pub fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}
