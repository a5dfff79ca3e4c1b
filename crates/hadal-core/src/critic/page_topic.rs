//! Page classifier: P(domain) of a page, for the same domains as [`super::domain`].
//!
//! A softmax model over [`super::topic_features`] with one weight per feature and domain. A sigmoid fitted by
//! cross-validation calibrates its log-odds.

use super::domain::{DOMAINS, DomainText};
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
    /// Trains on pages of known domains.
    pub fn train(texts: &[&DomainText], seed: u64) -> PageClassifier {
        let features = texts.iter().map(|text| (&text.site, text.features.as_slice()));
        let vocabulary = Vocabulary::shared(features, SITES_NEEDED);
        let rows: Vec<SparseRow> = texts.iter().map(|text| vocabulary.row(&text.features)).collect();
        let sites: Vec<&str> = texts.iter().map(|text| text.site.as_str()).collect();
        let folds = grouped_folds(&sites, INNER_FOLDS, seed);
        let (mut odds, mut labels) = (Vec::new(), Vec::new());
        for fold in 0..INNER_FOLDS {
            let model = train(&rows, texts, |at| folds[at] != fold);
            for at in (0..rows.len()).filter(|&at| folds[at] == fold) {
                odds.extend(model.log_odds(&rows[at]));
                labels.extend((0..DOMAINS.len()).map(|domain| domain == texts[at].domain));
            }
        }
        PageClassifier {
            sigmoid: PlattScaling::fit(&odds, &labels),
            model: train(&rows, texts, |_| true),
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
