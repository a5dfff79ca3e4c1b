//! Domain classifier: P(domain) of a search form, for twelve domains and "other".
//!
//! Two softmax models are trained: one on the text of the form alone, one that also uses heading, title and text
//! of the page. Labelled forms are few, so pages of known sites are added as training rows with a small weight, and
//! the texts of [`typical`].

use super::LabelledForm;
use super::topic_features::{TopicFeatures, form_topic_features, page_text_features};
use super::typical;
use crate::learn::logistic::LogisticOptions;
use crate::learn::resampling::grouped_folds;
use crate::learn::softmax::Softmax;
use crate::learn::sparse::SparseRow;
use crate::learn::temperature::Temperature;
use crate::learn::vocabulary::Vocabulary;
use crate::page::{Form, Page};
use serde::{Deserialize, Serialize};

/// The twelve domains of the papers, and everything else. Models refer to domains by their index.
pub const DOMAINS: [&str; 13] = [
    "airfare",
    "apartment",
    "auto",
    "book",
    "hotel",
    "job",
    "movie",
    "music",
    "people",
    "product",
    "rental",
    "route",
    "other",
];

/// Index of "other" in [`DOMAINS`].
pub const OTHER: usize = DOMAINS.len() - 1;

/// L2 penalties to choose from by cross-validation inside the training data. The range is a guess.
const L2: [f64; 3] = [0.1, 0.03, 0.01];

/// Folds of that cross-validation. Guess.
const INNER_FOLDS: usize = 3;

/// Least number of sites on which a feature must occur to be used, where each typical text counts as a site.
/// Excludes names of shops. With 3 instead of 2, 0.871 instead of 0.879 of the relevant forms are recognised when
/// half of the sites train, measured outside the project.
const SITES_NEEDED: u32 = 2;

/// Use of the page that a form is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageContext {
    /// Only the text of the form is used.
    Ignored,
    /// Heading, title and page text are used too.
    Used,
}

/// Estimates the domain of a search form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DomainClassifier {
    /// Model over the text of the form.
    form_only: DomainModel,
    /// Model over the text of form and page.
    with_page: DomainModel,
}

/// Softmax model with its vocabulary and calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct DomainModel {
    vocabulary: Vocabulary,
    model: Softmax,
    calibration: Temperature,
}

/// Text of a known domain other than a form, such as a page. Used for training.
pub struct DomainText {
    /// Features by [`super::topic_features::page_topic_features`].
    pub features: TopicFeatures,
    /// Index into [`DOMAINS`].
    pub domain: usize,
    /// Site that the text comes from.
    pub site: String,
    /// Training weight; a labelled form with a certain label has 1.
    pub weight: f32,
}

impl DomainClassifier {
    /// Trains on labelled search forms and on other texts of known domains.
    pub fn train(examples: &[&LabelledForm], texts: &[&DomainText], seed: u64) -> DomainClassifier {
        let train = |context| DomainModel::train(examples, texts, context, seed);
        DomainClassifier { form_only: train(PageContext::Ignored), with_page: train(PageContext::Used) }
    }

    /// P(domain | search form), in the order of [`DOMAINS`]. Uses the page if its text features are given
    /// ([`page_text_features`]).
    pub fn classify(&self, form: &Form, page: &Page, page_text: Option<&[(u32, f32)]>) -> Vec<f32> {
        let model = if page_text.is_some() { &self.with_page } else { &self.form_only };
        model.classify(&model.vocabulary.row(&form_topic_features(form, page, page_text)))
    }

    /// P(domain | search form) from features of form and page ([`form_topic_features`]).
    pub fn classify_features(&self, features: &[(u32, f32)]) -> Vec<f32> {
        self.with_page.classify(&self.with_page.vocabulary.row(features))
    }

    /// Weight of a feature for a domain in the model that uses the page.
    pub fn weight(&self, domain: usize, hash: u32) -> f32 {
        let number = self.with_page.vocabulary.number(hash);
        number.map_or(0.0, |number| self.with_page.model.weight(domain, number))
    }

    /// Vocabulary of the model that uses the page.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.with_page.vocabulary
    }
}

