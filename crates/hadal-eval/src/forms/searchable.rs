//! Classification of forms as searchable or not: the decision tree of the FFC paper, ours, and the
//! formasaurus package, on the same folds.

use super::{BinaryFigures, Disagreement, by_fold, cut};
use crate::training::built_in::{LabelledData, SEED};
use anyhow::Context;
use hadal_core::critic::FormKind;
use hadal_core::critic::LabelledForm;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::paper_baseline::TreeFormClassifier;
use hadal_core::critic::searchable::SearchableClassifier;
use hadal_core::page::Form;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Number of cross-validation folds. The usual number.
const FOLDS: usize = 10;

/// Errors with at least this probability are reported as doubtful labels. Guess.
const DOUBTFUL_FROM: f32 = 0.9;

/// Figures on the given folds.
#[derive(Clone, Debug, Serialize)]
pub struct SearchableFigures {
    /// Number of forms.
    pub forms: usize,
    /// Number of search forms.
    pub searches: usize,
    /// One row per classifier.
    pub rows: Vec<BinaryFigures>,
    /// Share of forms with a kind that our classifier predicts.
    pub kind_accuracy: f64,
    /// Forms where our classifier disagrees with the label.
    pub errors: Vec<Disagreement>,
    /// Number of errors above [`DOUBTFUL_FROM`].
    pub doubtful: usize,
}

#[derive(Deserialize)]
struct Predictions {
    tool: String,
    version: String,
    predictions: Vec<Prediction>,
}

#[derive(Deserialize)]
struct Prediction {
    page: String,
    form_index: usize,
    predicted: String,
}

/// Evaluates on the folds of the data set. Our classifier also trains on the second set of forms, which has
/// other sites.
pub fn evaluate(data: &LabelledData, formasaurus: Option<&Path>) -> anyhow::Result<SearchableFigures> {
    let examples: Vec<&LabelledForm> = data.folded.iter().map(|folded| &folded.example).collect();
    let labels: Vec<bool> = examples.iter().map(|example| example.is_search()).collect();
    let sites: Vec<&str> = examples.iter().map(|example| example.site.as_str()).collect();
    let of_fold = |fold: usize| (0..examples.len()).filter(move |&at| data.folded[at].fold == fold);
    let judged = by_fold(FOLDS, |fold| {
        let kept: Vec<&LabelledForm> =
            data.folded.iter().filter(|folded| folded.fold != fold).map(|folded| &folded.example).collect();
        let tree = tree(&kept);
        let all: Vec<&LabelledForm> = kept.into_iter().chain(&data.forms).collect();
        let ours = SearchableClassifier::train(&all, SEED);
        let judge = |at: usize| {
            let example = examples[at];
            let (p, kind) = ours.classify(&example.form, &example.page);
            (at, tree.p_searchable(&example.form), p, kind)
        };
        of_fold(fold).map(judge).collect::<Vec<_>>()
    });
    let mut judged: Vec<(usize, f32, f32, FormKind)> = judged.into_iter().flatten().collect();
    judged.sort_by_key(|(at, ..)| *at);
    let baseline: Vec<f32> = judged.iter().map(|row| row.1).collect();
    let ours: Vec<f32> = judged.iter().map(|row| row.2).collect();
    let mut rows = vec![BinaryFigures::of("FFC 2005: 14 features, C4.5", &baseline, &labels, &sites)];
    if let Some(path) = formasaurus {
        let (name, p) = predictions(path, &examples)?;
        rows.push(BinaryFigures::of(&name, &p, &labels, &sites));
    }
    rows.push(BinaryFigures::of("hadal", &ours, &labels, &sites));
    let right = judged.iter().filter(|(at, _, _, kind)| *kind == examples[*at].kind).count();
    let mut errors: Vec<Disagreement> = judged
        .iter()
        .filter(|(at, _, p, _)| (*p >= MIN_ACCEPTED_P) != labels[*at])
        .map(|(at, _, p, kind)| disagreement(examples[*at], *p, *kind))
        .collect();
    errors.sort_by(|a, b| (b.p - MIN_ACCEPTED_P).abs().total_cmp(&(a.p - MIN_ACCEPTED_P).abs()));
    let doubtful =
        errors.iter().filter(|error| error.p >= DOUBTFUL_FROM || error.p <= 1.0 - DOUBTFUL_FROM).count();
    let searches = labels.iter().filter(|label| **label).count();
    let kind_accuracy = right as f64 / labels.len().max(1) as f64;
    Ok(SearchableFigures { forms: labels.len(), searches, rows, kind_accuracy, errors, doubtful })
}

fn tree(examples: &[&LabelledForm]) -> TreeFormClassifier {
    let forms: Vec<&Form> = examples.iter().map(|example| &example.form).collect();
    let labels: Vec<bool> = examples.iter().map(|example| example.is_search()).collect();
    TreeFormClassifier::train(&forms, &labels)
}

/// Predictions of the package. It outputs the most likely type only, so its probabilities are 0 or 1.
fn predictions(path: &Path, examples: &[&LabelledForm]) -> anyhow::Result<(String, Vec<f32>)> {
    let read = std::fs::read(path).with_context(|| path.display().to_string())?;
    let found: Predictions = serde_json::from_slice(&read).with_context(|| path.display().to_string())?;
    let named = |prediction: &Prediction| format!("{} form {}", prediction.page, prediction.form_index);
    let by_name: std::collections::HashMap<String, bool> =
        found.predictions.iter().map(|prediction| (named(prediction), prediction.predicted == "s")).collect();
    let p = examples.iter().map(|example| {
        let yes =
            by_name.get(&example.name).with_context(|| format!("no prediction for {}", example.name))?;
        Ok(f32::from(u8::from(*yes)))
    });
    Ok((format!("{} {}", found.tool, found.version), p.collect::<anyhow::Result<_>>()?))
}

fn disagreement(example: &LabelledForm, p: f32, judged: FormKind) -> Disagreement {
    let fields: Vec<String> = example
        .form
        .fields
        .iter()
        .take(8)
        .map(|field| format!("{}:{}", field.kind.name(), field.name))
        .collect();
    Disagreement {
        name: example.name.clone(),
        label: example.kind.name().to_string(),
        judged: judged.name().to_string(),
        p,
        place: cut(&format!("{} | {}", example.page.title, example.form.heading), 100),
        text: cut(&format!("{} [{}]", example.form.text, fields.join(" ")), 240),
    }
}
