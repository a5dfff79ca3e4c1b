//! Platt scaling: `P(label is true) = sigmoid(a * margin + b)`.
//!
//! Slope `a` and intercept `b` maximise the likelihood, by Newton's method with backtracking (Lin, Lin and
//! Weng 2007). The targets are `(n1 + 1) / (n1 + 2)` for true labels and `1 / (n0 + 2)` for false ones, with
//! `n1` and `n0` rows of each (Platt's prior). A perfectly separated sample therefore does not give
//! probabilities of 0 or 1.

use super::logistic::sigmoid;
use serde::{Deserialize, Serialize};

/// Map from margins to probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlattScaling {
    /// Change of the log-odds per unit of margin. Negative if the margins are reversed.
    pub slope: f32,
    /// Log-odds at margin 0.
    pub intercept: f32,
}

/// Added to the diagonal of the Hessian, which is singular if all margins are equal. Value of the paper.
const RIDGE: f64 = 1e-12;

impl PlattScaling {
    /// No change: margins that are log-odds already.
    pub const IDENTITY: PlattScaling = PlattScaling { slope: 1.0, intercept: 0.0 };

    /// Fits slope and intercept. The margins must come from a model that was not trained on these rows.
    pub fn fit(margins: &[f32], labels: &[bool]) -> PlattScaling {
        let targets = targets(margins, labels);
        if targets.is_empty() {
            return PlattScaling::IDENTITY;
        }
        let mean = targets.iter().map(|target| target.1).sum::<f64>() / targets.len() as f64;
        let mut at = (0.0, (mean / (1.0 - mean)).ln());
        let mut loss = loss_at(at, &targets);
        // Newton's method with backtracking. The limits of 100 steps and 30 halvings are guesses.
        for _ in 0..100 {
            let (gradient, step) = newton(at, &targets);
            if gradient.0.abs() < 1e-9 && gradient.1.abs() < 1e-9 {
                break;
            }
            let slope = gradient.0 * step.0 + gradient.1 * step.1;
            let attempt = (0..30).map(|halvings| 0.5f64.powi(halvings)).find_map(|length| {
                let next = (at.0 + length * step.0, at.1 + length * step.1);
                let next_loss = loss_at(next, &targets);
                (next_loss < loss + 1e-4 * length * slope).then_some((next, next_loss))
            });
            let Some((next, next_loss)) = attempt else { break };
            (at, loss) = (next, next_loss);
        }
        PlattScaling { slope: at.0 as f32, intercept: at.1 as f32 }
    }

    /// Fits the slope with intercept 0, between 0.05 and 20 (guess). Margin 0 keeps the probability 0.5; only
    /// the confidence of the model changes.
    pub fn fit_slope(margins: &[f32], labels: &[bool]) -> PlattScaling {
        let targets = targets(margins, labels);
        let (mut low, mut high) = (0.05, 20.0);
        // Ternary search: the loss is convex in the slope. 60 rounds narrow it to 10^-9.
        for _ in 0..60 {
            let third = (high - low) / 3.0;
            let (left, right) = (low + third, high - third);
            match loss_at((left, 0.0), &targets) < loss_at((right, 0.0), &targets) {
                true => high = right,
                false => low = left,
            }
        }
        PlattScaling { slope: ((low + high) / 2.0) as f32, intercept: 0.0 }
    }

    /// P(label is true) at a margin.
    pub fn probability(&self, margin: f32) -> f32 {
        sigmoid(f64::from(self.slope) * f64::from(margin) + f64::from(self.intercept)) as f32
    }

    /// Probabilities of exclusive classes from the log-odds of each class against the rest. They add up to 1.
    pub fn normalised_probabilities(&self, log_odds: &[f32]) -> Vec<f32> {
        let raw: Vec<f32> = log_odds.iter().map(|&odds| self.probability(odds)).collect();
        let total: f32 = raw.iter().sum();
        raw.iter().map(|p| p / total.max(1e-9)).collect()
    }
}

/// Margins with their target probabilities.
fn targets(margins: &[f32], labels: &[bool]) -> Vec<(f64, f64)> {
    let mut usable: Vec<(f32, bool)> = margins.iter().copied().zip(labels.iter().copied()).collect();
    usable.retain(|row| row.0.is_finite());
    let yes = usable.iter().filter(|row| row.1).count() as f64;
    let no = usable.len() as f64 - yes;
    let aim = |label| if label { (yes + 1.0) / (yes + 2.0) } else { 1.0 / (no + 2.0) };
    usable.into_iter().map(|(margin, label)| (f64::from(margin), aim(label))).collect()
}

