//! Search form of a database: text box, filter controls and hidden token.

use super::page::DatabasePage;
use crate::database::collection::column::Column;
use crate::database::config::{ControlKind, FilterControl};
use crate::database::layout::PageSizes;
use crate::database::shown::label_of;
use crate::random::mix;
use hadal_core::http::Method;

/// Maximum number of options of a select. Guess.
const MAX_OPTIONS: usize = 2_000;

/// Maximum number of radio buttons of a control. Guess.
const MAX_RADIO_BUTTONS: usize = 8;

impl DatabasePage<'_> {
    /// Writes the search form.
    pub(super) fn form(&mut self) {
        let config = &self.database.config;
        let method = if config.method == Method::Post { "post" } else { "get" };
        self.html.open("form", &[("action", self.style.action), ("method", method), ("class", "search")]);
        if config.has_box {
            let typed = self.parameters.get(self.style.words).unwrap_or_default().to_string();
            let (name, label) = (self.style.words, self.wording.words);
            self.labelled(label, name, |page| {
                page.html.open("input", &[("type", "text"), ("name", name), ("id", name), ("value", &typed)]);
            });
        }
        for control in &config.controls {
            self.control(control);
        }
        if config.layout.habits.page_sizes == PageSizes::Select {
            self.page_size_select();
        }
        self.hidden();
        let label = self.wording.search[(self.style.phrase % 2) as usize];
        self.html.open("input", &[("type", "submit"), ("value", label)]);
        self.html.close("form");
    }

    /// Writes the hidden token field, if the configuration demands one.
    pub(super) fn hidden(&mut self) {
        if let Some(token) = self.token() {
            self.html.open("input", &[("type", "hidden"), ("name", self.style.token), ("value", &token)]);
        }
    }

    /// Current token; `None` if the configuration has none.
    pub(super) fn token(&self) -> Option<String> {
        self.token_of(0)
    }

    /// True if a token is required and the request has neither the current nor the previous one.
    pub(super) fn has_expired_token(&self) -> bool {
        let sent = self.parameters.get(self.style.token);
        let fresh = [self.token_of(0), self.token_of(1)];
        fresh[0].is_some() && !fresh.iter().any(|token| token.as_deref() == sent)
    }

    /// Token of the period this many periods ago.
    fn token_of(&self, ago: u64) -> Option<String> {
        let lifetime = u64::from(self.database.config.token_lifetime?.max(1)) * 1000;
        let period = (self.at.0 / lifetime).checked_sub(ago)?;
        Some(format!("{:016x}", mix(mix(self.database.config.seed, 0x70), period)))
    }

    fn labelled(&mut self, label: &str, id: &str, control: impl FnOnce(&mut Self)) {
        self.html.open("p", &[]);
        self.html.element("label", &[("for", id)], label);
        control(self);
        self.html.close("p");
    }

    fn control(&mut self, control: &FilterControl) {
        let Some((_, column)) = self.database.collection.column(&control.column) else { return };
        let (name, label) = (column.name(), label_of(column.name()));
        match &control.kind {
            ControlKind::Select => self.labelled(&label, name, |page| page.select(column)),
            ControlKind::Radio => self.radio(column, &label),
            ControlKind::Bands(edges) => {
                let ranges = edges.windows(2).map(|pair| format!("{}-{}", pair[0], pair[1]));
                let options: Vec<(String, String)> = ranges.map(|range| (range.clone(), range)).collect();
                self.labelled(&label, name, |page| page.options(name, &options));
            }
            ControlKind::Steps(steps) => {
                let options: Vec<(String, String)> =
                    steps.iter().map(|step| (step.to_string(), step.to_string())).collect();
                self.pair(name, &label, |page, name| page.options(name, &options));
            }
            ControlKind::Between => self.pair(name, &label, |page, name| page.field(name, "text")),
            ControlKind::Dates => self.pair(name, &label, |page, name| page.field(name, "date")),
        }
    }

    /// Writes two controls, for minimum and maximum.
    fn pair(&mut self, column: &str, label: &str, write: impl Fn(&mut Self, &str)) {
        for (end, side) in self.style.ends.into_iter().zip([self.wording.low, self.wording.high]) {
            let name = end.replace('*', column);
            self.labelled(&format!("{label} {side}"), &name, |page| write(page, &name));
        }
    }

    fn field(&mut self, name: &str, kind: &str) {
        let value = self.parameters.get(name).unwrap_or_default().to_string();
        self.html.open("input", &[("type", kind), ("name", name), ("id", name), ("value", &value)]);
    }

    fn select(&mut self, column: &Column) {
        self.options(column.name(), &self.value_options(column));
    }

    /// Submitted and displayed text of each value of a column, sorted by the displayed text.
    fn value_options(&self, column: &Column) -> Vec<(String, String)> {
        let sent = |at: usize, value: &str| {
            if self.style.submits_codes { (at + 1).to_string() } else { value.to_string() }
        };
        let mut options: Vec<(String, String)> = column
            .values()
            .iter()
            .enumerate()
            .map(|(at, value)| (sent(at, value), value.to_string()))
            .collect();
        match column.is_numeric() {
            true => options.sort_by(|(_, a), (_, b)| number(a).total_cmp(&number(b))),
            false => options.sort_by(|(_, a), (_, b)| a.cmp(b)),
        }
        options.truncate(MAX_OPTIONS);
        options
    }

    fn options(&mut self, name: &str, options: &[(String, String)]) {
        let chosen = self.parameters.get(name).unwrap_or_default().to_string();
        self.html.open("select", &[("name", name), ("id", name)]);
        self.html.element("option", &[("value", "")], self.wording.any);
        for (sent, shown) in options {
            let selected = if *sent == chosen { "selected" } else { "" };
            self.html.element("option", &[("value", sent), ("selected", selected)], shown);
        }
        self.html.close("select");
    }

    /// Writes the select for the page size.
    fn page_size_select(&mut self) {
        let present = self.requested_page_size();
        self.html.open("select", &[("name", self.style.page_size)]);
        for size in self.database.page_sizes() {
            let selected = if size == present { "selected" } else { "" };
            self.html.element("option", &[("selected", selected)], &size.to_string());
        }
        self.html.close("select");
    }

    fn radio(&mut self, column: &Column, label: &str) {
        self.html.open("fieldset", &[]);
        self.html.element("legend", &[], label);
        for (sent, shown) in self.value_options(column).into_iter().take(MAX_RADIO_BUTTONS) {
            self.html.open("label", &[]);
            self.html.open("input", &[("type", "radio"), ("name", column.name()), ("value", &sent)]);
            self.html.text(&shown);
            self.html.close("label");
        }
        self.html.close("fieldset");
    }
}

fn number(value: &str) -> f64 {
    crate::database::collection::column::number_in(value).unwrap_or(f64::INFINITY)
}
