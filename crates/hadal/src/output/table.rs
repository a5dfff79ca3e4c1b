//! Rows as a table, fitted to the width of the terminal.

use super::escape::for_terminal;
use super::listing::{Cell, CellKind, Column};
use super::terminal::Screen;
use super::writer::RowWriter;
use comfy_table::{Attribute, CellAlignment, ContentArrangement, Row, Table as Comfy, presets};
use std::io::{self, Write};

/// A table of text cells for a screen.
///
/// All cells are escaped here, so web content cannot control the terminal.
pub struct Table {
    table: Comfy,
    rows: usize,
}

impl Table {
    pub fn new(headings: &[&str], screen: Screen) -> Table {
        let mut table = Comfy::new();
        table.load_style(presets::NOTHING).force_no_tty();
        if let Some(width) = screen.width {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        }
        if screen.color {
            table.enforce_styling();
        }
        let heading = |name: &&str| comfy_table::Cell::new(name).add_attribute(Attribute::Bold);
        table.set_header(headings.iter().map(heading).collect::<Vec<_>>());
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        Table { table, rows: 0 }
    }

    /// Aligns a column to the right.
    pub fn right(&mut self, index: usize) {
        if let Some(column) = self.table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }

    /// Adds a row of unescaped cells.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        let mut row = Row::new();
        row.max_height(1);
        for cell in cells {
            row.add_cell(comfy_table::Cell::new(for_terminal(cell.as_ref())));
        }
        self.table.add_row(row);
        self.rows += 1;
    }

    /// Number of rows without the heading.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.table.lines().try_for_each(|line| writeln!(f, "{}", line.trim_end()))
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
            if matches!(columns[index].kind, CellKind::Count | CellKind::Measure) {
                table.right(place);
            }
        }
        TableListing { shown, table, out }
    }
}

impl<W: Write> RowWriter for TableListing<W> {
    fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        self.table.row(self.shown.iter().map(|&index| cells[index].brief()));
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
        let text = drawn(Screen { width: Some(40), color: false });
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        assert_eq!(text.lines().count(), 3, "one line per row: {text}");
    }

    #[test]
    fn only_headings_are_coloured() {
        let text = drawn(Screen { width: None, color: true });
        assert!(text.lines().next().unwrap().contains('\u{1b}'));
        assert!(!text.lines().nth(1).unwrap().contains('\u{1b}'));
    }
}
