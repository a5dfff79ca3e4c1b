//! Views for people. They have the columns and values of `hadal forms --all`, `sites`, `runs`, `harvests`, `queries`,
//! `records`, `submissions` and `log`, so that SQL tools and exports agree. Flags are 0 or 1. Structured values are JSON text.

/// SQL that creates the views of `hadal.db`.
pub fn create_views() -> String {
    views().iter().map(|(name, query)| format!("CREATE VIEW {name} AS {query};\n")).collect()
}

/// SQL that replaces the views of an earlier format.
pub fn replace_views() -> String {
    let drop = |(name, _): &(&str, String)| format!("DROP VIEW IF EXISTS {name};\n");
    views().iter().map(drop).collect::<String>() + &create_views()
}

fn views() -> [(&'static str, String); 8] {
    [
        ("forms_view", forms()),
        ("sites_view", sites()),
        ("runs_view", runs()),
        ("harvests_view", harvests()),
        ("queries_view", queries()),
        ("records_view", records()),
        ("submissions_view", submissions()),
        ("failures_view", failures()),
    ]
}

/// SQL that creates the view of `notes.db`.
pub fn create_notes_view() -> String {
    format!("CREATE VIEW IF NOT EXISTS submissions_view AS {};", submissions())
}

fn forms() -> String {
    let (p_searchable, p_relevant) = (rounded("p_searchable"), rounded("p_relevant"));
    let checked_at = optional_timestamp("form_checks.at");
    format!(
        "SELECT form_id, topic, site, page_url, action, method, fields, kind, {p_searchable} AS p_searchable,
             {p_relevant} AS p_relevant, found_at_request, depth,
             (SELECT sum(also_on) FROM forms AS same
              WHERE same.form_id = forms.form_id AND same.topic = forms.topic) AS also_on, source,
             language, evidence, form_checks.state AS state, {checked_at} AS checked_at
         FROM forms LEFT JOIN form_checks USING (form_id) WHERE is_first"
    )
}

fn sites() -> String {
    let best = rounded("best");
    format!(
        "SELECT site, topic, pages, forms, searchable, relevant, {best} AS best,
             pages_since_searchable AS dry, closed
         FROM sites JOIN runs ON runs.id = sites.run WHERE pages > 0 OR closed"
    )
}

fn runs() -> String {
    let (seed, last_at) = (unsigned("seed"), timestamp("now"));
    format!(
        "SELECT id AS run, topic, strategy, state, source, {seed} AS seed, seeds, requests, bytes, pages, failed,
             sites, searchable AS forms_searchable, relevant AS forms_relevant, waiting AS frontier,
             elapsed_ms / 1000.0 AS elapsed_s, {last_at} AS last_at
         FROM runs JOIN progress ON progress.run = runs.id"
    )
}

fn harvests() -> String {
    let (seed, refreshed_at) = (unsigned("seed"), optional_timestamp(&of_refresh("began")));
    let size = interval("size_low", "size", "size_high");
    let coverage = interval("coverage_low", "coverage", "coverage_high");
    format!(
        "SELECT id AS harvest, form_id, site, topic, page_url, policy, source, {seed} AS seed, requests, bytes,
             queries, pages, failed, records, {size} AS size, {coverage} AS coverage, state, ending,
             elapsed_ms / 1000.0 AS elapsed_s,
             {} AS size_estimate, {} AS size_low, {} AS size_high,
             {} AS coverage_estimate, {} AS coverage_low, {} AS coverage_high,
             {refreshed_at} AS refreshed_at, {} AS last_new, {} AS last_changed, {} AS last_removed
         FROM harvests JOIN harvest_progress ON harvest = id",
        finite("size"),
        finite("size_low"),
        finite("size_high"),
        finite("coverage"),
        finite("coverage_low"),
        finite("coverage_high"),
        of_refresh("new"),
        of_refresh("changed"),
        of_refresh("removed")
    )
}

fn queries() -> String {
    let asked_at = timestamp("at");
    format!(
        "SELECT harvest, number, form_id, query_text AS query, kind,
             (SELECT value FROM json_each(total)) AS total,
             (SELECT key = 'About' FROM json_each(total)) AS total_is_round, found, new, pages, requests,
             CASE ending WHEN 'Last' THEN 'last' WHEN 'LeftOff' THEN 'left off' ELSE 'failed' END AS \"end\",
             {asked_at} AS asked_at, rechecks, changes
         FROM queries JOIN harvests ON id = harvest"
    )
}

/// Values of a field name that occurs more than once are joined, in the order of the record.
fn records() -> String {
    let fetched_at = timestamp("fetched_at");
    let seen_at = timestamp("coalesce(seen_at, fetched_at)");
    let (changed_at, removed_at) = (optional_timestamp("changed_at"), optional_timestamp("removed_at"));
    format!(
        "SELECT printf('%016x', records.id) AS record_id, form_id, url, title, text,
             (SELECT json_group_object(field.name, (
                  SELECT group_concat(joined.value, '; ') FROM (
                      SELECT json_extract(pair.value, '$[1]') AS value FROM json_each(records.fields) AS pair
                      WHERE json_extract(pair.value, '$[0]') = field.name ORDER BY pair.key) AS joined))
              FROM (SELECT json_extract(first.value, '$[0]') AS name FROM json_each(records.fields) AS first
                    WHERE NOT EXISTS (SELECT 1 FROM json_each(records.fields) AS earlier
                        WHERE earlier.key < first.key
                            AND json_extract(earlier.value, '$[0]') = json_extract(first.value, '$[0]'))
                    ORDER BY first.key) AS field) AS fields,
             query_text AS query, position, {fetched_at} AS fetched_at, harvest, detail,
             {seen_at} AS seen_at, {changed_at} AS changed_at, {removed_at} AS removed_at
         FROM records JOIN harvests ON harvests.id = harvest"
    )
}

fn failures() -> String {
    let time = timestamp("at");
    format!("SELECT run, {time} AS time, host, url, kind AS failure, times, given_up FROM failures")
}

fn submissions() -> String {
    let time = timestamp("at");
    format!(
        "SELECT nullif(run, 0) AS run, seq, {time} AS time, topic, form_id, page_url, method, url, body, purpose,
             coalesce(CAST(status AS TEXT), failure, '') AS answer, nullif(harvest, 0) AS harvest
         FROM submission"
    )
}

/// A time in milliseconds as RFC 3339 text. Times after the year 9999 are cut to it, as in exports.
fn timestamp(column: &str) -> String {
    const LAST: u64 = 253_402_300_799_000;
    let cut = format!("iif({column} < 0, {LAST}, min({column}, {LAST}))");
    format!("strftime('%Y-%m-%dT%H:%M:%fZ', {cut} / 1000.0, 'unixepoch')")
}

/// A time that may be missing.
fn optional_timestamp(column: &str) -> String {
    format!("iif({column} IS NULL, NULL, {})", timestamp(column))
}

/// A counter of the last refresh.
fn of_refresh(name: &str) -> String {
    format!("json_extract(refresh, '$.{name}')")
}

/// A real number, rounded to four decimals as in exports.
fn rounded(column: &str) -> String {
    format!("round({column} * 10000.0) / 10000.0")
}

/// An unsigned 64-bit number, as text if it is too large for SQLite.
fn unsigned(column: &str) -> String {
    format!("iif({column} < 0, printf('%u', {column}), {column})")
}

/// A rounded number; null if it is infinite.
fn finite(column: &str) -> String {
    format!("iif(abs({column}) < 9e999, {}, NULL)", rounded(column))
}

/// An interval as JSON; null before the first estimate. An infinite bound is null.
fn interval(low: &str, estimate: &str, high: &str) -> String {
    let (low, high, bounded) = (finite(low), finite(high), finite(estimate));
    format!("iif({estimate} IS NULL, NULL, json_object('estimate', {bounded}, 'low', {low}, 'high', {high}))")
}
