//! Forms by relevance, each page from where the last one ended.

use super::super::super::{FormCursor, FormQuery, FormRow, FormSummary, RunId};
use super::super::codec::{Word, bits, undecodable, unsigned};
use super::super::reports::form;
use hadal_core::address::Site;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

const COLUMNS: &str =
    "form_id, topic, site, page_url, action, method, fields, kind, p_searchable, p_relevant,
    found_at_request, depth, source, language, evidence,
    (SELECT sum(also_on) FROM forms AS same WHERE same.form_id = forms.form_id AND same.topic = forms.topic),
    finding, run";

/// What a form is seen by at a glance; each of the indexes holds all of it.
const GLANCE: &str = "run, is_first, falling_relevant, falling_searchable, form_id, topic, site, language, method, open_fields";

/// Some forms of an index, in their order.
pub struct FormScan {
    /// Those that pass, but for what people said of them, which is not told.
    pub forms: Vec<FormSummary>,
    /// How many were looked at.
    pub looked: usize,
    /// The last that was looked at, unless it was the last of all.
    pub end: Option<FormCursor>,
}

/// Looks through the forms after a place by the index that leaves fewest, until so many are found or looked at;
/// `only` names those wanted at all.
pub fn scan(
    db: &Connection,
    query: &FormQuery,
    place: Option<&FormCursor>,
    only: Option<&[FormId]>,
    (found, looked): (usize, usize),
) -> rusqlite::Result<FormScan> {
    let (sql, values) = statement(query, place, only);
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut scan = FormScan { forms: Vec::new(), looked: 0, end: None };
    while let Some(row) = rows.next()? {
        scan.looked += 1;
        if may_pass(row, query)? {
            scan.forms.extend(Some(glance(row)?).filter(|form| query.takes_but_for_label(form)));
        }
        if scan.forms.len() == found || scan.looked == looked {
            scan.end = Some(glance(row)?.place);
            break;
        }
    }
    Ok(scan)
}

fn statement(query: &FormQuery, place: Option<&FormCursor>, only: Option<&[FormId]>) -> (String, Vec<Value>) {
    let mut conditions = vec!["falling_relevant <= ?".to_string()];
    let mut values: Vec<Value> = vec![f64::from(-query.min_relevance).into()];
    let mut add = |condition: &str, given: Vec<Value>| {
        conditions.push(condition.to_string());
        values.extend(given);
    };
    let way = way(query);
    if let Some((column, value, _)) = &way {
        add(&format!("{column} = ?"), vec![value.clone()]);
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
        (_, Some(_)) => "forms_of_topic",
        (Some((_, _, index)), None) => index,
        (None, None) => "forms_by_relevance",
    };
    let sql = format!(
        "SELECT {GLANCE} FROM forms INDEXED BY {index} WHERE {}
         ORDER BY falling_relevant, falling_searchable, form_id, topic",
        conditions.join(" AND ")
    );
    (sql, values)
}

/// Whether a form is worth a copy: what rules most of them out is looked at in place. Of a form that several
/// runs of a topic found, the first row counts.
fn may_pass(row: &Row<'_>, query: &FormQuery) -> rusqlite::Result<bool> {
    Ok((query.run.is_some() || row.get(1)?)
        && -row.get::<_, f32>(3)? >= query.min_searchable
        && query.fields.is_none_or(|fields| row.get(9) == Ok(fields as i64)))
}

/// The column of the query that leaves fewest forms, its value, and the index that begins with it. One is
/// enough: the rest is looked at form by form, and of forms only so many.
fn way(query: &FormQuery) -> Option<(&'static str, Value, &'static str)> {
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
    let fields = || query.fields.map(|fields| ("open_fields", (fields as i64).into(), "forms_by_fields"));
    site.or_else(run).or_else(language).or_else(fields).or_else(topic).or_else(method)
}

fn glance(row: &Row<'_>) -> rusqlite::Result<FormSummary> {
    let form = row.get_ref(4)?.as_str()?.parse().map_err(|error| undecodable(4, error))?;
    let (Word(method), open_fields) = (row.get(8)?, row.get::<_, i64>(9)?);
    let (relevant, searchable) = (0.0 - row.get::<_, f32>(2)?, 0.0 - row.get::<_, f32>(3)?);
    Ok(FormSummary {
        run: RunId(unsigned(row, 0)?),
        place: FormCursor { relevant, searchable, form, topic: row.get(5)? },
        site: Site(row.get(6)?),
        language: row.get(7)?,
        method,
        open_fields: usize::try_from(open_fields).map_err(|error| undecodable(9, error))?,
        label: None,
    })
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

#[cfg(test)]
mod tests {
    use super::super::super::schema::{
        CREATE, CREATE_2, CREATE_3, CREATE_4, CREATE_5, CREATE_6, CREATE_7, CREATE_8,
    };
    use super::*;

    /// How many columns a statement reads from the table of forms itself, rather than from an index.
    fn columns_of_table(db: &Connection, sql: &str, values: &[Value]) -> usize {
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'forms'";
        let root: i64 = db.query_row(root, [], |row| row.get(0)).unwrap();
        let mut program = db.prepare(&format!("EXPLAIN {sql}")).unwrap();
        let step = |row: &Row<'_>| Ok((row.get(1)?, row.get(2)?, row.get(3)?));
        let steps = program.query_map(params_from_iter(values), step).unwrap();
        let steps: Vec<(String, i64, i64)> = steps.map(Result::unwrap).collect();
        let table = steps.iter().find(|(name, _, page)| name == "OpenRead" && *page == root);
        let table = table.map(|(_, cursor, _)| *cursor);
        steps.iter().filter(|(name, cursor, _)| name == "Column" && Some(*cursor) == table).count()
    }

    #[test]
    fn no_glance_reads_the_long_rows_of_forms() {
        let db = Connection::open_in_memory().unwrap();
        for create in [CREATE, CREATE_2, CREATE_3, CREATE_4, CREATE_5, CREATE_6, CREATE_7, CREATE_8] {
            db.execute_batch(create).unwrap();
        }
        assert_eq!(columns_of_table(&db, "SELECT page_url, topic FROM forms WHERE run = 1", &[]), 2);
        let place = FormCursor { relevant: 0.5, searchable: 0.5, form: FormId(1), topic: "books".into() };
        let all = FormQuery::default;
        for query in [
            all(),
            FormQuery { run: Some(RunId(1)), ..all() },
            FormQuery { topic: Some("books".into()), ..all() },
            FormQuery { site: Some(Site("a.org".into())), ..all() },
            FormQuery { language: Some("en".into()), ..all() },
            FormQuery { method: Some(Method::Get), ..all() },
            FormQuery { fields: Some(1), ..all() },
        ] {
            for only in [None, Some([FormId(1), FormId(2)].as_slice())] {
                let (sql, values) = statement(&query, Some(&place), only);
                assert_eq!(columns_of_table(&db, &sql, &values), 0, "{query:?} {only:?}");
            }
        }
    }
}
