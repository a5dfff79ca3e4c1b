//! The whole critic on sites that it was not trained on: searchable or not, and recognition of relevant forms.
//!
//! [`evaluate`] trains on nine tenths of the sites, [`evaluate_halves`] on one half: the harder test, as fewer words
//! of the other sites are known.
//!
//! A form is recognised if `p_relevant >= 0.5`, as in a crawl for its domain. Claims of forms that are not
//! searches count against the precision.

use super::domains::{DomainFigures, FOLDS, MIN_CONFIDENCE, site_folds};
use super::{BINS, BinaryFigures, RESAMPLES, by_fold};
use crate::training::built_in::{LabelledData, SEED, SITE_WEIGHT};
use hadal_core::critic::LabelledForm;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::domain::{DOMAINS, DomainClassifier, DomainText, OTHER};
use hadal_core::critic::searchable::SearchableClassifier;
use hadal_core::critic::topic_features::page_text_features;
use hadal_core::critic::trained::p_relevant;
use hadal_core::learn::metrics::calibration_error;
use hadal_core::learn::resampling::{BootstrapInterval, bootstrap_interval};
use hadal_core::learn::rng::Rng;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// Figures on the sites of the forms labelled by domain, each judged by classifiers that have not seen its site.
#[derive(Clone, Debug, Serialize)]
pub struct UnseenFigures {
    /// Searchable or not.
    pub searchable: BinaryFigures,
    /// Share of all relevant forms that are recognised.
    pub recognised: BootstrapInterval,
    /// Share of all claims that are right.
    pub precision: BootstrapInterval,
    /// Expected calibration error of the domains of searches, over all pairs of form and domain.
    pub domain_calibration: f64,
    /// One entry per domain but "other".
    pub each: Vec<RecognitionFigures>,
}

/// Recognition of the forms of one domain.
#[derive(Clone, Debug, Serialize)]
pub struct RecognitionFigures {
    pub domain: &'static str,
    /// Number of relevant forms, counted once per division of the sites.
    pub forms: usize,
    /// Share of the relevant forms that are recognised.
    pub recognised: BootstrapInterval,
    /// Share of the forms recognised as this domain that belong to it.
    pub precision: BootstrapInterval,
}

/// A form with its label and the verdict of the critic.
struct JudgedForm<'a> {
    form: &'a LabelledForm,
    p_searchable: f32,
    /// P(domain), in the order of [`DOMAINS`].
    p_domain: Vec<f32>,
}

impl JudgedForm<'_> {
    /// `None` if the form is not a search.
    fn domain(&self) -> Option<usize> {
        self.form.domain
    }

    fn is_claimed(&self, domain: usize) -> bool {
        p_relevant(self.p_searchable, self.p_domain[domain]) >= MIN_ACCEPTED_P
    }
}

/// Evaluates the critic by cross-validation. `domains` holds the probabilities of the domains from the same folds.
pub fn evaluate(data: &LabelledData, domains: &DomainFigures) -> UnseenFigures {
    let by_name: HashMap<&str, &Vec<f32>> =
        domains.with_page.iter().map(|(name, p)| (name.as_str(), p)).collect();
    let judged = p_searchable(data).into_iter().filter_map(|(form, p_searchable)| {
        let p_domain = (*by_name.get(form.name.as_str())?).clone();
        Some(JudgedForm { form, p_searchable, p_domain })
    });
    figures(judged.collect())
}

/// Evaluates the critic with classifiers trained on one half of the sites and judged on the other. The sites are
/// divided at random `divisions` times, and each half trains once.
pub fn evaluate_halves(data: &LabelledData, divisions: usize) -> UnseenFigures {
    let lessons = data.lessons(SITE_WEIGHT);
    let halves: Vec<BTreeSet<&str>> = (0..divisions).flat_map(|at| halves(data, SEED + at as u64)).collect();
    let judged = by_fold(halves.len(), |at| {
        let is_tested = |site: &str| halves[at].contains(site);
        judge_half(data, &lessons, &is_tested)
    });
    figures(judged.into_iter().flatten().collect())
}

/// Two halves of the sites of the forms labelled by domain, drawn at random.
fn halves(data: &LabelledData, seed: u64) -> [BTreeSet<&str>; 2] {
    let mut sites: Vec<&str> = site_folds(data).into_keys().collect();
    Rng::new(seed).shuffle(&mut sites);
    let (first, second) = sites.split_at(sites.len() / 2);
    [first, second].map(|half| half.iter().copied().collect())
}

