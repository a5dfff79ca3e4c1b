//! Pause between two requests to one host.
//!
//! A slow response means a busy host, so the pause grows with the response time. Nothing here waits: callers keep the
//! time of the next permitted request and serve other hosts meanwhile.

use hadal_core::time::Time;
use std::time::Duration;

/// Longest `Crawl-delay` that is honoured. Longer values are in practice typing errors or mean "never", for
/// which robots.txt has `Disallow`. Guess: a host with a thousand pages then takes 17 hours.
pub const MAX_CRAWL_DELAY: Duration = Duration::from_secs(60);

/// Pauses from response times below this are ignored: a response in 125 ms (at the default factor 2) says nothing about
/// load, and with `--delay 0s` such pauses would make the order of a crawl depend on timing. Guess.
const MIN_LATENCY_PAUSE: Duration = Duration::from_millis(250);

/// Settings of the pause between two requests to one politeness group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Politeness {
    /// Least pause between two requests.
    pub delay: Duration,
    /// Pause as a multiple of the response time.
    pub latency_factor: f64,
    /// Longest pause that a slow response can cause.
    pub max_delay: Duration,
}

/// The defaults of the settings `politeness.*`. All of them are guesses.
impl Default for Politeness {
    fn default() -> Politeness {
        Politeness { delay: Duration::from_secs(1), latency_factor: 2.0, max_delay: Duration::from_secs(30) }
    }
}

/// Time of the next permitted request to a host. Its last response ended at `now` after `took`.
///
/// The pause is `max(delay, min(latency_factor * took, max_delay), min(crawl_delay, MAX_CRAWL_DELAY))`, where the
/// second term counts from [`MIN_LATENCY_PAUSE`] on.
pub fn next_request_at(
    now: Time,
    took: Duration,
    politeness: &Politeness,
    crawl_delay: Option<Duration>,
) -> Time {
    let by_latency = times(took, politeness.latency_factor).min(politeness.max_delay);
    let by_latency = if by_latency < MIN_LATENCY_PAUSE { Duration::ZERO } else { by_latency };
    let by_robots = crawl_delay.unwrap_or_default().min(MAX_CRAWL_DELAY);
    now.after(politeness.delay.max(by_latency).max(by_robots))
}

/// `took * factor`, where a negative factor counts as 0 and an infinite product as the longest duration.
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
    fn a_fast_host_gets_the_configured_delay() {
        assert_eq!(pause(20, None), 1_000);
    }

    #[test]
    fn a_slow_host_gets_a_longer_delay_up_to_the_maximum() {
        assert_eq!(pause(3_000, None), 6_000);
        assert_eq!(pause(40_000, None), 30_000);
    }

    #[test]
    fn without_a_delay_only_slow_hosts_rest() {
        let politeness = Politeness { delay: Duration::ZERO, ..Politeness::default() };
        let pause = |took| next_request_at(Time(0), Duration::from_millis(took), &politeness, None).0;
        assert_eq!([pause(20), pause(124), pause(125), pause(400)], [0, 0, 250, 800]);
    }

    #[test]
    fn crawl_delay_is_honoured_up_to_its_maximum() {
        assert_eq!(pause(20, Some(10)), 10_000);
        assert_eq!(pause(8_000, Some(10)), 16_000);
        assert_eq!(pause(20, Some(86_400)), 60_000);
    }

    #[test]
    fn factors_out_of_range_do_not_panic() {
        for latency_factor in [f64::NAN, f64::INFINITY, -1.0] {
            let politeness = Politeness { latency_factor, ..Politeness::default() };
            let next = next_request_at(Time(0), Duration::from_secs(1), &politeness, None);
            assert!(next >= Time(1_000) && next <= Time(30_000));
        }
    }
}
