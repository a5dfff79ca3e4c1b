//! Tables and views, and their creation. `docs/postgres.md` describes the differences from a store in a folder.
//!
//! The schema has a format number of its own in the table `hadal_store`. The first process that opens a database of an
//! earlier format migrates it, in one transaction.

use super::super::views::{LAST_TIMESTAMP, SqlDialect};
use super::connection::{ServerConnection, command};
use super::fault::Fault;

/// SQL that leads from each format to the next. The SQL of a step is frozen. Views are replaced after every step.
const STEPS: [&str; 4] = [TABLES, SHARED_RUNS, TAKE_OVERS, HEADS];

/// Number of the advisory lock that admits one creation or migration at a time: "hadl" in ASCII.
const SCHEMA_LOCK: i64 = 0x6861_646c;

/// State of a database.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// The database holds no store.
    Nothing,
    /// The store has the current format.
    Current,
    /// The store has an earlier format.
    Earlier,
    /// The store has this later format.
    Later(u32),
}

/// Highest format that this version reads, and the one that it writes.
pub const FORMAT: u32 = STEPS.len() as u32;

/// Looks for a store in the database.
pub fn find(connection: &ServerConnection) -> Result<Found, Fault> {
    let rows = connection.query(command!("SELECT to_regclass('hadal_store') IS NOT NULL"))?;
    if rows.first().is_none_or(|row| !row.get::<_, bool>(0)) {
        return Ok(Found::Nothing);
    }
    Ok(match format(connection)? {
        0 => Found::Nothing,
        FORMAT => Found::Current,
        found if found < FORMAT => Found::Earlier,
        found => Found::Later(found),
    })
}

fn format(connection: &ServerConnection) -> Result<u32, Fault> {
    let rows = connection.query(command!("SELECT format FROM hadal_store"))?;
    let format = rows.first().map_or(0, |row| row.get::<_, i32>(0));
    u32::try_from(format).map_err(Fault::damaged)
}

/// Creates the store or migrates it to the current format.
pub fn migrate(connection: &ServerConnection) -> Result<(), Fault> {
    let created = "CREATE TABLE IF NOT EXISTS hadal_store (format integer NOT NULL)";
    connection.script(&format!("BEGIN; SELECT pg_advisory_xact_lock({SCHEMA_LOCK}); {created}"))?;
    let migrated = format(connection).and_then(|found| {
        let steps = STEPS.iter().skip(found as usize).copied().collect::<Vec<_>>().join("\n");
        let written =
            format!("DELETE FROM hadal_store; INSERT INTO hadal_store (format) VALUES ({FORMAT}); COMMIT");
        let views: String = views().map(|(name, sql)| create_view(name, &sql)).collect();
        connection.script(&format!("{steps}\n{views}\n{written}"))
    });
    migrated.or_else(|fault| {
        connection.script("ROLLBACK")?;
        Err(fault)
    })
}

fn create_view(name: &str, sql: &str) -> String {
    format!("DROP VIEW IF EXISTS {name};\nCREATE VIEW {name} AS {sql};\n")
}

