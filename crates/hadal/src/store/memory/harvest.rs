//! One harvest in memory.

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
    pub control: Control,
    progress: HarvestProgress,
    /// Finished queries by number.
    queries: BTreeMap<u32, QueryRow>,
    /// Records in the order they were found.
    records: Vec<RecordRow>,
    /// Index of each record in `records`.
    places: FxHashMap<RecordId, usize>,
    began: Time,
    counters: HarvestCounters,
    estimate: Option<HarvestEstimate>,
    next_seq: u64,
    reader: Option<Vec<u8>>,
    curve: Vec<HarvestPoint>,
    upcoming: Vec<String>,
    refresh: Option<RefreshCounters>,
}

impl MemoryHarvest {
    pub fn new(spec: HarvestSpec, began: Time) -> MemoryHarvest {
        MemoryHarvest {
            spec,
            control: Control::default(),
            progress: HarvestProgress { now: began, ..HarvestProgress::default() },
            queries: BTreeMap::new(),
            records: Vec::new(),
            places: FxHashMap::default(),
            began,
            counters: HarvestCounters::default(),
            estimate: None,
            next_seq: 0,
            reader: None,
            curve: Vec::new(),
            upcoming: Vec::new(),
            refresh: None,
        }
    }

    /// The harvest as a row, with its curve if the query selects it.
    pub fn row(&self, id: HarvestId, curve: bool) -> HarvestRow {
        HarvestRow {
            id,
            spec: self.spec.clone(),
            began: self.began,
            progress: self.progress.clone(),
            counters: self.counters.clone(),
            estimate: self.estimate,
            upcoming: self.upcoming.clone(),
            curve: if curve { self.curve.clone() } else { Vec::new() },
            refresh: self.refresh,
        }
    }

    pub fn checkpoint(&self, id: HarvestId, shared: &SharedState) -> HarvestCheckpoint {
        let own = shared.submissions.iter().filter(|entry| entry.by == Submitter::Harvest(id));
        let logged = own.map(|entry| entry.seq.saturating_add(1)).max().unwrap_or(0);
        HarvestCheckpoint {
            row: self.row(id, false),
            next_seq: self.next_seq.max(logged),
            reader: self.reader.clone(),
            form_check: shared.form_checks.get(&self.spec.form).cloned(),
        }
    }

    /// Applies a batch to this harvest, which has the number `id`.
    pub fn apply(&mut self, id: HarvestId, batch: &HarvestBatch, shared: &mut SharedState) {
        batch.steps.iter().for_each(|step| self.apply_step(id, step, shared));
        batch.submissions.iter().for_each(|entry| shared.log(entry));
        if let Some(progress) = &batch.progress {
            self.progress = progress.clone();
        }
    }

    fn apply_step(&mut self, id: HarvestId, step: &HarvestStep, shared: &mut SharedState) {
        if step.seq < self.next_seq {
            return;
        }
        self.next_seq = step.seq.saturating_add(1);
        self.progress.now = step.at;
        self.counters.count_step(step);
        step.records.iter().for_each(|row| self.put_record(id, row));
        for (record, detail) in &step.details {
            if let Some(&place) = self.places.get(record) {
                self.records[place].detail = Some(detail.clone());
            }
        }
        step.changes.iter().for_each(|change| self.change_record(change, step.at));
        self.refresh = step.refresh.or(self.refresh);
        if let Some(query) = &step.finished_query {
            self.put_query(id, query);
            self.upcoming.clone_from(&step.next);
        }
        self.reader = step.reader.clone().or_else(|| self.reader.take());
        self.estimate = step.estimate.and_then(HarvestEstimate::without_nan).or(self.estimate);
        if let Some(result) = &step.submission {
            shared.complete(Submitter::Harvest(id), step.seq, result);
        }
        self.add_curve_point();
    }

    fn add_curve_point(&mut self) {
        let HarvestCounters { requests, queries, records, .. } = self.counters;
        if is_point_due(self.curve.last().map(|point| point.requests), requests) {
            let coverage = self.estimate.map(|known| known.coverage);
            self.curve.push(HarvestPoint { requests, queries, records, coverage });
        }
    }

    fn put_record(&mut self, harvest: HarvestId, row: &RecordRow) {
        if self.places.contains_key(&row.record.id) {
            return;
        }
        self.places.insert(row.record.id, self.records.len());
        self.counters.records += 1;
        let (form, topic) = (self.spec.form, self.spec.topic.clone());
        self.records.push(RecordRow { harvest, form, topic, ..row.clone() });
    }

    fn change_record(&mut self, change: &RecordChange, at: Time) {
        let id = match change {
            RecordChange::Seen(id) | RecordChange::Removed(id) => *id,
            RecordChange::Changed(record) => record.id,
        };
        let Some(&place) = self.places.get(&id) else { return };
        let row = &mut self.records[place];
        row.dates = match change {
            RecordChange::Seen(_) => RecordDates { seen: Some(at), removed: None, ..row.dates },
            RecordChange::Changed(_) => RecordDates { seen: Some(at), changed: Some(at), removed: None },
            RecordChange::Removed(_) => RecordDates { removed: Some(at), ..row.dates },
        };
        if let RecordChange::Changed(record) = change {
            (row.record, row.detail) = (record.clone(), None);
        }
    }

    fn put_query(&mut self, harvest: HarvestId, row: &QueryRow) {
        let form = self.spec.form;
        if let Some(earlier) = self.queries.get_mut(&row.number).filter(|_| row.rechecks.times > 0) {
            *earlier = QueryRow { harvest, form, ..row.clone() };
            return;
        }
        self.queries.entry(row.number).or_insert_with(|| {
            self.counters.queries += u64::from(row.query.after == 0);
            QueryRow { harvest, form, ..row.clone() }
        });
    }

    /// The next queries after a number, with the records of their answers.
    pub fn answers_after(&self, after: Option<u32>, limit: usize) -> Vec<PastAnswer> {
        let answer = |query: &QueryRow| {
            let places = query.hits.iter().filter_map(|hit| self.places.get(hit));
            let records = places.map(|&place| AnswerRecord::of(self.records[place].clone(), query.number));
            PastAnswer { query: query.clone(), records: records.collect() }
        };
        self.queries_after(after.map(u64::from)).take(limit).map(answer).collect()
    }

    fn queries_after(&self, after: Option<u64>) -> impl Iterator<Item = &QueryRow> {
        let is_later = move |number: u32| after.is_none_or(|after| u64::from(number) > after);
        self.queries.iter().filter(move |(number, _)| is_later(**number)).map(|(_, row)| row)
    }

    /// The next queries after a number that contain the words.
    pub fn find_queries(
        &self,
        after: Option<u64>,
        search: Option<&SearchWords>,
        limit: usize,
    ) -> Vec<QueryRow> {
        let matches = |row: &&QueryRow| search.is_none_or(|words| words.are_in(&[&row.words]));
        self.queries_after(after).filter(matches).take(limit).cloned().collect()
    }

    /// The next records after a record that contain the words; from the first on if the record is unknown.
    pub fn find_records(
        &self,
        after: Option<u64>,
        search: Option<&SearchWords>,
        limit: usize,
    ) -> Vec<RecordRow> {
        let first = after.and_then(|id| self.places.get(&RecordId(id))).map_or(0, |place| place + 1);
        let matches = |row: &&RecordRow| search.is_none_or(|words| words.are_in_record(row));
        self.records[first..].iter().filter(matches).take(limit).cloned().collect()
    }
}
