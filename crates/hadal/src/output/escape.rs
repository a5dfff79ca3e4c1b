//! Escaping of web content for terminals and spreadsheets.
//!
//! Titles, labels and URLs come from web pages and are not trustworthy. Unescaped, they could change the colour
//! of the terminal, hide text behind direction marks, or run as a spreadsheet formula. Every listing passes
//! through these functions.

use std::borrow::Cow;

/// Makes text safe for a terminal. Line breaks and tabs become spaces. Other control characters, escapes,
/// direction marks and zero-width characters are written as `\u{..}`.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => safe.push(' '),
            c if steers(c) => safe.extend(c.escape_unicode()),
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// True if a character changes how other characters are displayed.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}')
}

/// Escapes control characters in JSON text as `\\uXXXX`. The value stays the same.
pub fn for_json(json: String) -> String {
    if !json.chars().any(steers) {
        return json;
    }
    let mut safe = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if steers(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| safe.push_str(&format!("\\u{unit:04x}")));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Formats a CSV cell that no spreadsheet treats as a formula: text that begins with `=`, `+`, `-`, `@`, a tab
/// or a carriage return gets a leading apostrophe. Quotes as RFC 4180 requires.
pub fn for_csv(text: &str) -> Cow<'_, str> {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let quote = text.contains(['"', ',', ';', '\n', '\r']);
    match (formula, quote) {
        (false, false) => Cow::Borrowed(text),
        (true, false) => Cow::Owned(format!("'{text}")),
        (formula, true) => {
            let mark = if formula { "'" } else { "" };
            Cow::Owned(format!("\"{mark}{}\"", text.replace('"', "\"\"")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Value that a CSV reader gets from one cell.
    fn read_back(cell: &str) -> String {
        match cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(inner) => inner.replace("\"\"", "\""),
            None => cell.to_string(),
        }
    }

    #[test]
    fn json_means_the_same_and_steers_nothing() {
        let text = "\u{9b}2J \u{202e}x \u{7f} \u{e0041} \u{1b}[31m";
        let safe = for_json(serde_json::to_string(text).unwrap());
        assert!(!safe.chars().any(steers), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
    }

    #[test]
    fn a_page_title_cannot_steer_the_terminal() {
        for (from_the_web, shown) in [
            ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("abc\u{202e}gpj.exe", "abc\\u{202e}gpj.exe"),
            ("zero\u{200b}width", "zero\\u{200b}width"),
            ("bell\u{7}", "bell\\u{7}"),
            ("two\nlines\tand a tab", "two lines and a tab"),
            ("Bücher 図書 🐟", "Bücher 図書 🐟"),
        ] {
            assert_eq!(for_terminal(from_the_web), shown);
        }
    }

    #[test]
    fn a_cell_cannot_become_a_formula() {
        for (from_the_web, cell) in [
            ("=1+1", "'=1+1"),
            ("+49 30 123", "'+49 30 123"),
            ("-2", "'-2"),
            ("@sum", "'@sum"),
            ("=a,\"b\"", "\"'=a,\"\"b\"\"\""),
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
        ] {
            assert_eq!(for_csv(from_the_web), cell);
        }
    }

    proptest! {
        #[test]
        fn nothing_that_steers_passes(text in ".*", mark in any::<char>()) {
            let mixed = format!("{text}{mark}{text}");
            prop_assert!(!for_terminal(&mixed).chars().any(|c| c.is_control() || steers(c)));
        }

        #[test]
        fn escaping_twice_is_escaping_once(text in any::<String>()) {
            let once = for_terminal(&text).into_owned();
            let twice = for_terminal(&once).into_owned();
            prop_assert_eq!(twice, once);
        }

        #[test]
        fn csv_gives_the_text_back_and_never_a_formula(text in "[=+@\\-\t\r\n\",;a-z\u{e9}]{0,12}") {
            let read = read_back(&for_csv(&text));
            prop_assert!(!read.starts_with(['=', '+', '-', '@', '\t', '\r']));
            prop_assert_eq!(read.strip_prefix('\'').unwrap_or(&read), text.strip_prefix('\'').unwrap_or(&text));
        }
    }
}
