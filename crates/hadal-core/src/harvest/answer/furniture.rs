//! Page furniture: texts that answers of one form show whatever the query is.
//!
//! Texts are stored as hashes, with the words of the query masked. For a text `t` of an answer to query `q`, its
//! novelty is
//!
//! `n(t) = 1 - (1 - d) * s / o`
//!
//! where `o` is the number of known answers with results other than the one to `q`, `s` is the number of those that
//! show `t`, and `d` is the novelty that remains for a text on all of them. A text on an answer without results and
//! on all answers with results is fixed and has the novelty [`FIXED_NOVELTY`].

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of texts stored per form; later ones are dropped. Guess.
const MAX_TEXTS: usize = 6_000;
/// Maximum number of queries stored per form. Answers to later queries are not counted. Guess.
const MAX_QUERIES: usize = 64;
/// Novelty of a fixed text. Guess.
const FIXED_NOVELTY: f32 = 0.04;
/// Value of `d` when one other answer is known, which may share records with this one. Guess.
const NOVELTY_FLOOR_ONE: f32 = 0.15;
/// Value of `d` when several other answers are known, which rarely all share a record. Guess.
const NOVELTY_FLOOR_SEVERAL: f32 = 0.03;

/// Number of known answers that show a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct TextCounts {
    with_results: u16,
    without_results: u16,
}

/// Texts of the known answers of one form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PageFurniture {
    texts: BTreeMap<u64, TextCounts>,
    /// Number of answers with results.
    with_results: u16,
    /// Number of answers without results.
    without_results: u16,
    /// Hashes of the queries of all these answers.
    queries: Vec<u64>,
    /// Number of texts in the signature: those on all answers without results and on none with results.
    signature_size: u32,
}

/// Answers that can make a text furniture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FurnitureBasis {
    /// All known answers.
    AllAnswers,
    /// Answers without results only. A small collection shows the same records for many queries.
    EmptyAnswers,
}

/// Role of an answer that is added to the furniture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleKind {
    WithResults,
    WithoutResults,
}

/// Novelty of one text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextNovelty {
    /// `n(t)`: 1 for a text never seen on another answer, nearly 0 for one that is always there.
    pub(super) novelty: f32,
    /// The text is on answers with and without results.
    pub(super) is_fixed: bool,
}

impl TextNovelty {
    const NEW: TextNovelty = TextNovelty { novelty: 1.0, is_fixed: false };
    const FIXED: TextNovelty = TextNovelty { novelty: FIXED_NOVELTY, is_fixed: true };
}

impl PageFurniture {
    /// Counts the texts of an answer. Returns false if its query was counted before or there is no room.
    pub(super) fn add(&mut self, mut texts: Vec<u64>, query: u64, kind: SampleKind) -> bool {
        if self.queries.contains(&query) || self.queries.len() >= MAX_QUERIES {
            return false;
        }
        self.queries.push(query);
        texts.sort_unstable();
        texts.dedup();
        for text in texts {
            if self.texts.len() >= MAX_TEXTS && !self.texts.contains_key(&text) {
                continue;
            }
            let counts = self.texts.entry(text).or_default();
            match kind {
                SampleKind::WithResults => counts.with_results = counts.with_results.saturating_add(1),
                SampleKind::WithoutResults => {
                    counts.without_results = counts.without_results.saturating_add(1);
                }
            }
        }
        match kind {
            SampleKind::WithResults => self.with_results += 1,
            SampleKind::WithoutResults => self.without_results += 1,
        }
        self.signature_size =
            self.texts.values().filter(|counts| self.is_in_signature(counts)).count() as u32;
        true
    }

