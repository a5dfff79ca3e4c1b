//! Model of a topic of the user: topic or not, for forms or for pages.
//!
//! The background may contain rows of the topic. Models trained without a part of it find them there, and the last
//! model is trained without them (learning from positive and unlabelled examples, Liu et al. 2002). P = 0.5 lies
//! between the background and the positive examples, each judged by a model trained without it.

use super::MIN_ACCEPTED_P;
use super::topic_features::TopicFeatures;
use crate::learn::logistic::{Logistic, LogisticOptions};
use crate::learn::platt::PlattScaling;
use crate::learn::sparse::SparseRow;
use crate::learn::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};

/// Calibrated logistic regression: topic or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct BinaryTopicModel {
    vocabulary: Vocabulary,
    model: Logistic,
    sigmoid: PlattScaling,
}

/// L2 penalty. Chosen by hand on the figures of `hadal eval forms` for topics from five examples.
const L2: f64 = 0.1;

impl BinaryTopicModel {
    /// Trains on examples, rows known not to be of the topic, the background, and words of the topic (`hints`). Without
    /// examples, `positives` are the hints.
    pub(super) fn train(
        positives: &[TopicFeatures],
        negatives: &[TopicFeatures],
        background: &[TopicFeatures],
        hints: &[TopicFeatures],
    ) -> BinaryTopicModel {
        // From four examples on, a feature must occur in two of them. Guess.
        let rows_needed = if positives.len() >= 4 { 2 } else { 1 };
        let hinted = Vocabulary::of(hints.iter().map(Vec::as_slice), 1).hashes();
        let shared = Vocabulary::of(positives.iter().map(Vec::as_slice), rows_needed).hashes();
        // With real examples, frequent background features are used too, as evidence against the topic: those
        // in 1 % of the background rows, at least three. Guess.
        let is_words_only = positives == hints;
        let usual = match is_words_only {
            true => Vec::new(),
            false => {
                Vocabulary::of(background.iter().map(Vec::as_slice), (background.len() as u32 / 100).max(3))
                    .hashes()
            }
        };
        let known: TopicFeatures =
            shared.into_iter().chain(hinted).chain(usual).map(|hash| (hash, 1.0)).collect();
        let vocabulary = Vocabulary::of([known.as_slice()].into_iter(), 1);
        let rows =
            |words: &[TopicFeatures]| -> Vec<SparseRow> { words.iter().map(|w| vocabulary.row(w)).collect() };
        let (negatives, background) = (rows(negatives), rows(background));
        let topic = TopicRows { positives: rows(positives), hints: rows(hints) };
        let (model, sigmoid) = match is_words_only {
            true => topic.train_on_words(&background, negatives),
            false => topic.train_on_examples(&background, &negatives),
        };
        BinaryTopicModel { vocabulary, model, sigmoid }
    }

    pub(super) fn probability(&self, features: &[(u32, f32)]) -> f32 {
        self.sigmoid.probability(self.model.margin(&self.vocabulary.row(features)))
    }

    pub(super) fn weight(&self, hash: u32) -> f32 {
        let number = self.vocabulary.number(hash);
        number.and_then(|number| self.model.weights().get(number as usize)).copied().unwrap_or_default()
    }
}

/// Folds of the background. Each part is judged by a model trained without it. Guess.
const FOLDS: usize = 5;

/// Share of the background that may be of the topic: the rows with the highest out-of-fold margins. See
/// [`TopicRows::train_on_examples`].
const SUSPECTS: f64 = 0.05;

/// Share of the negatives below the upper end of their out-of-fold margins.
const NEGATIVES_BELOW: f64 = 0.98;

/// Position of the threshold between the upper end of the negatives (0) and the median of left-out positives (1).
///
/// Chosen with the two constants above on topics from five examples, one draw, outside the project.
const THRESHOLD: f32 = 0.4;

/// Training rows of a topic.
struct TopicRows {
    positives: Vec<SparseRow>,
    /// Words of the topic.
    hints: Vec<SparseRow>,
}

