//! Expressions of the views of a store in a folder.

use super::super::views::{LAST_TIMESTAMP, SqlDialect};

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
