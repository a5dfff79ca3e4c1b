//! Looks for a few selected stems in a link: no stemming, no allocation for a plain address.

use super::{PLUMBING, Space, WINDOW, address_parts, first_tokens, unescaped};
use crate::page::Context;
use crate::text::terms::{Token, each_token, term_of};
use memchr::memmem::Finder;
use url::Url;

/// Stems that are looked for at most; what was found fits a word of bits.
const MOST: usize = 64;

/// Selected stems of one space, ready to be looked for.
#[derive(Clone, Debug)]
pub struct Matcher {
    space: Space,
    numbers: Vec<u32>,
    /// The stems themselves, to be found inside of words; only where words are written together.
    parts: Vec<Finder<'static>>,
}

impl Matcher {
    /// Looks for these stems, the first 64 of them.
    pub fn new<'a>(space: Space, stems: impl IntoIterator<Item = &'a str>) -> Matcher {
        let stems: Vec<&str> = stems.into_iter().take(MOST).collect();
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
    pub fn find(&self, url: &Url, context: &Context) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let mut found = 0;
        match self.space {
            Space::Url | Space::Path => {
                for part in address_parts(self.space, url) {
                    found |= self.find_in_address(part);
                }
            }
            Space::Anchor => each_token(&context.anchor, None, |_, token| found |= self.bits(token)),
            Space::Around => {
                let (mut last, mut at) = ([0; WINDOW], 0);
                each_token(&context.before, None, |_, token| {
                    last[at % WINDOW] = self.bits(token);
                    at += 1;
                });
                found = last.into_iter().fold(0, |found, bits| found | bits);
                first_tokens(&context.after, |_, token| found |= self.bits(token));
            }
        }
        found
    }

    fn find_in_address(&self, part: &str) -> u64 {
        let mut found = 0;
        each_token(&unescaped(part), None, |word, token| {
            if token.term != 0 && !PLUMBING.contains(&word) {
                found |= self.bits(token) | self.parts_of(word);
            }
        });
        found
    }

    /// Stems that stand inside of a longer word.
    fn parts_of(&self, word: &str) -> u64 {
        let mut found = 0;
        for (n, part) in self.parts.iter().enumerate() {
            let length = part.needle().len();
            let fits = length >= super::select::SHORTEST_PART && length < word.len();
            if fits && part.find(word.as_bytes()).is_some() {
                found |= 1 << n;
            }
        }
        found
    }

    fn bits(&self, token: Token) -> u64 {
        let mut found = 0;
        if token.term != 0 {
            for (n, number) in self.numbers.iter().enumerate() {
                found |= u64::from(*number == token.term) << n;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::terms_of;
    use super::*;

    fn link(url: &str, words: [&str; 3]) -> (Url, Context) {
        let [anchor, before, after] = words.map(String::from);
        (Url::parse(url).unwrap(), Context { anchor, before, after, ..Context::default() })
    }

    fn found(space: Space, stems: &[&str], link: &(Url, Context)) -> u64 {
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
        assert_eq!(matcher.len(), MOST);
        assert_eq!(
            Matcher::new(Space::Url, []).find(&link("http://a.org/", [""; 3]).0, &Context::default()),
            0
        );
    }
}