/// Cross-entropy, in a form that is stable for large scores.
fn loss_at((slope, intercept): (f64, f64), targets: &[(f64, f64)]) -> f64 {
    let terms = targets.iter().map(|(margin, target)| {
        let score = slope * margin + intercept;
        score.max(0.0) - target * score + (-score.abs()).exp().ln_1p()
    });
    terms.sum()
}

/// Gradient and Newton step of the cross-entropy.
fn newton((slope, intercept): (f64, f64), targets: &[(f64, f64)]) -> ((f64, f64), (f64, f64)) {
    let mut gradient = (0.0, 0.0);
    let (mut aa, mut ab, mut bb) = (RIDGE, 0.0, RIDGE);
    for &(margin, target) in targets {
        let probability = sigmoid(slope * margin + intercept);
        let excess = probability - target;
        gradient = (gradient.0 + excess * margin, gradient.1 + excess);
        let bend = probability * (1.0 - probability);
        (aa, ab, bb) = (aa + bend * margin * margin, ab + bend * margin, bb + bend);
    }
    let determinant = aa * bb - ab * ab;
    let step = (
        -(bb * gradient.0 - ab * gradient.1) / determinant,
        -(aa * gradient.1 - ab * gradient.0) / determinant,
    );
    (gradient, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_matches_observed_frequencies() {
        // Margins of 3 and -3 that are right three times in four: log-odds of 3/4 are ln 3.
        let margins = [3.0, 3.0, 3.0, 3.0, -3.0, -3.0, -3.0, -3.0].repeat(1000);
        let labels = [true, true, true, false, false, false, false, true].repeat(1000);
        let sigmoid = PlattScaling::fit_slope(&margins, &labels);
        assert!((sigmoid.slope - 3.0f32.ln() / 3.0).abs() < 1e-3, "{sigmoid:?}");
        assert_eq!(sigmoid.probability(0.0), 0.5);
    }

    fn logit(p: f32) -> f32 {
        (p / (1.0 - p)).ln()
    }

    #[test]
    fn two_margins_can_be_met_exactly() {
        // At margin 1 three of four are yes, at -1 one of four; with 4 yes and 4 no the aims are 5/6 and
        // 1/6, so the means aimed at are (3*5/6 + 1/6)/4 = 2/3 and 1/3.
        let margins = [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];
        let labels = [true, true, true, false, true, false, false, false];
        let fitted = PlattScaling::fit(&margins, &labels);
        assert!((fitted.slope - logit(2.0 / 3.0)).abs() < 1e-5 && fitted.intercept.abs() < 1e-5);
        assert!((fitted.probability(1.0) - 2.0 / 3.0).abs() < 1e-5);
    }

    #[test]
    fn equal_margins_give_the_share_of_true_labels_with_prior() {
        let fitted =
            PlattScaling::fit(&[0.0; 10], &[true, true, true, true, true, true, false, false, false, false]);
        let expected = (6.0 * 7.0 / 8.0 + 4.0 / 6.0) / 10.0;
        assert!((fitted.probability(0.0) - expected).abs() < 1e-5);
        let shifted = PlattScaling::fit(&[3.0; 4], &[true, false, true, false]);
        assert!((shifted.probability(3.0) - 0.5).abs() < 1e-5);
    }

    #[test]
    fn a_separated_sample_gives_no_certainty() {
        let fitted = PlattScaling::fit(&[2.0, 3.0, -2.0, -1.0], &[true, true, false, false]);
        assert!(fitted.slope > 0.0 && fitted.probability(3.0) < 0.95);
        let only_yes = PlattScaling::fit(&[1.0, 2.0], &[true, true]);
        assert!((only_yes.probability(1.5) - 0.75).abs() < 1e-3);
    }

    #[test]
    fn a_known_sigmoid_is_found_again() {
        let mut random = super::super::rng::Rng::new(5);
        let truth = PlattScaling { slope: 2.0, intercept: -1.0 };
        let margins: Vec<f32> = (0..20_000).map(|_| random.fraction() as f32 * 6.0 - 3.0).collect();
        let labels: Vec<bool> =
            margins.iter().map(|&m| random.fraction() < f64::from(truth.probability(m))).collect();
        let fitted = PlattScaling::fit(&margins, &labels);
        assert!((fitted.slope - 2.0).abs() < 0.1 && (fitted.intercept + 1.0).abs() < 0.1, "{fitted:?}");
    }

    #[test]
    fn bad_margins_are_ignored_and_none_means_identity() {
        assert_eq!(PlattScaling::fit(&[f32::NAN], &[true]), PlattScaling::IDENTITY);
        assert_eq!(PlattScaling::IDENTITY.probability(0.0), 0.5);
        let wild = PlattScaling::fit(&[1e30, -1e30, 1.0, f32::INFINITY], &[true, false, true, false]);
        assert!(wild.probability(1.0).is_finite());
    }
}
