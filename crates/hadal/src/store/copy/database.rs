//! Tables of a store in PostgreSQL.

use super::super::postgres::PostgresStore;
use super::super::postgres::tables::{Command, Value, free_text, hash, plain_text, record_words};
use super::super::{Access, NUMBERS_OF_STEPS, Store, StoreError};
use super::layout::{ColumnKind, CopiedRow, CopiedValue, TABLES, TableLayout};
use super::{CopiedTables, ROWS_AT_ONCE, TakeRows};

/// Tables of a store in PostgreSQL.
pub struct DatabaseTables {
    store: PostgresStore,
}

impl DatabaseTables {
    /// Begins the transaction of a copy: one that reads a single state of the source, or writes the target.
    pub fn new(store: PostgresStore, access: Access) -> Result<DatabaseTables, StoreError> {
        let begin = match access {
            Access::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Access::Crawl => "BEGIN",
        };
        store.script(begin)?;
        Ok(DatabaseTables { store })
    }
}

impl CopiedTables for DatabaseTables {
    fn read(&self, table: &TableLayout, take: TakeRows<'_>) -> Result<(), StoreError> {
        // Each cursor has a name of its own, since a statement keeps the types of its columns.
        let cursor = format!("copied_{}", table.name);
        self.store.script(&format!("DECLARE {cursor} NO SCROLL CURSOR FOR {}", selection(table)))?;
        let kinds: Vec<ColumnKind> = table.columns().iter().map(|(_, kind)| *kind).collect();
        loop {
            let sql = format!("FETCH {ROWS_AT_ONCE} FROM {cursor}").into();
            let rows =
                self.store.fetch(Command { sql, values: Vec::new() }, |row| copied_row(row, &kinds))?;
            if rows.is_empty() {
                break;
            }
            take(rows)?;
        }
        self.store.script(&format!("CLOSE {cursor}"))
    }

    fn write(&self, table: &TableLayout, rows: Vec<CopiedRow>) -> Result<(), StoreError> {
        self.store.fetch(insertion(table, &rows), |_| Ok(())).map(|_| ())
    }

    fn finish(&self) -> Result<(), StoreError> {
        for (table, column) in TABLES.iter().filter_map(|table| Some((table.table, table.numbered?))) {
            self.store.script(&format!(
                "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column})) FROM {table}"
            ))?;
        }
        self.store.script(&format!(
            "SELECT setval('question_number', max(seq % {NUMBERS_OF_STEPS})) FROM submission WHERE {}",
            logged_at_once()
        ))?;
        self.store.script("COMMIT")
    }

    fn store(&self) -> &dyn Store {
        &self.store
    }
}

/// Condition of submissions that no step committed.
fn logged_at_once() -> String {
    format!("(run = 0 AND harvest = 0 OR seq >= {NUMBERS_OF_STEPS})")
}

fn selection(table: &TableLayout) -> String {
    let columns = table.columns();
    let of_table = |(name, kind): &(&str, ColumnKind)| match (table.name, *name, kind) {
        ("links", "host", _) => "hosts.host".to_string(),
        (_, name, ColumnKind::Number) => format!("{}.{name}::bigint", table.table),
        (_, name, ColumnKind::Flag) => format!("{}.{name}::integer::bigint", table.table),
        (_, name, ColumnKind::Real) => format!("{}.{name}::float8", table.table),
        (_, name, _) => format!("{}.{name}", table.table),
    };
    let columns = columns.iter().map(of_table).collect::<Vec<_>>().join(", ");
    let joined = match table.name {
        "links" => "JOIN hosts ON hosts.run = links.run AND hosts.id = links.host".to_string(),
        "submission" => format!("WHERE NOT {}", logged_at_once()),
        "questions" => format!("WHERE {}", logged_at_once()),
        _ => String::new(),
    };
    let order: Vec<String> = table.order.split(", ").map(|name| format!("{}.{name}", table.table)).collect();
    format!("SELECT {columns} FROM {} {joined} ORDER BY {}", table.table, order.join(", "))
}

fn copied_row(row: &tokio_postgres::Row, kinds: &[ColumnKind]) -> Result<CopiedRow, tokio_postgres::Error> {
    let value = |(at, kind): (usize, &ColumnKind)| {
        let found = match kind {
            ColumnKind::Number | ColumnKind::Flag => {
                row.try_get::<_, Option<i64>>(at)?.map(CopiedValue::Number)
            }
            ColumnKind::Real => row.try_get::<_, Option<f64>>(at)?.map(CopiedValue::Real),
            ColumnKind::Text => row.try_get::<_, Option<String>>(at)?.map(CopiedValue::Text),
            ColumnKind::FreeText => {
                row.try_get::<_, Option<String>>(at)?.map(|text| CopiedValue::Text(plain_text(text)))
            }
            ColumnKind::Bytes => row.try_get::<_, Option<Vec<u8>>>(at)?.map(CopiedValue::Bytes),
        };
        Ok(found.unwrap_or(CopiedValue::Null))
    };
    kinds.iter().enumerate().map(value).collect()
}

