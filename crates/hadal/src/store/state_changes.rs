//! Difference of two states of a strategy.
//!
//! A strategy may have half a megabyte of weights, of which a page changes a few dozen. A checkpoint therefore writes
//! the bytes that changed.

use super::RunId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Last states that were written, by run.
pub type WrittenStates = FxHashMap<RunId, SavedStrategy>;

/// State of a strategy in the database.
pub struct SavedStrategy {
    state: Vec<u8>,
    /// Bytes of changes since the last full copy.
    changed: usize,
}

/// Write that updates the stored state of a strategy.
pub enum StrategyWrite {
    Nothing,
    /// Packed changes since the last write.
    Changes(Vec<u8>),
    /// A full copy, which replaces the earlier copy and all changes.
    Copy,
}

impl StrategyWrite {
    /// The write for a new state. When the changes since the last full copy are as long as the state, a new copy
    /// replaces them.
    pub fn of(run: RunId, state: &[u8], written: &mut WrittenStates) -> postcard::Result<StrategyWrite> {
        if let Some(last) = written.get_mut(&run) {
            let changes = StateChanges::between(&last.state, state);
            if changes.parts.is_empty() && last.state.len() == state.len() {
                return Ok(StrategyWrite::Nothing);
            }
            let changes = postcard::to_stdvec(&changes)?;
            if last.changed + changes.len() <= state.len() {
                last.changed += changes.len();
                state.clone_into(&mut last.state);
                return Ok(StrategyWrite::Changes(changes));
            }
        }
        written.insert(run, SavedStrategy { state: state.to_vec(), changed: 0 });
        Ok(StrategyWrite::Copy)
    }
}

/// Maximum number of unchanged bytes between two changes that are written as one. A separate change would
/// cost as many bytes.
const MAX_GAP: usize = 4;

/// Changes that turn one state into the next.
#[derive(Serialize, Deserialize)]
pub struct StateChanges<'a> {
    /// Length of the new state.
    len: usize,
    /// Bytes that stay before each changed part, and the part.
    #[serde(borrow)]
    parts: Vec<(usize, &'a [u8])>,
}

impl<'a> StateChanges<'a> {
    fn between(old: &[u8], new: &'a [u8]) -> StateChanges<'a> {
        let (mut parts, mut end) = (Vec::new(), 0);
        while let Some(start) = first_change(old, new, end) {
            let last = last_of_part(old, new, start);
            parts.push((start - end, &new[start..last]));
            end = last;
        }
        StateChanges { len: new.len(), parts }
    }

    pub fn apply(&self, state: &mut Vec<u8>) -> Option<()> {
        state.resize(self.len, 0);
        let mut at = 0;
        for (kept, part) in &self.parts {
            at += kept;
            state.get_mut(at..at + part.len())?.copy_from_slice(part);
            at += part.len();
        }
        Some(())
    }
}

/// First byte from `from` on that is new or has changed.
fn first_change(old: &[u8], new: &[u8], from: usize) -> Option<usize> {
    let common = old.len().min(new.len());
    let mut at = from.min(common);
    // Whole blocks are compared first, which is many times faster.
    while at + 64 <= common && old[at..at + 64] == new[at..at + 64] {
        at += 64;
    }
    let differs = (at..common).find(|at| old[*at] != new[*at]);
    differs.or((from.max(common) < new.len()).then(|| from.max(common)))
}

/// End of the changed part that starts at `start`.
fn last_of_part(old: &[u8], new: &[u8], start: usize) -> usize {
    let (mut end, mut at) = (start + 1, start + 1);
    while at < new.len() && at <= end + MAX_GAP {
        if old.get(at) != Some(&new[at]) {
            end = at + 1;
        }
        at += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed_on(old: &[u8], new: &[u8]) -> usize {
        let changes = postcard::to_stdvec(&StateChanges::between(old, new)).unwrap();
        let read: StateChanges<'_> = postcard::from_bytes(&changes).unwrap();
        let mut state = old.to_vec();
        read.apply(&mut state).unwrap();
        assert_eq!(state, new);
        changes.len()
    }

    #[test]
    fn a_state_follows_from_its_predecessor_and_the_changes() {
        let old: Vec<u8> = (0..2000).map(|n| (n % 251) as u8).collect();
        let mut new = old.clone();
        for at in [0, 3, 700, 701, 1999] {
            new[at] ^= 0xff;
        }
        assert!(passed_on(&old, &new) < 40);
        new.extend_from_slice(b"and more");
        passed_on(&old, &new);
        passed_on(&new, &old);
        passed_on(&old, &[]);
        passed_on(&[], &old);
        assert!(passed_on(&old, &old) < 5);
    }
}
