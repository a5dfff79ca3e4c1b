//! Columns of the listings of harvests, queries and records.

use super::listing::{Cell, CellKind, Column, Listed};
use super::rows::{column, text};
use crate::fetch::warc_index::WarcPlace;
use crate::harvest::truth::HarvestComparison;
use crate::report::Coverage;
use crate::report::values::seconds;
use crate::store::{HarvestRow, QueryRow, RecordRow};
use hadal_core::address::Site;
use hadal_core::harvest::policy::{ReadingEnd, StatedTotal};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Columns of a record.
const RECORD_COLUMNS: [Column; 14] = [
    column("record_id", CellKind::Word, Some("record")),
    column("form_id", CellKind::Word, None),
    column("url", CellKind::Text, Some("url")),
    column("title", CellKind::Text, Some("title")),
    column("text", CellKind::Text, None),
    column("fields", CellKind::Nested, Some("fields")).detail(),
    column("query", CellKind::Text, Some("query")).detail(),
    column("position", CellKind::Count, Some("place")).detail(),
    column("fetched_at", CellKind::Time, None),
    column("harvest", CellKind::Count, None),
    column("detail", CellKind::Text, None),
    column("seen_at", CellKind::Time, None),
    column("changed_at", CellKind::Time, None),
    column("removed_at", CellKind::Time, None),
];

/// Columns of a record with its place in an archive.
const ARCHIVED_COLUMNS: [Column; 16] = {
    let mut columns = [column("warc_offset", CellKind::Count, None); 16];
    let mut at = 0;
    while at < RECORD_COLUMNS.len() {
        columns[at] = RECORD_COLUMNS[at];
        at += 1;
    }
    columns[at] = column("warc_file", CellKind::Text, None);
    columns
};

/// A record with the place of its answer in the WARC files of the harvest.
pub struct ArchivedRecord {
    pub row: RecordRow,
    pub place: Option<WarcPlace>,
}

impl Listed for ArchivedRecord {
    const COLUMNS: &'static [Column] = &ARCHIVED_COLUMNS;

    fn cells(&self) -> Vec<Cell> {
        let place = self.place.as_ref();
        let file = Cell::of(place, |place| text(&place.file));
        let offset = Cell::of(place, |place| Cell::Count(place.offset));
        self.row.cells().into_iter().chain([file, offset]).collect()
    }
}

impl Listed for RecordRow {
    const COLUMNS: &'static [Column] = &RECORD_COLUMNS;

    fn cells(&self) -> Vec<Cell> {
        let record = &self.record;
        vec![
            text(record.id),
            text(self.form),
            Cell::of(record.url.as_ref(), text),
            text(&record.title),
            text(&record.text),
            fields(&record.fields),
            text(&self.words),
            Cell::Count(u64::from(self.position)),
            Cell::Time(self.fetched_at),
            Cell::Count(self.harvest.0),
            Cell::of(self.detail.as_ref(), text),
            Cell::Time(self.seen_at()),
            Cell::of(self.dates.changed, Cell::Time),
            Cell::of(self.dates.removed, Cell::Time),
        ]
    }
}

/// Fields as a JSON object in the order of the record. Values of a repeated name are joined.
fn fields(fields: &[(String, String)]) -> Cell {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut joined: Vec<(&str, String)> = Vec::new();
    for (name, value) in fields {
        let place = *places.entry(name).or_insert(joined.len());
        match joined.get_mut(place) {
            Some((_, said)) => *said = format!("{said}; {value}"),
            None => joined.push((name, value.clone())),
        }
    }
    let pair = |(name, value): &(&str, String)| format!("{}:{}", json!(name), json!(value));
    let json = joined.iter().map(pair).collect::<Vec<_>>().join(",");
    let names = joined.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    Cell::Nested { json: format!("{{{json}}}"), brief: names.join(" ") }
}

