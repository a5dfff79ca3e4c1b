//! Who came how often: the only thing a database remembers.

use super::config::DatabaseConfig;
use super::misconduct::Fault;
use crate::random::{SeededRng, mix};
use hadal_core::http::Request;
use hadal_core::time::Time;
use xxhash_rust::xxh3::xxh3_64;

const MINUTE: u64 = 60_000;

/// An answer fails for so long, then the same request is decided anew.
const MOOD: u64 = 4_000;

/// What has been asked so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestCounter {
    minute: u64,
    in_minute: u32,
    pub(super) requests: u32,
    pub(super) questions: u32,
}

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There were too many; seconds to wait.
    TooMany(u64),
    /// The program failed.
    Failure,
    /// The site is gone.
    Gone,
    /// One has to log in.
    Login,
    /// One has to prove to be a person.
    Captcha,
}

impl RequestCounter {
    /// Counts a request, and says why it is not answered if it is not.
    pub(super) fn count(
        &mut self,
        config: &DatabaseConfig,
        request: &Request,
        asks: bool,
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
        self.questions = self.questions.saturating_add(u32::from(asks));
        match config.fault {
            Fault::Vanishes(after) if self.requests > after => Some(Refusal::Gone),
            Fault::LoginWall(after) if asks && self.questions > after => Some(Refusal::Login),
            Fault::Captcha(after) if asks && self.questions > after => Some(Refusal::Captcha),
            _ => fails(config, request, at).then_some(Refusal::Failure),
        }
    }
}

/// Whether the program fails on a request at a moment.
fn fails(config: &DatabaseConfig, request: &Request, at: Time) -> bool {
    let question = mix(xxh3_64(request.url.as_str().as_bytes()), xxh3_64(&request.body));
    SeededRng::new(mix(config.seed, question), at.0 / MOOD).chance(config.failure_rate)
}
