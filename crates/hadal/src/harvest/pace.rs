//! What time it is for one harvest: the wall's, or a simulated clock of its own that jumps.

use crate::engine::Clock;
use hadal_core::time::Time;
use std::time::Duration;

/// The clock of one harvest.
#[derive(Clone, Copy, Debug)]
pub struct Pace(Clock);

impl Pace {
    /// The wall's clock.
    pub fn real() -> Pace {
        Pace(Clock::Real)
    }

    /// A simulated clock that stands at this moment.
    pub fn simulated(now: Time) -> Pace {
        let mut clock = Clock::simulated(1);
        clock.advance(now);
        Pace(clock)
    }

    /// Now.
    pub fn now(&self) -> Time {
        self.0.now()
    }

    /// Time that a request took has passed.
    pub fn pass(&mut self, took: Duration) {
        let now = self.now();
        self.0.advance(now.after(took));
    }

    /// Waits for a moment; a simulated clock is there at once.
    pub async fn reach(&mut self, at: Time) {
        if self.0.is_simulated() {
            self.0.advance(at);
            return;
        }
        let wait = self.now().until(at);
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }
}
