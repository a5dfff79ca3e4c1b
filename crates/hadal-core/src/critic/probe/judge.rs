//! What the answers mean, and what to ask next.
//!
//! Two requests settle the usual case: the word brings something, nonsense says that nothing was
//! found. The third goes to what is still open. Pages that differ without such words are held against
//! a second nonsense word, so that what changes by itself is not taken for results; pages that are the
//! same are held against the empty query, in case the word was not a frequent one here; redirects are
//! followed where that tells most.

use super::glimpse::{Gain, Glimpse, apart};
use super::redirect::{is_respelling, with_word};
use super::target::Target;
use super::{Finding, Probe, Question};
use crate::page::FormSource;
use Finding::{DoesNot, Searches, Unclear};
use Next::{Ask, Found};
use serde::{Deserialize, Serialize};
use url::Url;

/// What came back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Seen {
    /// A page.
    Page(Glimpse),
    /// A redirect.
    Elsewhere(Url),
    /// Nothing that can be judged: no answer, an error, a wall.
    Nothing,
    /// Thanks for what was sent.
    Thanks,
}

impl Seen {
    pub(super) fn of(glimpse: Glimpse) -> Seen {
        match glimpse {
            Glimpse { is_no_answer: true, .. } => Seen::Nothing,
            Glimpse { is_taken_in: true, .. } => Seen::Thanks,
            page => Seen::Page(page),
        }
    }
}

/// How it goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Next {
    /// With a request.
    Ask(Question),
    /// Not at all.
    Found(Finding),
}

/// Pages this far apart may be the same: a clock, an empty quotation.
const SAME: usize = 6;

/// A page with fewer runs of words is filled by a script, or not worth judging.
const SHELL: usize = 15;

/// Runs of words that a single result brings at least.
const ONE_RESULT: usize = 8;

impl Probe {
    /// What follows from everything seen so far.
    pub(super) fn judge(&self) -> Next {
        match &self.seen[..] {
            // Whatever it does, it is not done twice.
            _ if self.was_taken_in() => Found(DoesNot),
            [(_, first)] => self.after_word(first),
            [(_, first), (question, second)] => self.after_two(first, question, second),
            [(_, first), (_, second), (question, Seen::Page(last))] => {
                match self.after_three(first, second, question, last) {
                    DoesNot if self.may_be_scripted(last) => Found(Unclear),
                    finding => Found(finding),
                }
            }
            _ => Found(Unclear),
        }
    }

    fn after_word(&self, word: &Seen) -> Next {
        match word {
            Seen::Page(page) if page.is_missing => Found(Unclear),
            Seen::Page(_) => Ask(Question::Nonsense),
            // An address that carries the word can be asked with any other, without the form.
            Seen::Elsewhere(to) if self.exchanged(to).is_some() => Ask(Question::Follow(to.clone())),
            Seen::Elsewhere(_) => Ask(Question::Nonsense),
            Seen::Nothing => Found(Unclear),
            Seen::Thanks => Found(DoesNot),
        }
    }

    fn exchanged(&self, location: &Url) -> Option<Url> {
        match &self.target {
            Target::Words(_) => with_word(location, &self.word, &self.nonsense[0]),
            Target::Choice { one, other, .. } => with_word(location, one, other),
        }
    }

    fn emptied(&self, location: &Url) -> Option<Url> {
        match &self.target {
            Target::Words(_) => with_word(location, &self.word, ""),
            Target::Choice { one, .. } => with_word(location, one, ""),
        }
    }

    fn after_two(&self, first: &Seen, question: &Question, second: &Seen) -> Next {
        match (first, question, second) {
            // Where the word finds nothing, nonsense would tell no more.
            (Seen::Elsewhere(to), Question::Follow(_), Seen::Page(word)) => {
                let other = if word.is_empty { self.emptied(to) } else { self.exchanged(to) };
                other.map_or(Found(Unclear), |url| Ask(Question::Follow(url)))
            }
            (Seen::Elsewhere(one), Question::Nonsense, Seen::Elsewhere(other)) => {
                Ask(Question::Follow(if one == other { one } else { other }.clone()))
            }
            (Seen::Elsewhere(to), Question::Nonsense, Seen::Page(_))
            | (Seen::Page(_), _, Seen::Elsewhere(to)) => Ask(Question::Follow(to.clone())),
            (Seen::Page(word), _, Seen::Page(nonsense)) => self.after_pages(word, nonsense),
            _ => Found(Unclear),
        }
    }

