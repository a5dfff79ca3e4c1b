//! Columns of the listings of forms, sites, runs and submissions.

use super::listing::{Cell, CellKind, Column, Listed, rounded};
use crate::report::lists::answer_name;
use crate::report::submitted::Submitted;
use crate::report::values::{method_name, seconds, source_name, state_name};
use crate::store::{FailureRow, FormRow, RunRow, SiteRow, Submission};
use hadal_core::critic::FormKind;
use hadal_world::TrueForm;
use serde_json::json;

pub(super) const fn column(name: &'static str, kind: CellKind, heading: Option<&'static str>) -> Column {
    Column::new(name, kind, heading)
}

pub(super) fn text(value: impl ToString) -> Cell {
    Cell::Text(value.to_string())
}

impl Listed for FormRow {
    const COLUMNS: &'static [Column] = &[
        column("form_id", CellKind::Word, Some("form")),
        column("topic", CellKind::Text, None),
        column("site", CellKind::Text, Some("site")),
        column("page_url", CellKind::Text, Some("page")).detail(),
        column("action", CellKind::Text, None),
        column("method", CellKind::Word, None),
        column("fields", CellKind::Nested, Some("fields")),
        column("kind", CellKind::Word, Some("kind")).detail(),
        column("p_searchable", CellKind::Measure, Some("search")),
        column("p_relevant", CellKind::Measure, Some("topic")),
        column("found_at_request", CellKind::Count, None),
        column("depth", CellKind::Count, None),
        column("also_on", CellKind::Count, Some("also on")).detail(),
        column("source", CellKind::Word, None),
        column("language", CellKind::Word, None),
        column("evidence", CellKind::Nested, None),
        column("state", CellKind::Word, None),
        column("checked_at", CellKind::Time, None),
    ];

    fn cells(&self) -> Vec<Cell> {
        vec![
            text(self.form_id),
            text(&self.topic),
            text(&self.site),
            text(&self.page_url),
            text(&self.action),
            text(method_name(self.method)),
            fields(self),
            text(self.kind.name()),
            Cell::Measure(rounded(self.p_searchable)),
            Cell::Measure(rounded(self.p_relevant)),
            Cell::Count(self.found_at_request),
            Cell::Count(u64::from(self.depth)),
            Cell::Count(self.also_on),
            text(source_name(self.source)),
            Cell::of(self.language.as_ref(), text),
            Cell::Nested { json: json!(self.evidence).to_string(), brief: self.evidence.join(", ") },
            Cell::of(self.check.as_ref(), |check| text(check.state.name())),
            Cell::of(self.check.as_ref(), |check| Cell::Time(check.at)),
        ]
    }
}

fn fields(form: &FormRow) -> Cell {
    let json = serde_json::to_string(&form.fields).expect("fields are strings and numbers");
    let visible = form.fields.iter().filter(|field| field.kind != "hidden" && !field.name.is_empty());
    let brief = visible.map(|field| field.name.as_str()).collect::<Vec<_>>().join(" ");
    Cell::Nested { json, brief }
}

impl Listed for SiteRow {
    const COLUMNS: &'static [Column] = &[
        column("site", CellKind::Text, Some("site")),
        column("topic", CellKind::Word, Some("topic")).detail(),
        column("pages", CellKind::Count, Some("pages")).detail(),
        column("forms", CellKind::Count, Some("forms")),
        column("searchable", CellKind::Count, Some("searchable")),
        column("relevant", CellKind::Count, Some("relevant")),
        column("best", CellKind::Measure, Some("best")),
        column("dry", CellKind::Count, None),
        column("closed", CellKind::Flag, Some("closed")).detail(),
    ];

    fn cells(&self) -> Vec<Cell> {
        let counters = &self.counters;
        vec![
            text(&self.site),
            text(&self.topic),
            Cell::Count(u64::from(counters.pages)),
            Cell::Count(u64::from(counters.forms)),
            Cell::Count(u64::from(counters.searchable)),
            Cell::Count(u64::from(counters.relevant)),
            Cell::Measure(rounded(self.best)),
            Cell::Count(u64::from(counters.pages_since_searchable)),
            Cell::Flag(counters.closed),
        ]
    }
}

