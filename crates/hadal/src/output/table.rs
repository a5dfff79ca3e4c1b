//! Rows as a table, fitted to the width of the terminal.
//!
//! Ids, numbers and times are never shortened. On a narrow terminal texts are shortened first, down to
//! [`MIN_TEXT`] columns of the screen; then whole columns are left out, details first.

use super::escape::for_terminal;
use super::listing::{Cell, CellKind, Column};
use super::terminal::Screen;
use super::writer::RowWriter;
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Width down to which texts are shortened. Guess: most site names fit.
const MIN_TEXT: usize = 16;
/// Width between two columns. Guess.
const GAP: usize = 2;

/// A table of text cells for a screen.
///
/// All cells are escaped here, so web content cannot control the terminal.
pub struct Table {
    columns: Vec<TableColumn>,
    rows: Vec<Vec<String>>,
    screen: Screen,
}

/// Heading and layout of a column.
struct TableColumn {
    heading: String,
    is_right: bool,
    /// A text that may be shortened.
    is_text: bool,
    /// Left out before other columns.
    is_detail: bool,
}

impl Table {
    /// Empty table. All columns hold text, aligned to the left.
    pub fn new(headings: &[&str], screen: Screen) -> Table {
        let column = |heading: &&str| TableColumn {
            heading: heading.to_string(),
            is_right: false,
            is_text: true,
            is_detail: false,
        };
        Table { columns: headings.iter().map(column).collect(), rows: Vec::new(), screen }
    }

    /// Aligns a column of numbers to the right. They are not shortened.
    pub fn right(&mut self, index: usize) {
        self.columns[index].is_right = true;
        self.keep_whole(index);
    }

    /// Never shortens the cells of a column, such as ids.
    pub fn keep_whole(&mut self, index: usize) {
        self.columns[index].is_text = false;
    }

    /// Leaves a column out before others.
    pub fn detail(&mut self, index: usize) {
        self.columns[index].is_detail = true;
    }

    /// Adds a row of unescaped cells.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        self.rows.push(cells.into_iter().map(|cell| for_terminal(cell.as_ref()).into_owned()).collect());
    }

    /// Number of rows without the heading.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Width of each column; `None` for a column that is left out.
    fn widths(&self) -> Vec<Option<usize>> {
        let natural: Vec<usize> = (0..self.columns.len()).map(|index| self.natural_width(index)).collect();
        let is_text: Vec<bool> = self.columns.iter().map(|column| column.is_text).collect();
        let is_detail: Vec<bool> = self.columns.iter().map(|column| column.is_detail).collect();
        match self.screen.width {
            Some(width) => fit(&natural, &is_text, &is_detail, usize::from(width)),
            None => natural.into_iter().map(Some).collect(),
        }
    }

    fn natural_width(&self, index: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(index)).map(|cell| cell.width());
        cells.max().unwrap_or(0).max(self.columns[index].heading.width())
    }

    fn line(&self, cells: &[&str], widths: &[Option<usize>], paint: impl Fn(&str) -> String) -> String {
        let shown = self.columns.iter().zip(cells).zip(widths);
        let cells = shown.filter_map(|((column, cell), width)| {
            let width = (*width)?;
            let cell = shortened(cell, width);
            let space = " ".repeat(width - cell.width());
            let cell = paint(&cell);
            Some(if column.is_right { space + &cell } else { cell + &space })
        });
        cells.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_string()
    }
}

/// Widths that fit the screen. Texts share the space that is left after all other columns.
fn fit(natural: &[usize], is_text: &[bool], is_detail: &[bool], screen: usize) -> Vec<Option<usize>> {
    let least = |index: usize| if is_text[index] { natural[index].min(MIN_TEXT) } else { natural[index] };
    let mut shown: Vec<usize> = (0..natural.len()).collect();
    let needed = |shown: &[usize]| {
        shown.iter().map(|&index| least(index)).sum::<usize>() + GAP * shown.len().saturating_sub(1)
    };
    while shown.len() > 1 && needed(&shown) > screen {
        let last_detail = shown.iter().rposition(|&index| is_detail[index] && index > 0);
        shown.remove(last_detail.unwrap_or(shown.len() - 1));
    }
    // A narrow column may fit beside those that are left.
    for index in (0..natural.len()).filter(|&index| !is_detail[index]).chain(0..natural.len()) {
        let mut with_it = shown.clone();
        with_it.push(index);
        if !shown.contains(&index) && needed(&with_it) <= screen {
            shown = with_it;
            shown.sort_unstable();
        }
    }
    let mut widths = vec![None; natural.len()];
    shown.iter().for_each(|&index| widths[index] = Some(least(index).min(screen)));
    let mut spare = screen.saturating_sub(needed(&shown));
    while spare > 0 {
        let short = shown.iter().filter(|&&index| widths[index].is_some_and(|width| width < natural[index]));
        let Some(&narrowest) = short.min_by_key(|&&index| widths[index]) else { break };
        widths[narrowest] = widths[narrowest].map(|width| width + 1);
        spare -= 1;
    }
    widths
}

