//! The views have the columns, ids and values of the exports.

use crate::file::crawl;
use hadal::output::listing::{Cell, CellKind, Listed};
use hadal::report::values::timestamp;
use hadal::store::*;
use hadal_core::harvest::policy::{ReadingEnd, StatedTotal};
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use hadal_store_contract::cluster::{self, Cluster};
use hadal_store_contract::fixture::*;
use hadal_store_contract::harvest_fixture::*;
use rusqlite::Connection;
use rusqlite::types::Value;

/// A value of a view and a cell of an export as comparable text.
fn of_value(value: Value, kind: CellKind) -> String {
    match (value, kind) {
        (Value::Null, _) => "null".into(),
        (Value::Integer(number), CellKind::Measure) => (number as f64).to_string(),
        (Value::Integer(number), _) => number.to_string(),
        (Value::Real(number), _) => number.to_string(),
        (Value::Text(text), CellKind::Nested | CellKind::Interval) => canonical(&text),
        (Value::Text(text), _) => text,
        (Value::Blob(_), _) => "a blob".into(),
    }
}

fn of_cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Count(count) => count.to_string(),
        Cell::Measure(measure) => measure.to_string(),
        Cell::Flag(flag) => u8::from(*flag).to_string(),
        Cell::Nested { json, .. } => canonical(json),
        Cell::Time(time) => timestamp(*time),
        Cell::Missing => "null".into(),
    }
}

/// JSON text without optional spaces.
fn canonical(json: &str) -> String {
    serde_json::from_str::<serde_json::Value>(json).unwrap().to_string()
}

/// Text with `10` for `10.0`, because PostgreSQL writes numbers in JSON that way.
fn with_whole_numbers(text: String) -> String {
    text.replace(".0,", ",").replace(".0}", "}")
}

/// Checks that a view has the columns of an export and the same rows in any order.
fn assert_same<R: Listed>(db: &Connection, view: &str, exported: &[R]) {
    let mut rows = db.prepare(&format!("SELECT * FROM {view}")).unwrap();
    let names: Vec<String> = rows.column_names().map(String::from).collect();
    let row = |row: &rusqlite::Row<'_>| {
        let columns = R::COLUMNS.iter().enumerate();
        columns
            .map(|(at, column)| Ok(of_value(row.get(at)?, column.kind)))
            .collect::<rusqlite::Result<Vec<_>>>()
    };
    let seen = rows.query_map([], row).unwrap().map(Result::unwrap).collect();
    assert_exported(view, &names, seen, exported, |text| text);
}

/// The same for a view in PostgreSQL.
fn assert_same_in_postgres<R: Listed>(cluster: &Cluster, url: &str, view: &str, exported: &[R]) {
    let names = format!(
        "SELECT string_agg(column_name, ' ' ORDER BY ordinal_position) FROM information_schema.columns
         WHERE table_name = '{view}'"
    );
    let names: Vec<String> = cluster.sql(url, &names).split(' ').map(String::from).collect();
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let rows = format!("SELECT json_agg(json_build_array({})) FROM {view}", quoted.join(", "));
    let rows: Vec<Vec<serde_json::Value>> = serde_json::from_str(&cluster.sql(url, &rows)).unwrap();
    let row = |row: &Vec<serde_json::Value>| {
        let texts = row.iter().zip(R::COLUMNS).map(|(value, column)| of_json(value, column.kind));
        texts.map(with_whole_numbers).collect()
    };
    assert_exported(view, &names, rows.iter().map(row).collect(), exported, with_whole_numbers);
}

/// A value of a view in PostgreSQL as comparable text.
fn of_json(value: &serde_json::Value, kind: CellKind) -> String {
    match (value, kind) {
        (serde_json::Value::Number(number), CellKind::Measure) => number.as_f64().unwrap().to_string(),
        (serde_json::Value::String(text), CellKind::Nested | CellKind::Interval) => canonical(text),
        (serde_json::Value::String(text), _) => text.clone(),
        (value, _) => value.to_string(),
    }
}

/// Compares the rows of a view with those of an export. `written` turns a cell of the export into the text of the view.
fn assert_exported<R: Listed>(
    view: &str,
    names: &[String],
    mut seen: Vec<Vec<String>>,
    exported: &[R],
    written: fn(String) -> String,
) {
    assert_eq!(names, R::COLUMNS.iter().map(|column| column.name).collect::<Vec<_>>(), "{view}");
    let cells = |row: &R| row.cells().iter().map(of_cell).map(written).collect::<Vec<_>>();
    let mut expected: Vec<Vec<String>> = exported.iter().map(cells).collect();
    seen.sort();
    expected.sort();
    assert_eq!(seen, expected, "{view}");
    assert!(!expected.is_empty(), "{view} has rows to compare");
}

