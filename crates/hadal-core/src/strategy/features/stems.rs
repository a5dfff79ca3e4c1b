//! Selection of stems from training examples, and fast search for the selected stems in a link.

use super::{LinkPart, each_term};
use crate::page::LinkContext;
use crate::text::terms::term_of;
use memchr::memmem::Finder;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use url::Url;

/// Shortest stem that is searched for inside longer words. Guess: shorter ones match by chance.
const MIN_INNER_STEM: usize = 3;

/// Automatic feature selection (ACHE paper, algorithm 2): the `k` stems with the highest document frequency, most
/// frequent first, each with that frequency.
///
/// URLs join words without a separator. So in a URL each of the `k` most frequent stems also gets the frequency of
/// every longer stem that contains it (lines 7 to 14; `car` is in `usedcar`).
pub fn select_stems(part: LinkPart, documents: &[Vec<String>], k: usize) -> Vec<(String, u32)> {
    let frequencies = document_frequencies(documents);
    let mut top = most_frequent(frequencies.iter().map(|(stem, n)| (*stem, *n)).collect(), k);
    if part.joins_words() {
        for (stem, frequency) in &mut top {
            let longer = frequencies.iter().filter(|(longer, _)| is_inner_stem(stem, longer));
            *frequency += longer.map(|(_, n)| n).sum::<u32>();
        }
        top = most_frequent(top, k);
    }
    top.into_iter().map(|(stem, n)| (stem.to_string(), n)).collect()
}

fn document_frequencies(documents: &[Vec<String>]) -> FxHashMap<&str, u32> {
    let mut frequencies = FxHashMap::default();
    for document in documents {
        let once: FxHashSet<&str> = document.iter().map(String::as_str).collect();
        once.into_iter().for_each(|stem| *frequencies.entry(stem).or_default() += 1);
    }
    frequencies
}

/// The `k` most frequent stems; ties in alphabetical order, so that the result is reproducible.
fn most_frequent(mut stems: Vec<(&str, u32)>, k: usize) -> Vec<(&str, u32)> {
    stems.sort_unstable_by_key(|(stem, n)| (Reverse(*n), *stem));
    stems.truncate(k);
    stems
}

/// True if `stems` contain `stem`, in a URL also as part of a longer stem.
pub fn contains_stem(part: LinkPart, stem: &str, stems: &[String]) -> bool {
    stems.iter().any(|other| other == stem || part.joins_words() && is_inner_stem(stem, other))
}

/// True if `longer` contains `stem` and is not equal to it.
pub fn is_inner_stem(stem: &str, longer: &str) -> bool {
    stem.len() >= MIN_INNER_STEM && stem != longer && longer.contains(stem)
}

/// Finds selected stems in one part of a link. It does not stem, and it does not allocate for a plain URL.
#[derive(Clone, Debug)]
pub struct StemMatcher {
    part: LinkPart,
    terms: Vec<u32>,
    /// Finders of the stems inside longer words; empty where words are not joined.
    inner: Vec<Finder<'static>>,
}

impl StemMatcher {
    /// Maximum number of stems of one matcher: matches are the bits of a `u64`.
    pub const MAX_STEMS: usize = 64;

    /// A matcher of the first [`StemMatcher::MAX_STEMS`] stems.
    pub fn new<'a>(part: LinkPart, stems: impl IntoIterator<Item = &'a str>) -> StemMatcher {
        let stems: Vec<&str> = stems.into_iter().take(StemMatcher::MAX_STEMS).collect();
        let inner = stems.iter().filter(|_| part.joins_words()).map(|stem| Finder::new(stem).into_owned());
        StemMatcher { part, inner: inner.collect(), terms: stems.iter().map(|stem| term_of(stem)).collect() }
    }

    /// Number of stems.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// True if the matcher has no stems.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Stems that a link contains: bit n is set for the nth stem.
    pub fn find(&self, url: &Url, context: &LinkContext) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let mut found = 0;
        each_term(self.part, url, context, |word, term| {
            found |= self.match_whole(term) | self.match_inner(word);
        });
        found
    }

    fn match_inner(&self, word: &str) -> u64 {
        let mut found = 0;
        for (n, finder) in self.inner.iter().enumerate() {
            let length = finder.needle().len();
            let fits = length >= MIN_INNER_STEM && length < word.len();
            if fits && finder.find(word.as_bytes()).is_some() {
                found |= 1 << n;
            }
        }
        found
    }

    fn match_whole(&self, term: u32) -> u64 {
        let same = self.terms.iter().map(|own| u64::from(*own == term));
        same.enumerate().fold(0, |found, (n, same)| found | same << n)
    }
}

