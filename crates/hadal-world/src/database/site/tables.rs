//! Arrangements that use tables.

use super::item::ResultItem;
use super::page::DatabasePage;

/// Records per row of a grid. Guess.
const GRID_COLUMNS: usize = 3;

impl DatabasePage<'_> {
    pub(super) fn rows(&mut self, records: &[ResultItem]) {
        self.html.open("table", &[("class", self.style.results), ("border", "1")]);
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in records.iter().flat_map(|record| &record.fields) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        self.html.open("tr", &[]);
        for name in ["#", "Title"].iter().chain(&names).chain(&["Description"]) {
            self.html.element("th", &[], name);
        }
        self.html.close("tr");
        for (at, record) in records.iter().enumerate() {
            self.html.open("tr", &[("class", ["", "alt"][at % 2])]);
            self.html.element("td", &[], &(at + 1).to_string());
            self.html.open("td", &[]);
            self.title(record);
            self.html.close("td");
            for name in &names {
                let value =
                    record.fields.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value);
                self.html.element("td", &[], value);
            }
            self.html.open("td", &[]);
            self.highlighted(&record.text);
            self.html.close("td");
            self.html.close("tr");
        }
        self.html.close("table");
    }

    pub(super) fn row_pairs(&mut self, records: &[ResultItem]) {
        self.html.open("table", &[("class", self.style.results), ("cellpadding", "2")]);
        for (at, record) in records.iter().enumerate() {
            self.html.open("tr", &[]);
            self.html.element("td", &[("rowspan", "2"), ("valign", "top")], &format!("{}.", at + 1));
            self.html.open("td", &[]);
            self.title(record);
            self.html.close("td");
            self.html.close("tr");
            self.html.open("tr", &[]);
            self.html.open("td", &[]);
            self.highlighted(&record.text);
            for (name, value) in &record.fields {
                self.html.raw("<br>");
                self.html.text(&format!("{name}: {value}"));
            }
            self.html.close("td");
            self.html.close("tr");
        }
        self.html.close("table");
    }

    pub(super) fn grid(&mut self, records: &[ResultItem]) {
        self.html.open("table", &[("width", "100%")]);
        for row in records.chunks(GRID_COLUMNS) {
            self.html.open("tr", &[]);
            for record in row {
                self.html.open("td", &[("class", self.style.class), ("valign", "top")]);
                self.title(record);
                self.html.raw("<br>");
                self.highlighted(&record.text);
                for (name, value) in &record.fields {
                    self.html.element("div", &[], &format!("{name}: {value}"));
                }
                self.html.close("td");
            }
            for _ in row.len()..GRID_COLUMNS {
                self.html.raw("<td>&nbsp;</td>");
            }
            self.html.close("tr");
        }
        self.html.close("table");
    }

    /// Writes one table per record; the title is one of the values.
    pub(super) fn sheets(&mut self, records: &[ResultItem]) {
        for record in records {
            self.html.open("table", &[("class", self.style.class)]);
            self.html.raw("<tr><th>Title</th><td>");
            self.title(record);
            self.html.raw("</td></tr>\n");
            for (name, value) in &record.fields {
                self.html.open("tr", &[]);
                self.html.element("th", &[], name);
                self.html.element("td", &[], value);
                self.html.close("tr");
            }
            if !record.text.is_empty() {
                self.html.raw("<tr><th>Summary</th><td>");
                self.highlighted(&record.text);
                self.html.raw("</td></tr>\n");
            }
            self.html.close("table");
        }
    }
}
