//! Zipf estimator: the frequency of a word that was not queried, from its rank (section 3.1 of the paper).
//!
//! The frequency of the word of rank `r` is `f(r) = alpha * (r + beta)^-gamma` (equation 4). For queried words both
//! rank and frequency are known. For a given `beta`, `ln f` is linear in `ln(r + beta)`, so `alpha` and `gamma` follow
//! from least squares. The fit tries `beta = 0` and `BETA_STEPS` values on a logarithmic grid and keeps the one with
//! the least squared error.

/// Least and greatest `beta` of the grid, in ranks. Guess.
const BETA_RANGE: (f64, f64) = (0.01, 1_000.0);

/// Values of `beta` on the grid. Guess.
const BETA_STEPS: u32 = 160;

/// The fitted curve `f(r) = alpha * (r + beta)^-gamma`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZipfCurve {
    /// Scale, in the unit of the frequencies.
    pub alpha: f64,
    /// Shift of the ranks.
    pub beta: f64,
    /// Exponent of the power law.
    pub gamma: f64,
}

impl ZipfCurve {
    /// Fits the curve to (rank, frequency) pairs. Returns `None` without two different ranks, or if the frequency grows
    /// with the rank. With two pairs only `beta = 0` is tried.
    pub fn fit(known: &[(f64, f64)]) -> Option<ZipfCurve> {
        let known: Vec<(f64, f64)> =
            known.iter().copied().filter(|(rank, f)| *rank >= 1.0 && *f > 0.0).collect();
        let first = known.first()?.0;
        if known.iter().all(|(rank, _)| *rank == first) {
            return None;
        }
        let mut shifts = vec![0.0];
        let (least, most) = BETA_RANGE;
        let last_step = f64::from(BETA_STEPS - 1);
        shifts.extend((0..BETA_STEPS).map(|step| least * (most / least).powf(f64::from(step) / last_step)));
        let shifts = if known.len() > 2 { &shifts[..] } else { &shifts[..1] };
        let fitted = shifts.iter().map(|beta| fit_for_beta(&known, *beta));
        let best = fitted.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(curve, _)| curve);
        best.filter(|curve| curve.gamma > 0.0)
    }

    /// Frequency at a rank.
    pub fn frequency(&self, rank: f64) -> f64 {
        self.alpha * (rank + self.beta).powf(-self.gamma)
    }
}

/// Least-squares curve for one `beta`, and its sum of squared errors of `ln f`.
fn fit_for_beta(known: &[(f64, f64)], beta: f64) -> (ZipfCurve, f64) {
    let points = || known.iter().map(|(rank, f)| ((rank + beta).ln(), f.ln()));
    let count = known.len() as f64;
    let (x_mean, y_mean) = points().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x / count, sum.1 + y / count));
    let (xy, xx) = points().fold((0.0, 0.0), |sum, (x, y)| {
        (sum.0 + (x - x_mean) * (y - y_mean), sum.1 + (x - x_mean) * (x - x_mean))
    });
    let slope = xy / xx;
    let squared_error: f64 = points().map(|(x, y)| (y - y_mean - slope * (x - x_mean)).powi(2)).sum();
    (ZipfCurve { alpha: (y_mean - slope * x_mean).exp(), beta, gamma: -slope }, squared_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_1_of_the_paper_is_reproduced() {
        let known = [(1.0, 0.06), (3.0, 0.02), (5.0, 0.011)];
        let data = ZipfCurve::fit(&known).unwrap().frequency(2.0);
        assert!((data - 0.031).abs() <= 0.001, "{data}");
        let printed = ZipfCurve { alpha: 0.08, beta: 0.25, gamma: 1.15 };
        assert!((printed.frequency(2.0) - 0.031).abs() <= 0.001);
    }

    #[test]
    fn a_known_curve_is_recovered() {
        let truth = ZipfCurve { alpha: 5_000.0, beta: 2.7, gamma: 1.1 };
        let known: Vec<(f64, f64)> =
            [1.0, 4.0, 9.0, 40.0, 200.0].iter().map(|&rank| (rank, truth.frequency(rank))).collect();
        let fitted = ZipfCurve::fit(&known).unwrap();
        for rank in [2.0, 20.0, 1_000.0] {
            assert!((fitted.frequency(rank) / truth.frequency(rank) - 1.0).abs() < 0.05, "{fitted:?}");
        }
    }

    #[test]
    fn too_few_or_rising_points_give_no_curve() {
        assert_eq!(ZipfCurve::fit(&[]), None);
        assert_eq!(ZipfCurve::fit(&[(3.0, 10.0), (3.0, 12.0)]), None);
        assert_eq!(ZipfCurve::fit(&[(1.0, 1.0), (9.0, 5.0)]), None, "frequencies rise with rank");
        assert_eq!(ZipfCurve::fit(&[(1.0, 0.0), (2.0, f64::NAN)]), None);
    }
}
