//! Which domain does a search form search: from its own text, and with the page around it.

use super::{BINS, Disagreement, ROUNDS, by_fold, cut};
use crate::training::built_in::{Data, SEED, SITE_WEIGHT};
use hadal_core::critic::domain::{DOMAINS, DomainJudge, Lesson};
use hadal_core::critic::example::Example;
use hadal_core::critic::faithful_domain::SvmDomains;
use hadal_core::critic::subject::page_words;
use hadal_core::learn::bootstrap::{Interval, interval};
use hadal_core::learn::folds::grouped;
use hadal_core::learn::metrics::{Bin, Confusion, calibration_error, reliability};
use serde::Serialize;
use std::collections::BTreeMap;

/// Folds by site.
pub const FOLDS: usize = 10;

/// Labels at least this sure are scored; all are trained on.
const SURE: f32 = 0.8;

/// Forms a domain needs to be among those averaged.
const ENOUGH: usize = 10;

/// Figures of all ways of reading.
#[derive(Clone, Debug, Serialize)]
pub struct Domains {
    /// Forms scored.
    pub forms: usize,
    /// Domains with enough forms, over which the averages are taken.
    pub averaged: Vec<&'static str>,
    /// One entry per way of reading.
    pub readings: Vec<Reading>,
}

/// Figures of one way of reading.
#[derive(Clone, Debug, Serialize)]
pub struct Reading {
    /// What is read.
    pub name: &'static str,
    /// Share of forms given their domain, of thirteen.
    pub accuracy: Interval,
    /// The same over forms of the averaged domains.
    pub accuracy_averaged: Interval,
    /// Mean accuracy of the averaged domains' yes-or-no decisions, as the papers count.
    pub one_vs_rest: Interval,
    /// Mean F1 of the averaged domains.
    pub macro_f1: Interval,
    /// Expected calibration error over all pairs of form and domain.
    pub calibration: f64,
    /// Calibration curve.
    pub curve: Vec<Bin>,
    /// Each domain by itself.
    pub each: Vec<OneDomain>,
    /// Where it disagrees with the label.
    pub errors: Vec<Disagreement>,
    /// What was decided, for each scored form: name, truth, probabilities.
    #[serde(skip)]
    pub judged: Vec<(String, usize, Vec<f32>)>,
}

/// One domain.
#[derive(Clone, Debug, Serialize)]
pub struct OneDomain {
    /// Its name.
    pub domain: &'static str,
    /// Forms scored.
    pub forms: usize,
    /// Of those given this domain, how many are of it.
    pub precision: Interval,
    /// Of its forms, how many are given it.
    pub recall: Interval,
    /// Harmonic mean.
    pub f1: Interval,
}

/// The fold of every site.
pub fn site_folds(data: &Data) -> BTreeMap<&str, usize> {
    let mut sites: Vec<&str> = data.pages.iter().map(|page| page.site.as_str()).collect();
    sites.extend(data.forms.iter().map(|form| form.site.as_str()));
    sites.sort_unstable();
    sites.dedup();
    let folds = grouped(&sites, FOLDS, SEED);
    sites.into_iter().zip(folds).collect()
}