/// Statement that adds rows: one list of values per column, and the columns that only PostgreSQL has.
fn insertion(table: &TableLayout, rows: &[CopiedRow]) -> Command {
    let mut given: Vec<(String, &str, &str)> = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    for (at, (name, kind)) in table.columns().into_iter().enumerate() {
        let written = match (table.name, name, kind) {
            ("links", "host", _) => format!("new.{name}"),
            ("links", "score", _) => "coalesce(new.score, 'NaN')".to_string(),
            (_, _, ColumnKind::Flag) => format!("new.{name} <> 0"),
            _ => format!("new.{name}"),
        };
        let is_host = table.name == "links" && name == "host";
        let (list, values_type) = if is_host { (hashes(rows, at), "bigint[]") } else { list(rows, at, kind) };
        given.push((written, name, values_type));
        values.push(list);
    }
    for (name, written, list, values_type) in derived(table, rows) {
        given.push((written.to_string(), name, values_type));
        values.push(list);
    }
    let names = given.iter().map(|(_, name, _)| *name).collect::<Vec<_>>().join(", ");
    let written = given.iter().map(|(written, ..)| written.as_str()).collect::<Vec<_>>().join(", ");
    let numbers = given.iter().enumerate();
    let lists = numbers.map(|(at, (.., kind))| format!("${}::{kind}", at + 1)).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "INSERT INTO {} ({names}) OVERRIDING SYSTEM VALUE SELECT {written} FROM unnest({lists}) AS new ({names})",
        table.table
    );
    Command { sql: sql.into(), values }
}

/// Columns that only PostgreSQL has: name, expression, values and their type.
fn derived(
    table: &TableLayout,
    rows: &[CopiedRow],
) -> Vec<(&'static str, &'static str, Value, &'static str)> {
    let column =
        |wanted: &str| table.columns().iter().position(|(name, _)| *name == wanted).unwrap_or_default();
    match table.name {
        "hosts" => vec![("id", "new.id", hashes(rows, column("host")), "bigint[]")],
        "failures" => vec![("url_id", "new.url_id", hashes(rows, column("url")), "bigint[]")],
        "records" => {
            let (title, text, detail) = (column("title"), column("text"), column("detail"));
            let words =
                |row: &CopiedRow| record_words([plain(&row[title]), plain(&row[text]), plain(&row[detail])]);
            let words: Vec<String> = rows.iter().map(words).collect();
            vec![("words", "array_to_tsvector(string_to_array(new.words, ' '))", Box::new(words), "text[]")]
        }
        _ => Vec::new(),
    }
}

fn plain(value: &CopiedValue) -> &str {
    match value {
        CopiedValue::Text(text) => text,
        _ => "",
    }
}

/// Hashes of the texts in a column.
fn hashes(rows: &[CopiedRow], at: usize) -> Value {
    Box::new(rows.iter().map(|row| hash(plain(&row[at]))).collect::<Vec<i64>>())
}

/// Values of a column, and their type.
fn list(rows: &[CopiedRow], at: usize, kind: ColumnKind) -> (Value, &'static str) {
    fn all<T: tokio_postgres::types::ToSql + Send + Sync + 'static>(
        rows: &[CopiedRow],
        at: usize,
        read: impl Fn(&CopiedValue) -> Option<T>,
    ) -> Value
    where
        Vec<Option<T>>: tokio_postgres::types::ToSql,
    {
        Box::new(rows.iter().map(|row| read(&row[at])).collect::<Vec<Option<T>>>())
    }
    let number = |value: &CopiedValue| match value {
        CopiedValue::Number(number) => Some(*number),
        _ => None,
    };
    let real = |value: &CopiedValue| match value {
        CopiedValue::Real(number) => Some(*number),
        CopiedValue::Number(number) => Some(*number as f64),
        _ => None,
    };
    let text = |value: &CopiedValue| match value {
        CopiedValue::Text(text) => Some(text.clone()),
        _ => None,
    };
    let bytes = |value: &CopiedValue| match value {
        CopiedValue::Bytes(bytes) => Some(bytes.clone()),
        _ => None,
    };
    match kind {
        ColumnKind::Number | ColumnKind::Flag => (all(rows, at, number), "bigint[]"),
        ColumnKind::Real => (all(rows, at, real), "float8[]"),
        ColumnKind::Text => (all(rows, at, text), "text[]"),
        ColumnKind::FreeText => (all(rows, at, |value| text(value).map(|text| free_text(&text))), "text[]"),
        ColumnKind::Bytes => (all(rows, at, bytes), "bytea[]"),
    }
}
