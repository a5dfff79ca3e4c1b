//! The default critic of a crawl: the shipped classifiers, applied to one topic.

use super::classifiers::Classifiers;
use super::domain::{DOMAINS, OTHER};
use super::learned::LearnedTopic;
use super::topic_features::{form_topic_features, page_text_features, page_topic_features};
use super::{Critic, FormVerdict, PageVerdict};
use crate::page::{Form, Page};

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
}

/// Judges pages and forms with the classifiers of this process ([`Classifiers::current`]).
pub struct TrainedCritic {
    classifiers: &'static Classifiers,
    target: CriticTarget,
}

/// Forms with a lower P(searchable) skip the domain classifier and get P(topic) = 0. Saves time; guess.
const MIN_P_SEARCHABLE: f32 = 0.02;

/// Number of features shown as evidence. Guess.
const EVIDENCE_FEATURES: usize = 4;

impl TrainedCritic {
    /// Creates a critic with the classifiers of this process.
    pub fn new(target: CriticTarget) -> TrainedCritic {
        TrainedCritic { classifiers: Classifiers::current(), target }
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
        let reasons = self.classifiers.searchable.strongest_features(form, page, EVIDENCE_FEATURES);
        let sign = |weight: f32| if weight > 0.0 { '+' } else { '-' };
        reasons.iter().map(|(group, word, weight)| format!("{}{group}: {word}", sign(*weight))).collect()
    }
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
        let evidence = if p_searchable >= 0.5 { self.evidence(form, page) } else { Vec::new() };
        FormVerdict { kind, p_searchable, p_relevant: p_searchable * p_topic, evidence }
    }
}
