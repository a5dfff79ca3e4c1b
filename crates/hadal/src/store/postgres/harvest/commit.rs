//! Application of batches of a harvest within one transaction.
//!
//! As for runs, a commit reads the rows that its batches refer to, applies the batches in memory and writes the result:
//! two round trips, whatever the number of its records.

use super::super::super::search::{record_texts, words};
use super::super::super::*;
use super::super::audit;
use super::super::codec::{Columns, bits, json, packed, text, wide, word};
use super::super::connection::{Command, ServerConnection, command};
use super::super::fault::Fault;
use super::super::run_commit::columns;
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::time::Time;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Rows of a harvest before a commit.
#[derive(Default)]
struct HarvestBefore {
    next_seq: u64,
    counters: HarvestCounters,
    coverage: Option<[f64; 3]>,
    last_point: Option<u64>,
    /// Title, text and detail text of known records.
    records: FxHashMap<RecordId, [String; 3]>,
    queries: FxHashSet<u32>,
}

/// Change of a record that the harvest has.
#[derive(Default)]
struct RecordUpdate<'a> {
    /// Record that replaces it.
    replaced: Option<&'a Record>,
    /// New detail text; `Some(None)` deletes it.
    detail: Option<Option<&'a str>>,
    seen: Option<Time>,
    changed: Option<Time>,
    /// Time since which the record is gone; `Some(None)` if it is back.
    removed: Option<Option<Time>>,
}

/// Effect of batches on a harvest.
#[derive(Default)]
struct HarvestPlanned<'a> {
    next_seq: u64,
    counters: HarvestCounters,
    coverage: Option<[f64; 3]>,
    last_point: Option<u64>,
    points: Vec<HarvestPoint>,
    known: FxHashMap<RecordId, [String; 3]>,
    known_queries: FxHashSet<u32>,
    records: Vec<&'a RecordRow>,
    record_of: FxHashSet<RecordId>,
    updates: BTreeMap<RecordId, RecordUpdate<'a>>,
    queries: BTreeMap<u32, &'a QueryRow>,
    refresh: Option<RefreshCounters>,
    upcoming: Option<&'a [String]>,
    reader: Option<&'a [u8]>,
    estimate: Option<HarvestEstimate>,
    now: Option<Time>,
    progress: Option<&'a HarvestProgress>,
    results: Vec<(u64, &'a SubmissionResult)>,
    submissions: Vec<&'a Submission>,
}

/// Applies batches to a harvest within the open transaction, after the statement `first` if there is one.
pub fn apply(
    connection: &ServerConnection,
    first: Option<Command>,
    harvest: HarvestId,
    batches: &[&HarvestBatch],
) -> Result<(), Fault> {
    let before = read(connection, first, harvest, batches)?;
    let plan = HarvestPlanned::new(before, batches);
    connection.run(&plan.write(harvest)?).map(|_| ())
}

const RECORDS: &str = "SELECT id, title, text, detail FROM records WHERE harvest = $1 AND id = ANY($2)";

/// Record that a finding is about.
fn changed_record(change: &RecordChange) -> RecordId {
    match change {
        RecordChange::Seen(id) | RecordChange::Removed(id) => *id,
        RecordChange::Changed(record) => record.id,
    }
}

/// Reads the rows that a commit refers to, in one round trip.
fn read(
    connection: &ServerConnection,
    first: Option<Command>,
    harvest: HarvestId,
    batches: &[&HarvestBatch],
) -> Result<HarvestBefore, Fault> {
    let id = bits(harvest.0);
    let steps = || batches.iter().flat_map(|batch| &batch.steps);
    let found = steps().flat_map(|step| step.records.iter().map(|row| row.record.id));
    let detailed = steps().flat_map(|step| step.details.iter().map(|(record, _)| *record));
    let changed = steps().flat_map(|step| step.changes.iter().map(changed_record));
    let records: Vec<i64> = found.chain(detailed).chain(changed).map(|record| bits(record.0)).collect();
    let queries: Vec<i64> =
        steps().filter_map(|step| Some(wide(step.finished_query.as_ref()?.number))).collect();
    let skipped = usize::from(first.is_some());
    let mut commands: Vec<Command> = first.into_iter().collect();
    let progress =
        "SELECT next_seq, requests, bytes, queries, pages, records, failed, errors, coverage_low, coverage,
            coverage_high, (SELECT max(requests) FROM harvest_curve WHERE harvest = $1)
        FROM harvest_progress WHERE harvest = $1";
    commands.push(command!(progress, id));
    commands.push(command!(RECORDS, id, records));
    commands.push(command!(
        "SELECT number FROM queries WHERE harvest = $1 AND number = ANY($2)",
        id,
        queries
    ));
    let found = connection.run(&commands)?;
    let [progress, records, queries] = &found[skipped..] else {
        return Err(Fault::damaged("a part of the answer is missing"));
    };
    let row = progress.first().ok_or_else(|| Fault::damaged("the harvest has no progress"))?;
    let texts = |row: &tokio_postgres::Row| {
        let detail = row.optional_text(3)?.unwrap_or_default();
        Ok((RecordId(row.unsigned(0)?), [row.text(1)?, row.text(2)?, detail]))
    };
    Ok(HarvestBefore {
        next_seq: row.unsigned(0)?,
        counters: HarvestCounters {
            requests: row.unsigned(1)?,
            bytes: row.unsigned(2)?,
            queries: row.unsigned(3)?,
            pages: row.unsigned(4)?,
            records: row.unsigned(5)?,
            failed: row.unsigned(6)?,
            errors: row.json(7)?,
        },
        coverage: super::harvests::interval(row, 8)?,
        last_point: row.column::<Option<i64>>(11)?.map(i64::cast_unsigned),
        records: records.iter().map(texts).collect::<Result<_, Fault>>()?,
        queries: queries.iter().map(|row| row.number(0)).collect::<Result<_, Fault>>()?,
    })
}