impl TopicRows {
    /// Trains on examples and the background, which may hold rows of the topic. These would teach the model that the
    /// words of the topic speak against it, so they are left out:
    ///
    /// 1. Each part of the background is judged by a model trained without it. The rows with the highest margins
    ///    ([`SUSPECTS`]) are left out.
    /// 2. A model trained without them judges them. Those below its threshold are negatives after all.
    /// 3. The last model is trained on the rest.
    fn train_on_examples(
        &self,
        background: &[SparseRow],
        negatives: &[SparseRow],
    ) -> (Logistic, PlattScaling) {
        let margins = self.out_of_fold_margins(background);
        let limit = quantile(sorted(margins.clone()), 1.0 - SUSPECTS);
        let (suspects, others): (Vec<_>, Vec<_>) = background
            .iter()
            .zip(margins)
            .partition(|(_, margin)| limit.is_some_and(|limit| *margin > limit));
        let mut others: Vec<SparseRow> = others.into_iter().map(|(row, _)| row.clone()).collect();
        others.extend_from_slice(negatives);
        let (model, sigmoid) = self.train_against(&others);
        let cleared = |row: &SparseRow| sigmoid.probability(model.margin(row)) < MIN_ACCEPTED_P;
        let cleared: Vec<SparseRow> =
            suspects.into_iter().map(|(row, _)| row).filter(|row| cleared(row)).cloned().collect();
        if cleared.is_empty() {
            return (model, sigmoid);
        }
        others.extend(cleared);
        self.train_against(&others)
    }

    /// Model and calibration from the positives and these negatives.
    fn train_against(&self, others: &[SparseRow]) -> (Logistic, PlattScaling) {
        (fit(&self.positives, &self.hints, others), self.separate(others))
    }

    /// Trains on words instead of examples. Rows of the background that a first model accepts are left out.
    fn train_on_words(
        &self,
        background: &[SparseRow],
        negatives: Vec<SparseRow>,
    ) -> (Logistic, PlattScaling) {
        let first = fit(&self.positives, &self.hints, background);
        let mut others: Vec<SparseRow> =
            background.iter().filter(|row| first.margin(row) < 0.0).cloned().collect();
        others.extend(negatives);
        (fit(&self.positives, &self.hints, &others), self.calibrate(&others))
    }

    /// Margin of each row under a model trained without its fold.
    fn out_of_fold_margins(&self, others: &[SparseRow]) -> Vec<f32> {
        let mut margins = vec![0.0; others.len()];
        for fold in 0..FOLDS.min(others.len()) {
            let is_judged = |at: usize| at % FOLDS == fold;
            let kept = others.iter().enumerate().filter(|(at, _)| !is_judged(*at));
            let model =
                fit(&self.positives, &self.hints, &kept.map(|(_, row)| row.clone()).collect::<Vec<_>>());
            let judged = (0..others.len()).filter(|&at| is_judged(at));
            judged.for_each(|at| margins[at] = model.margin(&others[at]));
        }
        margins
    }

    /// Margin of each of the first 20 positives (guess; saves time) under a model trained without it.
    fn left_out_margins(&self, others: &[SparseRow]) -> Vec<f32> {
        let kept = |out: usize| -> Vec<SparseRow> {
            let kept = self.positives.iter().enumerate().filter(|(at, _)| *at != out);
            kept.map(|(_, row)| row.clone()).collect()
        };
        let positives = self.positives.iter().enumerate().take(20);
        positives.map(|(out, row)| fit(&kept(out), &self.hints, others).margin(row)).collect()
    }

