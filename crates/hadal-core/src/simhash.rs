//! 64-bit simhash: fingerprints of similar texts differ in few bits.

use crate::text::words::{TextRun, each_run_while};
use xxhash_rust::xxh3::xxh3_64;

/// Fingerprint of a text. Each bit is the majority of that bit over the hashes of all sequences of three
/// words. Texts of one or two words have a single hash.
pub fn simhash(text: &str) -> u64 {
    let mut words = Vec::with_capacity(text.len() / 6);
    each_word(text, |word| words.push(xxh3_64(word.as_bytes())));
    let mut votes = BitVotes::default();
    for triple in words.windows(3.min(words.len().max(1))) {
        let mix = |hash: u64, word: &u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        votes.add(triple.iter().fold(0, mix));
    }
    votes.majority()
}

/// Calls `each` with the words of a text in lower case. In scripts without spaces each character is a word.
fn each_word(text: &str, mut each: impl FnMut(&str)) {
    each_run_while(text, |run| {
        match run {
            TextRun::Plain(word) => each(word),
            TextRun::Long(run) | TextRun::NonAscii(run) => each_word_of_run(run, &mut each),
        }
        true
    });
}

fn each_word_of_run(run: &str, each: &mut impl FnMut(&str)) {
    let mut word = String::new();
    for c in run.chars() {
        let stands_alone = c >= '\u{2e80}';
        if !stands_alone && c.is_alphanumeric() {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            each(&word);
            word.clear();
        }
        if stands_alone && c.is_alphanumeric() {
            each(c.encode_utf8(&mut [0; 4]));
        }
    }
    if !word.is_empty() {
        each(&word);
    }
}

/// Number of hashes that have each bit set. Eight 8-bit counters share a `u64`; they are added to 32-bit
/// counters before they overflow.
#[derive(Default)]
struct BitVotes {
    narrow: [u64; 8],
    pending: u32,
    wide: [[u32; 8]; 8],
    total: u32,
}

impl BitVotes {
    fn add(&mut self, hash: u64) {
        for (bit, counters) in self.narrow.iter_mut().enumerate() {
            *counters += hash >> bit & 0x0101_0101_0101_0101;
        }
        self.pending += 1;
        if self.pending == 255 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        for (bit, counters) in self.narrow.iter_mut().enumerate() {
            for (byte, count) in std::mem::take(counters).to_le_bytes().into_iter().enumerate() {
                self.wide[byte][bit] += u32::from(count);
            }
        }
        self.total += std::mem::take(&mut self.pending);
    }

    /// Bits that more than half of the hashes have.
    fn majority(mut self) -> u64 {
        self.flush();
        let is_set = |count: &u32| u64::from(*count > self.total / 2);
        self.wide.iter().flatten().enumerate().fold(0, |bits, (bit, count)| bits | is_set(count) << bit)
    }
}

/// Hamming distance of two fingerprints. Up to 3 means near-duplicates.
pub fn distance(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(n: usize, changed: usize) -> String {
        (0..n).map(|i| if i == changed { "changed ".to_string() } else { format!("word{i} ") }).collect()
    }

    #[test]
    fn one_word_in_a_thousand_changes_at_most_3_bits() {
        assert!(distance(simhash(&text(1000, 1000)), simhash(&text(1000, 500))) <= 3);
    }

    #[test]
    fn different_texts_are_far_apart() {
        let other: String = (0..1000).map(|i| format!("term{i} ")).collect();
        assert!(distance(simhash(&text(1000, 1000)), simhash(&other)) > 15);
    }

    #[test]
    fn empty_and_tiny_texts_have_a_fingerprint() {
        assert_eq!(simhash(""), 0);
        assert_ne!(simhash("one"), simhash("two"));
    }
}
