//! Text with folded white space: one space between words, none at the ends.
//!
//! Most text is folded already, so 16 bytes are checked at a time and copied together.

use super::limits::{self, truncate};

/// Text buffer that folds white space and holds at most [`limits::TEXT`] bytes.
#[derive(Default)]
pub(super) struct FoldedText {
    pub text: String,
    /// A space separates the next word from the text.
    gap: bool,
    /// True if text was dropped.
    pub is_full: bool,
}

impl FoldedText {
    pub fn position(&self) -> usize {
        self.text.len()
    }

    /// Separates the next word from the last one.
    pub fn break_word(&mut self) {
        self.gap = true;
    }

    pub fn push(&mut self, piece: &str) {
        let mut rest = piece;
        while !rest.is_empty() {
            let (folded, gap) = rest.split_at(folded_prefix(rest));
            self.push_folded(folded);
            rest = gap.trim_start();
            self.gap |= rest.len() < gap.len();
        }
    }

    /// Adds words that single spaces separate. Near the limit they are added word by word.
    fn push_folded(&mut self, words: &str) {
        if self.text.len() + 1 + words.len() <= limits::TEXT {
            return self.push_word(words);
        }
        for (at, word) in words.split(' ').enumerate() {
            self.gap |= at > 0;
            self.push_word(word);
        }
    }

    fn push_word(&mut self, word: &str) {
        if word.is_empty() || self.is_full {
            return;
        }
        if self.gap && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.gap = false;
        let room = limits::TEXT.saturating_sub(self.text.len());
        self.is_full = word.len() > room;
        self.text.push_str(truncate(word, room));
    }
}

/// Length in bytes of the longest prefix with single spaces between words.
fn folded_prefix(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_word =
        |at: usize| bytes.get(at).is_some_and(|&byte| BYTE_CLASSES[usize::from(byte)] == ByteClass::Word);
    let mut at = if is_word(0) { folded_stretches(bytes) } else { 0 };
    while let Some(&byte) = bytes.get(at) {
        at += match BYTE_CLASSES[usize::from(byte)] {
            ByteClass::Word => 1,
            ByteClass::Blank if at > 0 && is_word(at + 1) => 2,
            ByteClass::MaybeSpace => match text[at..].chars().next() {
                Some(c) if !c.is_whitespace() => c.len_utf8(),
                _ => return at,
            },
            ByteClass::Blank | ByteClass::Space => return at,
        };
    }
    at
}

/// Bytes that are checked together. Guess.
const STRETCH: usize = 16;

/// Same as [`folded_prefix`] for whole stretches of [`STRETCH`] bytes.
fn folded_stretches(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(stretch) = bytes[at..].first_chunk::<{ STRETCH + 1 }>()
        && is_folded(stretch)
    {
        at += STRETCH;
    }
    at
}

/// True if every byte but the last is part of a word, or a space before one.
fn is_folded(stretch: &[u8; STRETCH + 1]) -> bool {
    let parts = |byte: u8| (byte <= b' ') | (byte == 0xc2) | (byte.wrapping_sub(0xe1) < 3);
    let mut ends = false;
    for at in 0..STRETCH {
        let (byte, next) = (stretch[at], stretch[at + 1]);
        ends |= parts(byte) & ((byte != b' ') | parts(next));
    }
    !ends
}

/// Class of a byte for white space folding.
#[derive(Clone, Copy, PartialEq)]
enum ByteClass {
    /// Byte of a word.
    Word,
    /// The space character, U+0020.
    Blank,
    /// Other ASCII white space.
    Space,
    /// First byte of a multi-byte character that may be white space.
    MaybeSpace,
}

const BYTE_CLASSES: [ByteClass; 256] = {
    let mut table = [ByteClass::Word; 256];
    table[b' ' as usize] = ByteClass::Blank;
    let mut tab = b'\t';
    while tab <= b'\r' {
        table[tab as usize] = ByteClass::Space;
        tab += 1;
    }
    // First bytes of U+0085, U+00A0, U+1680, U+2000 to U+205F and U+3000.
    table[0xc2] = ByteClass::MaybeSpace;
    table[0xe1] = ByteClass::MaybeSpace;
    table[0xe2] = ByteClass::MaybeSpace;
    table[0xe3] = ByteClass::MaybeSpace;
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn white_space_folds_and_inline_pieces_join() {
        let mut folded = FoldedText::default();
        folded.push("  Old \u{a0}\n bo");
        folded.push("oks");
        folded.break_word();
        folded.push("new");
        assert_eq!(folded.text, "Old books new");
    }

    #[test]
    fn every_white_space_character_folds() {
        for space in (0..=0x3000u32).filter_map(char::from_u32).filter(|c| c.is_whitespace()) {
            let mut folded = FoldedText::default();
            folded.push(&format!("{space}one{space}{space}two three{space} four {space}"));
            folded.push("five");
            assert_eq!(folded.text, "one two three four five", "{space:?}");
        }
        assert!((0x3001..=0x10ffff).filter_map(char::from_u32).all(|c| !c.is_whitespace()));
    }

    #[test]
    fn a_full_text_ends_inside_a_word() {
        let mut folded = FoldedText::default();
        folded.push(&"x".repeat(limits::TEXT - 7));
        folded.push(" one two three");
        folded.push("more");
        assert!(folded.is_full && folded.text.len() == limits::TEXT && folded.text.ends_with("x one tw"));
    }

    proptest! {
        #[test]
        fn folding_many_bytes_at_once_equals_folding_word_by_word(pieces in prop::collection::vec("[a \t\u{e1}\u{a0}\u{2003}\u{3001}]{0,50}", 0..4)) {
            let (mut folded, mut slowly) = (FoldedText::default(), FoldedText::default());
            for piece in &pieces {
                folded.push(piece);
                for (at, word) in piece.split(char::is_whitespace).enumerate() {
                    slowly.gap |= at > 0;
                    slowly.push_word(word);
                }
            }
            prop_assert_eq!((&folded.text, folded.gap), (&slowly.text, slowly.gap));
        }
    }
}
