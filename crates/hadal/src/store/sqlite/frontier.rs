//! Reading of links, queues, hosts and sites.

use super::super::best_queues::BestQueues;
use super::super::packed_link::PackedLink;
use super::super::{HostState, LinkRow, LinkState, LookUp, LookUpResult, QueueSlice, RunId};
use super::codec::{self, Json, Word, bits, undecodable, unsigned};
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::identity::FormId;
use hadal_core::link::{QueueId, QueueRank, QueuedLink};
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use rusqlite::{Connection, OptionalExtension, Row, params};
use url::Url;

const LINK: &str =
    "id, url, queue, score, arrival, generation, attempts, not_before, depth, context, state FROM links";

fn queued_link(row: &Row<'_>) -> rusqlite::Result<QueuedLink> {
    let url = Url::parse(row.get_ref(1)?.as_str()?).map_err(|error| undecodable(1, error))?;
    let packed = row.get_ref(9)?.as_blob()?;
    let link = PackedLink::link(LinkId(unsigned(row, 0)?), url, row.get(8)?, packed);
    let link = link.map_err(|error| undecodable(9, error))?;
    Ok(QueuedLink {
        link,
        queue: QueueId(unsigned(row, 2)?),
        score: row.get::<_, Option<f32>>(3)?.unwrap_or(f32::NAN),
        order: unsigned(row, 4)?,
        generation: row.get(5)?,
        attempts: row.get(6)?,
        not_before: Time(unsigned(row, 7)?),
    })
}

/// A link that waits, is in flight or is done.
pub fn link(db: &Connection, run: RunId, link: LinkId) -> rusqlite::Result<Option<LinkRow>> {
    let sql = format!("SELECT {LINK} WHERE run = ? AND id = ? AND state NOT IN ('failed', 'dropped')");
    let row = |row: &Row<'_>| {
        let state = match row.get_ref(10)?.as_str()? {
            "waiting" => LinkState::Waiting,
            "in flight" => LinkState::InFlight,
            _ => LinkState::Done,
        };
        Ok(LinkRow { state, queued: queued_link(row)? })
    };
    db.prepare_cached(&sql)?.query_row([bits(run.0), bits(link.0)], row).optional()
}

/// The first links of a queue.
pub fn head(db: &Connection, run: RunId, slice: &QueueSlice) -> rusqlite::Result<Vec<QueuedLink>> {
    let first = slice.after.map_or((i64::MIN, 0), |rank| (i64::from(rank.score_key()), bits(rank.order())));
    match &slice.host {
        Some(host) => head_of_host(db, run, slice, host, first),
        None => head_of_queue(db, run, slice, first),
    }
}

fn head_of_host(
    db: &Connection,
    run: RunId,
    slice: &QueueSlice,
    host: &Host,
    (score_key, arrival): (i64, i64),
) -> rusqlite::Result<Vec<QueuedLink>> {
    let sql = format!(
        "SELECT {LINK}
         WHERE state = 'waiting' AND host = (SELECT n FROM hosts WHERE run = ? AND host = ?)
           AND queue = ? AND (score_key, arrival) > (?, ?)
         ORDER BY score_key, arrival LIMIT ?"
    );
    let values =
        params![bits(run.0), host.0, bits(slice.queue.0), score_key, arrival, codec::limit(slice.limit)];
    db.prepare_cached(&sql)?.query_map(values, queued_link)?.collect()
}

fn head_of_queue(
    db: &Connection,
    run: RunId,
    slice: &QueueSlice,
    (score_key, arrival): (i64, i64),
) -> rusqlite::Result<Vec<QueuedLink>> {
    let sql = format!(
        "SELECT {LINK}
         WHERE state = 'waiting' AND run = ? AND queue = ? AND (score_key, arrival) > (?, ?)
         ORDER BY score_key, arrival LIMIT ?"
    );
    let values = params![bits(run.0), bits(slice.queue.0), score_key, arrival, codec::limit(slice.limit)];
    db.prepare_cached(&sql)?.query_map(values, queued_link)?.collect()
}

/// Query of [`host_queues`].
const HOST_QUEUES: &str =
    "SELECT waiting.queue, hosts.host, waiting.length, waiting.head, waiting.arrival, hosts.site
    FROM (SELECT host, queue, count(*) AS length, min(score_key) AS head, arrival
          FROM links INDEXED BY links_of_host
          WHERE state = 'waiting' AND host IN (SELECT n FROM hosts WHERE run = ?) GROUP BY host, queue) AS waiting
    JOIN hosts ON hosts.n = waiting.host";

/// Adds the queues of all hosts, with their lengths and heads.
///
/// The index lists the links of a host and queue by rank. The columns beside `min` come from the row of the minimum,
/// and among rows with the same minimum from the first that is read.
pub fn host_queues(db: &Connection, run: RunId, best: &mut BestQueues<'_>) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(HOST_QUEUES)?;
    let mut rows = statement.query([bits(run.0)])?;
    while let Some(row) = rows.next()? {
        let head = QueueRank::from_key(row.get(3)?, unsigned(row, 4)?);
        let (host, site) = (row.get_ref(1)?.as_str()?, row.get_ref(5)?.as_str()?);
        best.add(QueueId(unsigned(row, 0)?), head, unsigned(row, 2)?, site, || Host(host.to_string()));
    }
    Ok(())
}

/// Looks up all keys.
pub fn look_up(db: &Connection, run: RunId, keys: &LookUp<'_>) -> rusqlite::Result<LookUpResult> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queues_of_a_run_are_read_from_an_index_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = super::super::open(folder.path(), super::super::super::Access::Crawl).unwrap();
        let plan = format!("EXPLAIN QUERY PLAN {HOST_QUEUES}");
        let read = |db: &Connection| {
            db.prepare(&plan)?.query_map([1], |row| row.get(3))?.collect::<rusqlite::Result<Vec<String>>>()
        };
        let steps = store.with(read).unwrap();
        assert!(steps.iter().any(|step| step.contains("COVERING INDEX links_of_host")), "{steps:?}");
        let reads_all = |step: &String| step.starts_with("SCAN links") || step.contains("TEMP B-TREE");
        assert!(!steps.iter().any(reads_all), "only those of the run, in the order of the index: {steps:?}");
    }
}
