//! What kind of page an answer is: results, one record, nothing found, an error, a wall, thanks for an entry.
//!
//! Signals are read off the page alone and say how sure they are and why. None of them excludes
//! another: a page may say that nothing was found and list what others liked. Who asked the question
//! and knows what else came back ([`crate::critic::probe`]) can tell more.

mod counts;
mod lists;
mod non_answers;
mod phrases;

pub use counts::{StatedCount, stated_counts, stated_total};

use super::phrase_set::normalise_prefix;
use crate::page::Page;
use lists::{pager, repeated};
use serde::{Deserialize, Serialize};

/// How sure a signal is, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// From 0, no sign of it, to 1, beyond doubt.
    pub score: f32,
    /// A few words a person can check; empty without a sign.
    pub evidence: String,
}

impl Signal {
    /// Whether it is more likely so than not.
    pub fn holds(&self) -> bool {
        self.score >= 0.5
    }

    /// Adds an independent sign: doubt is multiplied by the doubt that is left.
    fn add(&mut self, score: f32, evidence: &str) {
        self.score = 1.0 - (1.0 - self.score) * (1.0 - score.clamp(0.0, 1.0));
        if !self.evidence.is_empty() {
            self.evidence.push_str("; ");
        }
        self.evidence.push_str(evidence);
    }

    fn weaken(&mut self, by: f32) {
        self.score *= by;
    }
}

/// What a page may be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageKinds {
    /// A list of results.
    pub results: Signal,
    /// One record.
    pub detail: Signal,
    /// An answer that nothing was found.
    pub no_results: Signal,
    /// An error of the server or of the request.
    pub error: Signal,
    /// Nothing is shown to those who are not logged in.
    pub login_wall: Signal,
    /// A page that does not exist, with a status that says it does.
    pub soft_404: Signal,
    /// The server wants to be asked less often.
    pub rate_limit: Signal,
    /// The server wants to see a person.
    pub captcha: Signal,
    /// What was sent was taken in: no question was answered, something was done.
    #[serde(rename = "taken_in")]
    pub confirmation: Signal,
    /// How many results there are, where the page says so.
    pub total: Option<u64>,
}

impl PageKinds {
    /// Whether it answers no question at all: an error or a wall.
    pub fn is_no_answer(&self) -> bool {
        [&self.error, &self.login_wall, &self.rate_limit, &self.captcha].iter().any(|signal| signal.holds())
    }
}

/// Bytes of text that are read for phrases: what a page is stands near its top.
const READ: usize = 48 << 10;

/// The signals of a page that came with a status code.
pub fn page_kinds(page: &Page, status: u16) -> PageKinds {
    let text = normalise_prefix(&page.text, READ);
    let title = normalise_prefix(&page.title, READ);
    let total = stated_total(&page.text);
    let mut kinds = PageKinds {
        no_results: no_results(&text, total),
        error: non_answers::error(&text, &title, status),
        login_wall: non_answers::login(page, &text, &title, status),
        soft_404: non_answers::soft_404(&text, &title, status),
        rate_limit: non_answers::rate_limit(&text, &title, status),
        captcha: non_answers::captcha(page, &text, &title, status),
        confirmation: non_answers::confirmation(&text, &title),
        total,
        ..PageKinds::default()
    };
    kinds.results = results(page, &kinds);
    kinds.confirmation.weaken(1.0 - 0.8 * kinds.results.score);
    kinds.detail = detail(page, &title, &text, &kinds);
    kinds
}

fn no_results(text: &str, total: Option<u64>) -> Signal {
    let mut signal = Signal::default();
    if let Some(phrase) = phrases::NO_RESULTS.first(text) {
        signal.add(0.85, phrase);
    }
    match total {
        Some(0) => signal.add(0.9, "a count of zero"),
        Some(_) => signal.weaken(0.4),
        None => {}
    }
    signal
}

fn results(page: &Page, kinds: &PageKinds) -> Signal {
    let mut signal = Signal::default();
    if let Some(total) = kinds.total.filter(|total| *total > 0) {
        signal.add(0.5, &format!("a count of {total}"));
    }
    if let Some(group) = repeated(page) {
        let size = group.links.min(10) as f32 / 10.0;
        signal.add(0.25 + 0.3 * size, &format!("{} links alike", group.links));
    }
    if let Some(sign) = pager(page) {
        signal.add(0.4, sign);
    }
    for other in [&kinds.no_results, &kinds.error, &kinds.soft_404, &kinds.captcha, &kinds.login_wall] {
        signal.weaken(1.0 - 0.8 * other.score);
    }
    signal
}

/// One record: a title of its own that the text repeats, more text than links, nothing to page through.
fn detail(page: &Page, title: &str, text: &str, kinds: &PageKinds) -> Signal {
    let mut signal = Signal::default();
    let words: Vec<&str> = title.split(' ').filter(|word| word.chars().count() > 3).collect();
    let repeats = words.iter().filter(|word| text.matches(*word).take(2).count() == 2).count();
    if words.len() >= 2 && repeats * 2 > words.len() {
        signal.add(0.4, "the text repeats the title");
    }
    let per_link = page.text.len() / page.links.len().max(1);
    if per_link > 80 {
        signal.add(0.3, "much text, few links");
    }
    let pairs = page.text.split_whitespace().take(2_000).filter(|word| word.len() > 2 && word.ends_with(':'));
    if pairs.count() >= 4 {
        signal.add(0.3, "names and values");
    }
    for other in [&kinds.results, &kinds.no_results, &kinds.error, &kinds.soft_404, &kinds.captcha] {
        signal.weaken(1.0 - 0.8 * other.score);
    }
    signal
}

#[cfg(test)]
mod tests;
