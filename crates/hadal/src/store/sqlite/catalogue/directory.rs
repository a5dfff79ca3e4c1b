//! Forms by relevance, each page from where the last one ended.

use super::super::super::{DirectoryQuery, FormRow, Glance, Place, RunId, open_fields};
use super::super::codec::{Json, Word, bits, undecodable, unsigned};
use super::super::reports::form;
use hadal_core::address::Site;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde::Deserialize;

const COLUMNS: &str =
    "form_id, topic, site, page_url, action, method, fields, kind, p_searchable, p_relevant,
    found_at_request, depth, source, language, evidence,
    (SELECT sum(also_on) FROM forms AS same WHERE same.form_id = forms.form_id AND same.topic = forms.topic),
    finding, run";

/// Of a form that several runs of a topic found, the first row counts.
const FIRST: &str = "NOT EXISTS (SELECT 1 FROM forms AS earlier
    WHERE earlier.form_id = forms.form_id AND earlier.topic = forms.topic AND earlier.n < forms.n)";

/// What a form is seen by at a glance.
const GLANCE: &str = "run, p_relevant, p_searchable, form_id, topic, site, language, method, fields";

/// The next forms after a place, by what an index can tell of the query; `only` names those wanted at all.
/// What people said of them is not told.
pub fn after(
    db: &Connection,
    query: &DirectoryQuery,
    place: Option<&Place>,
    only: Option<&[FormId]>,
    limit: usize,
) -> rusqlite::Result<Vec<Glance>> {
    let mut conditions = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    let mut add = |condition: &str, given: Vec<Value>| {
        conditions.push(condition.to_string());
        values.extend(given);
    };
    if query.run.is_none() {
        add(FIRST, Vec::new());
    }
    let way = way(query);
    if let Some((column, value, _)) = &way {
        add(&format!("{column} = ?"), vec![value.clone()]);
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
    let index = match (way, only) {
        (_, Some(_)) => String::new(),
        (Some((_, _, index)), None) => format!("INDEXED BY {index}"),
        (None, None) => "INDEXED BY forms_by_relevance".to_string(),
    };
    let sql = format!(
        "SELECT {GLANCE} FROM forms {index} WHERE {}
         ORDER BY falling_relevant, falling_searchable, form_id, topic LIMIT {limit}",
        conditions.join(" AND ")
    );
    db.prepare_cached(&sql)?.query_map(params_from_iter(values), glance)?.collect()
}

/// The column of the query that leaves fewest forms, its value, and the index that begins with it. One is
/// enough: the rest is looked at form by form, and of forms only so many.
fn way(query: &DirectoryQuery) -> Option<(&'static str, Value, &'static str)> {
    let method = |method| match method {
        Method::Get => "get",
        Method::Post => "post",
    };
    let site = query.site.as_ref().map(|site| ("site", site.0.to_string().into(), "forms_by_site"));
    let run = || query.run.map(|run| ("run", bits(run.0).into(), "forms_by_run"));
    let language =
        || query.language.clone().map(|language| ("language", language.into(), "forms_by_language"));
    let topic = || query.topic.clone().map(|topic| ("topic", topic.into(), "forms_by_topic"));
    let method = || query.method.map(|given| ("method", method(given).to_string().into(), "forms_by_method"));
    site.or_else(run).or_else(language).or_else(topic).or_else(method)
}

fn glance(row: &Row<'_>) -> rusqlite::Result<Glance> {
    let form: String = row.get(3)?;
    let form = form.parse().map_err(|error| undecodable(3, error))?;
    let (Word(method), Json(fields)): (_, Json<Vec<Kind>>) = (row.get(7)?, row.get(8)?);
    let place = Place { relevant: row.get(1)?, searchable: row.get(2)?, form, topic: row.get(4)? };
    Ok(Glance {
        run: RunId(unsigned(row, 0)?),
        place,
        site: Site(row.get(5)?),
        language: row.get(6)?,
        method,
        open_fields: open_fields(fields.iter().map(|field| field.kind.as_str())),
        label: None,
    })
}

/// All that is wanted of a field here.
#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
}

/// A form that a run found.
pub fn row(db: &Connection, run: RunId, id: FormId) -> rusqlite::Result<Option<FormRow>> {
    let sql = format!("SELECT {COLUMNS} FROM forms WHERE run = ? AND form_id = ?");
    db.prepare_cached(&sql)?.query_row(params![bits(run.0), id.to_string()], form).optional()
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