impl<'a> HarvestPlanned<'a> {
    fn new(before: HarvestBefore, batches: &[&'a HarvestBatch]) -> HarvestPlanned<'a> {
        let mut plan = HarvestPlanned {
            next_seq: before.next_seq,
            counters: before.counters,
            coverage: before.coverage,
            last_point: before.last_point,
            known: before.records,
            known_queries: before.queries,
            ..HarvestPlanned::default()
        };
        batches.iter().for_each(|batch| plan.apply(batch));
        plan
    }

    fn apply(&mut self, batch: &'a HarvestBatch) {
        for step in &batch.steps {
            if step.seq >= self.next_seq {
                self.next_seq = step.seq.saturating_add(1);
                self.apply_step(step);
            }
        }
        if !batch.steps.is_empty() {
            self.add_point();
        }
        self.submissions.extend(&batch.submissions);
        if let Some(progress) = &batch.progress {
            self.progress = Some(progress);
            self.now = Some(progress.now);
        }
    }

    fn add_point(&mut self) {
        let HarvestCounters { requests, queries, records, .. } = self.counters;
        if is_point_due(self.last_point, requests) {
            self.last_point = Some(requests);
            self.points.push(HarvestPoint { requests, queries, records, coverage: self.coverage });
        }
    }

    fn apply_step(&mut self, step: &'a HarvestStep) {
        self.counters.count_step(step);
        self.now = Some(step.at);
        step.records.iter().for_each(|row| self.put_record(row));
        for (record, detail) in &step.details {
            if let Some(update) = self.update_of(*record) {
                update.detail = Some(Some(detail));
            }
        }
        step.changes.iter().for_each(|change| self.change_record(change, step.at));
        self.refresh = step.refresh.or(self.refresh);
        if let Some(query) = &step.finished_query {
            self.put_query(query);
            self.upcoming = Some(&step.next);
        }
        self.reader = step.reader.as_deref().or(self.reader);
        if let Some(estimate) = step.estimate.and_then(HarvestEstimate::without_nan) {
            self.coverage = Some(estimate.coverage);
            self.estimate = Some(estimate);
        }
        self.results.extend(step.submission.iter().map(|result| (step.seq, result)));
    }

    fn put_record(&mut self, row: &'a RecordRow) {
        let id = row.record.id;
        if !self.known.contains_key(&id) && self.record_of.insert(id) {
            self.records.push(row);
            self.counters.records += 1;
        }
    }

    /// Update of a record, if the harvest has it.
    fn update_of(&mut self, record: RecordId) -> Option<&mut RecordUpdate<'a>> {
        let is_known = self.known.contains_key(&record) || self.record_of.contains(&record);
        is_known.then(|| self.updates.entry(record).or_default())
    }

    /// Plans a finding about a record, if the harvest has it.
    fn change_record(&mut self, change: &'a RecordChange, at: Time) {
        let Some(update) = self.update_of(changed_record(change)) else { return };
        match change {
            RecordChange::Removed(_) => update.removed = Some(Some(at)),
            RecordChange::Seen(_) => (update.seen, update.removed) = (Some(at), Some(None)),
            RecordChange::Changed(record) => {
                (update.seen, update.changed, update.removed) = (Some(at), Some(at), Some(None));
                (update.replaced, update.detail) = (Some(record), Some(None));
            }
        }
    }

    /// Plans a finished query. One that continues an earlier answer was counted with that one, and one that was sent
    /// again replaces its row.
    fn put_query(&mut self, row: &'a QueryRow) {
        let is_again = row.rechecks.times > 0;
        let is_new = self.known_queries.insert(row.number);
        if is_new || is_again {
            self.queries.insert(row.number, row);
        }
        self.counters.queries += u64::from(is_new && !is_again && row.query.after == 0);
    }

    fn write(&self, harvest: HarvestId) -> Result<Vec<Command>, Fault> {
        let id = bits(harvest.0);
        let mut commands = vec![self.counters(id)?];
        commands.extend(self.state(id)?);
        commands.extend(self.insert_records(id)?);
        commands.extend(self.update_records(id)?);
        commands.extend(self.insert_queries(id)?);
        let reader = "INSERT INTO readers (harvest, saved) VALUES ($1, $2)
            ON CONFLICT (harvest) DO UPDATE SET saved = excluded.saved";
        commands.extend(self.reader.map(|saved| command!(reader, id, saved.to_vec())));
        commands.extend(self.insert_points(id)?);
        commands.extend(audit::log(&self.submissions)?);
        commands.extend(audit::complete(Submitter::Harvest(harvest), &self.results)?);
        Ok(commands)
    }

    fn counters(&self, id: i64) -> Result<Command, Fault> {
        let sql = "UPDATE harvest_progress SET next_seq = $2, requests = $3, bytes = $4, queries = $5, pages = $6,
            records = $7, failed = $8, errors = $9, now = coalesce($10, now), upcoming = coalesce($11, upcoming),
            refresh = coalesce($12, refresh) WHERE harvest = $1";
        let all = &self.counters;
        let upcoming = self.upcoming.map(|next| json(&next)).transpose()?;
        Ok(command!(
            sql,
            id,
            bits(self.next_seq),
            bits(all.requests),
            bits(all.bytes),
            bits(all.queries),
            bits(all.pages),
            bits(all.records),
            bits(all.failed),
            json(&all.errors)?,
            self.now.map(|now| bits(now.0)),
            upcoming,
            self.refresh.as_ref().map(json).transpose()?
        ))
    }

    /// Statements that write estimate and state.
    fn state(&self, id: i64) -> Result<Vec<Command>, Fault> {
        let estimate = self.estimate.map(|HarvestEstimate { size, coverage }| {
            let sql =
                "UPDATE harvest_progress SET size_low = $2, size = $3, size_high = $4, coverage_low = $5,
                coverage = $6, coverage_high = $7 WHERE harvest = $1";
            command!(sql, id, size[0], size[1], size[2], coverage[0], coverage[1], coverage[2])
        });
        let Some(progress) = self.progress else { return Ok(estimate.into_iter().collect()) };
        let sql = "UPDATE harvest_progress SET state = $2, ending = $3, elapsed_ms = $4 WHERE harvest = $1";
        let ending = progress.ending.as_deref().map(text);
        let state = command!(sql, id, word(&progress.state)?, ending, bits(progress.elapsed_ms));
        Ok(estimate.into_iter().chain([state]).collect())
    }

    fn insert_records(&self, id: i64) -> Result<Option<Command>, Fault> {
        Ok(columns!(
            "INSERT INTO records (harvest, id, url, title, text, fields, query_number, query_text, position, fetched_at,
                 detail, words)
             SELECT $1, new.id, new.url, new.title, new.text, new.fields, new.query_number, new.query_text,
                 new.position, new.fetched_at, new.detail, array_to_tsvector(string_to_array(new.words, ' '))
             FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[],
                 $9::bigint[], $10::bigint[], $11::text[], $12::text[]) AS new (id, url, title, text, fields,
                 query_number, query_text, position, fetched_at, detail, words)
             ON CONFLICT DO NOTHING",
            id, &self.records, |row|
            bits(row.record.id.0), row.record.url.as_ref().map(ToString::to_string), text(&row.record.title),
            text(&row.record.text), json(&row.record.fields)?, wide(row.query_number), text(&row.words),
            wide(row.position), bits(row.fetched_at.0), row.detail.as_deref().map(text),
            joined_words(&record_texts(row))
        ))
    }

    /// Title, text and detail text of a record after this commit.
    fn texts(&self, id: RecordId, update: &RecordUpdate<'a>) -> [String; 3] {
        let new = || self.records.iter().find(|row| row.record.id == id).map(|row| record_texts(row));
        let before = match self.known.get(&id) {
            Some(texts) => texts.clone(),
            None => new().map(|texts| texts.map(String::from)).unwrap_or_default(),
        };
        let [title, text, detail] = before;
        let [title, text] = match update.replaced {
            Some(record) => [record.title.clone(), record.text.clone()],
            None => [title, text],
        };
        [title, text, update.detail.map_or(detail, |detail| detail.unwrap_or_default().to_string())]
    }

    fn update_records(&self, id: i64) -> Result<Option<Command>, Fault> {
        let words = |id: RecordId, update: &RecordUpdate<'a>| {
            let is_other = update.replaced.is_some() || update.detail.is_some();
            is_other.then(|| joined_words(&self.texts(id, update).each_ref().map(String::as_str)))
        };
        let fields = |record: &Record| json(&record.fields);
        let time = |time: Time| bits(time.0);
        let updates: Vec<(&RecordId, &RecordUpdate<'a>)> = self.updates.iter().collect();
        Ok(columns!(
            "UPDATE records SET
                 url = CASE WHEN new.title IS NULL THEN records.url ELSE new.url END,
                 title = coalesce(new.title, records.title), text = coalesce(new.text, records.text),
                 fields = coalesce(new.fields, records.fields),
                 detail = CASE WHEN new.has_detail THEN new.detail ELSE records.detail END,
                 seen_at = coalesce(new.seen_at, records.seen_at),
                 changed_at = coalesce(new.changed_at, records.changed_at),
                 removed_at = CASE WHEN new.has_removed THEN new.removed_at ELSE records.removed_at END,
                 words = CASE WHEN new.words IS NULL THEN records.words
                     ELSE array_to_tsvector(string_to_array(new.words, ' ')) END
             FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::text[],
                 $9::bigint[], $10::bigint[], $11::boolean[], $12::bigint[], $13::text[]) AS new (id, url, title, text,
                 fields, has_detail, detail, seen_at, changed_at, has_removed, removed_at, words)
             WHERE records.harvest = $1 AND records.id = new.id",
            id, updates, |(record, update)|
            bits(record.0),
            update.replaced.and_then(|new| new.url.as_ref()).map(ToString::to_string),
            update.replaced.map(|new| text(&new.title)), update.replaced.map(|new| text(&new.text)),
            update.replaced.map(fields).transpose()?, update.detail.is_some(),
            update.detail.flatten().map(text), update.seen.map(time), update.changed.map(time),
            update.removed.is_some(), update.removed.flatten().map(time), words(**record, update)
        ))
    }

    fn insert_queries(&self, id: i64) -> Result<Option<Command>, Fault> {
        Ok(columns!(
            "INSERT INTO queries (harvest, number, query_text, query, kind, total, found, new, pages, requests, ending,
                 at, hits, next, rechecks, changes, record_days)
             SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
                 $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::bigint[], $13::bytea[], $14::bytea[],
                 $15::bigint[], $16::bigint[], $17::float8[])
             ON CONFLICT (harvest, number) DO UPDATE SET query_text = excluded.query_text, query = excluded.query,
                 kind = excluded.kind, total = excluded.total, found = excluded.found, new = excluded.new,
                 pages = excluded.pages, requests = excluded.requests, ending = excluded.ending, at = excluded.at,
                 hits = excluded.hits, next = excluded.next, rechecks = excluded.rechecks,
                 changes = excluded.changes, record_days = excluded.record_days",
            id, self.queries.values().collect::<Vec<_>>(), |row|
            wide(row.number), text(&row.words), json(&row.query)?, text(&row.kind),
            row.total.as_ref().map(json).transpose()?, wide(row.found), wide(row.new), wide(row.pages),
            wide(row.requests), word(&row.end)?, bits(row.at.0),
            row.hits.iter().flat_map(|hit| hit.0.to_le_bytes()).collect::<Vec<u8>>(),
            row.next.as_ref().map(packed).transpose()?, wide(row.rechecks.times), wide(row.rechecks.changes),
            row.rechecks.record_days
        ))
    }

    fn insert_points(&self, id: i64) -> Result<Option<Command>, Fault> {
        let bound = |point: &HarvestPoint, at: usize| point.coverage.map(|coverage| coverage[at]);
        Ok(columns!(
            "INSERT INTO harvest_curve (harvest, requests, queries, records, coverage_low, coverage, coverage_high)
             SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::float8[], $6::float8[],
                 $7::float8[]) ON CONFLICT DO NOTHING",
            id, &self.points, |point|
            bits(point.requests), bits(point.queries), bits(point.records), bound(point, 0), bound(point, 1),
            bound(point, 2)
        ))
    }
}

/// Distinct words of some texts, separated by spaces, which no word contains.
fn joined_words(texts: &[&str]) -> String {
    words(texts).join(" ")
}
