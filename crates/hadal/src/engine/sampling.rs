//! The random sample of relevant forms that tells how good a crawl's finds are.
//!
//! Drawn before the engine opens the run, straight into the store: the sampled forms that nobody has
//! asked yet wait in a lane of their own, and a session that was stopped goes on with what is left.

use super::Crawl;
use super::probing::inquire;
use crate::report::quality::sample;
use crate::store::*;
use hadal_core::link::{QueueId, QueuedLink};

/// Puts the forms of the sample that have to be asked into their lane.
pub fn draw(setup: &Crawl, run: RunId, size: usize, seed: u64) -> Result<(), StoreError> {
    let store = setup.store.as_ref();
    let mut waiting: Vec<QueuedLink> = Vec::new();
    for row in sample(store, run, size, seed)? {
        if row.finding.is_some() {
            continue;
        }
        let Some(whole) = store.whole_form(run, row.form_id)? else { continue };
        waiting.extend(inquire(&row, &whole, setup, QueueId::SAMPLE, waiting.len() as u64));
    }
    // One that waits in the other lane already is moved; one that was tried stays as it is.
    let changes = vec![FrontierChange::Replace(waiting.clone()), FrontierChange::Add(waiting)];
    store.commit(run, &Batch { changes, ..Batch::default() })
}
