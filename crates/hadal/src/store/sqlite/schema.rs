//! Schema of `hadal.db` and `notes.db`. `docs/store.md` describes every table, column and view.
//!
//! The schema uses no feature newer than SQLite 3.40, so that the tools of current distributions open a store.
//! Columns with unsigned 64-bit numbers hold the same bits as a signed number; large ones show as negative.

use super::super::views::{LAST_TIMESTAMP, SqlDialect};
use super::super::{HARVEST_TABLES, RUN_TABLES};

/// Application id in the file header: "hadl".
pub const APPLICATION: u32 = 0x6861_646c;

/// Format that is written, and the highest that is read. A change of a table, of a view, of the content of a packed
/// column or of the words in `record_words` takes the next number and a step in [`migration`](super::migration).
pub const FORMAT: u32 = 12;

/// Audit log. Its rows outlive runs and harvests.
const AUDIT_LOG: &str = "submission";

/// Last checks of forms. Its rows outlive runs and harvests.
const FORM_CHECKS: &str = "form_checks";

/// Full-text index of records.
const WORD_INDEX: &str = "record_words";

/// Tables that a store of a format must have.
pub fn tables(format: u32) -> impl Iterator<Item = &'static str> {
    let all = RUN_TABLES.into_iter().chain(HARVEST_TABLES).chain([AUDIT_LOG, FORM_CHECKS, WORD_INDEX]);
    all.filter(move |table| format >= first_format(table))
}

/// The first format with a table.
fn first_format(table: &str) -> u32 {
    match table {
        AUDIT_LOG => 2,
        "lessons" | "backlinks" => 3,
        "curve" | "harvest_curve" => 5,
        WORD_INDEX => 4,
        "strategy_changes" => 10,
        "failures" => 11,
        FORM_CHECKS => 12,
        table if HARVEST_TABLES.contains(&table) => 4,
        _ => 1,
    }
}