impl Listed for RunRow {
    const COLUMNS: &'static [Column] = &[
        column("run", CellKind::Count, Some("run")),
        column("topic", CellKind::Text, Some("topic")),
        column("strategy", CellKind::Word, Some("strategy")),
        column("state", CellKind::Word, Some("state")),
        column("source", CellKind::Word, Some("source")).detail(),
        column("seed", CellKind::Count, None),
        column("seeds", CellKind::Nested, Some("seeds")).detail(),
        column("requests", CellKind::Count, Some("requests")),
        column("bytes", CellKind::Count, None),
        column("pages", CellKind::Count, Some("pages")),
        column("failed", CellKind::Count, Some("failed")).detail(),
        column("sites", CellKind::Count, Some("sites")).detail(),
        column("forms_searchable", CellKind::Count, Some("searchable")),
        column("forms_relevant", CellKind::Count, Some("relevant")),
        column("frontier", CellKind::Count, Some("frontier")).detail(),
        column("elapsed_s", CellKind::Measure, Some("seconds")).detail(),
        column("last_at", CellKind::Time, Some("last active")).detail(),
    ];

    fn cells(&self) -> Vec<Cell> {
        let (spec, counters) = (&self.spec, &self.counters);
        let seeds = Cell::Nested { json: json!(spec.seeds).to_string(), brief: spec.seeds.len().to_string() };
        vec![
            Cell::Count(self.id.0),
            text(&spec.topic),
            text(&spec.strategy),
            text(state_name(self.progress.state)),
            text(&spec.source),
            Cell::Count(spec.seed),
            seeds,
            Cell::Count(counters.requests),
            Cell::Count(counters.bytes),
            Cell::Count(counters.pages),
            Cell::Count(counters.failed),
            Cell::Count(counters.sites),
            Cell::Count(counters.searchable),
            Cell::Count(counters.relevant),
            Cell::Count(counters.waiting),
            Cell::Measure(seconds(self.progress.elapsed_ms)),
            Cell::Time(self.progress.now),
        ]
    }
}

impl Listed for Submission {
    const COLUMNS: &'static [Column] = &[
        column("run", CellKind::Count, Some("run")),
        column("seq", CellKind::Count, Some("step")).detail(),
        column("time", CellKind::Time, Some("time")),
        column("topic", CellKind::Text, None),
        column("form_id", CellKind::Word, Some("form")),
        column("page_url", CellKind::Text, None),
        column("method", CellKind::Word, Some("method")).detail(),
        column("url", CellKind::Text, Some("url")),
        column("body", CellKind::Text, Some("body")).detail(),
        column("purpose", CellKind::Word, Some("purpose")).detail(),
        column("answer", CellKind::Word, Some("answer")),
        column("harvest", CellKind::Count, Some("harvest")).detail(),
    ];

    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::of(self.by.run(), |run| Cell::Count(run.0)),
            Cell::Count(self.seq),
            Cell::Time(self.at),
            text(&self.topic),
            text(self.form),
            text(&self.page),
            text(method_name(self.method)),
            text(&self.url),
            text(&self.body),
            text(self.purpose.name()),
            text(answer_name(self.answer.as_ref())),
            Cell::of(self.by.harvest(), |harvest| Cell::Count(harvest.0)),
        ]
    }
}

impl Listed for FailureRow {
    const COLUMNS: &'static [Column] = &[
        column("run", CellKind::Count, Some("run")),
        column("time", CellKind::Time, Some("time")).detail(),
        column("host", CellKind::Text, None),
        column("url", CellKind::Text, Some("url")),
        column("failure", CellKind::Word, None),
        column("reason", CellKind::Text, Some("reason")),
        column("times", CellKind::Count, Some("times")).detail(),
        column("given_up", CellKind::Flag, Some("given up")),
    ];

    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::Count(self.run.0),
            Cell::Time(self.at),
            text(&self.host.0),
            text(&self.url),
            text(self.kind),
            text(self.kind.explanation()),
            Cell::Count(u64::from(self.times)),
            Cell::Flag(self.given_up),
        ]
    }
}

impl Listed for Submitted {
    const COLUMNS: &'static [Column] = &[
        column("kind", CellKind::Text, Some("really")),
        column("method", CellKind::Text, Some("method")),
        column("submissions", CellKind::Count, Some("submissions")),
        column("forms", CellKind::Count, Some("forms")),
        column("form_id", CellKind::Word, Some("form")),
        column("page_url", CellKind::Text, Some("page")),
    ];

    fn cells(&self) -> Vec<Cell> {
        vec![
            text(self.kind.map_or("unknown", FormKind::name)),
            text(method_name(self.method)),
            Cell::Count(self.submissions),
            Cell::Count(self.forms),
            Cell::of(self.form.as_ref(), |(form, _)| text(form)),
            Cell::of(self.form.as_ref(), |(_, page)| text(page)),
        ]
    }
}

/// Ground truth of the simulated web. An empty topic means none; database 0 means none.
impl Listed for TrueForm {
    const COLUMNS: &'static [Column] = &[
        Column::new("form_id", CellKind::Word, Some("form")),
        Column::new("topic", CellKind::Text, Some("topic")),
        Column::new("kind", CellKind::Text, Some("kind")),
        Column::new("site", CellKind::Text, Some("site")),
        Column::new("host", CellKind::Text, None),
        Column::new("page_url", CellKind::Text, Some("page")),
        Column::new("pages", CellKind::Count, Some("pages")),
        Column::new("depth", CellKind::Count, Some("depth")),
        Column::new("database", CellKind::Count, None),
        Column::new("behaviour", CellKind::Text, None),
    ];

    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::Text(self.form_id.to_string()),
            Cell::Text(self.topic.unwrap_or_default().to_string()),
            Cell::Text(self.kind.name().to_string()),
            Cell::Text(self.site.clone()),
            Cell::Text(self.host.clone()),
            Cell::Text(self.page_url.to_string()),
            Cell::Count(u64::from(self.pages)),
            Cell::Count(u64::from(self.depth)),
            Cell::Count(u64::from(self.database.unwrap_or_default())),
            Cell::Text(self.behaviour.name().to_string()),
        ]
    }
}
