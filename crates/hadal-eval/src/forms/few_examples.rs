//! Topics learned from five example forms, compared with the built-in topics.
//!
//! Examples, background and test forms come from different sites. The background contains forms of the topic,
//! as it does on a user's machine. Topics are measured with the support of a built-in domain, as
//! `hadal topics new` makes them, and without: the latter stand for topics that hadal does not know. The
//! supporting classifier has not seen the site of the form that it judges.

use super::by_fold;
use super::domains::{DomainFigures, FOLDS, site_folds};
use crate::training::built_in::{LabelledData, SEED, row};
use hadal_core::critic::LabelledForm;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::classifiers::similar_domain;
use hadal_core::critic::domain::{DOMAINS, OTHER};
use hadal_core::critic::learned::{LearnedTopic, TopicExamples};
use hadal_core::critic::topic_features::{TopicFeatures, page_text_features, page_topic_features};
use hadal_core::learn::metrics::ConfusionMatrix;
use hadal_core::learn::rng::Rng;
use serde::Serialize;
use std::collections::HashMap;

/// Examples per topic. Guess.
const EXAMPLES: usize = 5;

/// Draws of examples. Guess.
const DRAWS: u64 = 3;

/// Figures of one domain, or of all together.
#[derive(Clone, Debug, Serialize)]
pub struct FewExampleFigures {
    /// Domain, or `all`.
    pub domain: &'static str,
    /// Share of the claims of topics from five examples that are right, over all draws.
    pub precision: f64,
    /// Share of the domain's forms that topics from five examples claim, over all draws.
    pub recall: f64,
    /// F1 of topics from five examples, over all draws.
    pub f1: f64,
    /// Precision with the support of a built-in domain.
    pub supported_precision: f64,
    /// Recall with the support of a built-in domain.
    pub supported_recall: f64,
    /// F1 of a topic from the domain's name alone.
    pub f1_words: f64,
    /// F1 of the built-in topic on the same forms with P(domain) >= 0.5.
    pub f1_built_in: f64,
    /// `f1` divided by `f1_built_in`.
    pub share: f64,
}

/// Truth and judgement of forms: 1 for the topic, 0 for others.
type Judgements = Vec<(usize, usize)>;

/// Judgements by topics from five examples, by the same with support, by topics from a name, and by the built-in topic.
#[derive(Default)]
struct TopicJudgements {
    examples: Judgements,
    supported: Judgements,
    words: Judgements,
    built_in: Judgements,
}

impl TopicJudgements {
    fn figures(&self, domain: &'static str) -> FewExampleFigures {
        let all = [&self.examples, &self.supported, &self.words, &self.built_in];
        let [examples, supported, words, built_in] = all.map(|judged| {
            let mut table = ConfusionMatrix::new(2);
            judged.iter().for_each(|(truth, judged)| table.add(*truth, *judged));
            table
        });
        FewExampleFigures {
            domain,
            precision: examples.precision(1),
            recall: examples.recall(1),
            f1: examples.f1(1),
            supported_precision: supported.precision(1),
            supported_recall: supported.recall(1),
            f1_words: words.f1(1),
            f1_built_in: built_in.f1(1),
            share: examples.f1(1) / built_in.f1(1),
        }
    }

    fn extend(&mut self, other: &TopicJudgements) {
        self.examples.extend(&other.examples);
        self.supported.extend(&other.supported);
        self.words.extend(&other.words);
        self.built_in.extend(&other.built_in);
    }
}