impl DomainModel {
    fn train(
        examples: &[&LabelledForm],
        texts: &[&DomainText],
        context: PageContext,
        seed: u64,
    ) -> DomainModel {
        let examples: Vec<&&LabelledForm> =
            examples.iter().filter(|example| example.domain.is_some()).collect();
        let features: Vec<TopicFeatures> = examples
            .iter()
            .map(|example| {
                let words = (context == PageContext::Used).then(|| page_text_features(&example.page));
                form_topic_features(&example.form, &example.page, words.as_deref())
            })
            .collect();
        let typical = typical::domain_texts(typical::DOMAIN_WEIGHT);
        let form_features =
            examples.iter().zip(&features).map(|(example, features)| (&example.site, features.as_slice()));
        let text_features =
            texts.iter().copied().chain(&typical).map(|text| (&text.site, text.features.as_slice()));
        let vocabulary = Vocabulary::shared(form_features.chain(text_features), SITES_NEEDED);
        let mut set = DomainTrainingSet::default();
        for (example, features) in examples.iter().zip(&features) {
            let domain = example.domain.unwrap_or(OTHER);
            set.add(vocabulary.row(features), domain, example.confidence, &example.site);
        }
        for text in texts {
            set.add(vocabulary.row(&text.features), text.domain, text.weight, &text.site);
        }
        // Typical texts have no fold, so that all models are trained on them.
        let folds = grouped_folds(&set.sites, INNER_FOLDS, seed);
        for text in &typical {
            set.add(vocabulary.row(&text.features), text.domain, text.weight, &text.site);
        }
        let (l2, judged) = L2
            .map(|l2| (l2, set.judge_by_fold(&folds, l2, examples.len())))
            .into_iter()
            .min_by(|a, b| set.loss(&a.1).total_cmp(&set.loss(&b.1)))
            .expect("L2 is not empty");
        DomainModel { model: set.train(|_| true, l2), calibration: set.calibrate(&judged), vocabulary }
    }

    /// P(domain) after calibration.
    fn classify(&self, row: &SparseRow) -> Vec<f32> {
        self.calibration.probabilities(&self.model.probabilities(row))
    }
}

#[derive(Default)]
struct DomainTrainingSet {
    rows: Vec<SparseRow>,
    domains: Vec<usize>,
    weights: Vec<f32>,
    sites: Vec<String>,
}

impl DomainTrainingSet {
    fn add(&mut self, row: SparseRow, domain: usize, weight: f32, site: &str) {
        self.rows.push(row);
        self.domains.push(domain);
        self.weights.push(weight);
        self.sites.push(site.to_string());
    }

    fn train(&self, keep: impl Fn(usize) -> bool, l2: f64) -> Softmax {
        let kept: Vec<usize> = (0..self.rows.len()).filter(|&at| keep(at)).collect();
        let rows: Vec<SparseRow> = kept.iter().map(|&at| self.rows[at].clone()).collect();
        let domains: Vec<usize> = kept.iter().map(|&at| self.domains[at]).collect();
        let weights: Vec<f32> = kept.iter().map(|&at| self.weights[at]).collect();
        let options = LogisticOptions { l2, tolerance: 1e-3, ..LogisticOptions::default() };
        Softmax::train(&rows, &domains, DOMAINS.len(), Some(&weights), &options)
    }

    /// P(domain) of the first `forms` rows, which are the labelled forms, by models trained without their site.
    fn judge_by_fold(&self, folds: &[usize], l2: f64, forms: usize) -> Vec<Vec<f32>> {
        let mut judged = vec![Vec::new(); forms];
        for fold in 0..INNER_FOLDS {
            let model = self.train(|at| folds.get(at) != Some(&fold), l2);
            for at in (0..forms).filter(|&at| folds[at] == fold) {
                judged[at] = model.probabilities(&self.rows[at]);
            }
        }
        judged
    }

    /// Calibration of the models. The fitted bias lowers P(other), because a search box without words on a site of a
    /// domain usually searches that domain.
    fn calibrate(&self, judged: &[Vec<f32>]) -> Temperature {
        Temperature::fit(judged, &self.domains, &self.weights)
    }

    fn loss(&self, judged: &[Vec<f32>]) -> f64 {
        let calibration = self.calibrate(judged);
        let losses = judged.iter().zip(&self.domains).zip(&self.weights).map(|((row, &domain), &weight)| {
            let p = calibration.probabilities(row).get(domain).copied().unwrap_or(0.0);
            -f64::from(weight) * f64::from(p).max(1e-6).ln()
        });
        losses.sum()
    }
}