/// Two runs of one topic that found the same form, and a run of another topic.
fn fill_runs(store: &dyn Store) {
    for (topic, seed) in [("books", 7), ("books", u64::MAX - 1), ("cars", 1)] {
        let run = store.begin(&RunSpec { seed, ..spec(topic) }).unwrap();
        for (seq, address) in [(0, "http://a.org/"), (1, "http://a.org/b"), (2, "http://b.co.uk/")] {
            let waiting = queued_link(address, 0, 0.5, seq);
            let counters = SiteCounters {
                pages: 2,
                searchable: 1,
                pages_since_searchable: 1,
                ..SiteCounters::default()
            };
            let forms = match seq {
                1 => vec![FoundForm::Known(FormId(u64::MAX))],
                _ => vec![new_form(form(u64::MAX - seq, address, 0.912_345, 2.0 / 3.0))],
            };
            run_step(store, run, &waiting, Outcome { forms, ..visit(seq, &waiting, counters) });
        }
        let failed = queued_link("http://c.org/", 0, 0.5, 3);
        run_step(store, run, &failed, outcome(3, &failed, StepEnd::Failed(kind("http_404"))));
        store.commit(run, &changing(FrontierChange::CloseSite(site("d.org")))).unwrap();
        let progress = RunProgress { state: RunState::Budget, elapsed_ms: 12_345, ..RunProgress::default() };
        store.commit(run, &Batch { progress: Some(progress), ..Batch::default() }).unwrap();
        let waiting = queued_link("http://e.org/", 0, 0.5, 4);
        store.commit(run, &adding(std::slice::from_ref(&waiting))).unwrap();
        let submissions = vec![Submission {
            by: Submitter::Run(run),
            method: Method::Post,
            ..harvest_entry(HarvestId(1), 4)
        }];
        store.commit(run, &Batch { submissions, ..sending(4, &waiting) }).unwrap();
        let submission = Some(SubmissionResult::Failure(kind("timeout")));
        store
            .commit(run, &ending(vec![Outcome { submission, ..outcome(4, &waiting, StepEnd::Visited) }]))
            .unwrap();
    }
}

/// A harvest with an estimate without upper bound, and one without estimate.
fn fill_harvests(store: &dyn Store) {
    let first = begin_harvest(store);
    log_submission(store, &harvest_entry(first, 0));
    let mut odd = record(u64::MAX - 1);
    odd.record.url = None;
    let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
    odd.record.fields =
        vec![pair("year", "1870"), pair("by \"x\"", "J. \u{1f41f} 'V'"), pair("year", "1871"), pair("", "")];
    odd.fetched_at = Time(u64::MAX);
    let estimate = HarvestEstimate { size: [10.0, 20.123_456, f64::INFINITY], coverage: [0.0, 0.25, 1.0] };
    let step = HarvestStep {
        records: vec![odd, RecordRow { fetched_at: Time(1_762_732_800_999), ..record(2) }],
        finished_query: Some(query_row(1, 1..3)),
        estimate: Some(estimate),
        submission: Some(SubmissionResult::Status(200)),
        ..harvest_step(0, 1, 0..0)
    };
    commit_steps(store, first, &[step]);
    let ends = [ReadingEnd::LastPage, ReadingEnd::Failed];
    for (number, end) in (2..).zip(ends) {
        let total = (number == 2).then_some(StatedTotal::Exactly(7));
        let asked = Some(QueryRow { end, total, ..query_row(number, 0..0) });
        commit_steps(
            store,
            first,
            &[HarvestStep { finished_query: asked, ..harvest_step(u64::from(number), number, 0..0) }],
        );
    }
    let refresh = RefreshCounters { began: Time(86_400_000), new: 3, ..RefreshCounters::default() };
    let rechecks = QueryRechecks { times: 2, changes: 5, record_days: 1.5 };
    let again = HarvestStep {
        at: Time(1_762_732_900_000),
        changes: vec![RecordChange::Changed(record(2).record), RecordChange::Removed(record(2).record.id)],
        refresh: Some(refresh),
        finished_query: Some(QueryRow { rechecks, ..query_row(2, 0..0) }),
        ..harvest_step(9, 2, 0..0)
    };
    commit_steps(store, first, &[again]);
    let second = store.begin_harvest(&HarvestSpec { seed: u64::MAX, ..harvest_spec(2) }, Time(5)).unwrap();
    let progress = HarvestProgress {
        state: HarvestState::Done,
        ending: Some("complete".into()),
        ..HarvestProgress::default()
    };
    note_harvest(store, second, &progress);
}

