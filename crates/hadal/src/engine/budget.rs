//! What a run may spend. A step is let go only if all it may cost is still there.

use crate::store::RunCounters;
use std::time::Duration;

/// Totals of the run; `None` is no limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Budget {
    /// Requests.
    pub requests: Option<u64>,
    /// Bytes of response bodies, as they come over the wire.
    pub bytes: Option<u64>,
    /// Time spent running, over all sessions.
    pub time: Option<Duration>,
}

/// What the budget says to one more step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Go, and take at most this many bytes.
    Go {
        /// The body limit.
        bytes: u64,
    },
    /// Wait until steps in flight have told what they really cost.
    Wait,
    /// Nothing left.
    Spent,
}

impl Budget {
    /// Asks for one more step. `in_flight` steps have reserved `reserved` bytes between them.
    pub fn ask(
        &self,
        tally: &RunCounters,
        in_flight: u64,
        reserved: u64,
        elapsed: Duration,
        body_limit: u64,
    ) -> Leave {
        let out_of_time = self.time.is_some_and(|limit| elapsed >= limit);
        let out_of_requests = self.requests.is_some_and(|limit| tally.requests >= limit);
        let out_of_bytes = self.bytes.is_some_and(|limit| tally.bytes >= limit);
        if out_of_time || out_of_requests || out_of_bytes {
            return Leave::Spent;
        }
        if self.requests.is_some_and(|limit| tally.requests + in_flight >= limit) {
            return Leave::Wait;
        }
        let left = self.bytes.map_or(u64::MAX, |limit| limit.saturating_sub(tally.bytes + reserved));
        if left >= body_limit {
            Leave::Go { bytes: body_limit }
        } else if in_flight > 0 {
            Leave::Wait
        } else {
            Leave::Go { bytes: left }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(requests: u64, bytes: u64) -> RunCounters {
        RunCounters { requests, bytes, ..RunCounters::default() }
    }

    #[test]
    fn requests_in_flight_count_before_they_come_back() {
        let budget = Budget { requests: Some(10), ..Budget::default() };
        let ask = |spent, in_flight| budget.ask(&tally(spent, 0), in_flight, 0, Duration::ZERO, 100);
        assert_eq!(ask(8, 1), Leave::Go { bytes: 100 });
        assert_eq!(ask(8, 2), Leave::Wait);
        assert_eq!(ask(10, 0), Leave::Spent);
    }

    #[test]
    fn the_last_bytes_are_given_to_one_step_alone() {
        let budget = Budget { bytes: Some(1000), ..Budget::default() };
        let ask = |spent, in_flight, reserved| {
            budget.ask(&tally(0, spent), in_flight, reserved, Duration::ZERO, 400)
        };
        assert_eq!(ask(0, 1, 400), Leave::Go { bytes: 400 });
        assert_eq!(ask(0, 2, 800), Leave::Wait);
        assert_eq!(ask(900, 0, 0), Leave::Go { bytes: 100 });
        assert_eq!(ask(1000, 0, 0), Leave::Spent);
    }

    #[test]
    fn time_ends_a_run_too() {
        let budget = Budget { time: Some(Duration::from_secs(5)), ..Budget::default() };
        assert_eq!(budget.ask(&tally(0, 0), 3, 0, Duration::from_secs(5), 1), Leave::Spent);
    }
}
