//! What a page is about: naive Bayes as in the papers, and ours.
//!
//! Both read the same words. Naive Bayes counts them; ours weighs title and text apart, learns one weight per
//! word and domain, and is as sure as it deserves to be.

use super::domain::{DOMAINS, DomainText};
use crate::learn::logistic::LogisticOptions;
use crate::learn::platt::Sigmoid;
use crate::learn::resampling::grouped_folds;
use crate::learn::softmax::Softmax;
use crate::learn::sparse::SparseRow;
use crate::learn::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};

/// Sites that must use a word for it to be learned.
const SITES_NEEDED: u32 = 3;

const L2: f64 = 0.1;

const INNER_FOLDS: usize = 3;

/// Judges what pages are about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageClassifier {
    vocabulary: Vocabulary,
    model: Softmax,
    sigmoid: Sigmoid,
}

impl PageClassifier {
    /// Learns from pages of known domains.
    pub fn train(lessons: &[&DomainText], seed: u64) -> PageClassifier {
        let said = lessons.iter().map(|lesson| (&lesson.site, lesson.words.as_slice()));
        let vocabulary = Vocabulary::shared(said, SITES_NEEDED);
        let rows: Vec<SparseRow> = lessons.iter().map(|lesson| vocabulary.row(&lesson.words)).collect();
        let sites: Vec<&str> = lessons.iter().map(|lesson| lesson.site.as_str()).collect();
        let folds = grouped_folds(&sites, INNER_FOLDS, seed);
        let (mut odds, mut labels) = (Vec::new(), Vec::new());
        for fold in 0..INNER_FOLDS {
            let model = train(&rows, lessons, |at| folds[at] != fold);
            for at in (0..rows.len()).filter(|&at| folds[at] == fold) {
                odds.extend(model.log_odds(&rows[at]));
                labels.extend((0..DOMAINS.len()).map(|domain| domain == lessons[at].domain));
            }
        }
        PageClassifier {
            sigmoid: Sigmoid::fit(&odds, &labels),
            model: train(&rows, lessons, |_| true),
            vocabulary,
        }
    }

    /// P(domain) of what a page says, see [`super::topic_features::page_topic_features`]; in the order of [`DOMAINS`].
    pub fn classify(&self, words: &[(u32, f32)]) -> Vec<f32> {
        self.model.calibrated(&self.vocabulary.row(words), &self.sigmoid)
    }

    /// What a word says about a domain.
    pub fn weight(&self, domain: usize, hash: u32) -> f32 {
        self.vocabulary.number(hash).map_or(0.0, |number| self.model.weight(domain, number))
    }
}

fn train(rows: &[SparseRow], lessons: &[&DomainText], keep: impl Fn(usize) -> bool) -> Softmax {
    let kept: Vec<usize> = (0..rows.len()).filter(|&at| keep(at)).collect();
    let of = |at: &usize| rows[*at].clone();
    let rows: Vec<SparseRow> = kept.iter().map(of).collect();
    let domains: Vec<usize> = kept.iter().map(|&at| lessons[at].domain).collect();
    let weights: Vec<f32> = kept.iter().map(|&at| lessons[at].weight).collect();
    let options = LogisticOptions { l2: L2, tolerance: 1e-3, ..LogisticOptions::default() };
    Softmax::train(&rows, &domains, DOMAINS.len(), Some(&weights), &options)
}
