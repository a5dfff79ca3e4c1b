//! How far a run of letters and digits goes, eight bytes at a time.
//!
//! Every word of every page is measured here twice. Words are short and of all lengths, so a loop over their
//! letters would have the processor guess wrong at the end of nearly each.

/// What a run is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunLetters {
    /// Small letters of ASCII and digits.
    Small,
    /// The same and capitals.
    Capital,
    /// Something beyond ASCII.
    Foreign,
}

/// One in each of eight bytes.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each of eight bytes.
const HIGH: u64 = 0x80 * ONES;

/// How many bytes at the beginning are part of words (ASCII letters and digits, everything beyond ASCII), and
/// what they are.
pub(super) fn run_at(bytes: &[u8]) -> (usize, RunLetters) {
    let (mut length, mut foreign, mut capitals) = (0, 0, 0);
    loop {
        let eight = EightBytes::of(&bytes[length..]);
        let taken = (!eight.parts_of_words() & HIGH).trailing_zeros();
        // Bits of the bytes before the first that is no part: all of them when there is none.
        let before = u64::MAX.checked_shr(64 - (taken & !7)).unwrap_or(0);
        foreign |= eight.0 & HIGH & before;
        capitals |= eight.capitals() & before;
        length += taken as usize / 8;
        if taken < 64 {
            break;
        }
    }
    let letters = match (foreign, capitals) {
        (0, 0) => RunLetters::Small,
        (0, _) => RunLetters::Capital,
        _ => RunLetters::Foreign,
    };
    (length, letters)
}

/// EightBytes bytes side by side. Answers are given in the highest bit of each.
#[derive(Clone, Copy)]
struct EightBytes(u64);

impl EightBytes {
    /// The next eight bytes; what is beyond the end is no part of a word.
    fn of(bytes: &[u8]) -> EightBytes {
        EightBytes(match bytes.first_chunk::<8>() {
            Some(eight) => u64::from_le_bytes(*eight),
            None => bytes.iter().rev().fold(0, |eight, byte| eight << 8 | u64::from(*byte)),
        })
    }

    fn parts_of_words(self) -> u64 {
        self.letters() | EightBytes(self.0 & !HIGH).between(b'0', b'9') | self.0
    }

    /// ASCII letters, and some of what is beyond ASCII.
    fn letters(self) -> u64 {
        EightBytes((self.0 & !HIGH) | (0x20 * ONES)).between(b'a', b'z')
    }

    fn capitals(self) -> u64 {
        self.letters() & !(self.0 << 2) & !self.0 & HIGH
    }

    /// Which bytes lie between two, given that all are of ASCII.
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
            ("", 0, RunLetters::Small),
            (" a", 0, RunLetters::Small),
            ("book, new", 4, RunLetters::Small),
            ("Book", 4, RunLetters::Capital),
            ("isbn1999 and", 8, RunLetters::Small),
            ("bibliotecaS, new", 11, RunLetters::Capital),
            ("abcdefgh KNIHA", 8, RunLetters::Small),
            ("kniha\u{2014}Kniha x", 13, RunLetters::Foreign),
        ] {
            assert_eq!(run_at(text.as_bytes()), (length, letters), "{text}");
        }
    }

    proptest! {
        #[test]
        fn eight_bytes_at_a_time_see_what_one_at_a_time_sees(bytes in prop::collection::vec(any::<u8>(), 0..30)) {
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 128;
            let run: Vec<u8> = bytes.iter().copied().take_while(is_part).collect();
            let letters = match () {
                () if !run.is_ascii() => RunLetters::Foreign,
                () if run.iter().any(u8::is_ascii_uppercase) => RunLetters::Capital,
                () => RunLetters::Small,
            };
            prop_assert_eq!(run_at(&bytes), (run.len(), letters));
        }
    }
}
