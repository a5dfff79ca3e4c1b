//! Lists of runs, sites and pages, and the parts of a run.

use super::super::super::{
    FailureQuery, FailureRow, LessonRow, MAX_COUNTED_LINKS, PageQuery, PageRow, QueueLength, RunId, RunQuery,
    RunRow, SiteQuery, SiteRow,
};
use super::super::codec::{self, Json, Word, bits, unsigned};
use super::super::frontier::{SITE_COUNTERS, site_counters};
use super::super::runs;
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::identity::FormId;
use hadal_core::link::QueueId;
use hadal_core::time::Time;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Runs that match a query.
pub fn runs(db: &Connection, query: &RunQuery) -> rusqlite::Result<Vec<RunRow>> {
    let (is_later, direction) = query.order.sql();
    let sql = format!(
        "SELECT {} FROM runs WHERE (?1 IS NULL OR id = ?1) AND (?2 IS NULL OR topic = ?2)
             AND (?3 IS NULL OR id {is_later} ?3) ORDER BY id {direction} LIMIT ?4",
        runs::SPEC
    );
    let number = |run: RunId| i64::try_from(run.0).unwrap_or(i64::MAX);
    let limit = codec::limit(query.limit.unwrap_or(usize::MAX));
    let values = params![query.run.map(number), query.topic, query.after.map(number), limit];
    let mut found = db.prepare_cached(&sql)?;
    let found = found.query_map(values, runs::spec)?.collect::<rusqlite::Result<Vec<_>>>()?;
    found.into_iter().map(|(run, spec)| runs::row(db, run, spec, query.parts)).collect()
}

/// Sites that match a query.
pub fn sites(db: &Connection, query: &SiteQuery) -> rusqlite::Result<Vec<SiteRow>> {
    let sql = format!(
        "SELECT site, topic, best, {SITE_COUNTERS} FROM sites JOIN runs ON runs.id = sites.run
         WHERE (pages > 0 OR closed) AND best >= ?1
             AND (?2 IS NULL OR run = ?2) AND (?3 IS NULL OR topic = ?3) AND (?4 IS NULL OR site = ?4)
         ORDER BY relevant DESC, searchable DESC, pages DESC, site, topic, run LIMIT ?5"
    );
    let run = query.run.map(|run| bits(run.0));
    let site = query.site.as_ref().map(|site| &site.0);
    let limit = codec::limit(query.limit.unwrap_or(usize::MAX));
    let row = |row: &Row<'_>| {
        let (site, topic) = (Site(row.get(0)?), row.get(1)?);
        Ok(SiteRow { site, topic, best: row.get(2)?, counters: site_counters(row, 3)? })
    };
    let values = params![query.min_relevance, run, query.topic, site, limit];
    db.prepare_cached(&sql)?.query_map(values, row)?.collect()
}

/// Ids that begin with some digits. `g` follows every hexadecimal digit.
pub fn forms_by_prefix(db: &Connection, digits: &str, limit: usize) -> rusqlite::Result<Vec<FormId>> {
    let sql = "SELECT form_id FROM forms WHERE form_id >= ?1 AND form_id < ?1 || 'g'
        UNION SELECT form_id FROM harvests WHERE form_id >= ?1 AND form_id < ?1 || 'g' ORDER BY 1 LIMIT ?2";
    let id = |row: &Row<'_>| row.get::<_, String>(0)?.parse().map_err(|error| codec::undecodable(0, error));
    db.prepare_cached(sql)?.query_map(params![digits, codec::limit(limit)], id)?.collect()
}

/// Pages of a run with their row numbers.
pub fn pages(db: &Connection, query: &PageQuery, limit: usize) -> rusqlite::Result<Vec<(u64, PageRow)>> {
    let (is_later, direction) = query.order.sql();
    let sql = format!(
        "SELECT n, link, url, site, status, title, language, p_topic, fingerprint, depth, parent,
             redirects, at_request, validator, note
         FROM pages INDEXED BY pages_of_run WHERE run = ? AND n {is_later} ? ORDER BY n {direction} LIMIT ?"
    );
    let after = query.after.map_or(query.order.start(), |after| bits(after.0));
    let values = params![bits(query.run.0), after, codec::limit(limit)];
    let read = |row: &Row<'_>| Ok((unsigned(row, 0)?, page(row)?));
    db.prepare_cached(&sql)?.query_map(values, read)?.collect()
}

