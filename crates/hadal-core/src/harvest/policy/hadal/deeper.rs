//! Several words at once, for records that single words cannot reach.
//!
//! When more records match a word than the form shows, another word beside it narrows the answer down. Such
//! branches, the ones with most unseen records, are looked at in turn, one after every answer; for each the
//! best extensions wait, to compete with single words. A cut answer to several words is a branch again.

use super::ledger::{Ledger, Tally};
use super::yields::Ratio;
use rustc_hash::FxHashSet;

/// Branches that are looked at in turn.
const BRANCHES: usize = 32;

/// Extensions that wait for each.
const EXTENSIONS: usize = 16;

/// The share of a branch that an extension may have at the most, for what is shown of both to differ.
const NARROWER: f32 = 0.7;

/// Words in a query.
const MOST_WORDS: usize = 4;

/// Queries of several words.
pub struct Deeper {
    branches: Vec<Branch>,
    next: usize,
    asked: FxHashSet<Vec<u32>>,
    /// New records found to those expected of several words.
    pub found: Ratio,
}

/// A word that matches more than is shown.
pub struct Broad {
    /// The word.
    pub word: u32,
    /// Unseen records with it.
    pub unseen: f64,
    /// Times as many as its seen ones vouch for.
    pub more: f64,
    /// Seen records with it.
    pub seen: f32,
}

/// Words that match more than is shown.
struct Branch {
    words: Vec<u32>,
    unseen: f64,
    more: f64,
    seen: f32,
    extensions: Vec<(u32, Tally)>,
}

impl Default for Deeper {
    fn default() -> Deeper {
        Deeper {
            branches: Vec::new(),
            next: 0,
            asked: FxHashSet::default(),
            found: Ratio::starting_at(1.0, 5.0),
        }
    }
}

impl Deeper {
    /// Every extension that waits.
    pub fn waiting(&self) -> impl Iterator<Item = (Vec<u32>, &Tally, f64)> {
        self.branches.iter().flat_map(|branch| {
            let extended = |word: &u32| branch.words.iter().copied().chain([*word]).collect();
            branch.extensions.iter().map(move |(word, tally)| (extended(word), tally, branch.more))
        })
    }

    /// Takes single words with many unseen records as branches, beside those of several words.
    pub fn branch_at(&mut self, words: impl IntoIterator<Item = Broad>) {
        let mut old = std::mem::take(&mut self.branches);
        for Broad { word, unseen, more, seen } in words {
            let words = vec![word];
            let known = old.iter().position(|branch| branch.words == words);
            let extensions = known.map(|at| old.swap_remove(at).extensions).unwrap_or_default();
            self.branches.push(Branch { words, unseen, more, seen, extensions });
        }
        self.branches.extend(old.into_iter().filter(|branch| branch.words.len() > 1));
        self.branches.sort_by(|a, b| b.unseen.total_cmp(&a.unseen).then_with(|| a.words.cmp(&b.words)));
        self.branches.truncate(BRANCHES);
    }

    /// Takes note that several words were asked; with the unseen records that were left off, if any were.
    pub fn note(&mut self, words: &[u32], left: Option<f64>) {
        let mut key = words.to_vec();
        key.sort_unstable();
        for branch in &mut self.branches {
            branch.extensions.retain(|(word, _)| {
                !(key.len() == branch.words.len() + 1
                    && key.contains(word)
                    && branch.words.iter().all(|word| key.contains(word)))
            });
        }
        self.asked.insert(key);
        if let Some(unseen) = left.filter(|_| words.len() < MOST_WORDS) {
            let seen = f32::INFINITY;
            self.branches.push(Branch {
                words: words.to_vec(),
                unseen,
                more: 1.0,
                seen,
                extensions: Vec::new(),
            });
        }
    }

    /// Looks at the next branch: which words beside it promise most by `worth`?
    pub fn look(&mut self, ledger: &Ledger, worth: impl Fn(u32, &Tally) -> f64) {
        if self.branches.is_empty() {
            return;
        }
        self.next = (self.next + 1) % self.branches.len();
        let branch = &mut self.branches[self.next];
        let beside = ledger.beside(&branch.words);
        let mut weighed: Vec<(f64, u32, Tally)> = beside
            .into_iter()
            .filter(|(_, tally)| tally.all() < NARROWER * branch.seen)
            .map(|(word, tally)| (worth(word, &tally), word, tally))
            .filter(|(worth, ..)| *worth > 0.0)
            .collect();
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let asked = &self.asked;
        let is_fresh = |word: u32| {
            let mut key: Vec<u32> = branch.words.iter().copied().chain([word]).collect();
            key.sort_unstable();
            !asked.contains(&key)
        };
        let best = weighed.into_iter().filter(|(_, word, _)| is_fresh(*word)).take(EXTENSIONS);
        branch.extensions = best.map(|(_, word, tally)| (word, tally)).collect();
    }
}
