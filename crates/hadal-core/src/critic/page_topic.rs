//! Page classifier: P(domain) of a page, for the same domains as [`super::domain`].
//!
//! A softmax model over [`super::topic_features`] with one weight per feature and domain. A sigmoid fitted by
//! cross-validation calibrates its log-odds. Labelled sites are few, so the texts of [`typical`] are training rows too.

use super::domain::{DOMAINS, DomainText};
use super::typical;
use crate::learn::logistic::LogisticOptions;
use crate::learn::platt::PlattScaling;
use crate::learn::resampling::grouped_folds;
use crate::learn::softmax::Softmax;
use crate::learn::sparse::SparseRow;
use crate::learn::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};

/// Minimum number of sites on which a feature must occur to be used. Excludes names of sites. Guess.
const SITES_NEEDED: u32 = 3;

/// L2 penalty. Guess.
const L2: f64 = 0.1;

/// Weight of all typical texts of a domain together; all pages of a labelled site have 1. With half of the sites for
/// training, the mean F1 of the twelve domains on pages of the other half is 0.54 without typical texts, 0.65 with 5,
/// 0.67 with 15 and 0.67 with 40, and the log loss 1.18, 1.00, 0.97 and 0.97. Measured outside the project.
const TYPICAL_WEIGHT: f32 = 15.0;

/// Folds inside the training data that yield the log-odds for the calibration. Guess.
const INNER_FOLDS: usize = 3;

/// Estimates the domain of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageClassifier {
    vocabulary: Vocabulary,
    model: Softmax,
    sigmoid: PlattScaling,
}

impl PageClassifier {
    /// Trains on pages of known domains and on typical texts. Only pages calibrate the probabilities.
    pub fn train(texts: &[&DomainText], seed: u64) -> PageClassifier {
        let typical = typical::domain_texts(TYPICAL_WEIGHT);
        let all: Vec<&DomainText> = texts.iter().copied().chain(&typical).collect();
        let features = all.iter().map(|text| (&text.site, text.features.as_slice()));
        let vocabulary = Vocabulary::shared(features, SITES_NEEDED);
        let rows: Vec<SparseRow> = all.iter().map(|text| vocabulary.row(&text.features)).collect();
        let sites: Vec<&str> = texts.iter().map(|text| text.site.as_str()).collect();
        let folds = grouped_folds(&sites, INNER_FOLDS, seed);
        let (mut odds, mut labels) = (Vec::new(), Vec::new());
        for fold in 0..INNER_FOLDS {
            let model = train(&rows, &all, |at| folds.get(at) != Some(&fold));
            for at in (0..texts.len()).filter(|&at| folds[at] == fold) {
                odds.extend(model.log_odds(&rows[at]));
                labels.extend((0..DOMAINS.len()).map(|domain| domain == texts[at].domain));
            }
        }
        PageClassifier {
            sigmoid: PlattScaling::fit(&odds, &labels),
            model: train(&rows, &all, |_| true),
            vocabulary,
        }
    }

    /// P(domain), in the order of [`DOMAINS`]. `features` come from [`super::topic_features::page_topic_features`].
    pub fn classify(&self, features: &[(u32, f32)]) -> Vec<f32> {
        self.model.calibrated(&self.vocabulary.row(features), &self.sigmoid)
    }

    /// Weight of a feature for a domain.
    pub fn weight(&self, domain: usize, hash: u32) -> f32 {
        self.vocabulary.number(hash).map_or(0.0, |number| self.model.weight(domain, number))
    }
}

fn train(rows: &[SparseRow], texts: &[&DomainText], keep: impl Fn(usize) -> bool) -> Softmax {
    let kept: Vec<usize> = (0..rows.len()).filter(|&at| keep(at)).collect();
    let of = |at: &usize| rows[*at].clone();
    let rows: Vec<SparseRow> = kept.iter().map(of).collect();
    let domains: Vec<usize> = kept.iter().map(|&at| texts[at].domain).collect();
    let weights: Vec<f32> = kept.iter().map(|&at| texts[at].weight).collect();
    let options = LogisticOptions { l2: L2, tolerance: 1e-3, ..LogisticOptions::default() };
    Softmax::train(&rows, &domains, DOMAINS.len(), Some(&weights), &options)
}
