//! What the answers mean, and what to ask next.
//!
//! Two requests settle the usual case: the word brings something, nonsense says that nothing was
//! found. The third goes to what is still open. Pages that differ without such words are held against
//! a second nonsense word, so that what changes by itself is not taken for results; pages that are the
//! same are held against the empty query, in case the word was not a frequent one here; redirects are
//! followed where that tells most.

use super::page_digest::{ExtraContent, PageDigest, apart};
use super::redirect::{is_respelling, with_word};
use super::target::ProbeTarget;
use super::{Probe, ProbeQuery, ProbeResult};
use crate::page::FormSource;
use ProbeResult::{NotSearchable, Searchable, Unclear};
use ProbeStep::{Ask, Found};
use serde::{Deserialize, Serialize};
use url::Url;

/// What came back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum SeenAnswer {
    /// A page.
    Page(PageDigest),
    /// A redirect.
    Redirect(Url),
    /// Nothing that can be judged: no answer, an error, a wall.
    Unusable,
    /// Confirmation that an entry was accepted.
    Confirmation,
}

impl SeenAnswer {
    pub(super) fn of(glimpse: PageDigest) -> SeenAnswer {
        match glimpse {
            PageDigest { is_no_answer: true, .. } => SeenAnswer::Unusable,
            PageDigest { is_confirmation: true, .. } => SeenAnswer::Confirmation,
            page => SeenAnswer::Page(page),
        }
    }
}

/// How it goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum ProbeStep {
    /// With a request.
    Ask(ProbeQuery),
    /// Not at all.
    Found(ProbeResult),
}

/// Pages this far apart may be the same: a clock, an empty quotation.
const SAME: usize = 6;

/// A page with fewer runs of words is filled by a script, or not worth judging.
const SHELL: usize = 15;

/// Runs of words that a single result brings at least.
const ONE_RESULT: usize = 8;

impl Probe {
    /// What follows from everything seen so far.
    pub(super) fn judge(&self) -> ProbeStep {
        match &self.seen[..] {
            // Whatever it does, it is not done twice.
            _ if self.was_accepted_as_entry() => Found(NotSearchable),
            [(_, first)] => self.after_word(first),
            [(_, first), (question, second)] => self.after_two(first, question, second),
            [(_, first), (_, second), (question, SeenAnswer::Page(last))] => {
                match self.after_three(first, second, question, last) {
                    NotSearchable if self.may_be_scripted(last) => Found(Unclear),
                    finding => Found(finding),
                }
            }
            _ => Found(Unclear),
        }
    }

    fn after_word(&self, word: &SeenAnswer) -> ProbeStep {
        match word {
            SeenAnswer::Page(page) if page.is_missing => Found(Unclear),
            SeenAnswer::Page(_) => Ask(ProbeQuery::Nonsense),
            // An address that carries the word can be asked with any other, without the form.
            SeenAnswer::Redirect(to) if self.exchanged(to).is_some() => Ask(ProbeQuery::Follow(to.clone())),
            SeenAnswer::Redirect(_) => Ask(ProbeQuery::Nonsense),
            SeenAnswer::Unusable => Found(Unclear),
            SeenAnswer::Confirmation => Found(NotSearchable),
        }
    }

    fn exchanged(&self, location: &Url) -> Option<Url> {
        match &self.target {
            ProbeTarget::Words(_) => with_word(location, &self.word, &self.nonsense[0]),
            ProbeTarget::Choice { one, other, .. } => with_word(location, one, other),
        }
    }

    fn emptied(&self, location: &Url) -> Option<Url> {
        match &self.target {
            ProbeTarget::Words(_) => with_word(location, &self.word, ""),
            ProbeTarget::Choice { one, .. } => with_word(location, one, ""),
        }
    }

    fn after_two(&self, first: &SeenAnswer, question: &ProbeQuery, second: &SeenAnswer) -> ProbeStep {
        match (first, question, second) {
            // Where the word finds nothing, nonsense would tell no more.
            (SeenAnswer::Redirect(to), ProbeQuery::Follow(_), SeenAnswer::Page(word)) => {
                let other = if word.is_empty { self.emptied(to) } else { self.exchanged(to) };
                other.map_or(Found(Unclear), |url| Ask(ProbeQuery::Follow(url)))
            }
            (SeenAnswer::Redirect(one), ProbeQuery::Nonsense, SeenAnswer::Redirect(other)) => {
                Ask(ProbeQuery::Follow(if one == other { one } else { other }.clone()))
            }
            (SeenAnswer::Redirect(to), ProbeQuery::Nonsense, SeenAnswer::Page(_))
            | (SeenAnswer::Page(_), _, SeenAnswer::Redirect(to)) => Ask(ProbeQuery::Follow(to.clone())),
            (SeenAnswer::Page(word), _, SeenAnswer::Page(nonsense)) => self.after_pages(word, nonsense),
            _ => Found(Unclear),
        }
    }

