//! The critic: classifiers that judge pages and forms for one topic.
//!
//! A critic reads a page and changes nothing, so several threads can share one.
//!
//! - Critics: [`trained`] uses the [`classifiers`] that ship with the program; [`keywords`] needs no training.
//! - Kind of a form (search, login, ...): [`searchable`] over [`kind_features`].
//! - Topic of a form or page: [`domain`] and [`page_topic`] over [`topic_features`] for the built-in domains,
//!   [`learned`] for a topic of the user, trained against the [`background`]. The folder `typical` holds
//!   training rows written by hand.
//! - Topic of a page that is not fetched yet, from the words of a link: [`Critic::judge_links`].
//! - Classifiers of the papers, as baselines: [`paper_baseline`].
//! - Submitting a form and reading the answer: [`veto`], [`probe`], [`page_kind`]; [`quality`] estimates the
//!   share of found forms that really search.

pub mod background;
mod binary_topic;
pub mod classifiers;
pub mod domain;
pub mod evidence_words;
pub mod keywords;
pub mod kind_features;
pub mod learned;
mod link_topic;
pub mod page_kind;
pub mod page_topic;
pub mod paper_baseline;
pub(crate) mod phrase_set;
pub mod probe;
pub mod quality;
pub mod search_form;
pub mod searchable;
pub mod topic_features;
pub mod trained;
mod typical;
pub mod veto;

use crate::page::{Form, LinkTopic, Page};
use serde::{Deserialize, Serialize};

/// P(searchable) of an endpoint that a page's markup suggests and that was not requested yet. Guess. A
/// harvest submits POST forms above this value by default (`MIN_P_POST`), so it does not submit an endpoint
/// by POST.
const P_ENDPOINT: f32 = 0.9;
/// P(searchable) of a request that a script sent for a typed word. Guess; its answers were compared.
const P_LEARNED_REQUEST: f32 = 0.95;

/// Judges pages and forms for one topic.
pub trait Critic: Send + Sync {
    /// Estimates the probability that a page is on topic.
    fn judge_page(&self, page: &Page) -> PageVerdict;

    /// Estimates the kind of a form and the probability that it searches the topic. `verdict` is the result of
    /// [`Critic::judge_page`] for `page`.
    fn judge_form(&self, form: &Form, page: &Page, verdict: &PageVerdict) -> FormVerdict;

    /// Estimates the topic of each link's target from the words of the link ([`LinkTopic`]).
    fn judge_links(&self, page: &Page) -> Vec<LinkTopic> {
        link_topic::judge_links(page, None, |page| self.judge_page(page).p_topic)
    }
}

/// Result of judging a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageVerdict {
    /// Probability that the page is on topic.
    pub p_topic: f32,
    /// Features of the page text ([`topic_features::page_text_features`]), computed once for the page and all
    /// of its forms.
    #[serde(skip)]
    pub text_features: topic_features::TopicFeatures,
}

/// Least probability at which a form counts as searchable or relevant, and a page as on topic. By definition,
/// see GLOSSARY.md.
pub const MIN_ACCEPTED_P: f32 = 0.5;

/// Result of judging a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormVerdict {
    /// Most likely kind.
    pub kind: FormKind,
    /// Probability that the form is searchable.
    pub p_searchable: f32,
    /// Relevance: at least 0.5 means relevant. For topics of the user it is the probability that the form is
    /// searchable and on topic; for built-in domains that probability is rescaled, see
    /// [`trained::p_relevant`].
    pub p_relevant: f32,
    /// Strongest reasons for the verdict, for people to check.
    pub evidence: Vec<String>,
}

impl FormVerdict {
    /// True if `p_searchable` is at least [`MIN_ACCEPTED_P`].
    pub fn is_searchable(&self) -> bool {
        self.p_searchable >= MIN_ACCEPTED_P
    }

    /// True if `p_relevant` is at least [`MIN_ACCEPTED_P`].
    pub fn is_relevant(&self) -> bool {
        self.p_relevant >= MIN_ACCEPTED_P
    }

    /// `p_relevant / p_searchable`. Equals P(on topic | searchable) for topics of the user and is higher for
    /// built-in domains.
    pub fn p_topic_if_searchable(&self) -> f32 {
        if self.p_searchable > 0.0 { (self.p_relevant / self.p_searchable).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Purpose of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are the kinds of the glossary")]
pub enum FormKind {
    Search,
    Login,
    Registration,
    Recovery,
    Contact,
    Newsletter,
    Order,
    Comment,
    Booking,
    Other,
}

impl FormKind {
    /// All kinds. The trained model depends on their order.
    pub const ALL: [FormKind; 10] = [
        FormKind::Search,
        FormKind::Login,
        FormKind::Registration,
        FormKind::Recovery,
        FormKind::Contact,
        FormKind::Newsletter,
        FormKind::Order,
        FormKind::Comment,
        FormKind::Booking,
        FormKind::Other,
    ];

    /// Name used in all tables and exports.
    pub fn name(self) -> &'static str {
        match self {
            FormKind::Search => "search",
            FormKind::Login => "login",
            FormKind::Registration => "registration",
            FormKind::Recovery => "recovery",
            FormKind::Contact => "contact",
            FormKind::Newsletter => "newsletter",
            FormKind::Order => "order",
            FormKind::Comment => "comment",
            FormKind::Booking => "booking",
            FormKind::Other => "other",
        }
    }
}

/// Form with a label given by a person. The classifiers are trained and measured on these.
#[derive(Clone, Debug)]
pub struct LabelledForm {
    /// Form as the parser returns it.
    pub form: Form,
    /// Page that holds the form.
    pub page: Page,
    /// Site of the page. Cross-validation never splits the forms of one site.
    pub site: String,
    /// Kind given by the label.
    pub kind: FormKind,
    /// Labelled domain as an index into [`domain::DOMAINS`]. `None` without a label, and for other kinds than search.
    pub domain: Option<usize>,
    /// Reliability of the label from 0 to 1, used as the training weight.
    pub confidence: f32,
    /// Location in the data set, for error reports.
    pub name: String,
}

impl LabelledForm {
    /// True if the label is [`FormKind::Search`].
    pub fn is_search(&self) -> bool {
        self.kind == FormKind::Search
    }
}
