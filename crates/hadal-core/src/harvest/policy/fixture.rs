//! A small database behind a search box, for tests: generated records, an index, switchable manners.

use super::{Hit, Policy, QueryOutcome, ReadingEnd, RequestCosts, StatedTotal};
use crate::harvest::query::Query;
use crate::harvest::record::RecordId;
use crate::learn::rng::Rng;
use crate::text::language::Language;
use crate::text::words::each_word;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A database and how it answers.
pub struct Database {
    records: Vec<(String, String)>,
    index: FxHashMap<String, Vec<usize>>,
    /// Most records it shows.
    pub cap: usize,
    /// Records on a page.
    pub page: usize,
    /// Whether it tells how many match.
    pub tells: bool,
    /// Every so many queries fail.
    pub fails_every: usize,
}

/// A query as it was sent: its words, the new records it brought, its requests.
pub type Sent = (String, usize, usize);

impl Database {
    /// Records whose words are as frequent as words are, each of one of ten subjects.
    pub fn generated(records: usize, seed: u64) -> Database {
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
        Database::of((0..records).map(generate).collect())
    }

    /// The records given, each a title and a text.
    pub fn of(records: Vec<(String, String)>) -> Database {
        let mut index: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, (_, text)) in records.iter().enumerate() {
            each_word(text, |word| {
                let found = index.entry(word.to_string()).or_default();
                if found.last() != Some(&at) {
                    found.push(at);
                }
            });
        }
        Database { records, index, cap: usize::MAX, page: 10, tells: false, fails_every: usize::MAX }
    }

    /// Leaves words out of the index.
    pub fn without(mut self, is_out: impl Fn(&str) -> bool) -> Database {
        self.index.retain(|word, _| !is_out(word));
        self
    }

    /// Takes the forms of a word for one.
    pub fn stemmed(mut self) -> Database {
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

    /// Records that have every word of a query.
    pub fn matching(&self, words: &str) -> Vec<usize> {
        let mut lists = words.split(' ').map(|word| self.index.get(word).cloned().unwrap_or_default());
        let first = lists.next().unwrap_or_default();
        lists.fold(first, |found, list| found.into_iter().filter(|at| list.contains(at)).collect())
    }

    /// What policies are told about costs.
    pub fn costs(&self) -> RequestCosts {
        RequestCosts { query: 1.0, page: 1.0, detail: 0.0, page_size: self.page as u32, cap: None }
    }

    /// Lets a policy ask until so many records have come, or so many queries were sent.
    pub fn harvest(&self, policy: &mut dyn Policy, enough: usize, most_queries: usize) -> Vec<Sent> {
        let mut seen = vec![false; self.records.len()];
        let mut sent: Vec<Sent> = Vec::new();
        while sent.len() < most_queries && seen.iter().filter(|seen| **seen).count() < enough {
            let Some(query) = policy.choose(&self.costs()) else { break };
            let is_down = (sent.len() + 1).is_multiple_of(self.fails_every);
            sent.push(self.ask(policy, &query, &mut seen, is_down));
        }
        sent
    }

    fn ask(&self, policy: &mut dyn Policy, query: &Query, seen: &mut [bool], is_down: bool) -> Sent {
        let matching = if is_down { Vec::new() } else { self.matching(&query.words) };
        let total = self.tells.then_some(StatedTotal::Exactly(matching.len() as u64));
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

/// Requests that were sent.
pub fn requests(sent: &[Sent]) -> usize {
    sent.iter().map(|(_, _, pages)| pages).sum()
}

/// Records that came.
pub fn records(sent: &[Sent]) -> usize {
    sent.iter().map(|(_, new, _)| new).sum()
}