    fn after_pages(&self, word: &PageDigest, nonsense: &PageDigest) -> ProbeStep {
        if apart(word, nonsense) <= SAME {
            return Ask(ProbeQuery::Nothing);
        }
        match (&self.target, word.is_empty, nonsense.is_empty) {
            (_, false, true) | (ProbeTarget::Choice { .. }, true, false) => Found(Searchable),
            (ProbeTarget::Words(_), ..) => Ask(ProbeQuery::MoreNonsense),
            (ProbeTarget::Choice { .. }, ..) => Ask(ProbeQuery::Word),
        }
    }

    fn after_three(
        &self,
        first: &SeenAnswer,
        second: &SeenAnswer,
        question: &ProbeQuery,
        last: &PageDigest,
    ) -> ProbeResult {
        match (first, second, question) {
            (SeenAnswer::Page(word), SeenAnswer::Page(nonsense), ProbeQuery::Nothing) => {
                against_nothing(word, nonsense, last)
            }
            (SeenAnswer::Page(word), SeenAnswer::Page(nonsense), ProbeQuery::MoreNonsense) => against_noise(
                word,
                nonsense,
                ExtraContent::of(word, last),
                apart(word, last),
                apart(nonsense, last),
            ),
            (SeenAnswer::Page(one), SeenAnswer::Page(other), ProbeQuery::Word) => {
                against_noise(one, other, lists(one, other), apart(last, other), apart(one, last))
            }
            (SeenAnswer::Redirect(one), SeenAnswer::Redirect(other), _) if one == other => {
                self.same_place(one, last)
            }
            (SeenAnswer::Redirect(_), SeenAnswer::Redirect(_), _) if last.is_empty => Searchable,
            (SeenAnswer::Redirect(_), SeenAnswer::Page(nonsense), _)
                if self.seen[1].0 == ProbeQuery::Nonsense =>
            {
                only_hit(last, nonsense)
            }
            (SeenAnswer::Redirect(_), SeenAnswer::Page(word), _) if word.is_empty => {
                against_nothing(word, word, last)
            }
            (SeenAnswer::Redirect(_), SeenAnswer::Page(word), _)
            | (SeenAnswer::Page(word), SeenAnswer::Redirect(_), _) => at_last(word, last),
            _ => Unclear,
        }
    }

    /// Whether a script in the page may show what the page itself does not: then pages that are alike
    /// prove nothing.
    fn may_be_scripted(&self, page: &PageDigest) -> bool {
        self.form.source == FormSource::Script || !self.form.names_action || page.shingles.len() < SHELL
    }

    /// Word and nonsense lead to one place: the question does not matter, unless it was lost on the way.
    fn same_place(&self, location: &Url, page: &PageDigest) -> ProbeResult {
        let lost = is_respelling(&self.form.action, location) || page.is_empty;
        if lost { Unclear } else { NotSearchable }
    }
}

/// Word and nonsense gave the same page. If the empty query does too, all is alike; if it lists what
/// there is, the word was merely rare here.
fn against_nothing(word: &PageDigest, nonsense: &PageDigest, nothing: &PageDigest) -> ProbeResult {
    let says_none = word.is_empty || nonsense.is_empty;
    if apart(word, nothing) <= SAME {
        return if says_none { Unclear } else { NotSearchable };
    }
    let gain = ExtraContent::of(nothing, word);
    let counts = nothing.total > Some(0) && word.total.is_none_or(|total| total == 0);
    let lists = gain.together >= 3 && !nothing.is_empty;
    if (says_none && (lists || counts)) || (counts && lists) { Searchable } else { Unclear }
}

/// Holds the difference that the question makes against the one that comes by itself.
fn against_noise(
    word: &PageDigest,
    nonsense: &PageDigest,
    gain: ExtraContent,
    signal: usize,
    noise: usize,
) -> ProbeResult {
    let signal = signal.min(apart(word, nonsense));
    let brings = gain.links >= 1 || gain.text >= ONE_RESULT;
    let size = word.shingles.len().max(nonsense.shingles.len());
    if signal > 3 * noise + SAME && brings {
        Searchable
    } else if signal <= noise + noise / 2 + SAME && noise <= size / 6 {
        NotSearchable
    } else {
        Unclear
    }
}

/// What two choices have of their own; nothing when neither is a list.
fn lists(one: &PageDigest, other: &PageDigest) -> ExtraContent {
    let (a, b) = (ExtraContent::of(one, other), ExtraContent::of(other, one));
    let has_list = one.is_list || other.is_list || a.together.max(b.together) >= 2;
    match has_list {
        true if a.links + a.text >= b.links + b.text => a,
        true => b,
        false => ExtraContent::default(),
    }
}

/// The word leads to a page of its own, nonsense to none.
fn only_hit(hit: &PageDigest, nonsense: &PageDigest) -> ProbeResult {
    let differs = apart(hit, nonsense) > 3 * SAME;
    if differs && !hit.is_empty { Searchable } else { Unclear }
}

/// Two pages and no more questions: only what is plain to see counts.
fn at_last(word: &PageDigest, nonsense: &PageDigest) -> ProbeResult {
    let (gain, loss) = (ExtraContent::of(word, nonsense), ExtraContent::of(nonsense, word));
    let differs = apart(word, nonsense) > SAME;
    let lists = gain.together >= 3 && loss.links == 0 && loss.text <= gain.text / 2;
    if differs && !word.is_empty && (nonsense.is_empty || lists) { Searchable } else { Unclear }
}
