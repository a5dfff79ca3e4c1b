//! Changes of a database in the course of simulated days.
//!
//! All changes follow from the seed of the database, so the state of any day can be computed without the days
//! before. On day 0 a database has its first records. On each later day
//!
//! - records are added, `n * added * pace` on average for `n` first records,
//! - each record is edited with probability `edited * pace * factor` and removed with probability
//!   `removed * pace * factor`.
//!
//! `pace` differs by database, `factor` by town: a fifth of the towns is busy and has most of the changes. So
//! a crawler can learn which databases and which queries are worth a second visit.

use crate::lexicon::TOWNS;
use crate::random::{SeededRng, mix};
use crate::spec::ChangeRates;
use hadal_core::time::Time;

/// Milliseconds of a simulated day.
const DAY: u64 = 86_400_000;
/// Last day with changes. Guess: ten years bound the work per request.
const MAX_DAYS: u64 = 3_650;
/// Factor of the database that changes most; that of the calmest is its inverse, the mean 1.35. Guess.
const MAX_PACE: f64 = 4.0;
/// One town in this number is busy. Guess.
const BUSY_TOWNS: u64 = 5;
/// Factor of a busy town. Guess; with [`CALM`] the mean over all towns is 1.
const BUSY: f64 = 4.0;
/// Factor of the other towns. Guess.
const CALM: f64 = 0.25;

/// Day of a time on the simulated clock.
pub(crate) fn day_of(at: Time) -> u32 {
    (at.0 / DAY).min(MAX_DAYS) as u32
}

/// Changes of one database up to a day.
pub(crate) struct Changes {
    seed: u64,
    day: u32,
    /// Rates of this database.
    rates: ChangeRates,
    /// Number of records that ever existed, at the end of each day.
    totals: Vec<u32>,
}

impl Changes {
    pub(crate) fn new(seed: u64, records: u32, rates: &ChangeRates, day: u32) -> Changes {
        let pace = MAX_PACE.powf(2.0 * SeededRng::new(seed, 0x300).unit() - 1.0);
        let (added, edited, removed) = (rates.added * pace, rates.edited * pace, rates.removed * pace);
        let mut totals = vec![records];
        for day in 1..=day {
            let mean = f64::from(records) * added;
            let more = (mean + SeededRng::new(seed, 0x4000 + u64::from(day)).unit()) as u32;
            totals.push(totals[day as usize - 1] + more);
        }
        Changes { seed, day, rates: ChangeRates { added, edited, removed }, totals }
    }

    /// Number of records that ever existed. Their numbers are below it.
    pub(crate) fn ever(&self) -> u32 {
        self.totals.last().copied().unwrap_or(0)
    }

    /// True for a record that was added after day 0.
    pub(crate) fn is_added(&self, record: u32) -> bool {
        self.totals.first().is_some_and(|first| record >= *first)
    }

    /// Number of times that a record was edited; `None` if it does not exist on the day.
    pub(crate) fn version(&self, record: u32, town: usize) -> Option<u32> {
        let born = self.totals.iter().position(|total| record < *total)? as u32;
        let factor = self.town_factor(town);
        let happens = |day: u32, kind: u64, rate: f64| {
            let purpose = mix(u64::from(record), (u64::from(day) << 2) | kind);
            SeededRng::new(self.seed, purpose).chance(rate * factor)
        };
        let later = born + 1..=self.day;
        let is_removed = later.clone().any(|day| happens(day, 1, self.rates.removed));
        let edits = || later.filter(|day| happens(*day, 2, self.rates.edited)).count() as u32;
        (!is_removed).then(edits)
    }

    fn town_factor(&self, town: usize) -> f64 {
        let is_busy = mix(mix(self.seed, 0x301), town as u64).is_multiple_of(BUSY_TOWNS);
        if is_busy { BUSY } else { CALM }
    }

    /// Town of an added record: busy towns get more of them.
    pub(crate) fn draw_town(&self, rng: &mut SeededRng) -> usize {
        let mut town = 0;
        for _ in 0..16 {
            town = rng.below(TOWNS.len() as u32) as usize;
            if rng.chance(self.town_factor(town) / BUSY) {
                break;
            }
        }
        town
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_changes_at_the_given_rates_from_day_to_day() {
        let (mut added, mut edited, mut removed) = (0, 0, 0);
        for seed in 0..200 {
            let changes = Changes::new(seed, 500, &ChangeRates::usual(), 10);
            added += changes.ever() - 500;
            let versions = (0..500).map(|record| changes.version(record, record as usize % TOWNS.len()));
            for version in versions {
                removed += u32::from(version.is_none());
                edited += version.unwrap_or(0);
            }
        }
        // 100,000 records for 10 days; the pace of databases has a mean of 1.35.
        assert!((4_000..10_000).contains(&added), "{added}");
        assert!((8_000..20_000).contains(&edited), "{edited}");
        assert!((4_000..10_000).contains(&removed), "{removed}");
    }

    #[test]
    fn the_first_day_has_no_changes_and_a_removed_record_never_returns() {
        let first = Changes::new(7, 300, &ChangeRates::usual(), day_of(Time(DAY - 1)));
        assert!((0..300).all(|record| first.version(record, 3) == Some(0)) && first.ever() == 300);
        let gone = |day| {
            let changes = Changes::new(7, 300, &ChangeRates::usual(), day);
            let town = |record: u32| record as usize % TOWNS.len();
            (0..300).filter(|record| changes.version(*record, town(*record)).is_none()).collect::<Vec<_>>()
        };
        assert!(gone(20).iter().all(|record| gone(40).contains(record)));
        assert!(gone(40).len() > gone(5).len());
    }
}
