//! Looks for a few selected stems in a link: no stemming, no allocation for a plain address.

use super::select::SHORTEST_PART;
use super::{Space, each_term};
use crate::page::LinkContext;
use crate::text::terms::term_of;
use memchr::memmem::Finder;
use url::Url;

/// Selected stems of one space, ready to be looked for.
#[derive(Clone, Debug)]
pub struct Matcher {
    space: Space,
    numbers: Vec<u32>,
    /// The stems themselves, to be found inside of words; only where words are written together.
    parts: Vec<Finder<'static>>,
}

impl Matcher {
    /// Stems that are looked for at most: what was found fits a word of bits.
    pub const MOST: usize = 64;

    /// Looks for these stems, the first ones where there are too many.
    pub fn new<'a>(space: Space, stems: impl IntoIterator<Item = &'a str>) -> Matcher {
        let stems: Vec<&str> = stems.into_iter().take(Matcher::MOST).collect();
        let parts = stems.iter().filter(|_| space.joins_words()).map(|stem| Finder::new(stem).into_owned());
        Matcher { space, parts: parts.collect(), numbers: stems.iter().map(|stem| term_of(stem)).collect() }
    }

    /// How many stems it looks for.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether it looks for nothing.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Which stems a link has: bit n stands for the nth.
    pub fn find(&self, url: &Url, context: &LinkContext) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let mut found = 0;
        each_term(self.space, url, context, |word, term| found |= self.whole(term) | self.inside(word));
        found
    }

    /// Stems that stand inside of a longer word.
    fn inside(&self, word: &str) -> u64 {
        let mut found = 0;
        for (n, part) in self.parts.iter().enumerate() {
            let length = part.needle().len();
            let fits = length >= SHORTEST_PART && length < word.len();
            if fits && part.find(word.as_bytes()).is_some() {
                found |= 1 << n;
            }
        }
        found
    }

    fn whole(&self, term: u32) -> u64 {
        let same = self.numbers.iter().map(|number| u64::from(*number == term));
        same.enumerate().fold(0, |found, (n, same)| found | same << n)
    }
}

#[cfg(test)]
mod tests {
    use super::super::terms_of;
    use super::*;

    fn link(url: &str, words: [&str; 3]) -> (Url, LinkContext) {
        let [anchor, before, after] = words.map(String::from);
        (Url::parse(url).unwrap(), LinkContext { anchor, before, after, ..LinkContext::default() })
    }

    fn found(space: Space, stems: &[&str], link: &(Url, LinkContext)) -> u64 {
        Matcher::new(space, stems.iter().copied()).find(&link.0, &link.1)
    }

    #[test]
    fn what_terms_reads_is_what_a_matcher_finds() {
        let link = link(
            "http://www.city-library.org/Catalogues/search.php?books=1",
            ["Search our Collections", "one two three four five poets drama", "fiction maps a b c essays"],
        );
        for space in [Space::Url, Space::Path, Space::Anchor, Space::Around] {
            let terms = terms_of(space, &link.0, &link.1);
            assert!(terms.len() > 1);
            for stem in &terms {
                assert_eq!(found(space, &[stem], &link), 1, "{stem} in {space:?}");
            }
            assert_eq!(found(space, &["essay", "two", "www", "org", "php"], &link), 0, "{space:?}");
        }
    }

    #[test]
    fn each_stem_has_its_own_bit() {
        let link = link("http://a.org/", ["used cars search", "", ""]);
        assert_eq!(found(Space::Anchor, &["search", "book", "car"], &link), 0b101);
    }

    #[test]
    fn in_an_address_a_stem_is_found_inside_of_words() {
        let link = link("http://usedcars.com/BookFinder", ["usedcars", "", ""]);
        assert_eq!(found(Space::Url, &["car", "book", "us", "com"], &link), 0b11);
        assert_eq!(found(Space::Anchor, &["car"], &link), 0);
    }

    #[test]
    fn no_more_stems_are_looked_for_than_there_are_bits() {
        let stems: Vec<String> = (0..100).map(|n| format!("stem{n}")).collect();
        let matcher = Matcher::new(Space::Anchor, stems.iter().map(String::as_str));
        assert_eq!(matcher.len(), Matcher::MOST);
        assert_eq!(
            Matcher::new(Space::Url, []).find(&link("http://a.org/", [""; 3]).0, &LinkContext::default()),
            0
        );
    }
}
