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

/// Times before the year 2000 are those of a simulated clock, which starts in 1970.
const FIRST_REAL_TIME: Time = Time(946_684_800_000);

/// True for a time of a simulated clock.
pub fn is_simulated(at: Time) -> bool {
    at < FIRST_REAL_TIME
}

/// A time in tables: date and time in UTC, or day and time of a simulated clock, such as `day 0 02:57:22`.
pub fn table_time(at: Time) -> String {
    let text = timestamp(at);
    let (date, time) = text[.."2026-01-31T12:00:00".len()].split_once('T').expect("a timestamp has a T");
    match is_simulated(at) {
        true => format!("day {} {time}", at.0 / 86_400_000),
        false => format!("{date} {time}"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_show_dates_and_days_of_a_simulated_clock() {
        assert_eq!(table_time(Time(1_795_003_200_500)), "2026-11-18 12:00:00");
        assert_eq!(table_time(Time(86_400_000 * 3 + 61_000)), "day 3 00:01:01");
    }
}