impl Listed for QueryRow {
    const COLUMNS: &'static [Column] = &[
        column("harvest", CellKind::Count, Some("harvest")),
        column("number", CellKind::Count, Some("number")),
        column("form_id", CellKind::Word, None),
        column("query", CellKind::Text, Some("query")),
        column("kind", CellKind::Word, Some("kind")).detail(),
        column("total", CellKind::Count, Some("total")),
        column("total_is_round", CellKind::Flag, None),
        column("found", CellKind::Count, Some("found")),
        column("new", CellKind::Count, Some("new")),
        column("pages", CellKind::Count, Some("pages")).detail(),
        column("requests", CellKind::Count, Some("requests")),
        column("end", CellKind::Word, Some("end")).detail(),
        column("asked_at", CellKind::Time, None),
        column("rechecks", CellKind::Count, None),
        column("changes", CellKind::Count, None),
    ];

    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::Count(self.harvest.0),
            Cell::Count(u64::from(self.number)),
            text(self.form),
            text(&self.words),
            text(&self.kind),
            Cell::of(self.total, |total| Cell::Count(total.count())),
            Cell::of(self.total, |total| Cell::Flag(matches!(total, StatedTotal::About(_)))),
            Cell::Count(u64::from(self.found)),
            Cell::Count(u64::from(self.new)),
            Cell::Count(u64::from(self.pages)),
            Cell::Count(u64::from(self.requests)),
            text(end_name(self.end)),
            Cell::Time(self.at),
            Cell::Count(u64::from(self.rechecks.times)),
            Cell::Count(u64::from(self.rechecks.changes)),
        ]
    }
}

fn end_name(end: ReadingEnd) -> &'static str {
    match end {
        ReadingEnd::LastPage => "last",
        ReadingEnd::Paused => "left off",
        ReadingEnd::Failed => "failed",
    }
}

impl Listed for HarvestRow {
    const COLUMNS: &'static [Column] = &[
        column("harvest", CellKind::Count, Some("harvest")),
        column("form_id", CellKind::Word, Some("form")),
        column("site", CellKind::Text, Some("site")),
        column("topic", CellKind::Text, None),
        column("page_url", CellKind::Text, None),
        column("policy", CellKind::Word, Some("policy")).detail(),
        column("source", CellKind::Text, None),
        column("seed", CellKind::Count, None),
        column("requests", CellKind::Count, Some("requests")).detail(),
        column("bytes", CellKind::Count, None),
        column("queries", CellKind::Count, Some("queries")).detail(),
        column("pages", CellKind::Count, None),
        column("failed", CellKind::Count, None),
        column("records", CellKind::Count, Some("records")),
        column("size", CellKind::Interval, Some("of about")).detail(),
        column("coverage", CellKind::Interval, Some("coverage")),
        column("state", CellKind::Word, Some("state")),
        column("ending", CellKind::Text, Some("ending")).detail(),
        column("elapsed_s", CellKind::Measure, None),
        column("size_estimate", CellKind::Measure, None),
        column("size_low", CellKind::Measure, None),
        column("size_high", CellKind::Measure, None),
        column("coverage_estimate", CellKind::Measure, None),
        column("coverage_low", CellKind::Measure, None),
        column("coverage_high", CellKind::Measure, None),
        column("refreshed_at", CellKind::Time, None),
        column("last_new", CellKind::Count, None),
        column("last_changed", CellKind::Count, None),
        column("last_removed", CellKind::Count, None),
    ];

    fn cells(&self) -> Vec<Cell> {
        let (spec, counters) = (&self.spec, &self.counters);
        let bound = |value: Option<f64>| {
            Cell::of(value.filter(|value| value.is_finite()), |value| Cell::Measure(four_decimals(value)))
        };
        let [size_low, size, size_high] =
            [0, 1, 2].map(|at| bound(self.estimate.map(|known| known.size[at])));
        let [coverage_low, coverage, coverage_high] =
            [0, 1, 2].map(|at| bound(self.estimate.map(|known| known.coverage[at])));
        vec![
            Cell::Count(self.id.0),
            text(spec.form),
            text(Site::of(&spec.page)),
            text(&spec.topic),
            text(&spec.page),
            text(&spec.policy),
            text(&spec.source),
            Cell::Count(spec.seed),
            Cell::Count(counters.requests),
            Cell::Count(counters.bytes),
            Cell::Count(counters.queries),
            Cell::Count(counters.pages),
            Cell::Count(counters.failed),
            Cell::Count(counters.records),
            Cell::of(self.estimate, |known| interval(known.size, |size| format!("{size:.0}"))),
            Cell::of(self.estimate, |known| interval(known.coverage, percent)),
            text(self.progress.state.name()),
            Cell::of(self.progress.ending.as_ref(), text),
            Cell::Measure(seconds(self.progress.elapsed_ms)),
            size,
            size_low,
            size_high,
            coverage,
            coverage_low,
            coverage_high,
            Cell::of(self.refresh, |refresh| Cell::Time(refresh.began)),
            Cell::of(self.refresh, |refresh| Cell::Count(refresh.new)),
            Cell::of(self.refresh, |refresh| Cell::Count(refresh.changed)),
            Cell::of(self.refresh, |refresh| Cell::Count(refresh.removed)),
        ]
    }
}

