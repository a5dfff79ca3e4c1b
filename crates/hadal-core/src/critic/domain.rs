//! The domain-specific form classifier: which of the known domains does a search form search?
//!
//! One model reads the form's own text alone, another reads the page around it too; which one is asked can
//! be switched. Pages of known sites teach both, with little weight: forms are few, pages are many.

use super::LabelledForm;
use super::topic_features::{
    TextPlace, TopicFeatures, concept_feature, form_topic_features, page_text_features,
};
use crate::learn::logistic::LogisticOptions;
use crate::learn::platt::Sigmoid;
use crate::learn::resampling::grouped_folds;
use crate::learn::softmax::Softmax;
use crate::learn::sparse::SparseRow;
use crate::learn::vocabulary::Vocabulary;
use crate::page::{Form, Page};
use crate::text::concepts::CONCEPTS;
use serde::{Deserialize, Serialize};

/// The twelve domains of the papers, and everything else.
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

/// Concepts that speak for a domain wherever they stand, for the days when examples are few.
const PRIMER: [(&str, &str); 13] = [
    ("airfare", "flight airline airport cabin_class oneway_roundtrip nonstop"),
    ("apartment", "apartment house bedroom bathroom real_estate_property area_sqm landlord_agent"),
    ("auto", "car car_make car_model mileage fuel gearbox body_type used_vehicle dealer"),
    ("book", "book author isbn publisher library_catalogue edition"),
    ("hotel", "hotel room checkin checkout guests nights stars accommodation"),
    ("job", "job company_employer salary resume_cv career experience_skill full_part_time"),
    ("movie", "movie actor director showtime cinema series_tv"),
    ("music", "music song album artist_band lyrics concert"),
    ("people", "person first_name last_name staff_faculty alumni doctor phone_directory department"),
    ("product", "product shop_store brand cart offer_discount shipping"),
    ("rental", "pickup dropoff rental_hire driver_age"),
    ("route", "bus train station timetable stop_line_route transit"),
    ("other", "recipe course news_article event weather"),
];

/// Number of "other".
pub const OTHER: usize = DOMAINS.len() - 1;

/// Regularisations to choose from, inside the training data.
const L2: [f64; 3] = [0.1, 0.03, 0.01];

const INNER_FOLDS: usize = 3;

/// How much a line of the primer counts against a form.
const PRIMER_WEIGHT: f32 = 0.3;

/// Sites that must use a word for it to be learned: names of shops are not the domain's words.
const SITES_NEEDED: u32 = 3;

/// Whether the page around a form is read as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageContext {
    /// The form's own text decides.
    Ignored,
    /// Heading, title and the page's text are read too.
    Read,
}

/// Judges what a search form searches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DomainClassifier {
    own: DomainModel,
    around: DomainModel,
}

/// A model of one way of reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct DomainModel {
    vocabulary: Vocabulary,
    model: Softmax,
    sigmoid: Sigmoid,
}

/// Something about a known domain that is no form: it teaches words.
pub struct DomainText {
    /// What it says, see [`super::topic_features::page_topic_features`].
    pub words: TopicFeatures,
    /// Its domain.
    pub domain: usize,
    /// The site it comes from.
    pub site: String,
    /// How much it counts against a form.
    pub weight: f32,
}

impl DomainClassifier {
    /// Learns from search forms with a domain, and from lessons.
    pub fn train(examples: &[&LabelledForm], lessons: &[&DomainText], seed: u64) -> DomainClassifier {
        let train = |around| DomainModel::train(examples, lessons, around, seed);
        DomainClassifier { own: train(PageContext::Ignored), around: train(PageContext::Read) }
    }

    /// P(domain), given that the form is a search; in the order of [`DOMAINS`]. With the words of its page
    /// ([`page_text_features`]) the page around it is read too.
    pub fn classify(&self, form: &Form, page: &Page, page_text_features: Option<&[(u32, f32)]>) -> Vec<f32> {
        let model = if page_text_features.is_some() { &self.around } else { &self.own };
        model.classify(&model.vocabulary.row(&form_topic_features(form, page, page_text_features)))
    }

    /// What a word says about a domain, with the page around it read.
    pub fn weight(&self, domain: usize, hash: u32) -> f32 {
        let number = self.around.vocabulary.number(hash);
        number.map_or(0.0, |number| self.around.model.weight(domain, number))
    }

    /// The words it knows, with the page around it read.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.around.vocabulary
    }
}

