//! Cutting text into words.
//!
//! Runs of ASCII letters and digits are taken as they are, which is most of the web; everything else goes
//! through Unicode's word boundaries. Scripts that put no space between words become pairs of neighbouring
//! characters: they overlap, so that a word of two or more characters is always met.

use super::runs::{RunLetters, run_at};
use unicode_segmentation::UnicodeSegmentation;

/// Longest word that is told, in bytes; what is longer is code, not language.
const LONGEST: usize = 64;

/// Tells every word of a text, in lower case and in order.
pub fn each_word(text: &str, mut tell: impl FnMut(&str)) {
    each_word_while(text, |word| {
        tell(word);
        true
    });
}

/// What stands between two characters that part words.
pub(crate) enum TextRun<'a> {
    /// RunLetters and digits of ASCII, in lower case.
    Plain(&'a str),
    /// The same as they are written, and longer than words are.
    Long(&'a str),
    /// RunLetters, digits and everything beyond ASCII, as they are written.
    Foreign(&'a str),
}

/// Tells the runs of a text until the listener has heard enough and says `false`.
pub(crate) fn each_run_while(text: &str, mut tell: impl FnMut(TextRun<'_>) -> bool) {
    let mut lower = [0u8; LONGEST];
    let mut at = 0;
    while at < text.len() {
        let (length, letters) = run_at(&text.as_bytes()[at..]);
        let run = &text[at..at + length];
        let go_on = match letters {
            _ if length == 0 => true,
            RunLetters::Foreign => tell(TextRun::Foreign(run)),
            _ if length > LONGEST => tell(TextRun::Long(run)),
            RunLetters::Small => tell(TextRun::Plain(run)),
            RunLetters::Capital => {
                let lower = &mut lower[..length];
                lower.copy_from_slice(run.as_bytes());
                lower.make_ascii_lowercase();
                tell(TextRun::Plain(std::str::from_utf8(lower).expect("ASCII is UTF-8")))
            }
        };
        if !go_on {
            return;
        }
        at += length + 1;
    }
}

/// Tells the words of a text until the listener has heard enough and says `false`.
pub fn each_word_while(text: &str, mut tell: impl FnMut(&str) -> bool) {
    each_run_while(text, |run| match run {
        TextRun::Plain(word) => tell(word),
        TextRun::Long(_) => true,
        TextRun::Foreign(run) => each_foreign(run, &mut tell),
    });
}

/// Words of a run that is not all ASCII; whether to go on.
fn each_foreign(run: &str, tell: &mut impl FnMut(&str) -> bool) -> bool {
    if run.chars().all(|c| is_simple(c) || is_gap(c)) {
        let words = run.split(is_gap).filter(|word| !word.is_empty());
        let mut lower = String::new();
        return words.into_iter().all(|word| {
            lower.clear();
            lower.extend(word.chars().map(lower_case));
            lower.len() > LONGEST || tell(&lower)
        });
    }
    if run.chars().all(|c| is_ideograph(c) || is_sign(c)) {
        return each_pair(&run.replace(is_sign, ""), tell);
    }
    each_segment(run, tell)
}

/// RunLetters that never part a word, join with others in no special way, and are no marks: Latin and Cyrillic
/// but for the few whose lower case is more than a letter.
fn is_simple(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '\u{C0}'..='\u{24F}' if !matches!(c, '\u{D7}' | '\u{F7}' | '\u{130}'))
        || matches!(c, '\u{400}'..='\u{481}' | '\u{48A}'..='\u{52F}')
}

/// The lower case of a simple letter, which is one letter. The commonest are not looked up.
fn lower_case(c: char) -> char {
    match c {
        'a'..='z' | '0'..='9' | '\u{DF}'..='\u{FF}' | '\u{430}'..='\u{45F}' => c,
        _ => c.to_lowercase().next().unwrap_or(c),
    }
}

/// Characters of Chinese and Japanese that are words of their own or part of one.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}')
}

/// Full-width signs that stand between them.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{3002}' | '\u{300A}'..='\u{3011}' | '\u{FF01}' | '\u{FF08}' | '\u{FF09}' | '\u{FF0C}' | '\u{FF1F}')
}

/// Common characters that always part words.
fn is_gap(c: char) -> bool {
    matches!(
        c,
        '\u{A0}' | '\u{A9}' | '\u{AB}' | '\u{BB}' | '\u{2013}' | '\u{2014}' | '\u{201C}'
            ..='\u{201E}' | '\u{2022}'
    )
}