/// Format 1. Names and meanings are those of a store in a folder, with these differences:
///
/// - `links.host` and `hosts.id` are a hash of the host's name, so that links are inserted without a look-up.
/// - `records.words` holds the words of a record as the whole program splits them, as lexemes without positions.
/// - `leases` lists the worker of each run and harvest. The lock itself is an advisory lock of that worker's
///   connection.
/// - `labels`, `controls` and queries of users are tables, since writers of PostgreSQL do not wait for each
///   other.
///
/// Text is compared by its bytes (collation "C"), as in every other store.
const TABLES: &str = r#"
CREATE TABLE runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text NOT NULL, strategy text NOT NULL, seeds text NOT NULL, seed bigint NOT NULL, source text NOT NULL
);
CREATE TABLE progress (
    run bigint PRIMARY KEY,
    state text NOT NULL DEFAULT 'running', next_seq bigint NOT NULL DEFAULT 0, next_order bigint NOT NULL DEFAULT 0,
    now bigint NOT NULL DEFAULT 0, generation bigint NOT NULL DEFAULT 0, elapsed_ms bigint NOT NULL DEFAULT 0,
    max_requests bigint,
    requests bigint NOT NULL DEFAULT 0, bytes bigint NOT NULL DEFAULT 0, pages bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0, sites bigint NOT NULL DEFAULT 0, forms bigint NOT NULL DEFAULT 0,
    searchable bigint NOT NULL DEFAULT 0, relevant bigint NOT NULL DEFAULT 0, waiting bigint NOT NULL DEFAULT 0,
    probes bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE TABLE strategies (run bigint PRIMARY KEY, saved bytea NOT NULL);
CREATE TABLE strategy_changes (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run bigint NOT NULL, changes bytea NOT NULL
);
CREATE INDEX strategy_changes_of_run ON strategy_changes (run, n);
CREATE TABLE errors (
    run bigint NOT NULL, kind text NOT NULL, count bigint NOT NULL, PRIMARY KEY (run, kind)
);
CREATE TABLE in_flight (
    run bigint NOT NULL, seq bigint NOT NULL, at bigint NOT NULL, target text NOT NULL, PRIMARY KEY (run, seq)
);
CREATE TABLE links (
    run bigint NOT NULL, id bigint NOT NULL, host bigint NOT NULL, queue bigint NOT NULL, arrival bigint NOT NULL,
    generation bigint NOT NULL, not_before bigint NOT NULL, score_key integer NOT NULL, score real NOT NULL,
    depth integer NOT NULL, attempts smallint NOT NULL, state text COLLATE "C" NOT NULL, url text NOT NULL,
    context bytea NOT NULL,
    PRIMARY KEY (run, id)
);
CREATE INDEX links_of_host ON links (run, host, queue, score_key, arrival) WHERE state = 'waiting';
CREATE INDEX links_of_queue ON links (run, queue, score_key, arrival) WHERE state = 'waiting';
CREATE TABLE hosts (
    run bigint NOT NULL, id bigint NOT NULL, host text COLLATE "C" NOT NULL, site text COLLATE "C" NOT NULL,
    ip text, robots text, robots_until bigint, next_at bigint, failures bigint, latency_ms bigint, requests bigint,
    address_next_at bigint, robots_validator text,
    PRIMARY KEY (run, id)
);
CREATE INDEX hosts_of_site ON hosts (run, site);
CREATE TABLE sites (
    run bigint NOT NULL, site text COLLATE "C" NOT NULL,
    pages bigint NOT NULL DEFAULT 0, forms bigint NOT NULL DEFAULT 0, searchable bigint NOT NULL DEFAULT 0,
    relevant bigint NOT NULL DEFAULT 0, pages_since_searchable bigint NOT NULL DEFAULT 0,
    closed boolean NOT NULL DEFAULT false, best real NOT NULL DEFAULT 0, probes bigint NOT NULL DEFAULT 0,
    pages_since_relevant bigint NOT NULL DEFAULT 0, on_topic bigint NOT NULL DEFAULT 0,
    bonus real NOT NULL DEFAULT 0,
    PRIMARY KEY (run, site)
);
CREATE TABLE forms (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run bigint NOT NULL, form_id text COLLATE "C" NOT NULL, topic text COLLATE "C" NOT NULL,
    site text COLLATE "C" NOT NULL, page_url text NOT NULL, action text NOT NULL, method text COLLATE "C" NOT NULL,
    fields text NOT NULL, kind text NOT NULL, p_searchable real NOT NULL, p_relevant real NOT NULL,
    found_at_request bigint NOT NULL, depth integer NOT NULL, also_on bigint NOT NULL, source text NOT NULL,
    language text COLLATE "C", evidence text NOT NULL, probe_result text, whole bytea,
    open_fields bigint NOT NULL DEFAULT 0, is_first boolean NOT NULL DEFAULT true
);
CREATE UNIQUE INDEX forms_known ON forms (run, form_id);
CREATE INDEX forms_of_site ON forms (run, site, p_relevant);
CREATE INDEX forms_of_topic ON forms (form_id, topic);
CREATE INDEX forms_by_relevance ON forms ((-p_relevant), (-p_searchable), form_id, topic);
CREATE INDEX forms_by_run ON forms (run, (-p_relevant), (-p_searchable), form_id, topic);
CREATE INDEX forms_by_topic ON forms (topic, (-p_relevant), (-p_searchable), form_id);
CREATE INDEX forms_by_site ON forms (site, (-p_relevant), (-p_searchable), form_id, topic);
CREATE TABLE pages (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run bigint NOT NULL, link bigint NOT NULL, url text NOT NULL, site text COLLATE "C" NOT NULL,
    status integer NOT NULL, title text NOT NULL, language text, p_topic real NOT NULL, fingerprint bigint NOT NULL,
    depth integer NOT NULL, parent bigint, redirects text NOT NULL, at_request bigint NOT NULL, validator text,
    note text
);
CREATE INDEX pages_of_run ON pages (run, n);
CREATE TABLE lessons (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run bigint NOT NULL, at_request bigint NOT NULL, at_page bigint NOT NULL, lesson text NOT NULL
);
CREATE INDEX lessons_of_run ON lessons (run, n);
CREATE TABLE backlinks (
    run bigint NOT NULL, site text COLLATE "C" NOT NULL, target bigint NOT NULL, source bigint NOT NULL,
    PRIMARY KEY (run, site, target, source)
);
CREATE TABLE curve (
    run bigint NOT NULL, requests bigint NOT NULL, pages bigint NOT NULL, forms bigint NOT NULL,
    searchable bigint NOT NULL, relevant bigint NOT NULL, waiting bigint NOT NULL, PRIMARY KEY (run, requests)
);
CREATE TABLE failures (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run bigint NOT NULL, host text COLLATE "C" NOT NULL, url text COLLATE "C" NOT NULL, url_id bigint NOT NULL,
    kind text NOT NULL, at bigint NOT NULL, times bigint NOT NULL, given_up boolean NOT NULL
);
CREATE UNIQUE INDEX failures_known ON failures (run, url_id);
CREATE INDEX failures_of_host ON failures (host);
CREATE TABLE submission (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run bigint NOT NULL, harvest bigint NOT NULL, seq bigint NOT NULL, at bigint NOT NULL,
    topic text COLLATE "C" NOT NULL, form_id text NOT NULL, page_url text NOT NULL, method text NOT NULL,
    url text NOT NULL, body text NOT NULL, purpose text NOT NULL, status integer, failure text
);
CREATE UNIQUE INDEX submission_known ON submission (run, harvest, seq);
CREATE SEQUENCE question_number;
CREATE FUNCTION hadal_keep_submission() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the audit log is never deleted'; END $$;
CREATE TRIGGER submission_is_kept BEFORE DELETE ON submission EXECUTE FUNCTION hadal_keep_submission();
CREATE TABLE harvests (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    form_id text COLLATE "C" NOT NULL, topic text NOT NULL, page_url text NOT NULL, policy text NOT NULL,
    seed bigint NOT NULL, source text NOT NULL, began bigint NOT NULL, whole bytea NOT NULL, site text NOT NULL
);
CREATE UNIQUE INDEX harvests_known ON harvests (form_id, policy, seed, source);
CREATE TABLE harvest_progress (
    harvest bigint PRIMARY KEY,
    state text NOT NULL, ending text, now bigint NOT NULL, elapsed_ms bigint NOT NULL DEFAULT 0,
    next_seq bigint NOT NULL DEFAULT 0, requests bigint NOT NULL DEFAULT 0, bytes bigint NOT NULL DEFAULT 0,
    queries bigint NOT NULL DEFAULT 0, pages bigint NOT NULL DEFAULT 0, records bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0, errors text NOT NULL DEFAULT '{}',
    size_low float8, size float8, size_high float8, coverage_low float8, coverage float8, coverage_high float8,
    upcoming text NOT NULL DEFAULT '[]', refresh text
) WITH (fillfactor = 50);
CREATE TABLE readers (harvest bigint PRIMARY KEY, saved bytea NOT NULL);
CREATE TABLE queries (
    harvest bigint NOT NULL, number bigint NOT NULL, query_text text NOT NULL, query text NOT NULL,
    kind text NOT NULL, total text, found bigint NOT NULL, new bigint NOT NULL, pages bigint NOT NULL,
    requests bigint NOT NULL, ending text NOT NULL, at bigint NOT NULL, hits bytea NOT NULL, next bytea,
    rechecks bigint NOT NULL DEFAULT 0, changes bigint NOT NULL DEFAULT 0, record_days float8 NOT NULL DEFAULT 0,
    PRIMARY KEY (harvest, number)
);
CREATE TABLE records (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    harvest bigint NOT NULL, id bigint NOT NULL, url text, title text NOT NULL, text text NOT NULL,
    fields text NOT NULL, query_number bigint NOT NULL, query_text text NOT NULL, position bigint NOT NULL,
    fetched_at bigint NOT NULL, detail text, seen_at bigint, changed_at bigint, removed_at bigint,
    words tsvector NOT NULL
);
CREATE UNIQUE INDEX records_known ON records (harvest, id);
CREATE INDEX records_of_harvest ON records (harvest, n);
CREATE INDEX records_of_query ON records (harvest, query_number);
CREATE INDEX records_by_words ON records USING gin (words);
CREATE TABLE harvest_curve (
    harvest bigint NOT NULL, requests bigint NOT NULL, queries bigint NOT NULL, records bigint NOT NULL,
    coverage_low float8, coverage float8, coverage_high float8, PRIMARY KEY (harvest, requests)
);
CREATE TABLE form_checks (
    form_id text COLLATE "C" PRIMARY KEY, state text NOT NULL, at bigint NOT NULL, moved_to text, validator text
);
CREATE TABLE labels (
    form_id text COLLATE "C" NOT NULL, topic text COLLATE "C" NOT NULL, label text NOT NULL, at bigint NOT NULL,
    PRIMARY KEY (form_id, topic)
);
CREATE TABLE controls (kind text NOT NULL, id bigint NOT NULL, control text NOT NULL, PRIMARY KEY (kind, id));
CREATE TABLE leases (
    kind text NOT NULL, id bigint NOT NULL, epoch bigint NOT NULL, syncs bigint NOT NULL, worker text NOT NULL,
    taken_at timestamptz NOT NULL, seen_at timestamptz NOT NULL, PRIMARY KEY (kind, id)
);
"#;

/// Format 2: runs with several workers.
///
/// - A row of `workers` is the lease of a worker. Numbers are never used again, so a number is also an epoch: a worker
///   without its row can commit nothing.
/// - `worker_counters` and `worker_errors` hold what a worker has counted since it joined. They are added to `progress`
///   and `errors` when it leaves, so that workers do not wait for each other's transactions.
/// - `inbox` holds links for the owners of their partitions, `observations` what strategies learned.
/// - `progress.lost` counts granted requests of workers that were killed. They may have been sent.
const SHARED_RUNS: &str = r#"
ALTER TABLE hosts ADD COLUMN partition smallint;
CREATE INDEX hosts_of_partition ON hosts (run, partition);
ALTER TABLE in_flight ADD COLUMN partition smallint;
ALTER TABLE progress ADD COLUMN lost bigint NOT NULL DEFAULT 0;
ALTER TABLE strategies ADD COLUMN position bigint NOT NULL DEFAULT 0;
ALTER TABLE strategies ADD COLUMN saved_at timestamptz NOT NULL DEFAULT now();
CREATE TABLE workers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run bigint NOT NULL, worker text NOT NULL,
    backend integer NOT NULL, backend_start timestamptz NOT NULL, joined_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL, expires_at timestamptz NOT NULL, syncs bigint NOT NULL DEFAULT 0,
    is_idle boolean NOT NULL DEFAULT false, request_limit bigint NOT NULL DEFAULT 0, position bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE INDEX workers_of_run ON workers (run);
CREATE TABLE worker_counters (
    worker bigint PRIMARY KEY, run bigint NOT NULL,
    requests bigint NOT NULL DEFAULT 0, bytes bigint NOT NULL DEFAULT 0, pages bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0, sites bigint NOT NULL DEFAULT 0, forms bigint NOT NULL DEFAULT 0,
    searchable bigint NOT NULL DEFAULT 0, relevant bigint NOT NULL DEFAULT 0, waiting bigint NOT NULL DEFAULT 0,
    probes bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE INDEX worker_counters_of_run ON worker_counters (run);
CREATE TABLE worker_errors (
    worker bigint NOT NULL, run bigint NOT NULL, kind text NOT NULL, count bigint NOT NULL,
    PRIMARY KEY (worker, kind)
);
CREATE TABLE partitions (
    run bigint NOT NULL, partition smallint NOT NULL, worker bigint, PRIMARY KEY (run, partition)
);
CREATE TABLE inbox (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run bigint NOT NULL, partition smallint NOT NULL,
    at timestamptz NOT NULL DEFAULT now(), link bigint NOT NULL, url text NOT NULL, depth integer NOT NULL,
    queue bigint, score real, context bytea NOT NULL
);
CREATE INDEX inbox_of_partition ON inbox (run, partition, n);
CREATE TABLE observations (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run bigint NOT NULL, worker bigint NOT NULL, visits bytea NOT NULL
);
CREATE INDEX observations_of_run ON observations (run, n);
CREATE VIEW run_counters AS
    SELECT progress.run, progress.requests + coalesce(more.requests, 0) AS requests,
        progress.bytes + coalesce(more.bytes, 0) AS bytes, progress.pages + coalesce(more.pages, 0) AS pages,
        progress.failed + coalesce(more.failed, 0) AS failed, progress.sites + coalesce(more.sites, 0) AS sites,
        progress.forms + coalesce(more.forms, 0) AS forms,
        progress.searchable + coalesce(more.searchable, 0) AS searchable,
        progress.relevant + coalesce(more.relevant, 0) AS relevant,
        progress.waiting + coalesce(more.waiting, 0) AS waiting,
        progress.probes + coalesce(more.probes, 0) AS probes
    FROM progress LEFT JOIN (
        SELECT run, sum(requests)::bigint AS requests, sum(bytes)::bigint AS bytes, sum(pages)::bigint AS pages,
            sum(failed)::bigint AS failed, sum(sites)::bigint AS sites, sum(forms)::bigint AS forms,
            sum(searchable)::bigint AS searchable, sum(relevant)::bigint AS relevant, sum(waiting)::bigint AS waiting,
            sum(probes)::bigint AS probes
        FROM worker_counters GROUP BY run) AS more USING (run);
CREATE VIEW run_errors AS
    SELECT run, kind, sum(count)::bigint AS count
    FROM (SELECT run, kind, count FROM errors UNION ALL SELECT run, kind, count FROM worker_errors) AS parts
    GROUP BY run, kind;
"#;

/// Format 3: what a worker leaves behind when it is killed, and addresses of several partitions.
///
/// - `workers.process` identifies the process on its machine, so that others there notice its end at once. `reports` counts
///   its reports, so that a repeated one publishes nothing twice.
/// - `partitions.is_abandoned`: the last owner was evicted, and may have sent requests without a record.
/// - `addresses` holds the worker that may send requests to an IP address. `free_at`: end of the pause after the last one.
///   `is_wanted`: another worker waits for it.
const TAKE_OVERS: &str = r#"
ALTER TABLE workers ADD COLUMN process text;
ALTER TABLE workers ADD COLUMN reports bigint NOT NULL DEFAULT 0;
ALTER TABLE partitions ADD COLUMN is_abandoned boolean NOT NULL DEFAULT false;
CREATE TABLE addresses (
    run bigint NOT NULL, ip text NOT NULL, worker bigint, free_at timestamptz NOT NULL DEFAULT now(),
    is_wanted boolean NOT NULL DEFAULT false, is_abandoned boolean NOT NULL DEFAULT false, PRIMARY KEY (run, ip)
) WITH (fillfactor = 50);
CREATE INDEX addresses_of_worker ON addresses (worker) WHERE worker IS NOT NULL;
"#;

/// Format 4: `workers.head_queues` and `head_scores` hold the best link of each queue that a worker may visit now or
/// soon.
const HEADS: &str = r#"
ALTER TABLE workers ADD COLUMN head_queues bigint[] NOT NULL DEFAULT '{}';
ALTER TABLE workers ADD COLUMN head_scores real[] NOT NULL DEFAULT '{}';
"#;

/// Views with the columns and values of the exports, and the workers that hold a run, a part of one, or a harvest now.
fn views() -> impl Iterator<Item = (&'static str, String)> {
    let held = super::lease::HELD_QUERY;
    let workers = format!(
        "SELECT kind, id, worker, taken_at, seen_at FROM leases
         WHERE (kind, id) IN ({held}) AND NOT (kind = 'run' AND id IN (SELECT run FROM workers))
         UNION ALL
         SELECT 'run', run, worker, joined_at, seen_at FROM workers WHERE expires_at > now()"
    );
    POSTGRES.views().into_iter().chain([("workers_view", workers)])
}

/// PostgreSQL has no text with NUL, which is replaced in the fields of records.
const POSTGRES: SqlDialect = SqlDialect {
    progress:
        "(SELECT counted.*, state, now, elapsed_ms FROM progress JOIN run_counters AS counted USING (run))
        AS progress",
    timestamp,
    unsigned: |column| {
        format!("CASE WHEN {column} < 0 THEN {column} + 18446744073709551616::numeric ELSE {column} END")
    },
    refresh_counter: |name| format!("(refresh::json->>'{name}')::bigint"),
    json_object: ("json_build_object", "::text"),
    casts: ["::float8", "::integer", "::bigint"],
    infinity: "'infinity'",
    total: [
        "(SELECT value::bigint FROM json_each_text(total::json))",
        "(SELECT (key = 'About')::integer FROM json_each_text(total::json))",
    ],
    record_id: "lpad(to_hex(records.id), 16, '0')",
    record_fields: r"(SELECT coalesce(json_object_agg(name, value ORDER BY place), '{}')::text
              FROM (SELECT pair->>0 AS name, string_agg(pair->>1, '; ' ORDER BY place) AS value, min(place) AS place
                    FROM json_array_elements(replace(fields, '\u0000', '\ufffd')::json)
                        WITH ORDINALITY AS pairs (pair, place)
                    GROUP BY pair->>0) AS named)",
};

fn timestamp(column: &str) -> String {
    let cut =
        format!("CASE WHEN {column} < 0 THEN {LAST_TIMESTAMP} ELSE least({column}, {LAST_TIMESTAMP}) END");
    format!("to_char(to_timestamp(({cut}) / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')")
}
