//! Kind classifier: P(searchable) of a form, and its kind.
//!
//! Logistic regression over [`super::kind_features`]. A sigmoid fitted by cross-validation turns the margin
//! into P(searchable). A softmax model chooses among the other kinds. Data augmentation: each form with
//! several fields is also a training row without its search words, so that searches without such words are
//! recognised by their fields. The forms of [`typical`] are training rows too.

use super::FormKind;
use super::MIN_ACCEPTED_P;
use super::kind_features::{each_kind_feature, feature_hash, is_shown, kind_features, without_search_words};
use super::typical;
use super::{LabelledForm, P_ENDPOINT, P_LEARNED_REQUEST};
use crate::learn::logistic::{Logistic, LogisticOptions};
use crate::learn::platt::PlattScaling;
use crate::learn::resampling::grouped_folds;
use crate::learn::softmax::Softmax;
use crate::learn::sparse::SparseRow;
use crate::learn::vocabulary::Vocabulary;
use crate::page::{Form, Page};
use crate::submission::is_learned;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// All kinds but search, in the order of the softmax classes.
const OTHER_KINDS: &[FormKind] = FormKind::ALL.split_at(1).1;

/// L2 penalties to choose from by cross-validation inside the training data. The range is a guess.
const L2: [f64; 3] = [0.1, 0.03, 0.01];

/// Folds of that cross-validation. Guess.
const INNER_FOLDS: usize = 5;

/// Fold number of typical forms: all models are trained on them, and none is judged by them.
const IN_ALL_FOLDS: usize = usize::MAX;

/// Training weight of the copy of a form without its search words, relative to the form itself. On sites that
/// were not trained on, 0.1 lowers the log loss from 0.074 to 0.067 and raises the average precision from
/// 0.985 to 0.989; 0.3 gives the same. Measured outside the project.
const COPY_WEIGHT: f32 = 0.1;

/// Least number of fields of a form that gets such a copy. A single box without words has no sign of its
/// kind.
const MIN_COPIED_FIELDS: usize = 2;

/// Estimates the kind of a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchableClassifier {
    vocabulary: Vocabulary,
    model: Logistic,
    sigmoid: PlattScaling,
    kinds: Softmax,
}

impl SearchableClassifier {
    /// Trains on labelled forms. Penalty and calibration are chosen by cross-validation over sites.
    pub fn train(labelled: &[&LabelledForm], seed: u64) -> SearchableClassifier {
        let typical = typical::forms_by_kind();
        let examples: Vec<&LabelledForm> = labelled.iter().copied().chain(&typical).collect();
        let features: Vec<_> =
            examples.iter().map(|example| kind_features(&example.form, &example.page)).collect();
        // Features of a single form do not generalise.
        let vocabulary = Vocabulary::of(features.iter().map(Vec::as_slice), 2);
        let sites: Vec<&str> = labelled.iter().map(|example| example.site.as_str()).collect();
        let mut folds = grouped_folds(&sites, INNER_FOLDS, seed);
        folds.resize(examples.len(), IN_ALL_FOLDS);
        let mut set = KindTrainingSet {
            rows: features.iter().map(|features| vocabulary.row(features)).collect(),
            labels: examples.iter().map(|example| example.is_search()).collect(),
            weights: examples.iter().map(|example| example.confidence).collect(),
            folds,
        };
        set.add_copies(&examples, &vocabulary);
        let tried = L2.map(|l2| (l2, set.margins_by_fold(labelled.len(), l2)));
        let labels = &set.labels[..labelled.len()];
        let (l2, margins) = tried
            .into_iter()
            .min_by(|a, b| loss(&a.1, labels).total_cmp(&loss(&b.1, labels)))
            .expect("L2 is not empty");
        SearchableClassifier {
            model: set.train(|_| true, l2),
            sigmoid: PlattScaling::fit_slope(&margins, labels),
            kinds: train_kinds(&examples, &set),
            vocabulary,
        }
    }

    /// P(searchable) and the most likely kind.
    pub fn classify(&self, form: &Form, page: &Page) -> (f32, FormKind) {
        if form.source.is_endpoint() {
            return (P_ENDPOINT, FormKind::Search);
        }
        if is_learned(form) {
            return (P_LEARNED_REQUEST, FormKind::Search);
        }
        if !form.fields.iter().any(|field| is_shown(field.kind)) {
            return (0.0, FormKind::Other);
        }
        let row = self.row(form, page);
        let p = self.sigmoid.probability(self.model.margin(&row));
        let kind = match p >= MIN_ACCEPTED_P {
            true => FormKind::Search,
            false => self.other_kind(&row),
        };
        (p, kind)
    }

    /// Features of the form that are in the vocabulary, each once.
    fn row(&self, form: &Form, page: &Page) -> SparseRow {
        let mut known = Vec::with_capacity(256);
        each_kind_feature(form, page, |group, word, value| {
            known.extend(self.vocabulary.number(feature_hash(group, word)).map(|number| (number, value)));
        });
        known.sort_unstable_by_key(|(number, _)| *number);
        known.dedup_by_key(|(number, _)| *number);
        SparseRow::new(known).normalised()
    }