/// Words of a run by Unicode's rules; whether to go on.
fn each_segment(run: &str, tell: &mut impl FnMut(&str) -> bool) -> bool {
    let run = run.to_lowercase();
    let mut unspaced = String::new();
    for word in run.unicode_words().chain([""]) {
        if !word.is_empty() && word.chars().all(is_unspaced) {
            unspaced.push_str(word);
            continue;
        }
        if !each_pair(&unspaced, tell) {
            return false;
        }
        unspaced.clear();
        if !word.is_empty() && word.len() <= LONGEST && !tell(word) {
            return false;
        }
    }
    true
}

fn each_pair(run: &str, tell: &mut impl FnMut(&str) -> bool) -> bool {
    let mut starts = run.char_indices().map(|(at, _)| at).chain([run.len()]);
    let (mut first, mut second) = (starts.next().unwrap_or(0), starts.next());
    let mut pairs = 0;
    for third in starts {
        if !tell(&run[first..third]) {
            return false;
        }
        pairs += 1;
        (first, second) = (second.unwrap_or(third), Some(third));
    }
    pairs > 0 || run.is_empty() || tell(run)
}

/// Whether a character belongs to a script that is written without spaces.
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{3005}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Tells the parts of a name that a programmer made up: `searchBox_2` is `search` and `box`.
pub fn each_part(name: &str, mut tell: impl FnMut(&str)) {
    let is_letter = |c: char| c.is_alphabetic();
    for run in name.split(|c| !is_letter(c)).filter(|run| !run.is_empty()) {
        let mut start = 0;
        let mut was_lower = false;
        for (at, c) in run.char_indices() {
            if c.is_uppercase() && was_lower {
                tell_part(&run[start..at], &mut tell);
                start = at;
            }
            was_lower = c.is_lowercase();
        }
        tell_part(&run[start..], &mut tell);
    }
}

fn tell_part(part: &str, tell: &mut impl FnMut(&str)) {
    let mut lower = [0u8; LONGEST];
    match lower.get_mut(..part.len()) {
        Some(lower) if part.is_ascii() => {
            lower.copy_from_slice(part.as_bytes());
            lower.make_ascii_lowercase();
            tell(std::str::from_utf8(lower).expect("ASCII is UTF-8"));
        }
        Some(_) => tell(&part.to_lowercase()),
        None => {}
    }
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
    fn names_come_apart_where_programmers_join_them() {
        assert_eq!(parts("ctl00$txtSearchBox_2"), ["ctl", "txt", "search", "box"]);
        assert_eq!(parts("depart-date[]"), ["depart", "date"]);
    }

    #[test]
    fn a_listener_who_has_heard_enough_is_told_no_more() {
        for text in ["one two three", "études élan été", "搜索图书馆"] {
            let mut told = 0;
            each_word_while(text, |_| {
                told += 1;
                told < 2
            });
            assert_eq!(told, 2, "{text}");
        }
    }

    proptest! {
        #[test]
        fn simple_letters_are_cut_as_unicode_cuts_them(text in "[a-zA-Z0-9\u{c0}-\u{24f}\u{400}-\u{52f}\u{a0}\u{ab}\u{2013}\u{201c}\u{2022}\u{2019}]{0,40}") {
            let mut segments = Vec::new();
            each_segment(&text, &mut |word| {
                segments.push(word.to_string());
                true
            });
            prop_assert_eq!(words(&text), segments);
        }

        #[test]
        fn ideographs_are_paired_as_after_unicodes_cut(text in "[\u{3041}-\u{3096}\u{30a1}-\u{30fa}\u{4e00}-\u{9fff}\u{3000}-\u{3002}\u{300a}-\u{3011}\u{ff01}\u{ff08}\u{ff0c}\u{ff1f}]{1,30}") {
            let mut segments = Vec::new();
            each_segment(&text, &mut |word| {
                segments.push(word.to_string());
                true
            });
            prop_assert_eq!(words(&text), segments);
        }

        #[test]
        fn any_text_is_cut_into_short_words(text in any::<String>()) {
            each_word(&text, |word| assert!(!word.is_empty() && word.len() <= LONGEST.max(4 * LONGEST)));
            each_part(&text, |part| assert!(!part.is_empty()));
        }
    }
}
