//! Classification of pages by domain: naive Bayes as in the papers, and ours, with folds by site.

use super::domains::{FOLDS, best, site_folds};
use super::{BINS, RESAMPLES, by_fold};
use crate::training::built_in::{LabelledData, SEED};
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::domain::{DOMAINS, DomainText, OTHER};
use hadal_core::critic::page_topic::PageClassifier;
use hadal_core::critic::paper_baseline::BayesPageClassifier;
use hadal_core::critic::topic_features::{TopicFeatures, page_stem_counts};
use hadal_core::learn::metrics::{ReliabilityBin, calibration_error, reliability};
use hadal_core::learn::resampling::{BootstrapInterval, bootstrap_interval};
use serde::Serialize;

/// Figures of both classifiers.
#[derive(Clone, Debug, Serialize)]
pub struct PageFiguresAll {
    /// Number of pages.
    pub pages: usize,
    /// Number of sites.
    pub sites: usize,
    /// One entry per classifier.
    pub judges: Vec<PageFigures>,
}

/// Figures of one classifier.
#[derive(Clone, Debug, Serialize)]
pub struct PageFigures {
    /// Name of the classifier.
    pub name: &'static str,
    /// Accuracy of each domain's pages against pages of "other", averaged over domains.
    pub against_other: BootstrapInterval,
    /// Same for whole sites, by the mean probability of their pages.
    pub sites_against_other: BootstrapInterval,
    /// Accuracy of on topic or off topic against all other pages, averaged over domains.
    pub on_or_off: BootstrapInterval,
    /// Share of pages with the right domain out of thirteen.
    pub accuracy: BootstrapInterval,
    /// Each domain against "other": name, pages, accuracy.
    pub each: Vec<(&'static str, usize, f64)>,
    /// Expected calibration error over all pairs of page and domain.
    pub calibration: f64,
    /// Predicted against observed probability, in bins.
    pub curve: Vec<ReliabilityBin>,
}

/// Evaluates both classifiers.
pub fn evaluate(data: &LabelledData) -> PageFiguresAll {
    let folds = site_folds(data);
    let lessons = data.lessons(1.0);
    let words: Vec<TopicFeatures> = data.pages.iter().map(|page| page_stem_counts(&page.as_page())).collect();
    let fold_of = |at: usize| folds[lessons[at].site.as_str()];
    let judged = by_fold(FOLDS, |fold| {
        let kept: Vec<usize> = (0..lessons.len()).filter(|&at| fold_of(at) != fold).collect();
        let ours =
            PageClassifier::train(&kept.iter().map(|&at| &lessons[at]).collect::<Vec<&DomainText>>(), SEED);
        let rows: Vec<(&[(u32, f32)], usize)> =
            kept.iter().map(|&at| (words[at].as_slice(), lessons[at].domain)).collect();
        let bayes = BayesPageClassifier::train(&rows);
        let test = (0..lessons.len()).filter(|&at| fold_of(at) == fold);
        test.map(|at| (at, [bayes.classify(&words[at]), ours.classify(&lessons[at].features)]))
            .collect::<Vec<_>>()
    });
    let mut judged: Vec<(usize, [Vec<f32>; 2])> = judged.into_iter().flatten().collect();
    judged.sort_by_key(|(at, _)| *at);
    let truth: Vec<usize> = lessons.iter().map(|lesson| lesson.domain).collect();
    let sites: Vec<&str> = lessons.iter().map(|lesson| lesson.site.as_str()).collect();
    let names = ["naive Bayes", "hadal"];
    let judges = (0..2).map(|which| {
        let p: Vec<&[f32]> = judged.iter().map(|(_, judged)| judged[which].as_slice()).collect();
        figures(names[which], &p, &truth, &sites)
    });
    PageFiguresAll { pages: truth.len(), sites: folds.len(), judges: judges.collect() }
}

fn figures(name: &'static str, p: &[&[f32]], truth: &[usize], sites: &[&str]) -> PageFigures {
    let twelve = || 0..DOMAINS.len() - 1;
    let against = |chosen: &[usize], domain: usize| {
        let of = chosen.iter().filter(|&&at| truth[at] == domain || truth[at] == OTHER);
        let right = of.clone().filter(|&&at| (p[at][domain] > p[at][OTHER]) == (truth[at] == domain));
        right.count() as f64 / of.count().max(1) as f64
    };
    let mean = |of: &dyn Fn(usize) -> f64| twelve().map(of).sum::<f64>() / (DOMAINS.len() - 1) as f64;
    let figure =
        |statistic: &dyn Fn(&[usize]) -> f64| bootstrap_interval(sites, RESAMPLES / 5, SEED, statistic);
    let all: Vec<usize> = (0..truth.len()).collect();
    let pairs: Vec<(f32, bool)> = p
        .iter()
        .zip(truth)
        .flat_map(|(p, truth)| p.iter().enumerate().map(move |(domain, p)| (*p, domain == *truth)))
        .collect();
    let (flat, labels): (Vec<f32>, Vec<bool>) = pairs.into_iter().unzip();
    let count = |domain: usize| truth.iter().filter(|&&truth| truth == domain).count();
    PageFigures {
        name,
        against_other: figure(&|chosen| mean(&|domain| against(chosen, domain))),
        sites_against_other: whole_sites(p, truth, sites),
        on_or_off: figure(&|chosen| {
            mean(&|domain| {
                let right =
                    chosen.iter().filter(|&&at| (p[at][domain] >= MIN_ACCEPTED_P) == (truth[at] == domain));
                right.count() as f64 / chosen.len().max(1) as f64
            })
        }),
        accuracy: figure(&|chosen| {
            let right = chosen.iter().filter(|&&at| best(p[at]) == truth[at]);
            right.count() as f64 / chosen.len().max(1) as f64
        }),
        each: twelve().map(|domain| (DOMAINS[domain], count(domain), against(&all, domain))).collect(),
        calibration: calibration_error(&flat, &labels, BINS),
        curve: reliability(&flat, &labels, BINS),
    }
}

/// Accuracy of each domain's sites against sites of "other", by the mean probability of their pages.
fn whole_sites(p: &[&[f32]], truth: &[usize], sites: &[&str]) -> BootstrapInterval {
    let mut names: Vec<&str> = sites.to_vec();
    names.sort_unstable();
    names.dedup();
    let means: Vec<(usize, Vec<f32>)> = names
        .iter()
        .map(|name| {
            let pages: Vec<usize> = (0..sites.len()).filter(|&at| sites[at] == *name).collect();
            let mean = |domain: usize| {
                pages.iter().map(|&at| p[at][domain]).sum::<f32>() / pages.len().max(1) as f32
            };
            (truth[pages[0]], (0..DOMAINS.len()).map(mean).collect())
        })
        .collect();
    bootstrap_interval(&names, RESAMPLES, SEED, |chosen| {
        let of = |domain: usize| {
            let of =
                chosen.iter().map(|&at| &means[at]).filter(|(truth, _)| *truth == domain || *truth == OTHER);
            let right = of.clone().filter(|(truth, p)| (p[domain] > p[OTHER]) == (*truth == domain));
            right.count() as f64 / of.count().max(1) as f64
        };
        (0..DOMAINS.len() - 1).map(of).sum::<f64>() / (DOMAINS.len() - 1) as f64
    })
}
