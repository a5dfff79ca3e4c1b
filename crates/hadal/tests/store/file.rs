//! Properties of a store in a folder beyond the contract: other processes, bad files, bad folders.

use hadal::store::*;
use hadal_core::link::QueueId;
use hadal_core::time::Time;
use hadal_store_contract::fixture::*;
use hadal_store_contract::harvest_fixture::*;
use std::fs;
use std::path::Path;
use std::sync::Arc;

pub fn crawl(folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
    open(&format!("file:{}", folder.display()), Access::Crawl)
}

pub fn read(folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
    open(folder.to_str().unwrap(), Access::Read)
}

pub fn failure<T>(opened: Result<T, StoreError>) -> StoreError {
    opened.err().expect("it must not open")
}

/// Writes a store with some links and a form, and closes it.
pub fn filled(folder: &Path) -> RunId {
    let store = crawl(folder).unwrap();
    let run = begin(&*store);
    let links: Vec<_> = (0..3000).map(|n| queued_link(&format!("http://s{n}.org/"), 0, 0.5, n)).collect();
    let end = Outcome {
        forms: vec![new_form(form(1, "http://s0.org/", 0.9, 0.9))],
        ..outcome(0, &links[0], StepEnd::Visited)
    };
    run_step(&*store, run, &links[0], end);
    store.commit(run, &adding(&links)).unwrap();
    store.sync().unwrap();
    run
}

#[test]
fn synced_changes_are_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a/b");
    let run = filled(&deep);
    for store in [crawl(&deep).unwrap(), read(&deep).unwrap()] {
        assert_eq!(runs(&*store)[0].id, run);
        assert_eq!(counters(&*store, run).waiting, 2999);
        assert_eq!(of_queue(&*store, run, QueueId(0), 9).len(), 9);
    }
}

#[test]
fn changes_without_a_sync_are_invisible_to_others_and_lost_on_close() {
    let folder = tempfile::tempdir().unwrap();
    let run = filled(folder.path());
    let (writer, reader) = (crawl(folder.path()).unwrap(), read(folder.path()).unwrap());
    writer.commit(run, &adding(&[queued_link("http://new.org/", 0, 0.5, 9)])).unwrap();
    assert_eq!((counters(&*writer, run).waiting, counters(&*reader, run).waiting), (3000, 2999));
    drop(writer);
    assert_eq!(counters(&*crawl(folder.path()).unwrap(), run).waiting, 2999);
}

#[test]
fn readers_see_each_sync_of_a_running_crawl() {
    let folder = tempfile::tempdir().unwrap();
    let run = filled(folder.path());
    let (writer, reader) = (crawl(folder.path()).unwrap(), read(folder.path()).unwrap());
    for n in 1..20 {
        writer.commit(run, &adding(&[queued_link(&format!("http://new.org/{n}"), 0, 0.5, n)])).unwrap();
        writer.sync().unwrap();
        assert_eq!(counters(&*reader, run).waiting, 2999 + n);
    }
}

#[test]
fn a_slow_reader_does_not_block_the_crawl() {
    let folder = tempfile::tempdir().unwrap();
    let run = filled(folder.path());
    let (writer, reader) = (crawl(folder.path()).unwrap(), read(folder.path()).unwrap());
    let mut rows = 0;
    for _ in all_forms(&*reader, FormQuery::default()) {
        rows += 1;
        writer.commit(run, &adding(&[queued_link("http://new.org/", 0, 0.5, 9)])).unwrap();
        writer.sync().unwrap();
    }
    assert_eq!((rows, counters(&*reader, run).waiting), (1, 3000));
}

#[test]
fn a_reader_asks_the_crawl_to_pause_while_it_writes() {
    let folder = tempfile::tempdir().unwrap();
    let run = filled(folder.path());
    let (writer, reader) = (crawl(folder.path()).unwrap(), read(folder.path()).unwrap());
    writer.commit(run, &adding(&[queued_link("http://new.org/", 0, 0.5, 9)])).unwrap();
    let pause = Control { pause: true, ..Control::default() };
    reader.apply_user_changes(&[UserChange::Control(Activity::Run(run), pause.clone())]).unwrap();
    assert_eq!(writer.control(Activity::Run(run)).unwrap(), pause);
}

