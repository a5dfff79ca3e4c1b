//! Conjunctive queries: several words in one query, for records that single words cannot reach under a result cap.
//!
//! A broad query matches more records than the cap. A further word narrows its answer. For each of the
//! [`BROAD_QUERIES`] broad queries with most unseen records, the [`EXTENSIONS`] best further words are candidates that
//! compete with single words. One broad query is examined at a time, in turn. A conjunctive query with a cut answer is
//! a broad query itself.

use super::captures::{CaptureTable, WordCounts};
use super::yield_model::DecayingRatio;
use rustc_hash::FxHashSet;

/// Maximum number of broad queries whose extensions are searched in turn. Guess.
const BROAD_QUERIES: usize = 32;

/// Maximum number of candidate words per broad query. Guess.
const EXTENSIONS: usize = 16;

/// Maximum share of the broad query's seen records that an extended query may match. An extension that
/// matches a larger share shows nearly the same records. Guess.
const MAX_SHARE_OF_BROAD: f32 = 0.7;

/// Maximum number of words in a query. Guess.
const MAX_WORDS: usize = 4;

/// Initial value and weight of the ratio of found to expected new records. Guess.
const FOUND_PRIOR: (f64, f64) = (1.0, 5.0);

/// Candidate queries of several words.
pub struct ConjunctiveQueries {
    broad: Vec<BroadQuery>,
    /// Position of the broad query that was examined last.
    examined: usize,
    /// Word numbers of the queries that were sent, sorted.
    sent: FxHashSet<Vec<u32>>,
    /// New records found per expected, over all conjunctive queries.
    pub found: DecayingRatio,
}

/// A word that matches more records than the cap.
pub struct BroadWord {
    /// Number of the word in the lexicon.
    pub word: u32,
    /// Expected unseen records with the word.
    pub unseen: f64,
    /// Ratio of `unseen` to the number that the yield model expects without the stated total.
    pub stated_ratio: f64,
    /// Seen records with the word.
    pub seen: f32,
}

/// A query that matches more records than the cap, with its candidate extensions.
struct BroadQuery {
    words: Vec<u32>,
    unseen: f64,
    stated_ratio: f64,
    seen: f32,
    /// Further words, with their counts over the records that match the broad query.
    extensions: Vec<(u32, WordCounts)>,
}

impl Default for ConjunctiveQueries {
    fn default() -> ConjunctiveQueries {
        ConjunctiveQueries {
            broad: Vec::new(),
            examined: 0,
            sent: FxHashSet::default(),
            found: DecayingRatio::from_prior(FOUND_PRIOR),
        }
    }
}

impl ConjunctiveQueries {
    /// All candidates, as (word numbers, counts of the records that contain all of them, stated ratio of the broad
    /// query).
    pub fn candidates(&self) -> impl Iterator<Item = (Vec<u32>, &WordCounts, f64)> {
        self.broad.iter().flat_map(|broad| {
            let extended = |word: &u32| broad.words.iter().copied().chain([*word]).collect();
            broad.extensions.iter().map(move |(word, counts)| (extended(word), counts, broad.stated_ratio))
        })
    }

    /// Replaces the broad queries of one word and keeps those of several words. Extensions of known words are kept.
    pub fn set_broad_words(&mut self, words: impl IntoIterator<Item = BroadWord>) {
        let mut old = std::mem::take(&mut self.broad);
        for BroadWord { word, unseen, stated_ratio, seen } in words {
            let words = vec![word];
            let known = old.iter().position(|broad| broad.words == words);
            let extensions = known.map(|at| old.swap_remove(at).extensions).unwrap_or_default();
            self.broad.push(BroadQuery { words, unseen, stated_ratio, seen, extensions });
        }
        self.broad.extend(old.into_iter().filter(|broad| broad.words.len() > 1));
        self.broad.sort_by(|a, b| b.unseen.total_cmp(&a.unseen).then_with(|| a.words.cmp(&b.words)));
        self.broad.truncate(BROAD_QUERIES);
    }

    /// Removes a query from the candidates after it was sent. If its answer was cut, the query becomes a broad query
    /// with `unseen_left` unseen records.
    pub fn mark_queried(&mut self, words: &[u32], unseen_left: Option<f64>) {
        let mut key = words.to_vec();
        key.sort_unstable();
        for broad in &mut self.broad {
            broad.extensions.retain(|(word, _)| {
                !(key.len() == broad.words.len() + 1
                    && key.contains(word)
                    && broad.words.iter().all(|word| key.contains(word)))
            });
        }
        self.sent.insert(key);
        if let Some(unseen) = unseen_left.filter(|_| words.len() < MAX_WORDS) {
            self.broad.push(BroadQuery {
                words: words.to_vec(),
                unseen,
                stated_ratio: 1.0,
                seen: f32::INFINITY,
                extensions: Vec::new(),
            });
        }
    }

    /// Examines the next broad query: its extensions become the words with the greatest `value`.
    pub fn find_extensions_of_next(
        &mut self,
        captures: &CaptureTable,
        value: impl Fn(u32, &WordCounts) -> f64,
    ) {
        if self.broad.is_empty() {
            return;
        }
        self.examined = (self.examined + 1) % self.broad.len();
        let broad = &mut self.broad[self.examined];
        let mut words: Vec<(f64, u32, WordCounts)> = captures
            .co_occurring(&broad.words)
            .into_iter()
            .filter(|(_, counts)| counts.records() < MAX_SHARE_OF_BROAD * broad.seen)
            .map(|(word, counts)| (value(word, &counts), word, counts))
            .filter(|(value, ..)| *value > 0.0)
            .collect();
        words.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let sent = &self.sent;
        let is_unsent = |word: u32| {
            let mut key: Vec<u32> = broad.words.iter().copied().chain([word]).collect();
            key.sort_unstable();
            !sent.contains(&key)
        };
        let best = words.into_iter().filter(|(_, word, _)| is_unsent(*word)).take(EXTENSIONS);
        broad.extensions = best.map(|(_, word, counts)| (word, counts)).collect();
    }
}