impl Listed for HarvestComparison {
    const COLUMNS: &'static [Column] = &[
        column("harvest", CellKind::Count, Some("harvest")),
        column("form_id", CellKind::Word, Some("form")),
        column("site", CellKind::Text, Some("site")),
        column("requests", CellKind::Count, Some("requests")),
        column("queries", CellKind::Count, Some("queries")).detail(),
        column("records", CellKind::Count, Some("records")),
        column("right", CellKind::Count, Some("right")),
        column("wrong", CellKind::Count, Some("wrong")).detail(),
        column("exist", CellKind::Count, Some("exist")),
        column("true_coverage", CellKind::Measure, Some("really")),
        column("coverage", CellKind::Interval, Some("estimated")),
        column("interval_holds", CellKind::Flag, Some("holds")),
    ];

    fn cells(&self) -> Vec<Cell> {
        let (spec, counters) = (&self.harvest.spec, &self.harvest.counters);
        vec![
            Cell::Count(self.harvest.id.0),
            text(spec.form),
            text(Site::of(&spec.page)),
            Cell::Count(counters.requests),
            Cell::Count(counters.queries),
            Cell::Count(counters.records),
            Cell::Count(self.right),
            Cell::Count(self.wrong),
            Cell::Count(self.exist),
            Cell::Measure(four_decimals(self.coverage())),
            Cell::of(self.harvest.estimate, |known| interval(known.coverage, percent)),
            Cell::of(self.is_held(), Cell::Flag),
        ]
    }
}

fn four_decimals(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Interval and estimate as one cell.
fn interval([low, estimate, high]: [f64; 3], show: fn(f64) -> String) -> Cell {
    let number = |value: f64| Value::from(four_decimals(value));
    let json =
        format!("{{\"estimate\":{},\"low\":{},\"high\":{}}}", number(estimate), number(low), number(high));
    Cell::Nested { json, brief: format!("{} ({} to {})", show(estimate), show(low), show(high)) }
}

/// End of a sentence that states the coverage; empty while it is unknown.
pub fn coverage_phrase(coverage: &Coverage) -> String {
    match (coverage.estimate, coverage.low, coverage.high) {
        (Some(estimate), Some(low), Some(high)) => {
            format!(", coverage {} ({} to {})", percent(estimate), percent(low), percent(high))
        }
        _ => String::new(),
    }
}

/// Share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_order_and_lose_nothing() {
        let pairs = [("year", "1870"), ("author", "J. \"V\""), ("year", "1871")];
        let cell = fields(&pairs.map(|(name, value)| (name.to_string(), value.to_string())));
        assert_eq!(cell.json(), r#"{"year":"1870; 1871","author":"J. \"V\""}"#);
        assert_eq!(cell.table_text(), "year author");
        assert_eq!(fields(&[]).json(), "{}");
    }

    #[test]
    fn an_interval_without_an_upper_end_is_shown_as_open() {
        let cell = interval([10.0, 20.123_456, f64::INFINITY], |size| format!("{size:.0}"));
        assert_eq!(cell.json(), r#"{"estimate":20.1235,"low":10.0,"high":null}"#);
        assert_eq!(cell.table_text(), "20 (10 to inf)");
    }
}
