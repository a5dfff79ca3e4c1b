//! Topics learned from five example forms, compared with the built-in topics.
//!
//! Examples, background and test forms come from different sites. The background contains forms of the topic,
//! as it does on a user's machine.

use super::by_fold;
use super::domains::{DomainFigures, FOLDS, site_folds};
use crate::training::built_in::{LabelledData, SEED, row};
use hadal_core::critic::LabelledForm;
use hadal_core::critic::domain::DOMAINS;
use hadal_core::critic::learned::{LearnedTopic, TopicExamples};
use hadal_core::critic::topic_features::{TopicFeatures, page_text_features, page_topic_features};
use hadal_core::learn::metrics::ConfusionMatrix;
use hadal_core::learn::rng::Rng;
use serde::Serialize;

/// Domains, fixed before the first measurement.
const DOMAINS_TESTED: [&str; 3] = ["book", "hotel", "job"];

const EXAMPLES: usize = 5;

/// Draws of examples, averaged.
const DRAWS: u64 = 5;

/// Figures of one domain.
#[derive(Clone, Debug, Serialize)]
pub struct FewExampleFigures {
    pub domain: &'static str,
    /// F1 of topics from five examples, mean over draws.
    pub f1: f64,
    /// F1 of a topic from the domain's name alone.
    pub f1_words: f64,
    /// F1 of the built-in topic on the same forms with the same rule.
    pub f1_built_in: f64,
    /// `f1` divided by `f1_built_in`.
    pub share: f64,
}

/// Evaluates the chosen domains.
pub fn evaluate(data: &LabelledData, domains: &DomainFigures) -> Vec<FewExampleFigures> {
    let folds = site_folds(data);
    let searches = data.searches();
    let rows: Vec<TopicFeatures> = searches.iter().map(|example| row(example)).collect();
    let pages: Vec<TopicFeatures> =
        searches.iter().map(|e| page_topic_features(&e.page, &page_text_features(&e.page))).collect();
    let set = Set { fold: searches.iter().map(|e| folds[e.site.as_str()]).collect(), searches, rows, pages };
    let number = |name: &str| DOMAINS.iter().position(|domain| *domain == name);
    let empty = Vec::new();
    let built_in = domains.readings.last().map_or(&empty, |reading| &reading.judged);
    let measure = |name: &'static str| {
        let domain = number(name)?;
        let mut table = ConfusionMatrix::new(2);
        built_in.iter().for_each(|(_, truth, p)| {
            table.add(usize::from(*truth == domain), usize::from(p[domain] >= 0.5));
        });
        let draws: f64 = (0..DRAWS).map(|draw| set.f1(domain, EXAMPLES, draw)).sum();
        let (f1, f1_built_in) = (draws / DRAWS as f64, table.f1(1));
        let f1_words = set.f1(domain, 0, 0);
        Some(FewExampleFigures { domain: name, f1, f1_words, f1_built_in, share: f1 / f1_built_in })
    };
    DOMAINS_TESTED.iter().filter_map(|name| measure(name)).collect()
}

struct Set<'a> {
    searches: Vec<&'a LabelledForm>,
    fold: Vec<usize>,
    rows: Vec<TopicFeatures>,
    pages: Vec<TopicFeatures>,
}

impl Set<'_> {
    /// F1 over all folds. Each topic learns from examples of the other folds.
    fn f1(&self, domain: usize, examples: usize, draw: u64) -> f64 {
        let tables = by_fold(FOLDS, |fold| self.table(domain, examples, draw, fold));
        let mut sum = ConfusionMatrix::new(2);
        for (truth, judged) in tables.into_iter().flatten() {
            sum.add(truth, judged);
        }
        sum.f1(1)
    }

    fn table(&self, domain: usize, examples: usize, draw: u64, fold: usize) -> Vec<(usize, usize)> {
        let known: Vec<usize> = (0..self.rows.len()).filter(|&at| self.fold[at] != fold).collect();
        let chosen = self.draw(&known, domain, examples, draw ^ ((fold as u64) << 32));
        let of =
            |rows: &[TopicFeatures], at: &[usize]| at.iter().map(|&at| rows[at].clone()).collect::<Vec<_>>();
        let material = TopicExamples {
            forms: of(&self.rows, &chosen),
            pages: of(&self.pages, &chosen),
            words: DOMAINS[domain].to_string(),
            ..TopicExamples::default()
        };
        let topic = LearnedTopic::train(&material, &of(&self.rows, &known), &of(&self.pages, &known));
        let test =
            (0..self.rows.len()).filter(|&at| self.fold[at] == fold && self.searches[at].confidence >= 0.8);
        test.map(|at| {
            let truth = self.searches[at].domain == Some(domain);
            (usize::from(truth), usize::from(topic.p_form(&self.rows[at]) >= 0.5))
        })
        .collect()
    }

    /// Draws forms of a domain from different sites.
    fn draw(&self, known: &[usize], domain: usize, examples: usize, seed: u64) -> Vec<usize> {
        let mut of: Vec<usize> = known
            .iter()
            .copied()
            .filter(|&at| self.searches[at].domain == Some(domain) && self.searches[at].confidence >= 0.8)
            .collect();
        Rng::new(SEED ^ seed).shuffle(&mut of);
        let mut sites = std::collections::BTreeSet::new();
        of.retain(|&at| sites.insert(self.searches[at].site.as_str()));
        of.truncate(examples);
        of
    }
}
