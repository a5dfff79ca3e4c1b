//! The critic of a crawl: the trained judges, for one topic.

use super::domain::DOMAINS;
use super::judges::Judges;
use super::learned::LearnedTopic;
use super::subject::{of_form, of_page, page_words};
use super::{Critic, FormVerdict, PageVerdict};
use crate::page::{Form, Page};

/// What a crawl is after.
#[derive(Clone, Debug, PartialEq)]
pub enum Aim {
    /// One of the built-in domains, by number.
    Domain(usize),
    /// A topic of the user's own.
    Learned(Box<LearnedTopic>),
}

impl Aim {
    /// The built-in domain of that name.
    pub fn built_in(name: &str) -> Option<Aim> {
        let twelve = &DOMAINS[..DOMAINS.len() - 1];
        twelve.iter().position(|domain| *domain == name).map(Aim::Domain)
    }
}

/// Judges for one topic.
pub struct TrainedCritic {
    judges: &'static Judges,
    aim: Aim,
}

/// Forms less likely to be a search than this are not asked what they search.
const WORTH_ASKING: f32 = 0.02;

/// How many reasons are kept.
const REASONS: usize = 4;

impl TrainedCritic {
    /// The shipped judges, after one topic.
    pub fn new(aim: Aim) -> TrainedCritic {
        TrainedCritic { judges: Judges::shipped(), aim }
    }

    fn p_topic(&self, form: &Form, page: &Page, words: &[(u32, f32)]) -> f32 {
        match &self.aim {
            Aim::Domain(domain) => self.judges.domains.judge(form, page, Some(words))[*domain],
            Aim::Learned(topic) => topic.p_form(&of_form(form, page, Some(words))),
        }
    }

    fn evidence(&self, form: &Form, page: &Page) -> Vec<String> {
        let reasons = self.judges.searchable.reasons(form, page, REASONS);
        let sign = |weight: f32| if weight > 0.0 { '+' } else { '-' };
        reasons.iter().map(|(group, word, weight)| format!("{}{group}: {word}", sign(*weight))).collect()
    }
}

impl Critic for TrainedCritic {
    fn judge_page(&self, page: &Page) -> PageVerdict {
        let words = page_words(page);
        let about = of_page(page, &words);
        let p_topic = match &self.aim {
            Aim::Domain(domain) => self.judges.pages.judge(&about)[*domain],
            Aim::Learned(topic) => topic.p_page(&about),
        };
        PageVerdict { p_topic, words }
    }

    fn judge_form(&self, form: &Form, page: &Page, verdict: &PageVerdict) -> FormVerdict {
        let (p_searchable, kind) = self.judges.searchable.judge(form, page);
        let p_topic = match p_searchable > WORTH_ASKING {
            true => self.p_topic(form, page, &verdict.words),
            false => 0.0,
        };
        let evidence = if p_searchable >= 0.5 { self.evidence(form, page) } else { Vec::new() };
        FormVerdict { kind, p_searchable, p_relevant: p_searchable * p_topic, evidence }
    }
}
