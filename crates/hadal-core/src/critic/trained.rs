//! The default critic of a crawl: the shipped classifiers, applied to one topic.

use super::MIN_ACCEPTED_P;
use super::classifiers::Classifiers;
use super::domain::{DOMAINS, OTHER};
use super::learned::LearnedTopic;
use super::link_topic::{LinkTopicCache, judge_links};
use super::topic_features::{form_topic_features, page_text_features, page_topic_features};
use super::{Critic, FormVerdict, PageVerdict};
use crate::page::{Form, LinkTopic, Page};
use crate::submission::request_template;

/// Topic of a critic.
#[derive(Clone, Debug, PartialEq)]
pub enum CriticTarget {
    /// Built-in domain as an index into [`DOMAINS`].
    Domain(usize),
    /// Topic of the user.
    Learned(Box<LearnedTopic>),
}

impl CriticTarget {
    /// Looks up a built-in domain by name. `other` is not a topic.
    pub fn built_in(name: &str) -> Option<CriticTarget> {
        let topics = &DOMAINS[..OTHER];
        topics.iter().position(|domain| *domain == name).map(CriticTarget::Domain)
    }

    /// `p_relevant` of [`FormVerdict`]: rescaled for a built-in domain, else the product of both.
    pub fn p_relevant(&self, p_searchable: f32, p_topic: f32) -> f32 {
        match self {
            CriticTarget::Domain(_) => p_relevant(p_searchable, p_topic),
            CriticTarget::Learned(_) => p_searchable * p_topic,
        }
    }
}

/// Judges pages and forms with the classifiers of this process ([`Classifiers::current`]).
pub struct TrainedCritic {
    classifiers: &'static Classifiers,
    target: CriticTarget,
    recent_links: LinkTopicCache,
}

/// Forms with a lower P(searchable) skip the domain classifier and get P(topic) = 0. Saves time; guess.
const MIN_P_SEARCHABLE: f32 = 0.02;

/// Least P(searchable and on topic) at which a form of a built-in domain counts as relevant.
///
/// The threshold with the highest F1 is half of that F1 (Lipton et al. 2014). Recall / precision on sites that were not
/// trained on: 0.83 / 0.88 with 0.4, 0.79 / 0.89 with 0.5 (`hadal eval forms`, earlier models). Crawls of twelve topics
/// over two webs of real pages have a precision of 0.967 with 0.4.
const MIN_JOINT_P: f32 = 0.4;

/// Evidence for a request that a script sent for a typed word.
const SENT_BY_SCRIPT: &str = "a script sends";
/// Number of features shown as evidence. Guess.
const EVIDENCE_FEATURES: usize = 4;

impl TrainedCritic {
    /// Creates a critic with the classifiers of this process.
    pub fn new(target: CriticTarget) -> TrainedCritic {
        TrainedCritic { classifiers: Classifiers::current(), target, recent_links: LinkTopicCache::new() }
    }

    fn p_topic(&self, form: &Form, page: &Page, page_features: &[(u32, f32)]) -> f32 {
        match &self.target {
            CriticTarget::Domain(domain) => {
                self.classifiers.domains.classify(form, page, Some(page_features))[*domain]
            }
            CriticTarget::Learned(topic) => {
                self.classifiers.p_form(topic, &form_topic_features(form, page, Some(page_features)))
            }
        }
    }

    fn evidence(&self, form: &Form, page: &Page) -> Vec<String> {
        if let Some(template) = request_template(form) {
            return vec![format!("{SENT_BY_SCRIPT}: {template}")];
        }
        let reasons = self.classifiers.searchable.strongest_features(form, page, EVIDENCE_FEATURES);
        let sign = |weight: f32| if weight > 0.0 { '+' } else { '-' };
        reasons.iter().map(|(group, word, weight)| format!("{}{group}: {word}", sign(*weight))).collect()
    }
}

/// Relevance of a form for a built-in domain. The odds of `p_searchable * p_topic` are scaled so that
/// [`MIN_JOINT_P`], 0.4, becomes 0.5. The result is at most `p_searchable`, so that a relevant form is
/// searchable too:
///
/// ```text
/// p          = p_searchable * p_topic
/// p_relevant = min(p_searchable, 0.6 p / (0.6 p + 0.4 (1 - p)))
/// ```
pub fn p_relevant(p_searchable: f32, p_topic: f32) -> f32 {
    let p = p_searchable * p_topic;
    let scaled = p * (1.0 - MIN_JOINT_P);
    let decided = scaled / (scaled + (1.0 - p) * MIN_JOINT_P);
    decided.min(p_searchable)
}

impl Critic for TrainedCritic {
    fn judge_page(&self, page: &Page) -> PageVerdict {
        let text_features = page_text_features(page);
        let features = page_topic_features(page, &text_features);
        let p_topic = match &self.target {
            CriticTarget::Domain(domain) => self.classifiers.pages.classify(&features)[*domain],
            CriticTarget::Learned(topic) => self.classifiers.p_page(topic, &features),
        };
        PageVerdict { p_topic, text_features }
    }

    fn judge_form(&self, form: &Form, page: &Page, verdict: &PageVerdict) -> FormVerdict {
        let (p_searchable, kind) = self.classifiers.searchable.classify(form, page);
        let p_topic = match p_searchable > MIN_P_SEARCHABLE {
            true => self.p_topic(form, page, &verdict.text_features),
            false => 0.0,
        };
        let evidence = if p_searchable >= MIN_ACCEPTED_P { self.evidence(form, page) } else { Vec::new() };
        FormVerdict {
            kind,
            p_searchable,
            p_relevant: self.target.p_relevant(p_searchable, p_topic),
            evidence,
        }
    }

    fn judge_links(&self, page: &Page) -> Vec<LinkTopic> {
        judge_links(page, Some(&self.recent_links), |page| self.judge_page(page).p_topic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_relevant_from_the_decision_on_if_it_is_searchable() {
        assert!(p_relevant(1.0, MIN_JOINT_P + 0.01) > 0.5 && p_relevant(1.0, MIN_JOINT_P - 0.01) < 0.5);
        assert!(p_relevant(0.45, 1.0) < 0.5);
        assert_eq!((p_relevant(0.0, 0.3), p_relevant(1.0, 1.0)), (0.0, 1.0));
        assert!(p_relevant(0.9, 0.8) > p_relevant(0.9, 0.7));
    }
}
