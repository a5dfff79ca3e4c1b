//! Our searchable-form classifier: is a form a search, and if not, what is it for?
//!
//! Logistic regression over all [`signals`]; its margin is turned into a probability by a sigmoid fitted on
//! forms that the model had not seen. A second model tells the other kinds apart.

use super::FormKind;
use super::LabelledForm;
use super::kind_features::{each_kind_feature, feature_hash, kind_features};
use crate::learn::logistic::{Logistic, LogisticOptions};
use crate::learn::platt::Sigmoid;
use crate::learn::resampling::grouped_folds;
use crate::learn::softmax::Softmax;
use crate::learn::sparse::SparseRow;
use crate::learn::vocabulary::Vocabulary;
use crate::page::{Form, Page};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Kinds of form that are no search, in the model's order: all but the first.
const OTHER_KINDS: &[FormKind] = FormKind::ALL.split_at(1).1;

/// Regularisations to choose from, inside the training data.
const L2: [f64; 3] = [0.1, 0.03, 0.01];

/// Folds inside the training data.
const INNER_FOLDS: usize = 5;

/// Judges what a form is for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchableClassifier {
    vocabulary: Vocabulary,
    model: Logistic,
    sigmoid: Sigmoid,
    kinds: Softmax,
}

impl SearchableClassifier {
    /// Learns from labelled forms. How strongly to regularise, and how sure to be, is found out on sites
    /// held back from the training data.
    pub fn train(examples: &[&LabelledForm], seed: u64) -> SearchableClassifier {
        let shown: Vec<_> =
            examples.iter().map(|example| kind_features(&example.form, &example.page)).collect();
        // A signal that only one form shows says nothing about the next.
        let vocabulary = Vocabulary::of(shown.iter().map(Vec::as_slice), 2);
        let sites: Vec<&str> = examples.iter().map(|example| example.site.as_str()).collect();
        let set = KindTrainingSet {
            rows: shown.iter().map(|shown| vocabulary.row(shown)).collect(),
            labels: examples.iter().map(|example| example.is_search()).collect(),
            weights: examples.iter().map(|example| example.confidence).collect(),
        };
        let folds = grouped_folds(&sites, INNER_FOLDS, seed);
        let tried = L2.map(|l2| (l2, set.margins_by_fold(&folds, l2)));
        let (l2, margins) = tried
            .into_iter()
            .min_by(|a, b| loss(&a.1, &set.labels).total_cmp(&loss(&b.1, &set.labels)))
            .expect("there are regularisations to choose from");
        SearchableClassifier {
            model: set.train(|_| true, l2),
            sigmoid: Sigmoid::fit_slope(&margins, &set.labels),
            kinds: train_kinds(examples, &set),
            vocabulary,
        }
    }

    /// P(searchable), and what it is most likely for.
    pub fn classify(&self, form: &Form, page: &Page) -> (f32, FormKind) {
        let row = self.row(form, page);
        let p = self.sigmoid.probability(self.model.margin(&row));
        let kind = match p >= 0.5 {
            true => FormKind::Search,
            false => self.other_kind(&row),
        };
        (p, kind)
    }

    /// The signals that the model knows, each once.
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

    /// The signals that spoke loudest for or against a search: group, word, weight.
    pub fn strongest_features(&self, form: &Form, page: &Page, most: usize) -> Vec<(String, String, f32)> {
        let mut seen = FxHashSet::default();
        let mut reasons: Vec<(String, String, f32)> = Vec::with_capacity(most + 1);
        each_kind_feature(form, page, |group, word, value| {
            let number = self.vocabulary.number(feature_hash(group, word));
            let weight = number.and_then(|number| self.model.weights().get(number as usize)).copied();
            let weight = weight.unwrap_or_default();
            if weight != 0.0 && !group.ends_with("run") && seen.insert(number) {
                let weight = weight * value;
                let rank = reasons.partition_point(|louder| louder.2.abs() >= weight.abs());
                if rank < most {
                    reasons.insert(rank, (group.to_string(), word.to_string(), weight));
                    reasons.truncate(most);
                }
            }
        });
        reasons
    }
}

/// Rows with their labels.
struct KindTrainingSet {
    rows: Vec<SparseRow>,
    labels: Vec<bool>,
    weights: Vec<f32>,
}

impl KindTrainingSet {
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

    /// Every row's margin under a model that has not seen its fold.
    fn margins_by_fold(&self, folds: &[usize], l2: f64) -> Vec<f32> {
        let mut margins = vec![0.0; self.rows.len()];
        for fold in 0..INNER_FOLDS {
            let model = self.train(|at| folds[at] != fold, l2);
            for at in (0..self.rows.len()).filter(|&at| folds[at] == fold) {
                margins[at] = model.margin(&self.rows[at]);
            }
        }
        margins
    }
}

/// Mean log loss of margins after calibration.
fn loss(margins: &[f32], labels: &[bool]) -> f64 {
    let sigmoid = Sigmoid::fit_slope(margins, labels);
    let losses = margins.iter().zip(labels).map(|(&margin, &label)| {
        let p = f64::from(sigmoid.probability(margin)).clamp(1e-6, 1.0 - 1e-6);
        if label { -p.ln() } else { -(1.0 - p).ln() }
    });
    losses.sum::<f64>() / labels.len().max(1) as f64
}

fn train_kinds(examples: &[&LabelledForm], set: &KindTrainingSet) -> Softmax {
    let others = || examples.iter().enumerate().filter(|(_, example)| !example.is_search());
    let rows: Vec<SparseRow> = others().map(|(at, _)| set.rows[at].clone()).collect();
    let weights: Vec<f32> = others().map(|(at, _)| set.weights[at]).collect();
    let class = |kind| OTHER_KINDS.iter().position(|other| *other == kind).unwrap_or(OTHER_KINDS.len() - 1);
    let classes: Vec<usize> = others().map(|(_, example)| class(example.kind)).collect();
    let options = LogisticOptions { l2: 0.03, tolerance: 1e-3, ..LogisticOptions::default() };
    Softmax::train(&rows, &classes, OTHER_KINDS.len(), Some(&weights), &options)
}