/// Tables, indexes and triggers of a new store.
///
/// - A run's specification never changes and may be long, while its counters change with every commit and are short.
///   So they are two tables, `runs` and `progress`. Harvests are split in the same way.
/// - Links are appended in the order they are found. Only waiting links are in the two queue indexes.
/// - A host belongs to one run, so that `links.host` implies `links.run`.
/// - `links_of_host` ends with `state`, so that a count of waiting links reads the index alone.
/// - `score_key` and the `negated_` columns reverse an order that is partly descending, so that an index can follow it.
/// - The `forms_by_` indexes hold every column that a query for forms can select by. Forms that do not match are never
///   read from the table.
/// - `record_words` holds no text, only an index. See [`word_index`](super::harvest::word_index).
pub const TABLES: &str = "
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    topic TEXT NOT NULL, strategy TEXT NOT NULL, seeds TEXT NOT NULL, seed INTEGER NOT NULL,
    source TEXT NOT NULL
) STRICT;
CREATE TABLE progress (
    run INTEGER PRIMARY KEY,
    state TEXT NOT NULL, next_seq INTEGER NOT NULL, next_order INTEGER NOT NULL, now INTEGER NOT NULL,
    generation INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL, max_requests INTEGER,
    requests INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0,
    pages INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    sites INTEGER NOT NULL DEFAULT 0, forms INTEGER NOT NULL DEFAULT 0,
    searchable INTEGER NOT NULL DEFAULT 0, relevant INTEGER NOT NULL DEFAULT 0,
    waiting INTEGER NOT NULL DEFAULT 0, probes INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE strategies (run INTEGER PRIMARY KEY, saved BLOB NOT NULL) STRICT;
CREATE TABLE strategy_changes (
    n INTEGER PRIMARY KEY, run INTEGER NOT NULL, changes BLOB NOT NULL
) STRICT;
CREATE INDEX strategy_changes_of_run ON strategy_changes (run);
CREATE TABLE errors (
    run INTEGER NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (run, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE in_flight (
    run INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, target TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE links (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, id INTEGER NOT NULL, url TEXT NOT NULL, host INTEGER NOT NULL,
    state TEXT NOT NULL, queue INTEGER NOT NULL, score REAL, score_key INTEGER NOT NULL,
    arrival INTEGER NOT NULL, generation INTEGER NOT NULL, attempts INTEGER NOT NULL,
    not_before INTEGER NOT NULL, depth INTEGER NOT NULL, context BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX links_known ON links (run, id);
CREATE INDEX links_of_host ON links (host, queue, score_key, arrival, state) WHERE state = 'waiting';
CREATE INDEX links_of_lane ON links (run, queue, score_key, arrival) WHERE state = 'waiting';
CREATE TABLE hosts (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, host TEXT NOT NULL, site TEXT NOT NULL,
    ip TEXT, robots TEXT, robots_until INTEGER, next_at INTEGER, failures INTEGER,
    latency_ms INTEGER, requests INTEGER, address_next_at INTEGER, robots_validator TEXT
) STRICT;
CREATE UNIQUE INDEX hosts_known ON hosts (run, host);
CREATE INDEX hosts_of_site ON hosts (run, site);
CREATE TABLE sites (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, site TEXT NOT NULL,
    pages INTEGER NOT NULL DEFAULT 0, forms INTEGER NOT NULL DEFAULT 0,
    searchable INTEGER NOT NULL DEFAULT 0, relevant INTEGER NOT NULL DEFAULT 0,
    pages_since_searchable INTEGER NOT NULL DEFAULT 0, closed INTEGER NOT NULL DEFAULT 0,
    best REAL NOT NULL DEFAULT 0, probes INTEGER NOT NULL DEFAULT 0,
    pages_since_relevant INTEGER NOT NULL DEFAULT 0, on_topic INTEGER NOT NULL DEFAULT 0,
    bonus REAL NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX sites_known ON sites (run, site);
CREATE TABLE forms (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, form_id TEXT NOT NULL, topic TEXT NOT NULL, site TEXT NOT NULL,
    page_url TEXT NOT NULL, action TEXT NOT NULL, method TEXT NOT NULL, fields TEXT NOT NULL,
    kind TEXT NOT NULL, p_searchable REAL NOT NULL, p_relevant REAL NOT NULL,
    found_at_request INTEGER NOT NULL, depth INTEGER NOT NULL, also_on INTEGER NOT NULL,
    source TEXT NOT NULL, language TEXT, evidence TEXT NOT NULL, probe_result TEXT, whole BLOB,
    negated_relevant REAL AS (-p_relevant), negated_searchable REAL AS (-p_searchable),
    open_fields INTEGER NOT NULL DEFAULT 0, is_first INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE UNIQUE INDEX forms_known ON forms (run, form_id);
CREATE INDEX forms_of_site ON forms (run, site, p_relevant);
CREATE INDEX forms_of_topic ON forms (form_id, topic, run, also_on,
    negated_relevant, negated_searchable, is_first, site, language, method, open_fields);
CREATE INDEX forms_by_relevance ON forms (negated_relevant, negated_searchable, form_id, topic,
    run, is_first, site, language, method, open_fields);
CREATE INDEX forms_by_run ON forms (run, negated_relevant, negated_searchable, form_id, topic,
    is_first, site, language, method, open_fields);
CREATE INDEX forms_by_topic ON forms (topic, negated_relevant, negated_searchable, form_id,
    run, is_first, site, language, method, open_fields);
CREATE INDEX forms_by_site ON forms (site, negated_relevant, negated_searchable, form_id, topic,
    run, is_first, language, method, open_fields);
CREATE INDEX forms_by_language ON forms (language, negated_relevant, negated_searchable, form_id, topic,
    run, is_first, site, method, open_fields);
CREATE INDEX forms_by_method ON forms (method, negated_relevant, negated_searchable, form_id, topic,
    run, is_first, site, language, open_fields);
CREATE INDEX forms_by_fields ON forms (open_fields, negated_relevant, negated_searchable, form_id, topic,
    run, is_first, site, language, method);
CREATE TABLE pages (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, link INTEGER NOT NULL, url TEXT NOT NULL, site TEXT NOT NULL,
    status INTEGER NOT NULL, title TEXT NOT NULL, language TEXT, p_topic REAL NOT NULL,
    fingerprint INTEGER NOT NULL, depth INTEGER NOT NULL, parent INTEGER, redirects TEXT NOT NULL,
    at_request INTEGER NOT NULL, validator TEXT, note TEXT
) STRICT;
CREATE INDEX pages_of_run ON pages (run);
CREATE TABLE lessons (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, at_request INTEGER NOT NULL, at_page INTEGER NOT NULL, lesson TEXT NOT NULL
) STRICT;
CREATE INDEX lessons_of_run ON lessons (run);
CREATE TABLE backlinks (
    run INTEGER NOT NULL, site TEXT NOT NULL, target INTEGER NOT NULL, source INTEGER NOT NULL,
    PRIMARY KEY (run, site, target, source)
) STRICT, WITHOUT ROWID;
CREATE TABLE curve (
    run INTEGER NOT NULL, requests INTEGER NOT NULL, pages INTEGER NOT NULL, forms INTEGER NOT NULL,
    searchable INTEGER NOT NULL, relevant INTEGER NOT NULL, waiting INTEGER NOT NULL,
    PRIMARY KEY (run, requests)
) STRICT, WITHOUT ROWID;
CREATE TABLE failures (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, host TEXT NOT NULL, url TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL,
    times INTEGER NOT NULL, given_up INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX failures_known ON failures (run, url);
CREATE INDEX failures_of_host ON failures (host);
CREATE TABLE submission (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, topic TEXT NOT NULL,
    form_id TEXT NOT NULL, page_url TEXT NOT NULL, method TEXT NOT NULL, url TEXT NOT NULL,
    body TEXT NOT NULL, purpose TEXT NOT NULL, status INTEGER, failure TEXT,
    harvest INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX submission_known ON submission (run, harvest, seq);
CREATE TRIGGER submission_is_kept BEFORE DELETE ON submission
BEGIN SELECT RAISE(ABORT, 'the audit log is never deleted'); END;
CREATE TABLE harvests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    form_id TEXT NOT NULL, topic TEXT NOT NULL, page_url TEXT NOT NULL, policy TEXT NOT NULL,
    seed INTEGER NOT NULL, source TEXT NOT NULL, began INTEGER NOT NULL, whole BLOB NOT NULL,
    site TEXT NOT NULL DEFAULT ''
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
    size_low REAL, size REAL, size_high REAL, coverage_low REAL, coverage REAL, coverage_high REAL,
    upcoming TEXT NOT NULL DEFAULT '[]', refresh TEXT
) STRICT;
CREATE TABLE readers (harvest INTEGER PRIMARY KEY, saved BLOB NOT NULL) STRICT;
CREATE TABLE queries (
    n INTEGER PRIMARY KEY,
    harvest INTEGER NOT NULL, number INTEGER NOT NULL, query_text TEXT NOT NULL, query TEXT NOT NULL,
    kind TEXT NOT NULL, total TEXT, found INTEGER NOT NULL, new INTEGER NOT NULL, pages INTEGER NOT NULL,
    requests INTEGER NOT NULL, ending TEXT NOT NULL, at INTEGER NOT NULL, hits BLOB NOT NULL, next BLOB,
    rechecks INTEGER NOT NULL DEFAULT 0, changes INTEGER NOT NULL DEFAULT 0, record_days REAL NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX queries_known ON queries (harvest, number);
CREATE TABLE records (
    n INTEGER PRIMARY KEY,
    harvest INTEGER NOT NULL, id INTEGER NOT NULL, url TEXT, title TEXT NOT NULL, text TEXT NOT NULL,
    fields TEXT NOT NULL, query_number INTEGER NOT NULL, query_text TEXT NOT NULL, position INTEGER NOT NULL,
    fetched_at INTEGER NOT NULL, detail TEXT, seen_at INTEGER, changed_at INTEGER, removed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX records_known ON records (harvest, id);
CREATE INDEX records_of_harvest ON records (harvest);
CREATE INDEX records_of_query ON records (harvest, query_number);
CREATE TABLE harvest_curve (
    harvest INTEGER NOT NULL, requests INTEGER NOT NULL, queries INTEGER NOT NULL, records INTEGER NOT NULL,
    coverage_low REAL, coverage REAL, coverage_high REAL,
    PRIMARY KEY (harvest, requests)
) STRICT, WITHOUT ROWID;
CREATE TABLE form_checks (
    form_id TEXT PRIMARY KEY, state TEXT NOT NULL, at INTEGER NOT NULL, moved_to TEXT, validator TEXT
) STRICT, WITHOUT ROWID;
";

/// Full-text index of records: no stored text, no positions. Its words are split before they reach it.
pub const CREATE_WORD_INDEX: &str = "
CREATE VIRTUAL TABLE record_words USING fts5(words, content = '', detail = none, tokenize = ascii);
";

/// Tables of `notes.db`: labels and queries of users. The log has the same columns as that of crawls.
pub const NOTES: &str = "
CREATE TABLE IF NOT EXISTS labels (
    form_id TEXT NOT NULL, topic TEXT NOT NULL, label TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (form_id, topic)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS submission (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, harvest INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
    topic TEXT NOT NULL, form_id TEXT NOT NULL, page_url TEXT NOT NULL, method TEXT NOT NULL,
    url TEXT NOT NULL, body TEXT NOT NULL, purpose TEXT NOT NULL, status INTEGER, failure TEXT
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS submission_known ON submission (run, harvest, seq);
CREATE TRIGGER IF NOT EXISTS submission_is_kept BEFORE DELETE ON submission
BEGIN SELECT RAISE(ABORT, 'the audit log is never deleted'); END;
";

/// SQL that creates the views of `hadal.db`.
pub fn create_views() -> String {
    SQLITE.views().iter().map(|(name, query)| format!("CREATE VIEW {name} AS {query};\n")).collect()
}

/// SQL that replaces the views of an earlier format.
pub fn replace_views() -> String {
    let drop = |(name, _): &(&str, String)| format!("DROP VIEW IF EXISTS {name};\n");
    SQLITE.views().iter().map(drop).collect::<String>() + &create_views()
}

/// SQL that creates the view of `notes.db`.
pub fn create_notes_view() -> String {
    format!("CREATE VIEW IF NOT EXISTS submissions_view AS {};", SQLITE.submissions())
}

const SQLITE: SqlDialect = SqlDialect {
    progress: "progress",
    timestamp,
    // As text if it is too large for SQLite.
    unsigned: |column| format!("iif({column} < 0, printf('%u', {column}), {column})"),
    refresh_counter: |name| format!("json_extract(refresh, '$.{name}')"),
    json_object: ("json_object", ""),
    casts: ["", "", ""],
    infinity: "9e999",
    total: ["(SELECT value FROM json_each(total))", "(SELECT key = 'About' FROM json_each(total))"],
    record_id: "printf('%016x', records.id)",
    record_fields: "(SELECT json_group_object(field.name, (
                  SELECT group_concat(joined.value, '; ') FROM (
                      SELECT json_extract(pair.value, '$[1]') AS value FROM json_each(records.fields) AS pair
                      WHERE json_extract(pair.value, '$[0]') = field.name ORDER BY pair.key) AS joined))
              FROM (SELECT json_extract(first.value, '$[0]') AS name FROM json_each(records.fields) AS first
                    WHERE NOT EXISTS (SELECT 1 FROM json_each(records.fields) AS earlier
                        WHERE earlier.key < first.key
                            AND json_extract(earlier.value, '$[0]') = json_extract(first.value, '$[0]'))
                    ORDER BY first.key) AS field)",
};

fn timestamp(column: &str) -> String {
    let cut = format!("iif({column} < 0, {LAST_TIMESTAMP}, min({column}, {LAST_TIMESTAMP}))");
    format!("strftime('%Y-%m-%dT%H:%M:%fZ', {cut} / 1000.0, 'unixepoch')")
}
