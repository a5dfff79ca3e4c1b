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
, max_requests INTEGER) STRICT;
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
, barren INTEGER NOT NULL DEFAULT 0, on_topic INTEGER NOT NULL DEFAULT 0, worth REAL NOT NULL DEFAULT 0) STRICT;
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
, open_fields INTEGER NOT NULL DEFAULT 0, is_first INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE UNIQUE INDEX forms_known ON forms (run, form_id);
CREATE TABLE pages (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, link INTEGER NOT NULL, url TEXT NOT NULL, site TEXT NOT NULL,
    status INTEGER NOT NULL, title TEXT NOT NULL, language TEXT, p_topic REAL NOT NULL,
    fingerprint INTEGER NOT NULL, depth INTEGER NOT NULL, parent INTEGER, redirects TEXT NOT NULL,
    at_request INTEGER NOT NULL, validator TEXT, note TEXT
) STRICT;
CREATE INDEX pages_of_run ON pages (run);
CREATE TABLE submission (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, topic TEXT NOT NULL,
    form_id TEXT NOT NULL, page_url TEXT NOT NULL, method TEXT NOT NULL, url TEXT NOT NULL,
    body TEXT NOT NULL, purpose TEXT NOT NULL, status INTEGER, failure TEXT
, harvest INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TRIGGER submission_is_kept BEFORE DELETE ON submission
BEGIN SELECT RAISE(ABORT, 'the audit log is never deleted'); END;
CREATE INDEX forms_of_site ON forms (run, site, p_relevant);
CREATE TABLE lessons (
    n INTEGER PRIMARY KEY,
    run INTEGER NOT NULL, at_request INTEGER NOT NULL, at_page INTEGER NOT NULL, lesson TEXT NOT NULL
) STRICT;
CREATE INDEX lessons_of_run ON lessons (run);
CREATE TABLE backlinks (
    run INTEGER NOT NULL, site TEXT NOT NULL, target INTEGER NOT NULL, source INTEGER NOT NULL,
    PRIMARY KEY (run, site, target, source)
) STRICT, WITHOUT ROWID;
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
, next TEXT NOT NULL DEFAULT '[]') STRICT;
CREATE TABLE readers (harvest INTEGER PRIMARY KEY, saved BLOB NOT NULL) STRICT;
CREATE TABLE queries (
    n INTEGER PRIMARY KEY,
    harvest INTEGER NOT NULL, number INTEGER NOT NULL, words TEXT NOT NULL, query TEXT NOT NULL,
    kind TEXT NOT NULL, total TEXT, found INTEGER NOT NULL, new INTEGER NOT NULL, pages INTEGER NOT NULL,
    requests INTEGER NOT NULL, ending TEXT NOT NULL, at INTEGER NOT NULL, hits BLOB NOT NULL
, next BLOB) STRICT;
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
CREATE UNIQUE INDEX submission_known ON submission (run, harvest, seq);
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
CREATE INDEX forms_of_topic ON forms (form_id, topic, run, also_on,
    falling_relevant, falling_searchable, is_first, site, language, method, open_fields);