    /// Novelty of a text that the answer to `query` shows. See the module's formula.
    pub(super) fn novelty(&self, text: u64, query: u64, basis: FurnitureBasis) -> TextNovelty {
        let Some(counts) = self.texts.get(&text) else { return TextNovelty::NEW };
        let own = u16::from(self.queries.contains(&query));
        if self.with_results == 0 {
            return if counts.without_results > own { TextNovelty::FIXED } else { TextNovelty::NEW };
        }
        // An answer without results may suggest records, so a text on it alone is not fixed.
        if counts.without_results > 0 && counts.with_results == self.with_results {
            return TextNovelty::FIXED;
        }
        let others = self.with_results.saturating_sub(own);
        let seen = counts.with_results.saturating_sub(own);
        if others == 0 || basis == FurnitureBasis::EmptyAnswers {
            return TextNovelty::NEW;
        }
        let floor = if others == 1 { NOVELTY_FLOOR_ONE } else { NOVELTY_FLOOR_SEVERAL };
        TextNovelty { novelty: 1.0 - (1.0 - floor) * f32::from(seen) / f32::from(others), is_fixed: false }
    }

    /// Share of the signature of answers without results that these texts hold; `None` while no signature is known.
    pub(super) fn signature_share(&self, texts: impl Iterator<Item = u64>) -> Option<f32> {
        if self.with_results == 0 || self.without_results == 0 || self.signature_size == 0 {
            return None;
        }
        let mut present: Vec<u64> = texts.collect();
        present.sort_unstable();
        present.dedup();
        let known = present.iter().filter_map(|text| self.texts.get(text));
        let found = known.filter(|counts| self.is_in_signature(counts)).count();
        Some(found as f32 / self.signature_size as f32)
    }

    fn is_in_signature(&self, counts: &TextCounts) -> bool {
        counts.with_results == 0 && counts.without_results == self.without_results && self.without_results > 0
    }

    /// Returns true if a known answer shows this text.
    pub(super) fn knows_text(&self, text: u64) -> bool {
        self.texts.contains_key(&text)
    }

    /// Returns true if an answer without results was added.
    pub(super) fn knows_empty_answer(&self) -> bool {
        self.without_results > 0
    }

    /// Returns true if an answer with results was added.
    pub(super) fn knows_results(&self) -> bool {
        self.with_results > 0
    }

    /// Returns true if any answer was added.
    pub(super) fn knows_any_answer(&self) -> bool {
        !self.queries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_on_every_answer_is_fixed_and_an_unseen_text_is_new() {
        let mut furniture = PageFurniture::default();
        let novelty = |furniture: &PageFurniture, text, query| {
            furniture.novelty(text, query, FurnitureBasis::AllAnswers)
        };
        assert_eq!(novelty(&furniture, 1, 9), TextNovelty::NEW);
        furniture.add(vec![1, 2], 100, SampleKind::WithoutResults);
        furniture.add(vec![1, 3, 4], 101, SampleKind::WithResults);
        assert!(novelty(&furniture, 1, 9).is_fixed && !novelty(&furniture, 2, 9).is_fixed);
        assert_eq!(novelty(&furniture, 7, 9), TextNovelty::NEW);
        assert_eq!(novelty(&furniture, 3, 101).novelty, 1.0, "an answer does not count against itself");
        assert_eq!(furniture.signature_share([2, 5].into_iter()), Some(1.0));
        assert_eq!(furniture.signature_share([1, 3].into_iter()), Some(0.0));
    }

    #[test]
    fn a_text_on_two_answers_without_results_is_fixed() {
        let mut furniture = PageFurniture::default();
        furniture.add(vec![1, 2], 100, SampleKind::WithoutResults);
        furniture.add(vec![1, 3], 101, SampleKind::WithoutResults);
        let novelty = |text| furniture.novelty(text, 101, FurnitureBasis::AllAnswers);
        assert_eq!((novelty(1), novelty(3)), (TextNovelty::FIXED, TextNovelty::NEW));
    }

    #[test]
    fn an_answer_is_counted_once() {
        let mut furniture = PageFurniture::default();
        assert!(furniture.add(vec![1], 5, SampleKind::WithResults));
        assert!(!furniture.add(vec![1], 5, SampleKind::WithResults));
    }
}
