//! Steps of a harvest: their changes, applied once, and the state from which a harvest resumes.

use crate::fixture::*;
use crate::harvest_fixture::*;
use hadal::store::*;
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::time::Time;

const ALL: HarvestRowQuery = HarvestRowQuery {
    harvest: None,
    form: None,
    topic: None,
    search: None,
    since: None,
    after: None,
    limit: None,
};

pub fn the_same_harvest_continues_as_first_specified(store: &dyn Store) {
    let spec = harvest_spec(1);
    let first = begin_harvest(store);
    let page = url("http://books.example/elsewhere");
    let again = HarvestSpec { topic: "cars".into(), page, ..spec.clone() };
    assert_eq!(store.begin_harvest(&again, Time(900)).unwrap(), first);
    let row = harvest_row(store, first);
    assert_eq!((&row.spec, row.began, row.progress.now), (&spec, Time(500), Time(500)));
    assert_eq!(
        (row.progress.state, row.counters, row.estimate),
        (HarvestState::Running, Default::default(), None)
    );
    let others = [
        harvest_spec(2),
        HarvestSpec { policy: "adaptive".into(), ..spec.clone() },
        HarvestSpec { seed: u64::MAX, ..spec.clone() },
        HarvestSpec { source: "world 7".into(), ..spec },
    ];
    for (n, other) in others.iter().enumerate() {
        let id = store.begin_harvest(other, Time(900)).unwrap();
        assert_eq!(id, HarvestId(first.0 + 1 + n as u64));
        assert_eq!(harvest_row(store, id).spec, *other);
    }
}

pub fn a_step_is_read_as_it_was_written(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let mut bare = record(u64::MAX);
    (bare.record.url, bare.record.fields) = (None, vec![]);
    let mut full = record(1);
    full.detail = Some("its own page".into());
    let step = HarvestStep {
        records: vec![bare.clone(), full.clone()],
        finished_query: Some(QueryRow { hits: vec![RecordId(u64::MAX), RecordId(1)], ..query_row(1, 0..0) }),
        reader: Some(vec![0, 1, 255]),
        ..harvest_step(0, 1, 0..0)
    };
    commit_steps(store, harvest, std::slice::from_ref(&step));
    assert_eq!(records(store, &ALL), [bare, full]);
    assert_eq!(queries(store, &ALL), [step.finished_query.unwrap()]);
    let checkpoint = store.resume_harvest(harvest).unwrap();
    assert_eq!(checkpoint.reader, step.reader);
    assert_eq!(checkpoint.next_seq, 1);
    let counters =
        HarvestCounters { requests: 1, bytes: 100, queries: 1, pages: 1, records: 2, ..Default::default() };
    assert_eq!((checkpoint.row.counters, checkpoint.row.progress.now), (counters, Time(2000)));
}

pub fn a_step_applied_twice_changes_nothing(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let step = HarvestStep {
        finished_query: Some(query_row(1, 0..2)),
        failed: Some(kind("http_500")),
        details: vec![(RecordId(0), "page".into())],
        ..harvest_step(3, 1, 0..2)
    };
    let again = HarvestStep { reader: Some(vec![9]), ..step.clone() };
    commit_steps(store, harvest, &[step.clone(), again.clone()]);
    let before = (store.resume_harvest(harvest).unwrap(), records(store, &ALL), past(store, harvest));
    commit_steps(store, harvest, &[again, harvest_step(2, 9, 7..9)]);
    let after = (store.resume_harvest(harvest).unwrap(), records(store, &ALL), past(store, harvest));
    assert_eq!(before, after);
    assert_eq!((after.0.next_seq, after.0.reader), (4, None));
}

pub fn a_record_stays_as_first_found(store: &dyn Store) {
    let harvest = begin_harvest(store);
    commit_steps(store, harvest, &[harvest_step(0, 1, 0..2)]);
    let mut changed = RecordRow { query_number: 2, ..record(1) };
    changed.record.title = "Another".into();
    let twice = RecordRow { position: 9, ..record(5) };
    let records_of_step = vec![changed, record(5), twice];
    let step = HarvestStep {
        records: records_of_step,
        finished_query: Some(query_row(2, 0..6)),
        ..harvest_step(1, 2, 0..0)
    };
    let other = HarvestStep {
        finished_query: Some(QueryRow { kind: "other".into(), ..query_row(2, 0..1) }),
        ..harvest_step(2, 2, 0..0)
    };
    commit_steps(store, harvest, &[step, other]);
    assert_eq!(records(store, &ALL), [record(0), record(1), record(5)]);
    assert_eq!(queries(store, &ALL), [query_row(2, 0..6)]);
    let counters = harvest_row(store, harvest).counters;
    assert_eq!((counters.records, counters.queries, counters.requests), (3, 1, 3));
}

