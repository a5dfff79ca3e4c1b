//! Migration of stores of earlier formats.
//!
//! `format_8.sql` is the schema of format 8 as that version wrote it. The scripts below turn a current store
//! into one of an earlier format, one format after the other.

use crate::file::{crawl, failure, filled, read};
use hadal::store::*;
use hadal_core::harvest::record::RecordId;
use hadal_core::time::Time;
use hadal_store_contract::fixture::*;
use hadal_store_contract::harvest_fixture::*;
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

type Open = fn(&Path) -> Result<Arc<dyn Store>, StoreError>;

/// A store is migrated by the first process that opens it, for crawling or for reading.
const OPENERS: [Open; 2] = [crawl, read];

fn database(folder: &Path) -> Connection {
    Connection::open(folder.join("hadal.db")).unwrap()
}

/// Format 12 to 8: no findings of refreshes, no failed requests, no changes of strategy states, old column
/// names, no views, and a word index that SQLite reads since 3.43. Each record is indexed by one word only,
/// so that a search shows whether the index was rebuilt.
const TO_8: &str = "
    DROP VIEW failures_view; DROP TABLE failures; DROP TABLE strategy_changes; DROP INDEX links_of_host;
    CREATE INDEX links_of_host ON links (host, queue, score_key, arrival) WHERE state = 'waiting';
    DROP VIEW forms_view; DROP VIEW sites_view; DROP VIEW runs_view; DROP VIEW harvests_view;
    DROP VIEW queries_view; DROP VIEW records_view; DROP VIEW submissions_view;
    DROP TABLE form_checks; ALTER TABLE harvest_progress DROP COLUMN refresh;
    ALTER TABLE queries DROP COLUMN rechecks; ALTER TABLE queries DROP COLUMN changes;
    ALTER TABLE queries DROP COLUMN record_days; ALTER TABLE records DROP COLUMN seen_at;
    ALTER TABLE records DROP COLUMN changed_at; ALTER TABLE records DROP COLUMN removed_at;
    ALTER TABLE in_flight RENAME COLUMN target TO work;
    ALTER TABLE links RENAME COLUMN queue TO lane;
    ALTER TABLE links RENAME COLUMN score_key TO falling;
    ALTER TABLE sites RENAME COLUMN pages_since_searchable TO dry;
    ALTER TABLE sites RENAME COLUMN pages_since_relevant TO barren;
    ALTER TABLE sites RENAME COLUMN bonus TO worth;
    ALTER TABLE forms RENAME COLUMN probe_result TO finding;
    ALTER TABLE forms RENAME COLUMN negated_relevant TO falling_relevant;
    ALTER TABLE forms RENAME COLUMN negated_searchable TO falling_searchable;
    ALTER TABLE queries RENAME COLUMN query_text TO words;
    ALTER TABLE records RENAME COLUMN query_number TO asked;
    ALTER TABLE records RENAME COLUMN query_text TO words;
    ALTER TABLE harvest_progress RENAME COLUMN upcoming TO next;
    ALTER TABLE harvests DROP COLUMN site;
    DROP TABLE record_words;
    CREATE VIRTUAL TABLE record_words USING fts5(
        words, content = '', contentless_delete = 1, detail = none, tokenize = ascii);
    INSERT INTO record_words (rowid, words) SELECT n, '1qindexed' FROM records;
    PRAGMA user_version = 8;";

/// Format 8 to 6: answers cannot be continued, and the index of forms by identity has few columns.
const TO_6: &str = "
    ALTER TABLE queries DROP COLUMN next;
    DROP INDEX forms_of_topic;
    CREATE INDEX forms_of_topic ON forms (form_id, topic, run, also_on);
    PRAGMA user_version = 6;";

/// Format 6 to 5: forms have no number of open fields and no mark of the first find.
const TO_5: &str = "
    DROP INDEX forms_by_fields; DROP INDEX forms_by_relevance; DROP INDEX forms_by_run; DROP INDEX forms_by_topic;
    DROP INDEX forms_by_site; DROP INDEX forms_by_language; DROP INDEX forms_by_method;
    ALTER TABLE forms DROP COLUMN open_fields; ALTER TABLE forms DROP COLUMN is_first;
    CREATE INDEX forms_by_relevance ON forms (falling_relevant, falling_searchable, form_id, topic);
    CREATE INDEX forms_by_run ON forms (run); CREATE INDEX forms_by_topic ON forms (topic);
    CREATE INDEX forms_by_site ON forms (site); CREATE INDEX forms_by_language ON forms (language);
    CREATE INDEX forms_by_method ON forms (method);
    PRAGMA user_version = 5;";

