//! `hadal`: the query that promises most new records for its requests.
//!
//! A cover of the database by what was caught only once. For every word of the records so far, [`yields`]
//! says how many records it matches, how many of them are unseen and how many of those the form will show; the
//! query with most new records for its cost is asked. What it goes by:
//!
//! - [`ledger`]: how often each record came, and in how many each word stands;
//! - [`left`]: answers that were not read to their end, whose next pages compete with new words;
//! - [`indexed`] and [`matching`]: which words the form knows, and what it takes for a match;
//! - [`deeper`]: several words together, where one matches more than is ever shown, by a [`sample`] of records.

mod choice;
mod deeper;
mod indexed;
mod ledger;
mod left;
mod matching;
mod sample;
#[cfg(test)]
mod tests;
mod yields;

use super::lexicon::words_of;
use super::opening::Opening;
use super::result_cap::ResultCap;
use super::retry::RetryCounter;
use super::{Policy, PolicyContext, QueryOutcome, ReadingEnd, RequestCosts, StatedTotal};
use crate::harvest::query::Query;
use crate::text::language::Language;
use deeper::Deeper;
use indexed::{Indexed, Kind};
use ledger::{Catch, Ledger};
use left::{Best, LeftOff};
use matching::{Matches, Matching};
use rustc_hash::FxHashMap;
use yields::{Expected, Told, Yields};

/// Answers after which the branches are chosen anew.
const BRANCHING: u32 = 16;

/// Answers after which the next branch is looked at.
const LOOKING: u32 = 4;

/// The most records of an answer that is short.
const SHORT: u32 = 32;

/// Broad words whose totals are heeded.
const BROADEST: usize = 256;

/// The policy.
pub struct HadalPolicy {
    language: &'static Language,
    opening: Opening,
    retries: RetryCounter,
    ledger: Ledger,
    yields: Yields,
    indexed: Indexed,
    matches: Matches,
    deeper: Deeper,
    cap: ResultCap,
    kinds: Vec<Kind>,
    answered: Vec<Answered>,
    /// What the form told of words of which it showed only some.
    told: FxHashMap<u32, Told>,
    /// Those of them that match most, most first.
    broadest: Vec<u32>,
    longest: u32,
    answers: u32,
    left: LeftOff,
    /// Records on a page.
    page_size: f64,
    /// The most records that an answer told to match.
    most_told: f64,
    /// Share of new records that was expected of the query chosen.
    hope: f64,
    /// What the second best was worth when the best was chosen.
    elsewhere: f64,
}

/// How a word was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Answered {
    #[default]
    NotAsked,
    InPart,
    InFull,
}

impl HadalPolicy {
    /// Starts with the context's first words.
    pub fn new(context: &PolicyContext) -> HadalPolicy {
        HadalPolicy {
            language: Language::of(context.language.as_deref()),
            opening: Opening::new(context),
            retries: RetryCounter::default(),
            ledger: Ledger::default(),
            yields: Yields::default(),
            indexed: Indexed::default(),
            matches: Matches::default(),
            deeper: Deeper::default(),
            cap: ResultCap::default(),
            kinds: Vec::new(),
            answered: Vec::new(),
            told: FxHashMap::default(),
            broadest: Vec::new(),
            longest: 0,
            answers: 0,
            left: LeftOff::default(),
            page_size: 10.0,
            most_told: 0.0,
            hope: 1.0,
            elsewhere: 0.0,
        }
    }

    fn answered(&self, word: u32) -> Answered {
        self.answered.get(word as usize).copied().unwrap_or_default()
    }

    fn mark(&mut self, word: &str, answered: Answered) {
        let Some(number) = self.ledger.lexicon().number(word) else { return };
        let at = number as usize;
        if self.answered.len() <= at {
            self.answered.resize(at + 1, Answered::NotAsked);
        }
        self.answered[at] = answered;
    }

    /// Whether more match than came: the form says so, shows no more, or left out records that are known to
    /// match.
    fn is_cut(&self, answer: &QueryOutcome<'_>, known: f64, again: u32) -> bool {
        let shown = answer.hits.len() as u32;
        let is_told = answer.total.is_some_and(|total| total.count() > u64::from(shown));
        let is_odd = answer.total.is_none() && shown >= self.longest && f64::from(again) < 0.9 * known;
        let at_cap = self.cap.value().is_some_and(|cap| shown >= cap);
        answer.end != ReadingEnd::LastPage || at_cap || is_told || is_odd
    }