pub fn a_refresh_updates_known_records(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let details = vec![(RecordId(1), "nautilus".to_string())];
    commit_steps(store, harvest, &[HarvestStep { details, ..harvest_step(0, 1, 0..4) }]);
    let mut other = record(1).record;
    other.text = "Title 1, another edition".into();
    let unknown = Record { id: RecordId(77), ..other.clone() };
    let changes = vec![
        RecordChange::Seen(RecordId(0)),
        RecordChange::Changed(other.clone()),
        RecordChange::Removed(RecordId(2)),
        RecordChange::Removed(RecordId(3)),
        RecordChange::Changed(unknown),
    ];
    let day = |seq: u64| Time(10 * record(0).fetched_at.0 + seq);
    let refresh = Some(RefreshCounters { began: day(0), changed: 1, removed: 2, ..Default::default() });
    let step = HarvestStep { at: day(1), changes, refresh, ..harvest_step(1, 2, 0..0) };
    let back = HarvestStep {
        at: day(2),
        changes: vec![RecordChange::Seen(RecordId(3))],
        ..harvest_step(2, 2, 0..0)
    };
    commit_steps(store, harvest, &[step, back]);
    let dated = |id: u64, dates: RecordDates| RecordRow { dates, ..record(id) };
    let changed = RecordDates { seen: Some(day(1)), changed: Some(day(1)), removed: None };
    let removed = dated(2, RecordDates { removed: Some(day(1)), ..RecordDates::default() });
    let seen = |id, at| dated(id, RecordDates { seen: Some(at), ..RecordDates::default() });
    let changed = RecordRow { record: other, ..dated(1, changed) };
    let expected = [seen(0, day(1)), changed.clone(), removed.clone(), seen(3, day(2))];
    assert_eq!(records(store, &ALL), expected);
    let since = HarvestRowQuery { since: Some(day(0)), ..ALL };
    assert_eq!(records(store, &since), [changed.clone(), removed]);
    let words = |words: &str| HarvestRowQuery { search: Some(words.into()), ..since.clone() };
    assert_eq!(
        (records(store, &words("edition")), records(store, &words("nautilus"))),
        (vec![changed], vec![])
    );
    assert_eq!(harvest_row(store, harvest).refresh, refresh, "the last counters stay");
}

pub fn a_query_that_is_sent_again_replaces_its_row(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let first = HarvestStep { finished_query: Some(query_row(1, 0..3)), ..harvest_step(0, 1, 0..3) };
    let rechecks = QueryRechecks { times: 1, changes: 2, record_days: 4.5 };
    let again = QueryRow { rechecks, at: Time(9_000), ..query_row(1, 1..5) };
    let second = HarvestStep { finished_query: Some(again.clone()), ..harvest_step(1, 1, 3..5) };
    commit_steps(store, harvest, &[first, second]);
    assert_eq!(queries(store, &ALL), [again]);
    let counters = harvest_row(store, harvest).counters;
    assert_eq!((counters.queries, counters.records), (1, 5));
}

pub fn the_text_of_a_detail_page_is_added_later(store: &dyn Store) {
    let harvest = begin_harvest(store);
    commit_steps(store, harvest, &[harvest_step(0, 1, 0..2)]);
    let details = vec![(RecordId(1), "nautilus".to_string()), (RecordId(77), "of nobody".to_string())];
    commit_steps(store, harvest, &[HarvestStep { details, ..harvest_step(1, 1, 0..0) }]);
    let detail = Some("nautilus".to_string());
    assert_eq!(records(store, &ALL), [record(0), RecordRow { detail, ..record(1) }]);
    let with = |words: &str| records(store, &HarvestRowQuery { search: Some(words.into()), ..ALL }).len();
    assert_eq!((with("Nautilus title"), with("nobody"), with("title")), (1, 0, 2));
}

pub fn failures_are_counted_by_kind(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let failing = |seq, name: &str| HarvestStep { failed: Some(kind(name)), ..harvest_step(seq, 1, 0..0) };
    commit_steps(store, harvest, &[failing(0, "connect"), failing(1, "http_500")]);
    commit_steps(store, harvest, &[failing(2, "connect"), harvest_step(3, 1, 0..0)]);
    let counters = harvest_row(store, harvest).counters;
    assert_eq!((counters.failed, counters.requests), (3, 4));
    assert_eq!(counters.errors, [(kind("connect"), 2), (kind("http_500"), 1)].into());
}

pub fn an_estimate_stays_until_the_next_one(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let first = HarvestEstimate { size: [10.0, 20.5, f64::INFINITY], coverage: [0.0, 0.5, 1.0] };
    let estimating = |seq, estimate| HarvestStep { estimate, ..harvest_step(seq, 1, 0..0) };
    let none = HarvestEstimate { size: [f64::NAN, 1.0, 1.0], ..first };
    commit_steps(store, harvest, &[estimating(0, Some(first)), estimating(1, None)]);
    assert_eq!(harvest_row(store, harvest).estimate, Some(first));
    commit_steps(store, harvest, &[estimating(2, Some(none))]);
    assert_eq!(harvest_row(store, harvest).estimate, Some(first), "text without a number is ignored");
    let second = HarvestEstimate { size: [30.0, 31.0, 32.0], ..first };
    commit_steps(store, harvest, &[estimating(3, Some(second))]);
    assert_eq!(harvest_row(store, harvest).estimate, Some(second));
}