/// Format 5 to 3: no curves, no harvests, and an audit log without harvests.
const TO_3: &str = "
    DROP TABLE curve; DROP TABLE harvest_curve; ALTER TABLE progress DROP COLUMN max_requests;
    DROP INDEX forms_by_run; DROP INDEX forms_by_topic; DROP INDEX forms_by_site;
    DROP INDEX forms_by_language; DROP INDEX forms_by_method;
    DROP TABLE harvests; DROP TABLE harvest_progress; DROP TABLE readers; DROP TABLE queries; DROP TABLE records;
    DROP TABLE record_words;
    DROP INDEX submission_known; ALTER TABLE submission DROP COLUMN harvest;
    CREATE UNIQUE INDEX submission_known ON submission (run, seq);
    PRAGMA user_version = 3;";

/// Format 3 to 1: no lessons, backlinks, audit log and probes.
const TO_1: &str = "
    DROP TABLE lessons; DROP TABLE backlinks;
    ALTER TABLE sites DROP COLUMN worth; ALTER TABLE sites DROP COLUMN barren;
    ALTER TABLE sites DROP COLUMN on_topic; ALTER TABLE sites DROP COLUMN probes;
    DROP TABLE submission; DROP INDEX forms_of_site; ALTER TABLE progress DROP COLUMN probes;
    ALTER TABLE forms DROP COLUMN finding; ALTER TABLE forms DROP COLUMN whole;
    PRAGMA user_version = 1;";

fn downgrade(folder: &Path, scripts: &[&str]) {
    database(folder).execute_batch(&scripts.concat()).unwrap();
}

/// An empty store of format 8.
fn empty_format_8(folder: &Path) -> Connection {
    let db = database(folder);
    db.execute_batch(
        "PRAGMA application_id = 0x6861646c; PRAGMA user_version = 8; PRAGMA journal_mode = WAL;",
    )
    .unwrap();
    db.execute_batch(include_str!("format_8.sql")).unwrap();
    db
}

/// Tables, indexes, triggers and views with their columns. The order of columns differs between a new store and a
/// migrated one, so tables are compared by their sets of columns.
fn schema(folder: &Path) -> BTreeSet<String> {
    let db = database(folder);
    let sql = "SELECT type, name, sql FROM sqlite_schema
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'record_words_%'";
    let mut parts = db.prepare(sql).unwrap();
    let part = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let parts = parts.query_map([], part).unwrap().map(Result::unwrap);
    parts
        .flat_map(|(kind, name, sql): (String, String, String)| match kind.as_str() {
            "table" if name != "record_words" => columns(&db, &name),
            _ => vec![sql.split_whitespace().collect::<Vec<_>>().join(" ")],
        })
        .collect()
}

fn columns(db: &Connection, table: &str) -> Vec<String> {
    let sql =
        format!("SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo('{table}')");
    let mut columns = db.prepare(&sql).unwrap();
    let column = |row: &rusqlite::Row<'_>| {
        let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
        let (required, default): (bool, Option<String>) = (row.get(2)?, row.get(3)?);
        let (key, hidden): (i64, i64) = (row.get(4)?, row.get(5)?);
        Ok(format!("{table}.{name} {kind} {required} {default:?} {key} {hidden}"))
    };
    columns.query_map([], column).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_migrated_store_has_the_schema_of_a_new_one() {
    let new = tempfile::tempdir().unwrap();
    filled(new.path());
    let expected = schema(new.path());
    let format_8 = tempfile::tempdir().unwrap();
    drop(empty_format_8(format_8.path()));
    drop(read(format_8.path()).unwrap());
    assert_eq!(schema(format_8.path()), expected, "from format 8");
    for scripts in [&[TO_8][..], &[TO_8, TO_6], &[TO_8, TO_6, TO_5], &[TO_8, TO_6, TO_5, TO_3, TO_1]] {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path());
        downgrade(folder.path(), scripts);
        drop(read(folder.path()).unwrap());
        assert_eq!(schema(folder.path()), expected, "after {} scripts", scripts.len());
    }
}