    /// Sigmoid with P = 0.5 between the negatives and the positives, each judged by a model trained without it. It is
    /// not fitted, because with five positives one outlier would move a fitted threshold above all others.
    fn separate(&self, others: &[SparseRow]) -> PlattScaling {
        let left_out = sorted(self.left_out_margins(others));
        let negative = quantile(sorted(self.out_of_fold_margins(others)), NEGATIVES_BELOW);
        let (Some(&typical), Some(upper)) = (left_out.get(left_out.len() / 2), negative) else {
            return PlattScaling::IDENTITY;
        };
        let gap = (typical - upper).max(MIN_GAP);
        let slope = TYPICAL_LOG_ODDS / ((1.0 - THRESHOLD) * gap);
        PlattScaling { slope, intercept: -slope * (upper + THRESHOLD * gap) }
    }

    /// Fits the calibration on margins of positives that were left out of training, and of negatives.
    fn calibrate(&self, others: &[SparseRow]) -> PlattScaling {
        let mut margins = self.left_out_margins(others);
        let mut labels = vec![true; margins.len()];
        let model = fit(&self.positives, &self.hints, others);
        // About three negatives per positive. Guess.
        let step = (others.len() / (3 * labels.len()).max(1)).max(1);
        for row in others.iter().step_by(step) {
            margins.push(model.margin(row));
            labels.push(false);
        }
        let sigmoid = PlattScaling::fit(&margins, &labels);
        // Examples that do not resemble each other yield no usable slope. The limit of 0.2 is a guess.
        if sigmoid.slope > 0.2 { sigmoid } else { PlattScaling::IDENTITY }
    }
}

/// Trains on positives, hints (words of the topic) and negatives. All positives together have a third of the weight
/// of the negatives. A hint has a tenth of the weight of a positive. Both factors are guesses.
fn fit(positives: &[SparseRow], hints: &[SparseRow], others: &[SparseRow]) -> Logistic {
    let each = (others.len() as f32 / 3.0 / positives.len().max(1) as f32).max(1.0);
    let rows: Vec<SparseRow> = positives.iter().chain(hints).chain(others).cloned().collect();
    let labels: Vec<bool> = (0..rows.len()).map(|at| at < positives.len() + hints.len()).collect();
    let weights: Vec<f32> = std::iter::repeat_n(each, positives.len())
        .chain(std::iter::repeat_n(each * 0.1, hints.len()))
        .chain(std::iter::repeat_n(1.0, others.len()))
        .collect();
    let options = LogisticOptions { l2: L2, tolerance: 1e-3, ..LogisticOptions::default() };
    Logistic::train(&rows, &labels, Some(&weights), &options)
}

/// Log-odds of a typical positive: P = 0.9. Guess.
const TYPICAL_LOG_ODDS: f32 = 2.2;

/// Least distance between negatives and positives, for examples that do not resemble each other. Guess.
const MIN_GAP: f32 = 0.5;

fn sorted(mut margins: Vec<f32>) -> Vec<f32> {
    margins.sort_by(f32::total_cmp);
    margins
}

/// Value below which a share of the sorted margins lies. `None` without margins.
fn quantile(margins: Vec<f32>, share: f64) -> Option<f32> {
    let last = margins.len().checked_sub(1)?;
    Some(margins[(last as f64 * share) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critic::topic_features::text_topic_features;

    #[test]
    fn rows_of_the_topic_in_the_background_are_no_negatives() {
        let rows = |texts: &[&str]| -> Vec<TopicFeatures> {
            texts.iter().map(|text| text_topic_features(text)).collect()
        };
        let examples = rows(&[
            "recipe ingredient cuisine",
            "recipe ingredient diet",
            "cuisine recipe diet",
            "ingredient cuisine diet",
        ]);
        let others: Vec<String> = (0..40).map(|at| format!("hotel room city{at} guests search")).collect();
        let mut background = rows(&others.iter().map(String::as_str).collect::<Vec<_>>());
        background.extend(rows(&["recipe ingredient cuisine search", "diet recipe cuisine search"]));
        let model = BinaryTopicModel::train(&examples, &[], &background, &[]);
        let p = |text: &str| model.probability(&text_topic_features(text));
        assert!(p("recipe cuisine search") > 0.5, "{}", p("recipe cuisine search"));
        assert!(p("hotel room search") < 0.5, "{}", p("hotel room search"));
    }
}
