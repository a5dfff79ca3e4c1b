//! Classification of search forms by domain: from the form's own text, and with the text of its page.

use super::{BINS, Disagreement, RESAMPLES, by_fold, cut};
use crate::training::built_in::{LabelledData, SEED, SITE_WEIGHT};
use hadal_core::critic::LabelledForm;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::domain::{DOMAINS, DomainClassifier, DomainText};
use hadal_core::critic::paper_baseline::SvmDomainClassifier;
use hadal_core::critic::topic_features::page_text_features;
use hadal_core::learn::metrics::{ConfusionMatrix, ReliabilityBin, calibration_error, reliability};
use hadal_core::learn::resampling::grouped_folds;
use hadal_core::learn::resampling::{BootstrapInterval, bootstrap_interval};
use serde::Serialize;
use std::collections::BTreeMap;

/// Number of cross-validation folds by site. The usual number.
pub const FOLDS: usize = 10;

/// Least label confidence for scoring. Training uses all labels. Guess.
pub const MIN_CONFIDENCE: f32 = 0.8;

/// Least number of forms for a domain to enter the averages. Guess.
const MIN_FORMS: usize = 10;

/// Figures of all feature sets.
#[derive(Clone, Debug, Serialize)]
pub struct DomainFigures {
    /// Number of scored forms.
    pub forms: usize,
    /// Domains with enough forms for the averages.
    pub averaged: Vec<&'static str>,
    /// One entry per feature set.
    pub readings: Vec<FeatureSetFigures>,
    /// Name and probabilities of every form, searches or not, with the page around it.
    #[serde(skip)]
    pub with_page: Vec<(String, Vec<f32>)>,
}

/// Figures of one feature set.
#[derive(Clone, Debug, Serialize)]
pub struct FeatureSetFigures {
    /// Name of the feature set.
    pub name: &'static str,
    /// Share of forms with the right domain out of thirteen.
    pub accuracy: BootstrapInterval,
    /// Same over forms of the averaged domains.
    pub accuracy_averaged: BootstrapInterval,
    /// Mean accuracy of the binary decisions of the averaged domains, as in the papers.
    pub one_vs_rest: BootstrapInterval,
    /// Mean F1 of the averaged domains.
    pub macro_f1: BootstrapInterval,
    /// Expected calibration error over all pairs of form and domain.
    pub calibration: f64,
    /// Predicted against observed probability, in bins.
    pub curve: Vec<ReliabilityBin>,
    /// Figures of each domain.
    pub each: Vec<SingleDomainFigures>,
    /// Forms with a predicted domain that differs from the label.
    pub errors: Vec<Disagreement>,
    /// Name, true domain and probabilities of each scored form.
    #[serde(skip)]
    pub judged: Vec<(String, usize, Vec<f32>)>,
}

/// Figures of one domain.
#[derive(Clone, Debug, Serialize)]
pub struct SingleDomainFigures {
    pub domain: &'static str,
    /// Number of scored forms.
    pub forms: usize,
    /// Share of the forms predicted as this domain that belong to it.
    pub precision: BootstrapInterval,
    /// Share of the domain's forms that are predicted as it.
    pub recall: BootstrapInterval,
    /// Harmonic mean of precision and recall.
    pub f1: BootstrapInterval,
}

/// Fold of every site.
pub fn site_folds(data: &LabelledData) -> BTreeMap<&str, usize> {
    let mut sites: Vec<&str> = data.pages.iter().map(|page| page.site.as_str()).collect();
    sites.extend(data.forms.iter().map(|form| form.site.as_str()));
    sites.sort_unstable();
    sites.dedup();
    let folds = grouped_folds(&sites, FOLDS, SEED);
    sites.into_iter().zip(folds).collect()
}

