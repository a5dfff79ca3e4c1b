//! Measuring the judges: cross-validated, by site, with intervals.
//!
//! No judge is measured on a site it was trained on; what it chooses for itself it chooses inside its
//! training folds. Intervals are 95 % bootstrap intervals over sites.

pub mod domains;
pub mod few;
pub mod pages;
pub mod searchable;
pub mod summary;

use crate::training::built_in::Data;
use hadal_core::learn::bootstrap::{self, Interval};
use hadal_core::learn::metrics::{Bin, Confusion, calibration_error, reliability, roc_auc};
use serde::Serialize;
use std::path::Path;
use std::sync::Mutex;

/// Resamples of every interval.
const ROUNDS: usize = 1000;

/// Bins of a calibration curve, of equal mass.
const BINS: usize = 10;

/// All figures.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// Search form or not, on the given folds.
    pub searchable: searchable::Searchable,
    /// Which domain.
    pub domains: domains::Domains,
    /// What a page is about.
    pub pages: pages::Pages,
    /// Topics from five examples.
    pub few: Vec<few::Few>,
}

/// Measures everything. `formasaurus` holds predictions of that package, see `eval/formasaurus_folds.py`;
/// `tell` hears what is being done.
pub fn evaluate(
    data: &Data,
    formasaurus: Option<&Path>,
    tell: &(dyn Fn(&str) + Sync),
) -> anyhow::Result<Figures> {
    tell("search or not");
    let searchable = searchable::evaluate(data, formasaurus)?;
    tell("domains");
    let domains = domains::evaluate(data);
    tell("pages");
    let pages = pages::evaluate(data);
    tell("topics from five examples");
    let few = few::evaluate(data, &domains);
    Ok(Figures { searchable, domains, pages, few })
}

/// How well a yes-or-no judge does.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Which judge.
    pub name: String,
    /// How many of its yes are right.
    pub precision: Interval,
    /// How many of all yes it finds.
    pub recall: Interval,
    /// Harmonic mean of the two.
    pub f1: Interval,
    /// Share of wrong decisions.
    pub error: Interval,
    /// Area under the ROC curve.
    pub auc: f64,
    /// Expected calibration error.
    pub calibration: f64,
    /// The calibration curve.
    pub curve: Vec<Bin>,
}

impl Row {
    /// Measures probabilities of yes against the truth.
    pub fn of(name: &str, probabilities: &[f32], labels: &[bool], sites: &[&str]) -> Row {
        let figure = |statistic: fn(&Confusion) -> f64| {
            bootstrap::interval(sites, ROUNDS, crate::training::built_in::SEED, |rows| {
                let p: Vec<f32> = rows.iter().map(|&row| probabilities[row]).collect();
                let truth: Vec<bool> = rows.iter().map(|&row| labels[row]).collect();
                statistic(&Confusion::binary(&p, &truth, 0.5))
            })
        };
        Row {
            name: name.to_string(),
            precision: figure(|confusion| confusion.precision(1)),
            recall: figure(|confusion| confusion.recall(1)),
            f1: figure(|confusion| confusion.f1(1)),
            error: figure(Confusion::error),
            auc: roc_auc(probabilities, labels),
            calibration: calibration_error(probabilities, labels, BINS),
            curve: reliability(probabilities, labels, BINS),
        }
    }
}

/// A decision that disagrees with its label, with enough text to see why.
#[derive(Clone, Debug, Serialize)]
pub struct Disagreement {
    /// Where it can be read again.
    pub name: String,
    /// What the label says.
    pub label: String,
    /// What the judge says.
    pub judged: String,
    /// How sure the judge is.
    pub p: f32,
    /// Title of the page and heading of the form.
    pub place: String,
    /// What is in the form.
    pub text: String,
}

/// Runs the folds on all cores; results come back in the folds' order.
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

/// The beginning of a text.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
