//! One harvest in memory, and how steps change it.

use super::super::catalogue::is_due;
use super::super::search::SearchWords;
use super::super::*;
use super::SharedState;
use hadal_core::harvest::record::RecordId;
use hadal_core::time::Time;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Everything about a harvest.
pub struct MemoryHarvest {
    pub spec: HarvestSpec,
    pub progress: HarvestProgress,
    pub control: Control,
    /// Queries that ended, by number.
    pub asked: BTreeMap<u32, QueryRow>,
    /// Records in the order they came up.
    pub records: Vec<RecordRow>,
    /// Where each record is among them.
    places: FxHashMap<RecordId, usize>,
    began: Time,
    tally: HarvestCounters,
    estimate: Option<HarvestEstimate>,
    next_seq: u64,
    reader: Option<Vec<u8>>,
    pub curve: Vec<HarvestPoint>,
    /// What would be asked next.
    pub next: Vec<String>,
}

impl MemoryHarvest {
    pub fn new(spec: HarvestSpec, began: Time) -> MemoryHarvest {
        MemoryHarvest {
            spec,
            progress: HarvestProgress { now: began, ..HarvestProgress::default() },
            control: Control::default(),
            asked: BTreeMap::new(),
            records: Vec::new(),
            places: FxHashMap::default(),
            began,
            tally: HarvestCounters::default(),
            estimate: None,
            next_seq: 0,
            reader: None,
            curve: Vec::new(),
            next: Vec::new(),
        }
    }

    pub fn row(&self, id: HarvestId) -> HarvestRow {
        HarvestRow {
            id,
            spec: self.spec.clone(),
            began: self.began,
            progress: self.progress.clone(),
            tally: self.tally.clone(),
            estimate: self.estimate,
        }
    }

    pub fn checkpoint(&self, id: HarvestId, common: &SharedState) -> HarvestCheckpoint {
        let own = common.submissions.iter().filter(|entry| entry.by == Submitter::Harvest(id));
        let logged = own.map(|entry| entry.seq.saturating_add(1)).max().unwrap_or(0);
        let open = self.records.iter().filter(|row| !self.asked.contains_key(&row.asked));
        HarvestCheckpoint {
            row: self.row(id),
            next_seq: self.next_seq.max(logged),
            reader: self.reader.clone(),
            open: open.map(|row| row.record.id).collect(),
        }
    }

    /// Adds a point to the curve, when one is due.
    fn note_point(&mut self) {
        let HarvestCounters { requests, queries, records, .. } = self.tally;
        if is_due(self.curve.last().map(|point| point.requests), requests) {
            let coverage = self.estimate.map(|known| known.coverage);
            self.curve.push(HarvestPoint { requests, queries, records, coverage });
        }
    }

    /// Applies a step to this harvest, whose number is `id`, unless it was applied.
    pub fn apply(&mut self, id: HarvestId, step: &HarvestStep, common: &mut SharedState) {
        if step.seq < self.next_seq {
            return;
        }
        self.next_seq = step.seq.saturating_add(1);
        self.progress.now = step.at;
        self.tally.count_step(step);
        step.records.iter().for_each(|row| self.keep_record(id, row));
        for (record, detail) in &step.details {
            if let Some(&place) = self.places.get(record) {
                self.records[place].detail = Some(detail.clone());
            }
        }
        if let Some(asked) = &step.asked {
            self.keep_asked(id, asked);
            self.next.clone_from(&step.next);
        }
        self.reader = step.reader.clone().or_else(|| self.reader.take());
        self.estimate = step.estimate.and_then(HarvestEstimate::told).or(self.estimate);
        if let Some(answer) = &step.submission {
            common.complete(Submitter::Harvest(id), step.seq, answer);
        }
        self.note_point();
    }

    fn keep_record(&mut self, harvest: HarvestId, row: &RecordRow) {
        if self.places.contains_key(&row.record.id) {
            return;
        }
        self.places.insert(row.record.id, self.records.len());
        self.tally.records += 1;
        let (form, topic) = (self.spec.form, self.spec.topic.clone());
        self.records.push(RecordRow { harvest, form, topic, ..row.clone() });
    }

    fn keep_asked(&mut self, harvest: HarvestId, row: &QueryRow) {
        let form = self.spec.form;
        self.asked.entry(row.number).or_insert_with(|| {
            self.tally.queries += u64::from(row.query.after == 0);
            QueryRow { harvest, form, ..row.clone() }
        });
    }

    /// The next query after a number, and the records of its answer.
    pub fn answer_after(&self, last: Option<u32>) -> Option<(QueryRow, Vec<AnswerRecord>)> {
        let row = self.asked_after(last)?;
        let places = row.hits.iter().filter_map(|hit| self.places.get(hit));
        let hits = places.map(|&place| AnswerRecord::of(self.records[place].clone(), row.number)).collect();
        Some((row.clone(), hits))
    }

    /// The next query after a number.
    pub fn asked_after(&self, last: Option<u32>) -> Option<&QueryRow> {
        let first = last.map_or(Some(0), |last| last.checked_add(1))?;
        self.asked.range(first..).next().map(|(_, row)| row)
    }

    /// Where the records after this one begin: at the first, when it is not known.
    pub fn place_after(&self, record: Option<u64>) -> usize {
        record.and_then(|id| self.places.get(&RecordId(id))).map_or(0, |place| place + 1)
    }

    /// The next record from a place on that has what is searched for, and the place after it.
    pub fn record_from(&self, place: usize, sought: Option<&SearchWords>) -> Option<(RecordRow, usize)> {
        let rest = self.records.iter().enumerate().skip(place);
        let mut wanted = rest.filter(|(_, row)| sought.is_none_or(|sought| has(row, sought)));
        wanted.next().map(|(place, row)| (row.clone(), place + 1))
    }
}

fn has(row: &RecordRow, sought: &SearchWords) -> bool {
    let detail = row.detail.as_deref().unwrap_or_default();
    sought.is_in(&[&row.record.title, &row.record.text, detail])
}
