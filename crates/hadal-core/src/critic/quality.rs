//! Quality of the forms found, estimated by probing a random sample of them (Form-Focused Crawler, section 5).
//!
//! Proportions have a Wilson score interval: it stays within 0 and 1, and is valid for small samples and for
//! proportions of 0 and 1.

use crate::identity::FormId;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// 97.5 % quantile of the normal distribution, for intervals of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// Proportion with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ProportionInterval {
    /// Observed proportion, `hits / trials`.
    pub estimate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Proportion of `hits` among `trials` with its Wilson score interval. `None` without trials.
pub fn wilson_interval(hits: u64, trials: u64) -> Option<ProportionInterval> {
    if trials == 0 {
        return None;
    }
    let n = trials as f64;
    let p = hits.min(trials) as f64 / n;
    let scale = 1.0 + Z * Z / n;
    let centre = (p + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    Some(ProportionInterval { estimate: p, low: (centre - half).max(0.0), high: (centre + half).min(1.0) })
}

/// Draws a random sample of `size` forms by hashing their ids with `seed`.
///
/// The sample of a seed is reproducible. A larger sample contains a smaller one, and newly found forms replace few of
/// the old ones, so that earlier probes remain useful.
pub fn sample_forms<T>(mut forms: Vec<T>, id: impl Fn(&T) -> FormId, size: usize, seed: u64) -> Vec<T> {
    forms.sort_by_cached_key(|form| {
        let id = id(form);
        (xxh3_64_with_seed(&id.0.to_le_bytes(), seed), id)
    });
    forms.truncate(size);
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(count: u64) -> Vec<FormId> {
        (0..count).map(FormId).collect()
    }

    fn drawn(count: u64, size: usize, seed: u64) -> Vec<u64> {
        sample_forms(ids(count), |id| *id, size, seed).into_iter().map(|id| id.0).collect()
    }

    #[test]
    fn wilson_gives_the_published_intervals() {
        // Newcombe (1998), table I, method 3.
        for (hits, trials, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let interval = wilson_interval(hits, trials).unwrap();
            assert!((interval.low - low).abs() < 5e-5 && (interval.high - high).abs() < 5e-5, "{interval:?}");
        }
    }

    #[test]
    fn without_trials_there_is_no_interval_and_few_trials_give_a_wide_one() {
        assert_eq!(wilson_interval(0, 0), None);
        let one = wilson_interval(1, 1).unwrap();
        assert!(one.estimate == 1.0 && one.low < 0.25 && one.high == 1.0);
    }

    #[test]
    fn samples_repeat_nest_and_differ_by_seed() {
        assert_eq!(drawn(1000, 20, 1), drawn(1000, 20, 1));
        assert_eq!(drawn(1000, 20, 1), drawn(1000, 50, 1)[..20]);
        assert_ne!(drawn(1000, 20, 1), drawn(1000, 20, 2));
        assert_eq!(drawn(5, 20, 1).len(), 5);
    }

    #[test]
    fn every_form_is_drawn_about_equally_often() {
        let mut times = [0; 40];
        for seed in 0..2000 {
            for id in drawn(40, 10, seed) {
                times[id as usize] += 1;
            }
        }
        assert!(times.iter().all(|times| (400..600).contains(times)), "{times:?}");
    }
}