#[cfg(test)]
mod tests {
    use super::super::stems_of;
    use super::*;

    fn documents(texts: &[&str]) -> Vec<Vec<String>> {
        texts.iter().map(|text| text.split_whitespace().map(String::from).collect()).collect()
    }

    fn selected(part: LinkPart, texts: &[&str], k: usize) -> Vec<(String, u32)> {
        select_stems(part, &documents(texts), k)
    }

    fn link(url: &str, words: [&str; 3]) -> (Url, LinkContext) {
        let [anchor, before, after] = words.map(String::from);
        (Url::parse(url).unwrap(), LinkContext { anchor, before, after, ..LinkContext::default() })
    }

    fn found(part: LinkPart, stems: &[&str], link: &(Url, LinkContext)) -> u64 {
        StemMatcher::new(part, stems.iter().copied()).find(&link.0, &link.1)
    }

    #[test]
    fn the_stems_of_most_documents_are_selected() {
        let texts = ["search book book", "search title", "search book"];
        let expected = [("search".to_string(), 3), ("book".to_string(), 2)];
        assert_eq!(selected(LinkPart::Anchor, &texts, 2), expected);
    }

    #[test]
    fn in_urls_a_stem_counts_inside_longer_ones_too() {
        let texts = ["car find", "car", "find", "find", "usedcar", "carhir"];
        assert_eq!(selected(LinkPart::Url, &texts, 2)[0], ("car".to_string(), 4));
        assert_eq!(selected(LinkPart::Around, &texts, 2)[0], ("find".to_string(), 3));
    }

    #[test]
    fn a_stem_is_contained_as_a_word_and_in_urls_as_part_of_one() {
        let stems = ["usedcar".to_string()];
        assert!(
            contains_stem(LinkPart::Url, "car", &stems) && contains_stem(LinkPart::Anchor, "usedcar", &stems)
        );
        assert!(
            !contains_stem(LinkPart::Anchor, "car", &stems) && !contains_stem(LinkPart::Url, "book", &stems)
        );
    }

    #[test]
    fn ties_are_in_alphabetical_order_and_short_stems_do_not_count_inside_others() {
        let texts = ["us", "bus", "museum"];
        let names: Vec<String> =
            selected(LinkPart::Path, &texts, 3).into_iter().map(|(stem, _)| stem).collect();
        assert_eq!(names, ["bus", "museum", "us"]);
        assert_eq!(selected(LinkPart::Url, &[], 5), []);
    }

    #[test]
    fn a_matcher_finds_exactly_the_stems_of_the_link() {
        let link = link(
            "http://www.city-library.org/Catalogues/search.php?books=1",
            ["Search our Collections", "one two three four five poets drama", "fiction maps a b c essays"],
        );
        for part in [LinkPart::Url, LinkPart::Path, LinkPart::Anchor, LinkPart::Around] {
            let stems = stems_of(part, &link.0, &link.1);
            assert!(stems.len() > 1);
            for stem in &stems {
                assert_eq!(found(part, &[stem], &link), 1, "{stem} in {part:?}");
            }
            assert_eq!(found(part, &["essay", "two", "www", "org", "php"], &link), 0, "{part:?}");
        }
    }

    #[test]
    fn each_stem_has_its_own_bit() {
        let link = link("http://a.org/", ["used cars search", "", ""]);
        assert_eq!(found(LinkPart::Anchor, &["search", "book", "car"], &link), 0b101);
    }

    #[test]
    fn in_urls_a_stem_is_found_inside_words() {
        let link = link("http://usedcars.com/BookFinder", ["usedcars", "", ""]);
        assert_eq!(found(LinkPart::Url, &["car", "book", "us", "com"], &link), 0b11);
        assert_eq!(found(LinkPart::Anchor, &["car"], &link), 0);
    }

    #[test]
    fn surplus_stems_are_ignored() {
        let stems: Vec<String> = (0..100).map(|n| format!("stem{n}")).collect();
        let matcher = StemMatcher::new(LinkPart::Anchor, stems.iter().map(String::as_str));
        assert_eq!(matcher.len(), StemMatcher::MAX_STEMS);
        let empty = StemMatcher::new(LinkPart::Url, []);
        assert_eq!(empty.find(&link("http://a.org/", [""; 3]).0, &LinkContext::default()), 0);
    }
}
