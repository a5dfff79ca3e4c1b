//! Links read back: which are known, and which wait, in order.

use super::super::RunId;
use super::codec::{self, bits, undecodable, unsigned};
use hadal_core::address::{Host, LinkId};
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, ParentPage, QueueId, QueueRank, QueuedLink};
use hadal_core::page::LinkContext;
use hadal_core::time::Time;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use url::Url;

const LINK: &str =
    "id, url, lane, score, arrival, generation, attempts, not_before, depth, context FROM links";

/// What `links.context` holds: the parts of a lead that have no column.
#[derive(Serialize, Deserialize)]
pub struct PackedLink<'a> {
    task: Cow<'a, LinkTask>,
    origin: LinkOrigin,
    context: Cow<'a, LinkContext>,
    parent: Option<ParentPage>,
    site_depth: u16,
    redirects: Cow<'a, [Url]>,
}

impl<'a> PackedLink<'a> {
    pub fn of(lead: &'a FrontierLink) -> PackedLink<'a> {
        PackedLink {
            task: Cow::Borrowed(&lead.task),
            origin: lead.origin,
            context: Cow::Borrowed(&lead.context),
            parent: lead.parent,
            site_depth: lead.site_depth,
            redirects: Cow::Borrowed(&lead.redirects),
        }
    }

    pub fn packed(&self) -> rusqlite::Result<Vec<u8>> {
        codec::packed(self)
    }
}

fn waiting(row: &Row<'_>) -> rusqlite::Result<QueuedLink> {
    let url = Url::parse(row.get_ref(1)?.as_str()?).map_err(|error| undecodable(1, error))?;
    let packed = row.get_ref(9)?.as_blob()?;
    let baggage: PackedLink<'_> = postcard::from_bytes(packed).map_err(|error| undecodable(9, error))?;
    let lead = FrontierLink {
        id: LinkId(unsigned(row, 0)?),
        url,
        task: baggage.task.into_owned(),
        origin: baggage.origin,
        context: baggage.context.into_owned(),
        parent: baggage.parent,
        depth: row.get(8)?,
        site_depth: baggage.site_depth,
        redirects: baggage.redirects.into_owned(),
    };
    Ok(QueuedLink {
        link: lead,
        queue: QueueId(unsigned(row, 2)?),
        score: row.get::<_, Option<f32>>(3)?.unwrap_or(f32::NAN),
        order: unsigned(row, 4)?,
        generation: row.get(5)?,
        attempts: row.get(6)?,
        not_before: Time(unsigned(row, 7)?),
    })
}

/// A link, however it stands.
pub fn link(db: &Connection, run: RunId, link: LinkId) -> rusqlite::Result<Option<QueuedLink>> {
    let sql = format!("SELECT {LINK} WHERE run = ? AND id = ?");
    db.prepare_cached(&sql)?.query_row([bits(run.0), bits(link.0)], waiting).optional()
}

/// A lead that waits, is in flight or was followed.
pub fn lead(db: &Connection, run: RunId, link: LinkId) -> rusqlite::Result<Option<FrontierLink>> {
    let sql = format!("SELECT {LINK} WHERE run = ? AND id = ? AND state NOT IN ('failed', 'dropped')");
    let found = db.prepare_cached(&sql)?.query_row([bits(run.0), bits(link.0)], waiting).optional()?;
    Ok(found.map(|waiting| waiting.link))
}

pub fn known(db: &Connection, run: RunId, links: &[LinkId]) -> rusqlite::Result<Vec<bool>> {
    let mut sought = db.prepare_cached("SELECT 1 FROM links WHERE run = ? AND id = ?")?;
    links.iter().map(|link| sought.exists([bits(run.0), bits(link.0)])).collect()
}

pub fn of_host(
    db: &Connection,
    run: RunId,
    lane: QueueId,
    host: &Host,
    after: Option<QueueRank>,
    limit: usize,
) -> rusqlite::Result<Vec<QueuedLink>> {
    let sql = format!(
        "SELECT {LINK}
         WHERE state = 'waiting' AND host = (SELECT n FROM hosts WHERE run = ? AND host = ?)
           AND lane = ? AND (falling, arrival) > (?, ?)
         ORDER BY falling, arrival LIMIT ?"
    );
    let (falling, arrival) =
        after.map_or((i64::MIN, 0), |rank| (i64::from(rank.score_key()), bits(rank.order())));
    let values = params![bits(run.0), host.0, bits(lane.0), falling, arrival, at_most(limit)];
    db.prepare_cached(&sql)?.query_map(values, waiting)?.collect()
}

pub fn of_lane(
    db: &Connection,
    run: RunId,
    lane: QueueId,
    limit: usize,
) -> rusqlite::Result<Vec<QueuedLink>> {
    let sql = format!(
        "SELECT {LINK} WHERE state = 'waiting' AND run = ? AND lane = ? ORDER BY falling, arrival LIMIT ?"
    );
    let values = params![bits(run.0), bits(lane.0), at_most(limit)];
    db.prepare_cached(&sql)?.query_map(values, waiting)?.collect()
}

fn at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Lanes and hosts with waiting leads, and how many.
pub fn queues(db: &Connection, run: RunId) -> rusqlite::Result<Vec<(QueueId, Host, u64)>> {
    let sql = "SELECT queue.lane, hosts.host, queue.length
        FROM (SELECT host, lane, count(*) AS length FROM links INDEXED BY links_of_host
              WHERE state = 'waiting' GROUP BY host, lane) AS queue
        JOIN hosts ON hosts.n = queue.host WHERE hosts.run = ?";
    let read = |row: &Row<'_>| Ok((QueueId(unsigned(row, 0)?), Host(row.get(1)?), unsigned(row, 2)?));
    let mut queues =
        db.prepare_cached(sql)?.query_map([bits(run.0)], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    queues.sort();
    Ok(queues)
}
