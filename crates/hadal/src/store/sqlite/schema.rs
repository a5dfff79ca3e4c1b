//! The tables of a store, as any SQLite tool shows them.
//!
//! Numbers that only tell things apart (`links.id`, `links.lane`, `pages.fingerprint`,
//! `backlinks.target`, `records.id`) are 64 bits
//! without a sign and show as negative when large. `links.context`, `forms.whole` and `harvests.whole` are
//! not for people: the rest of a lead, and forms as they can be filled, in postcard's encoding. Neither
//! are `queries.hits`, ids of records in eight bytes each, `queries.next`, a request, and what `readers` saved.

/// Marks the file as ours: "hadl".
pub const APPLICATION: u32 = 0x6861_646c;

/// Format written here, and the newest that can be read. Any change of a table or of what
/// `links.context` holds takes the next number.
pub const FORMAT: u32 = 8;

/// The tables of crawls, by name, and the audit log.
pub const TABLES: [&str; 14] = [
    "runs",
    "progress",
    "strategies",
    "errors",
    "in_flight",
    "links",
    "hosts",
    "sites",
    "forms",
    "pages",
    LESSONS,
    BACKLINKS,
    CURVE,
    AUDIT,
];

/// The tables of harvests, by name, but for the index of words.
pub const HARVEST_TABLES: [&str; 6] =
    ["harvests", "harvest_progress", "readers", "queries", "records", HARVEST_CURVE];

/// The index of the words of records.
pub const WORDS: &str = "record_words";

/// The tables that a store of a format must have.
pub fn tables(format: u32) -> impl Iterator<Item = &'static str> {
    let all = TABLES.into_iter().chain(HARVEST_TABLES).chain([WORDS]);
    all.filter(move |table| !lacks(format, table))
}

fn lacks(format: u32, table: &str) -> bool {
    (format < 2 && table == AUDIT)
        || (format < 3 && [LESSONS, BACKLINKS].contains(&table))
        || (format < 4 && (HARVEST_TABLES.contains(&table) || table == WORDS))
        || (format < 5 && [CURVE, HARVEST_CURVE].contains(&table))
}

const LESSONS: &str = "lessons";
const BACKLINKS: &str = "backlinks";
const CURVE: &str = "curve";
const HARVEST_CURVE: &str = "harvest_curve";

/// The audit log: the one table that outlives its run.
pub const AUDIT: &str = "submission";

