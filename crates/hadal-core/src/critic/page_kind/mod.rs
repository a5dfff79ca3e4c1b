//! Kind of an answer page: result list, record, nothing found, error, login page, captcha and others.
//!
//! Each kind has a score and evidence, computed from the page and its status code alone. Kinds do not exclude each
//! other: a page may state that nothing was found and list recommendations. [`crate::critic::probe`] compares
//! several answers and is more reliable. All scores are guesses.

mod counts;
mod lists;
mod non_answers;
mod phrases;
mod waits;

pub use counts::{StatedCount, stated_counts, stated_total};
pub use waits::stated_wait;

use super::phrase_set::normalise_prefix;
use crate::page::Page;
use lists::{largest_link_list, pager};
use serde::{Deserialize, Serialize};

/// Score and evidence for one kind of page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// From 0 (no evidence) to 1 (certain).
    pub score: f32,
    /// Reasons for the score, for people to check. Empty without evidence.
    pub evidence: String,
}

impl Signal {
    /// True if the score is at least 0.5.
    pub fn holds(&self) -> bool {
        self.score >= 0.5
    }

    /// Adds independent evidence: `1 - score` becomes `(1 - score) * (1 - new score)`.
    fn add(&mut self, score: f32, evidence: &str) {
        self.score = 1.0 - (1.0 - self.score) * (1.0 - score.clamp(0.0, 1.0));
        if !self.evidence.is_empty() {
            self.evidence.push_str("; ");
        }
        self.evidence.push_str(evidence);
    }

    /// Multiplies the score by a factor of at most 1.
    fn weaken(&mut self, by: f32) {
        self.score *= by;
    }
}

/// Scores for all kinds of pages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageKinds {
    /// List of search results.
    pub results: Signal,
    /// Detail page of one record.
    pub detail: Signal,
    /// Page that states that nothing was found.
    pub no_results: Signal,
    /// Error of the server or the request.
    pub error: Signal,
    /// Login page instead of an answer.
    pub login_wall: Signal,
    /// Error page for a missing page, with status 200.
    pub soft_404: Signal,
    /// Too many requests.
    pub rate_limit: Signal,
    /// Captcha instead of an answer.
    pub captcha: Signal,
    /// Confirmation of an entry, message or order.
    #[serde(rename = "taken_in")]
    pub confirmation: Signal,
    /// Total that the page states.
    pub total: Option<u64>,
}

impl PageKinds {
    /// True for an error, a login page, a rate limit or a captcha.
    pub fn is_no_answer(&self) -> bool {
        [&self.error, &self.login_wall, &self.rate_limit, &self.captcha].iter().any(|signal| signal.holds())
    }
}

/// Maximum number of bytes of text that are searched for phrases. Guess.
const MAX_TEXT: usize = 48 << 10;

/// Scores a page that was returned with a status code.
pub fn page_kinds(page: &Page, status: u16) -> PageKinds {
    answer_kinds(page, status, &page.text, "")
}

/// Scores the answer to a query.
///
/// `message` is the part of the page's text that may hold a message of the site, and `words` are the query's
/// words. Messages are searched in `message` and in the title, both without `words`. So the words of a record
/// or of the query are not mistaken for a message.
pub fn answer_kinds(page: &Page, status: u16, message: &str, words: &str) -> PageKinds {
    let text = normalise_prefix(&page.text, MAX_TEXT);
    let title = normalise_prefix(&page.title, MAX_TEXT);
    let total = stated_total(message);
    let is_short = text.len() < non_answers::SHORT_TEXT;
    let normalised = normalise_prefix(message, MAX_TEXT);
    let no_results = no_results(&normalised, total);
    let message = if is_short { without_words(&normalised, words) } else { String::new() };
    let heading = without_words(&title, words);
    let mut kinds = PageKinds {
        no_results,
        error: non_answers::error(&message, &heading, status),
        login_wall: non_answers::login(page, &message, &heading, status),
        soft_404: non_answers::soft_404(&message, &heading, status),
        rate_limit: non_answers::rate_limit(&message, &heading, status),
        captcha: non_answers::captcha(page, &message, &heading, status),
        confirmation: non_answers::confirmation(&message, &heading),
        total,
        ..PageKinds::default()
    };
    kinds.results = results(page, &kinds);
    kinds.confirmation.weaken(1.0 - 0.8 * kinds.results.score);
    kinds.detail = detail(page, &title, &text, &kinds);
    kinds
}

/// Normalised text without the words of a query.
fn without_words(text: &str, words: &str) -> String {
    let words = normalise_prefix(words, MAX_TEXT);
    let words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
    let kept = text.split(' ').filter(|word| !words.contains(word));
    kept.collect::<Vec<&str>>().join(" ")
}

/// Returns true if a text says that nothing matches, such as "No topics found".
pub fn states_no_results(text: &str) -> bool {
    no_results_phrase(&normalise_prefix(text, MAX_TEXT)).is_some()
}

fn no_results_phrase(text: &str) -> Option<&'static str> {
    phrases::NO_RESULTS.first(text).or_else(|| states_none_found(text).then_some("none of a kind found"))
}

/// Returns true for "no", one word for the records, and "found".
fn states_none_found(text: &str) -> bool {
    text.match_indices(" no ").any(|(at, no)| text[at + no.len()..].split(' ').nth(1) == Some("found"))
}

fn no_results(text: &str, total: Option<u64>) -> Signal {
    let mut signal = Signal::default();
    if let Some(phrase) = no_results_phrase(text) {
        signal.add(0.85, phrase);
    }
    match total {
        Some(0) => signal.add(0.9, "total of 0"),
        Some(_) => signal.weaken(0.4),
        None => {}
    }
    signal
}

fn results(page: &Page, kinds: &PageKinds) -> Signal {
    let mut signal = Signal::default();
    if let Some(total) = kinds.total.filter(|total| *total > 0) {
        signal.add(0.5, &format!("total of {total}"));
    }
    if let Some(links) = largest_link_list(page) {
        let size = links.min(10) as f32 / 10.0;
        signal.add(0.25 + 0.3 * size, &format!("{links} similar links"));
    }
    if let Some(evidence) = pager(page) {
        signal.add(0.4, evidence);
    }
    for other in [&kinds.no_results, &kinds.error, &kinds.soft_404, &kinds.captcha, &kinds.login_wall] {
        signal.weaken(1.0 - 0.8 * other.score);
    }
    signal
}

/// Detail page of one record: the text repeats the title, has few links, and contains labelled values.
fn detail(page: &Page, title: &str, text: &str, kinds: &PageKinds) -> Signal {
    let mut signal = Signal::default();
    let words: Vec<&str> = title.split(' ').filter(|word| word.chars().count() > 3).collect();
    let repeats = words.iter().filter(|word| text.matches(*word).take(2).count() == 2).count();
    if words.len() >= 2 && repeats * 2 > words.len() {
        signal.add(0.4, "text repeats the title");
    }
    let per_link = page.text.len() / page.links.len().max(1);
    if per_link > 80 {
        signal.add(0.3, "much text, few links");
    }
    let pairs = page.text.split_whitespace().take(2_000).filter(|word| word.len() > 2 && word.ends_with(':'));
    if pairs.count() >= 4 {
        signal.add(0.3, "labelled values");
    }
    for other in [&kinds.results, &kinds.no_results, &kinds.error, &kinds.soft_404, &kinds.captcha] {
        signal.weaken(1.0 - 0.8 * other.score);
    }
    signal
}

#[cfg(test)]
mod tests;