/// Rows of format 8, with the column names of that format.
const ROWS_OF_FORMAT_8: &str = "
    INSERT INTO runs VALUES (1, 'books', 'hadal', '[\"http://seed.org/\"]', 7, 'web');
    INSERT INTO progress (run, state, next_seq, next_order, now, generation, elapsed_ms, waiting)
        VALUES (1, 'stopped', 3, 9, 500, 2, 4000, 0);
    INSERT INTO errors VALUES (1, 'http_404', 2), (1, 'kind of the past', 3), (1, 'another one', 4);
    INSERT INTO in_flight VALUES (1, 2, 400, '{\"Robots\":{\"host\":\"http://a.org\",\"url\":\"http://a.org/robots.txt\",\"hops\":0}}');
    INSERT INTO sites (run, site, pages, dry, barren, worth, best) VALUES (1, 'a.org', 9, 4, 5, 0.5, 0.75);
    INSERT INTO forms (run, form_id, topic, site, page_url, action, method, fields, kind, p_searchable, p_relevant,
            found_at_request, depth, also_on, source, evidence, finding, open_fields)
        VALUES (1, '00000000000000aa', 'books', 'a.org', 'http://a.org/', 'http://a.org/find', 'get',
            '[{\"name\":\"q\",\"type\":\"text\",\"label\":\"\",\"options\":0}]', 'search', 0.9, 0.75, 5, 1, 2, 'form', '[]',
            'searches', 1);
    INSERT INTO harvest_progress (harvest, state, now, records, queries, next)
        VALUES (1, 'stopped', 900, 2, 1, '[\"whale\"]');
    INSERT INTO queries (harvest, number, words, query, kind, found, new, pages, requests, ending, at, hits)
        VALUES (1, 1, 'deep sea', '{\"words\":\"deep sea\",\"choices\":[]}', 'word', 2, 2, 1, 1, 'LeftOff', 800, x'05000000000000000600000000000000');
    INSERT INTO records (n, harvest, id, title, text, fields, asked, words, position, fetched_at, detail)
        VALUES (1008, 1, 5, 'Whales', 'of the deep sea', '[]', 1, 'deep sea', 1, 700, 'with a chapter on squid'),
               (1009, 1, 6, 'Atlas', 'of the deep sea', '[]', 1, 'deep sea', 2, 700, NULL);
    INSERT INTO record_words (rowid, words) SELECT n, '1qindexed' FROM records;
    INSERT INTO submission (run, harvest, seq, at, topic, form_id, page_url, method, url, body, purpose, failure)
        VALUES (0, 1, 1, 600, 'books', '00000000000000aa', 'http://a.org/', 'get', 'http://a.org/find?q=x', '', 'harvest', 'timeout');
";

fn filled_format_8(folder: &Path) {
    let db = empty_format_8(folder);
    db.execute_batch(ROWS_OF_FORMAT_8).unwrap();
    let sql = "INSERT INTO harvests VALUES (1, '00000000000000aa', 'books', 'http://shop.a.org/', 'hadal', 7, 'web', 100, ?)";
    let whole = postcard::to_stdvec(&harvest_spec(1).form_snapshot).unwrap();
    db.execute(sql, [whole]).unwrap();
}

fn search(store: &dyn Store, words: &str) -> Vec<u64> {
    let query = HarvestRowQuery { search: Some(words.into()), ..HarvestRowQuery::default() };
    records(store, &query).iter().map(|row| row.record.id.0).collect()
}

#[test]
fn the_rows_of_format_8_are_all_there_after_the_migration() {
    for open in OPENERS {
        let folder = tempfile::tempdir().unwrap();
        filled_format_8(folder.path());
        let store = open(folder.path()).unwrap();
        let run = &runs(&*store)[0];
        assert_eq!((run.progress.state, run.progress.next_seq), (RunState::Stopped, 3));
        let errors: Vec<_> =
            run.counters.errors.iter().map(|(kind, times)| (kind.to_string(), *times)).collect();
        assert_eq!(errors, [("http_404".to_string(), 2), ("other".to_string(), 7)]);
        assert_eq!(store.resume(run.id, usize::MAX).unwrap().in_flight.len(), 1);
        let site = &sites(&*store, &SiteQuery::default())[0];
        let counters = &site.counters;
        assert_eq!(
            (counters.pages_since_searchable, counters.pages_since_relevant, counters.bonus),
            (4, 5, 0.5)
        );
        let form = &forms(&*store, &FormQuery::default())[0];
        assert_eq!((form.p_relevant, form.also_on, form.finding.is_some()), (0.75, 2, true));
        let harvest = harvest_row(&*store, HarvestId(1));
        assert_eq!((harvest.upcoming, harvest.counters.records), (vec!["whale".to_string()], 2));
        let asked = &queries(&*store, &HarvestRowQuery::default())[0];
        assert_eq!((asked.words.as_str(), &asked.hits[..]), ("deep sea", &[RecordId(5), RecordId(6)][..]));
        assert_eq!(submissions(&*store, &SubmissionQuery::default()).len(), 1);
        let site = database(folder.path()).query_row("SELECT site FROM harvests_view", [], |row| row.get(0));
        assert_eq!(site, Ok("a.org".to_string()));
    }
}

