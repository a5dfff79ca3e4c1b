//! Curves of runs and harvests: their counters at some moments.

use super::super::super::{CURVE_RESOLUTION, CurvePoint, HarvestId, HarvestPoint, RunId};
use super::super::codec::{bits, unsigned};
use rusqlite::{Connection, Row};

/// SQL condition for a due point, the same as [`super::super::super::is_point_due`].
fn is_due(curve: &str, key: &str) -> String {
    let last = format!("(SELECT max(requests) FROM {curve} WHERE {key} = ?1)");
    format!("requests >= coalesce({last} + max({last} / {CURVE_RESOLUTION}, 1), 1)")
}

/// Adds a point to the curve of a run, if one is due.
pub fn add_run_point(db: &Connection, run: RunId) -> rusqlite::Result<()> {
    let sql = format!(
        "INSERT INTO curve SELECT run, requests, pages, forms, searchable, relevant, waiting
         FROM progress WHERE run = ?1 AND {}",
        is_due("curve", "run")
    );
    db.prepare_cached(&sql)?.execute([bits(run.0)])?;
    Ok(())
}

/// Adds a point to the curve of a harvest, if one is due.
pub fn add_harvest_point(db: &Connection, harvest: i64) -> rusqlite::Result<()> {
    let sql = format!(
        "INSERT INTO harvest_curve
         SELECT harvest, requests, queries, records, coverage_low, coverage, coverage_high
         FROM harvest_progress WHERE harvest = ?1 AND {}",
        is_due("harvest_curve", "harvest")
    );
    db.prepare_cached(&sql)?.execute([harvest])?;
    Ok(())
}

pub fn of_run(db: &Connection, run: RunId) -> rusqlite::Result<Vec<CurvePoint>> {
    let sql = "SELECT requests, pages, forms, searchable, relevant, waiting FROM curve WHERE run = ?
        ORDER BY requests";
    let point = |row: &Row<'_>| {
        Ok(CurvePoint {
            requests: unsigned(row, 0)?,
            pages: unsigned(row, 1)?,
            forms: unsigned(row, 2)?,
            searchable: unsigned(row, 3)?,
            relevant: unsigned(row, 4)?,
            waiting: unsigned(row, 5)?,
        })
    };
    db.prepare_cached(sql)?.query_map([bits(run.0)], point)?.collect()
}

pub fn of_harvest(db: &Connection, harvest: HarvestId) -> rusqlite::Result<Vec<HarvestPoint>> {
    let sql = "SELECT requests, queries, records, coverage_low, coverage, coverage_high FROM harvest_curve
        WHERE harvest = ? ORDER BY requests";
    let point = |row: &Row<'_>| {
        let coverage: [Option<f64>; 3] = [row.get(3)?, row.get(4)?, row.get(5)?];
        let [low, estimate, high] = coverage;
        Ok(HarvestPoint {
            requests: unsigned(row, 0)?,
            queries: unsigned(row, 1)?,
            records: unsigned(row, 2)?,
            coverage: low.zip(estimate).zip(high).map(|((low, estimate), high)| [low, estimate, high]),
        })
    };
    db.prepare_cached(sql)?.query_map([bits(harvest.0)], point)?.collect()
}
