//! Forms in the order of their relevance.

use super::super::super::{
    FormCursor, FormEntry, FormQuery, FormRow, FormSummary, LabelFilter, RowPage, RunId,
};
use super::super::codec::{self, Columns, bits, text, word};
use super::super::connection::{Command, ServerConnection, Value, command};
use super::super::fault::Fault;
use super::super::harvest::harvests;
use hadal_core::address::Site;
use hadal_core::identity::FormId;
use rustc_hash::FxHashMap;
use tokio_postgres::Row;

/// A page of forms. All conditions are tested by the server.
pub fn summaries(
    connection: &ServerConnection,
    query: &FormQuery,
    rows_per_page: usize,
) -> Result<RowPage<FormSummary, FormCursor>, Fault> {
    let limit = query.limit.unwrap_or(rows_per_page);
    // One form more than wanted shows whether there is a next page.
    let found = connection.query(statement(query, limit.saturating_add(1))?)?;
    let mut rows = found.iter().map(summary).collect::<Result<Vec<_>, Fault>>()?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|form| form.place.clone());
    Ok(RowPage { rows, next })
}

fn statement(query: &FormQuery, limit: usize) -> Result<Command, Fault> {
    let (conditions, mut values) = conditions(query)?;
    values.push(Box::new(codec::limit(limit)));
    let sql = format!(
        "SELECT forms.run, n, p_relevant, p_searchable, forms.form_id, forms.topic, site, language, method,
             open_fields, label
         FROM forms LEFT JOIN labels ON labels.form_id = forms.form_id AND labels.topic = forms.topic
         {} ORDER BY -p_relevant, -p_searchable, forms.form_id, forms.topic LIMIT ${}",
        codec::where_all(&conditions),
        values.len()
    );
    Ok(Command { sql: sql.into(), values })
}

/// Conditions of a query with their values. Without a run, only the first find of a form counts.
fn conditions(query: &FormQuery) -> Result<(Vec<String>, Vec<Value>), Fault> {
    let mut conditions = vec!["-p_relevant <= $1".to_string(), "p_searchable >= $2".to_string()];
    let mut values: Vec<Value> = vec![Box::new(-query.min_relevance), Box::new(query.min_searchable)];
    let mut add = |sql: &str, value: Value| codec::condition(&mut conditions, &mut values, sql, value);
    match query.run {
        Some(run) => add("run = {}", Box::new(bits(run.0))),
        None => add("is_first = {}", Box::new(true)),
    }
    if !query.ids.is_empty() {
        let ids: Vec<String> = query.ids.iter().map(FormId::to_string).collect();
        add("forms.form_id = ANY({})", Box::new(ids));
    }
    if let Some(topic) = &query.topic {
        add("forms.topic = {}", Box::new(text(topic)));
    }
    if let Some(site) = &query.site {
        add("site = {}", Box::new(site.0.clone()));
    }
    if let Some(language) = &query.language {
        add("language = {}", Box::new(text(language)));
    }
    if let Some(method) = query.method {
        add("method = {}", Box::new(word(&method)?));
    }
    if let Some(fields) = query.open_fields {
        add("open_fields = {}", Box::new(fields as i64));
    }
    match query.labels {
        LabelFilter::Any => {}
        LabelFilter::Accepted => add("coalesce(label, {}) = 'right'", Box::new("right")),
        LabelFilter::Only(label) => add("label = {}", Box::new(word(&label)?)),
    }
    if let Some(place) = &query.after {
        let first = values.len() + 1;
        let order = format!(
            "(-p_relevant, -p_searchable, forms.form_id, forms.topic) > (${first}, ${}, ${}, ${})",
            first + 1,
            first + 2,
            first + 3
        );
        conditions.push(order);
        values.push(Box::new(-place.relevant));
        values.push(Box::new(-place.searchable));
        values.push(Box::new(place.form.to_string()));
        values.push(Box::new(text(&place.topic)));
    }
    Ok((conditions, values))
}

fn summary(row: &Row) -> Result<FormSummary, Fault> {
    let place = FormCursor {
        relevant: row.column(2)?,
        searchable: row.column(3)?,
        form: row.parsed(4)?,
        topic: row.text(5)?,
    };
    Ok(FormSummary {
        run: RunId(row.unsigned(0)?),
        found: row.unsigned(1)?,
        place,
        site: Site(row.text(6)?),
        language: row.optional_text(7)?,
        method: row.word(8)?,
        open_fields: row.number(9)?,
        label: row.optional_word(10)?,
    })
}

/// The complete rows of forms in a list.
pub fn entries(
    connection: &ServerConnection,
    forms: &[FormSummary],
    query: &FormQuery,
) -> Result<Vec<FormEntry>, Fault> {
    let snapshot = if query.with_snapshot { "whole" } else { "NULL::bytea" };
    let of_run = if query.run.is_some() { "same.run = $2" } else { "$2::bigint IS NULL" };
    let sql = format!(
        "SELECT form_id, topic, site, page_url, action, method, fields, kind, p_searchable, p_relevant,
             found_at_request, depth::bigint, source, language, evidence,
             (SELECT sum(also_on)::bigint FROM forms AS same
              WHERE same.form_id = forms.form_id AND same.topic = forms.topic AND {of_run}),
             probe_result, {snapshot}, n
         FROM forms WHERE n = ANY($1)"
    );
    let numbers: Vec<i64> = forms.iter().map(|form| bits(form.found)).collect();
    let mut rows: FxHashMap<u64, FormRow> = FxHashMap::default();
    for row in connection.query(command!(sql, numbers, query.run.map(|run| bits(run.0))))? {
        rows.insert(row.unsigned(18)?, form_row(&row)?);
    }
    let ids: Vec<FormId> = forms.iter().map(|form| form.place.form).collect();
    let mut checks = harvests::form_checks(connection, &ids)?.into_iter();
    let entry = |form: &FormSummary| {
        let check = checks.next().flatten();
        let row = FormRow { check, ..rows.remove(&form.found)? };
        Some(FormEntry { run: form.run, found: form.found, row, label: form.label })
    };
    Ok(forms.iter().filter_map(entry).collect())
}

fn form_row(row: &Row) -> Result<FormRow, Fault> {
    Ok(FormRow {
        form_id: row.parsed(0)?,
        topic: row.text(1)?,
        site: Site(row.text(2)?),
        page_url: row.parsed(3)?,
        action: row.parsed(4)?,
        method: row.word(5)?,
        fields: row.json(6)?,
        kind: row.word(7)?,
        p_searchable: row.column(8)?,
        p_relevant: row.column(9)?,
        found_at_request: row.unsigned(10)?,
        depth: row.number(11)?,
        also_on: row.unsigned(15)?,
        source: row.word(12)?,
        language: row.optional_text(13)?,
        evidence: row.json(14)?,
        finding: row.optional_word(16)?,
        form_snapshot: row.optional_packed(17)?,
        check: None,
    })
}
