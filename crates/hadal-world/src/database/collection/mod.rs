//! Records in memory: ids, titles and texts in three long strings, other attributes in columns.
//!
//! A record needs the bytes of its text and a few words of memory.

mod cars;
pub(super) mod column;
mod generate;
mod jsonl;
mod vocabulary;

pub use cars::generate_cars;
pub use column::Column;
pub use generate::{CollectionSpec, Script};
pub use jsonl::CollectionError;

/// Records of a database.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    ids: StringTable,
    titles: StringTable,
    texts: StringTable,
    columns: Vec<Column>,
    skipped: u32,
    is_unspaced: bool,
}

/// Record of a collection, without its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'c> {
    /// Identifier given by the source of the records.
    pub id: &'c str,
    /// Title; may be empty.
    pub title: &'c str,
    /// Text; may be empty.
    pub text: &'c str,
}

/// Maximum number of columns of a collection; further attributes are dropped. Guess.
const MAX_COLUMNS: usize = 40;

/// Records with a detected language. Guess.
const LANGUAGE_SAMPLE: u32 = 60;

impl Collection {
    /// Number of records.
    pub fn len(&self) -> u32 {
        self.titles.len()
    }

    /// True if there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Record by number, from 0.
    pub fn record(&self, number: u32) -> Option<Record<'_>> {
        let (id, title, text) = (self.ids.get(number)?, self.titles.get(number)?, self.texts.get(number)?);
        Some(Record { id, title, text })
    }

    /// Names and values of the columns that have a value for a record.
    pub fn fields(&self, number: u32) -> impl Iterator<Item = (&str, &str)> {
        self.columns.iter().filter_map(move |column| Some((column.name(), column.text_of(number)?)))
    }

    /// Columns of the collection, in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Column by name, and its index.
    pub fn column(&self, name: &str) -> Option<(usize, &Column)> {
        self.columns.iter().enumerate().find(|(_, column)| column.name() == name)
    }

    /// Number of lines of the source file that were not records.
    pub fn skipped(&self) -> u32 {
        self.skipped
    }

    /// True if a record contains text in a script without spaces, such as Chinese.
    pub fn is_unspaced(&self) -> bool {
        self.is_unspaced
    }

    /// ISO 639-1 code of the language of most texts, as detected from a sample; `None` if detection is not reliable.
    pub fn language(&self) -> Option<&'static str> {
        let step = (self.len() / LANGUAGE_SAMPLE).max(1);
        let records = (0..self.len()).step_by(step as usize).filter_map(|number| self.record(number));
        let mut votes: Vec<(&'static str, u32)> = Vec::new();
        for record in records {
            let text = format!("{} {}", record.title, record.text);
            let Some(code) = hadal_core::html::detect_language(&text) else { continue };
            match votes.iter_mut().find(|(known, _)| *known == code) {
                Some((_, count)) => *count += 1,
                None => votes.push((code, 1)),
            }
        }
        votes.into_iter().max_by_key(|(_, count)| *count).map(|(code, _)| code)
    }

    /// Adds a record with the values of its columns. Empty values are dropped.
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

    /// Column by name, added if there are fewer than [`MAX_COLUMNS`].
    fn column_for(&mut self, name: &str) -> Option<&mut Column> {
        let known = self.columns.iter().position(|column| column.name() == name);
        if known.is_none() && self.columns.len() < MAX_COLUMNS {
            self.columns.push(Column::named(name));
            return self.columns.last_mut();
        }
        known.map(|at| &mut self.columns[at])
    }

    pub(super) fn skip(&mut self) {
        self.skipped += 1;
    }
}

/// Strings stored in one buffer, by number.
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