/// Creates them.
///
/// A run's specification never changes and may be long; its counters change with every commit and
/// are short: so they are two tables. Links are appended, whatever their hash, and only what waits
/// is in the two queues' indexes. A host belongs to one run, so `links.host` implies `links.run`.
/// The `falling` columns turn an order that is partly downwards into one that an index can follow.
pub const CREATE: &str = "
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    topic TEXT NOT NULL, strategy TEXT NOT NULL, seeds TEXT NOT NULL, seed INTEGER NOT NULL,
    source TEXT NOT NULL
) STRICT;
CREATE TABLE progress (
    run INTEGER PRIMARY KEY,
    state TEXT NOT NULL, next_seq INTEGER NOT NULL, next_order INTEGER NOT NULL, now INTEGER NOT NULL,
    generation INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL,
    requests INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0,
    pages INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    sites INTEGER NOT NULL DEFAULT 0, forms INTEGER NOT NULL DEFAULT 0,
    searchable INTEGER NOT NULL DEFAULT 0, relevant INTEGER NOT NULL DEFAULT 0,
    waiting INTEGER NOT NULL DEFAULT 0, probes INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE strategies (run INTEGER PRIMARY KEY, saved BLOB NOT NULL) STRICT;
CREATE TABLE errors (
    run INTEGER NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (run, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE in_flight (
    run INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, work TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE links (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, id INTEGER NOT NULL, url TEXT NOT NULL, host INTEGER NOT NULL,
    state TEXT NOT NULL, lane INTEGER NOT NULL, score REAL, falling INTEGER NOT NULL,
    arrival INTEGER NOT NULL, generation INTEGER NOT NULL, attempts INTEGER NOT NULL,
    not_before INTEGER NOT NULL, depth INTEGER NOT NULL, context BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX links_known ON links (run, id);
CREATE INDEX links_of_host ON links (host, lane, falling, arrival) WHERE state = 'waiting';
CREATE INDEX links_of_lane ON links (run, lane, falling, arrival) WHERE state = 'waiting';
CREATE TABLE hosts (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, host TEXT NOT NULL, site TEXT NOT NULL,
    ip TEXT, robots TEXT, robots_until INTEGER, next_at INTEGER, failures INTEGER,
    latency_ms INTEGER, requests INTEGER, address_next_at INTEGER,
    robots_validator TEXT
) STRICT;
CREATE UNIQUE INDEX hosts_known ON hosts (run, host);
CREATE INDEX hosts_of_site ON hosts (run, site);
CREATE TABLE sites (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, site TEXT NOT NULL,
    pages INTEGER NOT NULL DEFAULT 0, forms INTEGER NOT NULL DEFAULT 0,
    searchable INTEGER NOT NULL DEFAULT 0, relevant INTEGER NOT NULL DEFAULT 0,
    dry INTEGER NOT NULL DEFAULT 0, closed INTEGER NOT NULL DEFAULT 0, best REAL NOT NULL DEFAULT 0,
    probes INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX sites_known ON sites (run, site);
CREATE TABLE forms (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, form_id TEXT NOT NULL, topic TEXT NOT NULL, site TEXT NOT NULL,
    page_url TEXT NOT NULL, action TEXT NOT NULL, method TEXT NOT NULL, fields TEXT NOT NULL,
    kind TEXT NOT NULL, p_searchable REAL NOT NULL, p_relevant REAL NOT NULL,
    found_at_request INTEGER NOT NULL, depth INTEGER NOT NULL, also_on INTEGER NOT NULL,
    source TEXT NOT NULL, language TEXT, evidence TEXT NOT NULL,
    finding TEXT, whole BLOB,
    falling_relevant REAL AS (-p_relevant), falling_searchable REAL AS (-p_searchable)
) STRICT;
CREATE UNIQUE INDEX forms_known ON forms (run, form_id);
CREATE INDEX forms_of_topic ON forms (form_id, topic, run, also_on);
CREATE INDEX forms_by_relevance ON forms (falling_relevant, falling_searchable, form_id, topic);
CREATE TABLE pages (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, link INTEGER NOT NULL, url TEXT NOT NULL, site TEXT NOT NULL,
    status INTEGER NOT NULL, title TEXT NOT NULL, language TEXT, p_topic REAL NOT NULL,
    fingerprint INTEGER NOT NULL, depth INTEGER NOT NULL, parent INTEGER, redirects TEXT NOT NULL,
    at_request INTEGER NOT NULL, validator TEXT, note TEXT
) STRICT;
CREATE INDEX pages_of_run ON pages (run);
";

/// Creates what format 2 has and format 1 had not: the audit log, which nothing is deleted from, and
/// a way to a site's best form.
pub const CREATE_2: &str = "
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

/// Creates what format 3 has and format 2 had not: what strategies learned, and which pages (`source`,
/// in `links`) cite an address on another site.
pub const CREATE_3: &str = "
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

/// Creates what format 4 has and format 3 had not: harvests, and who made a submission when no run did.
///
/// Of a harvest too, what changes is kept apart from what does not. `record_words` is an index only: it
/// holds no text and is asked for rows of `records`. Its words were cut before they came to it, and since format 6
/// each begins with the number of its harvest and a `q`. Since format 7 some rows also have the word that is no more
/// than that.
pub const CREATE_4: &str = "
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
CREATE VIRTUAL TABLE record_words USING fts5(
    words, content = '', contentless_delete = 1, detail = none, tokenize = ascii
);
ALTER TABLE submission ADD COLUMN harvest INTEGER NOT NULL DEFAULT 0;
DROP INDEX submission_known;
CREATE UNIQUE INDEX submission_known ON submission (run, harvest, seq);
";

/// Creates what format 5 has and format 4 had not: what was there after so many requests, what would be asked
/// next, and ways to the most relevant forms of a run, a topic, a site, a language or a method.
pub const CREATE_5: &str = "
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
CREATE INDEX forms_by_run ON forms (run, falling_relevant, falling_searchable, form_id, topic);
CREATE INDEX forms_by_topic ON forms (topic, falling_relevant, falling_searchable, form_id);
CREATE INDEX forms_by_site ON forms (site, falling_relevant, falling_searchable, form_id, topic);
CREATE INDEX forms_by_language ON forms (language, falling_relevant, falling_searchable, form_id, topic);
CREATE INDEX forms_by_method ON forms (method, falling_relevant, falling_searchable, form_id, topic);
";

/// Creates what format 6 has and format 5 had not: how many fields of a form people fill, whether it is the first
/// of its topic, and indexes that hold all that a directory is narrowed down by, so that forms which do not pass
/// are not read. The words of records are indexed anew, harvest by harvest, by who opens the store.
pub const CREATE_6: &str = "
ALTER TABLE forms ADD COLUMN open_fields INTEGER NOT NULL DEFAULT 0;
ALTER TABLE forms ADD COLUMN is_first INTEGER NOT NULL DEFAULT 1;
DROP INDEX forms_by_relevance;
DROP INDEX forms_by_run;
DROP INDEX forms_by_topic;
DROP INDEX forms_by_site;
DROP INDEX forms_by_language;
DROP INDEX forms_by_method;
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
INSERT INTO record_words (record_words) VALUES ('delete-all');
";

/// Creates what format 7 has and format 6 had not: an index by identity that holds all that a directory is narrowed
/// down by, for forms that people named. Milestones among the words of records are added by who opens the store.
pub const CREATE_7: &str = "
DROP INDEX forms_of_topic;
CREATE INDEX forms_of_topic ON forms (form_id, topic, run, also_on,
    falling_relevant, falling_searchable, is_first, site, language, method, open_fields);
";

/// Creates what format 8 has and format 7 had not: how an answer goes on that was left off.
pub const CREATE_8: &str = "ALTER TABLE queries ADD COLUMN next BLOB;";

/// The tables of `notes.db`: what people add. The log of their questions is made as that of crawls.
pub const CREATE_NOTES: &str = "
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

/// Columns that tables of format 1 lack.
pub const ALTER_1: &str = "
ALTER TABLE progress ADD COLUMN probes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sites ADD COLUMN probes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE forms ADD COLUMN finding TEXT;
ALTER TABLE forms ADD COLUMN whole BLOB;
";
