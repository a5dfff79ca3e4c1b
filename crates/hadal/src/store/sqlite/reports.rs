//! The rows that people read: forms, sites, hosts, pages.

use super::super::{Filter, FormRow, HostState, LessonRow, PageRow, RunId, SiteRow};
use super::codec::{Json, Word, bits, undecodable, unsigned};
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::identity::FormId;
use hadal_core::page::Form;
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Rows that are read at once.
pub const CHUNK: usize = 500;

pub fn known_forms(db: &Connection, run: RunId, forms: &[FormId]) -> rusqlite::Result<Vec<bool>> {
    let mut sought = db.prepare_cached("SELECT 1 FROM forms WHERE run = ? AND form_id = ?")?;
    forms.iter().map(|form| sought.exists(params![bits(run.0), form.to_string()])).collect()
}

/// A form as it was found, to be filled.
pub fn whole_form(db: &Connection, run: RunId, form: FormId) -> rusqlite::Result<Option<Form>> {
    let mut sought = db.prepare_cached("SELECT whole FROM forms WHERE run = ? AND form_id = ?")?;
    let read = |row: &Row<'_>| row.get::<_, Option<Vec<u8>>>(0);
    let packed = sought.query_row(params![bits(run.0), form.to_string()], read).optional()?.flatten();
    packed.map(|packed| postcard::from_bytes(&packed).map_err(|error| undecodable(0, error))).transpose()
}

/// The next forms that pass, after `last`. Of one form found by several runs of a topic only the
/// first row counts, unless the filter asks for one run.
pub fn forms_after(
    db: &Connection,
    filter: &Filter,
    last: Option<&FormRow>,
) -> rusqlite::Result<Vec<FormRow>> {
    let sql = "
        SELECT form_id, topic, site, page_url, action, method, fields, kind, p_searchable, p_relevant,
            found_at_request, depth, source, language, evidence,
            (SELECT sum(also_on) FROM forms AS same
             WHERE same.form_id = forms.form_id AND same.topic = forms.topic AND (?1 IS NULL OR same.run = ?1)),
            finding
        FROM forms
        WHERE (?1 IS NULL OR run = ?1) AND (?2 IS NULL OR topic = ?2) AND (?3 IS NULL OR site = ?3)
            AND p_relevant >= ?4 AND p_searchable >= ?5
            AND (falling_relevant, falling_searchable, form_id, topic) > (?6, ?7, ?8, ?9)
            AND (?1 IS NOT NULL OR is_first)
        ORDER BY falling_relevant, falling_searchable, form_id, topic LIMIT ?10";
    let values = params![
        filter.run.map(|run| bits(run.0)),
        filter.topic,
        filter.site.as_ref().map(|site| &site.0),
        filter.min_relevance,
        filter.min_searchable,
        last.map_or(f32::NEG_INFINITY, |row| -row.p_relevant),
        last.map_or(f32::NEG_INFINITY, |row| -row.p_searchable),
        last.map_or_else(String::new, |row| row.form_id.to_string()),
        last.map_or("", |row| row.topic.as_str()),
        CHUNK as i64,
    ];
    db.prepare_cached(sql)?.query_map(values, form)?.collect()
}

pub fn form(row: &Row<'_>) -> rusqlite::Result<FormRow> {
    let id: String = row.get(0)?;
    let form_id = id.parse().map_err(|error| undecodable(0, error))?;
    let (Word(page_url), Word(action), Word(method)) = (row.get(3)?, row.get(4)?, row.get(5)?);
    let (Json(fields), Json(evidence)) = (row.get(6)?, row.get(14)?);
    let (Word(kind), Word(source)) = (row.get(7)?, row.get(12)?);
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
        whole: None,
    })
}

/// The numbers of the sites that pass, in order: read at once, because sites change places while a
/// crawl goes on.
pub fn ranked_sites(db: &Connection, filter: &Filter) -> rusqlite::Result<Vec<i64>> {
    let sql = "
        SELECT sites.n FROM sites JOIN runs ON runs.id = sites.run
        WHERE (pages > 0 OR closed) AND best >= ?1
            AND (?2 IS NULL OR run = ?2) AND (?3 IS NULL OR topic = ?3) AND (?4 IS NULL OR site = ?4)
        ORDER BY relevant DESC, searchable DESC, pages DESC, site, topic, run";
    let run = filter.run.map(|run| bits(run.0));
    let site = filter.site.as_ref().map(|site| &site.0);
    let values = params![filter.min_relevance, run, filter.topic, site];
    db.prepare_cached(sql)?.query_map(values, |row| row.get(0))?.collect()
}

