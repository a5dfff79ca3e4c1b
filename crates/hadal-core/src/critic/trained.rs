//! The critic of a crawl: the trained judges, for one topic.

use super::classifiers::Classifiers;
use super::domain::DOMAINS;
use super::learned::LearnedTopic;
use super::topic_features::{form_topic_features, page_text_features, page_topic_features};
use super::{Critic, FormVerdict, PageVerdict};
use crate::page::{Form, Page};

/// What a crawl is after.
#[derive(Clone, Debug, PartialEq)]
pub enum CriticTarget {
    /// One of the built-in domains, by number.
    Domain(usize),
    /// A topic of the user's own.
    Learned(Box<LearnedTopic>),
}

impl CriticTarget {
    /// The built-in domain of that name.
    pub fn built_in(name: &str) -> Option<CriticTarget> {
        let twelve = &DOMAINS[..DOMAINS.len() - 1];
        twelve.iter().position(|domain| *domain == name).map(CriticTarget::Domain)
    }
}

/// Judges for one topic.
pub struct TrainedCritic {
    judges: &'static Classifiers,
    aim: CriticTarget,
}

/// Forms less likely to be a search than this are not asked what they search.
const WORTH_ASKING: f32 = 0.02;

/// How many reasons are kept.
const REASONS: usize = 4;

impl TrainedCritic {
    /// The shipped judges, after one topic.
    pub fn new(aim: CriticTarget) -> TrainedCritic {
        TrainedCritic { judges: Classifiers::shipped(), aim }
    }

    fn p_topic(&self, form: &Form, page: &Page, words: &[(u32, f32)]) -> f32 {
        match &self.aim {
            CriticTarget::Domain(domain) => self.judges.domains.classify(form, page, Some(words))[*domain],
            CriticTarget::Learned(topic) => topic.p_form(&form_topic_features(form, page, Some(words))),
        }
    }

    fn evidence(&self, form: &Form, page: &Page) -> Vec<String> {
        let reasons = self.judges.searchable.strongest_features(form, page, REASONS);
        let sign = |weight: f32| if weight > 0.0 { '+' } else { '-' };
        reasons.iter().map(|(group, word, weight)| format!("{}{group}: {word}", sign(*weight))).collect()
    }
}

impl Critic for TrainedCritic {
    fn judge_page(&self, page: &Page) -> PageVerdict {
        let words = page_text_features(page);
        let about = page_topic_features(page, &words);
        let p_topic = match &self.aim {
            CriticTarget::Domain(domain) => self.judges.pages.classify(&about)[*domain],
            CriticTarget::Learned(topic) => topic.p_page(&about),
        };
        PageVerdict { p_topic, text_features: words }
    }

    fn judge_form(&self, form: &Form, page: &Page, verdict: &PageVerdict) -> FormVerdict {
        let (p_searchable, kind) = self.judges.searchable.classify(form, page);
        let p_topic = match p_searchable > WORTH_ASKING {
            true => self.p_topic(form, page, &verdict.text_features),
            false => 0.0,
        };
        let evidence = if p_searchable >= 0.5 { self.evidence(form, page) } else { Vec::new() };
        FormVerdict { kind, p_searchable, p_relevant: p_searchable * p_topic, evidence }
    }
}
