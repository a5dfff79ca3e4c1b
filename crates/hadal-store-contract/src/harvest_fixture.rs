//! Small harvests with queries and records.

use crate::fixture::url;
use hadal::store::*;
use hadal_core::harvest::policy::{ReadingEnd, StatedTotal};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::http::{Method, Request};
use hadal_core::identity::FormId;
use hadal_core::page::{Field, FieldKind, Form};
use hadal_core::time::Time;
use std::ops::Range;

pub fn harvest_spec(form: u64) -> HarvestSpec {
    let fields = vec![Field::new(FieldKind::Text, "q", ""), Field::new(FieldKind::Hidden, "s", "\u{20ac}")];
    HarvestSpec {
        form: FormId(form),
        topic: "books".into(),
        page: url("http://books.example/find"),
        form_snapshot: Form::to(url("http://books.example/results"), Method::Get, fields),
        policy: "hadal".into(),
        seed: 7,
        source: "web".into(),
    }
}

/// A record that query 1 of the first harvest of form 1 found.
pub fn record(id: u64) -> RecordRow {
    RecordRow {
        harvest: HarvestId(1),
        form: FormId(1),
        topic: "books".into(),
        record: Record {
            id: RecordId(id),
            url: Some(url(&format!("http://books.example/record/{id}"))),
            title: format!("Title {id}"),
            text: format!("Title {id}, the text of a record"),
            fields: vec![("year".into(), "1870".into()), ("author".into(), "J. Verne".into())],
        },
        query_number: 1,
        words: "deep sea".into(),
        position: 3,
        fetched_at: Time(86_400_000),
        detail: None,
        dates: RecordDates::default(),
    }
}

/// A query of the first harvest of form 1 with these records in its answer.
pub fn query_row(number: u32, hits: Range<u64>) -> QueryRow {
    let found = hits.clone().count() as u32;
    QueryRow {
        harvest: HarvestId(1),
        form: FormId(1),
        number,
        query: Query { words: "deep sea".into(), ..Query::choices(vec![(1, "x".into())]) },
        words: "deep sea s=x".into(),
        kind: "word".into(),
        total: Some(StatedTotal::About(2000)),
        found,
        new: found,
        pages: 2,
        requests: 2,
        end: ReadingEnd::Paused,
        at: Time(1234),
        hits: hits.map(RecordId).collect(),
        next: Some(Request {
            method: Method::Post,
            body: b"page=3".to_vec(),
            ..Request::get(url("http://s0.org/find"))
        }),
        rechecks: QueryRechecks::default(),
    }
}

/// A step that finds these records, by a query that has not ended.
pub fn harvest_step(seq: u64, number: u32, ids: Range<u64>) -> HarvestStep {
    let records = ids.map(|id| RecordRow { query_number: number, ..record(id) }).collect();
    HarvestStep {
        seq,
        at: Time(2000 + seq),
        requests: 1,
        bytes: 100,
        pages: 1,
        records,
        ..HarvestStep::default()
    }
}

/// An entry of the audit log for a step of a harvest.
pub fn harvest_entry(harvest: HarvestId, seq: u64) -> Submission {
    Submission {
        by: Submitter::Harvest(harvest),
        seq,
        at: Time(1000 + seq),
        topic: "books".into(),
        form: FormId(1),
        page: url("http://books.example/find"),
        method: Method::Get,
        url: url("http://books.example/results?q=deep+sea"),
        body: String::new(),
        purpose: SubmissionPurpose::Harvest,
        answer: None,
    }
}

pub fn begin_harvest(store: &dyn Store) -> HarvestId {
    store.begin_harvest(&harvest_spec(1), Time(500)).unwrap()
}

pub fn harvest_row(store: &dyn Store, harvest: HarvestId) -> HarvestRow {
    store.resume_harvest(harvest).unwrap().row
}

pub fn commit_steps(store: &dyn Store, harvest: HarvestId, steps: &[HarvestStep]) {
    let batch = HarvestBatch { steps: steps.to_vec(), ..HarvestBatch::default() };
    store.commit_harvest(harvest, &batch).unwrap();
}

pub fn note_harvest(store: &dyn Store, harvest: HarvestId, progress: &HarvestProgress) {
    store.commit_harvest(harvest, &progress.clone().into()).unwrap();
}

/// Writes an entry of a harvest to the audit log, durably.
pub fn log_submission(store: &dyn Store, entry: &Submission) {
    store.commit_harvest(entry.by.harvest().unwrap(), &entry.clone().into()).unwrap();
    store.sync().unwrap();
}

pub fn records(store: &dyn Store, query: &HarvestRowQuery) -> Vec<RecordRow> {
    all_records(store, query.clone()).map(Result::unwrap).collect()
}

pub fn queries(store: &dyn Store, query: &HarvestRowQuery) -> Vec<QueryRow> {
    all_queries(store, query.clone()).map(Result::unwrap).collect()
}

pub fn past(store: &dyn Store, harvest: HarvestId) -> Vec<PastAnswer> {
    all_answers(store, harvest).map(Result::unwrap).collect()
}

/// A harvest with its curve.
pub fn whole_harvest(store: &dyn Store, harvest: HarvestId) -> HarvestRow {
    let query = HarvestQuery { curve: true, ..HarvestQuery::one(harvest) };
    store.harvests(&query).unwrap().remove(0)
}
