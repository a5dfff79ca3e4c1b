//! Where the records of a form were found before.

use super::group::RecordGroup;
use super::start::RecordStart;
use serde::{Deserialize, Serialize};

/// Labels that are kept of what follows the beginning of a record.
const MOST_FOLLOWERS: usize = 16;
/// Places that are remembered for one form.
const MOST_TEMPLATES: usize = 6;

/// The place and the beginning of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct RecordTemplate {
    place: u64,
    starter: RecordStart,
    /// What follows the beginning, sorted.
    pub(super) followers: Vec<u64>,
    /// How well the groups found there scored, together.
    weight: f32,
}

impl RecordTemplate {
    /// Whether records of this place and beginning were found before.
    pub(super) fn is(&self, place: u64, starter: RecordStart) -> bool {
        self.place == place && self.starter == starter
    }
}

/// Every place where records of a form were found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct RecordTemplates(Vec<RecordTemplate>);

impl RecordTemplates {
    /// The place that did best so far.
    pub(in super::super) fn best(&self) -> Option<&RecordTemplate> {
        self.0.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))
    }

    /// Remembers where a group of records was.
    pub(in super::super) fn note(&mut self, group: &RecordGroup, weight: f32) {
        let mut followers = group.followers.clone();
        followers.truncate(MOST_FOLLOWERS);
        match self.0.iter().position(|known| known.is(group.place, group.starter)) {
            Some(at) => {
                let known = &mut self.0[at];
                known.weight += weight;
                if group.segments.len() > 1 {
                    known.followers = followers;
                }
            }
            None if self.0.len() < MOST_TEMPLATES => {
                self.0.push(RecordTemplate { place: group.place, starter: group.starter, followers, weight });
            }
            None => {}
        }
    }
}
