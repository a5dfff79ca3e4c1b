//! A run as those who watch it see it: what waits, what was visited last, what was learned last.

use super::super::super::{LessonRow, MOST_COUNTED, PageRow, QueueLength, RunId};
use super::super::codec::{Json, bits, unsigned};
use super::super::reports;
use hadal_core::link::QueueId;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Lanes with waiting leads; each is found from the one before, so lanes are paid for and leads are not.
pub fn lanes(db: &Connection, run: RunId, most: usize) -> rusqlite::Result<Vec<QueueLength>> {
    let next =
        "SELECT lane FROM links WHERE state = 'waiting' AND run = ? AND lane > ? ORDER BY lane LIMIT 1";
    let count = "SELECT count(*) FROM (
        SELECT 1 FROM links WHERE state = 'waiting' AND run = ? AND lane = ? LIMIT ?)";
    let mut last = i64::MIN;
    let mut lanes = Vec::new();
    while lanes.len() < most {
        let found = db.prepare_cached(next)?.query_row([bits(run.0), last], |row| row.get(0)).optional()?;
        let Some(lane) = found else { break };
        let counted = params![bits(run.0), lane, MOST_COUNTED as i64];
        let waiting = db.prepare_cached(count)?.query_row(counted, |row| unsigned(row, 0))?;
        lanes.push(QueueLength { lane: QueueId(i64::cast_unsigned(lane)), waiting });
        last = lane;
    }
    lanes.sort_by_key(|row| row.lane);
    Ok(lanes)
}

pub fn latest_pages(db: &Connection, run: RunId, most: usize) -> rusqlite::Result<Vec<PageRow>> {
    let sql = "SELECT n, link, url, site, status, title, language, p_topic, fingerprint, depth, parent,
            redirects, at_request, validator, note
        FROM pages INDEXED BY pages_of_run WHERE run = ? ORDER BY n DESC LIMIT ?";
    db.prepare_cached(sql)?.query_map(params![bits(run.0), most as i64], reports::page)?.collect()
}

pub fn latest_lessons(db: &Connection, run: RunId, most: usize) -> rusqlite::Result<Vec<LessonRow>> {
    let sql = "SELECT at_request, at_page, lesson FROM lessons WHERE run = ? ORDER BY n DESC LIMIT ?";
    let lesson = |row: &Row<'_>| {
        let (at_request, at_page) = (unsigned(row, 0)?, unsigned(row, 1)?);
        Ok(LessonRow { at_request, at_page, lesson: row.get::<_, Json<_>>(2)?.0 })
    };
    db.prepare_cached(sql)?.query_map(params![bits(run.0), most as i64], lesson)?.collect()
}
