//! Budget of a run. A step is sent only when the budget covers the most that it can cost.

use crate::store::RunCounters;
use std::time::Duration;

/// Limits on the totals of a run; `None` means no limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Budget {
    /// Maximum number of requests of the run.
    pub requests: Option<u64>,
    /// Maximum number of bytes of response bodies, as sent over the network.
    pub bytes: Option<u64>,
    /// Maximum running time, over all sessions.
    pub time: Option<Duration>,
}

/// Answer of the budget to one more step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepAllowance {
    /// The step may be sent.
    Send {
        /// Maximum number of bytes of its response body.
        body_limit: u64,
    },
    /// The steps in flight may use up the rest. Ask again when their cost is known.
    Wait,
    /// The budget is spent.
    Spent,
}

impl Budget {
    /// Decides on one more step. `in_flight` steps have reserved `reserved` bytes together.
    pub fn allow_step(
        &self,
        counters: &RunCounters,
        in_flight: u64,
        reserved: u64,
        elapsed: Duration,
        body_limit: u64,
    ) -> StepAllowance {
        let out_of_time = self.time.is_some_and(|limit| elapsed >= limit);
        let out_of_requests = self.requests.is_some_and(|limit| counters.requests >= limit);
        let out_of_bytes = self.bytes.is_some_and(|limit| counters.bytes >= limit);
        if out_of_time || out_of_requests || out_of_bytes {
            return StepAllowance::Spent;
        }
        if self.requests.is_some_and(|limit| counters.requests + in_flight >= limit) {
            return StepAllowance::Wait;
        }
        let left = self
            .bytes
            .map_or(u64::MAX, |limit| limit.saturating_sub(counters.bytes.saturating_add(reserved)));
        if left >= body_limit {
            StepAllowance::Send { body_limit }
        } else if in_flight > 0 {
            StepAllowance::Wait
        } else {
            StepAllowance::Send { body_limit: left }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(requests: u64, bytes: u64) -> RunCounters {
        RunCounters { requests, bytes, ..RunCounters::default() }
    }

    #[test]
    fn requests_in_flight_count_before_they_finish() {
        let budget = Budget { requests: Some(10), ..Budget::default() };
        let ask =
            |requests, in_flight| budget.allow_step(&spent(requests, 0), in_flight, 0, Duration::ZERO, 100);
        assert_eq!(ask(8, 1), StepAllowance::Send { body_limit: 100 });
        assert_eq!(ask(8, 2), StepAllowance::Wait);
        assert_eq!(ask(10, 0), StepAllowance::Spent);
    }

    #[test]
    fn the_last_bytes_go_to_a_single_step() {
        let budget = Budget { bytes: Some(1000), ..Budget::default() };
        let ask = |bytes, in_flight, reserved| {
            budget.allow_step(&spent(0, bytes), in_flight, reserved, Duration::ZERO, 400)
        };
        assert_eq!(ask(0, 1, 400), StepAllowance::Send { body_limit: 400 });
        assert_eq!(ask(0, 2, 800), StepAllowance::Wait);
        assert_eq!(ask(900, 0, 0), StepAllowance::Send { body_limit: 100 });
        assert_eq!(ask(1000, 0, 0), StepAllowance::Spent);
    }

    #[test]
    fn time_limits_a_run() {
        let budget = Budget { time: Some(Duration::from_secs(5)), ..Budget::default() };
        assert_eq!(budget.allow_step(&spent(0, 0), 3, 0, Duration::from_secs(5), 1), StepAllowance::Spent);
    }
}