fn filled(store: std::sync::Arc<dyn Store>) -> std::sync::Arc<dyn Store> {
    fill_runs(&*store);
    fill_harvests(&*store);
    let form = FormId(1);
    let (state, at, moved_to, validator) = (FormState::Gone, Time(1_762_732_900_000), None, None);
    store.save_form_checks(&[FormCheck { form, state, at, moved_to, validator }]).unwrap();
    store.sync().unwrap();
    store
}

#[test]
fn views_have_the_columns_and_values_of_the_exports() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(crawl(folder.path()).unwrap());
    let db = Connection::open(folder.path().join("hadal.db")).unwrap();
    assert_same(&db, "forms_view", &forms(&*store, &FormQuery::default()));
    assert_same(&db, "sites_view", &sites(&*store, &SiteQuery::default()));
    assert_same(&db, "runs_view", &runs(&*store));
    assert_same(&db, "submissions_view", &submissions(&*store, &SubmissionQuery::default()));
    assert_same(&db, "harvests_view", &store.harvests(&HarvestQuery::default()).unwrap());
    assert_same(&db, "queries_view", &queries(&*store, &HarvestRowQuery::default()));
    assert_same(&db, "records_view", &records(&*store, &HarvestRowQuery::default()));
}

#[test]
fn views_in_postgres_have_the_columns_and_values_of_the_exports() {
    let (Some(cluster), Some(url)) = (cluster::cluster(), cluster::new_store()) else { return };
    let store = filled(open(&url, Access::Crawl).unwrap());
    let forms = forms(&*store, &FormQuery::default());
    assert_same_in_postgres(cluster, &url, "forms_view", &forms);
    let sites = sites(&*store, &SiteQuery::default());
    assert_same_in_postgres(cluster, &url, "sites_view", &sites);
    assert_same_in_postgres(cluster, &url, "runs_view", &runs(&*store));
    let submissions = submissions(&*store, &SubmissionQuery::default());
    assert_same_in_postgres(cluster, &url, "submissions_view", &submissions);
    let harvests = store.harvests(&HarvestQuery::default()).unwrap();
    assert_same_in_postgres(cluster, &url, "harvests_view", &harvests);
    let queries = queries(&*store, &HarvestRowQuery::default());
    assert_same_in_postgres(cluster, &url, "queries_view", &queries);
    let records = records(&*store, &HarvestRowQuery::default());
    assert_same_in_postgres(cluster, &url, "records_view", &records);
    assert_eq!(cluster.sql(&url, "SELECT count(*) FROM failures_view"), "3");
    assert_eq!(cluster.sql(&url, "SELECT count(*) FROM workers_view"), "5", "three runs and two harvests");
}

#[test]
fn user_queries_are_in_the_view_of_their_database() {
    let folder = tempfile::tempdir().unwrap();
    let store = crawl(folder.path()).unwrap();
    let number = store
        .log_at_once(&Submission {
            by: Submitter::Person,
            purpose: SubmissionPurpose::Ask,
            ..harvest_entry(HarvestId(1), 0)
        })
        .unwrap();
    store
        .apply_user_changes(&[UserChange::Logged(Submitter::Person, number, SubmissionResult::Status(200))])
        .unwrap();
    let db = Connection::open(folder.path().join("notes.db")).unwrap();
    assert_same(&db, "submissions_view", &submissions(&*store, &SubmissionQuery::default()));
}

/// SQLite 3.40 is the oldest version that opens a store. It has neither `contentless_delete` (3.43) nor the functions
/// and operators that are checked here.
#[test]
fn the_schema_uses_nothing_newer_than_sqlite_3_40() {
    let folder = tempfile::tempdir().unwrap();
    drop(crawl(folder.path()).unwrap());
    let db = Connection::open(folder.path().join("hadal.db")).unwrap();
    let sql: String =
        db.query_row("SELECT group_concat(sql, ' ') FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    let newer = [
        "contentless_delete",
        "contentless_unindexed",
        "octet_length",
        "timediff",
        "concat_ws",
        "string_agg",
        "unhex",
        "json_error_position",
        "jsonb",
        "json_pretty",
        "subsec",
        "unistr",
    ];
    let used: Vec<_> = newer.into_iter().filter(|name| sql.contains(name)).collect();
    assert_eq!(used, [] as [&str; 0]);
}
