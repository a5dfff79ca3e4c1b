//! The whole critic on sites that it was not trained on: searchable or not, and recognition of relevant forms.
//!
//! A form is recognised if `p_relevant >= 0.5`, as in a crawl for its domain. Claims of forms that are not
//! searches count against the precision.

use super::domains::MIN_CONFIDENCE;
use super::domains::{DomainFigures, FOLDS, site_folds};
use super::{BinaryFigures, RESAMPLES, by_fold};
use crate::training::built_in::{LabelledData, SEED};
use hadal_core::critic::LabelledForm;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::domain::{DOMAINS, OTHER};
use hadal_core::critic::searchable::SearchableClassifier;
use hadal_core::critic::trained::p_relevant;
use hadal_core::learn::resampling::{BootstrapInterval, bootstrap_interval};
use serde::Serialize;
use std::collections::HashMap;

/// Figures on the sites of the forms labelled by domain, each judged by classifiers that have not seen its site.
#[derive(Clone, Debug, Serialize)]
pub struct UnseenFigures {
    /// Searchable or not.
    pub searchable: BinaryFigures,
    /// Share of all relevant forms that are recognised.
    pub recognised: BootstrapInterval,
    /// Share of all claims that are right.
    pub precision: BootstrapInterval,
    /// One entry per domain but "other".
    pub each: Vec<RecognitionFigures>,
}

/// Recognition of the forms of one domain.
#[derive(Clone, Debug, Serialize)]
pub struct RecognitionFigures {
    pub domain: &'static str,
    /// Number of relevant forms.
    pub forms: usize,
    /// Share of the relevant forms that are recognised.
    pub recognised: BootstrapInterval,
    /// Share of the forms recognised as this domain that belong to it.
    pub precision: BootstrapInterval,
}

/// A form with its label and the verdict of the critic.
struct JudgedForm<'a> {
    site: &'a str,
    /// `None` if the form is not a search.
    domain: Option<usize>,
    /// P(relevant), by domain.
    p_relevant: Vec<f32>,
}

/// Evaluates the critic. `domains` holds the probabilities of the domains from the same folds.
pub fn evaluate(data: &LabelledData, domains: &DomainFigures) -> UnseenFigures {
    let scored: Vec<(&LabelledForm, f32)> =
        p_searchable(data).into_iter().filter(|(form, _)| form.confidence >= MIN_CONFIDENCE).collect();
    let p: Vec<f32> = scored.iter().map(|(_, p)| *p).collect();
    let labels: Vec<bool> = scored.iter().map(|(form, _)| form.is_search()).collect();
    let sites: Vec<&str> = scored.iter().map(|(form, _)| form.site.as_str()).collect();
    let judged = judged_forms(&scored, domains);
    let is_relevant = |form: &JudgedForm<'_>| form.domain.is_some_and(|domain| domain != OTHER);
    let is_right = |form: &JudgedForm<'_>| form.domain.is_some_and(|domain| is_claimed(form, domain));
    UnseenFigures {
        searchable: BinaryFigures::of("hadal", &p, &labels, &sites),
        recognised: share(&judged, is_relevant, is_right),
        precision: share(&judged, |form| (0..OTHER).any(|domain| is_claimed(form, domain)), is_right),
        each: (0..OTHER).map(|domain| of_domain(domain, &judged)).collect(),
    }
}

/// P(searchable) of every form by a classifier that has not seen its site.
fn p_searchable(data: &LabelledData) -> Vec<(&LabelledForm, f32)> {
    let folds = site_folds(data);
    let is_of = |form: &LabelledForm, fold: usize| folds[form.site.as_str()] == fold;
    let judged = by_fold(FOLDS, |fold| {
        let folded = data.folded.iter().map(|folded| &folded.example);
        let kept: Vec<&LabelledForm> =
            folded.chain(data.forms.iter().filter(|form| !is_of(form, fold))).collect();
        let classifier = SearchableClassifier::train(&kept, SEED);
        let test = data.forms.iter().filter(|form| is_of(form, fold));
        test.map(|form| (form, classifier.classify(&form.form, &form.page).0)).collect::<Vec<_>>()
    });
    judged.into_iter().flatten().collect()
}

fn judged_forms<'a>(scored: &[(&'a LabelledForm, f32)], domains: &DomainFigures) -> Vec<JudgedForm<'a>> {
    let by_name: HashMap<&str, &[f32]> =
        domains.with_page.iter().map(|(name, p)| (name.as_str(), p.as_slice())).collect();
    let judged = |(form, p_searchable): &(&'a LabelledForm, f32)| {
        let p = by_name.get(form.name.as_str())?;
        let p_relevant = p.iter().map(|p| p_relevant(*p_searchable, *p)).collect();
        Some(JudgedForm { site: &form.site, domain: form.domain, p_relevant })
    };
    scored.iter().filter_map(judged).collect()
}

fn of_domain(domain: usize, forms: &[JudgedForm<'_>]) -> RecognitionFigures {
    let is_of = |form: &JudgedForm<'_>| form.domain == Some(domain);
    RecognitionFigures {
        domain: DOMAINS[domain],
        forms: forms.iter().filter(|form| is_of(form)).count(),
        recognised: share(forms, is_of, |form| is_claimed(form, domain)),
        precision: share(forms, |form| is_claimed(form, domain), is_of),
    }
}

fn is_claimed(form: &JudgedForm<'_>, domain: usize) -> bool {
    form.p_relevant[domain] >= MIN_ACCEPTED_P
}

/// Share of the forms that have a property, among those that count.
fn share(
    forms: &[JudgedForm<'_>],
    counts: impl Fn(&JudgedForm<'_>) -> bool,
    has: impl Fn(&JudgedForm<'_>) -> bool,
) -> BootstrapInterval {
    let counted: Vec<&JudgedForm<'_>> = forms.iter().filter(|form| counts(form)).collect();
    let sites: Vec<&str> = counted.iter().map(|form| form.site).collect();
    bootstrap_interval(&sites, RESAMPLES, SEED, |chosen| {
        chosen.iter().filter(|&&at| has(counted[at])).count() as f64 / chosen.len().max(1) as f64
    })
}
