//! Records in memory: all titles and texts in two long strings, attributes in columns.
//!
//! A million records cost what their letters cost and a few words each.

mod cars;
pub(super) mod column;
mod generate;
mod jsonl;
mod vocabulary;

pub use cars::generate_cars;
pub use column::Column;
pub use generate::{CollectionSpec, Script};
pub use jsonl::CollectionError;

/// What a database holds.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    ids: StringTable,
    titles: StringTable,
    texts: StringTable,
    columns: Vec<Column>,
    skipped: u32,
    is_unspaced: bool,
}

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'c> {
    /// What its makers call it.
    pub id: &'c str,
    /// Its title.
    pub title: &'c str,
    /// What is said about it.
    pub text: &'c str,
}

/// Attributes beyond these are left out: nobody offers more in a form.
const MOST_COLUMNS: usize = 40;

impl Collection {
    /// How many records there are.
    pub fn len(&self) -> u32 {
        self.titles.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A record by its number, from 0.
    pub fn record(&self, number: u32) -> Option<Record<'_>> {
        let (id, title, text) = (self.ids.get(number)?, self.titles.get(number)?, self.texts.get(number)?);
        Some(Record { id, title, text })
    }

    /// A record's attributes, those it has.
    pub fn fields(&self, number: u32) -> impl Iterator<Item = (&str, &str)> {
        self.columns.iter().filter_map(move |column| Some((column.name(), column.text_of(number)?)))
    }

    /// The attributes.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// An attribute and its position.
    pub fn column(&self, name: &str) -> Option<(usize, &Column)> {
        self.columns.iter().enumerate().find(|(_, column)| column.name() == name)
    }

    /// Lines that were no record.
    pub fn skipped(&self) -> u32 {
        self.skipped
    }

    /// Whether some of its words are written without spaces between them.
    pub fn is_unspaced(&self) -> bool {
        self.is_unspaced
    }

    /// Adds a record; empty values are no values.
    pub fn push<'v>(&mut self, record: Record<'_>, fields: impl IntoIterator<Item = (&'v str, &'v str)>) {
        let number = self.len();
        let unspaced = |text: &str| text.chars().any(hadal_core::text::words::is_unspaced);
        self.is_unspaced = self.is_unspaced || unspaced(record.title) || unspaced(record.text);
        self.ids.push(record.id);
        self.titles.push(record.title);
        self.texts.push(record.text);
        for (name, value) in fields {
            if let Some(column) = self.column_for(name) {
                column.set(number, value);
            }
        }
    }

    /// The attribute of a name, added if it is new and there is room.
    fn column_for(&mut self, name: &str) -> Option<&mut Column> {
        let known = self.columns.iter().position(|column| column.name() == name);
        if known.is_none() && self.columns.len() < MOST_COLUMNS {
            self.columns.push(Column::named(name));
            return self.columns.last_mut();
        }
        known.map(|at| &mut self.columns[at])
    }

    pub(super) fn skip(&mut self) {
        self.skipped += 1;
    }
}

/// Many strings in one.
#[derive(Clone, Debug, Default)]
struct StringTable {
    all: String,
    ends: Vec<u64>,
}

impl StringTable {
    fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    fn push(&mut self, text: &str) {
        self.all.push_str(text);
        self.ends.push(self.all.len() as u64);
    }

    fn get(&self, number: u32) -> Option<&str> {
        let end = *self.ends.get(number as usize)? as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize] as usize);
        Some(&self.all[start..end])
    }
}