pub fn the_last_progress_of_a_harvest_is_kept(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let ending = Some("95 % are up".to_string());
    let done = HarvestProgress { state: HarvestState::Done, ending, now: Time(u64::MAX), elapsed_ms: 77 };
    note_harvest(store, harvest, &done);
    assert_eq!(harvest_row(store, harvest).progress, done);
    let again = HarvestProgress { elapsed_ms: 78, now: Time(9), ..HarvestProgress::default() };
    note_harvest(store, harvest, &again);
    assert_eq!(harvest_row(store, harvest).progress, again);
    for state in [HarvestState::Stopped, HarvestState::Budget] {
        note_harvest(store, harvest, &HarvestProgress { state, ..again.clone() });
        assert_eq!(harvest_row(store, harvest).progress.state, state);
    }
}

pub fn a_harvest_resumes_in_the_middle_of_a_query(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let ended = HarvestStep { finished_query: Some(query_row(1, 0..3)), ..harvest_step(0, 1, 0..3) };
    commit_steps(store, harvest, &[ended, harvest_step(1, 2, 9..10), harvest_step(2, 2, 4..7)]);
    log_submission(store, &harvest_entry(harvest, 5));
    let checkpoint = store.resume_harvest(harvest).unwrap();
    assert_eq!(checkpoint.next_seq, 6, "5 may have been sent");
    let end = HarvestStep { finished_query: Some(query_row(2, 4..10)), ..harvest_step(6, 2, 7..8) };
    commit_steps(store, harvest, &[end]);
    let checkpoint = store.resume_harvest(harvest).unwrap();
    assert_eq!(checkpoint.next_seq, 7);
    assert_eq!(checkpoint.row.counters.records, 8);
}

pub fn a_submission_is_logged_before_its_step_and_completed_by_it(store: &dyn Store) {
    let (run, harvest) = (begin(store), begin_harvest(store));
    assert_eq!(run.0, harvest.0, "numbers that could be confused");
    let by_run = Submission {
        by: Submitter::Run(run),
        purpose: SubmissionPurpose::Probe,
        ..harvest_entry(harvest, 3)
    };
    store.commit(run, &Batch { submissions: vec![by_run.clone()], ..Batch::default() }).unwrap();
    let entry = harvest_entry(harvest, 3);
    log_submission(store, &entry);
    log_submission(store, &Submission { body: "changed".into(), ..entry.clone() });
    assert_eq!(submissions(store, &SubmissionQuery::default()), [by_run.clone(), entry.clone()]);
    let answered = Some(SubmissionResult::Status(200));
    let step = HarvestStep { submission: answered.clone(), ..harvest_step(3, 1, 0..1) };
    commit_steps(store, harvest, &[step]);
    let complete = Submission { answer: answered, ..entry };
    assert_eq!(submissions(store, &SubmissionQuery::default()), [by_run.clone(), complete.clone()]);
    assert_eq!(
        submissions(store, &SubmissionQuery { harvest: Some(harvest), ..SubmissionQuery::default() }),
        [complete]
    );
    assert_eq!(
        submissions(store, &SubmissionQuery { run: Some(run), ..SubmissionQuery::default() }),
        [by_run]
    );
}

pub fn a_discarded_harvest_leaves_its_submissions_and_nothing_else(store: &dyn Store) {
    let (harvest, other) = (begin_harvest(store), store.begin_harvest(&harvest_spec(2), Time(1)).unwrap());
    let step = HarvestStep {
        finished_query: Some(query_row(1, 0..3)),
        reader: Some(vec![1]),
        ..harvest_step(0, 1, 0..3)
    };
    log_submission(store, &harvest_entry(harvest, 0));
    for each in [harvest, other] {
        commit_steps(store, each, std::slice::from_ref(&step));
    }
    store.discard(Activity::Harvest(harvest)).unwrap();
    assert_eq!(submissions(store, &SubmissionQuery::default()), [harvest_entry(harvest, 0)]);
    assert_eq!(
        store.harvests(&HarvestQuery::default()).unwrap().iter().map(|row| row.id).collect::<Vec<_>>(),
        [other]
    );
    let search = HarvestRowQuery { search: Some("title".into()), ..ALL };
    assert!([&ALL, &search].iter().all(|filter| records(store, filter).len() == 3));
    assert_eq!((queries(store, &ALL).len(), past(store, harvest).len()), (1, 0));
    let anew = begin_harvest(store);
    assert!(anew > other, "numbers are not given again");
    let checkpoint = store.resume_harvest(anew).unwrap();
    assert_eq!((checkpoint.next_seq, checkpoint.reader), (0, None));
}

pub fn an_unknown_harvest_is_refused(store: &dyn Store) {
    let nobody = HarvestId(9);
    let errors = [
        store.resume_harvest(nobody).err(),
        store.commit_harvest(nobody, &HarvestBatch::default()).err(),
        store.commit_harvest(nobody, &HarvestProgress::default().into()).err(),
        store.discard(Activity::Harvest(nobody)).err(),
    ];
    for error in errors {
        assert!(error.unwrap().to_string().contains("no harvest 9"));
    }
    assert_eq!((past(store, nobody).len(), records(store, &ALL).len()), (0, 0));
}
