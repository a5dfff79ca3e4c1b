//! Classifiers of the papers, implemented as published except for the deviations noted below.
//! `hadal eval forms` compares ours with them.
//!
//! - [`TreeFormClassifier`]: searchable or not, by fourteen features and a C4.5 tree (Form-Focused Crawler 2005).
//! - [`SvmDomainClassifier`]: domain of a form, by stems of its text and one linear SVM per domain.
//!   Deviation: Platt's sigmoid turns the margins into comparable probabilities.
//! - [`BayesPageClassifier`]: domain of a page, by multinomial naive Bayes over word counts.

use super::LabelledForm;
use super::domain::DOMAINS;
use super::topic_features::form_stem_features;
use crate::http::Method;
use crate::learn::bayes::NaiveBayes;
use crate::learn::platt::PlattScaling;
use crate::learn::resampling::grouped_folds;
use crate::learn::sparse::SparseRow;
use crate::learn::svm::{LinearSvm, SvmOptions};
use crate::learn::tree::{DecisionTree, TreeOptions};
use crate::learn::vocabulary::Vocabulary;
use crate::page::{FieldKind, Form, Page};
use serde::{Deserialize, Serialize};

/// Decides whether a form is searchable.
pub struct TreeFormClassifier {
    tree: DecisionTree,
}

impl TreeFormClassifier {
    /// Trains on forms and their labels (true = searchable).
    pub fn train(forms: &[&Form], searchable: &[bool]) -> TreeFormClassifier {
        let rows: Vec<Vec<f32>> = forms.iter().map(|form| tree_features(form)).collect();
        let classes: Vec<usize> = searchable.iter().map(|&yes| usize::from(yes)).collect();
        TreeFormClassifier { tree: DecisionTree::train(&rows, &classes, 2, &TreeOptions::default()) }
    }

    /// Probability that a form is searchable.
    pub fn p_searchable(&self, form: &Form) -> f32 {
        self.tree.distribution(&tree_features(form)).get(1).copied().unwrap_or_default()
    }
}

/// The fourteen features of a form (section 4.1 of the paper).
fn tree_features(form: &Form) -> Vec<f32> {
    use FieldKind::*;
    let count = |kinds: &[FieldKind]| form.fields.iter().filter(|field| kinds.contains(&field.kind)).count();
    let textboxes = || form.fields.iter().filter(|field| is_textbox(field.kind));
    let select_items: usize =
        form.fields.iter().filter(|field| field.kind == Select).map(|field| field.options.len()).sum();
    let textbox_sizes: u32 = textboxes().filter_map(|field| field.size).map(|size| size.min(1000)).sum();
    [
        count(&[Hidden]),
        count(&[Checkbox]),
        count(&[Radio]),
        count(&[File]),
        count(&[Submit]),
        count(&[Image]),
        count(&[Button]),
        count(&[Reset]),
        count(&[Password]),
        textboxes().count(),
        select_items,
        textbox_sizes as usize,
        usize::from(form.method == Method::Post),
        usize::from(contains_search(form)),
    ]
    .map(|count| count as f32)
    .to_vec()
}

/// True for a text box. Deviation from the paper: HTML of 2005 had one kind of text box, and later kinds
/// count as such.
fn is_textbox(kind: FieldKind) -> bool {
    use FieldKind::*;
    kind.is_textual() && !matches!(kind, Password)
        || matches!(kind, Date | Month | Week | Time | DatetimeLocal)
}

/// True if the string "search" occurs anywhere in the form.
fn contains_search(form: &Form) -> bool {
    let has = |text: &str| text.to_ascii_lowercase().contains("search");
    has(&form.attributes)
        || has(&form.text)
        || form.names_action && has(form.action.as_str())
        || form.fields.iter().any(|field| {
            [&field.name, &field.id, &field.value, &field.placeholder].into_iter().any(|text| has(text))
        })
}

/// Folds inside the training data that yield the margins for Platt's sigmoid. Guess.
const INNER_FOLDS: usize = 5;

/// Estimates the domain of a search form with one SVM per domain, each against the rest.
pub struct SvmDomainClassifier {
    vocabulary: Vocabulary,
    domains: Vec<(LinearSvm, PlattScaling)>,
}

