//! Cutting text into words.
//!
//! Runs of ASCII letters and digits are taken as they are, which is most of the web; everything else goes
//! through Unicode's word boundaries. Scripts that put no space between words become pairs of neighbouring
//! characters: they overlap, so that a word of two or more characters is always met.

use unicode_segmentation::UnicodeSegmentation;

/// Longest word that is told, in bytes; what is longer is code, not language.
const LONGEST: usize = 64;

/// Tells every word of a text, in lower case and in order.
pub fn each_word(text: &str, mut tell: impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut lower = [0u8; LONGEST];
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut is_ascii = true;
        while at < bytes.len() && (bytes[at] >= 128 || bytes[at].is_ascii_alphanumeric()) {
            is_ascii &= bytes[at] < 128;
            at += 1;
        }
        match &bytes[start..at] {
            [] => at += 1,
            run if is_ascii && run.len() <= LONGEST => {
                let word = &mut lower[..run.len()];
                word.copy_from_slice(run);
                word.make_ascii_lowercase();
                tell(std::str::from_utf8(word).expect("ASCII is UTF-8"));
            }
            _ if is_ascii => {}
            _ => each_foreign(&text[start..at], &mut tell),
        }
    }
}

/// Words of a run that is not all ASCII.
fn each_foreign(run: &str, tell: &mut impl FnMut(&str)) {
    let run = run.to_lowercase();
    let mut unspaced = String::new();
    for word in run.unicode_words().chain([""]) {
        if !word.is_empty() && word.chars().all(is_unspaced) {
            unspaced.push_str(word);
            continue;
        }
        each_pair(&unspaced, tell);
        unspaced.clear();
        if !word.is_empty() && word.len() <= LONGEST {
            tell(word);
        }
    }
}

fn each_pair(run: &str, tell: &mut impl FnMut(&str)) {
    let mut starts = run.char_indices().map(|(at, _)| at).chain([run.len()]);
    let (mut first, mut second) = (starts.next().unwrap_or(0), starts.next());
    let mut pairs = 0;
    for third in starts {
        tell(&run[first..third]);
        pairs += 1;
        (first, second) = (second.unwrap_or(third), Some(third));
    }
    if pairs == 0 && !run.is_empty() {
        tell(run);
    }
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
    if part.len() <= LONGEST {
        tell(&part.to_lowercase());
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
        assert_eq!(words("\u{66f8}"), ["書".replace('書', "\u{66f8}")]);
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

    proptest! {
        #[test]
        fn any_text_is_cut_into_short_words(text in any::<String>()) {
            each_word(&text, |word| assert!(!word.is_empty() && word.len() <= LONGEST.max(4 * LONGEST)));
            each_part(&text, |part| assert!(!part.is_empty()));
        }
    }
}
