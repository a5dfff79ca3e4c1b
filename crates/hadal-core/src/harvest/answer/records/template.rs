//! Templates: position and markup of the records of earlier answers.

use super::detail_link::KnownLink;
use super::score::ScoredGroup;
use super::start::RecordStart;
use serde::{Deserialize, Serialize};

/// Maximum number of continuation labels stored per template. Guess.
const MAX_CONTINUATIONS: usize = 16;
/// Maximum number of URL shapes, and of link columns, stored per template. Guess.
const MAX_COUNTED: usize = 8;
/// Least number of records with the most frequent URL shape or link column for it to be that of detail pages. Guess.
const MIN_LINKED_RECORDS: u32 = 5;
/// Least number of answers for the place of their records to be established. Guess.
const MIN_ANSWERS: u32 = 3;
/// Maximum number of templates stored per form. Guess.
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
    /// Answers with records there.
    answers: u32,
    /// Number of records by the URL shape of their detail link, most frequent first.
    shapes: Vec<(u64, u32)>,
    /// Number of records by the column of their detail link, most frequent first. A resumed harvest knows the URL
    /// shapes only.
    #[serde(skip)]
    columns: Vec<(u64, u32)>,
}

impl RecordTemplate {
    pub(super) fn matches(&self, place: u64, start: RecordStart) -> bool {
        self.place == place && self.start == start
    }

    /// Start of the records in this place; `None` for other places.
    pub(super) fn start_at(&self, place: u64) -> Option<RecordStart> {
        (self.place == place).then_some(self.start)
    }

    /// Properties of most detail links, once enough records were seen.
    pub(super) fn detail_link(&self) -> KnownLink {
        KnownLink { shape: most_frequent(&self.shapes), column: most_frequent(&self.columns) }
    }

    fn add_links(&mut self, found: &ScoredGroup, shapes: &[u64]) {
        shapes.iter().for_each(|shape| add_count(&mut self.shapes, *shape, 1));
        if let Some(detail) = &found.detail {
            add_count(&mut self.columns, detail.column, found.group.segments.len() as u32);
        }
    }
}

fn most_frequent(counts: &[(u64, u32)]) -> Option<u64> {
    counts.first().filter(|(_, count)| *count >= MIN_LINKED_RECORDS).map(|(value, _)| *value)
}

/// Adds to the count of a value and keeps the most frequent value first.
fn add_count(counts: &mut Vec<(u64, u32)>, value: u64, number: u32) {
    match counts.iter().position(|(known, _)| *known == value) {
        Some(at) => counts[at].1 = counts[at].1.saturating_add(number),
        None if counts.len() < MAX_COUNTED => counts.push((value, number)),
        None => {}
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
}

/// All templates of one form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct RecordTemplates(Vec<RecordTemplate>);

impl RecordTemplates {
    /// Template with the highest weight.
    pub(in super::super) fn best(&self) -> Option<&RecordTemplate> {
        self.0.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))
    }

    /// Returns true if the records of the best template had detail links.
    pub(in super::super) fn have_links(&self) -> bool {
        self.best().is_some_and(|best| best.detail_link().shape.is_some())
    }

    /// Returns true if the best template had the records of most answers, and of at least [`MIN_ANSWERS`].
    pub(in super::super) fn is_established(&self) -> bool {
        let all: u32 = self.0.iter().map(|template| template.answers).sum();
        self.best().is_some_and(|best| best.answers >= MIN_ANSWERS && best.answers * 3 >= all * 2)
    }

    /// Adds the group of an answer with its weight and the URL shapes of its detail links. A group with several records
    /// replaces the continuation labels.
    pub(in super::super) fn add(&mut self, found: &ScoredGroup, weight: f32, shapes: &[u64]) {
        let group = &found.group;
        let mut continuations = group.continuations.clone();
        continuations.truncate(MAX_CONTINUATIONS);
        match self.0.iter().position(|known| known.matches(group.place, group.start)) {
            Some(at) => {
                let known = &mut self.0[at];
                known.weight += weight;
                known.answers = known.answers.saturating_add(1);
                known.add_links(found, shapes);
                if group.segments.len() > 1 {
                    known.continuations = continuations;
                }
            }
            None if self.0.len() < MAX_TEMPLATES => {
                let (place, start) = (group.place, group.start);
                let (shapes_seen, columns) = (Vec::new(), Vec::new());
                let mut new = RecordTemplate {
                    place,
                    start,
                    continuations,
                    weight,
                    answers: 1,
                    shapes: shapes_seen,
                    columns,
                };
                new.add_links(found, shapes);
                self.0.push(new);
            }
            None => {}
        }
    }
}
