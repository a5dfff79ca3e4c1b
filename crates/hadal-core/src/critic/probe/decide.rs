//! Choice of the next query of a probe, and its result.
//!
//! In the usual case two requests are enough: the word returns results, and the answer to nonsense states that
//! nothing was found. Otherwise a third request follows:
//!
//! - Pages differ, but none states that nothing was found: send a second nonsense word. It shows the difference
//!   between two pages that is not due to the query.
//! - Pages are equal: send the empty query, in case the word is rare in this database.
//! - An answer is a redirect: follow it.
//!
//! All thresholds are guesses, checked against the back ends of the simulated web.

use super::page_digest::{ExtraContent, PageDigest, distance};
use super::redirect::{drops_query, replace_word};
use super::target::ProbeTarget;
use super::{Probe, ProbeQuery, ProbeResult};
use crate::page::FormSource;
use ProbeResult::{NotSearchable, Searchable, Unclear};
use ProbeStep::{Done, Send};
use serde::{Deserialize, Serialize};
use url::Url;

/// Answer, reduced to the data that decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum AnswerDigest {
    /// Page that can be compared.
    Page(PageDigest),
    /// Redirect within the site.
    Redirect(Url),
    /// No page, an error, a login page, a rate limit, a captcha, or a redirect to another site.
    Unusable,
    /// Page that confirms an entry.
    Confirmation,
}

impl AnswerDigest {
    pub(super) fn of(digest: PageDigest) -> AnswerDigest {
        match digest {
            PageDigest { is_no_answer: true, .. } => AnswerDigest::Unusable,
            PageDigest { is_confirmation: true, .. } => AnswerDigest::Confirmation,
            page => AnswerDigest::Page(page),
        }
    }
}

/// Next step of a probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum ProbeStep {
    /// Send a request.
    Send(ProbeQuery),
    /// End with a result.
    Done(ProbeResult),
}

/// Distance up to which two pages count as equal, in shingles; a link counts for three. Allows for a clock or
/// a repeated query.
const EQUAL_DISTANCE: usize = 6;

/// A page with fewer shingles is probably filled by a script. Guess.
const MIN_PAGE_SHINGLES: usize = 15;

/// Least number of shingles that a single result adds to a page. Guess.
const MIN_RESULT_SHINGLES: usize = 8;

impl Probe {
    /// Decides the next step from all answers so far.
    pub(super) fn decide(&self) -> ProbeStep {
        match &self.seen[..] {
            // The form accepts entries: send nothing more.
            _ if self.was_accepted_as_entry() => Done(NotSearchable),
            [(_, first)] => self.after_word(first),
            [(_, first), (query, second)] => self.after_two(first, query, second),
            [(_, first), (_, second), (query, AnswerDigest::Page(last))] => {
                match self.after_three(first, second, query, last) {
                    NotSearchable if self.may_be_scripted(last) => Done(Unclear),
                    result => Done(result),
                }
            }
            _ => Done(Unclear),
        }
    }

    fn after_word(&self, word: &AnswerDigest) -> ProbeStep {
        match word {
            AnswerDigest::Page(page) if page.is_missing => Done(Unclear),
            AnswerDigest::Page(_) => Send(ProbeQuery::Nonsense),
            // A URL that contains the word can be sent with another word, without the form.
            AnswerDigest::Redirect(to) if self.url_with_nonsense(to).is_some() => {
                Send(ProbeQuery::Follow(to.clone()))
            }
            AnswerDigest::Redirect(_) => Send(ProbeQuery::Nonsense),
            AnswerDigest::Unusable => Done(Unclear),
            AnswerDigest::Confirmation => Done(NotSearchable),
        }
    }

    fn url_with_nonsense(&self, location: &Url) -> Option<Url> {
        match &self.target {
            ProbeTarget::Words(_) => replace_word(location, &self.word, &self.nonsense[0]),
            ProbeTarget::Choice { one, other, .. } => replace_word(location, one, other),
        }
    }

