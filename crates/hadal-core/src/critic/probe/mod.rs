//! Asking a form whether it searches: a frequent word, a nonsense word, and a look at the difference.
//!
//! A probe is a value: it says what to send next, takes in what came back, and after at most three
//! requests says what it found. Who sends the requests, when, and where they are put on record is the
//! engine's affair; the state between two requests can be stored. Only GET is sent.
//!
//! `target` chooses what to fill, `glimpse` keeps what matters of an answer, `judge` decides what to
//! ask next and what it all means, `signature` is what was learned about answers without results.

mod decide;
mod page_digest;
mod redirect;
mod signature;
mod state;
mod target;

pub use signature::NoResultSignature;
pub use state::{ProbeState, probe_word};

use super::veto::{Veto, veto};
use crate::http::{Method, Request};
use crate::page::{Field, Form, Page};
use crate::submission::{FilledForm, goes_to_web, submission};
use decide::{ProbeStep, SeenAnswer};
use page_digest::{PageDigest, QueryMask};
use serde::{Deserialize, Serialize};
use target::ProbeTarget;
use url::Url;

/// Requests one probe may send, redirects included.
pub const MAX_REQUESTS: usize = 3;

/// Where in a form a word is typed, by position among its fields; `None` when it takes no words.
pub fn query_field(form: &Form) -> Option<usize> {
    match ProbeTarget::of(form)? {
        ProbeTarget::Words(at) => Some(at),
        ProbeTarget::Choice { .. } => None,
    }
}

/// Whether a control says how results are shown (order, page size, language), not which.
pub fn is_display_option(field: &Field) -> bool {
    target::is_display_option(field)
}

/// A word that nobody has written, made from a seed.
pub fn nonsense_word(seed: u64) -> String {
    target::nonsense_word(seed)
}

/// A form under questioning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    form: Form,
    charset: String,
    target: ProbeTarget,
    word: String,
    nonsense: [String; 2],
    seen: Vec<(ProbeQuery, SeenAnswer)>,
    next: ProbeStep,
}

/// One request of a probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum ProbeQuery {
    /// The frequent word, or one of the choices.
    Word,
    /// The nonsense word, or another choice.
    Nonsense,
    /// A second nonsense word.
    MoreNonsense,
    /// Everything as it is on the page, with nothing typed.
    Nothing,
    /// Where an answer pointed.
    Follow(Url),
}

/// Why a form is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProbeRefusal {
    /// It must never be submitted.
    Veto(Veto),
    /// It may change things when it is not a search, which is what we do not know.
    Posts,
    /// Nothing in it can be filled with a word.
    NothingToFill,
    /// It is not sent over HTTP.
    NotHttp,
}

/// What came back for one request of a probe.
#[derive(Clone, Copy, Debug)]
pub struct ProbeAnswer<'a> {
    /// Status code; 0 when there was no answer.
    pub status: u16,
    /// Where a redirect points.
    pub location: Option<&'a Url>,
    /// The page, when one came.
    pub page: Option<&'a Page>,
}

/// What a probe found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProbeResult {
    /// It answers words with results, and nonsense without.
    #[serde(rename = "searches")]
    Searchable,
    /// It answers everything alike.
    #[serde(rename = "doesnot")]
    NotSearchable,
    /// The answers do not tell.
    Unclear,
}

impl Probe {
    /// Prepares to ask a form with a word that is frequent in its topic. `seed` makes the nonsense word.
    pub fn new(form: &Form, word: &str, seed: u64) -> Result<Probe, ProbeRefusal> {
        if let Some(veto) = veto(form) {
            return Err(ProbeRefusal::Veto(veto));
        }
        let target = ProbeTarget::of(form).ok_or(ProbeRefusal::NothingToFill)?;
        let first = submission(form, &target.filling(word), "utf-8");
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
            next: ProbeStep::Ask(ProbeQuery::Word),
        })
    }

    /// The same probe for a form on a page of another encoding than UTF-8.
    pub fn in_charset(self, charset: &str) -> Probe {
        Probe { charset: charset.to_string(), ..self }
    }

    /// The next request to send; `None` when the probe is over.
    pub fn next_request(&self) -> Option<Request> {
        match &self.next {
            ProbeStep::Ask(ProbeQuery::Follow(url)) => Some(Request::get(url.clone())),
            ProbeStep::Ask(question) => Some(submission(&self.form, &self.filling(question), &self.charset)),
            ProbeStep::Found(_) => None,
        }
    }

    /// Takes in the answer to the request last asked for.
    pub fn receive(&mut self, answer: ProbeAnswer<'_>) {
        let ProbeStep::Ask(question) = &self.next else { return };
        let seen = self.look(answer);
        self.seen.push((question.clone(), seen));
        self.next = self.judge();
        if self.seen.len() >= MAX_REQUESTS && matches!(self.next, ProbeStep::Ask(_)) {
            self.next = ProbeStep::Found(ProbeResult::Unclear);
        }
    }

    /// What came out, once the probe is over.
    pub fn result(&self) -> Option<ProbeResult> {
        match self.next {
            ProbeStep::Found(finding) => Some(finding),
            ProbeStep::Ask(_) => None,
        }
    }

    /// Whether a question was taken in, as an entry or a message is: then nothing more is sent.
    pub fn was_accepted_as_entry(&self) -> bool {
        self.seen.iter().any(|(_, seen)| *seen == SeenAnswer::Confirmation)
    }

    /// What answers without results look like here, if the probe found a search and saw one.
    pub fn signature(&self) -> Option<NoResultSignature> {
        let searches = self.result()? == ProbeResult::Searchable;
        if searches { NoResultSignature::learn(&self.target, self.mask(), &self.seen) } else { None }
    }

    fn filling(&self, question: &ProbeQuery) -> FilledForm {
        match (question, &self.target) {
            (ProbeQuery::Nonsense, ProbeTarget::Words(_)) => self.target.filling(&self.nonsense[0]),
            (ProbeQuery::MoreNonsense, ProbeTarget::Words(_)) => self.target.filling(&self.nonsense[1]),
            (ProbeQuery::Nonsense, ProbeTarget::Choice { .. }) => self.target.other_choice(),
            (ProbeQuery::Nothing, _) => self.target.nothing(),
            _ => self.target.filling(&self.word),
        }
    }

    /// What is not compared because the form may repeat it.
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

    fn look(&self, answer: ProbeAnswer<'_>) -> SeenAnswer {
        let keeps_method = matches!(answer.status, 307 | 308) && self.form.method == Method::Post;
        let refresh = answer.page.and_then(redirect::refresh);
        match (answer.location.filter(|_| matches!(answer.status, 300..=399)), answer.page) {
            (Some(location), _) if !keeps_method && redirect::stays(&self.form.action, location) => {
                SeenAnswer::Redirect(location.clone())
            }
            (None, Some(_)) if refresh.is_some_and(|url| redirect::stays(&self.form.action, url)) => {
                SeenAnswer::Redirect(refresh.expect("just looked at").clone())
            }
            (None, Some(page)) => SeenAnswer::of(PageDigest::of(page, answer.status, &self.mask())),
            _ => SeenAnswer::Unusable,
        }
    }
}

#[cfg(test)]
mod tests;
