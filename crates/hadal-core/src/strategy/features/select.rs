//! Automatic feature selection: the stems that most examples have (ACHE paper, algorithm 2).

use super::Space;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// A stem shorter than this is inside of too many others to mean anything there.
pub(super) const SHORTEST_PART: usize = 3;

/// The `k` stems that most documents have, the most frequent first, with that number. In addresses
/// words are written together: there a frequent stem also gets the frequency of every longer one it is
/// part of (lines 7 to 14; `car` is in `usedcar`).
pub fn select(space: Space, documents: &[Vec<String>], k: usize) -> Vec<(String, u32)> {
    let frequencies = document_frequencies(documents);
    let mut top = most_frequent(frequencies.iter().map(|(term, n)| (*term, *n)).collect(), k);
    if space.joins_words() {
        for (term, frequency) in &mut top {
            let inside = frequencies.iter().filter(|(longer, _)| is_part(term, longer));
            *frequency += inside.map(|(_, n)| n).sum::<u32>();
        }
        top = most_frequent(top, k);
    }
    top.into_iter().map(|(term, n)| (term.to_string(), n)).collect()
}

fn document_frequencies(documents: &[Vec<String>]) -> FxHashMap<&str, u32> {
    let mut frequencies = FxHashMap::default();
    for document in documents {
        let once: FxHashSet<&str> = document.iter().map(String::as_str).collect();
        once.into_iter().for_each(|term| *frequencies.entry(term).or_default() += 1);
    }
    frequencies
}

/// Sorted by frequency, then by the alphabet, so that the same documents always select the same.
fn most_frequent(mut terms: Vec<(&str, u32)>, k: usize) -> Vec<(&str, u32)> {
    terms.sort_unstable_by_key(|(term, n)| (Reverse(*n), *term));
    terms.truncate(k);
    terms
}

/// Whether a link with these stems in a space has a feature of it.
pub fn is_among(space: Space, feature: &str, terms: &[String]) -> bool {
    terms.iter().any(|term| term == feature || space.joins_words() && is_part(feature, term))
}

fn is_part(term: &str, longer: &str) -> bool {
    term.len() >= SHORTEST_PART && term != longer && longer.contains(term)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(texts: &[&str]) -> Vec<Vec<String>> {
        texts.iter().map(|text| text.split_whitespace().map(String::from).collect()).collect()
    }

    fn selected(space: Space, texts: &[&str], k: usize) -> Vec<(String, u32)> {
        select(space, &documents(texts), k)
    }

    #[test]
    fn the_stems_of_most_documents_are_selected() {
        let texts = ["search book book", "search title", "search book"];
        let expected = [("search".to_string(), 3), ("book".to_string(), 2)];
        assert_eq!(selected(Space::Anchor, &texts, 2), expected);
    }

    #[test]
    fn in_addresses_a_stem_counts_inside_of_longer_ones_too() {
        let texts = ["car find", "car", "find", "find", "usedcar", "carhir"];
        assert_eq!(selected(Space::Url, &texts, 2)[0], ("car".to_string(), 4));
        assert_eq!(selected(Space::Around, &texts, 2)[0], ("find".to_string(), 3));
    }

    #[test]
    fn a_link_has_a_feature_as_a_word_and_in_addresses_as_a_part_of_one() {
        let terms = ["usedcar".to_string()];
        assert!(is_among(Space::Url, "car", &terms) && is_among(Space::Anchor, "usedcar", &terms));
        assert!(!is_among(Space::Anchor, "car", &terms) && !is_among(Space::Url, "book", &terms));
    }

    #[test]
    fn ties_are_broken_by_the_alphabet_and_short_stems_are_no_parts() {
        let texts = ["us", "bus", "museum"];
        let names: Vec<String> = selected(Space::Path, &texts, 3).into_iter().map(|(term, _)| term).collect();
        assert_eq!(names, ["bus", "museum", "us"]);
        assert_eq!(selected(Space::Url, &[], 5), []);
    }
}
