//! Asking a form whether it searches: a frequent word, a nonsense word, and a look at the difference.
//!
//! A probe is a value: it says what to send next, takes in what came back, and after at most three
//! requests says what it found. Who sends the requests, when, and where they are put on record is the
//! engine's affair; the state between two requests can be stored.

use super::veto::{Veto, veto};
use crate::http::Request;
use crate::page::{Form, Page};
use serde::{Deserialize, Serialize};
use url::Url;

/// Requests one probe may send, redirects included.
pub const MOST_REQUESTS: usize = 3;

/// P(searchable) a POST form needs to be asked at all.
pub const POST_NEEDS: f32 = 0.9;

/// A form under questioning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    form: Form,
    word: String,
    nonsense: String,
    sent: usize,
}

/// Why a form is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// It must never be submitted.
    Veto(Veto),
    /// It changes things when it is not a search, and we are not sure enough that it is one.
    UnsurePost,
    /// Nothing in it can be filled with a word.
    NothingToFill,
}

/// What came back for one request of a probe.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
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
pub enum Finding {
    /// It answers words with results, and nonsense without.
    Searches,
    /// It answers everything alike.
    DoesNot,
    /// The answers do not tell.
    Unclear,
}

impl Probe {
    /// Prepares to ask a form with a word that is frequent in its topic. `seed` makes the nonsense word.
    pub fn of(form: &Form, p_searchable: f32, word: &str, seed: u64) -> Result<Probe, Refusal> {
        let _ = p_searchable;
        match veto(form) {
            Some(veto) => Err(Refusal::Veto(veto)),
            None => Ok(Probe {
                form: form.clone(),
                word: word.to_string(),
                nonsense: format!("x{seed:x}"),
                sent: 0,
            }),
        }
    }

    /// The next request to send; `None` when the probe is over.
    pub fn next(&self) -> Option<Request> {
        (self.sent < MOST_REQUESTS).then(|| Request::get(self.form.action.clone()))
    }

    /// Takes in the answer to the request last asked for.
    pub fn take(&mut self, answer: Answer<'_>) {
        let _ = answer;
        self.sent += 1;
    }

    /// What came out, once the probe is over.
    pub fn finding(&self) -> Option<Finding> {
        self.next().is_none().then_some(Finding::Unclear)
    }
}
