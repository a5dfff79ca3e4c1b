//! Time as an argument: milliseconds on whatever clock the caller runs.
//!
//! Real crawls count from the Unix epoch, simulated ones from zero. Nothing here reads a clock.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A moment, in milliseconds since the clock's own beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Time(pub u64);

impl Time {
    /// The moment `wait` later; the far future instead of an overflow.
    pub fn after(self, wait: Duration) -> Time {
        Time(self.0.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }

    /// How long until `later`; zero when it has passed.
    pub fn until(self, later: Time) -> Duration {
        Duration::from_millis(later.0.saturating_sub(self.0))
    }
}
