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
struct TextCounts {
    /// Answers with results that show it.
    full: u16,
    /// Answers without results that show it.
    empty: u16,
}

/// Texts of earlier answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PageFurniture {
    texts: BTreeMap<u64, TextCounts>,
    full: u16,
    empty: u16,
    queries: Vec<u64>,
    /// How many texts all answers without results show, and no other.
    only_empty: u32,
}

/// What counts as furniture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FurnitureBasis {
    /// What most answers show, and what an answer without results shows.
    All,
    /// Only the latter: a small collection shows the same records again and again.
    EmptyAnswers,
}

/// Whether an answer had results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleKind {
    Full,
    Empty,
}

impl PageFurniture {
    /// Notes the texts of an answer to a query that was not noted before; says whether it was news.
    pub(super) fn note(&mut self, mut texts: Vec<u64>, query: u64, fullness: SampleKind) -> bool {
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
                SampleKind::Full => sightings.full = sightings.full.saturating_add(1),
                SampleKind::Empty => sightings.empty = sightings.empty.saturating_add(1),
            }
        }
        match fullness {
            SampleKind::Full => self.full += 1,
            SampleKind::Empty => self.empty += 1,
        }
        self.only_empty = self.texts.values().filter(|one| self.is_only_empty(one)).count() as u32;
        true
    }

    /// What is known of a text: how much news it is, 1 when never seen and nearly 0 when always there; and
    /// whether it is fixed, shown with results and without. The answer to the query that a text comes from
    /// does not speak against it.
    pub(super) fn known(&self, text: u64, query: u64, trust: FurnitureBasis) -> (f32, bool) {
        let Some(sightings) = self.texts.get(&text) else { return (1.0, false) };
        let is_own = u16::from(self.queries.contains(&query));
        if self.full == 0 {
            return if is_own == 1 { (1.0, false) } else { (0.04, true) };
        }
        // What is listed to comfort those who found nothing may be a record elsewhere.
        if sightings.empty > 0 && sightings.full == self.full {
            return (0.04, true);
        }
        let others = self.full.saturating_sub(is_own);
        let seen = sightings.full.saturating_sub(is_own);
        // One other answer may share records with this one; several hardly all do.
        let doubt = if others == 1 { 0.15 } else { 0.03 };
        match others == 0 || trust == FurnitureBasis::EmptyAnswers {
            true => (1.0, false),
            false => (1.0 - (1.0 - doubt) * f32::from(seen) / f32::from(others), false),
        }
    }

    /// How sure the texts of an answer say that nothing was found: the share of the texts which only
    /// empty answers have that are here. `None` while that is not known.
    pub(super) fn emptiness(&self, texts: impl Iterator<Item = u64>) -> Option<f32> {
        if self.full == 0 || self.empty == 0 {
            return None;
        }
        if self.only_empty == 0 {
            return None;
        }
        let mut here: Vec<u64> = texts.collect();
        here.sort_unstable();
        here.dedup();
        let known = here.iter().filter_map(|text| self.texts.get(text));
        Some(known.filter(|one| self.is_only_empty(one)).count() as f32 / self.only_empty as f32)
    }

    fn is_only_empty(&self, sightings: &TextCounts) -> bool {
        sightings.full == 0 && sightings.empty == self.empty && self.empty > 0
    }

    /// Whether an answer without results is known.
    pub(super) fn knows_empty(&self) -> bool {
        self.empty > 0
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
        let mut furniture = PageFurniture::default();
        assert_eq!(furniture.known(1, 9, FurnitureBasis::All), (1.0, false));
        furniture.note(vec![1, 2], 100, SampleKind::Empty);
        furniture.note(vec![1, 3, 4], 101, SampleKind::Full);
        assert!(
            furniture.known(1, 9, FurnitureBasis::All).1 && !furniture.known(2, 9, FurnitureBasis::All).1
        );
        assert_eq!(furniture.known(7, 9, FurnitureBasis::All), (1.0, false));
        assert_eq!(
            furniture.known(3, 101, FurnitureBasis::All).0,
            1.0,
            "an answer does not speak against itself"
        );
        assert_eq!(furniture.emptiness([2, 5].into_iter()), Some(1.0));
        assert_eq!(furniture.emptiness([1, 3].into_iter()), Some(0.0));
    }

    #[test]
    fn an_answer_is_noted_once() {
        let mut furniture = PageFurniture::default();
        assert!(furniture.note(vec![1], 5, SampleKind::Full));
        assert!(!furniture.note(vec![1], 5, SampleKind::Full));
    }
}