    fn other_kind(&self, row: &SparseRow) -> FormKind {
        let margins = self.kinds.margins(row);
        let best = (0..margins.len()).max_by(|&a, &b| margins[a].total_cmp(&margins[b]));
        best.and_then(|at| OTHER_KINDS.get(at)).copied().unwrap_or(FormKind::Other)
    }

    /// Features with the largest absolute weights for or against a search, at most `limit`: group, word, weight.
    pub fn strongest_features(&self, form: &Form, page: &Page, limit: usize) -> Vec<(String, String, f32)> {
        let mut seen = FxHashSet::default();
        let mut strongest: Vec<(String, String, f32)> = Vec::with_capacity(limit + 1);
        each_kind_feature(form, page, |group, word, value| {
            let number = self.vocabulary.number(feature_hash(group, word));
            let weight = number.and_then(|number| self.model.weights().get(number as usize)).copied();
            let weight = weight.unwrap_or_default();
            if weight != 0.0 && !group.ends_with("run") && seen.insert(number) {
                let weight = weight * value;
                let rank = strongest.partition_point(|stronger| stronger.2.abs() >= weight.abs());
                if rank < limit {
                    strongest.insert(rank, (group.to_string(), word.to_string(), weight));
                    strongest.truncate(limit);
                }
            }
        });
        strongest
    }
}

/// Feature rows with labels (true = search), weights and folds. Rows of copies come after the rows of the forms.
struct KindTrainingSet {
    rows: Vec<SparseRow>,
    labels: Vec<bool>,
    weights: Vec<f32>,
    folds: Vec<usize>,
}

impl KindTrainingSet {
    /// Adds a row without words for searching for every form with several fields.
    fn add_copies(&mut self, examples: &[&LabelledForm], vocabulary: &Vocabulary) {
        for (at, example) in examples.iter().enumerate() {
            let shown = example.form.fields.iter().filter(|field| is_shown(field.kind)).count();
            if shown >= MIN_COPIED_FIELDS {
                let copy = without_search_words(&example.form);
                self.rows.push(vocabulary.row(&kind_features(&copy, &example.page)));
                self.labels.push(self.labels[at]);
                self.weights.push(self.weights[at] * COPY_WEIGHT);
                self.folds.push(self.folds[at]);
            }
        }
    }

    fn train(&self, keep: impl Fn(usize) -> bool, l2: f64) -> Logistic {
        let kept: Vec<usize> = (0..self.rows.len()).filter(|&at| keep(at)).collect();
        let rows: Vec<SparseRow> = kept.iter().map(|&at| self.rows[at].clone()).collect();
        let labels: Vec<bool> = kept.iter().map(|&at| self.labels[at]).collect();
        let weights: Vec<f32> = kept.iter().map(|&at| self.weights[at]).collect();
        Logistic::train(
            &rows,
            &labels,
            Some(&weights),
            &LogisticOptions { l2, tolerance: 1e-4, ..LogisticOptions::default() },
        )
    }

    /// Margins of the first `forms` rows, each under a model trained without its fold.
    fn margins_by_fold(&self, forms: usize, l2: f64) -> Vec<f32> {
        let mut margins = vec![0.0; forms];
        for fold in 0..INNER_FOLDS {
            let model = self.train(|at| self.folds[at] != fold, l2);
            for at in (0..forms).filter(|&at| self.folds[at] == fold) {
                margins[at] = model.margin(&self.rows[at]);
            }
        }
        margins
    }
}

/// Mean log loss of the margins after calibration.
fn loss(margins: &[f32], labels: &[bool]) -> f64 {
    let sigmoid = PlattScaling::fit_slope(margins, labels);
    let losses = margins.iter().zip(labels).map(|(&margin, &label)| {
        let p = f64::from(sigmoid.probability(margin)).clamp(1e-6, 1.0 - 1e-6);
        if label { -p.ln() } else { -(1.0 - p).ln() }
    });
    losses.sum::<f64>() / labels.len().max(1) as f64
}

/// Trains the model that distinguishes the kinds other than search.
fn train_kinds(examples: &[&LabelledForm], set: &KindTrainingSet) -> Softmax {
    let others = || examples.iter().enumerate().filter(|(_, example)| !example.is_search());
    let rows: Vec<SparseRow> = others().map(|(at, _)| set.rows[at].clone()).collect();
    let weights: Vec<f32> = others().map(|(at, _)| set.weights[at]).collect();
    let class = |kind| OTHER_KINDS.iter().position(|other| *other == kind).unwrap_or(OTHER_KINDS.len() - 1);
    let classes: Vec<usize> = others().map(|(_, example)| class(example.kind)).collect();
    let options = LogisticOptions { l2: 0.03, tolerance: 1e-3, ..LogisticOptions::default() };
    Softmax::train(&rows, &classes, OTHER_KINDS.len(), Some(&weights), &options)
}
