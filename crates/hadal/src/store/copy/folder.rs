//! Tables of a store in a folder.

use super::super::sqlite::SqliteStore;
use super::super::{CrawlStore, Store, StoreError};
use super::layout::{ColumnKind, CopiedRow, CopiedValue, TableLayout};
use super::{CopiedTables, ROWS_AT_ONCE, TakeRows};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};

/// Tables of a store in a folder, and of the annotations beside it.
pub struct FolderTables {
    store: SqliteStore,
}

impl FolderTables {
    pub fn new(store: SqliteStore) -> FolderTables {
        FolderTables { store }
    }

    /// Runs `work` on the database that holds a table. `None` if users wrote nothing yet.
    fn with<T>(
        &self,
        table: &TableLayout,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        match table.is_user_data {
            true => self.store.read_annotations(work),
            false => self.store.with(work).map(Some),
        }
    }
}

impl CopiedTables for FolderTables {
    fn read(&self, table: &TableLayout, take: TakeRows<'_>) -> Result<(), StoreError> {
        let mut failed = None;
        self.with(table, |db| {
            let kinds: Vec<ColumnKind> = table.columns().iter().map(|(_, kind)| *kind).collect();
            let mut statement = db.prepare(&selection(table))?;
            let mut rows = statement.query([])?;
            let mut some = Vec::with_capacity(ROWS_AT_ONCE);
            while let Some(row) = rows.next()? {
                some.push(copied_row(row, &kinds)?);
                if some.len() == ROWS_AT_ONCE {
                    failed = take(std::mem::take(&mut some)).err();
                }
                if failed.is_some() {
                    return Ok(());
                }
            }
            if !some.is_empty() {
                failed = take(some).err();
            }
            Ok(())
        })?;
        failed.map_or(Ok(()), Err)
    }

    fn write(&self, table: &TableLayout, rows: Vec<CopiedRow>) -> Result<(), StoreError> {
        let columns = table.columns();
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let place = |(at, name): (usize, &&str)| match (table.name, *name) {
            ("links", "host") => {
                format!("(SELECT n FROM hosts WHERE hosts.run = ?1 AND hosts.host = ?{})", at + 1)
            }
            _ => format!("?{}", at + 1),
        };
        let places: Vec<String> = names.iter().enumerate().map(place).collect();
        let sql =
            format!("INSERT INTO {} ({}) VALUES ({})", table.table, names.join(", "), places.join(", "));
        let insert = |db: &Connection| {
            let mut statement = db.prepare_cached(&sql)?;
            rows.into_iter().try_for_each(|row| {
                statement.execute(params_from_iter(row.into_iter().map(stored))).map(|_| ())
            })
        };
        match table.is_user_data {
            true => self.store.write_annotations(insert),
            false => self.store.write_rows(insert),
        }
    }

    fn finish(&self) -> Result<(), StoreError> {
        self.store.index_words()?;
        self.store.sync()
    }

    fn store(&self) -> &dyn Store {
        &self.store
    }
}

fn selection(table: &TableLayout) -> String {
    let columns = table.columns();
    let of_table = |(name, _): &(&str, ColumnKind)| match (table.name, *name) {
        ("links", "host") => "hosts.host".to_string(),
        (_, name) => format!("{}.{name}", table.table),
    };
    let columns = columns.iter().map(of_table).collect::<Vec<_>>().join(", ");
    let joined = if table.name == "links" { "JOIN hosts ON hosts.n = links.host" } else { "" };
    let order: Vec<String> = table.order.split(", ").map(|name| format!("{}.{name}", table.table)).collect();
    format!("SELECT {columns} FROM {} {joined} ORDER BY {}", table.table, order.join(", "))
}

fn copied_row(row: &Row<'_>, kinds: &[ColumnKind]) -> rusqlite::Result<CopiedRow> {
    let value = |(at, kind): (usize, &ColumnKind)| {
        Ok(match (row.get_ref(at)?, kind) {
            (ValueRef::Null, _) => CopiedValue::Null,
            (ValueRef::Integer(number), ColumnKind::Real) => CopiedValue::Real(number as f64),
            (ValueRef::Integer(number), _) => CopiedValue::Number(number),
            (ValueRef::Real(number), _) => CopiedValue::Real(number),
            (ValueRef::Blob(bytes), _) => CopiedValue::Bytes(bytes.to_vec()),
            (ValueRef::Text(_), _) => CopiedValue::Text(row.get(at)?),
        })
    };
    kinds.iter().enumerate().map(value).collect()
}

fn stored(value: CopiedValue) -> Value {
    match value {
        CopiedValue::Null => Value::Null,
        CopiedValue::Number(number) => Value::Integer(number),
        CopiedValue::Real(number) => Value::Real(number),
        CopiedValue::Text(text) => Value::Text(text),
        CopiedValue::Bytes(bytes) => Value::Blob(bytes),
    }
}