    fn url_with_empty_query(&self, location: &Url) -> Option<Url> {
        match &self.target {
            ProbeTarget::Words(_) => replace_word(location, &self.word, ""),
            ProbeTarget::Choice { one, .. } => replace_word(location, one, ""),
        }
    }

    fn after_two(&self, first: &AnswerDigest, query: &ProbeQuery, second: &AnswerDigest) -> ProbeStep {
        match (first, query, second) {
            // If the word finds nothing, nonsense gives no information: send the empty query.
            (AnswerDigest::Redirect(to), ProbeQuery::Follow(_), AnswerDigest::Page(word)) => {
                let other = if word.has_no_results {
                    self.url_with_empty_query(to)
                } else {
                    self.url_with_nonsense(to)
                };
                other.map_or(Done(Unclear), |url| Send(ProbeQuery::Follow(url)))
            }
            (AnswerDigest::Redirect(one), ProbeQuery::Nonsense, AnswerDigest::Redirect(other)) => {
                Send(ProbeQuery::Follow(if one == other { one } else { other }.clone()))
            }
            (AnswerDigest::Redirect(to), ProbeQuery::Nonsense, AnswerDigest::Page(_))
            | (AnswerDigest::Page(_), _, AnswerDigest::Redirect(to)) => Send(ProbeQuery::Follow(to.clone())),
            (AnswerDigest::Page(word), _, AnswerDigest::Page(nonsense)) => self.after_pages(word, nonsense),
            _ => Done(Unclear),
        }
    }

    fn after_pages(&self, word: &PageDigest, nonsense: &PageDigest) -> ProbeStep {
        if distance(word, nonsense) <= EQUAL_DISTANCE {
            return Send(ProbeQuery::Empty);
        }
        match (&self.target, word.has_no_results, nonsense.has_no_results) {
            (_, false, true) | (ProbeTarget::Choice { .. }, true, false) => Done(Searchable),
            (ProbeTarget::Words(_), ..) => Send(ProbeQuery::SecondNonsense),
            (ProbeTarget::Choice { .. }, ..) => Send(ProbeQuery::Word),
        }
    }

    fn after_three(
        &self,
        first: &AnswerDigest,
        second: &AnswerDigest,
        query: &ProbeQuery,
        last: &PageDigest,
    ) -> ProbeResult {
        match (first, second, query) {
            (AnswerDigest::Page(word), AnswerDigest::Page(nonsense), ProbeQuery::Empty) => {
                compare_with_empty(word, nonsense, last)
            }
            (AnswerDigest::Page(word), AnswerDigest::Page(nonsense), ProbeQuery::SecondNonsense) => {
                compare_with_noise(
                    word,
                    nonsense,
                    ExtraContent::of(word, last),
                    distance(word, last),
                    distance(nonsense, last),
                )
            }
            (AnswerDigest::Page(one), AnswerDigest::Page(other), ProbeQuery::Word) => compare_with_noise(
                one,
                other,
                extra_of_options(one, other),
                distance(last, other),
                distance(one, last),
            ),
            (AnswerDigest::Redirect(one), AnswerDigest::Redirect(other), _) if one == other => {
                self.same_redirect(one, last)
            }
            (AnswerDigest::Redirect(_), AnswerDigest::Redirect(_), _) if last.has_no_results => Searchable,
            (AnswerDigest::Redirect(_), AnswerDigest::Page(nonsense), _)
                if self.seen[1].0 == ProbeQuery::Nonsense =>
            {
                compare_single_match(last, nonsense)
            }
            (AnswerDigest::Redirect(_), AnswerDigest::Page(word), _) if word.has_no_results => {
                compare_with_empty(word, word, last)
            }
            (AnswerDigest::Redirect(_), AnswerDigest::Page(word), _)
            | (AnswerDigest::Page(word), AnswerDigest::Redirect(_), _) => compare_two(word, last),
            _ => Unclear,
        }
    }