    /// Counts records and words.
    fn take_in(&mut self, asked: Option<&str>, answer: &QueryOutcome<'_>) -> Catch {
        let catch = self.ledger.learn(asked, answer.hits);
        let lexicon = self.ledger.lexicon();
        let new = self.kinds.len() as u32..lexicon.len() as u32;
        self.kinds.extend(new.map(|word| Kind::of(lexicon.word(word), self.language)));
        catch
    }

    fn learn_word(&mut self, word: &str, answer: &QueryOutcome<'_>) {
        let before = self.ledger.tally(word);
        let rates = self.yields.rates();
        let expected = self.yields.expect(&rates, &before, None);
        let everything = *self.ledger.everything();
        let first_page = self.yields.expect(&rates, &before, Some(self.page_size as u32));
        let catch = self.take_in(Some(word), answer);
        self.matches.learn(word, answer.hits, self.language);
        let is_cut = self.is_cut(answer, rates.known(&before), catch.again.all());
        if let (true, Some(StatedTotal::Exactly(total)), Some(number)) =
            (is_cut, answer.total, self.ledger.lexicon().number(word))
        {
            self.note_told(number, Told { matching: total as f64, shown: f64::from(catch.all()) });
        }
        if is_cut {
            self.yields.learn_where(&before, &catch);
        }
        let first = answer.hits.len().min(self.page_size as usize);
        let new = answer.hits[..first].iter().filter(|hit| hit.is_new).count() as u32;
        if before.all() > 0.0 {
            self.yields.learn_first(&first_page, new, self.page_size);
        }
        self.mark(word, if is_cut { Answered::InPart } else { Answered::InFull });
        let numbers = self.ledger.lexicon().number(word).into_iter().collect();
        self.leave(answer, numbers, Some(rates.known_beyond(&before)));
        let shown = answer.hits.len() as u32;
        if before.title.count > 0.0 || (before.all() > 0.0 && shown > 0) {
            self.indexed.learn(Kind::of(word, self.language), shown > 0);
        }
        match answer.total {
            _ if shown == 0 && before.title.count > 0.0 => return,
            _ if !is_cut => self.yields.learn_whole(&before, &catch),
            Some(StatedTotal::Exactly(total)) => {
                let expected = self.yields.learn_told(&before, total as f64);
                self.yields.learn_cut(&expected, new, first as u32);
                self.learn_pages(answer, Some((total as f64, rates.known_beyond(&before))), first);
            }
            _ => return self.yields.learn_part(&before, &expected, &catch),
        }
        self.yields.settle(&everything, self.ledger.everything(), f64::from(catch.new.all()));
    }

    /// Takes the forms of a word for one, once the form does.
    fn fold(&mut self) {
        let folded = self.ledger.fold(self.language);
        let now = |word: u32| folded[word as usize];
        for at in 0..self.answered.len() {
            let (answered, first) = (self.answered[at], now(at as u32) as usize);
            self.answered[first] = self.answered[first].max(answered);
        }
        let told: Vec<(u32, Told)> = self.told.drain().collect();
        self.broadest.clear();
        told.into_iter().for_each(|(word, told)| self.note_told(now(word), told));
        self.deeper = Deeper::default();
        self.left.fold(&folded);
    }

    fn note_told(&mut self, word: u32, told: Told) {
        self.told.insert(word, told);
        self.broadest.retain(|other| *other != word);
        let at = self.broadest.partition_point(|other| self.told[other].matching >= told.matching);
        self.broadest.insert(at, word);
        self.broadest.truncate(BROADEST);
    }

    /// Where answers are short it is rare words that are asked, and what the form told of broad ones is the
    /// measure for them.
    fn heed_totals(&mut self) {
        let is_short = self.cap.value().is_some_and(|cap| cap <= SHORT);
        let broadest = if is_short { &self.broadest[..] } else { &[] };
        let tallies = self.ledger.tallies();
        self.yields.hold_to(broadest.iter().map(|word| (tallies[*word as usize], self.told[word])));
    }

