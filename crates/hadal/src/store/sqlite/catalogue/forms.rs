//! Forms in the order of their relevance.

use super::super::super::{FormCursor, FormEntry, FormQuery, FormRow, FormSummary, RunId};
use super::super::codec::{Json, Word, bits, undecodable, unsigned};
use super::super::harvest::harvests::form_check;
use hadal_core::address::Site;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

/// Columns of [`summary`], in its order. Every index of a scan holds all of them.
const SUMMARY: &str =
    "run, is_first, negated_relevant, negated_searchable, form_id, topic, site, language, method,
    open_fields, n";

/// Result of a scan.
pub struct FormScan {
    /// Forms that match, label aside. Their labels are not set.
    pub forms: Vec<FormSummary>,
    /// Number of forms examined.
    pub examined: usize,
    /// Position of the last form examined, unless it was the last of all.
    pub end: Option<FormCursor>,
}

/// Reads forms after a position through the most selective index, until the given numbers of forms are found or
/// examined. `ids` limits the scan to some forms.
pub fn scan(
    db: &Connection,
    query: &FormQuery,
    place: Option<&FormCursor>,
    ids: Option<&[FormId]>,
    (max_found, max_examined): (usize, usize),
) -> rusqlite::Result<FormScan> {
    let (sql, values) = statement(query, place, ids);
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut scan = FormScan { forms: Vec::new(), examined: 0, end: None };
    while let Some(row) = rows.next()? {
        scan.examined += 1;
        if may_match(row, query)? {
            scan.forms.extend(Some(summary(row)?).filter(|form| query.matches_without_label(form)));
        }
        if scan.forms.len() == max_found || scan.examined == max_examined {
            scan.end = Some(summary(row)?.place);
            break;
        }
    }
    Ok(scan)
}

fn statement(query: &FormQuery, place: Option<&FormCursor>, ids: Option<&[FormId]>) -> (String, Vec<Value>) {
    let mut conditions = vec!["negated_relevant <= ?".to_string()];
    let mut values: Vec<Value> = vec![f64::from(-query.min_relevance).into()];
    let mut add = |condition: &str, given: Vec<Value>| {
        conditions.push(condition.to_string());
        values.extend(given);
    };
    let selective = most_selective(query);
    if let Some((column, value, _)) = &selective {
        add(&format!("{column} = ?"), vec![value.clone()]);
    }
    if let Some(place) = place {
        let negated = [f64::from(-place.relevant).into(), f64::from(-place.searchable).into()];
        let rest = [place.form.to_string().into(), place.topic.clone().into()];
        let order = "(negated_relevant, negated_searchable, form_id, topic) > (?, ?, ?, ?)";
        add(order, negated.into_iter().chain(rest).collect());
    }
    if let Some(ids) = ids {
        let ids = serde_json::json!(ids.iter().map(FormId::to_string).collect::<Vec<_>>());
        add("form_id IN (SELECT value FROM json_each(?))", vec![ids.to_string().into()]);
    }
    let index = match (selective, ids) {
        (_, Some(_)) => "forms_of_topic",
        (Some((_, _, index)), None) => index,
        (None, None) => "forms_by_relevance",
    };
    let sql = format!(
        "SELECT {SUMMARY} FROM forms INDEXED BY {index} WHERE {}
         ORDER BY negated_relevant, negated_searchable, form_id, topic",
        conditions.join(" AND ")
    );
    (sql, values)
}

/// Cheap test before a row is copied. Without a run in the query, only the first find of a form counts.
fn may_match(row: &Row<'_>, query: &FormQuery) -> rusqlite::Result<bool> {
    Ok((query.run.is_some() || row.get(1)?)
        && -row.get::<_, f32>(3)? >= query.min_searchable
        && query.open_fields.is_none_or(|fields| row.get(9) == Ok(fields as i64)))
}

