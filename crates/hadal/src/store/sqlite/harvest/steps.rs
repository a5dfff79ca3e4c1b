//! Application of a batch of a harvest within one transaction.

use super::super::super::search::record_texts;
use super::super::super::*;
use super::super::codec::{Json, Word, bits, packed, unsigned};
use super::super::{catalogue, submissions};
use super::{harvests, word_index};
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::time::Time;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// A batch in the course of being applied.
struct HarvestCommit<'a> {
    db: &'a Connection,
    harvest: i64,
    /// Increase of the harvest's counters.
    counters: HarvestCounters,
}

/// Applies a batch in the documented order.
pub fn apply(db: &Connection, harvest: HarvestId, batch: &HarvestBatch) -> rusqlite::Result<()> {
    if !batch.steps.is_empty() {
        apply_steps(db, harvest, &batch.steps)?;
    }
    batch.submissions.iter().try_for_each(|entry| submissions::log(db, entry))?;
    batch.progress.as_ref().map_or(Ok(()), |progress| harvests::save_progress(db, harvest, progress))
}

/// Applies the steps that were not applied before.
fn apply_steps(db: &Connection, harvest: HarvestId, steps: &[HarvestStep]) -> rusqlite::Result<()> {
    let mut commit = HarvestCommit { db, harvest: bits(harvest.0), counters: HarvestCounters::default() };
    let mut next = commit.next_seq()?;
    for step in steps {
        if step.seq >= next {
            next = step.seq.saturating_add(1);
            commit.apply(step)?;
        }
    }
    commit.add_counters(next)
}