#[test]
fn a_label_set_through_one_handle_is_seen_by_all() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let handles = [crawl(folder.path()).unwrap(), read(folder.path()).unwrap(), read(folder.path()).unwrap()];
    let all = FormQuery { labels: LabelFilter::Accepted, ..FormQuery::default() };
    let each_sees = |shown: usize| handles.iter().all(|store| store.forms(&all).unwrap().rows.len() == shown);
    for speaker in &handles {
        assert!(each_sees(1));
        set_label(&**speaker, 1, "books", Some(Label::Wrong));
        assert!(each_sees(0));
        set_label(&**speaker, 1, "books", None);
    }
    assert!(each_sees(1));
}

#[test]
fn a_reader_cannot_crawl() {
    let folder = tempfile::tempdir().unwrap();
    let run = filled(folder.path());
    let reader = read(folder.path()).unwrap();
    assert!(reader.commit(run, &adding(&[queued_link("http://new.org/", 0, 0.5, 9)])).is_err());
    assert!(reader.begin(&spec("cars")).is_err());
    assert!(reader.discard(Activity::Run(run)).is_err());
    assert_eq!(counters(&*reader, run).waiting, 2999);
}

#[test]
fn a_second_crawl_is_refused_with_the_process_id_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let first = crawl(folder.path()).unwrap();
    let refused = failure(crawl(folder.path()));
    assert!(
        matches!(&refused, StoreError::InUse { holder, .. } if *holder == std::process::id().to_string())
    );
    drop(first);
    crawl(folder.path()).unwrap();
}

#[test]
fn reading_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("nothing");
    assert!(matches!(failure(read(&missing)), StoreError::Missing(_)));
    assert!(matches!(failure(read(folder.path())), StoreError::Missing(_)));
    assert!(!missing.exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_incomplete_store_is_created_again() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hadal.db.new"), b"SQLite format 3\0 and no more").unwrap();
    begin(&*crawl(folder.path()).unwrap());
}

/// Opens a store with a damaged file for crawling and for reading, and checks that the file is not changed.
fn refused(damage: impl FnOnce(&mut Vec<u8>)) -> [StoreError; 2] {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let file = folder.path().join("hadal.db");
    let mut bytes = fs::read(&file).unwrap();
    damage(&mut bytes);
    fs::write(&file, &bytes).unwrap();
    let errors = [failure(crawl(folder.path())), failure(read(folder.path()))];
    assert!(fs::read(&file).unwrap() == bytes, "the file was touched");
    errors
}

#[test]
fn a_harvest_killed_between_syncs_resumes_from_the_last_sync() {
    let folder = tempfile::tempdir().unwrap();
    let store = crawl(folder.path()).unwrap();
    let harvest = store.begin_harvest(&harvest_spec(1), Time(5)).unwrap();
    commit_steps(&*store, harvest, &[harvest_step(0, 1, 1..4)]);
    log_submission(&*store, &harvest_entry(harvest, 1));
    let second = HarvestStep { finished_query: Some(query_row(2, 4..9)), ..harvest_step(1, 2, 4..9) };
    commit_steps(&*store, harvest, &[second]);
    drop(store);
    let store = crawl(folder.path()).unwrap();
    let checkpoint = store.resume_harvest(harvest).unwrap();
    assert_eq!(checkpoint.next_seq, 2, "what may have been sent under 1 is not sent under 1 again");
    assert_eq!((checkpoint.row.counters.records, checkpoint.row.counters.queries), (3, 0));
}

#[test]
fn readers_list_records_of_a_running_harvest() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, reader) = (crawl(folder.path()).unwrap(), read(folder.path()).unwrap());
    let harvest = writer.begin_harvest(&harvest_spec(1), Time(5)).unwrap();
    for n in 0..20 {
        commit_steps(&*writer, harvest, &[harvest_step(n, 1, n * 10..n * 10 + 10)]);
        assert_eq!(records(&*reader, &HarvestRowQuery::default()).len() as u64, n * 10);
        writer.sync().unwrap();
        let all = HarvestRowQuery { search: Some("record".into()), ..HarvestRowQuery::default() };
        assert_eq!(records(&*reader, &all).len() as u64, n * 10 + 10);
    }
    let mut read_rows = 0;
    for _ in all_records(&*reader, HarvestRowQuery::default()) {
        read_rows += 1;
        commit_steps(&*writer, harvest, &[harvest_step(100 + read_rows, 1, 0..1)]);
        writer.sync().unwrap();
    }
    assert_eq!(read_rows, 200, "a slow reader delays no writer");
}