    /// True if a script may load the results. Then equal pages prove nothing.
    fn may_be_scripted(&self, page: &PageDigest) -> bool {
        self.form.source == FormSource::Script
            || !self.form.names_action
            || page.shingles.len() < MIN_PAGE_SHINGLES
    }

    /// Word and nonsense redirect to the same URL. The form does not search, unless the redirect dropped the query.
    fn same_redirect(&self, location: &Url, page: &PageDigest) -> ProbeResult {
        let is_lost = drops_query(&self.form.action, location) || page.has_no_results;
        if is_lost { Unclear } else { NotSearchable }
    }
}

/// Word and nonsense returned equal pages. If the empty query returns the same page, the form does not search. If it
/// lists records, the form searches and the word is rare.
fn compare_with_empty(word: &PageDigest, nonsense: &PageDigest, empty: &PageDigest) -> ProbeResult {
    let states_none = word.has_no_results || nonsense.has_no_results;
    if distance(word, empty) <= EQUAL_DISTANCE {
        return if states_none { Unclear } else { NotSearchable };
    }
    let extra = ExtraContent::of(empty, word);
    let counts = empty.total > Some(0) && word.total.is_none_or(|total| total == 0);
    let lists = extra.links_in_one_place >= 3 && !empty.has_no_results;
    if (states_none && (lists || counts)) || (counts && lists) { Searchable } else { Unclear }
}

/// Compares the difference due to the query (`signal`) with the difference between two answers to equivalent queries
/// (`noise`). `extra` is the content that the query adds.
///
/// The form is searchable if `signal > 3 noise + 6` and the query adds a result. It is not searchable if
/// `signal <= 1.5 noise + 6` and `noise` is at most a sixth of the page.
fn compare_with_noise(
    word: &PageDigest,
    nonsense: &PageDigest,
    extra: ExtraContent,
    signal: usize,
    noise: usize,
) -> ProbeResult {
    let signal = signal.min(distance(word, nonsense));
    let adds_result = extra.links >= 1 || extra.shingles >= MIN_RESULT_SHINGLES;
    let size = word.shingles.len().max(nonsense.shingles.len());
    if signal > 3 * noise + EQUAL_DISTANCE && adds_result {
        Searchable
    } else if signal <= noise + noise / 2 + EQUAL_DISTANCE && noise <= size / 6 {
        NotSearchable
    } else {
        Unclear
    }
}

/// Content of the answer to one option that the answer to the other lacks. Empty if neither is a list.
fn extra_of_options(one: &PageDigest, other: &PageDigest) -> ExtraContent {
    let (a, b) = (ExtraContent::of(one, other), ExtraContent::of(other, one));
    let has_list = one.is_list || other.is_list || a.links_in_one_place.max(b.links_in_one_place) >= 2;
    match has_list {
        true if a.links + a.shingles >= b.links + b.shingles => a,
        true => b,
        false => ExtraContent::default(),
    }
}

/// The word redirects to a page, probably the only match; nonsense does not redirect.
fn compare_single_match(hit: &PageDigest, nonsense: &PageDigest) -> ProbeResult {
    let differs = distance(hit, nonsense) > 3 * EQUAL_DISTANCE;
    if differs && !hit.has_no_results { Searchable } else { Unclear }
}

/// Compares the answers to word and nonsense when no request is left. Only clear differences count.
fn compare_two(word: &PageDigest, nonsense: &PageDigest) -> ProbeResult {
    let (extra, loss) = (ExtraContent::of(word, nonsense), ExtraContent::of(nonsense, word));
    let differs = distance(word, nonsense) > EQUAL_DISTANCE;
    let lists = extra.links_in_one_place >= 3 && loss.links == 0 && loss.shingles <= extra.shingles / 2;
    if differs && !word.has_no_results && (nonsense.has_no_results || lists) { Searchable } else { Unclear }
}