impl HarvestCommit<'_> {
    /// Executes a statement and returns the number of rows changed.
    fn execute(&self, sql: &str, values: impl rusqlite::Params) -> rusqlite::Result<u64> {
        self.db.prepare_cached(sql)?.execute(values).map(|changed| changed as u64)
    }

    fn next_seq(&self) -> rusqlite::Result<u64> {
        let sql = "SELECT next_seq FROM harvest_progress WHERE harvest = ?";
        self.db.prepare_cached(sql)?.query_row([self.harvest], |row| unsigned(row, 0))
    }

    fn apply(&mut self, step: &HarvestStep) -> rusqlite::Result<()> {
        self.counters.count_step(step);
        let now = "UPDATE harvest_progress SET now = ? WHERE harvest = ?";
        self.execute(now, params![bits(step.at.0), self.harvest])?;
        step.records.iter().try_for_each(|row| self.put_record(row))?;
        step.details.iter().try_for_each(|(record, detail)| self.put_detail(*record, detail))?;
        step.changes.iter().try_for_each(|change| self.change_record(change, step.at))?;
        if let Some(refresh) = &step.refresh {
            let sql = "UPDATE harvest_progress SET refresh = ? WHERE harvest = ?";
            self.execute(sql, params![Json(refresh), self.harvest])?;
        }
        if let Some(query) = &step.finished_query {
            self.put_query(query)?;
            let next = "UPDATE harvest_progress SET upcoming = ? WHERE harvest = ?";
            self.execute(next, params![Json(&step.next), self.harvest])?;
        }
        if let Some(reader) = &step.reader {
            let sql = "INSERT OR REPLACE INTO readers (harvest, saved) VALUES (?, ?)";
            self.execute(sql, params![self.harvest, reader])?;
        }
        if let Some(estimate) = step.estimate.and_then(HarvestEstimate::without_nan) {
            self.put_estimate(&estimate)?;
        }
        if let Some(result) = &step.submission {
            let harvest = Submitter::Harvest(HarvestId(self.harvest.cast_unsigned()));
            submissions::complete(self.db, harvest, step.seq, result)?;
        }
        Ok(())
    }

    /// Stores a record, unless the harvest has it.
    fn put_record(&mut self, row: &RecordRow) -> rusqlite::Result<()> {
        let record = &row.record;
        let kept = self.execute(
            "INSERT OR IGNORE INTO records (harvest, id, url, title, text, fields, query_number, query_text,
                 position,
                 fetched_at, detail)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                self.harvest,
                bits(record.id.0),
                record.url.as_ref().map(|url| url.as_str()),
                record.title,
                record.text,
                Json(&record.fields),
                row.query_number,
                row.words,
                row.position,
                bits(row.fetched_at.0),
                row.detail,
            ],
        )?;
        self.counters.records += kept;
        if kept > 0 {
            word_index::add(self.db, self.harvest, self.db.last_insert_rowid(), &record_texts(row))?;
        }
        Ok(())
    }

    /// Stores the text of a detail page, if the harvest has the record.
    fn put_detail(&self, record: RecordId, detail: &str) -> rusqlite::Result<()> {
        let Some((n, [title, text, before])) = self.indexed_texts(record)? else { return Ok(()) };
        word_index::remove(self.db, self.harvest, n, &[&title, &text, &before])?;
        self.execute("UPDATE records SET detail = ? WHERE n = ?", params![detail, n])?;
        word_index::add(self.db, self.harvest, n, &[&title, &text, detail])
    }

    /// Stores a finding about a record, if the harvest has it.
    fn change_record(&self, change: &RecordChange, at: Time) -> rusqlite::Result<()> {
        let (at, harvest) = (bits(at.0), self.harvest);
        let changed = match change {
            RecordChange::Seen(id) => {
                let sql = "UPDATE records SET seen_at = ?, removed_at = NULL WHERE harvest = ? AND id = ?";
                self.execute(sql, params![at, harvest, bits(id.0)])
            }
            RecordChange::Removed(id) => {
                let sql = "UPDATE records SET removed_at = ? WHERE harvest = ? AND id = ?";
                self.execute(sql, params![at, harvest, bits(id.0)])
            }
            RecordChange::Changed(record) => return self.replace_record(record, at),
        };
        changed.map(|_| ())
    }

    fn replace_record(&self, record: &Record, at: i64) -> rusqlite::Result<()> {
        let Some((n, [title, text, detail])) = self.indexed_texts(record.id)? else { return Ok(()) };
        word_index::remove(self.db, self.harvest, n, &[&title, &text, &detail])?;
        let sql = "UPDATE records SET url = ?, title = ?, text = ?, fields = ?, detail = NULL, seen_at = ?,
                changed_at = ?, removed_at = NULL WHERE n = ?";
        let url = record.url.as_ref().map(|url| url.as_str());
        self.execute(sql, params![url, record.title, record.text, Json(&record.fields), at, at, n])?;
        word_index::add(self.db, self.harvest, n, &[&record.title, &record.text, ""])
    }

    /// Row number of a record with its title, text and detail text.
    fn indexed_texts(&self, record: RecordId) -> rusqlite::Result<Option<(i64, [String; 3])>> {
        let sql = "SELECT n, title, text, coalesce(detail, '') FROM records WHERE harvest = ? AND id = ?";
        let read = |row: &Row<'_>| Ok((row.get(0)?, [row.get(1)?, row.get(2)?, row.get(3)?]));
        self.db.prepare_cached(sql)?.query_row([self.harvest, bits(record.0)], read).optional()
    }

    fn put_query(&mut self, row: &QueryRow) -> rusqlite::Result<()> {
        let is_again = row.rechecks.times > 0;
        let conflict = if is_again { "REPLACE" } else { "IGNORE" };
        let sql = format!(
            "INSERT OR {conflict} INTO queries (harvest, number, query_text, query, kind, total, found, new,
                 pages, requests, ending, at, hits, next, rechecks, changes, record_days)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        );
        let kept = self.execute(
            &sql,
            params![
                self.harvest,
                row.number,
                row.words,
                Json(&row.query),
                row.kind,
                row.total.map(Json),
                row.found,
                row.new,
                row.pages,
                row.requests,
                Word(row.end),
                bits(row.at.0),
                row.hits.iter().flat_map(|hit| hit.0.to_le_bytes()).collect::<Vec<u8>>(),
                row.next.as_ref().map(packed).transpose()?,
                row.rechecks.times,
                row.rechecks.changes,
                row.rechecks.record_days,
            ],
        )?;
        // A query that continues an earlier answer was counted with that one.
        self.counters.queries += if row.query.after == 0 && !is_again { kept } else { 0 };
        Ok(())
    }

    fn put_estimate(&self, estimate: &HarvestEstimate) -> rusqlite::Result<()> {
        let sql = "UPDATE harvest_progress SET size_low = ?, size = ?, size_high = ?, coverage_low = ?,
                coverage = ?, coverage_high = ? WHERE harvest = ?";
        let (size, coverage) = (estimate.size, estimate.coverage);
        let values = params![size[0], size[1], size[2], coverage[0], coverage[1], coverage[2], self.harvest];
        self.execute(sql, values)?;
        Ok(())
    }

    /// Adds to the harvest's counters.
    fn add_counters(&self, next_seq: u64) -> rusqlite::Result<()> {
        let more = &self.counters;
        self.execute(
            "UPDATE harvest_progress SET next_seq = ?, requests = requests + ?, bytes = bytes + ?,
                 queries = queries + ?, pages = pages + ?, records = records + ?, failed = failed + ?
             WHERE harvest = ?",
            params![
                bits(next_seq),
                bits(more.requests),
                bits(more.bytes),
                bits(more.queries),
                bits(more.pages),
                bits(more.records),
                bits(more.failed),
                self.harvest,
            ],
        )?;
        catalogue::curves::add_harvest_point(self.db, self.harvest)?;
        if more.errors.is_empty() { Ok(()) } else { self.add_errors() }
    }

    fn add_errors(&self) -> rusqlite::Result<()> {
        let known = "SELECT errors FROM harvest_progress WHERE harvest = ?";
        let Json(mut errors): Json<std::collections::BTreeMap<FailureKind, u64>> =
            self.db.prepare_cached(known)?.query_row([self.harvest], |row| row.get(0))?;
        for (kind, times) in &self.counters.errors {
            *errors.entry(*kind).or_default() += times;
        }
        let sql = "UPDATE harvest_progress SET errors = ? WHERE harvest = ?";
        self.execute(sql, params![Json(errors), self.harvest])?;
        Ok(())
    }
}
