//! Probe: up to three test queries that show whether a form searches.
//!
//! A probe sends a frequent word and a nonsense word and compares the answers. It is a state machine without IO:
//! [`Probe::next_request`] returns the request to send, [`Probe::receive`] takes the answer, and
//! [`Probe::result`] returns the result at the end. The engine sends and logs the requests and can store the probe
//! between two of them. A probe sends only GET requests.
//!
//! `target` chooses the field to fill, `page_digest` reduces an answer to the data that are compared, `decide`
//! chooses the next query or the result, and `state` holds the probe of a form during a crawl.

mod decide;
mod page_digest;
pub(crate) mod redirect;
mod state;
mod target;

pub use state::{ProbeState, probe_word};
pub use target::{is_display_option, nonsense_word};

use super::veto::{Veto, veto};
use crate::http::{Method, Request};
use crate::page::{Form, Page};
use crate::submission::{FilledForm, goes_to_web, submission};
use decide::{AnswerDigest, ProbeStep};
use page_digest::{PageDigest, QueryMask};
use serde::{Deserialize, Serialize};
use target::ProbeTarget;
use url::Url;

/// Maximum number of requests of one probe, redirects included. Guess: three test queries without a redirect.
pub const MAX_REQUESTS: usize = 3;

/// Position of the field that takes query words. `None` if no field of the form does.
pub fn query_field(form: &Form) -> Option<usize> {
    match ProbeTarget::of(form)? {
        ProbeTarget::Words(at) => Some(at),
        ProbeTarget::Choice { .. } => None,
    }
}

/// State of the test queries to one form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    form: Form,
    charset: String,
    target: ProbeTarget,
    word: String,
    nonsense: [String; 2],
    seen: Vec<(ProbeQuery, AnswerDigest)>,
    next: ProbeStep,
}

/// Query of a probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum ProbeQuery {
    /// The frequent word, or the first option of a select.
    Word,
    /// The nonsense word, or the second option of a select.
    Nonsense,
    /// A second nonsense word.
    SecondNonsense,
    /// The empty query: all fields with their default values.
    Empty,
    /// Target of a redirect.
    Follow(Url),
}

/// Reason why a form is not probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProbeRefusal {
    /// The form must never be submitted.
    Veto(Veto),
    /// The method is POST. If the form is not a search, sending it may change data.
    Posts,
    /// No field takes a word or offers enough options.
    NoUsableField,
    /// Neither the field nor the form says what is asked for, so that a query may be an entry.
    Unexplained,
    /// The form is not sent over HTTP.
    NotHttp,
}

/// Answer to one request of a probe.
#[derive(Clone, Copy, Debug)]
pub struct ProbeAnswer<'a> {
    /// HTTP status code; 0 without an answer.
    pub status: u16,
    /// Target of an HTTP redirect.
    pub location: Option<&'a Url>,
    /// Parsed page, if the answer has one.
    pub page: Option<&'a Page>,
}

/// Result of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProbeResult {
    /// Words return results, nonsense does not.
    #[serde(rename = "searches")]
    Searchable,
    /// All queries return the same answer, or the form accepts entries.
    #[serde(rename = "doesnot")]
    NotSearchable,
    /// The answers prove neither.
    Unclear,
}

impl Probe {
    /// Creates the probe of a form with a word that is frequent in its topic. `seed` generates the nonsense words.
    pub fn new(form: &Form, word: &str, seed: u64) -> Result<Probe, ProbeRefusal> {
        if let Some(veto) = veto(form) {
            return Err(ProbeRefusal::Veto(veto));
        }
        let target = ProbeTarget::of(form).ok_or(ProbeRefusal::NoUsableField)?;
        if target.is_unexplained(form) {
            return Err(ProbeRefusal::Unexplained);
        }
        let first = submission(form, &target.input_with(word), "utf-8");
        if !goes_to_web(&first) {
            return Err(ProbeRefusal::NotHttp);
        }
        if first.method == Method::Post {
            return Err(ProbeRefusal::Posts);
        }
        Ok(Probe {
            form: form.clone(),
            charset: "utf-8".to_string(),
            target,
            word: word.to_string(),
            nonsense: [target::nonsense_word(seed), target::nonsense_word(!seed)],
            seen: Vec::new(),
            next: ProbeStep::Send(ProbeQuery::Word),
        })
    }

    /// Next request to send. `None` at the end of the probe.
    pub fn next_request(&self) -> Option<Request> {
        match &self.next {
            ProbeStep::Send(ProbeQuery::Follow(url)) => Some(Request::get(url.clone())),
            ProbeStep::Send(query) => Some(submission(&self.form, &self.form_input(query), &self.charset)),
            ProbeStep::Done(_) => None,
        }
    }

    /// Processes the answer to the last request.
    pub fn receive(&mut self, answer: ProbeAnswer<'_>) {
        let ProbeStep::Send(query) = &self.next else { return };
        let seen = self.digest(answer);
        self.seen.push((query.clone(), seen));
        self.next = self.decide();
        if self.seen.len() >= MAX_REQUESTS && matches!(self.next, ProbeStep::Send(_)) {
            self.next = ProbeStep::Done(ProbeResult::Unclear);
        }
    }

    /// Result at the end of the probe.
    pub fn result(&self) -> Option<ProbeResult> {
        match self.next {
            ProbeStep::Done(result) => Some(result),
            ProbeStep::Send(_) => None,
        }
    }

    /// True if the form accepted a query as an entry or message. Then the probe ends.
    pub fn was_accepted_as_entry(&self) -> bool {
        self.seen.iter().any(|(_, seen)| *seen == AnswerDigest::Confirmation)
    }

    fn form_input(&self, query: &ProbeQuery) -> FilledForm {
        match (query, &self.target) {
            (ProbeQuery::Nonsense, ProbeTarget::Words(_)) => self.target.input_with(&self.nonsense[0]),
            (ProbeQuery::SecondNonsense, ProbeTarget::Words(_)) => self.target.input_with(&self.nonsense[1]),
            (ProbeQuery::Nonsense, ProbeTarget::Choice { .. }) => self.target.input_with_other_option(),
            (ProbeQuery::Empty, _) => self.target.empty_input(),
            _ => self.target.input_with(&self.word),
        }
    }

    /// Query words that pages may repeat. They are masked before a comparison.
    fn mask(&self) -> QueryMask {
        let mut mask = QueryMask::default();
        match &self.target {
            ProbeTarget::Words(_) => {
                [&self.word, &self.nonsense[0], &self.nonsense[1]].iter().for_each(|text| mask.add(text));
            }
            ProbeTarget::Choice { one, other, .. } => [one, other].iter().for_each(|text| mask.add(text)),
        }
        mask
    }

    fn digest(&self, answer: ProbeAnswer<'_>) -> AnswerDigest {
        let keeps_method = matches!(answer.status, 307 | 308) && self.form.method == Method::Post;
        let refresh = answer.page.and_then(redirect::meta_refresh);
        match (answer.location.filter(|_| matches!(answer.status, 300..=399)), answer.page) {
            (Some(location), _) if !keeps_method && redirect::stays_on_site(&self.form.action, location) => {
                AnswerDigest::Redirect(location.clone())
            }
            (None, Some(_)) if refresh.is_some_and(|url| redirect::stays_on_site(&self.form.action, url)) => {
                AnswerDigest::Redirect(refresh.expect("checked by the guard").clone())
            }
            (None, Some(page)) => AnswerDigest::of(PageDigest::of(page, answer.status, &self.mask())),
            _ => AnswerDigest::Unusable,
        }
    }
}

#[cfg(test)]
mod tests;