#[test]
fn the_word_index_is_rebuilt_with_its_milestones() {
    let folder = tempfile::tempdir().unwrap();
    filled_format_8(folder.path());
    let store = crawl(folder.path()).unwrap();
    assert_eq!(search(&*store, "indexed"), [] as [u64; 0]);
    assert_eq!((search(&*store, "deep sea"), search(&*store, "squid sea")), (vec![5, 6], vec![5]));
    let db = database(folder.path());
    let sql = "SELECT rowid FROM record_words WHERE record_words MATCH '\"1q\"'";
    assert_eq!(db.query_row(sql, [], |row| row.get::<_, i64>(0)), Ok(1009));
    let details = vec![(RecordId(5), "with a chapter on krill".to_string())];
    commit_steps(&*store, HarvestId(1), &[HarvestStep { details, ..harvest_step(9, 2, 0..0) }]);
    assert_eq!((search(&*store, "squid"), search(&*store, "krill sea")), (vec![], vec![5]));
}

#[test]
fn a_store_of_format_5_counts_open_fields_and_marks_first_finds() {
    for open in OPENERS {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path());
        let store = crawl(folder.path()).unwrap();
        let again = store.begin(&RunSpec { seed: 8, ..spec("books") }).unwrap();
        let waiting = queued_link("http://s0.org/", 0, 0.5, 0);
        let found = vec![new_form(form(1, "http://s0.org/", 0.9, 0.9))];
        run_step(
            &*store,
            again,
            &waiting,
            Outcome { forms: found, ..outcome(0, &waiting, StepEnd::Visited) },
        );
        store.sync().unwrap();
        let query = FormQuery { open_fields: Some(1), ..FormQuery::default() };
        let before = forms(&*store, &query);
        assert_eq!(before.len(), 1, "two runs found one form");
        drop(store);
        downgrade(folder.path(), &[TO_8, TO_6, TO_5]);
        assert_eq!(forms(&*open(folder.path()).unwrap(), &query), before);
    }
}

#[test]
fn a_store_of_format_3_keeps_its_audit_log_and_takes_harvests() {
    for open in OPENERS {
        let folder = tempfile::tempdir().unwrap();
        let run = filled(folder.path());
        let entry = "INSERT INTO submission (run, seq, at, topic, form_id, page_url, method, url, body, purpose, status)
            VALUES (1, 4, 9, 'books', '1', 'http://a.org/', 'get', 'http://a.org/', '', 'probe', 200);";
        downgrade(folder.path(), &[TO_8, TO_6, TO_5, TO_3, entry]);
        drop(open(folder.path()).unwrap());
        let store = crawl(folder.path()).unwrap();
        let harvest = store.begin_harvest(&harvest_spec(1), Time(5)).unwrap();
        log_submission(&*store, &harvest_entry(harvest, 4));
        let log = submissions(&*store, &SubmissionQuery::default());
        let by: Vec<_> = log.into_iter().map(|entry| (entry.by, entry.answer)).collect();
        let before = (Submitter::Run(run), Some(SubmissionResult::Status(200)));
        assert_eq!(by, [before, (Submitter::Harvest(harvest), None)]);
        commit_steps(&*store, harvest, &[harvest_step(4, 1, 1..3)]);
        assert_eq!(harvest_row(&*store, harvest).counters.records, 2);
    }
}

#[test]
fn a_crawl_continues_in_a_store_of_format_1() {
    for open in OPENERS {
        let folder = tempfile::tempdir().unwrap();
        let run = filled(folder.path());
        let before = forms(&*read(folder.path()).unwrap(), &FormQuery::default());
        downgrade(folder.path(), &[TO_8, TO_6, TO_5, TO_3, TO_1]);
        drop(open(folder.path()).unwrap());
        let store = crawl(folder.path()).unwrap();
        assert_eq!(forms(&*store, &FormQuery::default()), before);
        assert_eq!((counters(&*store, run).waiting, counters(&*store, run).probes), (2999, 0));
        let waiting = queued_link("http://s1.org/", 0, 0.5, 1);
        store.commit(run, &sending(9, &waiting)).unwrap();
        store.commit(run, &ending(vec![outcome(9, &waiting, StepEnd::Visited)])).unwrap();
        store.sync().unwrap();
        assert_eq!(counters(&*read(folder.path()).unwrap(), run).waiting, 2998);
    }
}

#[test]
fn a_reader_does_not_migrate_a_store_while_a_crawl_has_it() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    downgrade(folder.path(), &[TO_8]);
    let lock = fs::File::options().read(true).write(true).open(folder.path().join("crawl.lock")).unwrap();
    lock.try_lock().unwrap();
    assert!(matches!(failure(read(folder.path())), StoreError::InUse { .. }));
}