/// Cuts a text to a width and marks the cut.
fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_string();
    }
    let mut kept = String::new();
    let mut used = 1;
    for letter in text.chars() {
        used += letter.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(letter);
    }
    kept + "\u{2026}"
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let widths = self.widths();
        let headings: Vec<&str> = self.columns.iter().map(|column| column.heading.as_str()).collect();
        let bold = |text: &str| match self.screen.color {
            true => format!("\u{1b}[1m{text}\u{1b}[0m"),
            false => text.to_string(),
        };
        writeln!(f, "{}", self.line(&headings, &widths, bold))?;
        for row in &self.rows {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            writeln!(f, "{}", self.line(&cells, &widths, str::to_string))?;
        }
        let left_out: Vec<&str> = headings
            .iter()
            .zip(&widths)
            .filter(|(_, width)| width.is_none())
            .map(|(name, _)| *name)
            .collect();
        if left_out.is_empty() { Ok(()) } else { writeln!(f, "(columns left out: {})", left_out.join(", ")) }
    }
}

/// Writes a listing as a table. Columns without a heading are left out.
pub struct TableListing<W> {
    shown: Vec<usize>,
    table: Table,
    out: W,
}

impl<W: Write> TableListing<W> {
    /// Table of the columns that have a heading.
    pub fn new(columns: &'static [Column], screen: Screen, out: W) -> Self {
        let shown: Vec<usize> = (0..columns.len()).filter(|&i| columns[i].heading.is_some()).collect();
        let headings: Vec<&str> = columns.iter().filter_map(|column| column.heading).collect();
        let mut table = Table::new(&headings, screen);
        for (place, &index) in shown.iter().enumerate() {
            match columns[index].kind {
                CellKind::Count | CellKind::Measure => table.right(place),
                CellKind::Text | CellKind::Nested => {}
                CellKind::Word | CellKind::Time | CellKind::Flag | CellKind::Interval => {
                    table.keep_whole(place)
                }
            }
            if columns[index].is_detail {
                table.detail(place);
            }
        }
        TableListing { shown, table, out }
    }
}

impl<W: Write> RowWriter for TableListing<W> {
    fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        self.table.row(self.shown.iter().map(|&index| cells[index].table_text()));
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let mut out = self.out;
        if self.table.rows() > 0 {
            write!(out, "{}", self.table)?;
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(screen: Screen) -> String {
        let mut table = Table::new(&["site", "forms"], screen);
        table.right(1);
        table.row(["bad\u{1b}[2J.example", "7"]);
        table.row([format!("{}.example", "long".repeat(40)).as_str(), "12"]);
        table.to_string()
    }

    fn on_terminal(width: u16) -> Screen {
        Screen { width: Some(width), color: false }
    }

    #[test]
    fn without_a_terminal_it_is_plain_aligned_text() {
        let text = drawn(Screen { width: None, color: false });
        assert!(!text.contains('\u{1b}'), "{text}");
        assert!(text.contains("bad\\u{1b}[2J.example"), "{text}");
        assert!(text.contains(&"long".repeat(40)), "nothing is cut: {text}");
        let ends: Vec<usize> = text.lines().map(str::len).collect();
        assert_eq!(ends, vec![ends[0]; 3], "right-aligned numbers end together: {text}");
    }

    #[test]
    fn a_terminal_is_never_overrun() {
        let text = drawn(on_terminal(40));
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        assert_eq!(text.lines().count(), 3, "one line per row: {text}");
    }

    #[test]
    fn only_headings_are_coloured() {
        let text = drawn(Screen { width: None, color: true });
        assert!(text.lines().next().unwrap().contains('\u{1b}'));
        assert!(!text.lines().nth(1).unwrap().contains('\u{1b}'));
    }

    fn with_id(width: u16) -> String {
        let mut table = Table::new(&["form", "site", "page", "records"], on_terminal(width));
        table.keep_whole(0);
        table.detail(2);
        table.right(3);
        table.row(["00c5e1f2a9b84d37", &"s".repeat(30), &"p".repeat(50), "123456"]);
        table.to_string()
    }

    #[test]
    fn texts_are_shortened_then_columns_left_out_and_ids_and_numbers_stay_whole() {
        let wide = with_id(80);
        assert!(wide.contains("00c5e1f2a9b84d37  ") && wide.contains("\u{2026}"), "{wide}");
        assert!(!wide.contains("left out"), "{wide}");
        let narrow = with_id(50);
        assert!(narrow.contains("00c5e1f2a9b84d37") && narrow.contains("123456"), "{narrow}");
        assert!(narrow.contains("(columns left out: page)"), "{narrow}");
        let tiny = with_id(20);
        assert!(
            tiny.starts_with("form\n00c5e1f2a9b84d37\n(columns left out: site, page, records)"),
            "{tiny}"
        );
    }

    #[test]
    fn wide_letters_count_twice() {
        assert_eq!(shortened("\u{66f8}\u{7c4d}\u{691c}\u{7d22}", 5), "\u{66f8}\u{7c4d}\u{2026}");
        assert_eq!(shortened("four", 4), "four");
    }
}