    fn after_pages(&self, word: &Glimpse, nonsense: &Glimpse) -> Next {
        if apart(word, nonsense) <= SAME {
            return Ask(Question::Nothing);
        }
        match (&self.target, word.is_empty, nonsense.is_empty) {
            (_, false, true) | (Target::Choice { .. }, true, false) => Found(Searches),
            (Target::Words(_), ..) => Ask(Question::MoreNonsense),
            (Target::Choice { .. }, ..) => Ask(Question::Word),
        }
    }

    fn after_three(&self, first: &Seen, second: &Seen, question: &Question, last: &Glimpse) -> Finding {
        match (first, second, question) {
            (Seen::Page(word), Seen::Page(nonsense), Question::Nothing) => {
                against_nothing(word, nonsense, last)
            }
            (Seen::Page(word), Seen::Page(nonsense), Question::MoreNonsense) => {
                against_noise(word, nonsense, Gain::of(word, last), apart(word, last), apart(nonsense, last))
            }
            (Seen::Page(one), Seen::Page(other), Question::Word) => {
                against_noise(one, other, lists(one, other), apart(last, other), apart(one, last))
            }
            (Seen::Elsewhere(one), Seen::Elsewhere(other), _) if one == other => self.same_place(one, last),
            (Seen::Elsewhere(_), Seen::Elsewhere(_), _) if last.is_empty => Searches,
            (Seen::Elsewhere(_), Seen::Page(nonsense), _) if self.seen[1].0 == Question::Nonsense => {
                only_hit(last, nonsense)
            }
            (Seen::Elsewhere(_), Seen::Page(word), _) if word.is_empty => against_nothing(word, word, last),
            (Seen::Elsewhere(_), Seen::Page(word), _) | (Seen::Page(word), Seen::Elsewhere(_), _) => {
                at_last(word, last)
            }
            _ => Unclear,
        }
    }

    /// Whether a script in the page may show what the page itself does not: then pages that are alike
    /// prove nothing.
    fn may_be_scripted(&self, page: &Glimpse) -> bool {
        self.form.source == FormSource::Script || !self.form.names_action || page.shingles.len() < SHELL
    }

    /// Word and nonsense lead to one place: the question does not matter, unless it was lost on the way.
    fn same_place(&self, location: &Url, page: &Glimpse) -> Finding {
        let lost = is_respelling(&self.form.action, location) || page.is_empty;
        if lost { Unclear } else { DoesNot }
    }
}

/// Word and nonsense gave the same page. If the empty query does too, all is alike; if it lists what
/// there is, the word was merely rare here.
fn against_nothing(word: &Glimpse, nonsense: &Glimpse, nothing: &Glimpse) -> Finding {
    let says_none = word.is_empty || nonsense.is_empty;
    if apart(word, nothing) <= SAME {
        return if says_none { Unclear } else { DoesNot };
    }
    let gain = Gain::of(nothing, word);
    let counts = nothing.total > Some(0) && word.total.is_none_or(|total| total == 0);
    let lists = gain.together >= 3 && !nothing.is_empty;
    if (says_none && (lists || counts)) || (counts && lists) { Searches } else { Unclear }
}

/// Holds the difference that the question makes against the one that comes by itself.
fn against_noise(word: &Glimpse, nonsense: &Glimpse, gain: Gain, signal: usize, noise: usize) -> Finding {
    let signal = signal.min(apart(word, nonsense));
    let brings = gain.links >= 1 || gain.text >= ONE_RESULT;
    let size = word.shingles.len().max(nonsense.shingles.len());
    if signal > 3 * noise + SAME && brings {
        Searches
    } else if signal <= noise + noise / 2 + SAME && noise <= size / 6 {
        DoesNot
    } else {
        Unclear
    }
}

/// What two choices have of their own; nothing when neither is a list.
fn lists(one: &Glimpse, other: &Glimpse) -> Gain {
    let (a, b) = (Gain::of(one, other), Gain::of(other, one));
    let has_list = one.is_list || other.is_list || a.together.max(b.together) >= 2;
    match has_list {
        true if a.links + a.text >= b.links + b.text => a,
        true => b,
        false => Gain::default(),
    }
}

/// The word leads to a page of its own, nonsense to none.
fn only_hit(hit: &Glimpse, nonsense: &Glimpse) -> Finding {
    let differs = apart(hit, nonsense) > 3 * SAME;
    if differs && !hit.is_empty { Searches } else { Unclear }
}

/// Two pages and no more questions: only what is plain to see counts.
fn at_last(word: &Glimpse, nonsense: &Glimpse) -> Finding {
    let (gain, loss) = (Gain::of(word, nonsense), Gain::of(nonsense, word));
    let differs = apart(word, nonsense) > SAME;
    let lists = gain.together >= 3 && loss.links == 0 && loss.text <= gain.text / 2;
    if differs && !word.is_empty && (nonsense.is_empty || lists) { Searches } else { Unclear }
}