/// Measures all ways of reading.
pub fn evaluate(data: &Data) -> Domains {
    let folds = site_folds(data);
    let searches = data.searches();
    let lessons = data.lessons(SITE_WEIGHT);
    let judged = by_fold(FOLDS, |fold| {
        let train: Vec<&Example> =
            searches.iter().copied().filter(|example| folds[example.site.as_str()] != fold).collect();
        let lessons: Vec<&Lesson> =
            lessons.iter().filter(|lesson| folds[lesson.site.as_str()] != fold).collect();
        let judge = DomainJudge::train(&train, &lessons, SEED);
        let papers = SvmDomains::train(&train, SEED);
        let test = searches.iter().enumerate().filter(|(_, example)| folds[example.site.as_str()] == fold);
        test.map(|(at, example)| {
            let own = judge.judge(&example.form, &example.page, None);
            let around = judge.judge(&example.form, &example.page, Some(&page_words(&example.page)));
            (at, [papers.judge(&example.form, &example.page), own, around])
        })
        .collect::<Vec<_>>()
    });
    let mut judged: Vec<(usize, [Vec<f32>; 3])> = judged.into_iter().flatten().collect();
    judged.sort_by_key(|(at, _)| *at);
    let scored: Vec<(&Example, [Vec<f32>; 3])> = judged
        .into_iter()
        .map(|(at, judged)| (searches[at], judged))
        .filter(|(example, _)| example.confidence >= SURE)
        .collect();
    let of_domain = |domain: usize| scored.iter().filter(|(e, _)| e.domain == Some(domain)).count();
    let averaged: Vec<usize> = (0..DOMAINS.len() - 1).filter(|&domain| of_domain(domain) >= ENOUGH).collect();
    let names = ["papers: own text, linear SVM", "hadal: own text", "hadal: with the page around it"];
    let readings = (0..3).map(|which| {
        let rows: Vec<(&Example, &[f32])> =
            scored.iter().map(|(example, judged)| (*example, judged[which].as_slice())).collect();
        reading(names[which], &rows, &averaged)
    });
    Domains {
        forms: scored.len(),
        averaged: averaged.iter().map(|&domain| DOMAINS[domain]).collect(),
        readings: readings.collect(),
    }
}

/// The likeliest class.
pub fn best(probabilities: &[f32]) -> usize {
    (0..probabilities.len()).max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b])).unwrap_or(0)
}

fn reading(name: &'static str, rows: &[(&Example, &[f32])], averaged: &[usize]) -> Reading {
    let sites: Vec<&str> = rows.iter().map(|(example, _)| example.site.as_str()).collect();
    let truth: Vec<usize> = rows.iter().map(|(example, _)| example.domain.unwrap_or_default()).collect();
    let judged: Vec<usize> = rows.iter().map(|(_, p)| best(p)).collect();
    let table = |chosen: &[usize]| {
        let mut confusion = Confusion::new(DOMAINS.len());
        chosen.iter().for_each(|&at| confusion.add(truth[at], judged[at]));
        confusion
    };
    let figure = |statistic: &dyn Fn(&[usize]) -> f64| interval(&sites, ROUNDS, SEED, statistic);
    let share = |chosen: &[usize], right: &dyn Fn(usize) -> bool| {
        chosen.iter().filter(|&&at| right(at)).count() as f64 / chosen.len().max(1) as f64
    };
    let pairs =
        || rows.iter().zip(&truth).flat_map(|((_, p), truth)| p.iter().enumerate().map(move |p| (p, *truth)));
    let p: Vec<f32> = pairs().map(|((_, p), _)| *p).collect();
    let labels: Vec<bool> = pairs().map(|((domain, _), truth)| domain == truth).collect();
    let each = (0..DOMAINS.len()).map(|domain| OneDomain {
        domain: DOMAINS[domain],
        forms: truth.iter().filter(|&&truth| truth == domain).count(),
        precision: figure(&|chosen| table(chosen).precision(domain)),
        recall: figure(&|chosen| table(chosen).recall(domain)),
        f1: figure(&|chosen| table(chosen).f1(domain)),
    });
    let errors = (0..rows.len()).filter(|&at| truth[at] != judged[at]);
    Reading {
        name,
        accuracy: figure(&|chosen| table(chosen).accuracy()),
        accuracy_averaged: figure(&|chosen| {
            let of: Vec<usize> = chosen.iter().copied().filter(|&at| averaged.contains(&truth[at])).collect();
            share(&of, &|at| truth[at] == judged[at])
        }),
        one_vs_rest: figure(&|chosen| {
            let of =
                |&domain: &usize| share(chosen, &|at| (rows[at].1[domain] >= 0.5) == (truth[at] == domain));
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

fn disagreement(example: &Example, judged: usize, p: &[f32]) -> Disagreement {
    Disagreement {
        name: example.name.clone(),
        label: DOMAINS[example.domain.unwrap_or_default()].to_string(),
        judged: DOMAINS[judged].to_string(),
        p: p[judged],
        place: cut(&format!("{} | {}", example.page.title, example.form.heading), 100),
        text: cut(&example.form.text, 200),
    }
}
