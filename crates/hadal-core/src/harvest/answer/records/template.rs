//! Templates: where and how the records of earlier answers stood on the page.

use super::group::RecordGroup;
use super::start::RecordStart;
use serde::{Deserialize, Serialize};

/// Continuation labels stored per template. Guess.
const MAX_CONTINUATIONS: usize = 16;
/// Templates stored per form. Guess.
const MAX_TEMPLATES: usize = 6;

/// Place and structure of the records of earlier answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct RecordTemplate {
    /// Hash of the path and classes of the elements that hold the records.
    place: u64,
    start: RecordStart,
    /// Labels of the children that continue a record after its first child, sorted.
    pub(super) continuations: Vec<u64>,
    /// Sum of the scores of the groups found there.
    weight: f32,
}

impl RecordTemplate {
    pub(super) fn matches(&self, place: u64, start: RecordStart) -> bool {
        self.place == place && self.start == start
    }
}

/// All templates of one form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct RecordTemplates(Vec<RecordTemplate>);

impl RecordTemplates {
    /// Template with the highest weight.
    pub(in super::super) fn best(&self) -> Option<&RecordTemplate> {
        self.0.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))
    }

    /// Adds the group of an answer with its score. A group with several records replaces the continuation labels.
    pub(in super::super) fn add(&mut self, group: &RecordGroup, score: f32) {
        let mut continuations = group.continuations.clone();
        continuations.truncate(MAX_CONTINUATIONS);
        match self.0.iter().position(|known| known.matches(group.place, group.start)) {
            Some(at) => {
                let known = &mut self.0[at];
                known.weight += score;
                if group.segments.len() > 1 {
                    known.continuations = continuations;
                }
            }
            None if self.0.len() < MAX_TEMPLATES => {
                let (place, start) = (group.place, group.start);
                self.0.push(RecordTemplate { place, start, continuations, weight: score });
            }
            None => {}
        }
    }
}
