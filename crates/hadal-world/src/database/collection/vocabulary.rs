//! Invented words with the frequency distribution of real ones.
//!
//! The word of rank `r` (from 0) has a probability proportional to `(r + q)^-s` (Zipf-Mandelbrot). The most
//! frequent words are English function words, so that stop word lists apply.

use super::Script;
use crate::random::{SeededRng, mix};

/// Function words of English, most frequent first.
const FUNCTION_WORDS: [&str; 60] = [
    "the", "of", "and", "in", "to", "a", "for", "with", "is", "on", "by", "as", "that", "was", "are", "from",
    "at", "be", "an", "or", "this", "were", "it", "which", "not", "have", "has", "their", "but", "its",
    "been", "his", "had", "they", "all", "more", "than", "other", "can", "into", "who", "these", "some",
    "when", "after", "no", "her", "over", "most", "such", "there", "about", "between", "only", "under",
    "where", "during", "our", "while", "both",
];

/// Letters, syllables and endings of made-up words. Guesses.
const CONSONANTS: &[u8; 20] = b"tnrsldkmpbgvfhczjwxq";
const VOWELS: &[u8; 5] = b"aeiou";
const SYLLABLES: u32 = 100;
const ENDINGS: [&str; 8] = ["", "", "", "n", "r", "l", "m", "k"];

/// Exponent `s` of the Zipf-Mandelbrot law. Guess.
const EXPONENT: f64 = 1.05;

/// Shift `q` of the Zipf-Mandelbrot law. Guess.
const SHIFT: f64 = 2.7;

/// Sampler of ranks by the Zipf-Mandelbrot law in constant time, by the alias method. Cell `i` returns `i`
/// with probability `keeps[i]`, else `other[i]`.
pub(super) struct ZipfSampler {
    keeps: Vec<f64>,
    other: Vec<u32>,
}

impl ZipfSampler {
    pub(super) fn over(count: u32) -> ZipfSampler {
        let weight = |rank: u32| (f64::from(rank) + SHIFT).powf(-EXPONENT);
        let mean = (0..count).map(weight).sum::<f64>() / f64::from(count);
        let mut keeps: Vec<f64> = (0..count).map(|rank| weight(rank) / mean).collect();
        let mut other: Vec<u32> = (0..count).collect();
        let (mut above, mut below): (Vec<u32>, Vec<u32>) =
            (0..count).partition(|rank| keeps[*rank as usize] >= 1.0);
        while let (Some(taker), Some(giver)) = (below.pop(), above.last().copied()) {
            other[taker as usize] = giver;
            keeps[giver as usize] -= 1.0 - keeps[taker as usize];
            if keeps[giver as usize] < 1.0 {
                below.push(giver);
                above.pop();
            }
        }
        ZipfSampler { keeps, other }
    }

    pub(super) fn draw(&self, rng: &mut SeededRng) -> u32 {
        let cell = rng.below(self.keeps.len() as u32);
        if rng.unit() < self.keeps[cell as usize] { cell } else { self.other[cell as usize] }
    }
}

/// True if a word is a function word, which belongs to no subject.
pub(super) fn is_function_word(rank: u32) -> bool {
    (rank as usize) < FUNCTION_WORDS.len()
}

/// Appends the word of a rank. `form` selects its inflection.
pub(super) fn push_word(out: &mut String, rank: u32, form: u64, script: Script) {
    match script {
        Script::Spaced => push_spaced(out, rank, form),
        Script::Unspaced => push_unspaced(out, rank),
    }
}

fn push_spaced(out: &mut String, rank: u32, form: u64) {
    if let Some(word) = FUNCTION_WORDS.get(rank as usize) {
        return out.push_str(word);
    }
    let syllables = 2 + u32::from(rank >= SYLLABLES) + u32::from(rank >= SYLLABLES * SYLLABLES);
    // The factor scatters neighbouring ranks over the dictionary. It is coprime to the number of words of that length,
    // so that words stay distinct.
    let words = u64::from(SYLLABLES).pow(syllables);
    let mut left = (u64::from(rank) + 77) * 7_654_321 % words;
    for _ in 0..syllables {
        let syllable = (left % u64::from(SYLLABLES)) as usize;
        out.push(CONSONANTS[syllable / 5] as char);
        out.push(VOWELS[syllable % 5] as char);
        left /= u64::from(SYLLABLES);
    }
    out.push_str(ENDINGS[(mix(u64::from(rank), 3) % 8) as usize]);
    out.push_str(["", "", "", "", "", "s", "ed", "ing"][(form % 8) as usize]);
}

/// Appends one character for frequent words, two or three for the others.
fn push_unspaced(out: &mut String, rank: u32) {
    // First of the CJK unified ideographs, and the number of characters used. Guess.
    const FIRST: u32 = 0x4e00;
    const CHARACTERS: u32 = 2_000;
    let character = |number: u32| char::from_u32(FIRST + number % CHARACTERS * 7).unwrap_or('一');
    if rank < 60 {
        return out.push(character(rank));
    }
    out.push(character(rank * 31));
    out.push(character(60 + rank / CHARACTERS * 17 + rank));
    if rank > 20_000 {
        out.push(character(rank / 7));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn words_of_different_ranks_differ() {
        let words: HashSet<String> = (0..200_000)
            .map(|rank| {
                let mut word = String::new();
                push_word(&mut word, rank, 0, Script::Spaced);
                word
            })
            .collect();
        assert_eq!(words.len(), 200_000);
    }

    #[test]
    fn frequencies_follow_the_law() {
        let ranks = ZipfSampler::over(10_000);
        let mut rng = SeededRng::new(1, 1);
        let mut counts = vec![0.0f64; 10_000];
        (0..400_000).for_each(|_| counts[ranks.draw(&mut rng) as usize] += 1.0);
        let expected = |a: f64, b: f64| ((a + SHIFT) / (b + SHIFT)).powf(-EXPONENT);
        assert!((counts[0] / counts[10] / expected(0.0, 10.0) - 1.0).abs() < 0.1);
        let (early, late): (f64, f64) = (counts[100..110].iter().sum(), counts[1000..1010].iter().sum());
        assert!((early / late / expected(105.0, 1005.0) - 1.0).abs() < 0.3, "{early} {late}");
    }
}
