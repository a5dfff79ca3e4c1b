//! Steps of a harvest, applied within one transaction.

use super::super::super::*;
use super::super::codec::{Json, Word, bits, packed, unsigned};
use super::super::{catalogue, submissions};
use super::words;
use hadal_core::harvest::record::RecordId;
use rusqlite::{Connection, OptionalExtension, params};

/// Steps being applied.
struct HarvestCommit<'a> {
    db: &'a Connection,
    harvest: i64,
    /// What these steps add to the harvest's counters.
    tally: HarvestCounters,
}

/// Applies those of the steps that were not applied.
pub fn apply(db: &Connection, harvest: HarvestId, steps: &[HarvestStep]) -> rusqlite::Result<()> {
    let mut commit = HarvestCommit { db, harvest: bits(harvest.0), tally: HarvestCounters::default() };
    let mut next = commit.next_seq()?;
    for step in steps {
        if step.seq >= next {
            next = step.seq.saturating_add(1);
            commit.apply(step)?;
        }
    }
    commit.count(next)
}

impl HarvestCommit<'_> {
    /// Runs a statement and tells how many rows it changed.
    fn execute(&self, sql: &str, values: impl rusqlite::Params) -> rusqlite::Result<u64> {
        self.db.prepare_cached(sql)?.execute(values).map(|changed| changed as u64)
    }

    fn next_seq(&self) -> rusqlite::Result<u64> {
        let sql = "SELECT next_seq FROM harvest_progress WHERE harvest = ?";
        self.db.prepare_cached(sql)?.query_row([self.harvest], |row| unsigned(row, 0))
    }

    fn apply(&mut self, step: &HarvestStep) -> rusqlite::Result<()> {
        self.tally.count_step(step);
        let now = "UPDATE harvest_progress SET now = ? WHERE harvest = ?";
        self.execute(now, params![bits(step.at.0), self.harvest])?;
        step.records.iter().try_for_each(|row| self.keep_record(row))?;
        step.details.iter().try_for_each(|(record, detail)| self.keep_detail(*record, detail))?;
        if let Some(asked) = &step.asked {
            self.keep_asked(asked)?;
            let next = "UPDATE harvest_progress SET next = ? WHERE harvest = ?";
            self.execute(next, params![Json(&step.next), self.harvest])?;
        }
        if let Some(reader) = &step.reader {
            let sql = "INSERT OR REPLACE INTO readers (harvest, saved) VALUES (?, ?)";
            self.execute(sql, params![self.harvest, reader])?;
        }
        if let Some(estimate) = step.estimate.and_then(HarvestEstimate::told) {
            self.keep_estimate(&estimate)?;
        }
        if let Some(answer) = &step.submission {
            let harvest = Submitter::Harvest(HarvestId(self.harvest.cast_unsigned()));
            submissions::complete(self.db, harvest, step.seq, answer)?;
        }
        Ok(())
    }

    /// Keeps a record, unless the harvest has it.
    fn keep_record(&mut self, row: &RecordRow) -> rusqlite::Result<()> {
        let record = &row.record;
        let kept = self.execute(
            "INSERT OR IGNORE INTO records (harvest, id, url, title, text, fields, asked, words, position,
                 fetched_at, detail)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                self.harvest,
                bits(record.id.0),
                record.url.as_ref().map(|url| url.as_str()),
                record.title,
                record.text,
                Json(&record.fields),
                row.asked,
                row.words,
                row.position,
                bits(row.fetched_at.0),
                row.detail,
            ],
        )?;
        self.tally.records += kept;
        if kept > 0 {
            let detail = row.detail.as_deref().unwrap_or_default();
            let texts = [&record.title, &record.text, detail];
            words::index(self.db, self.harvest, self.db.last_insert_rowid(), &texts)?;
        }
        Ok(())
    }

    /// Keeps the text of a record's own page, if the harvest has the record.
    fn keep_detail(&self, record: RecordId, detail: &str) -> rusqlite::Result<()> {
        let sql = "UPDATE records SET detail = ? WHERE harvest = ? AND id = ? RETURNING n, title, text";
        let mut kept = self.db.prepare_cached(sql)?;
        let found = kept.query_row(params![detail, self.harvest, bits(record.0)], |row| {
            Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        });
        match found.optional()? {
            Some((n, title, text)) => words::index(self.db, self.harvest, n, &[&title, &text, detail]),
            None => Ok(()),
        }
    }

    fn keep_asked(&mut self, row: &QueryRow) -> rusqlite::Result<()> {
        let kept = self.execute(
            "INSERT OR IGNORE INTO queries (harvest, number, words, query, kind, total, found, new, pages,
                 requests, ending, at, hits, next)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
            ],
        )?;
        // What is read on was asked before.
        self.tally.queries += if row.query.after == 0 { kept } else { 0 };
        Ok(())
    }

    fn keep_estimate(&self, estimate: &HarvestEstimate) -> rusqlite::Result<()> {
        let sql = "UPDATE harvest_progress SET size_low = ?, size = ?, size_high = ?, coverage_low = ?,
                coverage = ?, coverage_high = ? WHERE harvest = ?";
        let (size, coverage) = (estimate.size, estimate.coverage);
        let values = params![size[0], size[1], size[2], coverage[0], coverage[1], coverage[2], self.harvest];
        self.execute(sql, values)?;
        Ok(())
    }

    /// Adds to the harvest's counters.
    fn count(&self, next_seq: u64) -> rusqlite::Result<()> {
        let more = &self.tally;
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
        catalogue::curves::note_harvest(self.db, self.harvest)?;
        if more.errors.is_empty() { Ok(()) } else { self.count_errors() }
    }

    fn count_errors(&self) -> rusqlite::Result<()> {
        let known = "SELECT errors FROM harvest_progress WHERE harvest = ?";
        let Json(mut errors): Json<std::collections::BTreeMap<String, u64>> =
            self.db.prepare_cached(known)?.query_row([self.harvest], |row| row.get(0))?;
        for (kind, times) in &self.tally.errors {
            *errors.entry(kind.clone()).or_default() += times;
        }
        let sql = "UPDATE harvest_progress SET errors = ? WHERE harvest = ?";
        self.execute(sql, params![Json(errors), self.harvest])?;
        Ok(())
    }
}
