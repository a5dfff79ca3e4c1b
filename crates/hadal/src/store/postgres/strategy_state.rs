//! State of a run's strategy: a full copy, and the changes since it was written.

use super::super::RunId;
use super::super::state_changes::{StateChanges, StrategyWrite, WrittenStates};
use super::codec::{Columns, bits};
use super::connection::{Command, ServerConnection, command};
use super::fault::Fault;

/// Statements that write the state of a strategy.
pub fn save(run: RunId, state: &[u8], written: &mut WrittenStates) -> Result<Vec<Command>, Fault> {
    let id = bits(run.0);
    Ok(match StrategyWrite::of(run, state, written).map_err(Fault::damaged)? {
        StrategyWrite::Nothing => Vec::new(),
        StrategyWrite::Changes(changes) => {
            vec![command!("INSERT INTO strategy_changes (run, changes) VALUES ($1, $2)", id, changes)]
        }
        StrategyWrite::Copy => {
            let sql = "INSERT INTO strategies (run, saved) VALUES ($1, $2)
                ON CONFLICT (run) DO UPDATE SET saved = excluded.saved";
            let old = command!("DELETE FROM strategy_changes WHERE run = $1", id);
            vec![old, command!(sql, id, state.to_vec())]
        }
    })
}

/// Reads the state of a strategy.
pub fn load(connection: &ServerConnection, run: RunId) -> Result<Option<Vec<u8>>, Fault> {
    let found = connection.run(&[
        command!("SELECT saved FROM strategies WHERE run = $1", bits(run.0)),
        command!("SELECT changes FROM strategy_changes WHERE run = $1 ORDER BY n", bits(run.0)),
    ])?;
    let Some(copy) = found[0].first() else { return Ok(None) };
    let mut state: Vec<u8> = copy.column(0)?;
    for row in &found[1] {
        let changes: StateChanges<'_> = postcard::from_bytes(row.column(0)?).map_err(Fault::damaged)?;
        changes.apply(&mut state).ok_or_else(|| Fault::damaged("a change is outside of the state"))?;
    }
    Ok(Some(state))
}