impl SvmDomainClassifier {
    /// Trains on search forms with a domain label.
    pub fn train(examples: &[&LabelledForm], seed: u64) -> SvmDomainClassifier {
        let features: Vec<_> =
            examples.iter().map(|example| form_stem_features(&example.form, &example.page)).collect();
        let vocabulary = Vocabulary::of(features.iter().map(Vec::as_slice), 2);
        let rows: Vec<SparseRow> = features.iter().map(|features| vocabulary.row(features)).collect();
        let sites: Vec<&str> = examples.iter().map(|example| example.site.as_str()).collect();
        let folds = grouped_folds(&sites, INNER_FOLDS, seed);
        let domains = (0..DOMAINS.len()).map(|domain| {
            let labels: Vec<bool> = examples.iter().map(|example| example.domain == Some(domain)).collect();
            let margins = margins_by_fold(&rows, &labels, &folds);
            let model = LinearSvm::train(&rows, &labels, None, &SvmOptions::default());
            (model, PlattScaling::fit(&margins, &labels))
        });
        SvmDomainClassifier { domains: domains.collect(), vocabulary }
    }

    /// P(domain) of each domain on its own, in the order of [`DOMAINS`]. The values do not add up to 1.
    pub fn classify(&self, form: &Form, page: &Page) -> Vec<f32> {
        let row = self.vocabulary.row(&form_stem_features(form, page));
        self.domains.iter().map(|(model, sigmoid)| sigmoid.probability(model.margin(&row))).collect()
    }
}

/// Margin of each row under a model trained without its fold.
fn margins_by_fold(rows: &[SparseRow], labels: &[bool], folds: &[usize]) -> Vec<f32> {
    let mut margins = vec![0.0; rows.len()];
    for fold in 0..INNER_FOLDS {
        let kept: Vec<usize> = (0..rows.len()).filter(|&at| folds[at] != fold).collect();
        let known: Vec<SparseRow> = kept.iter().map(|&at| rows[at].clone()).collect();
        let truth: Vec<bool> = kept.iter().map(|&at| labels[at]).collect();
        let model = LinearSvm::train(&known, &truth, None, &SvmOptions::default());
        for at in (0..rows.len()).filter(|&at| folds[at] == fold) {
            margins[at] = model.margin(&rows[at]);
        }
    }
    margins
}

/// Estimates the domain of a page by multinomial naive Bayes with Laplace smoothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BayesPageClassifier {
    vocabulary: Vocabulary,
    model: NaiveBayes,
}

impl BayesPageClassifier {
    /// Trains on stem counts ([`super::topic_features::page_stem_counts`]) and domains of pages.
    pub fn train(pages: &[(&[(u32, f32)], usize)]) -> BayesPageClassifier {
        let vocabulary = Vocabulary::of(pages.iter().map(|(counts, _)| *counts), 2);
        let rows: Vec<SparseRow> = pages.iter().map(|(counts, _)| vocabulary.counts(counts)).collect();
        let domains: Vec<usize> = pages.iter().map(|(_, domain)| *domain).collect();
        BayesPageClassifier { model: NaiveBayes::train(&rows, &domains, DOMAINS.len(), 1.0), vocabulary }
    }

    /// P(domain), in the order of [`DOMAINS`].
    pub fn classify(&self, counts: &[(u32, f32)]) -> Vec<f32> {
        self.model.posterior(&self.vocabulary.counts(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html;
    use url::Url;

    fn form(html: &str) -> Form {
        let url = Url::parse("http://a.org/").unwrap();
        html::parse(html.as_bytes(), None, &url).forms.remove(0)
    }

    #[test]
    fn the_fourteen_features_are_counted_as_published() {
        let html = "<form method=post><input type=hidden name=h><input type=checkbox name=c>\
            <input name=q size=20><input type=search name=r size=5><input type=password name=p>\
            <select name=s><option>a<option>b<option>c</select><input type=submit value='Search it'></form>";
        let found = tree_features(&form(html));
        assert_eq!(found, [1., 1., 0., 0., 1., 0., 0., 0., 1., 2., 3., 25., 1., 1.]);
    }
}
