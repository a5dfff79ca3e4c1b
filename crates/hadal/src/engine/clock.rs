//! The run's clock: the wall's, or a simulated one that jumps.

use hadal_core::time::Time;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What time it is for a run.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// The wall clock; outcomes are taken in as they arrive, so that one slow host holds up nobody.
    Real,
    /// A clock that moves only as steps end. Up to `window` steps are begun ahead of the oldest one
    /// that has not ended, and they end in the order they began: the run is the same whatever the
    /// number of threads.
    Simulated {
        /// Now.
        now: Time,
        /// Steps in flight at most.
        window: usize,
    },
}

impl Clock {
    /// A simulated clock at its beginning.
    pub fn simulated(window: usize) -> Clock {
        Clock::Simulated { now: Time(0), window: window.max(1) }
    }

    /// Whether it jumps.
    pub fn is_simulated(&self) -> bool {
        matches!(self, Clock::Simulated { .. })
    }

    /// Now.
    pub fn now(&self) -> Time {
        match self {
            Clock::Simulated { now, .. } => *now,
            Clock::Real => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
                Time(0).after(since)
            }
        }
    }

    /// Moves a simulated clock forward; never backward, and the wall's not at all.
    pub fn advance(&mut self, to: Time) {
        if let Clock::Simulated { now, .. } = self {
            *now = (*now).max(to);
        }
    }
}
