//! Time source of a session: the system clock, or a simulated one.

use hadal_core::time::Time;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds from the system clock to [`Clock::Real`]. 0 unless a shared clock deviates.
static OFFSET: AtomicI64 = AtomicI64::new(0);
/// Deviations up to this many milliseconds are left alone. Guess: well below the shortest usual delay.
const MIN_DEVIATION: i64 = 50;

/// Clock of one crawl or one harvest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// System clock, in milliseconds since the Unix epoch, or the shared clock that this process follows.
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

    /// Sets [`Clock::Real`] of this process by a clock that several machines share. `shared` is its time halfway
    /// through a question that took `took` and has just been answered.
    pub fn follow(shared: Time, took: Duration) {
        let deviation = shared.after(took / 2).0.cast_signed() - Clock::Real.now().0.cast_signed();
        OFFSET.fetch_add(correction(deviation, took), Ordering::Relaxed);
    }

    /// Current time of this clock.
    pub fn now(&self) -> Time {
        match self {
            Clock::Simulated(now) => *now,
            Clock::Real => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
                Time(Time(0).after(since).0.saturating_add_signed(OFFSET.load(Ordering::Relaxed)))
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

/// Part of a measured deviation in milliseconds that is corrected: all, or nothing if it may be an error of
/// measurement.
fn correction(deviation: i64, took: Duration) -> i64 {
    let error = i64::try_from(took.as_millis()).unwrap_or(i64::MAX) / 2;
    if deviation.saturating_abs() > error.saturating_add(MIN_DEVIATION) { deviation } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_deviations_beyond_the_error_of_measurement_are_corrected() {
        let quick = Duration::from_millis(2);
        assert_eq!(correction(40, quick), 0);
        assert_eq!(correction(-3_600_000, quick), -3_600_000);
        assert_eq!(correction(300, Duration::from_millis(600)), 0);
        assert_eq!(correction(400, Duration::from_millis(600)), 400);
    }
}
