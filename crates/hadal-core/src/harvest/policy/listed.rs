//! Words off a list: at random, or the most frequent first. What others are measured against.
//!
//! `generic-frequency` reads the list of frequent words from its top; for a language without a list, and
//! when the list is used up, the words most frequent in the records so far take its place.

use super::adaptive::table::Table;
use super::opening::Opening;
use super::retry::RetryCounter;
use super::{Policy, PolicyContext, QueryOutcome, RequestCosts};
use crate::harvest::query::Query;
use crate::learn::rng::Rng;
use crate::text::frequency::ENGLISH;
use rustc_hash::FxHashSet;

/// Asks the words of a list in order.
pub struct Listed {
    list: Vec<String>,
    at: usize,
    retries: RetryCounter,
}

impl Listed {
    /// Words at random among the first `most` of the list.
    pub fn random(context: &PolicyContext, most: usize) -> Listed {
        let mut list = words_of(context);
        list.truncate(most);
        Rng::new(context.seed).shuffle(&mut list);
        Listed::of(list)
    }

    fn of(list: Vec<String>) -> Listed {
        Listed { list, at: 0, retries: RetryCounter::default() }
    }
}

/// The list given by the user, or the one that comes with the program.
fn words_of(context: &PolicyContext) -> Vec<String> {
    let shipped = || ENGLISH.words().iter().map(|word| word.to_string()).collect();
    let mut met = FxHashSet::default();
    let mut list: Vec<String> = context.word_list.clone().unwrap_or_else(shipped);
    list.retain(|word| !word.trim().is_empty() && met.insert(word.clone()));
    list
}

impl Policy for Listed {
    fn choose(&mut self, _costs: &RequestCosts) -> Option<Query> {
        self.list.get(self.at).map(|word| Query::words(word))
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        let is_ours = self.list.get(self.at).is_some_and(|word| *word == answer.query.words);
        if is_ours && self.retries.is_settled(answer) {
            self.at += 1;
        }
    }

    fn top_queries(&self, _costs: &RequestCosts, most: usize) -> Vec<(Query, f64)> {
        self.list.iter().skip(self.at).take(most).map(|word| (Query::words(word), 0.0)).collect()
    }
}

/// The most frequent words of the language first.
pub struct GenericFrequency {
    list: Listed,
    opening: Opening,
    seen: Table,
}

impl GenericFrequency {
    /// Starts at the top of the list, if there is one for the language.
    pub fn new(context: &PolicyContext) -> GenericFrequency {
        let is_english = context.language.as_deref().is_none_or(|code| code == "en");
        let has_list = is_english || context.word_list.is_some();
        let list = Listed::of(if has_list { words_of(context) } else { Vec::new() });
        GenericFrequency { list, opening: Opening::new(context), seen: Table::default() }
    }

    /// Words of the records by how many have them.
    fn met(&self, most: usize) -> Vec<(Query, f64)> {
        let mut met: Vec<(u32, f64)> = self.seen.candidates().collect();
        met.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        met.truncate(most);
        met.iter().map(|(word, _)| (Query::words(self.seen.lexicon().word(*word)), 0.0)).collect()
    }
}

impl Policy for GenericFrequency {
    fn choose(&mut self, costs: &RequestCosts) -> Option<Query> {
        let listed = self.list.choose(costs);
        let met = || self.met(1).pop().map(|(query, _)| query);
        listed.or_else(met).or_else(|| self.opening.next().map(Query::words))
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        self.list.learn(answer);
        self.opening.asked(&answer.query.words);
        self.seen.mark_asked(&answer.query.words);
        for hit in answer.hits.iter().filter(|hit| hit.is_new) {
            let words = self.seen.words(hit.title, hit.text);
            self.seen.add_record(&words);
        }
    }

    fn top_queries(&self, costs: &RequestCosts, most: usize) -> Vec<(Query, f64)> {
        let listed = self.list.top_queries(costs, most);
        if listed.is_empty() { self.met(most) } else { listed }
    }
}
