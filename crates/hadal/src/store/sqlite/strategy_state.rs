//! State of a run's strategy in SQLite, written as described in [`state_changes`](super::super::state_changes).

use super::super::RunId;
use super::super::state_changes::{StateChanges, StrategyWrite, WrittenStates};
use super::codec::{bits, undecodable, unwritable};
use rusqlite::{Connection, OptionalExtension, params};

/// Writes the state of a strategy.
pub fn save(db: &Connection, run: RunId, state: &[u8], written: &mut WrittenStates) -> rusqlite::Result<()> {
    match StrategyWrite::of(run, state, written).map_err(unwritable)? {
        StrategyWrite::Nothing => {}
        StrategyWrite::Changes(changes) => {
            let sql = "INSERT INTO strategy_changes (run, changes) VALUES (?, ?)";
            db.prepare_cached(sql)?.execute(params![bits(run.0), changes])?;
        }
        StrategyWrite::Copy => {
            db.prepare_cached("DELETE FROM strategy_changes WHERE run = ?")?.execute([bits(run.0)])?;
            let sql = "INSERT OR REPLACE INTO strategies (run, saved) VALUES (?, ?)";
            db.prepare_cached(sql)?.execute(params![bits(run.0), state])?;
        }
    }
    Ok(())
}

/// Reads the state of a strategy.
pub fn load(db: &Connection, run: RunId) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut saved = db.prepare_cached("SELECT saved FROM strategies WHERE run = ?")?;
    let Some(mut state) = saved.query_row([bits(run.0)], |row| row.get::<_, Vec<u8>>(0)).optional()? else {
        return Ok(None);
    };
    let mut log = db.prepare_cached("SELECT changes FROM strategy_changes WHERE run = ? ORDER BY n")?;
    let mut rows = log.query([bits(run.0)])?;
    while let Some(row) = rows.next()? {
        let changes = row.get_ref(0)?.as_blob()?;
        let changes: StateChanges<'_> =
            postcard::from_bytes(changes).map_err(|error| undecodable(0, error))?;
        changes.apply(&mut state).ok_or_else(|| undecodable(0, std::fmt::Error))?;
    }
    Ok(Some(state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_changes_write_few_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let store = super::super::open(folder.path(), super::super::Access::Crawl).unwrap();
        let (run, mut written, mut state) = (RunId(1), WrittenStates::default(), vec![0u8; 100_000]);
        let bytes = |sql: &str| store.with(|db| db.query_row(sql, [], |row| row.get::<_, i64>(0))).unwrap();
        for n in 0..1000usize {
            state[n * 7919 % 100_000] ^= 1;
            store.writing(|db| save(db, run, &state, &mut written)).unwrap();
            let stored = bytes("SELECT coalesce(sum(length(changes)), 0) FROM strategy_changes");
            assert!(stored <= 20 * (n as i64 + 1) && stored <= 100_000, "{stored}");
        }
        assert_eq!(store.with(|db| load(db, run)).unwrap(), Some(state));
    }
}
