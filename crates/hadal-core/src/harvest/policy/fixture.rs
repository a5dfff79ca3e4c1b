//! A small searchable database for tests: generated records, a word index, and options for its answers.

use super::{Hit, Policy, QueryOutcome, ReadingEnd, RequestCosts, StatedTotal};
use crate::harvest::query::Query;
use crate::harvest::record::RecordId;
use crate::learn::rng::Rng;
use crate::text::language::Language;
use crate::text::words::each_word;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Records, their index, and the options of the answers.
pub struct TestDatabase {
    records: Vec<(String, String)>,
    index: FxHashMap<String, Vec<usize>>,
    /// Result cap, in records.
    pub cap: usize,
    /// Records per result page.
    pub page: usize,
    /// True if answers state exact totals.
    pub states_totals: bool,
    /// True if answers with a further page state the number of records on a page plus one.
    pub counts_page: bool,
    /// Every n-th query fails.
    pub fails_every: usize,
}

/// A query that was sent: its words, the number of new records, the number of requests.
pub type SentQuery = (String, usize, usize);

impl TestDatabase {
    /// Generates records of 6 to 45 words. Half of the words are general, half belong to one of ten subjects; word
    /// frequencies follow Zipf's law.
    pub fn generated(records: usize, seed: u64) -> TestDatabase {
        let mut random = Rng::new(seed);
        let generate = |_| {
            let (subject, length) = (random.below(10), 6 + random.below(40));
            let mut word = |_| {
                let rank = (2_000f64.powf(random.fraction()) - 1.0) as usize;
                if random.below(2) == 0 { format!("w{rank}") } else { format!("s{subject}x{rank}") }
            };
            let words: Vec<String> = (0..length).map(&mut word).collect();
            (words[..3].join(" "), words.join(" "))
        };
        TestDatabase::of((0..records).map(generate).collect())
    }

    /// Database of the given records, as (title, text).
    pub fn of(records: Vec<(String, String)>) -> TestDatabase {
        let mut index: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, (_, text)) in records.iter().enumerate() {
            each_word(text, |word| {
                let found = index.entry(word.to_string()).or_default();
                if found.last() != Some(&at) {
                    found.push(at);
                }
            });
        }
        TestDatabase {
            records,
            index,
            cap: usize::MAX,
            page: 10,
            states_totals: false,
            counts_page: false,
            fails_every: usize::MAX,
        }
    }

    /// Removes words from the index.
    pub fn without(mut self, is_out: impl Fn(&str) -> bool) -> TestDatabase {
        self.index.retain(|word, _| !is_out(word));
        self
    }

    /// Makes every word match all words with the same stem.
    pub fn stemmed(mut self) -> TestDatabase {
        let stem = |word: &str| Language::of(Some("en")).stem(word);
        let mut by_stem: FxHashMap<String, BTreeSet<usize>> = FxHashMap::default();
        for (word, found) in &self.index {
            by_stem.entry(stem(word)).or_default().extend(found);
        }
        for (word, found) in &mut self.index {
            *found = by_stem[&stem(word)].iter().copied().collect();
        }
        self
    }

    /// Numbers of the records that contain every word of a query.
    pub fn matching(&self, words: &str) -> Vec<usize> {
        let mut lists = words.split(' ').map(|word| self.index.get(word).cloned().unwrap_or_default());
        let first = lists.next().unwrap_or_default();
        lists.fold(first, |found, list| found.into_iter().filter(|at| list.contains(at)).collect())
    }

    /// Costs that the policy receives: one per request.
    pub fn costs(&self) -> RequestCosts {
        RequestCosts { query: 1.0, page: 1.0, detail: 0.0, page_size: self.page as u32, cap: None }
    }

    /// Runs a policy until `enough` records are seen or `most_queries` queries are sent.
    pub fn harvest(&self, policy: &mut dyn Policy, enough: usize, most_queries: usize) -> Vec<SentQuery> {
        let mut seen = vec![false; self.records.len()];
        let mut sent: Vec<SentQuery> = Vec::new();
        while sent.len() < most_queries && seen.iter().filter(|seen| **seen).count() < enough {
            let Some(query) = policy.choose(&self.costs()) else { break };
            let is_down = (sent.len() + 1).is_multiple_of(self.fails_every);
            sent.push(self.ask(policy, &query, &mut seen, is_down));
        }
        sent
    }

    fn ask(&self, policy: &mut dyn Policy, query: &Query, seen: &mut [bool], is_down: bool) -> SentQuery {
        let matching = if is_down { Vec::new() } else { self.matching(&query.words) };
        let stated = if self.counts_page { matching.len().min(self.page + 1) } else { matching.len() };
        let total = (self.states_totals || self.counts_page).then_some(StatedTotal::Exactly(stated as u64));
        let shown = &matching[(query.after as usize).min(matching.len())..matching.len().min(self.cap)];
        let mut hits = Vec::new();
        let mut pages = 0;
        let end = loop {
            for &at in shown.iter().skip(hits.len()).take(self.page) {
                let (title, text) = &self.records[at];
                let is_new = !std::mem::replace(&mut seen[at], true);
                hits.push(Hit { id: RecordId(at as u64), is_new, title, text, fields: &[] });
            }
            pages += 1;
            if is_down || hits.len() == shown.len() {
                break if is_down { ReadingEnd::Failed } else { ReadingEnd::LastPage };
            }
            let so_far = QueryOutcome { query, hits: &hits, total, pages, end: ReadingEnd::Paused };
            if !policy.wants_next_page(&so_far, &self.costs()) {
                break ReadingEnd::Paused;
            }
        };
        policy.learn(&QueryOutcome { query, hits: &hits, total, pages, end });
        let new = hits.iter().filter(|hit| hit.is_new).count();
        (query.words.clone(), new, pages as usize)
    }
}

/// Number of requests of all queries.
pub fn requests(sent: &[SentQuery]) -> usize {
    sent.iter().map(|(_, _, pages)| pages).sum()
}

/// Number of new records of all queries.
pub fn records(sent: &[SentQuery]) -> usize {
    sent.iter().map(|(_, new, _)| new).sum()
}