/// The sites with these numbers, as they stand now.
pub fn sites_among(db: &Connection, numbers: &[i64]) -> rusqlite::Result<Vec<SiteRow>> {
    let sql = "
        SELECT site, topic, best, pages, forms, searchable, relevant, dry, probes, closed, barren, on_topic, worth
        FROM sites JOIN runs ON runs.id = sites.run WHERE sites.n = ?";
    let mut sought = db.prepare_cached(sql)?;
    let row = |row: &Row<'_>| {
        let (site, topic) = (Site(row.get(0)?), row.get(1)?);
        Ok(SiteRow { site, topic, best: row.get(2)?, tally: tally(row, 3)? })
    };
    let found = numbers.iter().map(|n| sought.query_row([n], row).optional());
    found.filter_map(Result::transpose).collect()
}

pub fn site(db: &Connection, run: RunId, site: &Site) -> rusqlite::Result<SiteCounters> {
    let sql =
        "SELECT pages, forms, searchable, relevant, dry, probes, closed, barren, on_topic, worth FROM sites
        WHERE run = ? AND site = ?";
    let mut sought = db.prepare_cached(sql)?;
    let found = sought.query_row(params![bits(run.0), site.0], |row| tally(row, 0)).optional()?;
    Ok(found.unwrap_or_default())
}

fn tally(row: &Row<'_>, first: usize) -> rusqlite::Result<SiteCounters> {
    Ok(SiteCounters {
        pages: row.get(first)?,
        forms: row.get(first + 1)?,
        searchable: row.get(first + 2)?,
        relevant: row.get(first + 3)?,
        pages_since_searchable: row.get(first + 4)?,
        probes: row.get(first + 5)?,
        closed: row.get(first + 6)?,
        pages_since_relevant: row.get(first + 7)?,
        on_topic: row.get(first + 8)?,
        bonus: row.get(first + 9)?,
    })
}

pub fn lessons(db: &Connection, run: RunId) -> rusqlite::Result<Vec<LessonRow>> {
    let sql = "SELECT at_request, at_page, lesson FROM lessons WHERE run = ? ORDER BY n";
    let lesson = |row: &Row<'_>| {
        let (at_request, at_page) = (unsigned(row, 0)?, unsigned(row, 1)?);
        Ok(LessonRow { at_request, at_page, lesson: row.get::<_, Json<_>>(2)?.0 })
    };
    db.prepare_cached(sql)?.query_map([bits(run.0)], lesson)?.collect()
}

pub fn host(db: &Connection, run: RunId, host: &Host) -> rusqlite::Result<Option<HostState>> {
    let sql = "SELECT ip, robots, robots_until, next_at, failures, latency_ms, requests, address_next_at,
            robots_validator FROM hosts
        WHERE run = ? AND host = ? AND next_at IS NOT NULL";
    let mut sought = db.prepare_cached(sql)?;
    let state = |row: &Row<'_>| {
        Ok(HostState {
            host: host.clone(),
            ip: row.get::<_, Option<Word<_>>>(0)?.map(|Word(ip)| ip),
            robots: row.get::<_, Option<Json<_>>>(1)?.map(|Json(robots)| robots),
            robots_until: Time(unsigned(row, 2)?),
            next_at: Time(unsigned(row, 3)?),
            failures: row.get(4)?,
            latency_ms: row.get(5)?,
            requests: unsigned(row, 6)?,
            address_next_at: Time(unsigned(row, 7)?),
            robots_validator: row.get(8)?,
        })
    };
    sought.query_row(params![bits(run.0), host.0], state).optional()
}

/// The next pages of a run after number `last`, and the number of the last of them.
pub fn pages_after(db: &Connection, run: RunId, last: i64) -> rusqlite::Result<(Vec<PageRow>, i64)> {
    let sql = "SELECT n, link, url, site, status, title, language, p_topic, fingerprint, depth, parent,
            redirects, at_request, validator, note
        FROM pages WHERE run = ? AND n > ? ORDER BY n LIMIT ?";
    let mut end = last;
    let read = |row: &Row<'_>| {
        end = row.get(0)?;
        page(row)
    };
    let mut sought = db.prepare_cached(sql)?;
    let rows = sought.query_map(params![bits(run.0), last, CHUNK as i64], read)?;
    let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok((rows, end))
}

pub fn page(row: &Row<'_>) -> rusqlite::Result<PageRow> {
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
