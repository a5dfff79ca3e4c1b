//! Quality measures of classifiers: confusion matrix, ROC area, calibration.
//!
//! Undefined values, such as the recall of a class without rows, are NaN.

use serde::{Deserialize, Serialize};

/// Number of rows by true class and predicted class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfusionMatrix {
    counts: Vec<Vec<u64>>,
}

impl ConfusionMatrix {
    /// Creates an empty matrix of `classes` by `classes`.
    pub fn new(classes: usize) -> ConfusionMatrix {
        ConfusionMatrix { counts: vec![vec![0; classes]; classes] }
    }

    /// Matrix of two classes. A row is predicted true (class 1) if its probability is at least `threshold`.
    pub fn binary(probabilities: &[f32], labels: &[bool], threshold: f32) -> ConfusionMatrix {
        let mut confusion = ConfusionMatrix::new(2);
        for (&probability, &label) in probabilities.iter().zip(labels) {
            confusion.add(usize::from(label), usize::from(probability >= threshold));
        }
        confusion
    }

    /// Counts one row. Panics if a class is out of range.
    pub fn add(&mut self, truth: usize, predicted: usize) {
        self.counts[truth][predicted] += 1;
    }

    /// Rows of class `truth` that were predicted as `predicted`.
    pub fn count(&self, truth: usize, predicted: usize) -> u64 {
        self.counts[truth][predicted]
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.counts.len()
    }

    /// Number of rows.
    pub fn total(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// Share of correct predictions.
    pub fn accuracy(&self) -> f64 {
        let right: u64 = (0..self.classes()).map(|class| self.counts[class][class]).sum();
        right as f64 / self.total() as f64
    }

    /// Share of wrong predictions.
    pub fn error(&self) -> f64 {
        1.0 - self.accuracy()
    }

    /// Share of the rows predicted as `class` that belong to it.
    pub fn precision(&self, class: usize) -> f64 {
        self.counts[class][class] as f64 / self.predicted_as(class) as f64
    }

    /// Share of the rows of `class` that were predicted as such.
    pub fn recall(&self, class: usize) -> f64 {
        self.counts[class][class] as f64 / self.rows_of(class) as f64
    }

    /// Harmonic mean of precision and recall.
    pub fn f1(&self, class: usize) -> f64 {
        2.0 * self.counts[class][class] as f64 / (self.predicted_as(class) + self.rows_of(class)) as f64
    }

    /// Mean F1 of the given classes. Classes that neither occur nor are predicted are left out.
    pub fn macro_f1(&self, classes: &[usize]) -> f64 {
        let known: Vec<f64> = classes.iter().map(|&class| self.f1(class)).filter(|f1| !f1.is_nan()).collect();
        known.iter().sum::<f64>() / known.len() as f64
    }

    fn predicted_as(&self, class: usize) -> u64 {
        self.counts.iter().map(|row| row[class]).sum()
    }

    fn rows_of(&self, class: usize) -> u64 {
        self.counts[class].iter().sum()
    }
}

/// Area under the ROC curve: P(a random true row scores above a random false row). Ties count half.
pub fn roc_auc(scores: &[f32], labels: &[bool]) -> f64 {
    let mut rank_sum = 0.0;
    let mut below = 0;
    for tied in sorted(scores, labels).chunk_by(|a, b| a.0 == b.0) {
        let mean_rank = below as f64 + (tied.len() + 1) as f64 / 2.0;
        rank_sum += mean_rank * tied.iter().filter(|row| row.1).count() as f64;
        below += tied.len();
    }
    let yes = scores.iter().zip(labels).filter(|row| *row.1).count() as f64;
    (rank_sum - yes * (yes + 1.0) / 2.0) / (yes * (below as f64 - yes))
}

/// Rows of similar predicted probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityBin {
    /// Mean predicted probability.
    pub mean: f64,
    /// Share of true labels.
    pub share: f64,
    /// Number of rows.
    pub count: usize,
}

/// Reliability curve: predicted probability and share of true labels in `bins` bins of equal size, by rising
/// probability. Rows with equal probabilities share their labels evenly, so the order of the rows does not matter.
pub fn reliability(probabilities: &[f32], labels: &[bool], bins: usize) -> Vec<ReliabilityBin> {
    let mut rows: Vec<(f64, f64)> = Vec::new();
    for tied in sorted(probabilities, labels).chunk_by(|a, b| a.0 == b.0) {
        let share = tied.iter().filter(|row| row.1).count() as f64 / tied.len() as f64;
        rows.extend(tied.iter().map(|row| (f64::from(row.0), share)));
    }
    let edge = |bin: usize| bin * rows.len() / bins.max(1);
    let filled = (0..bins).map(|bin| &rows[edge(bin)..edge(bin + 1)]).filter(|rows| !rows.is_empty());
    filled.map(bin_of).collect()
}

