//! What stands on every answer of a form, whatever was asked.
//!
//! Texts are remembered as numbers, with the query masked. One that an answer without results shows is
//! furniture; so, more or less, is one that most answers show. What is left is what the query brought up.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Texts that are remembered.
const MOST_TEXTS: usize = 6_000;
/// Queries that are remembered, to know an answer when it is read again.
const MOST_QUERIES: usize = 64;

/// What is known of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sightings {
    /// Answers with results that show it.
    full: u16,
    /// Answers without results that show it.
    empty: u16,
}

/// Texts of earlier answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Furniture {
    texts: BTreeMap<u64, Sightings>,
    full: u16,
    empty: u16,
    queries: Vec<u64>,
}

/// Whether an answer had results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fullness {
    Full,
    Empty,
}

impl Furniture {
    /// Notes the texts of an answer to a query that was not noted before; says whether it was news.
    pub(super) fn note(&mut self, mut texts: Vec<u64>, query: u64, fullness: Fullness) -> bool {
        if self.queries.contains(&query) || self.queries.len() >= MOST_QUERIES {
            return false;
        }
        self.queries.push(query);
        texts.sort_unstable();
        texts.dedup();
        for text in texts {
            if self.texts.len() >= MOST_TEXTS && !self.texts.contains_key(&text) {
                continue;
            }
            let sightings = self.texts.entry(text).or_default();
            match fullness {
                Fullness::Full => sightings.full = sightings.full.saturating_add(1),
                Fullness::Empty => sightings.empty = sightings.empty.saturating_add(1),
            }
        }
        match fullness {
            Fullness::Full => self.full += 1,
            Fullness::Empty => self.empty += 1,
        }
        true
    }

    /// How much news a text is: 1 when never seen, nearly 0 when always there. The answer to the query it
    /// comes from does not speak against it.
    pub(super) fn news(&self, text: u64, query: u64) -> f32 {
        let Some(sightings) = self.texts.get(&text) else { return 1.0 };
        let is_own = u16::from(self.queries.contains(&query));
        if sightings.empty > 0 && !(self.full == 0 && is_own == 1) {
            return 0.04;
        }
        let others = self.full.saturating_sub(is_own);
        let seen = sightings.full.saturating_sub(is_own);
        // One other answer may share records with this one; several hardly all do.
        let doubt = if others == 1 { 0.15 } else { 0.03 };
        if others == 0 { 1.0 } else { 1.0 - (1.0 - doubt) * f32::from(seen) / f32::from(others) }
    }

    /// How sure the texts of an answer say that nothing was found: the share of the texts which only
    /// empty answers have that are here. `None` while that is not known.
    pub(super) fn emptiness(&self, texts: impl Iterator<Item = u64>) -> Option<f32> {
        if self.full == 0 || self.empty == 0 {
            return None;
        }
        let only_empty = |one: &&Sightings| one.full == 0 && one.empty == self.empty;
        let known = self.texts.values().filter(only_empty).count();
        if known == 0 {
            return None;
        }
        let mut here: Vec<u64> = texts.collect();
        here.sort_unstable();
        here.dedup();
        let shown = here.iter().filter_map(|text| self.texts.get(text)).filter(only_empty).count();
        Some(shown as f32 / known as f32)
    }

    /// Whether anything is known.
    pub(super) fn is_known(&self) -> bool {
        !self.queries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_on_an_empty_answer_is_no_news() {
        let mut furniture = Furniture::default();
        assert_eq!(furniture.news(1, 9), 1.0);
        furniture.note(vec![1, 2], 100, Fullness::Empty);
        furniture.note(vec![1, 3, 4], 101, Fullness::Full);
        assert!(furniture.news(1, 9) < 0.1 && furniture.news(7, 9) == 1.0);
        assert_eq!(furniture.news(3, 101), 1.0, "an answer does not speak against itself");
        assert_eq!(furniture.emptiness([2, 5].into_iter()), Some(1.0));
        assert_eq!(furniture.emptiness([1, 3].into_iter()), Some(0.0));
    }

    #[test]
    fn an_answer_is_noted_once() {
        let mut furniture = Furniture::default();
        assert!(furniture.note(vec![1], 5, Fullness::Full));
        assert!(!furniture.note(vec![1], 5, Fullness::Full));
    }
}