#[test]
fn a_reader_cannot_harvest() {
    let folder = tempfile::tempdir().unwrap();
    let writer = crawl(folder.path()).unwrap();
    let harvest = writer.begin_harvest(&harvest_spec(1), Time(5)).unwrap();
    let reader = read(folder.path()).unwrap();
    assert!(reader.commit_harvest(harvest, &harvest_step(0, 1, 0..1).into()).is_err());
    assert!(reader.begin_harvest(&harvest_spec(2), Time(5)).is_err());
    assert!(reader.discard(Activity::Harvest(harvest)).is_err());
    assert!(reader.commit_harvest(harvest, &harvest_entry(harvest, 1).into()).is_err());
}

#[test]
fn rows_of_the_audit_log_cannot_be_deleted_by_sql() {
    let folder = tempfile::tempdir().unwrap();
    let run = filled(folder.path());
    let db = rusqlite::Connection::open(folder.path().join("hadal.db")).unwrap();
    let insert = "INSERT INTO submission (run, seq, at, topic, form_id, page_url, method, url, body, purpose)
        VALUES (?, 1, 1, 'books', '1', 'http://a.org/', 'get', 'http://a.org/', '', 'probe')";
    db.execute(insert, [run.0.cast_signed()]).unwrap();
    assert!(db.execute("DELETE FROM submission", []).is_err());
    crawl(folder.path()).unwrap().discard(Activity::Run(run)).unwrap();
    let left = db.query_row("SELECT count(*) FROM submission", [], |row| row.get::<_, i64>(0));
    assert_eq!(left.unwrap(), 1);
}

#[test]
fn a_store_of_a_newer_format_is_not_changed() {
    for error in refused(|bytes| bytes[60..64].copy_from_slice(&13u32.to_be_bytes())) {
        assert!(matches!(error, StoreError::Newer { found: 13, known: 12, .. }), "{error}");
    }
}

#[test]
fn a_damaged_file_is_not_changed() {
    type Damage = fn(&mut Vec<u8>);
    let ways: [(&str, Damage); 8] = [
        ("empty", |bytes| bytes.clear()),
        ("text", |bytes| *bytes = b"no database at all, ".repeat(40)),
        ("magic", |bytes| bytes[3] ^= 0xff),
        ("another program's", |bytes| bytes[68..72].fill(1)),
        ("no version", |bytes| bytes[60..64].fill(0)),
        ("page size", |bytes| bytes[16..18].fill(0x77)),
        ("truncated", |bytes| bytes.truncate(bytes.len() / 2)),
        ("tables overwritten", |bytes| bytes[100..4096].fill(0xa5)),
    ];
    for (way, damage) in ways {
        for error in refused(damage) {
            assert!(matches!(error, StoreError::Damaged { .. }), "{way}: {error}");
        }
    }
}

#[test]
fn a_damaged_page_is_reported_when_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let run = filled(folder.path());
    let file = folder.path().join("hadal.db");
    let mut bytes = fs::read(&file).unwrap();
    let half = bytes.len() / 4096 / 2 * 4096;
    bytes[half..].fill(0xa5);
    fs::write(&file, &bytes).unwrap();
    let store = crawl(folder.path()).unwrap();
    let links: Vec<_> = (0..3000).map(|n| queued_link(&format!("http://t{n}.org/"), 0, 0.5, n)).collect();
    let error = failure(store.commit(run, &adding(&links)));
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(matches!(
        failure(store.queue_heads(run, &[QueueSlice::of_queue(QueueId(0), 5000)])),
        StoreError::Damaged { .. }
    ));
    drop(store);
    assert!(fs::read(&file).unwrap() == bytes, "the file was touched");
}

#[test]
fn a_file_in_place_of_the_folder_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("notes.txt");
    fs::write(&place, "mine").unwrap();
    for error in [failure(crawl(&place)), failure(read(&place))] {
        assert!(error.to_string().contains("it is a file"), "{error}");
    }
    assert!(matches!(failure(crawl(&place.join("deeper"))), StoreError::Failed { .. }));
    assert_eq!(fs::read_to_string(&place).unwrap(), "mine");
}

#[test]
fn an_invalid_control_file_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let run = filled(folder.path());
    fs::write(folder.path().join("control.json"), "{{{").unwrap();
    let error = failure(read(folder.path()).unwrap().control(Activity::Run(run)));
    assert!(error.to_string().contains("control.json"), "{error}");
}

/// Permissions do not bind the superuser, so the test checks nothing for that user.
#[cfg(unix)]
#[test]
fn a_read_only_folder_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    let bound = fs::write(folder.path().join("probe"), "").is_err();
    let opened = crawl(folder.path());
    mode(0o755);
    if bound {
        let error = failure(opened);
        assert!(error.to_string().to_lowercase().contains("permission"), "{error}");
    }
}
