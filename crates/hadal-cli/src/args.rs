//! Argument parsers and help texts that several commands share.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hadal::choice::Choice;

pub fn probability(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(p) if (0.0..=1.0).contains(&p) => Ok(p),
        _ => Err("expected a probability from 0 to 1".to_string()),
    }
}

/// Maximum width of help texts in columns. Guess.
const WIDEST: usize = 100;
/// Indentation of option help in columns, as clap prints it.
const INDENT: usize = 10;
/// Least width of the description column. Guess.
const MIN_DESCRIPTION_WIDTH: usize = 32;

/// Parser of an option that takes one of the values of `T` by name.
pub fn choice_parser<T: Choice>() -> impl TypedValueParser<Value = T> {
    let values = T::CHOICES.iter().map(|(_, name, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(values).try_map(|name| T::from_name(&name).ok_or("unknown value"))
}

/// Formats names and descriptions for the width of the terminal.
pub fn choices(entries: &[(&str, &str)]) -> String {
    let terminal = terminal_size::terminal_size().map_or(WIDEST, |(width, _)| usize::from(width.0));
    columns(entries, terminal.min(WIDEST).saturating_sub(INDENT))
}

/// Two columns; on a narrow terminal the description goes below the name.
fn columns(entries: &[(&str, &str)], width: usize) -> String {
    let longest = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let beside = longest + 4 + MIN_DESCRIPTION_WIDTH <= width;
    let indent = if beside { longest + 4 } else { 6 };
    let mut text = String::new();
    for (name, about) in entries {
        let lines = wrapped(about, width.saturating_sub(indent).max(MIN_DESCRIPTION_WIDTH));
        match beside {
            true => text.push_str(&format!("\n  {name:<longest$}  ")),
            false => text.push_str(&format!("\n  {name}\n{:indent$}", "")),
        }
        text.push_str(&lines.join(&format!("\n{:indent$}", "")));
    }
    text
}

/// Wraps text. A word longer than the width gets its own line.
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

    #[test]
    fn a_probability_is_between_0_and_1() {
        assert_eq!(probability("0.5"), Ok(0.5));
        for text in ["1.5", "-0.1", "NaN", "half", ""] {
            assert!(probability(text).is_err(), "{text}");
        }
    }

    const OFFERED: [(&str, &str); 2] = [
        ("a", "any link at all, for those who have all the time in the world"),
        ("focused+backward+apprentice", "links of on-topic pages first, learned from examples"),
    ];

    #[test]
    fn names_and_descriptions_are_in_two_columns() {
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
    fn on_a_narrow_terminal_descriptions_are_below_the_names() {
        let text = columns(&OFFERED, 50);
        assert!(text.contains("\n  a\n      any link at all, for those who have all"), "{text}");
        assert!(text.lines().all(|line| line.len() <= 50), "{text}");
    }
}
