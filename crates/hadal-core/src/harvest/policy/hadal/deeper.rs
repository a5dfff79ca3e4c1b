//! Several words at once, for records that single words cannot reach.
//!
//! When more records match a word than the form shows, another word beside it narrows the answer down. Such
//! branches, the ones with most unseen records, are looked at in turn, one after every answer; for each the
//! best extensions wait, to compete with single words. A cut answer to several words is a branch again.

use super::ledger::{Ledger, Tally};
use super::sample::Sample;
use super::yields::Ratio;
use rustc_hash::FxHashSet;

/// Branches that are looked at in turn.
const BRANCHES: usize = 32;

/// Extensions that wait for each.
const EXTENSIONS: usize = 16;

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

/// Words that match more than is shown.
struct Branch {
    words: Vec<u32>,
    unseen: f64,
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
    pub fn waiting(&self) -> impl Iterator<Item = (Vec<u32>, &Tally)> {
        self.branches.iter().flat_map(|branch| {
            let extended = |word: &u32| branch.words.iter().copied().chain([*word]).collect();
            branch.extensions.iter().map(move |(word, tally)| (extended(word), tally))
        })
    }

    /// Takes single words with many unseen records as branches, beside those of several words.
    pub fn branch_at(&mut self, words: impl IntoIterator<Item = (u32, f64)>) {
        let mut old = std::mem::take(&mut self.branches);
        for (word, unseen) in words {
            match old.iter().position(|branch| branch.words == [word]) {
                Some(at) => self.branches.push(Branch { unseen, ..old.swap_remove(at) }),
                None => self.branches.push(Branch { words: vec![word], unseen, extensions: Vec::new() }),
            }
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
            self.branches.push(Branch { words: words.to_vec(), unseen, extensions: Vec::new() });
        }
    }

    /// Looks at the next branch: which words beside it promise most by `worth`?
    pub fn look(&mut self, ledger: &Ledger, sample: &Sample, worth: impl Fn(u32, &Tally) -> f64) {
        if self.branches.is_empty() {
            return;
        }
        self.next = (self.next + 1) % self.branches.len();
        let branch = &mut self.branches[self.next];
        let beside = sample.beside(&branch.words, ledger);
        let mut weighed: Vec<(f64, u32, Tally)> = beside
            .into_iter()
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
