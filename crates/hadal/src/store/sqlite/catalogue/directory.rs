//! Forms by relevance, each page from where the last one ended.

use super::super::super::{DirectoryQuery, FormRow, Place, RunId};
use super::super::codec::{bits, unsigned};
use super::super::reports::form;
use hadal_core::identity::FormId;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

const COLUMNS: &str =
    "form_id, topic, site, page_url, action, method, fields, kind, p_searchable, p_relevant,
    found_at_request, depth, source, language, evidence,
    (SELECT sum(also_on) FROM forms AS same WHERE same.form_id = forms.form_id AND same.topic = forms.topic),
    finding, run";

/// Of a form that several runs of a topic found, the first row counts.
const FIRST: &str = "NOT EXISTS (SELECT 1 FROM forms AS earlier
    WHERE earlier.form_id = forms.form_id AND earlier.topic = forms.topic AND earlier.n < forms.n)";

/// The next forms after a place, by what an index can tell of the query; `only` names those wanted at all.
pub fn after(
    db: &Connection,
    query: &DirectoryQuery,
    place: Option<&Place>,
    only: Option<&[FormId]>,
    limit: usize,
) -> rusqlite::Result<Vec<(RunId, FormRow)>> {
    let mut conditions = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    let mut add = |condition: &str, given: Vec<Value>| {
        conditions.push(condition.to_string());
        values.extend(given);
    };
    match query.run {
        Some(run) => add("run = ?", vec![bits(run.0).into()]),
        None => add(FIRST, Vec::new()),
    }
    if let Some(topic) = &query.topic {
        add("topic = ?", vec![topic.clone().into()]);
    }
    if let Some(site) = &query.site {
        add("site = ?", vec![site.0.to_string().into()]);
    }
    if query.min_relevance > 0.0 {
        add("falling_relevant <= ?", vec![f64::from(-query.min_relevance).into()]);
    }
    if let Some(place) = place {
        let falling = [f64::from(-place.relevant).into(), f64::from(-place.searchable).into()];
        let rest = [place.form.to_string().into(), place.topic.clone().into()];
        let order = "(falling_relevant, falling_searchable, form_id, topic) > (?, ?, ?, ?)";
        add(order, falling.into_iter().chain(rest).collect());
    }
    if let Some(only) = only {
        let ids = serde_json::json!(only.iter().map(FormId::to_string).collect::<Vec<_>>());
        add("form_id IN (SELECT value FROM json_each(?))", vec![ids.to_string().into()]);
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM forms WHERE {}
         ORDER BY falling_relevant, falling_searchable, form_id, topic LIMIT {limit}",
        conditions.join(" AND ")
    );
    db.prepare_cached(&sql)?.query_map(params_from_iter(values), found)?.collect()
}

/// One form, as the first run of the topic saw it.
pub fn one(db: &Connection, id: FormId, topic: Option<&str>) -> rusqlite::Result<Option<(RunId, FormRow)>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM forms WHERE form_id = ?1 AND (?2 IS NULL OR topic = ?2) ORDER BY n LIMIT 1"
    );
    db.prepare_cached(&sql)?.query_row(params![id.to_string(), topic], found).optional()
}

fn found(row: &Row<'_>) -> rusqlite::Result<(RunId, FormRow)> {
    Ok((RunId(unsigned(row, 17)?), form(row)?))
}
