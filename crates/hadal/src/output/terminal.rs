//! Capabilities of a terminal: width and colour.

use crate::choice::Choice;
use std::io::IsTerminal;

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

impl Choice for Color {
    const CHOICES: &'static [(Color, &'static str, &'static str)] = &[
        (Color::Auto, "auto", "On a terminal, unless NO_COLOR is set"),
        (Color::Always, "always", "Always"),
        (Color::Never, "never", "Never"),
    ];
}

impl Color {
    /// True if a stream gets colour.
    pub fn applies(self, terminal: bool, no_color: bool) -> bool {
        match self {
            Color::Auto => terminal && !no_color,
            Color::Always => true,
            Color::Never => false,
        }
    }
}

/// Capabilities of an output stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Width of the terminal in columns; `None` if it is not a terminal.
    pub width: Option<u16>,
    pub color: bool,
}

impl Screen {
    pub fn stdout(color: Color) -> Screen {
        Screen::of(std::io::stdout().is_terminal(), color)
    }

    pub fn stderr(color: Color) -> Screen {
        Screen::of(std::io::stderr().is_terminal(), color)
    }

    /// A file, without width and colour.
    pub fn file() -> Screen {
        Screen { width: None, color: false }
    }

    fn of(terminal: bool, color: Color) -> Screen {
        // The NO_COLOR convention requires a non-empty value.
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let width = terminal.then(|| terminal_size::terminal_size().map_or(80, |(width, _)| width.0));
        Screen { width, color: color.applies(terminal, no_color) }
    }

    /// Colours text of the program itself. Not for text from the web.
    pub fn paint(self, paint: Paint, words: &str) -> String {
        let code = match paint {
            Paint::Good => "32",
            Paint::Doubtful => "33",
            Paint::Bad => "31",
        };
        if self.color { format!("\u{1b}[{code}m{words}\u{1b}[0m") } else { words.to_string() }
    }
}

/// Meaning of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    Good,
    /// Style of a warning.
    Doubtful,
    /// Style of an error.
    Bad,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_needs_a_terminal_and_leave_unless_asked_for() {
        assert!(Color::Auto.applies(true, false));
        assert!(!Color::Auto.applies(true, true));
        assert!(!Color::Auto.applies(false, false));
        assert!(Color::Always.applies(false, true));
        assert!(!Color::Never.applies(true, false));
    }
}
