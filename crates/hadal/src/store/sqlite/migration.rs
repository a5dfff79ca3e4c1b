//! Migration of stores of earlier formats, step by step.
//!
//! The SQL of a step is frozen: it names tables and columns as they were in that format.

use super::harvest::word_index;
use super::schema::{CREATE_WORD_INDEX, FORMAT, replace_views};
use hadal_core::address::Site;
use rusqlite::Connection;
use url::Url;

/// Brings a store from format `found` to the current one. Runs within a transaction.
pub fn migrate(db: &Connection, found: u32) -> rusqlite::Result<()> {
    for step in STEPS.iter().filter(|(format, _)| found < *format) {
        db.execute_batch(step.1)?;
    }
    if found < 9 {
        db.execute_batch(CREATE_WORD_INDEX)?;
        word_index::index_all(db)?;
        set_sites_of_harvests(db)?;
    }
    db.execute_batch(&replace_views())?;
    db.pragma_update(None, "user_version", FORMAT)
}

fn set_sites_of_harvests(db: &Connection) -> rusqlite::Result<()> {
    let mut harvests = db.prepare("SELECT id, page_url FROM harvests")?;
    let harvests = harvests.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    for harvest in harvests.collect::<rusqlite::Result<Vec<_>>>()? {
        let site = Url::parse(&harvest.1).map(|url| Site::of(&url).0).unwrap_or_default();
        db.execute("UPDATE harvests SET site = ? WHERE id = ?", (site, harvest.0))?;
    }
    Ok(())
}

/// SQL of each step, with the format it leads to.
const STEPS: [(u32, &str); 11] = [
    (2, AUDIT_LOG),
    (3, LESSONS_AND_BACKLINKS),
    (4, HARVESTS),
    (5, CURVES),
    (6, FORM_INDEXES),
    (7, FORM_INDEX_BY_ID),
    (8, CONTINUED_QUERIES),
    (9, PLAIN_NAMES),
    (10, STRATEGY_CHANGES),
    (11, FAILURES),
    (12, REFRESHES),
];

/// Format 2: the audit log, results of probes, and an index for the best form of a site.
const AUDIT_LOG: &str = "
ALTER TABLE progress ADD COLUMN probes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sites ADD COLUMN probes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE forms ADD COLUMN finding TEXT;
ALTER TABLE forms ADD COLUMN whole BLOB;
CREATE TABLE submission (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, topic TEXT NOT NULL,
    form_id TEXT NOT NULL, page_url TEXT NOT NULL, method TEXT NOT NULL, url TEXT NOT NULL,
    body TEXT NOT NULL, purpose TEXT NOT NULL, status INTEGER, failure TEXT
) STRICT;
CREATE UNIQUE INDEX submission_known ON submission (run, seq);
CREATE TRIGGER submission_is_kept BEFORE DELETE ON submission
BEGIN SELECT RAISE(ABORT, 'the audit log is never deleted'); END;
CREATE INDEX forms_of_site ON forms (run, site, p_relevant);
";

/// Format 3: lessons of strategies, and pages that cite a URL on another site.
const LESSONS_AND_BACKLINKS: &str = "
CREATE TABLE lessons (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, at_request INTEGER NOT NULL, at_page INTEGER NOT NULL, lesson TEXT NOT NULL
) STRICT;
CREATE INDEX lessons_of_run ON lessons (run);
CREATE TABLE backlinks (
    run INTEGER NOT NULL, site TEXT NOT NULL, target INTEGER NOT NULL, source INTEGER NOT NULL,
    PRIMARY KEY (run, site, target, source)
) STRICT, WITHOUT ROWID;
ALTER TABLE sites ADD COLUMN barren INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sites ADD COLUMN on_topic INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sites ADD COLUMN worth REAL NOT NULL DEFAULT 0;
";

/// Format 4: harvests, which also submit forms. The word index of records is created in format 9.
const HARVESTS: &str = "
CREATE TABLE harvests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    form_id TEXT NOT NULL, topic TEXT NOT NULL, page_url TEXT NOT NULL, policy TEXT NOT NULL,
    seed INTEGER NOT NULL, source TEXT NOT NULL, began INTEGER NOT NULL, whole BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX harvests_known ON harvests (form_id, policy, seed, source);
