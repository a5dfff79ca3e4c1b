//! Word classes: kinds of words that a form may or may not index, such as stop words or numbers.
//!
//! Many forms do not index stop words, short words or numbers: such a query returns nothing although seen
//! records contain the word. Let `found` of the `sent` words of a class have returned records. The
//! probability that another word of the class does is `(found / sent)^2`, because a form mostly treats all
//! words of a class alike. Below `found / sent = 0.4` the class counts as not indexed.
//!
//! In scripts without spaces, words of the records are pairs of characters. A form may index words by a
//! dictionary. Then it finds some pairs of a class and not others, so the probability is `found / sent`
//! however low it is.

use crate::text::frequency::ENGLISH;
use crate::text::language::Language;
use crate::text::words::is_unspaced;

/// Words that a form may treat alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordClass {
    /// One of the most frequent English stop words, which every stop list holds.
    CommonStop,
    /// Another stop word.
    Stop,
    /// Word of digits only.
    Number,
    /// Word of one character.
    OneLetter,
    /// Word of two characters.
    TwoLetters,
    /// Word of three characters.
    ThreeLetters,
    /// Any other word.
    Plain,
    /// Pair of Chinese characters.
    Ideographs,
    /// Pair of letters of another script without spaces.
    UnspacedLetters,
    /// Pair of a Chinese character and another letter.
    MixedPair,
}

/// Rank among English words below which a stop word is a common one. Guess.
const COMMON_RANK: u32 = 60;

impl WordClass {
    /// True for classes of scripts without spaces.
    pub fn is_unspaced(self) -> bool {
        matches!(self, WordClass::Ideographs | WordClass::UnspacedLetters | WordClass::MixedPair)
    }

    /// Class of a word.
    pub fn of(word: &str, language: &Language) -> WordClass {
        let is_stop = word.len() > 1 && language.is_stop(word);
        match word.chars().count() {
            _ if word.bytes().all(|b| b.is_ascii_digit()) => WordClass::Number,
            _ if is_stop && ENGLISH.rank(word).is_some_and(|rank| rank < COMMON_RANK) => {
                WordClass::CommonStop
            }
            _ if is_stop => WordClass::Stop,
            _ if word.chars().all(is_unspaced) && word.chars().count() > 1 => unspaced_class(word),
            0 | 1 => WordClass::OneLetter,
            2 => WordClass::TwoLetters,
            3 => WordClass::ThreeLetters,
            _ => WordClass::Plain,
        }
    }
}

/// Class of a word in a script without spaces.
fn unspaced_class(word: &str) -> WordClass {
    match word.chars().filter(|c| is_ideograph(*c)).count() {
        0 => WordClass::UnspacedLetters,
        ideographs if ideographs == word.chars().count() => WordClass::Ideographs,
        _ => WordClass::MixedPair,
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3005}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// Share `found / sent` below which a class counts as not indexed, and the probability of its words then.
/// Guesses.
const MIN_ANSWERED: f64 = 0.4;
const P_UNINDEXED_CLASS: f64 = 0.001;

/// Initial (`found`, `sent`) of the classes. A common or other stop word starts with the probability
/// `(1 / 1.2)^2 = 0.69`, a plain word with 0.99, any other with 0.94. `sent` is the weight of that start in
/// words. Guesses; a form that drops words drops stop words first.
const COMMON_STOP_PRIOR: (f64, f64) = (1.0, 1.2);
const STOP_PRIOR: (f64, f64) = (1.5, 1.8);
const PLAIN_PRIOR: (f64, f64) = (20.0, 20.1);
const OTHER_PRIOR: (f64, f64) = (3.0, 3.1);

/// Answered and queried words of each class.
#[derive(Clone, Debug)]
pub struct IndexedClasses {
    /// (`found`, `sent`) by class.
    counts: [(f64, f64); 10],
}

impl Default for IndexedClasses {
    fn default() -> IndexedClasses {
        let mut counts = [OTHER_PRIOR; 10];
        counts[WordClass::CommonStop as usize] = COMMON_STOP_PRIOR;
        counts[WordClass::Stop as usize] = STOP_PRIOR;
        counts[WordClass::Plain as usize] = PLAIN_PRIOR;
        IndexedClasses { counts }
    }
}

impl IndexedClasses {
    /// Probability that the form returns records for a word of the class that seen records contain.
    pub fn probability(&self, class: WordClass) -> f64 {
        let (answered, queried) = self.counts[class as usize];
        if class.is_unspaced() {
            return answered / queried;
        }
        if answered < MIN_ANSWERED * queried { P_UNINDEXED_CLASS } else { (answered / queried).powi(2) }
    }

    /// Learns from a word that seen records contain. `is_answered` is true if the form returned records.
    pub fn learn(&mut self, class: WordClass, is_answered: bool) {
        let (answered, queried) = &mut self.counts[class as usize];
        *queried += 1.0;
        *answered += if is_answered { 1.0 } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_classified_by_stop_lists_digits_and_length() {
        let english = Language::of(Some("en"));
        let words = ["the", "moreover", "1984", "x", "zq", "cat", "boat", "\u{6d77}"];
        let expected = [
            WordClass::CommonStop,
            WordClass::Stop,
            WordClass::Number,
            WordClass::OneLetter,
            WordClass::TwoLetters,
            WordClass::ThreeLetters,
            WordClass::Plain,
            WordClass::OneLetter,
        ];
        assert_eq!(words.map(|word| WordClass::of(word, english)), expected);
    }

    #[test]
    fn pairs_of_characters_are_not_given_up_where_a_form_indexes_words() {
        let words = ["東京", "海", "デオ", "は京", "ไทย"];
        let expected = [
            WordClass::Ideographs,
            WordClass::OneLetter,
            WordClass::UnspacedLetters,
            WordClass::MixedPair,
            WordClass::UnspacedLetters,
        ];
        assert_eq!(words.map(|word| WordClass::of(word, Language::of(Some("ja")))), expected);
        let mut indexed = IndexedClasses::default();
        (0..30).for_each(|nth| indexed.learn(WordClass::Ideographs, nth % 3 == 0));
        assert!(indexed.probability(WordClass::Ideographs) > 0.3);
    }

    #[test]
    fn only_the_class_without_answers_is_given_up() {
        let mut indexed = IndexedClasses::default();
        let before = indexed.probability(WordClass::Stop);
        (0..3).for_each(|_| indexed.learn(WordClass::Stop, false));
        assert!(indexed.probability(WordClass::Stop) < before / 2.0);
        assert!(indexed.probability(WordClass::Plain) > 0.9);
        (0..30).for_each(|_| indexed.learn(WordClass::Stop, true));
        assert!(indexed.probability(WordClass::Stop) > 0.8);
    }
}