/// Evaluates every domain with enough sites, then all together.
pub fn evaluate(data: &LabelledData, domains: &DomainFigures) -> Vec<FewExampleFigures> {
    let folds = site_folds(data);
    let searches = data.searches();
    let rows: Vec<TopicFeatures> = searches.iter().map(|example| row(example)).collect();
    let pages: Vec<TopicFeatures> =
        searches.iter().map(|e| page_topic_features(&e.page, &page_text_features(&e.page))).collect();
    let judged: HashMap<&str, &[f32]> =
        domains.with_page.iter().map(|(name, p)| (name.as_str(), p.as_slice())).collect();
    let p_domains =
        searches.iter().map(|e| judged.get(e.name.as_str()).copied().unwrap_or(&UNJUDGED)).collect();
    let fold = searches.iter().map(|e| folds[e.site.as_str()]).collect();
    let set = Set { fold, searches, rows, pages, p_domains };
    let built_in = domains.readings.last().map_or(&[][..], |reading| &reading.judged);
    let (mut all, mut figures) = (TopicJudgements::default(), Vec::new());
    for (domain, name) in DOMAINS.iter().enumerate().take(OTHER) {
        let drawn: Vec<TopicJudgement> =
            (0..DRAWS).flat_map(|draw| set.judge(domain, EXAMPLES, draw)).collect();
        let words = set.judge(domain, 0, 0);
        let judged = TopicJudgements {
            examples: drawn.iter().map(|one| (one.truth, one.own)).collect(),
            supported: drawn.iter().map(|one| (one.truth, one.supported)).collect(),
            words: words.iter().map(|one| (one.truth, one.own)).collect(),
            built_in: built_in
                .iter()
                .map(|(_, truth, p)| {
                    (usize::from(*truth == domain), usize::from(p[domain] >= MIN_ACCEPTED_P))
                })
                .collect(),
        };
        if !judged.examples.is_empty() {
            figures.push(judged.figures(name));
            all.extend(&judged);
        }
    }
    figures.push(all.figures("all"));
    figures
}

/// One form, judged by one topic: 1 for the topic, 0 for others.
struct TopicJudgement {
    truth: usize,
    own: usize,
    supported: usize,
}

/// Probabilities of a form that was not judged.
const UNJUDGED: [f32; DOMAINS.len()] = [0.0; DOMAINS.len()];

struct Set<'a> {
    searches: Vec<&'a LabelledForm>,
    fold: Vec<usize>,
    rows: Vec<TopicFeatures>,
    pages: Vec<TopicFeatures>,
    /// P(domain) by a classifier that has not seen the site of the form.
    p_domains: Vec<&'a [f32]>,
}

impl Set<'_> {
    /// Judgements of all folds. Each topic learns from examples of the other folds.
    fn judge(&self, domain: usize, examples: usize, draw: u64) -> Vec<TopicJudgement> {
        by_fold(FOLDS, |fold| self.table(domain, examples, draw, fold)).into_iter().flatten().collect()
    }

    fn table(&self, domain: usize, examples: usize, draw: u64, fold: usize) -> Vec<TopicJudgement> {
        let known: Vec<usize> = (0..self.rows.len()).filter(|&at| self.fold[at] != fold).collect();
        let chosen = self.draw(&known, domain, examples, draw ^ ((fold as u64) << 32));
        if chosen.len() < examples {
            return Vec::new();
        }
        let of =
            |rows: &[TopicFeatures], at: &[usize]| at.iter().map(|&at| rows[at].clone()).collect::<Vec<_>>();
        let material = TopicExamples {
            forms: of(&self.rows, &chosen),
            pages: of(&self.pages, &chosen),
            words: DOMAINS[domain].to_string(),
            ..TopicExamples::default()
        };
        let related: Vec<&[f32]> = chosen.iter().map(|&at| self.p_domains[at]).collect();
        let topic = LearnedTopic::train(&material, &of(&self.rows, &known), &of(&self.pages, &known))
            .with_domain(similar_domain(&related));
        let test =
            (0..self.rows.len()).filter(|&at| self.fold[at] == fold && self.searches[at].confidence >= 0.8);
        test.map(|at| {
            let own = topic.p_form(&self.rows[at]);
            let supported = topic.supported(own, |domain| self.p_domains[at][domain]);
            TopicJudgement {
                truth: usize::from(self.searches[at].domain == Some(domain)),
                own: usize::from(own >= MIN_ACCEPTED_P),
                supported: usize::from(supported >= MIN_ACCEPTED_P),
            }
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
