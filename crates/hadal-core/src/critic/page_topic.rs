//! What a page is about: naive Bayes as in the papers, and ours.
//!
//! Both read the same words. Naive Bayes counts them; ours weighs title and text apart, learns one weight per
//! word and domain, and is as sure as it deserves to be.

use super::domain::{DOMAINS, Lesson};
use crate::learn::bayes::NaiveBayes;
use crate::learn::folds::grouped;
use crate::learn::logistic::Options;
use crate::learn::platt::Sigmoid;
use crate::learn::softmax::Softmax;
use crate::learn::sparse::Sparse;
use crate::learn::vocabulary::Vocabulary;
use serde::{Deserialize, Serialize};

/// Sites that must use a word for it to be learned.
const SITES_NEEDED: u32 = 3;

const L2: f64 = 0.1;

const INNER_FOLDS: usize = 3;

/// Judges what pages are about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageJudge {
    vocabulary: Vocabulary,
    model: Softmax,
    sigmoid: Sigmoid,
}

impl PageJudge {
    /// Learns from pages of known domains.
    pub fn train(lessons: &[&Lesson], seed: u64) -> PageJudge {
        let said = lessons.iter().map(|lesson| (&lesson.site, lesson.words.as_slice()));
        let vocabulary = Vocabulary::shared(said, SITES_NEEDED);
        let rows: Vec<Sparse> = lessons.iter().map(|lesson| vocabulary.row(&lesson.words)).collect();
        let sites: Vec<&str> = lessons.iter().map(|lesson| lesson.site.as_str()).collect();
        let folds = grouped(&sites, INNER_FOLDS, seed);
        let (mut odds, mut labels) = (Vec::new(), Vec::new());
        for fold in 0..INNER_FOLDS {
            let model = train(&rows, lessons, |at| folds[at] != fold);
            for at in (0..rows.len()).filter(|&at| folds[at] == fold) {
                odds.extend(model.log_odds(&rows[at]));
                labels.extend((0..DOMAINS.len()).map(|domain| domain == lessons[at].domain));
            }
        }
        PageJudge {
            sigmoid: Sigmoid::fit(&odds, &labels),
            model: train(&rows, lessons, |_| true),
            vocabulary,
        }
    }

    /// P(domain) of what a page says, see [`super::subject::of_page`]; in the order of [`DOMAINS`].
    pub fn judge(&self, words: &[(u32, f32)]) -> Vec<f32> {
        self.model.calibrated(&self.vocabulary.row(words), &self.sigmoid)
    }

    /// What a word says about a domain.
    pub fn weight(&self, domain: usize, hash: u32) -> f32 {
        self.vocabulary.number(hash).map_or(0.0, |number| self.model.weight(domain, number))
    }
}

fn train(rows: &[Sparse], lessons: &[&Lesson], keep: impl Fn(usize) -> bool) -> Softmax {
    let kept: Vec<usize> = (0..rows.len()).filter(|&at| keep(at)).collect();
    let of = |at: &usize| rows[*at].clone();
    let rows: Vec<Sparse> = kept.iter().map(of).collect();
    let domains: Vec<usize> = kept.iter().map(|&at| lessons[at].domain).collect();
    let weights: Vec<f32> = kept.iter().map(|&at| lessons[at].weight).collect();
    let options = Options { l2: L2, tolerance: 1e-3, ..Options::default() };
    Softmax::train(&rows, &domains, DOMAINS.len(), Some(&weights), &options)
}

/// The page classifier of the papers: multinomial naive Bayes over word counts, Laplace smoothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BayesPageJudge {
    vocabulary: Vocabulary,
    model: NaiveBayes,
}

impl BayesPageJudge {
    /// Learns from word counts, see [`super::subject::counts`], and domains.
    pub fn train(pages: &[(&[(u32, f32)], usize)]) -> BayesPageJudge {
        let vocabulary = Vocabulary::of(pages.iter().map(|(counts, _)| *counts), 2);
        let rows: Vec<Sparse> = pages.iter().map(|(counts, _)| vocabulary.counts(counts)).collect();
        let domains: Vec<usize> = pages.iter().map(|(_, domain)| *domain).collect();
        BayesPageJudge { model: NaiveBayes::train(&rows, &domains, DOMAINS.len(), 1.0), vocabulary }
    }

    /// P(domain), in the order of [`DOMAINS`].
    pub fn judge(&self, counts: &[(u32, f32)]) -> Vec<f32> {
        self.model.posterior(&self.vocabulary.counts(counts))
    }
}
