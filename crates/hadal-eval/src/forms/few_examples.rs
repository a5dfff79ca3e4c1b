//! Topics learned from five example forms, compared with the built-in topics.
//!
//! Examples, background and test forms come from different sites. The background contains forms of the topic,
//! as it does on a user's machine. No built-in domain supports these topics: they stand for topics that hadal does not
//! know.

use super::by_fold;
use super::domains::{DomainFigures, FOLDS, site_folds};
use crate::training::built_in::{LabelledData, SEED, row};
use hadal_core::critic::LabelledForm;
use hadal_core::critic::domain::{DOMAINS, OTHER};
use hadal_core::critic::learned::{LearnedTopic, TopicExamples};
use hadal_core::critic::topic_features::{TopicFeatures, page_text_features, page_topic_features};
use hadal_core::learn::metrics::ConfusionMatrix;
use hadal_core::learn::rng::Rng;
use serde::Serialize;

const EXAMPLES: usize = 5;

/// Draws of examples.
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
    /// F1 of a topic from the domain's name alone.
    pub f1_words: f64,
    /// F1 of the built-in topic on the same forms with P(domain) >= 0.5.
    pub f1_built_in: f64,
    /// `f1` divided by `f1_built_in`.
    pub share: f64,
}

/// Truth and judgement of forms: 1 for the topic, 0 for others.
type Judgements = Vec<(usize, usize)>;

/// Judgements by topics from five examples, by topics from a name, and by the built-in topic.
#[derive(Default)]
struct TopicJudgements {
    examples: Judgements,
    words: Judgements,
    built_in: Judgements,
}

impl TopicJudgements {
    fn figures(&self, domain: &'static str) -> FewExampleFigures {
        let [examples, words, built_in] = [&self.examples, &self.words, &self.built_in].map(|judged| {
            let mut table = ConfusionMatrix::new(2);
            judged.iter().for_each(|(truth, judged)| table.add(*truth, *judged));
            table
        });
        let (f1, f1_built_in) = (examples.f1(1), built_in.f1(1));
        let (precision, recall) = (examples.precision(1), examples.recall(1));
        let share = f1 / f1_built_in;
        FewExampleFigures { domain, precision, recall, f1, f1_words: words.f1(1), f1_built_in, share }
    }

    fn extend(&mut self, other: &TopicJudgements) {
        self.examples.extend(&other.examples);
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
    let set = Set { fold: searches.iter().map(|e| folds[e.site.as_str()]).collect(), searches, rows, pages };
    let built_in = domains.readings.last().map_or(&[][..], |reading| &reading.judged);
    let (mut all, mut figures) = (TopicJudgements::default(), Vec::new());
    for (domain, name) in DOMAINS.iter().enumerate().take(OTHER) {
        let judged = TopicJudgements {
            examples: (0..DRAWS).flat_map(|draw| set.judge(domain, EXAMPLES, draw)).collect(),
            words: set.judge(domain, 0, 0),
            built_in: built_in
                .iter()
                .map(|(_, truth, p)| (usize::from(*truth == domain), usize::from(p[domain] >= 0.5)))
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

struct Set<'a> {
    searches: Vec<&'a LabelledForm>,
    fold: Vec<usize>,
    rows: Vec<TopicFeatures>,
    pages: Vec<TopicFeatures>,
}

impl Set<'_> {
    /// Judgements of all folds. Each topic learns from examples of the other folds.
    fn judge(&self, domain: usize, examples: usize, draw: u64) -> Judgements {
        by_fold(FOLDS, |fold| self.table(domain, examples, draw, fold)).into_iter().flatten().collect()
    }

    fn table(&self, domain: usize, examples: usize, draw: u64, fold: usize) -> Judgements {
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