/// Expected calibration error: mean over rows of `|predicted probability - share of true labels|` of their bin.
pub fn calibration_error(probabilities: &[f32], labels: &[bool], bins: usize) -> f64 {
    let bins = reliability(probabilities, labels, bins);
    let total: usize = bins.iter().map(|bin| bin.count).sum();
    bins.iter().map(|bin| bin.count as f64 * (bin.mean - bin.share).abs()).sum::<f64>() / total as f64
}

fn bin_of(rows: &[(f64, f64)]) -> ReliabilityBin {
    let count = rows.len();
    let (predicted, labels): (f64, f64) =
        rows.iter().fold((0.0, 0.0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
    ReliabilityBin { mean: predicted / count as f64, share: labels / count as f64, count }
}

fn sorted(scores: &[f32], labels: &[bool]) -> Vec<(f32, bool)> {
    let mut rows: Vec<(f32, bool)> = scores.iter().copied().zip(labels.iter().copied()).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn a_matrix_of_three_classes_by_hand() {
        let mut confusion = ConfusionMatrix::new(4);
        let seen = [(0, 0, 5), (0, 1, 1), (1, 1, 3), (1, 0, 2), (2, 1, 1)];
        seen.iter()
            .for_each(|&(truth, predicted, times)| (0..times).for_each(|_| confusion.add(truth, predicted)));
        assert!(close(confusion.accuracy(), 8.0 / 12.0) && close(confusion.error(), 4.0 / 12.0));
        assert!(close(confusion.precision(0), 5.0 / 7.0) && close(confusion.recall(0), 5.0 / 6.0));
        assert!(close(confusion.f1(0), 10.0 / 13.0) && close(confusion.f1(1), 6.0 / 10.0));
        assert!(confusion.precision(2).is_nan() && close(confusion.f1(2), 0.0));
        assert!(confusion.f1(3).is_nan());
        assert!(close(confusion.macro_f1(&[0, 1, 2, 3]), (10.0 / 13.0 + 0.6) / 3.0));
    }

    #[test]
    fn the_threshold_itself_predicts_true() {
        let confusion = ConfusionMatrix::binary(&[0.5, 0.4, 0.9], &[true, true, false], 0.5);
        assert_eq!((confusion.count(1, 1), confusion.count(1, 0), confusion.count(0, 1)), (1, 1, 1));
    }

    #[test]
    fn tied_scores_count_half_in_the_roc_area() {
        assert!(close(roc_auc(&[0.1, 0.4, 0.35, 0.8], &[false, false, true, true]), 0.75));
        assert!(close(roc_auc(&[1.0, 1.0, 1.0], &[true, false, true]), 0.5));
        assert!(close(roc_auc(&[0.2, 0.5, 0.5, 0.9], &[false, false, true, true]), 3.5 / 4.0));
        assert!(roc_auc(&[0.2], &[true]).is_nan());
    }

    #[test]
    fn calibration_error_by_hand() {
        let probabilities = [0.9, 0.1, 0.2, 0.8];
        let labels = [true, false, true, false];
        let bins = reliability(&probabilities, &labels, 2);
        assert_eq!(bins.iter().map(|bin| bin.count).collect::<Vec<_>>(), [2, 2]);
        assert!((bins[0].mean - 0.15).abs() < 1e-6 && close(bins[0].share, 0.5));
        assert!((calibration_error(&probabilities, &labels, 2) - 0.35).abs() < 1e-6);
    }

    #[test]
    fn the_order_of_equally_probable_rows_does_not_matter() {
        let labels = [true, true, false, false];
        assert!(close(calibration_error(&[0.5; 4], &labels, 2), 0.0));
    }

    #[test]
    fn more_bins_than_rows_and_no_rows_are_fine() {
        assert_eq!(reliability(&[0.5], &[true], 10).len(), 1);
        assert!(reliability(&[], &[], 10).is_empty() && reliability(&[0.5], &[true], 0).is_empty());
        assert!(calibration_error(&[], &[], 10).is_nan() && ConfusionMatrix::new(2).accuracy().is_nan());
    }
}
