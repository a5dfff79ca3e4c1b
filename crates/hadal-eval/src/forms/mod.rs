//! Evaluation of the classifiers: cross-validation by site, with intervals.
//!
//! No classifier is scored on a site it was trained on. Hyperparameters are chosen inside the training folds.
//! Intervals are 95 % bootstrap intervals over sites.

pub mod domains;
pub mod few_examples;
pub mod pages;
pub mod searchable;
pub mod summary;
pub mod unseen;

use crate::training::built_in::LabelledData;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::learn::metrics::{ConfusionMatrix, ReliabilityBin, calibration_error, reliability, roc_auc};
use hadal_core::learn::resampling::{self, BootstrapInterval, RESAMPLES};
use serde::Serialize;
use std::path::Path;
use std::sync::Mutex;

/// Bins of equal mass in a reliability curve.
const BINS: usize = 10;

/// All figures of `hadal eval forms`.
#[derive(Clone, Debug, Serialize)]
pub struct FormFigures {
    /// Figures of the searchable-or-not classifiers, on the given folds.
    pub searchable: searchable::SearchableFigures,
    /// Domain of search forms.
    pub domains: domains::DomainFigures,
    /// Topic of pages.
    pub pages: pages::PageFiguresAll,
    /// The whole critic on sites that it has not seen.
    pub unseen: unseen::UnseenFigures,
    /// Same with classifiers trained on one half of the sites, if asked for.
    pub halves: Option<unseen::UnseenFigures>,
    /// Topics from five examples.
    pub few: Vec<few_examples::FewExampleFigures>,
}

/// Computes all figures. `formasaurus` is a file of that package's predictions, written by
/// `eval/formasaurus_folds.py`. `divisions` is the number of random divisions of the sites into a half that trains
/// and a half that is judged. `on_stage` receives the name of each stage.
pub fn evaluate(
    data: &LabelledData,
    formasaurus: Option<&Path>,
    divisions: usize,
    on_stage: &(dyn Fn(&str) + Sync),
) -> anyhow::Result<FormFigures> {
    on_stage("search or not");
    let searchable = searchable::evaluate(data, formasaurus)?;
    on_stage("domains");
    let domains = domains::evaluate(data);
    on_stage("pages");
    let pages = pages::evaluate(data);
    on_stage("unseen sites");
    let unseen = unseen::evaluate(data, &domains);
    if divisions > 0 {
        on_stage("halves of the sites");
    }
    let halves = (divisions > 0).then(|| unseen::evaluate_halves(data, divisions));
    on_stage("topics from five examples");
    let few = few_examples::evaluate(data, &domains);
    Ok(FormFigures { searchable, domains, pages, unseen, halves, few })
}

/// Figures of a binary classifier.
#[derive(Clone, Debug, Serialize)]
pub struct BinaryFigures {
    /// Name of the classifier.
    pub name: String,
    /// Share of the positive decisions that are right.
    pub precision: BootstrapInterval,
    /// Share of the positive examples that are found.
    pub recall: BootstrapInterval,
    /// Harmonic mean of precision and recall.
    pub f1: BootstrapInterval,
    /// Share of wrong decisions.
    pub error: BootstrapInterval,
    /// Area under the ROC curve.
    pub auc: f64,
    /// Expected calibration error.
    pub calibration: f64,
    /// Predicted against observed probability, in bins.
    pub curve: Vec<ReliabilityBin>,
}

impl BinaryFigures {
    /// Compares probabilities with labels.
    pub fn of(name: &str, probabilities: &[f32], labels: &[bool], sites: &[&str]) -> BinaryFigures {
        let figure = |statistic: fn(&ConfusionMatrix) -> f64| {
            resampling::bootstrap_interval(sites, RESAMPLES, crate::training::built_in::SEED, |rows| {
                let p: Vec<f32> = rows.iter().map(|&row| probabilities[row]).collect();
                let truth: Vec<bool> = rows.iter().map(|&row| labels[row]).collect();
                statistic(&ConfusionMatrix::binary(&p, &truth, MIN_ACCEPTED_P))
            })
        };
        BinaryFigures {
            name: name.to_string(),
            precision: figure(|confusion| confusion.precision(1)),
            recall: figure(|confusion| confusion.recall(1)),
            f1: figure(|confusion| confusion.f1(1)),
            error: figure(ConfusionMatrix::error),
            auc: roc_auc(probabilities, labels),
            calibration: calibration_error(probabilities, labels, BINS),
            curve: reliability(probabilities, labels, BINS),
        }
    }
}

/// A decision that differs from its label, with enough text to see why.
#[derive(Clone, Debug, Serialize)]
pub struct Disagreement {
    /// Page and form in the data set.
    pub name: String,
    /// Label in the data set.
    pub label: String,
    /// Decision of the classifier.
    pub judged: String,
    /// Probability of the decision.
    pub p: f32,
    /// Title of the page and heading of the form.
    pub place: String,
    /// Text of the form.
    pub text: String,
}

/// Runs folds on all cores and returns results in order of the folds.
pub fn by_fold<T: Send>(folds: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = Mutex::new(0);
    let done = Mutex::new(Vec::new());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(folds) {
            scope.spawn(|| {
                loop {
                    let fold = {
                        let mut next = next.lock().expect("no fold panics while counting");
                        *next += 1;
                        *next - 1
                    };
                    if fold >= folds {
                        break;
                    }
                    let result = work(fold);
                    done.lock().expect("no fold panics while storing").push((fold, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no fold panics while storing");
    done.sort_by_key(|(fold, _)| *fold);
    done.into_iter().map(|(_, result)| result).collect()
}

/// First `most` characters of a text.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
