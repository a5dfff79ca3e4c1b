//! Length of a run of letters and digits, computed eight bytes at a time.
//!
//! Every word of every page passes through here twice. Words have varying lengths, so a loop over single letters
//! causes a branch misprediction at the end of almost every word.

/// Characters of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunLetters {
    /// Only lower-case ASCII letters and digits.
    Lower,
    /// ASCII letters and digits with capitals.
    Mixed,
    /// Some characters are beyond ASCII.
    NonAscii,
}

/// The value 1 in each of eight bytes.
const ONES: u64 = 0x0101_0101_0101_0101;
/// Highest bit of each of eight bytes.
const HIGH: u64 = 0x80 * ONES;

/// Number of bytes at the start that belong to words (ASCII letters and digits, and all bytes beyond ASCII),
/// and the kind of these characters.
pub(super) fn run_at(bytes: &[u8]) -> (usize, RunLetters) {
    let (mut length, mut non_ascii, mut capitals) = (0, 0, 0);
    loop {
        let eight = EightBytes::of(&bytes[length..]);
        let taken = (!eight.word_bytes() & HIGH).trailing_zeros();
        // Mask of the bytes before the first separator; all bytes if there is none.
        let before = u64::MAX.checked_shr(64 - (taken & !7)).unwrap_or(0);
        non_ascii |= eight.0 & HIGH & before;
        capitals |= eight.capitals() & before;
        length += taken as usize / 8;
        if taken < 64 {
            break;
        }
    }
    let letters = match (non_ascii, capitals) {
        (0, 0) => RunLetters::Lower,
        (0, _) => RunLetters::Mixed,
        _ => RunLetters::NonAscii,
    };
    (length, letters)
}

/// Eight bytes in one register. Each test sets the highest bit of the bytes that pass.
#[derive(Clone, Copy)]
struct EightBytes(u64);

impl EightBytes {
    /// Reads the next eight bytes. Missing bytes are 0, which is a separator.
    fn of(bytes: &[u8]) -> EightBytes {
        EightBytes(match bytes.first_chunk::<8>() {
            Some(eight) => u64::from_le_bytes(*eight),
            None => bytes.iter().rev().fold(0, |eight, byte| eight << 8 | u64::from(*byte)),
        })
    }

    fn word_bytes(self) -> u64 {
        self.letters() | EightBytes(self.0 & !HIGH).between(b'0', b'9') | self.0
    }

    /// Tests for ASCII letters. Bytes beyond ASCII may pass too.
    fn letters(self) -> u64 {
        EightBytes((self.0 & !HIGH) | (0x20 * ONES)).between(b'a', b'z')
    }

    fn capitals(self) -> u64 {
        self.letters() & !(self.0 << 2) & !self.0 & HIGH
    }

    /// Tests for bytes from `first` to `last`. All bytes must be ASCII.
    fn between(self, first: u8, last: u8) -> u64 {
        let reach_first = self.0 + u64::from(0x80 - first) * ONES;
        let exceed_last = self.0 + u64::from(0x7f - last) * ONES;
        reach_first & !exceed_last & HIGH
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_run_ends_where_words_end() {
        for (text, length, letters) in [
            ("", 0, RunLetters::Lower),
            (" a", 0, RunLetters::Lower),
            ("book, new", 4, RunLetters::Lower),
            ("Book", 4, RunLetters::Mixed),
            ("isbn1999 and", 8, RunLetters::Lower),
            ("bibliotecaS, new", 11, RunLetters::Mixed),
            ("abcdefgh KNIHA", 8, RunLetters::Lower),
            ("kniha\u{2014}Kniha x", 13, RunLetters::NonAscii),
        ] {
            assert_eq!(run_at(text.as_bytes()), (length, letters), "{text}");
        }
    }

    proptest! {
        #[test]
        fn scanning_eight_bytes_at_a_time_equals_scanning_single_bytes(bytes in prop::collection::vec(any::<u8>(), 0..30)) {
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 128;
            let run: Vec<u8> = bytes.iter().copied().take_while(is_part).collect();
            let letters = match () {
                () if !run.is_ascii() => RunLetters::NonAscii,
                () if run.iter().any(u8::is_ascii_uppercase) => RunLetters::Mixed,
                () => RunLetters::Lower,
            };
            prop_assert_eq!(run_at(&bytes), (run.len(), letters));
        }
    }
}
