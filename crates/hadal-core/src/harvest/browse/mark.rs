//! What the links of a list to browse say: a letter, a year, a stretch of either.

/// What one link says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrowseLabel {
    /// A single letter of any script.
    Letter,
    /// A number that is no day and hardly a page: a year, say.
    Number,
    /// From one to another: `A-C`, `100-199`, `1990s`.
    Stretch,
}

/// Numbers up to this are days of a month and numbers of pages.
const SMALL: u32 = 31;
/// Letters of either end of a stretch.
const LONG_END: usize = 3;

impl BrowseLabel {
    /// What a label says, if it is a mark at all.
    pub fn of(label: &str) -> Option<BrowseLabel> {
        let label = label.trim().trim_matches(['[', ']', '(', ')', '.', '|', ' ']);
        let mut letters = label.chars();
        if let (Some(letter), None) = (letters.next(), letters.next()) {
            return letter.is_alphabetic().then_some(BrowseLabel::Letter);
        }
        if is_number(label) {
            return label.parse::<u32>().ok().filter(|number| *number > SMALL).map(|_| BrowseLabel::Number);
        }
        is_stretch(label).then_some(BrowseLabel::Stretch)
    }
}

fn is_stretch(label: &str) -> bool {
    if label.strip_suffix('s').is_some_and(|decade| decade.len() == 4 && is_number(decade)) {
        return true;
    }
    let ends = label.split_once(['-', '\u{2013}', '\u{2014}', '\u{2026}']);
    let Some((first, last)) = ends.map(|(first, last)| (first.trim(), last.trim())) else { return false };
    let is_word =
        |end: &str| (1..=LONG_END).contains(&end.chars().count()) && end.chars().all(char::is_alphabetic);
    let are_alike = is_number(first) && is_number(last) || is_word(first) && is_word(last);
    are_alike && follows(first, last)
}

/// Whether the second end lies behind the first.
fn follows(first: &str, last: &str) -> bool {
    match (first.parse::<u32>(), last.parse::<u32>()) {
        (Ok(first), Ok(last)) => first < last,
        _ => first.to_lowercase() < last.to_lowercase(),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_years_and_stretches_are_marks() {
        let of = |labels: &[&str]| labels.iter().map(|label| BrowseLabel::of(label)).collect::<Vec<_>>();
        assert_eq!(of(&["A", "[z]", "\u{416}"]), [Some(BrowseLabel::Letter); 3]);
        assert_eq!(of(&["1999", "120"]), [Some(BrowseLabel::Number); 2]);
        assert_eq!(
            of(&["0-9", "A-C", "Aa \u{2013} Am", "1990s", "101-200"]),
            [Some(BrowseLabel::Stretch); 5]
        );
    }

    #[test]
    fn pages_days_and_words_are_none() {
        for label in ["", "1", "12", "31", "Next", "e-mail", "well-known", "9-0", "C-A", "to", "#", "?"] {
            assert_eq!(BrowseLabel::of(label), None, "{label}");
        }
    }
}
