//! The domain-specific form classifier of the papers: stems of the form's own text, linear SVM, one against
//! the rest.
//!
//! It is kept as published, as the baseline that ours is measured against; Platt's sigmoid makes its margins
//! comparable.

use super::domain::DOMAINS;
use super::example::Example;
use super::subject::own_stems;
use crate::learn::folds::grouped;
use crate::learn::platt::Sigmoid;
use crate::learn::sparse::Sparse;
use crate::learn::svm::{LinearSvm, Options};
use crate::learn::vocabulary::Vocabulary;
use crate::page::{Form, Page};

const INNER_FOLDS: usize = 5;

/// One SVM per domain.
pub struct SvmDomains {
    vocabulary: Vocabulary,
    domains: Vec<(LinearSvm, Sigmoid)>,
}

impl SvmDomains {
    /// Learns from search forms with a domain.
    pub fn train(examples: &[&Example], seed: u64) -> SvmDomains {
        let said: Vec<_> = examples.iter().map(|example| own_stems(&example.form, &example.page)).collect();
        let vocabulary = Vocabulary::of(said.iter().map(Vec::as_slice), 2);
        let rows: Vec<Sparse> = said.iter().map(|said| vocabulary.row(said)).collect();
        let sites: Vec<&str> = examples.iter().map(|example| example.site.as_str()).collect();
        let folds = grouped(&sites, INNER_FOLDS, seed);
        let domains = (0..DOMAINS.len()).map(|domain| {
            let labels: Vec<bool> = examples.iter().map(|example| example.domain == Some(domain)).collect();
            let margins = margins_by_fold(&rows, &labels, &folds);
            let model = LinearSvm::train(&rows, &labels, None, &Options::default());
            (model, Sigmoid::fit(&margins, &labels))
        });
        SvmDomains { domains: domains.collect(), vocabulary }
    }

    /// P(domain) of each domain by itself, in the order of [`DOMAINS`].
    pub fn judge(&self, form: &Form, page: &Page) -> Vec<f32> {
        let row = self.vocabulary.row(&own_stems(form, page));
        self.domains.iter().map(|(model, sigmoid)| sigmoid.probability(model.margin(&row))).collect()
    }
}

fn margins_by_fold(rows: &[Sparse], labels: &[bool], folds: &[usize]) -> Vec<f32> {
    let mut margins = vec![0.0; rows.len()];
    for fold in 0..INNER_FOLDS {
        let kept: Vec<usize> = (0..rows.len()).filter(|&at| folds[at] != fold).collect();
        let known: Vec<Sparse> = kept.iter().map(|&at| rows[at].clone()).collect();
        let truth: Vec<bool> = kept.iter().map(|&at| labels[at]).collect();
        let model = LinearSvm::train(&known, &truth, None, &Options::default());
        for at in (0..rows.len()).filter(|&at| folds[at] == fold) {
            margins[at] = model.margin(&rows[at]);
        }
    }
    margins
}
