//! Views for users of SQL. They have the columns and values of `hadal forms --all`, `sites`, `runs`,
//! `harvests`, `queries`, `records`, `submissions` and `log`, so that SQL tools and exports agree. Flags are
//! 0 or 1. Structured values are JSON text.

/// Last millisecond of the year 9999 since 1970, the last that RFC 3339 can write. Later times are cut to it.
pub const LAST_TIMESTAMP: u64 = 253_402_300_799_000;

/// Expressions of the views that differ between SQL databases. Functions take a column or expression.
pub(super) struct SqlDialect {
    /// A time in milliseconds as RFC 3339 text.
    pub timestamp: fn(&str) -> String,
    /// An unsigned 64-bit number.
    pub unsigned: fn(&str) -> String,
    /// A counter of the last refresh, by name.
    pub refresh_counter: fn(&str) -> String,
    /// Function that makes a JSON object, and the cast of its result to text.
    pub json_object: (&'static str, &'static str),
    /// Casts to a double-precision number, an integer from a flag, and a 64-bit integer.
    pub casts: [&'static str; 3],
    /// Infinity as a literal.
    pub infinity: &'static str,
    /// Progress and counters of runs, as a table of this name.
    pub progress: &'static str,
    /// Stated total of a query and, as a flag, its rounding, from the JSON in the column `total`.
    pub total: [&'static str; 2],
    /// Id of a record as 16 hexadecimal digits.
    pub record_id: &'static str,
    /// Fields of a record as a JSON object. Values of a name that occurs more than once are joined, in the order of the
    /// record.
    pub record_fields: &'static str,
}

impl SqlDialect {
    /// Names and queries of the views.
    pub fn views(&self) -> [(&'static str, String); 8] {
        [
            ("forms_view", self.forms()),
            ("sites_view", self.sites()),
            ("runs_view", self.runs()),
            ("harvests_view", self.harvests()),
            ("queries_view", self.queries()),
            ("records_view", self.records()),
            ("submissions_view", self.submissions()),
            ("failures_view", self.failures()),
        ]
    }

    fn forms(&self) -> String {
        let (p_searchable, p_relevant) = (self.rounded("p_searchable"), self.rounded("p_relevant"));
        let checked_at = self.optional_timestamp("form_checks.at");
        let [.., integer] = self.casts;
        format!(
            "SELECT form_id, topic, site, page_url, action, method, fields, kind, {p_searchable} AS p_searchable,
                 {p_relevant} AS p_relevant, found_at_request, depth,
                 (SELECT sum(also_on){integer} FROM forms AS same
                  WHERE same.form_id = forms.form_id AND same.topic = forms.topic) AS also_on, source,
                 language, evidence, form_checks.state AS state, {checked_at} AS checked_at
             FROM forms LEFT JOIN form_checks USING (form_id) WHERE is_first"
        )
    }

    fn sites(&self) -> String {
        let (best, [_, flag, _]) = (self.rounded("best"), self.casts);
        format!(
            "SELECT site, topic, pages, forms, searchable, relevant, {best} AS best,
                 pages_since_searchable AS dry, closed{flag} AS closed
             FROM sites JOIN runs ON runs.id = sites.run WHERE pages > 0 OR closed"
        )
    }

    fn runs(&self) -> String {
        let (seed, last_at, [real, ..]) = ((self.unsigned)("seed"), (self.timestamp)("now"), self.casts);
        let progress = self.progress;
        format!(
            "SELECT id AS run, topic, strategy, state, source, {seed} AS seed, seeds, requests, bytes, pages, failed,
                 sites, searchable AS forms_searchable, relevant AS forms_relevant, waiting AS frontier,
                 elapsed_ms / 1000.0{real} AS elapsed_s, {last_at} AS last_at
             FROM runs JOIN {progress} ON progress.run = runs.id"
        )
    }

    fn harvests(&self) -> String {
        let refreshed_at = self.optional_timestamp(&(self.refresh_counter)("began"));
        let [last_new, last_changed, last_removed] = ["new", "changed", "removed"].map(self.refresh_counter);
        let (seed, [real, ..]) = ((self.unsigned)("seed"), self.casts);
        let size = self.interval("size_low", "size", "size_high");
        let coverage = self.interval("coverage_low", "coverage", "coverage_high");
        let columns = ["size", "size_low", "size_high", "coverage", "coverage_low", "coverage_high"];
        let [size_estimate, size_low, size_high, coverage_estimate, coverage_low, coverage_high] =
            columns.map(|column| self.finite(column));
        format!(
            "SELECT id AS harvest, form_id, site, topic, page_url, policy, source, {seed} AS seed, requests, bytes,
                 queries, pages, failed, records, {size} AS size, {coverage} AS coverage, state, ending,
                 elapsed_ms / 1000.0{real} AS elapsed_s, {size_estimate} AS size_estimate, {size_low} AS size_low,
                 {size_high} AS size_high, {coverage_estimate} AS coverage_estimate, {coverage_low} AS coverage_low,
                 {coverage_high} AS coverage_high, {refreshed_at} AS refreshed_at, {last_new} AS last_new,
                 {last_changed} AS last_changed, {last_removed} AS last_removed
             FROM harvests JOIN harvest_progress ON harvest = id"
        )
    }

    fn queries(&self) -> String {
        let (asked_at, [total, total_is_round]) = ((self.timestamp)("at"), self.total);
        format!(
            "SELECT harvest, number, form_id, query_text AS query, kind, {total} AS total,
                 {total_is_round} AS total_is_round, found, new, pages, requests,
                 CASE ending WHEN 'Last' THEN 'last' WHEN 'LeftOff' THEN 'left off' ELSE 'failed' END AS \"end\",
                 {asked_at} AS asked_at, rechecks, changes
             FROM queries JOIN harvests ON id = harvest"
        )
    }

    fn records(&self) -> String {
        let [fetched_at, seen_at] = ["fetched_at", "coalesce(seen_at, fetched_at)"].map(self.timestamp);
        let [changed_at, removed_at] =
            ["changed_at", "removed_at"].map(|column| self.optional_timestamp(column));
        let SqlDialect { record_id, record_fields, .. } = self;
        format!(
            "SELECT {record_id} AS record_id, form_id, url, title, text, {record_fields} AS fields,
                 query_text AS query, position, {fetched_at} AS fetched_at, harvest, detail,
                 {seen_at} AS seen_at, {changed_at} AS changed_at, {removed_at} AS removed_at
             FROM records JOIN harvests ON harvests.id = harvest"
        )
    }

    fn failures(&self) -> String {
        let (time, [_, flag, _]) = ((self.timestamp)("at"), self.casts);
        format!(
            "SELECT run, {time} AS time, host, url, kind AS failure, times, given_up{flag} AS given_up FROM failures"
        )
    }

    /// Query of the view of the audit log.
    pub fn submissions(&self) -> String {
        let time = (self.timestamp)("at");
        format!(
            "SELECT nullif(run, 0) AS run, seq, {time} AS time, topic, form_id, page_url, method, url, body, purpose,
                 coalesce(CAST(status AS TEXT), failure, '') AS answer, nullif(harvest, 0) AS harvest
             FROM submission"
        )
    }

    /// A time that may be missing.
    fn optional_timestamp(&self, column: &str) -> String {
        format!("CASE WHEN {column} IS NOT NULL THEN {} END", (self.timestamp)(column))
    }

    /// A real number, rounded to four decimals as in exports.
    fn rounded(&self, column: &str) -> String {
        let [real, ..] = self.casts;
        format!("round({column}{real} * 10000.0) / 10000.0")
    }

    /// A rounded number; null if it is infinite.
    fn finite(&self, column: &str) -> String {
        format!("CASE WHEN abs({column}) < {} THEN {} END", self.infinity, self.rounded(column))
    }

    /// An interval as JSON; null before the first estimate. An infinite bound is null.
    fn interval(&self, low: &str, estimate: &str, high: &str) -> String {
        let (low, high, bounded) = (self.finite(low), self.finite(high), self.finite(estimate));
        let (object, text) = self.json_object;
        format!(
            "CASE WHEN {estimate} IS NOT NULL THEN
                 {object}('estimate', {bounded}, 'low', {low}, 'high', {high}){text} END"
        )
    }
}
