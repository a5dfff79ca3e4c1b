//! Reading of links and queues.

use super::super::best_queues::BestQueues;
use super::super::packed_link::PackedLink;
use super::super::{LinkRow, LinkState, QueueSlice, RunId};
use super::codec::{self, bits, undecodable, unsigned};
use hadal_core::address::{Host, LinkId};
use hadal_core::link::{QueueId, QueueRank, QueuedLink};
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
          FROM links INDEXED BY links_of_host WHERE state = 'waiting' GROUP BY host, queue) AS waiting
    JOIN hosts ON hosts.n = waiting.host WHERE hosts.run = ?";

/// Adds the queues of all hosts, with their lengths and heads.
///
/// The index lists the links of a host and queue by rank. The columns beside `min` come from the row of the minimum, and
/// among rows with the same minimum from the first that is read.
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
    }
}
