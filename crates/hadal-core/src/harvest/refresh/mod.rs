//! Refresh of a harvest: sends those queries again that probably have most changes in their answers.
//!
//! [`RefreshPolicy`] chooses among the queries of the harvest by the expected number of changes per request.
//! [`compare`] finds new, changed and missing records in an answer. Rates are learned by [`ChangeRate`].

pub mod compare;
mod policy;

pub use policy::{KnownQuery, RefreshPolicy, allocate};

/// Changes per record and day before anything is known. Guess; it matters for the first refresh of a store only.
pub const FIRST_RATE: f64 = 0.01;
/// Weight of the prior in record-days: a hundred records seen again after a day. Guess.
const PRIOR_RECORD_DAYS: f64 = 100.0;
/// Weight of the prior of a query's factor, in expected changes. Guess: two changes outweigh it.
const FACTOR_WEIGHT: f64 = 1.0;

/// Changes seen in a number of record-days.
///
/// Changes (new, edited and removed records) arrive as a Poisson process. A form has the rate `r` per record and day
/// with the prior `Gamma(m * b, b)` of mean `m`, with `b = PRIOR_RECORD_DAYS`. `m` is the rate of all forms of the
/// store, and [`FIRST_RATE`] before the first refresh. After `x` changes in `e` record-days the posterior mean is
///
/// `r = (m * b + x) / (b + e)`.
///
/// A query `q` of the form has the rate `r * f`. Its factor `f` has the prior `Gamma(k, k)` with `k = FACTOR_WEIGHT`
/// and mean 1. After `x_q` changes in `e_q` record-days of this query the posterior mean is
///
/// `f = (k + x_q) / (k + r * e_q)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChangeRate {
    /// Number of changes.
    pub changes: f64,
    /// Sum over the records compared of the days since each was last seen.
    pub record_days: f64,
}

impl ChangeRate {
    /// Adds the history of a query.
    pub fn add(&mut self, other: ChangeRate) {
        self.changes += other.changes;
        self.record_days += other.record_days;
    }

    /// Expected changes per record and day with this history and a prior of mean `m`.
    pub fn rate(&self, m: f64) -> f64 {
        (m * PRIOR_RECORD_DAYS + self.changes) / (PRIOR_RECORD_DAYS + self.record_days)
    }

    /// Factor of a query with this history, for a form with the rate `r`.
    pub fn factor(&self, r: f64) -> f64 {
        (FACTOR_WEIGHT + self.changes) / (FACTOR_WEIGHT + r * self.record_days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_moves_from_the_prior_to_the_observed_one() {
        let none = ChangeRate::default();
        assert!((none.rate(FIRST_RATE) - FIRST_RATE).abs() < 1e-12);
        assert!((none.factor(0.3) - 1.0).abs() < 1e-12);
        let many = ChangeRate { changes: 5_000.0, record_days: 100_000.0 };
        assert!((many.rate(FIRST_RATE) - 0.05).abs() < 1e-3);
        let still = ChangeRate { changes: 0.0, record_days: 500.0 };
        assert!(still.factor(0.05) < 0.05 && still.rate(FIRST_RATE) < FIRST_RATE / 5.0);
    }
}