    fn learn_several(&mut self, words: &[String], answer: &QueryOutcome<'_>) {
        let lexicon = self.ledger.lexicon();
        let numbers: Vec<u32> = words.iter().filter_map(|word| lexicon.number(word)).collect();
        let waiting = self.deeper.waiting().find(|(words, ..)| *words == numbers);
        let rates = self.yields.rates().of_several();
        let expected = waiting.map(|(_, tally, more)| {
            let most = (answer.hits.len() as u32).max(self.page_size as u32);
            let expected = self.yields.expect(&rates, tally, Some(most));
            Expected { new: expected.new * more, ..expected }
        });
        let new = f64::from(self.take_in(None, answer).new.all());
        self.matches.learn_several(words, answer.hits);
        if let Some(expected) = expected {
            self.deeper.found.learn(new, expected.new);
        }
        self.leave(answer, numbers.clone(), None);
        let left = expected.map_or(0.0, |expected| expected.unseen - new).max(1.0);
        let is_cut = self.is_cut(answer, 0.0, 0);
        self.deeper.note(&numbers, is_cut.then_some(left));
    }

    /// Looks for words to ask together, once single ones match more than is shown.
    fn look_deeper(&mut self) {
        let Some(cap) = self.cap.value().filter(|_| !self.matches.is_either()) else { return };
        if self.answers.is_multiple_of(BRANCHING) {
            let broad = self.broad_words(cap);
            self.deeper.branch_at(broad);
        }
        if self.answers.is_multiple_of(LOOKING) {
            let rates = self.yields.rates().of_several();
            let (yields, indexed, kinds) = (&self.yields, &self.indexed, &self.kinds);
            self.deeper.look(&self.ledger, |word, tally| {
                yields.expect(&rates, tally, Some(cap)).new * indexed.chance(kinds[word as usize])
            });
        }
    }
}

impl Policy for HadalPolicy {
    fn choose(&mut self, costs: &RequestCosts) -> Option<Query> {
        self.page_size = f64::from(costs.page_size.max(1));
        let best = self.best(costs, choice::SHORTLIST);
        let is_repeat =
            |weighed: &choice::Weighed| weighed.words.len() == 1 && self.is_repeat(weighed.words[0]);
        let chosen = best.iter().position(|weighed| !is_repeat(weighed)).unwrap_or(0);
        let promise = |at: usize| best.get(at).map_or(0.0, |weighed| self.promise(weighed, costs));
        let left = self.best_left(costs);
        if left.query.is_some() && left.worth >= promise(chosen) {
            self.elsewhere = left.second.max(promise(chosen));
            return left.query;
        }
        self.elsewhere = left.worth.max(promise(chosen + 1));
        let next = best.get(chosen).map(|weighed| self.query(weighed));
        self.hope = best.get(chosen).map_or(1.0, |best| best.expected.new / best.expected.shown.max(1e-9));
        next.or_else(|| self.opening.next().map(Query::words))
    }

    fn wants_next_page(&self, answer: &QueryOutcome<'_>, costs: &RequestCosts) -> bool {
        self.is_worth_reading_on(answer, costs)
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        if !self.retries.is_settled(answer) {
            return;
        }
        self.opening.asked(&answer.query.words);
        self.cap.learn(answer);
        match &words_of(&answer.query.words)[..] {
            _ if answer.query.after > 0 => self.read_on(answer),
            // What a list or a link brought says nothing of words.
            [] => _ = self.take_in(None, answer),
            [word] => self.learn_word(word, answer),
            words => self.learn_several(words, answer),
        }
        self.heed_totals();
        self.most_told = self.most_told.max(answer.total.map_or(0.0, |total| total.count() as f64));
        self.longest = self.longest.max(answer.query.after + answer.hits.len() as u32);
        self.answers += 1;
        if !self.ledger.lexicon().is_folded() && self.matches.matching() == Matching::Stems {
            self.fold();
        }
        self.look_deeper();
    }

    fn drop_continuation(&mut self, query: &Query) {
        self.lose_left(&query.words);
    }

    fn top_queries(&self, costs: &RequestCosts, most: usize) -> Vec<(Query, f64)> {
        let best = self.best(costs, most.max(1));
        let left = self.best_left(costs);
        let comes_first =
            |left: &Best| best.first().is_none_or(|first| left.worth >= self.promise(first, costs));
        let left = Some(left).filter(comes_first).and_then(|left| left.query.zip(Some(left.new)));
        let words = best.iter().map(|weighed| (self.query(weighed), weighed.expected.new));
        left.into_iter().chain(words).take(most).collect()
    }
}