CREATE TABLE harvest_progress (
    harvest INTEGER PRIMARY KEY,
    state TEXT NOT NULL, ending TEXT, now INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL DEFAULT 0,
    next_seq INTEGER NOT NULL DEFAULT 0,
    requests INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0,
    queries INTEGER NOT NULL DEFAULT 0, pages INTEGER NOT NULL DEFAULT 0,
    records INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    errors TEXT NOT NULL DEFAULT '{}',
    size_low REAL, size REAL, size_high REAL, coverage_low REAL, coverage REAL, coverage_high REAL
) STRICT;
CREATE TABLE readers (harvest INTEGER PRIMARY KEY, saved BLOB NOT NULL) STRICT;
CREATE TABLE queries (
    n INTEGER PRIMARY KEY,
    harvest INTEGER NOT NULL, number INTEGER NOT NULL, words TEXT NOT NULL, query TEXT NOT NULL,
    kind TEXT NOT NULL, total TEXT, found INTEGER NOT NULL, new INTEGER NOT NULL, pages INTEGER NOT NULL,
    requests INTEGER NOT NULL, ending TEXT NOT NULL, at INTEGER NOT NULL, hits BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX queries_known ON queries (harvest, number);
CREATE TABLE records (
    n INTEGER PRIMARY KEY,
    harvest INTEGER NOT NULL, id INTEGER NOT NULL, url TEXT, title TEXT NOT NULL, text TEXT NOT NULL,
    fields TEXT NOT NULL, asked INTEGER NOT NULL, words TEXT NOT NULL, position INTEGER NOT NULL,
    fetched_at INTEGER NOT NULL, detail TEXT
) STRICT;
CREATE UNIQUE INDEX records_known ON records (harvest, id);
CREATE INDEX records_of_harvest ON records (harvest);
CREATE INDEX records_of_query ON records (harvest, asked);
ALTER TABLE submission ADD COLUMN harvest INTEGER NOT NULL DEFAULT 0;
DROP INDEX submission_known;
CREATE UNIQUE INDEX submission_known ON submission (run, harvest, seq);
";

/// Format 5: curves, the request budget of a run, and the next queries of a harvest.
const CURVES: &str = "
CREATE TABLE curve (
    run INTEGER NOT NULL, requests INTEGER NOT NULL, pages INTEGER NOT NULL, forms INTEGER NOT NULL,
    searchable INTEGER NOT NULL, relevant INTEGER NOT NULL, waiting INTEGER NOT NULL,
    PRIMARY KEY (run, requests)
) STRICT, WITHOUT ROWID;
CREATE TABLE harvest_curve (
    harvest INTEGER NOT NULL, requests INTEGER NOT NULL, queries INTEGER NOT NULL, records INTEGER NOT NULL,
    coverage_low REAL, coverage REAL, coverage_high REAL,
    PRIMARY KEY (harvest, requests)
) STRICT, WITHOUT ROWID;
ALTER TABLE progress ADD COLUMN max_requests INTEGER;
ALTER TABLE harvest_progress ADD COLUMN next TEXT NOT NULL DEFAULT '[]';
";

/// Format 6: number of open fields, first find of a topic, and indexes with all columns that select forms. Format 5 had
/// some of these indexes with fewer columns.
const FORM_INDEXES: &str = "
ALTER TABLE forms ADD COLUMN open_fields INTEGER NOT NULL DEFAULT 0;
ALTER TABLE forms ADD COLUMN is_first INTEGER NOT NULL DEFAULT 1;
DROP INDEX IF EXISTS forms_by_relevance;
DROP INDEX IF EXISTS forms_by_run;
DROP INDEX IF EXISTS forms_by_topic;
DROP INDEX IF EXISTS forms_by_site;
DROP INDEX IF EXISTS forms_by_language;
DROP INDEX IF EXISTS forms_by_method;
UPDATE forms SET
    open_fields = (SELECT count(*) FROM json_each(fields)
        WHERE value ->> 'type' NOT IN ('hidden', 'submit', 'button', 'image', 'reset')),
    is_first = NOT EXISTS (SELECT 1 FROM forms AS earlier
        WHERE earlier.form_id = forms.form_id AND earlier.topic = forms.topic AND earlier.n < forms.n);
CREATE INDEX forms_by_relevance ON forms (falling_relevant, falling_searchable, form_id, topic,
    run, is_first, site, language, method, open_fields);
CREATE INDEX forms_by_run ON forms (run, falling_relevant, falling_searchable, form_id, topic,
    is_first, site, language, method, open_fields);
CREATE INDEX forms_by_topic ON forms (topic, falling_relevant, falling_searchable, form_id,
    run, is_first, site, language, method, open_fields);
CREATE INDEX forms_by_site ON forms (site, falling_relevant, falling_searchable, form_id, topic,
    run, is_first, language, method, open_fields);
CREATE INDEX forms_by_language ON forms (language, falling_relevant, falling_searchable, form_id, topic,
    run, is_first, site, method, open_fields);
CREATE INDEX forms_by_method ON forms (method, falling_relevant, falling_searchable, form_id, topic,
    run, is_first, site, language, open_fields);
CREATE INDEX forms_by_fields ON forms (open_fields, falling_relevant, falling_searchable, form_id, topic,
    run, is_first, site, language, method);
";

/// Format 7: an index by identity with all columns that select forms.
const FORM_INDEX_BY_ID: &str = "
DROP INDEX forms_of_topic;
CREATE INDEX forms_of_topic ON forms (form_id, topic, run, also_on,
    falling_relevant, falling_searchable, is_first, site, language, method, open_fields);
";

/// Format 8: the request that continues an answer.
const CONTINUED_QUERIES: &str = "ALTER TABLE queries ADD COLUMN next BLOB;";

/// Format 11: failed requests with their reasons.
const FAILURES: &str = "
CREATE TABLE failures (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, host TEXT NOT NULL, url TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL,
    times INTEGER NOT NULL, given_up INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX failures_known ON failures (run, url);
CREATE INDEX failures_of_host ON failures (host);
";

/// Format 12: findings of refreshes.
const REFRESHES: &str = "
ALTER TABLE harvest_progress ADD COLUMN refresh TEXT;
ALTER TABLE queries ADD COLUMN rechecks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE queries ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE queries ADD COLUMN record_days REAL NOT NULL DEFAULT 0;
ALTER TABLE records ADD COLUMN seen_at INTEGER;
ALTER TABLE records ADD COLUMN changed_at INTEGER;
ALTER TABLE records ADD COLUMN removed_at INTEGER;
CREATE TABLE form_checks (
    form_id TEXT PRIMARY KEY, state TEXT NOT NULL, at INTEGER NOT NULL, moved_to TEXT, validator TEXT
) STRICT, WITHOUT ROWID;
";

/// Format 9: plain column names, the site of a harvest, views, and a word index that SQLite 3.40 reads. Formats 4 to 8
/// used the FTS5 option `contentless_delete`, which SQLite has since 3.43.
const PLAIN_NAMES: &str = "
DROP TABLE IF EXISTS record_words;
ALTER TABLE in_flight RENAME COLUMN work TO target;
ALTER TABLE links RENAME COLUMN lane TO queue;
ALTER TABLE links RENAME COLUMN falling TO score_key;
ALTER TABLE sites RENAME COLUMN dry TO pages_since_searchable;
ALTER TABLE sites RENAME COLUMN barren TO pages_since_relevant;
ALTER TABLE sites RENAME COLUMN worth TO bonus;
ALTER TABLE forms RENAME COLUMN finding TO probe_result;
ALTER TABLE forms RENAME COLUMN falling_relevant TO negated_relevant;
ALTER TABLE forms RENAME COLUMN falling_searchable TO negated_searchable;
ALTER TABLE queries RENAME COLUMN words TO query_text;
ALTER TABLE records RENAME COLUMN asked TO query_number;
ALTER TABLE records RENAME COLUMN words TO query_text;
ALTER TABLE harvest_progress RENAME COLUMN next TO upcoming;
ALTER TABLE harvests ADD COLUMN site TEXT NOT NULL DEFAULT '';
";

/// Format 10: changes of a strategy's state since its last full copy, and an index from which the queues of a
/// run can be read without its links.
const STRATEGY_CHANGES: &str = "
DROP INDEX links_of_host;
CREATE INDEX links_of_host ON links (host, queue, score_key, arrival, state) WHERE state = 'waiting';
CREATE TABLE strategy_changes (
    n INTEGER PRIMARY KEY, run INTEGER NOT NULL, changes BLOB NOT NULL
) STRICT;
CREATE INDEX strategy_changes_of_run ON strategy_changes (run);
";
