//! Multinomial naive Bayes.
//!
//! `log P(c | x) = log P(c) + sum over i of x_i * log P(i | c) + const`, where `x_i` is the count of term `i`
//! in a row and `P(i | c) = (n_ic + s) / (n_c + s V)`. `n_ic` is the count of term `i` in class `c`, `n_c`
//! the count of all terms in `c`, `s` the smoothing, and `V` the number of terms that occur in training.
//! Terms that do not occur in training are ignored.

use super::softmax::normalise;
use super::sparse::{SparseRow, columns};
use serde::{Deserialize, Serialize};

/// Log-probabilities of classes and of terms in each class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NaiveBayes {
    log_priors: Vec<f32>,
    /// `log P(i | c)` at `i * classes + c`; 0 for terms that do not occur in training.
    log_likelihoods: Vec<f32>,
}

impl NaiveBayes {
    /// Trains on term counts. Rows with a class of at least `n_classes` are ignored, negative values count as 0.
    pub fn train(rows: &[SparseRow], classes: &[usize], n_classes: usize, smoothing: f32) -> NaiveBayes {
        let mut counts = vec![0.0; columns(rows) * n_classes];
        let mut members = vec![0.0; n_classes];
        for (row, &class) in rows.iter().zip(classes).filter(|(_, class)| **class < n_classes) {
            members[class] += 1.0;
            for (index, value) in row.within(counts.len() / n_classes) {
                counts[index * n_classes + class] += value.max(0.0);
            }
        }
        NaiveBayes {
            log_priors: log_priors(&members),
            log_likelihoods: log_rates(&counts, n_classes, smoothing),
        }
    }

    /// Probability of each class.
    pub fn posterior(&self, row: &SparseRow) -> Vec<f32> {
        let mut scores = self.scores(row);
        normalise(&mut scores);
        scores.into_iter().map(|score| score as f32).collect()
    }

    fn scores(&self, row: &SparseRow) -> Vec<f64> {
        let classes = self.log_priors.len();
        let mut scores: Vec<f64> = self.log_priors.iter().map(|&prior| f64::from(prior)).collect();
        for (index, value) in row.within(self.log_likelihoods.len() / classes.max(1)) {
            let terms = &self.log_likelihoods[index * classes..][..classes];
            scores
                .iter_mut()
                .zip(terms)
                .for_each(|(score, &term)| *score += value.max(0.0) * f64::from(term));
        }
        scores
    }
}

/// `log P(c)` from the number of rows of each class. A class without rows gets `f32::MIN`, because not every format can
/// store infinity.
fn log_priors(members: &[f64]) -> Vec<f32> {
    let total: f64 = members.iter().sum();
    let log_share = |&members: &f64| if members > 0.0 { (members / total).ln() as f32 } else { f32::MIN };
    members.iter().map(log_share).collect()
}

/// `log P(i | c)` from the term counts.
fn log_rates(counts: &[f64], n_classes: usize, smoothing: f32) -> Vec<f32> {
    let smoothing = f64::from(smoothing).max(1e-9);
    let is_seen = |term: &&[f64]| term.iter().any(|&count| count > 0.0);
    let terms = || counts.chunks(n_classes.max(1));
    let seen = terms().filter(is_seen).count() as f64;
    let totals: Vec<f64> = (0..n_classes).map(|class| terms().map(|term| term[class]).sum()).collect();
    let rate = |(&count, total): (&f64, &f64)| ((count + smoothing) / (total + smoothing * seen)).ln() as f32;
    let rates = terms().flat_map(|term| {
        let rates: Vec<f32> = term.iter().zip(&totals).map(rate).collect();
        if is_seen(&term) { rates } else { vec![0.0; n_classes] }
    });
    rates.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(items: &[(u32, f32)]) -> SparseRow {
        SparseRow::new(items.to_vec())
    }

    /// Six terms; the class of three rows is 0, of one row 1 (a well-known exercise).
    fn trained() -> NaiveBayes {
        let rows = [row(&[(0, 2.0), (1, 1.0)]), row(&[(0, 2.0), (2, 1.0)]), row(&[(0, 1.0), (3, 1.0)])];
        let rows = [rows.as_slice(), &[row(&[(0, 1.0), (5, 1.0), (7, 1.0)])]].concat();
        NaiveBayes::train(&rows, &[0, 0, 0, 1], 2, 1.0)
    }

    #[test]
    fn rates_and_posterior_by_hand() {
        let model = trained();
        let log_rate = |class: usize, index: usize| model.log_likelihoods[2 * index + class];
        assert!((log_rate(0, 0) - (6f32 / 14.0).ln()).abs() < 1e-6);
        assert!((log_rate(1, 7) - (2f32 / 9.0).ln()).abs() < 1e-6);
        let scores = [0.75 * (3f64 / 7.0).powi(3) / 14.0 / 14.0, 0.25 * (2f64 / 9.0).powi(5)];
        let found = model.posterior(&row(&[(0, 3.0), (5, 1.0), (7, 1.0)]));
        assert!((f64::from(found[0]) - scores[0] / (scores[0] + scores[1])).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn unseen_terms_are_ignored() {
        let model = trained();
        let known = row(&[(1, 1.0)]);
        let stranger = row(&[(1, 1.0), (4, 9.0), (6, 9.0), (500, 9.0), (u32::MAX, 9.0)]);
        assert_eq!(model.posterior(&known), model.posterior(&stranger));
    }

    #[test]
    fn long_texts_do_not_underflow() {
        let found = trained().posterior(&row(&[(0, 1e6), (5, 1e6)]));
        assert!((found.iter().sum::<f32>() - 1.0).abs() < 1e-6 && found[1] > 0.999);
    }

    #[test]
    fn a_class_without_rows_is_never_chosen() {
        let model = NaiveBayes::train(&[row(&[(0, 5.0)]), row(&[(1, 5.0)])], &[0, 2], 3, 0.0);
        assert_eq!(model.posterior(&row(&[(0, 100.0), (1, 100.0)]))[1], 0.0);
        assert_eq!(NaiveBayes::train(&[], &[], 2, 1.0).posterior(&row(&[(0, 1.0)])), [0.5, 0.5]);
        assert!(NaiveBayes::train(&[row(&[(0, 1.0)])], &[0], 0, 1.0).posterior(&row(&[])).is_empty());
    }
}
