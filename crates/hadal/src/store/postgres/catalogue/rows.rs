//! Lists of sites, pages and failures.

use super::super::super::{FailureQuery, FailureRow, PageQuery, PageRow, RunId, SiteQuery, SiteRow};
use super::super::codec::{self, Columns, bits, text};
use super::super::connection::{Command, ServerConnection, Value, command};
use super::super::fault::Fault;
use super::super::frontier::{SITE_COUNTERS, site_counters};
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::identity::FormId;
use hadal_core::time::Time;
use tokio_postgres::Row;

/// Sites that match a query.
pub fn sites(connection: &ServerConnection, query: &SiteQuery) -> Result<Vec<SiteRow>, Fault> {
    let mut values: Vec<Value> = vec![Box::new(query.min_relevance)];
    let mut conditions = vec!["(pages > 0 OR closed)".to_string(), "best >= $1".to_string()];
    let mut add = |sql: &str, value: Value| codec::condition(&mut conditions, &mut values, sql, value);
    if let Some(run) = query.run {
        add("run = {}", Box::new(bits(run.0)));
    }
    if let Some(topic) = &query.topic {
        add("topic = {}", Box::new(text(topic)));
    }
    if let Some(site) = &query.site {
        add("site = {}", Box::new(site.0.clone()));
    }
    values.push(Box::new(codec::limit(query.limit.unwrap_or(usize::MAX))));
    let sql = format!(
        "SELECT {SITE_COUNTERS}, site, topic, best FROM sites JOIN runs ON runs.id = sites.run {}
         ORDER BY relevant DESC, searchable DESC, pages DESC, site, topic COLLATE \"C\", run LIMIT ${}",
        codec::where_all(&conditions),
        values.len()
    );
    let row = |row: &Row| {
        let (site, topic) = (Site(row.column(10)?), row.text(11)?);
        Ok(SiteRow { site, topic, best: row.column(12)?, counters: site_counters(row, 0)? })
    };
    connection.query(Command { sql: sql.into(), values })?.iter().map(row).collect()
}

/// Ids that begin with some digits. `g` follows every hexadecimal digit.
pub fn forms_by_prefix(
    connection: &ServerConnection,
    digits: &str,
    limit: usize,
) -> Result<Vec<FormId>, Fault> {
    let sql = "SELECT form_id FROM forms WHERE form_id >= $1 AND form_id < $1 || 'g'
        UNION SELECT form_id FROM harvests WHERE form_id >= $1 AND form_id < $1 || 'g' ORDER BY 1 LIMIT $2";
    let rows = connection.query(command!(sql, text(digits), codec::limit(limit)))?;
    rows.iter().map(|row| row.parsed(0)).collect()
}

/// Pages of a run with their row numbers.
pub fn pages(
    connection: &ServerConnection,
    query: &PageQuery,
    limit: usize,
) -> Result<Vec<(u64, PageRow)>, Fault> {
    let (is_later, direction) = query.order.sql();
    let sql = format!(
        "SELECT n, link, url, site, status::bigint, title, language, p_topic, fingerprint, depth::bigint, parent,
             redirects, at_request, validator, note
         FROM pages WHERE run = $1 AND n {is_later} $2 ORDER BY n {direction} LIMIT $3"
    );
    let after = query.after.map_or(query.order.start(), |after| bits(after.0));
    let rows = connection.query(command!(sql, bits(query.run.0), after, codec::limit(limit)))?;
    rows.iter().map(|row| Ok((row.unsigned(0)?, page(row)?))).collect()
}

fn page(row: &Row) -> Result<PageRow, Fault> {
    Ok(PageRow {
        id: LinkId(row.unsigned(1)?),
        url: row.parsed(2)?,
        site: Site(row.text(3)?),
        status: row.number(4)?,
        title: row.text(5)?,
        language: row.optional_text(6)?,
        p_topic: row.column(7)?,
        fingerprint: row.unsigned(8)?,
        depth: row.number(9)?,
        parent: row.column::<Option<i64>>(10)?.map(|parent| LinkId(parent.cast_unsigned())),
        redirects: row.json(11)?,
        at_request: row.unsigned(12)?,
        validator: row.optional_text(13)?,
        note: row.optional_text(14)?,
    })
}

/// Failures with their row numbers.
pub fn failures(
    connection: &ServerConnection,
    query: &FailureQuery,
    limit: usize,
) -> Result<Vec<(u64, FailureRow)>, Fault> {
    let mut values: Vec<Value> = vec![Box::new(query.after.map_or(0, |after| bits(after.0)))];
    let mut conditions = vec!["n > $1".to_string()];
    let mut add = |sql: &str, value: Value| codec::condition(&mut conditions, &mut values, sql, value);
    if let Some(run) = query.run {
        add("run = {}", Box::new(bits(run.0)));
    }
    if !query.hosts.is_empty() {
        let hosts: Vec<String> = query.hosts.iter().map(|host| host.0.clone()).collect();
        add("host = ANY({})", Box::new(hosts));
    }
    values.push(Box::new(codec::limit(limit)));
    let sql = format!(
        "SELECT n, run, host, url, kind, at, times, given_up FROM failures {} ORDER BY n LIMIT ${}",
        codec::where_all(&conditions),
        values.len()
    );
    let read = |row: &Row| {
        let (run, host, at) = (RunId(row.unsigned(1)?), Host(row.column(2)?), Time(row.unsigned(5)?));
        let (url, kind, times, given_up) = (row.parsed(3)?, row.word(4)?, row.number(6)?, row.column(7)?);
        Ok((row.unsigned(0)?, FailureRow { run, host, url, kind, at, times, given_up }))
    };
    connection.query(Command { sql: sql.into(), values })?.iter().map(read).collect()
}
