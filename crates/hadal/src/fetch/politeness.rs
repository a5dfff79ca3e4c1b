//! When a host may be asked again.
//!
//! A slow answer means a busy host, so the pause grows with the time the last answer took.
//! Nothing here waits: the engine keeps the moment and serves other hosts meanwhile.

use hadal_core::time::Time;
use std::time::Duration;

/// A `Crawl-delay` beyond this is honoured only so far: at one page a minute a host with a thousand
/// pages takes most of a day, and longer values are in practice typing errors or a way to say "never",
/// for which robots.txt has `Disallow`.
pub const LONGEST_CRAWL_DELAY: Duration = Duration::from_secs(60);

/// How long to leave a host alone between two requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Politeness {
    /// The least pause.
    pub delay: Duration,
    /// Pause in multiples of the time the last answer took.
    pub latency_factor: f64,
    /// The longest pause that latency can cause.
    pub max_delay: Duration,
}

impl Default for Politeness {
    fn default() -> Politeness {
        Politeness { delay: Duration::from_secs(1), latency_factor: 2.0, max_delay: Duration::from_secs(30) }
    }
}

/// The moment from which a host may be asked again, when its last answer ended at `now`.
pub fn next_request_at(
    now: Time,
    took: Duration,
    politeness: &Politeness,
    crawl_delay: Option<Duration>,
) -> Time {
    let by_latency = times(took, politeness.latency_factor).min(politeness.max_delay);
    let asked_for = crawl_delay.unwrap_or_default().min(LONGEST_CRAWL_DELAY);
    now.after(politeness.delay.max(by_latency).max(asked_for))
}

/// A factor that is no sensible number (negative, infinite) counts as the end of its range.
fn times(took: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(took.as_secs_f64() * factor.max(0.0)).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(took_ms: u64, crawl_delay: Option<u64>) -> u64 {
        let politeness = Politeness::default();
        let crawl_delay = crawl_delay.map(Duration::from_secs);
        next_request_at(Time(5_000), Duration::from_millis(took_ms), &politeness, crawl_delay).0 - 5_000
    }

    #[test]
    fn a_quick_host_gets_the_plain_delay() {
        assert_eq!(pause(20, None), 1_000);
    }

    #[test]
    fn a_slow_host_gets_a_longer_one_up_to_the_cap() {
        assert_eq!(pause(3_000, None), 6_000);
        assert_eq!(pause(40_000, None), 30_000);
    }

    #[test]
    fn crawl_delay_is_honoured_up_to_a_minute() {
        assert_eq!(pause(20, Some(10)), 10_000);
        assert_eq!(pause(8_000, Some(10)), 16_000);
        assert_eq!(pause(20, Some(86_400)), 60_000);
    }

    #[test]
    fn an_impossible_factor_cannot_panic() {
        for latency_factor in [f64::NAN, f64::INFINITY, -1.0] {
            let politeness = Politeness { latency_factor, ..Politeness::default() };
            let next = next_request_at(Time(0), Duration::from_secs(1), &politeness, None);
            assert!(next >= Time(1_000) && next <= Time(30_000));
        }
    }
}