/// Failures with their row numbers.
pub fn failures(
    db: &Connection,
    query: &FailureQuery,
    limit: usize,
) -> rusqlite::Result<Vec<(u64, FailureRow)>> {
    let sql = "SELECT n, run, host, url, kind, at, times, given_up FROM failures
        WHERE n > ?1 AND (?2 IS NULL OR run = ?2)
            AND (?3 IS NULL OR host IN (SELECT value FROM json_each(?3))) ORDER BY n LIMIT ?4";
    let hosts: Vec<&str> = query.hosts.iter().map(|host| host.0.as_str()).collect();
    let hosts = Some(Json(hosts)).filter(|Json(hosts)| !hosts.is_empty());
    let run = query.run.map(|run| bits(run.0));
    let values = params![query.after.map_or(0, |after| bits(after.0)), run, hosts, codec::limit(limit)];
    let read = |row: &Row<'_>| {
        let (Word(url), Word(kind)) = (row.get(3)?, row.get(4)?);
        let (run, host, at) = (RunId(unsigned(row, 1)?), Host(row.get(2)?), Time(unsigned(row, 5)?));
        Ok((
            unsigned(row, 0)?,
            FailureRow { run, host, url, kind, at, times: row.get(6)?, given_up: row.get(7)? },
        ))
    };
    db.prepare_cached(sql)?.query_map(values, read)?.collect()
}

fn page(row: &Row<'_>) -> rusqlite::Result<PageRow> {
    let (Word(url), Json(redirects)) = (row.get(2)?, row.get(11)?);
    Ok(PageRow {
        id: LinkId(unsigned(row, 1)?),
        url,
        site: Site(row.get(3)?),
        status: row.get(4)?,
        title: row.get(5)?,
        language: row.get(6)?,
        p_topic: row.get(7)?,
        fingerprint: unsigned(row, 8)?,
        depth: row.get(9)?,
        parent: row.get::<_, Option<i64>>(10)?.map(|parent| LinkId(parent.cast_unsigned())),
        redirects,
        at_request: unsigned(row, 12)?,
        validator: row.get(13)?,
        note: row.get(14)?,
    })
}

/// Lengths of the first queues that are not empty. Each queue is found from the one before it, so that the cost is per
/// queue, not per link.
pub fn queue_lengths(db: &Connection, run: RunId, limit: usize) -> rusqlite::Result<Vec<QueueLength>> {
    let next =
        "SELECT queue FROM links WHERE state = 'waiting' AND run = ? AND queue > ? ORDER BY queue LIMIT 1";
    let count = "SELECT count(*) FROM (
        SELECT 1 FROM links WHERE state = 'waiting' AND run = ? AND queue = ? LIMIT ?)";
    let mut last = i64::MIN;
    let mut lengths = Vec::new();
    while lengths.len() < limit {
        let found = db.prepare_cached(next)?.query_row([bits(run.0), last], |row| row.get(0)).optional()?;
        let Some(queue) = found else { break };
        let values = params![bits(run.0), queue, MAX_COUNTED_LINKS as i64];
        let waiting = db.prepare_cached(count)?.query_row(values, |row| unsigned(row, 0))?;
        lengths.push(QueueLength { queue: QueueId(i64::cast_unsigned(queue)), waiting });
        last = queue;
    }
    lengths.sort_by_key(|length| length.queue);
    Ok(lengths)
}

/// The latest lessons of a run, oldest first.
pub fn latest_lessons(db: &Connection, run: RunId, limit: usize) -> rusqlite::Result<Vec<LessonRow>> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let sql = "SELECT at_request, at_page, lesson FROM lessons WHERE run = ? ORDER BY n DESC LIMIT ?";
    let lesson = |row: &Row<'_>| {
        let (at_request, at_page) = (unsigned(row, 0)?, unsigned(row, 1)?);
        Ok(LessonRow { at_request, at_page, lesson: row.get::<_, Json<_>>(2)?.0 })
    };
    let mut latest = db.prepare_cached(sql)?;
    let latest = latest.query_map(params![bits(run.0), codec::limit(limit)], lesson)?;
    let mut latest = latest.collect::<rusqlite::Result<Vec<_>>>()?;
    latest.reverse();
    Ok(latest)
}
