//! Help for options that offer a choice: what there is, and when to take it, in two columns.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hadal::choice::Choice;

/// Widest help, as for the rest of the command line.
const WIDEST: usize = 100;
/// What the help of an option is indented by.
const INDENT: usize = 10;
/// Columns that what is said of a choice needs beside its name.
const LEAST: usize = 32;

/// Parser of an option that takes one of the values of `T` by name.
pub fn choice_parser<T: Choice>() -> impl TypedValueParser<Value = T> {
    let values = T::CHOICES.iter().map(|(_, name, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(values).try_map(|name| T::from_name(&name).ok_or("unknown value"))
}

/// Names and what is said of them, as wide as the terminal allows.
pub fn choices(offers: &[(&str, &str)]) -> String {
    let terminal = terminal_size::terminal_size().map_or(WIDEST, |(width, _)| usize::from(width.0));
    columns(offers, terminal.min(WIDEST).saturating_sub(INDENT))
}

/// Side by side; where that is too narrow, one below the other.
fn columns(offers: &[(&str, &str)], width: usize) -> String {
    let longest = offers.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let beside = longest + 4 + LEAST <= width;
    let indent = if beside { longest + 4 } else { 6 };
    let mut text = String::new();
    for (name, about) in offers {
        let lines = wrapped(about, width.saturating_sub(indent).max(LEAST));
        match beside {
            true => text.push_str(&format!("\n  {name:<longest$}  ")),
            false => text.push_str(&format!("\n  {name}\n{:indent$}", "")),
        }
        text.push_str(&lines.join(&format!("\n{:indent$}", "")));
    }
    text
}

/// Words in lines of at most this width; a longer word has a line of its own.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_string());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFERED: [(&str, &str); 2] = [
        ("a", "any link at all, for those who have all the time in the world"),
        ("focused+backward+apprentice", "links of on-topic pages first, learned from examples"),
    ];

    #[test]
    fn names_and_words_stand_side_by_side() {
        let text = columns(&OFFERED, 66);
        assert_eq!(
            text,
            "\n  a                            any link at all, for those who have\
             \n                               all the time in the world\
             \n  focused+backward+apprentice  links of on-topic pages first,\
             \n                               learned from examples"
        );
        assert!(text.lines().all(|line| line.len() <= 66));
    }

    #[test]
    fn on_a_narrow_terminal_they_stand_below_each_other() {
        let text = columns(&OFFERED, 50);
        assert!(text.contains("\n  a\n      any link at all, for those who have all"), "{text}");
        assert!(text.lines().all(|line| line.len() <= 50), "{text}");
    }
}
