//! Time source of a session: the system clock, or a simulated one.

use hadal_core::time::Time;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Clock of one crawl or one harvest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// System clock, in milliseconds since the Unix epoch.
    Real,
    /// Simulated clock at this time. It moves only when its owner advances it, so a session takes the same course
    /// on every machine.
    Simulated(Time),
}

impl Clock {
    /// Simulated clock at time zero.
    pub fn simulated() -> Clock {
        Clock::Simulated(Time(0))
    }

    /// True for a simulated clock.
    pub fn is_simulated(&self) -> bool {
        matches!(self, Clock::Simulated(_))
    }

    /// Current time of this clock.
    pub fn now(&self) -> Time {
        match self {
            Clock::Simulated(now) => *now,
            Clock::Real => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
                Time(0).after(since)
            }
        }
    }

    /// Moves a simulated clock forward, never backward. The system clock is left alone.
    pub fn advance(&mut self, to: Time) {
        if let Clock::Simulated(now) = self {
            *now = (*now).max(to);
        }
    }

    /// Sleeps until `at` on the system clock; sets a simulated clock to `at`.
    pub async fn sleep_until(&mut self, at: Time) {
        self.advance(at);
        let wait = self.now().until(at);
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }
}
