//! Final tables of the demo: forms found and records downloaded, compared with ground truth.

use super::harvested::percent;
use super::table::Table;
use super::terminal::{Paint, Screen};
use crate::harvest::truth::HarvestComparison;
use hadal_core::address::Site;
use hadal_core::identity::FormId;
use std::fmt::Write;

/// A form that the demo found.
#[derive(Clone, Debug, PartialEq)]
pub struct DemoRow {
    pub form: FormId,
    pub site: Site,
    /// Names of its visible fields.
    pub fields: Vec<String>,
    /// `p_relevant` of the form.
    pub p: f32,
    pub truth: DemoTruth,
}

/// Ground truth of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DemoTruth {
    /// A search of the topic.
    Right,
    /// Something else; the text names it ("hotel search", "newsletter").
    Wrong(String),
}

/// Maximum number of rows of a table.
const SHOWN: usize = 20;

/// Table of the forms found, and totals.
pub fn render(topic: &str, found: &[DemoRow], existing: usize, screen: Screen) -> String {
    let mut text = String::new();
    if !found.is_empty() {
        write!(text, "{}", table(found, screen)).expect("a string takes everything");
    }
    if found.len() > SHOWN {
        text.push_str(&format!("... and {} more\n", found.len() - SHOWN));
    }
    text.push_str(&totals(topic, found, existing, screen));
    text
}

/// Suggested next commands.
pub fn next_steps(next: &[String]) -> String {
    let lines: String = next.iter().map(|command| format!("  {command}\n")).collect();
    format!("\nNext:\n{lines}")
}

/// Table of the records downloaded, compared with ground truth.
pub fn render_harvests(harvests: &[HarvestComparison], screen: Screen) -> String {
    let headings = ["form", "site", "requests", "records", "right", "exist", "really", "estimated"];
    let mut table = Table::new(&headings, screen);
    table.keep_whole(0);
    (2..7).for_each(|column| table.right(column));
    table.keep_whole(7);
    [2, 4].into_iter().for_each(|column| table.detail(column));
    for compared in harvests {
        let (spec, counters) = (&compared.harvest.spec, &compared.harvest.counters);
        let estimate = compared.harvest.estimate.map(|known| known.coverage.map(percent));
        let estimated =
            estimate.map_or("unknown".to_string(), |[low, best, high]| format!("{best} ({low} to {high})"));
        table.row([
            spec.form.to_string(),
            Site::of(&spec.page).to_string(),
            counters.requests.to_string(),
            counters.records.to_string(),
            compared.right.to_string(),
            compared.exist.to_string(),
            percent(compared.coverage()),
            estimated,
        ]);
    }
    let sum = |count: fn(&HarvestComparison) -> u64| harvests.iter().map(count).sum::<u64>();
    let (right, wrong) = (sum(|one| one.right), sum(|one| one.wrong));
    let all = sum(|one| one.exist);
    let right = screen.paint(Paint::Good, &format!("{right} right"));
    let wrong =
        screen.paint(if wrong == 0 { Paint::Good } else { Paint::Doubtful }, &format!("{wrong} wrong"));
    let records = sum(|one| one.harvest.counters.records);
    format!("\n{table}{records} records downloaded: {right}, {wrong}; {all} exist behind these forms\n")
}

fn table(found: &[DemoRow], screen: Screen) -> Table {
    let mut table = Table::new(&["form", "site", "fields", "p", "truth"], screen);
    table.keep_whole(0);
    table.right(3);
    for row in found.iter().take(SHOWN) {
        let truth = match &row.truth {
            DemoTruth::Right => "right".to_string(),
            DemoTruth::Wrong(what) => format!("wrong: {what}"),
        };
        let (form, p) = (row.form.to_string(), format!("{:.2}", row.p));
        table.row([form, row.site.to_string(), row.fields.join(" "), p, truth]);
    }
    table
}

fn totals(topic: &str, found: &[DemoRow], existing: usize, screen: Screen) -> String {
    let right = found.iter().filter(|row| row.truth == DemoTruth::Right).count();
    let wrong = found.len() - right;
    let right = screen.paint(Paint::Good, &format!("{right} right"));
    let wrong =
        screen.paint(if wrong == 0 { Paint::Good } else { Paint::Doubtful }, &format!("{wrong} wrong"));
    format!("{} {topic} forms found: {right}, {wrong}; {existing} exist\n", found.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u64, truth: DemoTruth) -> DemoRow {
        let fields = vec!["title".to_string(), "author".to_string()];
        DemoRow { form: FormId(number), site: Site(format!("shop{number}.example")), fields, p: 0.875, truth }
    }

    #[test]
    fn the_totals_count_right_wrong_and_existing_forms() {
        let found = [
            row(1, DemoTruth::Right),
            row(2, DemoTruth::Wrong("newsletter".into())),
            row(3, DemoTruth::Right),
        ];
        let text = render("book", &found, 40, Screen::file());
        assert!(text.contains("3 book forms found: 2 right, 1 wrong; 40 exist"), "{text}");
        assert!(text.contains("wrong: newsletter"), "{text}");
        assert_eq!(next_steps(&["hadal forms".to_string()]), "\nNext:\n  hadal forms\n");
    }

    #[test]
    fn a_cut_list_states_the_number_of_further_rows() {
        let found: Vec<DemoRow> = (0..33).map(|number| row(number, DemoTruth::Right)).collect();
        let text = render("book", &found, 40, Screen::file());
        assert!(text.contains("... and 13 more"), "{text}");
        assert!(text.contains("33 right"), "{text}");
    }

    #[test]
    fn a_demo_without_forms_is_reported() {
        assert_eq!(
            render("book", &[], 40, Screen::file()),
            "0 book forms found: 0 right, 0 wrong; 40 exist\n"
        );
    }
}