/// Judges the forms of the tested sites by classifiers trained on the other sites.
fn judge_half<'a>(
    data: &'a LabelledData,
    lessons: &[DomainText],
    is_tested: &dyn Fn(&str) -> bool,
) -> Vec<JudgedForm<'a>> {
    let folded = data.folded.iter().map(|folded| &folded.example);
    let known: Vec<&LabelledForm> = folded.chain(&data.forms).filter(|form| !is_tested(&form.site)).collect();
    let searches: Vec<&LabelledForm> =
        data.searches().into_iter().filter(|form| !is_tested(&form.site)).collect();
    let texts: Vec<&DomainText> = lessons.iter().filter(|text| !is_tested(&text.site)).collect();
    let searchable = SearchableClassifier::train(&known, SEED);
    let domains = DomainClassifier::train(&searches, &texts, SEED);
    let judge = |form: &'a LabelledForm| JudgedForm {
        form,
        p_searchable: searchable.classify(&form.form, &form.page).0,
        p_domain: domains.classify(&form.form, &form.page, Some(&page_text_features(&form.page))),
    };
    data.forms.iter().filter(|form| is_tested(&form.site)).map(judge).collect()
}

/// Figures of the judged forms with a certain label.
fn figures(mut judged: Vec<JudgedForm<'_>>) -> UnseenFigures {
    judged.retain(|judged| judged.form.confidence >= MIN_CONFIDENCE);
    let p: Vec<f32> = judged.iter().map(|judged| judged.p_searchable).collect();
    let labels: Vec<bool> = judged.iter().map(|judged| judged.form.is_search()).collect();
    let sites: Vec<&str> = judged.iter().map(|judged| judged.form.site.as_str()).collect();
    let is_relevant = |form: &JudgedForm<'_>| form.domain().is_some_and(|domain| domain != OTHER);
    let is_right = |form: &JudgedForm<'_>| form.domain().is_some_and(|domain| form.is_claimed(domain));
    UnseenFigures {
        searchable: BinaryFigures::of("hadal", &p, &labels, &sites),
        recognised: share(&judged, is_relevant, is_right),
        precision: share(&judged, |form| (0..OTHER).any(|domain| form.is_claimed(domain)), is_right),
        domain_calibration: domain_calibration(&judged),
        each: (0..OTHER).map(|domain| of_domain(domain, &judged)).collect(),
    }
}

fn domain_calibration(judged: &[JudgedForm<'_>]) -> f64 {
    let searches = judged.iter().filter_map(|judged| Some((judged.domain()?, &judged.p_domain)));
    let (labels, p): (Vec<bool>, Vec<f32>) = searches
        .flat_map(|(label, p)| p.iter().enumerate().map(move |(domain, p)| (domain == label, *p)))
        .unzip();
    calibration_error(&p, &labels, BINS)
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

fn of_domain(domain: usize, forms: &[JudgedForm<'_>]) -> RecognitionFigures {
    let is_of = |form: &JudgedForm<'_>| form.domain() == Some(domain);
    RecognitionFigures {
        domain: DOMAINS[domain],
        forms: forms.iter().filter(|form| is_of(form)).count(),
        recognised: share(forms, is_of, |form| form.is_claimed(domain)),
        precision: share(forms, |form| form.is_claimed(domain), is_of),
    }
}

/// Share of the forms that have a property, among those that count.
fn share(
    forms: &[JudgedForm<'_>],
    counts: impl Fn(&JudgedForm<'_>) -> bool,
    has: impl Fn(&JudgedForm<'_>) -> bool,
) -> BootstrapInterval {
    let counted: Vec<&JudgedForm<'_>> = forms.iter().filter(|form| counts(form)).collect();
    let sites: Vec<&str> = counted.iter().map(|judged| judged.form.site.as_str()).collect();
    bootstrap_interval(&sites, RESAMPLES, SEED, |chosen| {
        chosen.iter().filter(|&&at| has(counted[at])).count() as f64 / chosen.len().max(1) as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::domains::LabelledPage;

    #[test]
    fn halves_share_no_site_and_hold_all_sites() {
        let page = |number: u32| LabelledPage {
            site: format!("site-{number}"),
            page: "index.html".into(),
            site_domain: "book".into(),
            language: "en".into(),
            title: String::new(),
            text: String::new(),
        };
        let data = LabelledData { folded: Vec::new(), forms: Vec::new(), pages: (0..9).map(page).collect() };
        let [first, second] = halves(&data, 1);
        assert_eq!((first.len(), second.len()), (4, 5));
        assert!(first.is_disjoint(&second));
        assert_ne!(first, halves(&data, 2)[0]);
    }
}
