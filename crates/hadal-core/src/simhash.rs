//! 64-bit simhash: texts that share most of their words differ in few bits.

use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64;

/// Fingerprint of a text over its overlapping word triples; short texts use what words they have.
pub fn simhash(text: &str) -> u64 {
    let words: Vec<u64> = text.unicode_words().map(|word| xxh3_64(word.to_lowercase().as_bytes())).collect();
    let mut votes = [0i32; 64];
    for triple in words.windows(3.min(words.len().max(1))) {
        let hash = triple
            .iter()
            .fold(0, |hash: u64, word| (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for (bit, vote) in votes.iter_mut().enumerate() {
            *vote += if hash >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
    votes.iter().enumerate().fold(0, |bits, (bit, vote)| bits | (u64::from(*vote > 0) << bit))
}

/// In how many bits two fingerprints differ; up to 3 is a near-duplicate.
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
    fn one_word_in_a_thousand_barely_moves_the_fingerprint() {
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
