//! Points in time, passed as arguments.
//!
//! Real crawls count from the Unix epoch, simulated crawls from 0. This crate reads no clock.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Point in time in milliseconds since the origin of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Time(pub u64);

impl Time {
    /// Adds a duration. Saturates instead of overflowing.
    pub fn after(self, wait: Duration) -> Time {
        Time(self.0.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Duration until `later`; 0 if `later` has passed.
    pub fn until(self, later: Time) -> Duration {
        Duration::from_millis(later.0.saturating_sub(self.0))
    }
}
