//! Random sample of relevant forms, probed to measure the precision of a crawl.
//!
//! The sample is drawn before the engine opens the run, straight into the store. Sampled forms that have not been
//! probed wait in a queue of their own, so a session that was stopped resumes with the rest.

use super::Crawl;
use super::probing::probe_link;
use crate::store::*;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::quality;
use hadal_core::identity::FormId;
use hadal_core::link::{QueueId, QueuedLink};
use std::collections::HashSet;

/// Puts the forms of a sample that were not probed before into the sample queue.
pub fn draw_sample(crawl: &Crawl, run: RunId, size: usize, seed: u64) -> Result<(), StoreError> {
    let store = crawl.store.as_ref();
    let sample = quality::sample_forms(quality_population(store, run)?, |row| row.form_id, size, seed);
    let mut queued: Vec<QueuedLink> = Vec::new();
    let unprobed: Vec<FormRow> = sample.into_iter().filter(|row| row.finding.is_none()).collect();
    let ids: Vec<FormId> = unprobed.iter().map(|row| row.form_id).collect();
    for (row, form) in unprobed.iter().zip(form_snapshots(store, run, &ids)?) {
        let Some(form) = form else { continue };
        queued.extend(probe_link(row, &form, crawl, QueueId::SAMPLE, queued.len() as u64));
    }
    // A form that waits in the probe queue is moved; a form that was probed stays as it is.
    let changes = vec![FrontierChange::Replace(queued.clone()), FrontierChange::Add(queued)];
    store.commit(run, &Batch { changes, ..Batch::default() })
}

/// Forms that a quality sample is drawn from: every form of a run that is relevant, or was relevant when it was
/// sampled before. So the same seed draws the same sample again.
pub fn quality_population(store: &dyn Store, run: RunId) -> Result<Vec<FormRow>, StoreError> {
    let mut sampled: HashSet<FormId> = HashSet::new();
    for entry in all_submissions(store, SubmissionQuery { run: Some(run), ..SubmissionQuery::default() }) {
        let entry = entry?;
        if entry.purpose == SubmissionPurpose::Quality {
            sampled.insert(entry.form);
        }
    }
    let mut forms = Vec::new();
    for entry in all_forms(store, FormQuery { run: Some(run), ..FormQuery::default() }) {
        let row = entry?.row;
        if row.p_relevant >= MIN_ACCEPTED_P || sampled.contains(&row.form_id) {
            forms.push(row);
        }
    }
    Ok(forms)
}
