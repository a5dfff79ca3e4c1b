//! The Zipf estimator: frequencies of unasked words from the ranks of asked ones (section 3.1 of the paper).
//!
//! Frequency falls with rank as `alpha (rank + beta)^-gamma`. On logarithmic scales that is a line once
//! `beta` is given, so `beta` is searched for and the line is fitted by least squares.

/// Largest shift of ranks that is considered.
const MOST_BETA: f64 = 1_000.0;

/// A fitted curve, equation 4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zipf {
    /// Height.
    pub alpha: f64,
    /// Shift of the ranks.
    pub beta: f64,
    /// Steepness.
    pub gamma: f64,
}

impl Zipf {
    /// The curve nearest to known (rank, frequency) pairs; needs two different ranks.
    pub fn fit(known: &[(f64, f64)]) -> Option<Zipf> {
        let known: Vec<(f64, f64)> =
            known.iter().copied().filter(|(rank, f)| *rank >= 1.0 && *f > 0.0).collect();
        let first = known.first()?.0;
        if known.iter().all(|(rank, _)| *rank == first) {
            return None;
        }
        let mut shifts = vec![0.0];
        shifts.extend((0..160).map(|step| 0.01 * (MOST_BETA / 0.01_f64).powf(f64::from(step) / 159.0)));
        let shifts = if known.len() > 2 { &shifts[..] } else { &shifts[..1] };
        let fitted = shifts.iter().map(|beta| line(&known, *beta));
        let best = fitted.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(curve, _)| curve);
        best.filter(|curve| curve.gamma > 0.0)
    }

    /// The frequency at a rank.
    pub fn frequency(&self, rank: f64) -> f64 {
        self.alpha * (rank + self.beta).powf(-self.gamma)
    }
}

/// The least-squares line for a shift, and how far the pairs are from it.
fn line(known: &[(f64, f64)], beta: f64) -> (Zipf, f64) {
    let points = || known.iter().map(|(rank, f)| ((rank + beta).ln(), f.ln()));
    let count = known.len() as f64;
    let (x_mean, y_mean) = points().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x / count, sum.1 + y / count));
    let (xy, xx) = points().fold((0.0, 0.0), |sum, (x, y)| {
        (sum.0 + (x - x_mean) * (y - y_mean), sum.1 + (x - x_mean) * (x - x_mean))
    });
    let slope = xy / xx;
    let off: f64 = points().map(|(x, y)| (y - y_mean - slope * (x - x_mean)).powi(2)).sum();
    (Zipf { alpha: (y_mean - slope * x_mean).exp(), beta, gamma: -slope }, off)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_1_gives_the_share_of_data() {
        let known = [(1.0, 0.06), (3.0, 0.02), (5.0, 0.011)];
        let data = Zipf::fit(&known).unwrap().frequency(2.0);
        assert!((data - 0.031).abs() <= 0.001, "{data}");
        let printed = Zipf { alpha: 0.08, beta: 0.25, gamma: 1.15 };
        assert!((printed.frequency(2.0) - 0.031).abs() <= 0.001);
    }

    #[test]
    fn a_curve_is_found_again() {
        let truth = Zipf { alpha: 5_000.0, beta: 2.7, gamma: 1.1 };
        let known: Vec<(f64, f64)> =
            [1.0, 4.0, 9.0, 40.0, 200.0].iter().map(|&rank| (rank, truth.frequency(rank))).collect();
        let fitted = Zipf::fit(&known).unwrap();
        for rank in [2.0, 20.0, 1_000.0] {
            assert!((fitted.frequency(rank) / truth.frequency(rank) - 1.0).abs() < 0.05, "{fitted:?}");
        }
    }

    #[test]
    fn too_little_is_no_curve() {
        assert_eq!(Zipf::fit(&[]), None);
        assert_eq!(Zipf::fit(&[(3.0, 10.0), (3.0, 12.0)]), None);
        assert_eq!(Zipf::fit(&[(1.0, 1.0), (9.0, 5.0)]), None, "frequencies that rise are no such curve");
        assert_eq!(Zipf::fit(&[(1.0, 0.0), (2.0, f64::NAN)]), None);
    }
}
