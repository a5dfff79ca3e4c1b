//! Markup of the records on a result page: one function per arrangement, except those in `tables`.

use super::item::ResultItem;
use super::page::DatabasePage;
use crate::database::layout::Arrangement;

impl DatabasePage<'_> {
    /// Writes the records of a result page.
    pub(super) fn arrange(&mut self, records: &[ResultItem]) {
        match self.database.config.layout.arrangement {
            Arrangement::List => self.list(records),
            Arrangement::Cards => self.cards(records),
            Arrangement::Rows => self.rows(records),
            Arrangement::RowPairs => self.row_pairs(records),
            Arrangement::Definitions => self.definitions(records),
            Arrangement::Flat => self.flat(records),
            Arrangement::Grid => self.grid(records),
            Arrangement::Separated => self.separated(records),
            Arrangement::Advertised => self.advertised(records),
            Arrangement::Checkboxes => self.checkboxes(records),
            Arrangement::Paragraphs => self.paragraphs(records),
            Arrangement::Sheets => self.sheets(records),
            Arrangement::Groups => self.groups(records),
        }
    }

    fn list(&mut self, records: &[ResultItem]) {
        self.html.open("ol", &[("class", self.style.results)]);
        for record in records {
            self.html.open("li", &[("class", self.style.class)]);
            self.title(record);
            self.text_in("p", &record.text);
            self.fields_in("small", record);
            self.html.close("li");
        }
        self.html.close("ol");
    }

    fn cards(&mut self, records: &[ResultItem]) {
        self.html.open("div", &[("class", self.style.results)]);
        for (at, record) in records.iter().enumerate() {
            // Alternating classes, as used for zebra stripes.
            let class = format!("{} {}", self.style.class, ["odd", "even"][at % 2]);
            self.html.open("article", &[("class", &class)]);
            self.html.raw("<div class=\"media\">");
            let picture = ("src", "/img/thumb.png");
            match &record.href {
                Some(href) => {
                    self.html.open("a", &[("href", href)]);
                    self.html.open("img", &[picture, ("alt", "")]);
                    self.html.close("a");
                }
                None => self.html.open("img", &[picture, ("alt", "")]),
            }
            self.html.raw("</div><div class=\"body\"><h2>");
            self.title(record);
            self.html.raw("</h2>");
            self.text_in("p", &record.text);
            self.fields_in("span", record);
            if let Some(href) = &record.href {
                let details = self.wording.details;
                self.html.element("a", &[("class", "button"), ("href", href)], details);
            }
            self.html.raw("</div>");
            self.html.close("article");
        }
        self.html.close("div");
    }

    fn definitions(&mut self, records: &[ResultItem]) {
        self.html.open("dl", &[("class", self.style.results)]);
        for record in records {
            self.html.open("dt", &[]);
            self.title(record);
            self.html.close("dt");
            self.text_in("dd", &record.text);
            self.fields_in("dd", record);
        }
        self.html.close("dl");
    }

    fn flat(&mut self, records: &[ResultItem]) {
        for record in records {
            self.html.open("h3", &[]);
            self.title(record);
            self.html.close("h3");
            self.text_in("p", &record.text);
            self.fields_in("p", record);
        }
    }

    fn separated(&mut self, records: &[ResultItem]) {
        for record in records {
            self.title(record);
            self.html.raw("<br>\n");
            self.highlighted(&record.text);
            self.html.raw("<br>\n");
            self.html.text(&joined(record));
            self.html.raw("<hr>\n");
        }
    }

    fn advertised(&mut self, records: &[ResultItem]) {
        for (at, record) in records.iter().enumerate() {
            self.html.open("div", &[("class", self.style.class)]);
            self.html.raw("<h3>");
            self.title(record);
            self.html.raw("</h3>");
            self.text_in("p", &record.text);
            self.fields_in("div", record);
            self.html.close("div");
            if at % 3 == 2 {
                self.advertisement(at);
            }
        }
    }

    fn advertisement(&mut self, at: usize) {
        let href = format!("http://ads.example/click?campaign={}", at / 3 + 40);
        self.html.open("div", &[("class", &format!("{} sponsored", self.style.class))]);
        self.html.raw("<h3>");
        self.html.element("a", &[("href", &href)], "Cheap insurance for everyone");
        self.html.raw("</h3>");
        self.html.element("p", &[], "Advertisement. Compare forty offers in a minute and save.");
        self.html.close("div");
    }

    fn checkboxes(&mut self, records: &[ResultItem]) {
        self.html.open("form", &[("action", "/basket"), ("method", "post")]);
        self.html.open("ul", &[("class", self.style.results)]);
        for (at, record) in records.iter().enumerate() {
            self.html.open("li", &[]);
            self.html.open("input", &[("type", "checkbox"), ("name", "pick"), ("value", &at.to_string())]);
            self.title(record);
            self.html.raw("<br>");
            self.highlighted(&record.text);
            self.fields_in("div", record);
            self.html.close("li");
        }
        self.html.close("ul");
        self.html.open("input", &[("type", "submit"), ("name", "add"), ("value", "Add to my list")]);
        self.html.close("form");
    }

    fn paragraphs(&mut self, records: &[ResultItem]) {
        for (at, record) in records.iter().enumerate() {
            self.html.open("p", &[("class", self.style.class)]);
            self.html.text(&format!("{}. ", at + 1));
            self.html.raw("<b>");
            self.title(record);
            self.html.raw("</b> - ");
            self.highlighted(&record.text);
            self.html.raw("<br><i>");
            self.html.text(&joined(record));
            self.html.raw("</i>");
            self.html.close("p");
        }
    }

    fn groups(&mut self, records: &[ResultItem]) {
        let letter =
            |record: &&ResultItem| record.title.chars().next().map(|first| first.to_lowercase().to_string());
        let mut sorted: Vec<&ResultItem> = records.iter().collect();
        sorted.sort_by_cached_key(letter);
        for group in sorted.chunk_by(|one, other| letter(one) == letter(other)) {
            let heading = letter(&group[0]).unwrap_or_default().to_uppercase();
            self.html.element("h4", &[], &heading);
            self.html.open("ul", &[("class", self.style.results)]);
            for record in group {
                self.html.open("li", &[]);
                self.title(record);
                self.text_in("span", &record.text);
                self.fields_in("em", record);
                self.html.close("li");
            }
            self.html.close("ul");
        }
    }

    /// Writes an element with text, unless the text is empty.
    pub(super) fn text_in(&mut self, tag: &str, text: &str) {
        if !text.is_empty() {
            self.html.open(tag, &[]);
            self.highlighted(text);
            self.html.close(tag);
        }
    }

    fn fields_in(&mut self, tag: &str, record: &ResultItem) {
        if !record.fields.is_empty() {
            self.html.element(tag, &[("class", "meta")], &joined(record));
        }
    }
}

/// Names and values of the fields in one line.
fn joined(record: &ResultItem) -> String {
    let pairs: Vec<String> = record.fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    pairs.join(" | ")
}
