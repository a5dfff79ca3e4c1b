//! Which kinds of words a form has in its index.
//!
//! Stop words, short words or numbers are often left out: asked for, they return nothing although records
//! that have them are known. Kinds are judged as a whole, so that a few vain questions are enough.

use crate::text::frequency::ENGLISH;
use crate::text::language::Language;

/// Kinds of words that a form may treat alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of the few words that every list of stop words has.
    CommonStop,
    /// Another word that says little.
    Stop,
    /// Digits only.
    Number,
    /// One character.
    One,
    /// Two characters.
    Two,
    /// Three characters.
    Three,
    /// Any other word.
    Plain,
}

/// English stop words up to this rank are on every list.
const COMMON: u32 = 60;

impl Kind {
    /// The kind of a word.
    pub fn of(word: &str, language: &Language) -> Kind {
        let is_stop = word.len() > 1 && language.is_stop(word);
        match word.chars().count() {
            _ if word.bytes().all(|b| b.is_ascii_digit()) => Kind::Number,
            _ if is_stop && ENGLISH.rank(word).is_some_and(|rank| rank < COMMON) => Kind::CommonStop,
            _ if is_stop => Kind::Stop,
            0 | 1 => Kind::One,
            2 => Kind::Two,
            3 => Kind::Three,
            _ => Kind::Plain,
        }
    }
}

/// Share of answered words below which a kind is given up, and the chance that it has then.
const MOSTLY_NOT: f64 = 0.4;
const GIVEN_UP: f64 = 0.001;

/// How many words of each kind were answered.
#[derive(Clone, Debug)]
pub struct Indexed {
    kinds: [(f64, f64); 7],
}

impl Default for Indexed {
    /// As if a few words of every kind had been asked, all but stop words with success.
    fn default() -> Indexed {
        let mut kinds = [(3.0, 3.1); 7];
        kinds[Kind::CommonStop as usize] = (1.0, 1.2);
        kinds[Kind::Stop as usize] = (1.5, 1.8);
        kinds[Kind::Plain as usize] = (20.0, 20.1);
        Indexed { kinds }
    }
}

impl Indexed {
    /// Chance that a word of a kind is answered at all: the share that was, squared, for what holds of some
    /// words of a kind mostly holds of the rest. A kind of which most are not answered is as good as given up.
    pub fn chance(&self, kind: Kind) -> f64 {
        let (answered, asked) = self.kinds[kind as usize];
        if answered < MOSTLY_NOT * asked { GIVEN_UP } else { (answered / asked).powi(2) }
    }

    /// Takes in whether a word brought anything, of which records are known to have it.
    pub fn learn(&mut self, kind: Kind, is_answered: bool) {
        let (answered, asked) = &mut self.kinds[kind as usize];
        *asked += 1.0;
        *answered += if is_answered { 1.0 } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_of_the_kind_that_forms_tell_apart() {
        let english = Language::of(Some("en"));
        let kinds = ["the", "moreover", "1984", "x", "zq", "cat", "boat", "\u{6d77}"];
        let expected = [
            Kind::CommonStop,
            Kind::Stop,
            Kind::Number,
            Kind::One,
            Kind::Two,
            Kind::Three,
            Kind::Plain,
            Kind::One,
        ];
        assert_eq!(kinds.map(|word| Kind::of(word, english)), expected);
    }

    #[test]
    fn a_kind_that_brings_nothing_is_given_up_soon_and_alone() {
        let mut indexed = Indexed::default();
        let before = indexed.chance(Kind::Stop);
        (0..3).for_each(|_| indexed.learn(Kind::Stop, false));
        assert!(indexed.chance(Kind::Stop) < before / 2.0);
        assert!(indexed.chance(Kind::Plain) > 0.9);
        (0..30).for_each(|_| indexed.learn(Kind::Stop, true));
        assert!(indexed.chance(Kind::Stop) > 0.8);
    }
}