/// Evaluates all feature sets.
pub fn evaluate(data: &LabelledData) -> DomainFigures {
    let folds = site_folds(data);
    let searches = data.searches();
    let lessons = data.lessons(SITE_WEIGHT);
    let (judged, with_page): (Vec<_>, Vec<_>) = by_fold(FOLDS, |fold| {
        let train: Vec<&LabelledForm> =
            searches.iter().copied().filter(|example| folds[example.site.as_str()] != fold).collect();
        let lessons: Vec<&DomainText> =
            lessons.iter().filter(|lesson| folds[lesson.site.as_str()] != fold).collect();
        let judge = DomainClassifier::train(&train, &lessons, SEED);
        let papers = SvmDomainClassifier::train(&train, SEED);
        let with_page = |example: &LabelledForm| {
            judge.classify(&example.form, &example.page, Some(&page_text_features(&example.page)))
        };
        let is_tested = |example: &LabelledForm| folds[example.site.as_str()] == fold;
        let tested = searches.iter().enumerate().filter(|(_, example)| is_tested(example));
        let tested = tested.map(|(at, example)| {
            let own = judge.classify(&example.form, &example.page, None);
            (at, [papers.classify(&example.form, &example.page), own, with_page(example)])
        });
        let all = data.forms.iter().filter(|example| is_tested(example));
        let all = all.map(|example| (example.name.clone(), with_page(example)));
        (tested.collect::<Vec<_>>(), all.collect::<Vec<_>>())
    })
    .into_iter()
    .unzip();
    let mut judged: Vec<(usize, [Vec<f32>; 3])> = judged.into_iter().flatten().collect();
    judged.sort_by_key(|(at, _)| *at);
    let scored: Vec<(&LabelledForm, [Vec<f32>; 3])> = judged
        .into_iter()
        .map(|(at, judged)| (searches[at], judged))
        .filter(|(example, _)| example.confidence >= MIN_CONFIDENCE)
        .collect();
    let of_domain = |domain: usize| scored.iter().filter(|(e, _)| e.domain == Some(domain)).count();
    let averaged: Vec<usize> =
        (0..DOMAINS.len() - 1).filter(|&domain| of_domain(domain) >= MIN_FORMS).collect();
    let names = ["papers: own text, linear SVM", "hadal: own text", "hadal: with the page around it"];
    let readings = (0..3).map(|which| {
        let rows: Vec<(&LabelledForm, &[f32])> =
            scored.iter().map(|(example, judged)| (*example, judged[which].as_slice())).collect();
        reading(names[which], &rows, &averaged)
    });
    DomainFigures {
        forms: scored.len(),
        averaged: averaged.iter().map(|&domain| DOMAINS[domain]).collect(),
        readings: readings.collect(),
        with_page: with_page.into_iter().flatten().collect(),
    }
}

/// Index of the largest probability.
pub fn best(probabilities: &[f32]) -> usize {
    (0..probabilities.len()).max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b])).unwrap_or(0)
}

fn reading(name: &'static str, rows: &[(&LabelledForm, &[f32])], averaged: &[usize]) -> FeatureSetFigures {
    let sites: Vec<&str> = rows.iter().map(|(example, _)| example.site.as_str()).collect();
    let truth: Vec<usize> = rows.iter().map(|(example, _)| example.domain.unwrap_or_default()).collect();
    let judged: Vec<usize> = rows.iter().map(|(_, p)| best(p)).collect();
    let table = |chosen: &[usize]| {
        let mut confusion = ConfusionMatrix::new(DOMAINS.len());
        chosen.iter().for_each(|&at| confusion.add(truth[at], judged[at]));
        confusion
    };
    let figure = |statistic: &dyn Fn(&[usize]) -> f64| bootstrap_interval(&sites, RESAMPLES, SEED, statistic);
    let share = |chosen: &[usize], right: &dyn Fn(usize) -> bool| {
        chosen.iter().filter(|&&at| right(at)).count() as f64 / chosen.len().max(1) as f64
    };
    let pairs =
        || rows.iter().zip(&truth).flat_map(|((_, p), truth)| p.iter().enumerate().map(move |p| (p, *truth)));
    let p: Vec<f32> = pairs().map(|((_, p), _)| *p).collect();
    let labels: Vec<bool> = pairs().map(|((domain, _), truth)| domain == truth).collect();
    let each = (0..DOMAINS.len()).map(|domain| SingleDomainFigures {
        domain: DOMAINS[domain],
        forms: truth.iter().filter(|&&truth| truth == domain).count(),
        precision: figure(&|chosen| table(chosen).precision(domain)),
        recall: figure(&|chosen| table(chosen).recall(domain)),
        f1: figure(&|chosen| table(chosen).f1(domain)),
    });
    let errors = (0..rows.len()).filter(|&at| truth[at] != judged[at]);
    FeatureSetFigures {
        name,
        accuracy: figure(&|chosen| table(chosen).accuracy()),
        accuracy_averaged: figure(&|chosen| {
            let of: Vec<usize> = chosen.iter().copied().filter(|&at| averaged.contains(&truth[at])).collect();
            share(&of, &|at| truth[at] == judged[at])
        }),
        one_vs_rest: figure(&|chosen| {
            let of = |&domain: &usize| {
                share(chosen, &|at| (rows[at].1[domain] >= MIN_ACCEPTED_P) == (truth[at] == domain))
            };
            averaged.iter().map(of).sum::<f64>() / averaged.len().max(1) as f64
        }),
        macro_f1: figure(&|chosen| table(chosen).macro_f1(averaged)),
        calibration: calibration_error(&p, &labels, BINS),
        curve: reliability(&p, &labels, BINS),
        each: each.collect(),
        errors: errors.map(|at| disagreement(rows[at].0, judged[at], rows[at].1)).collect(),
        judged: rows.iter().zip(&truth).map(|((e, p), truth)| (e.name.clone(), *truth, p.to_vec())).collect(),
    }
}

fn disagreement(example: &LabelledForm, judged: usize, p: &[f32]) -> Disagreement {
    Disagreement {
        name: example.name.clone(),
        label: DOMAINS[example.domain.unwrap_or_default()].to_string(),
        judged: DOMAINS[judged].to_string(),
        p: p[judged],
        place: cut(&format!("{} | {}", example.page.title, example.form.heading), 100),
        text: cut(&example.form.text, 200),
    }
}