/// The most selective column of a query, its value, and the index that starts with it. The other conditions are tested
/// form by form, since a scan examines a bounded number of forms.
fn most_selective(query: &FormQuery) -> Option<(&'static str, Value, &'static str)> {
    let name = |method| match method {
        Method::Get => "get",
        Method::Post => "post",
    };
    let site = query.site.as_ref().map(|site| ("site", site.0.to_string().into(), "forms_by_site"));
    let run = || query.run.map(|run| ("run", bits(run.0).into(), "forms_by_run"));
    let language =
        || query.language.clone().map(|language| ("language", language.into(), "forms_by_language"));
    let topic = || query.topic.clone().map(|topic| ("topic", topic.into(), "forms_by_topic"));
    let method = || query.method.map(|given| ("method", name(given).to_string().into(), "forms_by_method"));
    let fields =
        || query.open_fields.map(|fields| ("open_fields", (fields as i64).into(), "forms_by_fields"));
    site.or_else(run).or_else(language).or_else(fields).or_else(topic).or_else(method)
}

fn summary(row: &Row<'_>) -> rusqlite::Result<FormSummary> {
    let form = row.get_ref(4)?.as_str()?.parse().map_err(|error| undecodable(4, error))?;
    let (Word(method), open_fields) = (row.get(8)?, row.get::<_, i64>(9)?);
    let (relevant, searchable) = (0.0 - row.get::<_, f32>(2)?, 0.0 - row.get::<_, f32>(3)?);
    Ok(FormSummary {
        run: RunId(unsigned(row, 0)?),
        found: unsigned(row, 10)?,
        place: FormCursor { relevant, searchable, form, topic: row.get(5)? },
        site: Site(row.get(6)?),
        language: row.get(7)?,
        method,
        open_fields: usize::try_from(open_fields).map_err(|error| undecodable(9, error))?,
        label: None,
    })
}

/// The complete row of a form in a list.
pub fn entry(db: &Connection, form: &FormSummary, query: &FormQuery) -> rusqlite::Result<Option<FormEntry>> {
    let sql = "
        SELECT form_id, topic, site, page_url, action, method, fields, kind, p_searchable, p_relevant,
            found_at_request, depth, source, language, evidence,
            (SELECT sum(also_on) FROM forms AS same
             WHERE same.form_id = forms.form_id AND same.topic = forms.topic AND (?2 IS NULL OR same.run = ?2)),
            probe_result, iif(?3, whole, NULL)
        FROM forms WHERE n = ?1";
    let values = params![bits(form.found), query.run.map(|run| bits(run.0)), query.with_snapshot];
    let Some(mut row) = db.prepare_cached(sql)?.query_row(values, form_row).optional()? else {
        return Ok(None);
    };
    row.check = form_check(db, row.form_id)?;
    Ok(Some(FormEntry { run: form.run, found: form.found, row, label: form.label }))
}

fn form_row(row: &Row<'_>) -> rusqlite::Result<FormRow> {
    let id: String = row.get(0)?;
    let form_id = id.parse().map_err(|error| undecodable(0, error))?;
    let (Word(page_url), Word(action), Word(method)) = (row.get(3)?, row.get(4)?, row.get(5)?);
    let (Json(fields), Json(evidence)) = (row.get(6)?, row.get(14)?);
    let (Word(kind), Word(source)) = (row.get(7)?, row.get(12)?);
    let snapshot = row.get::<_, Option<Vec<u8>>>(17)?;
    let unpacked = |packed: Vec<u8>| postcard::from_bytes(&packed).map_err(|error| undecodable(17, error));
    Ok(FormRow {
        form_id,
        topic: row.get(1)?,
        site: Site(row.get(2)?),
        page_url,
        action,
        method,
        fields,
        kind,
        p_searchable: row.get(8)?,
        p_relevant: row.get(9)?,
        found_at_request: unsigned(row, 10)?,
        depth: row.get(11)?,
        also_on: unsigned(row, 15)?,
        source,
        language: row.get(13)?,
        evidence,
        finding: row.get::<_, Option<Word<_>>>(16)?.map(|Word(finding)| finding),
        form_snapshot: snapshot.map(unpacked).transpose()?,
        check: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::schema::TABLES;
    use super::*;

    /// Number of columns that a statement reads from the table of forms itself, rather than from an index.
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
    fn no_summary_reads_the_long_rows_of_forms() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(TABLES).unwrap();
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
            FormQuery { open_fields: Some(1), ..all() },
        ] {
            for ids in [None, Some([FormId(1), FormId(2)].as_slice())] {
                let (sql, values) = statement(&query, Some(&place), ids);
                assert_eq!(columns_of_table(&db, &sql, &values), 0, "{query:?} {ids:?}");
            }
        }
    }
}
