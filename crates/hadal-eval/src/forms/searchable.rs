//! Search form or not: the papers' tree, ours, and a package of today, on the same folds.

use super::{Disagreement, Row, by_fold, cut};
use crate::training::built_in::{Data, SEED};
use anyhow::Context;
use hadal_core::critic::Kind;
use hadal_core::critic::example::Example;
use hadal_core::critic::faithful;
use hadal_core::critic::searchable::SearchableJudge;
use hadal_core::page::Form;
use serde::{Deserialize, Serialize};
use std::path::Path;

const FOLDS: usize = 10;

/// Disagreements at least this sure, by a judge that never saw the site, are labels to look at again.
const DOUBT: f32 = 0.9;

/// Figures on the given folds.
#[derive(Clone, Debug, Serialize)]
pub struct Searchable {
    /// Forms measured.
    pub forms: usize,
    /// Searches among them.
    pub searches: usize,
    /// One row per judge.
    pub rows: Vec<Row>,
    /// Share of forms whose kind ours tells right.
    pub kind_accuracy: f64,
    /// Where ours disagrees with the label.
    pub errors: Vec<Disagreement>,
    /// Labels that are likely wrong, or a matter of taste: ours is very sure of the opposite.
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

/// Measures on the folds that come with the data. Ours may also learn from the second set of forms, whose
/// sites are others.
pub fn evaluate(data: &Data, formasaurus: Option<&Path>) -> anyhow::Result<Searchable> {
    let examples: Vec<&Example> = data.folded.iter().map(|folded| &folded.example).collect();
    let labels: Vec<bool> = examples.iter().map(|example| example.is_search()).collect();
    let sites: Vec<&str> = examples.iter().map(|example| example.site.as_str()).collect();
    let of_fold = |fold: usize| (0..examples.len()).filter(move |&at| data.folded[at].fold == fold);
    let judged = by_fold(FOLDS, |fold| {
        let kept: Vec<&Example> =
            data.folded.iter().filter(|folded| folded.fold != fold).map(|folded| &folded.example).collect();
        let tree = tree(&kept);
        let all: Vec<&Example> = kept.into_iter().chain(&data.forms).collect();
        let ours = SearchableJudge::train(&all, SEED);
        let judge = |at: usize| {
            let example = examples[at];
            let (p, kind) = ours.judge(&example.form, &example.page);
            (at, faithful::p_searchable(&tree, &example.form), p, kind)
        };
        of_fold(fold).map(judge).collect::<Vec<_>>()
    });
    let mut judged: Vec<(usize, f32, f32, Kind)> = judged.into_iter().flatten().collect();
    judged.sort_by_key(|(at, ..)| *at);
    let faithful: Vec<f32> = judged.iter().map(|row| row.1).collect();
    let ours: Vec<f32> = judged.iter().map(|row| row.2).collect();
    let mut rows = vec![Row::of("FFC 2005: 14 features, C4.5", &faithful, &labels, &sites)];
    if let Some(path) = formasaurus {
        let (name, p) = predictions(path, &examples)?;
        rows.push(Row::of(&name, &p, &labels, &sites));
    }
    rows.push(Row::of("hadal", &ours, &labels, &sites));
    let right = judged.iter().filter(|(at, _, _, kind)| *kind == examples[*at].kind).count();
    let mut errors: Vec<Disagreement> = judged
        .iter()
        .filter(|(at, _, p, _)| (*p >= 0.5) != labels[*at])
        .map(|(at, _, p, kind)| disagreement(examples[*at], *p, *kind))
        .collect();
    errors.sort_by(|a, b| (b.p - 0.5).abs().total_cmp(&(a.p - 0.5).abs()));
    let doubtful = errors.iter().filter(|error| error.p >= DOUBT || error.p <= 1.0 - DOUBT).count();
    let searches = labels.iter().filter(|label| **label).count();
    let kind_accuracy = right as f64 / labels.len().max(1) as f64;
    Ok(Searchable { forms: labels.len(), searches, rows, kind_accuracy, errors, doubtful })
}

fn tree(examples: &[&Example]) -> hadal_core::learn::tree::Tree {
    let forms: Vec<&Form> = examples.iter().map(|example| &example.form).collect();
    let labels: Vec<bool> = examples.iter().map(|example| example.is_search()).collect();
    faithful::train(&forms, &labels)
}

/// What the package decided. It answers with the likeliest type, so its probabilities count as 0 or 1.
fn predictions(path: &Path, examples: &[&Example]) -> anyhow::Result<(String, Vec<f32>)> {
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

fn disagreement(example: &Example, p: f32, judged: Kind) -> Disagreement {
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
