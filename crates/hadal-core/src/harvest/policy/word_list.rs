//! Queries from a fixed list of words: the baselines `random-*` and `generic-frequency`, and the first queries of the
//! other policies.

use super::adaptive::statistics::QueryStatistics;
use super::{Policy, PolicyContext, QueryOutcome, RequestCosts, RetryCounter};
use crate::harvest::query::Query;
use crate::learn::rng::Rng;
use crate::text::frequency::ENGLISH;
use rustc_hash::FxHashSet;

/// Maximum number of frequent words that are sent while no query has returned a record. The words are English unless
/// the context has a word list. Guess.
const MAX_FREQUENT_WORDS: usize = 200;

/// Queries before the first record: the context's first words, then frequent words.
pub struct FirstQueries {
    words: std::vec::IntoIter<String>,
    next: Option<String>,
}

impl FirstQueries {
    /// Queue of first queries, with the first one ready.
    pub fn new(context: &PolicyContext) -> FirstQueries {
        let frequent = match &context.word_list {
            Some(list) => list.iter().take(MAX_FREQUENT_WORDS).cloned().collect::<Vec<String>>(),
            None => ENGLISH.words().iter().take(MAX_FREQUENT_WORDS).map(|word| word.to_string()).collect(),
        };
        let mut words = context.first_words.clone();
        words.extend(frequent);
        let mut words = words.into_iter();
        let next = words.next();
        FirstQueries { words, next }
    }

    /// Words of the next query; `None` when the queue is empty.
    pub fn next(&self) -> Option<&str> {
        self.next.as_deref()
    }

    /// Advances the queue if `words` are those of [`FirstQueries::next`].
    pub fn mark_queried(&mut self, words: &str) {
        if self.next.as_deref() == Some(words) {
            self.next = self.words.next();
        }
    }
}

/// Sends the words of a list in order.
pub struct WordListPolicy {
    list: Vec<String>,
    next: usize,
    retries: RetryCounter,
}

impl WordListPolicy {
    /// The first `most` words of the list in random order.
    pub fn random(context: &PolicyContext, most: usize) -> WordListPolicy {
        let mut list = word_list(context);
        list.truncate(most);
        Rng::new(context.seed).shuffle(&mut list);
        WordListPolicy::in_order(list)
    }

    fn in_order(list: Vec<String>) -> WordListPolicy {
        WordListPolicy { list, next: 0, retries: RetryCounter::default() }
    }
}

/// Distinct words of the user's list, or of the built-in English list.
fn word_list(context: &PolicyContext) -> Vec<String> {
    let built_in = || ENGLISH.words().iter().map(|word| word.to_string()).collect();
    let mut seen = FxHashSet::default();
    let mut list: Vec<String> = context.word_list.clone().unwrap_or_else(built_in);
    list.retain(|word| !word.trim().is_empty() && seen.insert(word.clone()));
    list
}

impl Policy for WordListPolicy {
    fn choose(&mut self, _costs: &RequestCosts) -> Option<Query> {
        self.list.get(self.next).map(|word| Query::words(word))
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        let is_current = self.list.get(self.next).is_some_and(|word| *word == answer.query.words);
        if is_current && self.retries.is_settled(answer) {
            self.next += 1;
        }
    }

    fn top_queries(&self, _costs: &RequestCosts, limit: usize) -> Vec<(Query, f64)> {
        self.list.iter().skip(self.next).take(limit).map(|word| (Query::words(word), 0.0)).collect()
    }
}

/// Sends the most frequent words of the language first.
///
/// For a language without a list, and at the end of the list, the most frequent word of the seen records that was not
/// queried is next.
pub struct GenericFrequencyPolicy {
    list: WordListPolicy,
    first_queries: FirstQueries,
    statistics: QueryStatistics,
}

impl GenericFrequencyPolicy {
    /// Starts at the top of the list, if the language has one.
    pub fn new(context: &PolicyContext) -> GenericFrequencyPolicy {
        let is_english = context.language.as_deref().is_none_or(|code| code == "en");
        let has_list = is_english || context.word_list.is_some();
        let list = WordListPolicy::in_order(if has_list { word_list(context) } else { Vec::new() });
        let first_queries = FirstQueries::new(context);
        GenericFrequencyPolicy { list, first_queries, statistics: QueryStatistics::default() }
    }

    /// Words of the seen records that were not queried, those in most records first.
    fn words_of_records(&self, limit: usize) -> Vec<(Query, f64)> {
        let mut words: Vec<(u32, f64)> = self.statistics.candidates().collect();
        words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        words.truncate(limit);
        words.iter().map(|(word, _)| (Query::words(self.statistics.lexicon().word(*word)), 0.0)).collect()
    }
}

impl Policy for GenericFrequencyPolicy {
    fn choose(&mut self, costs: &RequestCosts) -> Option<Query> {
        let listed = self.list.choose(costs);
        let of_records = || self.words_of_records(1).pop().map(|(query, _)| query);
        listed.or_else(of_records).or_else(|| self.first_queries.next().map(Query::words))
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        self.list.learn(answer);
        self.first_queries.mark_queried(&answer.query.words);
        self.statistics.mark_queried(&answer.query.words);
        for hit in answer.hits.iter().filter(|hit| hit.is_new) {
            let words = self.statistics.words(hit.title, hit.text);
            self.statistics.add_record(&words);
        }
    }

    fn top_queries(&self, costs: &RequestCosts, limit: usize) -> Vec<(Query, f64)> {
        let listed = self.list.top_queries(costs, limit);
        if listed.is_empty() { self.words_of_records(limit) } else { listed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_words_come_before_frequent_ones() {
        let first_words = vec!["ship".into(), "boat".into()];
        let context = PolicyContext { first_words, ..PolicyContext::default() };
        let mut queries = FirstQueries::new(&context);
        assert_eq!(queries.next(), Some("ship"));
        queries.mark_queried("something else");
        assert_eq!(queries.next(), Some("ship"));
        queries.mark_queried("ship");
        queries.mark_queried("boat");
        assert_eq!(queries.next(), Some(ENGLISH.words()[0]));
    }
}
