//! Splits text into words.
//!
//! Sequences of ASCII letters and digits are words. Other text is split at Unicode word boundaries, with shortcuts
//! for Latin, Cyrillic, Chinese and Japanese letters that give the same result. Scripts without spaces are split
//! into overlapping pairs of characters, so that a search for any word of two characters finds it.

use super::runs::{RunLetters, run_at};
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;

/// Longest word in bytes. Longer sequences are skipped, because they are code, not language. Guess.
const MAX_WORD: usize = 64;

/// Calls `visit` with every word of a text, in lower case and in order.
pub fn each_word(text: &str, mut visit: impl FnMut(&str)) {
    each_word_while(text, |word| {
        visit(word);
        true
    });
}

/// Sequence of characters between two ASCII separators.
pub(crate) enum TextRun<'a> {
    /// ASCII letters and digits, in lower case.
    Plain(&'a str),
    /// ASCII letters and digits in original case, longer than any word.
    Long(&'a str),
    /// Text with characters beyond ASCII, in original case.
    NonAscii(&'a str),
}

/// Calls `visit` with the runs of a text until it returns `false`.
pub(crate) fn each_run_while(text: &str, mut visit: impl FnMut(TextRun<'_>) -> bool) {
    let mut lower = String::new();
    let mut at = 0;
    while at < text.len() {
        let (length, letters) = run_at(&text.as_bytes()[at..]);
        let run = &text[at..at + length];
        let continues = match letters {
            _ if length == 0 => true,
            RunLetters::NonAscii => visit(TextRun::NonAscii(run)),
            _ if length > MAX_WORD => visit(TextRun::Long(run)),
            RunLetters::Lower => visit(TextRun::Plain(run)),
            RunLetters::Mixed => {
                lower.clear();
                lower.push_str(run);
                lower.make_ascii_lowercase();
                visit(TextRun::Plain(&lower))
            }
        };
        if !continues {
            return;
        }
        at += length + 1;
    }
}

/// Calls `visit` with the words of a text until it returns `false`.
pub fn each_word_while(text: &str, mut visit: impl FnMut(&str) -> bool) {
    each_run_while(text, |run| match run {
        TextRun::Plain(word) => visit(word),
        TextRun::Long(_) => true,
        TextRun::NonAscii(run) => each_non_ascii_word(run, &mut visit),
    });
}

/// Visits the words of a run that is not all ASCII. Returns `false` if `visit` did.
fn each_non_ascii_word(run: &str, visit: &mut impl FnMut(&str) -> bool) -> bool {
    if run.chars().all(|c| is_simple(c) || is_separator(c)) {
        let words = run.split(is_separator).filter(|word| !word.is_empty());
        let mut lower = String::new();
        return words.into_iter().all(|word| {
            lower.clear();
            lower.extend(word.chars().map(lower_case));
            lower.len() > MAX_WORD || visit(&lower)
        });
    }
    if run.chars().all(|c| is_ideograph(c) || is_full_width_sign(c)) {
        return each_pair(&run.replace(is_full_width_sign, ""), visit);
    }
    each_segment(run, visit)
}

/// Latin and Cyrillic letters without special rules in Unicode word segmentation and with a lower case of a single
/// letter.
fn is_simple(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '\u{C0}'..='\u{24F}' if !matches!(c, '\u{D7}' | '\u{F7}' | '\u{130}'))
        || matches!(c, '\u{400}'..='\u{481}' | '\u{48A}'..='\u{52F}')
}

/// Lower case of a simple letter. Common letters are not looked up.
fn lower_case(c: char) -> char {
    match c {
        'a'..='z' | '0'..='9' | '\u{DF}'..='\u{FF}' | '\u{430}'..='\u{45F}' => c,
        _ => c.to_lowercase().next().unwrap_or(c),
    }
}

/// Chinese and Japanese letters.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}')
}

/// Full-width punctuation of Chinese and Japanese.
fn is_full_width_sign(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{3002}' | '\u{300A}'..='\u{3011}' | '\u{FF01}' | '\u{FF08}' | '\u{FF09}' | '\u{FF0C}' | '\u{FF1F}')
}

/// Common separators beyond ASCII.
fn is_separator(c: char) -> bool {
    matches!(
        c,
        '\u{A0}' | '\u{A9}' | '\u{AB}' | '\u{BB}' | '\u{2013}' | '\u{2014}' | '\u{201C}'
            ..='\u{201E}' | '\u{2022}'
    )
}

/// Visits the words of a run by Unicode word boundaries. Returns `false` if `visit` did.
fn each_segment(run: &str, visit: &mut impl FnMut(&str) -> bool) -> bool {
    let run = run.to_lowercase();
    let mut unspaced = String::new();
    for word in run.unicode_words().chain([""]) {
        if !word.is_empty() && word.chars().all(is_unspaced) {
            unspaced.push_str(word);
            continue;
        }
        if !each_pair(&unspaced, visit) {
            return false;
        }
        unspaced.clear();
        if !word.is_empty() && word.len() <= MAX_WORD && !visit(word) {
            return false;
        }
    }
    true
}

/// Visits the overlapping pairs of characters; a single character as it is. Returns `false` if `visit` did.
fn each_pair(run: &str, visit: &mut impl FnMut(&str) -> bool) -> bool {
    let mut starts = run.char_indices().map(|(at, _)| at).chain([run.len()]);
    let (mut first, mut second) = (starts.next().unwrap_or(0), starts.next());
    let mut pairs = 0;
    for third in starts {
        if !visit(&run[first..third]) {
            return false;
        }
        pairs += 1;
        (first, second) = (second.unwrap_or(third), Some(third));
    }
    pairs > 0 || run.is_empty() || visit(run)
}

/// True for characters of scripts without spaces.
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{3005}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Calls `visit` with the words of an identifier in lower case: `searchBox_2` has `search` and `box`.
pub fn each_part(name: &str, mut visit: impl FnMut(&str)) {
    let is_letter = |c: char| c.is_alphabetic();
    for run in name.split(|c| !is_letter(c)).filter(|run| !run.is_empty()) {
        let mut start = 0;
        let mut was_lower = false;
        for (at, c) in run.char_indices() {
            if c.is_uppercase() && was_lower {
                visit_part(&run[start..at], &mut visit);
                start = at;
            }
            was_lower = c.is_lowercase();
        }
        visit_part(&run[start..], &mut visit);
    }
}

fn visit_part(part: &str, visit: &mut impl FnMut(&str)) {
    let mut lower = [0u8; MAX_WORD];
    match lower.get_mut(..part.len()) {
        Some(lower) if part.is_ascii() => {
            lower.copy_from_slice(part.as_bytes());
            lower.make_ascii_lowercase();
            visit(std::str::from_utf8(lower).expect("ASCII is UTF-8"));
        }
        Some(_) => visit(&part.to_lowercase()),
        None => {}
    }
}

/// Zeros of the decimal digits in living scripts; the other nine digits follow each. Source: Unicode category `Nd`.
const ZEROS: [char; 18] = [
    '0', '\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{a66}', '\u{ae6}', '\u{b66}', '\u{be6}', '\u{c66}',
    '\u{ce6}', '\u{d66}', '\u{e50}', '\u{ed0}', '\u{f20}', '\u{1040}', '\u{17e0}', '\u{ff10}',
];

/// Value of a decimal digit of any script in [`ZEROS`].
pub(crate) fn decimal_digit(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    ZEROS.iter().map(|zero| (c as u32).wrapping_sub(*zero as u32)).find(|digit| *digit < 10)
}

/// Text with the decimal digits of other scripts as ASCII digits.
pub(crate) fn with_ascii_digits(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let fold = |c: char| decimal_digit(c).and_then(|digit| char::from_digit(digit, 10)).unwrap_or(c);
    Cow::Owned(text.chars().map(fold).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, |word| words.push(word.to_string()));
        words
    }

    fn parts(name: &str) -> Vec<String> {
        let mut parts = Vec::new();
        each_part(name, |part| parts.push(part.to_string()));
        parts
    }

    #[test]
    fn words_are_lower_case_and_without_punctuation() {
        assert_eq!(words("Find A Book, 1999!"), ["find", "a", "book", "1999"]);
        assert_eq!(words("\u{c9}tudes \u{2014} \u{41f}\u{43e}\u{438}\u{441}\u{43a}"), ["études", "поиск"]);
    }

    #[test]
    fn scripts_without_spaces_become_overlapping_pairs() {
        assert_eq!(words("\u{641c}\u{7d22}\u{56fe}\u{4e66}"), ["搜索", "索图", "图书"]);
        assert_eq!(words("\u{66f8}"), ["\u{66f8}"]);
        assert_eq!(words("ISBN\u{756a}\u{53f7}"), ["isbn", "番号"]);
    }

    #[test]
    fn marks_stay_with_their_word() {
        assert_eq!(words("\u{916}\u{94b}\u{91c}\u{947}\u{902} ok"), ["खोजें", "ok"]);
    }

    #[test]
    fn identifiers_are_split_into_words() {
        assert_eq!(parts("ctl00$txtSearchBox_2"), ["ctl", "txt", "search", "box"]);
        assert_eq!(parts("depart-date[]"), ["depart", "date"]);
    }

    #[test]
    fn visiting_stops_on_false() {
        for text in ["one two three", "études élan été", "搜索图书馆"] {
            let mut visited = 0;
            each_word_while(text, |_| {
                visited += 1;
                visited < 2
            });
            assert_eq!(visited, 2, "{text}");
        }
    }

    fn segments(text: &str) -> Vec<String> {
        let mut segments = Vec::new();
        each_segment(text, &mut |word| {
            segments.push(word.to_string());
            true
        });
        segments
    }

    proptest! {
        #[test]
        fn simple_letters_are_split_as_by_unicode(text in "[a-zA-Z0-9\u{c0}-\u{24f}\u{400}-\u{52f}\u{a0}\u{ab}\u{2013}\u{201c}\u{2022}\u{2019}]{0,40}") {
            prop_assert_eq!(words(&text), segments(&text));
        }

        #[test]
        fn ideographs_are_paired_as_after_unicode_segmentation(text in "[\u{3041}-\u{3096}\u{30a1}-\u{30fa}\u{4e00}-\u{9fff}\u{3000}-\u{3002}\u{300a}-\u{3011}\u{ff01}\u{ff08}\u{ff0c}\u{ff1f}]{1,30}") {
            prop_assert_eq!(words(&text), segments(&text));
        }

        #[test]
        fn any_text_is_split_into_short_words(text in any::<String>()) {
            each_word(&text, |word| assert!(!word.is_empty() && word.len() <= MAX_WORD.max(4 * MAX_WORD)));
            each_part(&text, |part| assert!(!part.is_empty()));
        }
    }
}