impl DomainModel {
    fn train(
        examples: &[&LabelledForm],
        lessons: &[&DomainText],
        around: PageContext,
        seed: u64,
    ) -> DomainModel {
        let examples: Vec<&&LabelledForm> =
            examples.iter().filter(|example| example.domain.is_some()).collect();
        let said: Vec<TopicFeatures> = examples
            .iter()
            .map(|example| {
                let words = (around == PageContext::Read).then(|| page_text_features(&example.page));
                form_topic_features(&example.form, &example.page, words.as_deref())
            })
            .collect();
        let forms_said = examples.iter().zip(&said).map(|(example, said)| (&example.site, said.as_slice()));
        let lessons_said = lessons.iter().map(|lesson| (&lesson.site, lesson.words.as_slice()));
        let vocabulary = Vocabulary::shared(forms_said.chain(lessons_said), SITES_NEEDED);
        let mut set = DomainTrainingSet::default();
        for (example, said) in examples.iter().zip(&said) {
            let domain = example.domain.unwrap_or(OTHER);
            set.add(vocabulary.row(said), domain, example.confidence, &example.site);
        }
        for (domain, words) in primer() {
            set.add(vocabulary.row(&words), domain, PRIMER_WEIGHT, "primer");
        }
        for lesson in lessons {
            set.add(vocabulary.row(&lesson.words), lesson.domain, lesson.weight, &lesson.site);
        }
        let folds = grouped_folds(&set.sites, INNER_FOLDS, seed);
        let (l2, odds) = L2
            .map(|l2| (l2, set.odds_by_fold(&folds, l2, examples.len())))
            .into_iter()
            .min_by(|a, b| set.loss(&a.1).total_cmp(&set.loss(&b.1)))
            .expect("there are regularisations to choose from");
        let sigmoid = set.calibrate(&odds);
        DomainModel { model: set.train(|_| true, l2), sigmoid, vocabulary }
    }

    /// Probabilities of the model, made as sure as they deserve to be.
    fn classify(&self, row: &SparseRow) -> Vec<f32> {
        self.model.calibrated(row, &self.sigmoid)
    }
}

/// A lesson for every concept of the primer, with the number of its domain.
fn primer() -> Vec<(usize, TopicFeatures)> {
    let number = |name: &str| CONCEPTS.names().iter().position(|known| known == name);
    let mut lessons = Vec::new();
    for (domain, (_, names)) in PRIMER.iter().enumerate() {
        for concept in names.split(' ').filter_map(number) {
            let own = concept_feature(concept as u8, Some(TextPlace::Own));
            lessons.push((domain, vec![(concept_feature(concept as u8, None), 1.0), (own, 1.0)]));
        }
    }
    lessons
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

    /// Log-odds of the first rows, which are the forms, under models that have not seen their site.
    fn odds_by_fold(&self, folds: &[usize], l2: f64, forms: usize) -> Vec<Vec<f32>> {
        let mut odds = vec![Vec::new(); forms];
        for fold in 0..INNER_FOLDS {
            let model = self.train(|at| folds[at] != fold, l2);
            for at in (0..forms).filter(|&at| folds[at] == fold) {
                odds[at] = model.log_odds(&self.rows[at]);
            }
        }
        odds
    }

    fn calibrate(&self, odds: &[Vec<f32>]) -> Sigmoid {
        let all: Vec<f32> = odds.iter().flatten().copied().collect();
        let labels: Vec<bool> = odds
            .iter()
            .zip(&self.domains)
            .flat_map(|(odds, &domain)| (0..odds.len()).map(move |class| class == domain))
            .collect();
        Sigmoid::fit(&all, &labels)
    }

    fn loss(&self, odds: &[Vec<f32>]) -> f64 {
        let sigmoid = self.calibrate(odds);
        let losses = odds.iter().zip(&self.domains).zip(&self.weights).map(|((odds, &domain), &weight)| {
            let p = sigmoid.shares(odds).get(domain).copied().unwrap_or(0.0);
            -f64::from(weight) * f64::from(p).max(1e-6).ln()
        });
        losses.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_primer_speaks_of_every_domain_in_known_concepts() {
        let domains: Vec<&str> = PRIMER.iter().map(|(domain, _)| *domain).collect();
        assert_eq!(domains, DOMAINS);
        for concept in PRIMER.iter().flat_map(|(_, names)| names.split(' ')) {
            assert!(CONCEPTS.names().iter().any(|known| known == concept), "{concept}");
        }
    }
}
