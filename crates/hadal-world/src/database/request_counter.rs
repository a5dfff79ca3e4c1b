//! Request counters of a database: rate limits, walls and failures.

use super::config::{DatabaseConfig, Fault};
use crate::random::{SeededRng, mix};
use hadal_core::http::Request;
use hadal_core::time::Time;
use xxhash_rust::xxh3::xxh3_64;

const MINUTE: u64 = 60_000;

/// Milliseconds during which a request fails or succeeds consistently. Guess.
pub(crate) const FAILURE_PERIOD: u64 = 4_000;

/// Counters of the requests that a database received. This is its only state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestCounter {
    minute: u64,
    in_minute: u32,
    pub(super) requests: u32,
    queries: u32,
}

/// Reason for not answering a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The rate limit is reached; the next minute begins in this many seconds.
    TooMany(u64),
    /// Random server error.
    Failure,
    /// The site has vanished.
    Gone,
    /// A login is required.
    Login,
    /// A captcha must be solved.
    Captcha,
}

impl RequestCounter {
    /// Counts a request and decides whether it is refused. `is_query` is true for requests of result pages.
    pub(super) fn count(
        &mut self,
        config: &DatabaseConfig,
        request: &Request,
        is_query: bool,
        at: Time,
    ) -> Option<Refusal> {
        self.requests = self.requests.saturating_add(1);
        if at.0 / MINUTE != self.minute {
            (self.minute, self.in_minute) = (at.0 / MINUTE, 0);
        }
        if config.rate_limit.is_some_and(|limit| self.in_minute >= limit) {
            return Some(Refusal::TooMany((MINUTE - at.0 % MINUTE).div_ceil(1000)));
        }
        self.in_minute += 1;
        self.queries = self.queries.saturating_add(u32::from(is_query));
        match config.fault {
            Fault::Vanishes(after) if self.requests > after => Some(Refusal::Gone),
            Fault::LoginWall(after) if is_query && self.queries > after => Some(Refusal::Login),
            Fault::Captcha(after) if is_query && self.queries > after => Some(Refusal::Captcha),
            _ => fails(config, request, at).then_some(Refusal::Failure),
        }
    }
}

fn fails(config: &DatabaseConfig, request: &Request, at: Time) -> bool {
    let hash = mix(xxh3_64(request.url.as_str().as_bytes()), xxh3_64(&request.body));
    SeededRng::new(mix(config.seed, hash), at.0 / FAILURE_PERIOD).chance(config.failure_rate)
}
