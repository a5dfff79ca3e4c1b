//! Look-ups by key.

use super::super::{HostState, LookUp, LookUpResult, RunId};
use super::codec::{Json, Word, bits, unsigned};
use super::frontier::link;
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::identity::FormId;
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Looks up all keys.
pub fn all(db: &Connection, run: RunId, keys: &LookUp<'_>) -> rusqlite::Result<LookUpResult> {
    Ok(LookUpResult {
        links: known_links(db, run, keys.links)?,
        link_rows: keys.link_rows.iter().map(|key| link(db, run, *key)).collect::<rusqlite::Result<_>>()?,
        forms: known_forms(db, run, keys.forms)?,
        hosts: keys.hosts.iter().map(|key| host(db, run, key)).collect::<rusqlite::Result<_>>()?,
        sites: keys.sites.iter().map(|key| site(db, run, key)).collect::<rusqlite::Result<_>>()?,
    })
}

fn known_links(db: &Connection, run: RunId, links: &[LinkId]) -> rusqlite::Result<Vec<bool>> {
    let mut known = db.prepare_cached("SELECT 1 FROM links WHERE run = ? AND id = ?")?;
    links.iter().map(|link| known.exists([bits(run.0), bits(link.0)])).collect()
}

fn known_forms(db: &Connection, run: RunId, forms: &[FormId]) -> rusqlite::Result<Vec<bool>> {
    let mut known = db.prepare_cached("SELECT 1 FROM forms WHERE run = ? AND form_id = ?")?;
    forms.iter().map(|form| known.exists(params![bits(run.0), form.to_string()])).collect()
}

fn host(db: &Connection, run: RunId, host: &Host) -> rusqlite::Result<Option<HostState>> {
    let sql = "SELECT ip, robots, robots_until, next_at, failures, latency_ms, requests, address_next_at,
            robots_validator FROM hosts
        WHERE run = ? AND host = ? AND next_at IS NOT NULL";
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
            group_next_at: Time(unsigned(row, 7)?),
            robots_validator: row.get(8)?,
        })
    };
    db.prepare_cached(sql)?.query_row(params![bits(run.0), host.0], state).optional()
}

/// Columns of [`site_counters`], in its order.
pub const SITE_COUNTERS: &str =
    "pages, forms, searchable, relevant, pages_since_searchable, probes, closed, pages_since_relevant,
    on_topic, bonus";

fn site(db: &Connection, run: RunId, site: &Site) -> rusqlite::Result<SiteCounters> {
    let sql = format!("SELECT {SITE_COUNTERS} FROM sites WHERE run = ? AND site = ?");
    let read = |row: &Row<'_>| site_counters(row, 0);
    let found = db.prepare_cached(&sql)?.query_row(params![bits(run.0), site.0], read).optional()?;
    Ok(found.unwrap_or_default())
}

/// The counters of a site, from the columns that start at `first`.
pub fn site_counters(row: &Row<'_>, first: usize) -> rusqlite::Result<SiteCounters> {
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
