//! Rows as a Parquet file: typed nullable columns, zstd, row groups of bounded size.
//!
//! Parquet stores columns, listings produce rows: rows are collected, transposed and written in groups.

use super::listing::{Cell, CellKind, Column};
use super::writer::RowWriter;
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

/// Rows per row group. Guess.
const GROUP: usize = 20_000;

/// Writes a Parquet file.
pub struct Parquet<W: Write + Send> {
    columns: &'static [Column],
    held: Vec<Vec<Cell>>,
    file: SerializedFileWriter<W>,
}

impl<W: Write + Send> Parquet<W> {
    /// Starts a file with these columns.
    pub fn new(columns: &'static [Column], out: W) -> io::Result<Self> {
        let compression = Compression::ZSTD(ZstdLevel::default());
        let properties = WriterProperties::builder().set_compression(compression).build();
        let file = SerializedFileWriter::new(out, Arc::new(schema(columns)?), Arc::new(properties))?;
        Ok(Parquet { columns, held: Vec::new(), file })
    }

    fn write_group(&mut self) -> Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for (index, column) in self.columns.iter().enumerate() {
            let mut writer = group.next_column()?.expect("the schema has one column per listed column");
            write_column(&mut writer, column.kind, self.held.iter().map(|row| &row[index]))?;
            writer.close()?;
        }
        group.close()?;
        self.held.clear();
        Ok(())
    }
}

impl<W: Write + Send> RowWriter for Parquet<W> {
    fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        self.held.push(cells.to_vec());
        if self.held.len() >= GROUP { Ok(self.write_group()?) } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.write_group()?;
        self.file.close()?;
        Ok(())
    }
}

fn schema(columns: &[Column]) -> Result<Type> {
    let fields = columns.iter().map(field).collect::<Result<Vec<_>>>()?;
    Type::group_type_builder("rows").with_fields(fields).build()
}

fn field(column: &Column) -> Result<Arc<Type>> {
    let (physical, logical) = match column.kind {
        CellKind::Text | CellKind::Word => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        CellKind::Nested | CellKind::Interval => (Physical::BYTE_ARRAY, Some(LogicalType::Json)),
        CellKind::Time => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
        CellKind::Count => (Physical::INT64, None),
        CellKind::Measure => (Physical::DOUBLE, None),
        CellKind::Flag => (Physical::BOOLEAN, None),
    };
    let builder = Type::primitive_type_builder(column.name, physical).with_repetition(Repetition::OPTIONAL);
    Ok(Arc::new(builder.with_logical_type(logical).build()?))
}

fn write_column<'a>(
    writer: &mut SerializedColumnWriter<'_>,
    kind: CellKind,
    cells: impl Iterator<Item = &'a Cell>,
) -> Result<usize> {
    let (mut there, mut known) = (Vec::new(), Vec::new());
    for cell in cells {
        let is_there = *cell != Cell::Missing;
        there.push(i16::from(is_there));
        known.extend(is_there.then_some(cell));
    }
    let there = Some(there.as_slice());
    match kind {
        CellKind::Text | CellKind::Word | CellKind::Nested | CellKind::Interval => {
            let texts: Vec<ByteArray> = known.iter().map(|cell| cell.text().into_bytes().into()).collect();
            writer.typed::<ByteArrayType>().write_batch(&texts, there, None)
        }
        CellKind::Count => {
            let count = |cell: &Cell| match cell {
                Cell::Count(count) => Some(i64::try_from(*count).unwrap_or(i64::MAX)),
                _ => None,
            };
            writer.typed::<Int64Type>().write_batch(&values(kind, &known, count)?, there, None)
        }
        CellKind::Time => {
            let time = |cell: &Cell| match cell {
                Cell::Time(time) => Some(i64::try_from(time.0).unwrap_or(i64::MAX)),
                _ => None,
            };
            writer.typed::<Int64Type>().write_batch(&values(kind, &known, time)?, there, None)
        }
        CellKind::Measure => {
            let measure = |cell: &Cell| if let Cell::Measure(measure) = cell { Some(*measure) } else { None };
            writer.typed::<DoubleType>().write_batch(&values(kind, &known, measure)?, there, None)
        }
        CellKind::Flag => {
            let flag = |cell: &Cell| if let Cell::Flag(flag) = cell { Some(*flag) } else { None };
            writer.typed::<BoolType>().write_batch(&values(kind, &known, flag)?, there, None)
        }
    }
}

/// Values of the cells of one type.
fn values<T>(kind: CellKind, cells: &[&Cell], value: impl Fn(&Cell) -> Option<T>) -> Result<Vec<T>> {
    let odd = |cell: &Cell| ParquetError::General(format!("{cell:?} is no {kind:?}"));
    cells.iter().map(|cell| value(cell).ok_or_else(|| odd(cell))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::time::Time;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    const COLUMNS: &[Column] = &[
        Column::new("site", CellKind::Text, None),
        Column::new("pages", CellKind::Count, None),
        Column::new("best", CellKind::Measure, None),
        Column::new("closed", CellKind::Flag, None),
        Column::new("fields", CellKind::Nested, None),
        Column::new("time", CellKind::Time, None),
    ];

    fn cells(pages: u64) -> Vec<Cell> {
        let nested = Cell::Nested { json: "[1]".into(), brief: "one".into() };
        vec![
            Cell::Text("bücher.example".into()),
            Cell::Count(pages),
            Cell::Measure(0.25),
            Cell::Flag(true),
            nested,
            Cell::Time(Time(1_500)),
        ]
    }

    #[test]
    fn typed_columns_come_back_from_several_row_groups() {
        let file = tempfile::tempfile().unwrap();
        let mut writer = Box::new(Parquet::new(COLUMNS, file.try_clone().unwrap()).unwrap());
        let rows = GROUP as u64 + 3;
        for pages in 0..rows {
            writer.row(&cells(pages)).unwrap();
        }
        writer.finish().unwrap();

        let reader = SerializedFileReader::new(file).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), 2);
        let last = reader.get_row_iter(None).unwrap().last().unwrap().unwrap();
        assert_eq!(last.get_string(0).unwrap(), "bücher.example");
        assert_eq!(last.get_long(1).unwrap() as u64, rows - 1);
        assert_eq!(last.get_double(2).unwrap(), 0.25);
        assert!(last.get_bool(3).unwrap());
        assert_eq!(last.get_string(4).unwrap(), "[1]");
        assert_eq!(last.get_timestamp_millis(5).unwrap(), 1_500);
    }

    #[test]
    fn missing_values_are_null() {
        let file = tempfile::tempfile().unwrap();
        let mut writer = Box::new(Parquet::new(COLUMNS, file.try_clone().unwrap()).unwrap());
        writer.row(&[const { Cell::Missing }; 6]).unwrap();
        writer.row(&cells(7)).unwrap();
        writer.finish().unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert!(rows[0].get_column_iter().all(|(_, field)| *field == parquet::record::Field::Null));
        assert_eq!(rows[1].get_long(1).unwrap(), 7);
    }

    #[test]
    fn an_empty_listing_is_still_a_parquet_file() {
        let file = tempfile::tempfile().unwrap();
        Box::new(Parquet::new(COLUMNS, file.try_clone().unwrap()).unwrap()).finish().unwrap();
        assert_eq!(SerializedFileReader::new(file).unwrap().metadata().file_metadata().num_rows(), 0);
    }
}
