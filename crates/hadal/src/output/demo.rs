//! The demo's last screen: forms found against what is known to be there.

use super::table::Table;
use super::terminal::{Paint, Screen};
use hadal_core::address::Site;
use hadal_core::identity::FormId;
use std::fmt::Write;

/// A form the demo found.
#[derive(Clone, Debug, PartialEq)]
pub struct DemoRow {
    /// Which form.
    pub form: FormId,
    /// Its site.
    pub site: Site,
    /// Names of its visible fields.
    pub fields: Vec<String>,
    /// P(searchable and of the topic), as judged.
    pub p: f32,
    /// What it really is.
    pub truth: Truth,
}

/// What the simulated web knows of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It searches the topic.
    Right,
    /// It does not; the words say what it is ("hotel search", "newsletter").
    Wrong(String),
}

/// Rows shown; a demo finds more than a screen holds.
const SHOWN: usize = 20;

/// The table of what was found, the totals, and what to do next.
pub fn render(topic: &str, found: &[DemoRow], existing: usize, next: &[String], screen: Screen) -> String {
    let mut text = String::new();
    if !found.is_empty() {
        write!(text, "{}", table(found, screen)).expect("a string takes everything");
    }
    if found.len() > SHOWN {
        text.push_str(&format!("... and {} more\n", found.len() - SHOWN));
    }
    text.push_str(&totals(topic, found, existing, screen));
    if !next.is_empty() {
        text.push_str("\nNext:\n");
        next.iter().for_each(|command| text.push_str(&format!("  {command}\n")));
    }
    text
}

fn table(found: &[DemoRow], screen: Screen) -> Table {
    let mut table = Table::new(&["form", "site", "fields", "p", "truth"], screen);
    table.right(3);
    for row in found.iter().take(SHOWN) {
        let truth = match &row.truth {
            Truth::Right => "right".to_string(),
            Truth::Wrong(what) => format!("wrong: {what}"),
        };
        let (form, p) = (row.form.to_string(), format!("{:.2}", row.p));
        table.row([form, row.site.to_string(), row.fields.join(" "), p, truth]);
    }
    table
}

fn totals(topic: &str, found: &[DemoRow], existing: usize, screen: Screen) -> String {
    let right = found.iter().filter(|row| row.truth == Truth::Right).count();
    let wrong = found.len() - right;
    let right = screen.paint(Paint::Good, &format!("{right} right"));
    let wrong =
        screen.paint(if wrong == 0 { Paint::Good } else { Paint::Doubtful }, &format!("{wrong} wrong"));
    format!("{} {topic} forms found: {right}, {wrong}; {existing} exist\n", found.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u64, truth: Truth) -> DemoRow {
        let fields = vec!["title".to_string(), "author".to_string()];
        DemoRow { form: FormId(number), site: Site(format!("shop{number}.example")), fields, p: 0.875, truth }
    }

    #[test]
    fn the_totals_tell_right_from_wrong_and_how_many_there_are() {
        let found = [row(1, Truth::Right), row(2, Truth::Wrong("newsletter".into())), row(3, Truth::Right)];
        let text = render("book", &found, 40, &["hadal forms".to_string()], Screen::file());
        assert!(text.contains("3 book forms found: 2 right, 1 wrong; 40 exist"), "{text}");
        assert!(text.contains("wrong: newsletter"), "{text}");
        assert!(text.ends_with("Next:\n  hadal forms\n"), "{text}");
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let found: Vec<DemoRow> = (0..33).map(|number| row(number, Truth::Right)).collect();
        let text = render("book", &found, 40, &[], Screen::file());
        assert!(text.contains("... and 13 more"), "{text}");
        assert!(text.contains("33 right"), "{text}");
    }

    #[test]
    fn nothing_found_is_said_plainly() {
        assert_eq!(
            render("book", &[], 40, &[], Screen::file()),
            "0 book forms found: 0 right, 0 wrong; 40 exist\n"
        );
    }
}
