//! Reads the records of answers that are data, and learns their position.
//!
//! Every list of the value is a candidate. Its score is the text of its records, times factors for addresses,
//! for distinct records, for the query's words and for lists that held records before. A list that an answer
//! without records shows as well is not a list of records.

use super::DataDocument;
use super::columns::{ColumnRoles, SAMPLED_ROWS, cell};
use super::envelope::Envelope;
use super::table::{Cell, RowSource, Table, tables};
use super::word_index::{addresses_of_rows, words_of_rows};
use crate::harvest::answer::identity::IdentityRules;
use crate::harvest::answer::pager::{NextPage, PagerKind};
use crate::harvest::answer::records::{MAX_FIELDS, MAX_TEXT_BYTES, MAX_TITLE_BYTES, RawRecord, RecordFields};
use crate::harvest::answer::{Answer, AnswerKind};
use crate::harvest::policy::StatedTotal;
use crate::harvest::query::Query;
use crate::harvest::record::{Record, RecordId};
use crate::html::{parse, truncate};
use crate::http::Request;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Records that are scored per list. Guess.
const SCORED_ROWS: usize = 100;
/// Bytes of one record that count for the score of its list. Guess.
const MAX_ROW_MASS: f64 = 1_000.0;
/// Weight of texts in nested lists of a record. Guess; a list of groups must not outweigh the list in them.
const NESTED_WEIGHT: f64 = 0.3;
/// Factor for lists of records with addresses. Guess.
const URL_FACTOR: f64 = 3.0;
/// Factor for a list that held records before. Guess.
const KNOWN_FACTOR: f64 = 5.0;
/// Factor for lists of bare texts, such as suggestions. Guess.
const TEXT_FACTOR: f64 = 0.1;
/// Score below which a list holds no records. Guess: the score of one record with a short title.
const MIN_SCORE: f64 = 3.0;
/// Records seen before the roles of columns are fixed. Guess.
const SETTLED_ROWS: usize = 20;
/// Least number of records for a value that all of them share to be left out of their text. Guess.
const MIN_COMPARED_ROWS: usize = 3;
/// Maximum number of links of the entry page that are kept. Guess.
const MAX_LINKS: usize = 3_000;
/// Maximum number of stored hashes of records in answers without results. Guess.
const MAX_EMPTY_ROWS: usize = 2_000;
/// Longest value of a field in bytes. Guess.
const MAX_FIELD_BYTES: usize = 2_000;

/// Heuristic model of the data answers of one form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DataReader {
    /// Number of records by the path of their list.
    paths: BTreeMap<String, u32>,
    roles: ColumnRoles,
    /// Number of records read so far.
    rows_seen: usize,
    identity: IdentityRules,
    /// Hashes of records in answers without results.
    empty_rows: BTreeSet<u64>,
    /// Numbers around the records in an answer without results.
    empty_numbers: Vec<(String, u64)>,
    /// Maximum number of records on one page.
    most_rows: u64,
    /// Links of the entry page.
    #[serde(skip)]
    links: Vec<Url>,
}

impl DataReader {
    /// Keeps the links of the entry page, which show how addresses of records are made.
    pub fn add_links<'l>(&mut self, links: impl Iterator<Item = &'l Url>) {
        self.links = links.take(MAX_LINKS).cloned().collect();
    }

    /// Learns from the answer to a query that matches nothing.
    pub fn add_empty_answer(&mut self, data: &DataDocument) {
        for table in tables(&data.value) {
            let rows = table.rows.iter().take(SCORED_ROWS).map(|row| row_hash(&table.path, &row.cells()));
            self.empty_rows.extend(rows.take(MAX_EMPTY_ROWS - self.empty_rows.len().min(MAX_EMPTY_ROWS)));
        }
        self.empty_numbers = Envelope::of(&data.value, "").numbers();
    }

    /// Reads an answer. `sent` is its request, and `is_first` is true for the first page.
    pub fn read(&mut self, data: &DataDocument, sent: &Request, query: &Query, is_first: bool) -> Answer {
        let found = self.find_table(&data.value, query).filter(|_| data.status < 400);
        let path = found.as_ref().map(|table| table.path.clone()).unwrap_or_default();
        let envelope = Envelope::of(&data.value, &path);
        let Some(table) = found else {
            return Answer::without_records(kind_without_records(data, &envelope));
        };
        let rows = table.rows.len() as u64;
        self.most_rows = self.most_rows.max(rows);
        let total = data.total.map(StatedTotal::Exactly);
        let total = total.or_else(|| envelope.total(if is_first { rows } else { 0 }, &self.empty_numbers));
        let next = match data.next.clone() {
            Some(url) => {
                let request = Request { body_limit: sent.body_limit, ..Request::get(url) };
                Some(NextPage { request, kind: PagerKind::Declared })
            }
            None => envelope.next_page(sent, rows, self.most_rows, total.map(StatedTotal::count)),
        };
        let records = self.records(&table, data, query);
        *self.paths.entry(path).or_default() += table.rows.len() as u32;
        Answer { records, next, total, ..Answer::without_records(AnswerKind::Results) }
    }

    /// List with the best score. Once records are known, another list counts only if theirs is missing and it has the
    /// query's words or, for a query without words, the columns of known records.
    fn find_table<'v>(&self, value: &'v Value, query: &Query) -> Option<Table<'v>> {
        let scored = tables(value).into_iter().map(|table| (self.score(&table, query), table));
        let scored = scored.filter(|(score, _)| *score >= MIN_SCORE);
        let (_, best) = scored.reduce(|kept, next| if next.0 > kept.0 { next } else { kept })?;
        let is_known = self.paths.is_empty() || self.paths.contains_key(&best.path);
        let fits = || if query.words.is_empty() { self.fits(&best) } else { matches_words(&best, query) };
        let is_usable = is_known || !self.is_present(value) && fits();
        is_usable.then_some(best)
    }

    /// True if most records of a list have the columns that name known records. Some interfaces list all records
    /// under another key than the results of a search.
    fn fits(&self, table: &Table<'_>) -> bool {
        let has = |cells: &[Cell<'_>], column: &Option<String>| {
            column.as_ref().is_some_and(|column| cell(cells, column).is_some())
        };
        let names = self.roles.url.is_some() || self.roles.id.is_some();
        let sample = table.rows.iter().take(SCORED_ROWS).map(RowSource::cells);
        let fitting = sample.filter(|cells| self.roles.fit(cells) && has(cells, &self.roles.title)).count();
        names && fitting * 2 > table.rows.len().min(SCORED_ROWS)
    }

    /// True if a list of known records is there, even without records.
    fn is_present(&self, value: &Value) -> bool {
        self.paths.keys().any(|path| at_path(value, path).is_some())
    }

    fn score(&self, table: &Table<'_>, query: &Query) -> f64 {
        let sample: Vec<Vec<Cell<'_>>> = table.rows.iter().take(SCORED_ROWS).map(RowSource::cells).collect();
        let hashes: Vec<u64> = sample.iter().map(|cells| row_hash(&table.path, cells)).collect();
        let distinct: FxHashSet<&u64> = hashes.iter().collect();
        let new = distinct.iter().filter(|hash| !self.empty_rows.contains(hash)).count() as f64;
        let mass: f64 = sample.iter().map(|cells| row_mass(cells)).sum();
        let scale = table.rows.len() as f64 / sample.len().max(1) as f64;
        let has_url =
            sample.iter().flatten().any(|cell| cell.is_text && !cell.is_nested && is_url(&cell.value));
        let is_text = matches!(table.rows.first(), Some(RowSource::Item(_, Value::String(text))) if !text.contains('<'));
        let is_known = self.paths.contains_key(&table.path);
        let factor = |holds: bool, factor: f64| if holds { factor } else { 1.0 };
        mass * scale * new / sample.len().max(1) as f64
            * factor(has_url, URL_FACTOR)
            * factor(is_text, TEXT_FACTOR)
            * factor(is_known, KNOWN_FACTOR)
            * (1.0 + matching_share(&sample, query))
    }

    fn records(&mut self, table: &Table<'_>, data: &DataDocument, query: &Query) -> Vec<Record> {
        let rows: Vec<Vec<Cell<'_>>> = table.rows.iter().map(RowSource::cells).collect();
        self.learn_roles(&rows, &data.url);
        let constant = constant_columns(&rows);
        let words = words_of_rows(&table.rows);
        let has_address = self.roles.url.is_some() || self.roles.rule.is_some();
        let addresses = if has_address { Vec::new() } else { addresses_of_rows(&data.value, &table.rows) };
        let raw: Vec<(RawRecord, Option<String>)> = rows
            .iter()
            .enumerate()
            .map(|(nth, cells)| {
                let words = words.get(nth).map(String::as_str).unwrap_or_default();
                let mut raw = self.raw_record(cells, &constant, words, &data.url);
                raw.url = raw.url.or_else(|| data.url.join(addresses.get(nth)?).ok());
                (raw, self.own_id(cells, table.rows[nth].key()))
            })
            .collect();
        self.identify(merged(raw), query)
    }

    fn learn_roles(&mut self, rows: &[Vec<Cell<'_>>], base: &Url) {
        let fitting = rows.iter().filter(|cells| self.roles.fit(cells)).count();
        if self.rows_seen < SETTLED_ROWS || fitting * 2 < rows.len() {
            let sample = &rows[..rows.len().min(SAMPLED_ROWS)];
            self.roles = ColumnRoles::of(sample, base, &self.links);
        }
        self.rows_seen += rows.len();
    }

    /// Identity that the record itself names: its id, or its key in an object of records.
    fn own_id(&self, cells: &[Cell<'_>], key: Option<&str>) -> Option<String> {
        let id = self.roles.id.as_ref().and_then(|column| cell(cells, column));
        id.or(key).map(str::to_string)
    }

    /// Record without its id. The text begins with the title and leaves out addresses and values that all records
    /// share.
    fn raw_record(
        &self,
        cells: &[Cell<'_>],
        constant: &FxHashSet<&str>,
        words: &str,
        base: &Url,
    ) -> RawRecord {
        let mut url = self.roles.address(cells, base);
        let (mut title, mut text, mut pairs) = (String::new(), String::new(), Vec::new());
        for cell in cells {
            let (plain, link) = plain_text(&cell.value, base);
            url = url.or(link.filter(|_| self.roles.url.is_none()));
            if self.roles.title.as_deref() == Some(cell.column.as_str()) {
                title = truncate(&plain, MAX_TITLE_BYTES).to_string();
            } else if cell.is_text
                && !is_url(plain.split(' ').next().unwrap_or_default())
                && !constant.contains(cell.column.as_str())
                && text.len() < MAX_TEXT_BYTES
            {
                text.push_str(&plain);
                text.push(' ');
            }
            if pairs.len() < MAX_FIELDS {
                pairs.push((cell.column.clone(), truncate(&plain, MAX_FIELD_BYTES).to_string()));
            }
        }
        if title.is_empty() {
            title = truncate(text.lines().next().unwrap_or_default().trim(), MAX_TITLE_BYTES).to_string();
        } else {
            text = format!("{title} {text}");
        }
        text.push_str(words);
        let text = truncate(text.trim(), MAX_TEXT_BYTES).to_string();
        let marked = pairs.len();
        RawRecord { url, title, text, fields: RecordFields { pairs, marked } }
    }

    /// Gives records their ids: the address, or else the identity that they name, or else their text.
    fn identify(&mut self, raw: Vec<(RawRecord, Option<String>)>, query: &Query) -> Vec<Record> {
        let (raw, own): (Vec<RawRecord>, Vec<Option<String>>) = raw.into_iter().unzip();
        self.identity.learn(&raw, query);
        let ids = self.identity.ids_of(&raw);
        let mut seen = FxHashSet::default();
        let records = raw.into_iter().zip(ids).zip(own).map(|((raw, id), own)| {
            let own = own
                .filter(|_| raw.url.is_none())
                .map(|own| RecordId(xxh3_64(format!("id {own}").as_bytes())));
            let RawRecord { url, title, text, fields } = raw;
            Record { id: own.unwrap_or(id), url, title, text, fields: fields.pairs }
        });
        records.filter(|record| seen.insert(record.id)).collect()
    }
}

/// Columns with the same value in all of at least [`MIN_COMPARED_ROWS`] records.
fn constant_columns<'c>(rows: &'c [Vec<Cell<'_>>]) -> FxHashSet<&'c str> {
    let Some(first) = rows.first().filter(|_| rows.len() >= MIN_COMPARED_ROWS) else {
        return FxHashSet::default();
    };
    let is_constant =
        |one: &&Cell<'_>| rows.iter().all(|cells| cell(cells, &one.column) == Some(one.value.as_ref()));
    first.iter().filter(is_constant).map(|one| one.column.as_str()).collect()
}

/// Joins the parts of one page: records with addresses that differ in the fragment only.
fn merged(raw: Vec<(RawRecord, Option<String>)>) -> Vec<(RawRecord, Option<String>)> {
    let mut by_page: FxHashMap<String, usize> = FxHashMap::default();
    let mut merged: Vec<(RawRecord, Option<String>)> = Vec::with_capacity(raw.len());
    for (mut record, own) in raw {
        let Some(url) = &mut record.url else {
            merged.push((record, own));
            continue;
        };
        let has_fragment = url.fragment().is_some_and(|fragment| !fragment.starts_with(['/', '!']));
        if has_fragment {
            url.set_fragment(None);
        }
        match by_page.get(url.as_str()).copied() {
            Some(at) => merged[at].0.add(record),
            None => {
                by_page.insert(url.to_string(), merged.len());
                merged.push((record, own));
            }
        }
    }
    merged
}

impl RawRecord {
    /// Adds the text of another part of the same page.
    fn add(&mut self, part: RawRecord) {
        if self.text.len() < MAX_TEXT_BYTES && !self.text.contains(&part.text) {
            self.text = truncate(&format!("{} {}", self.text, part.text), MAX_TEXT_BYTES).to_string();
        }
    }
}

fn kind_without_records(data: &DataDocument, envelope: &Envelope<'_>) -> AnswerKind {
    match data.status {
        429 => AnswerKind::RateLimited,
        401 => AnswerKind::LoginWall,
        404 | 410 => AnswerKind::Nothing,
        400.. => AnswerKind::Error,
        _ if envelope.has_error() => AnswerKind::Error,
        _ => AnswerKind::Nothing,
    }
}

/// Text of a value and its first link, if the value is HTML.
fn plain_text(value: &str, base: &Url) -> (String, Option<Url>) {
    let is_markup = value
        .find('<')
        .is_some_and(|at| value[at + 1..].starts_with(|c: char| c.is_alphabetic() || c == '/'));
    let has_entity = value.find('&').is_some_and(|at| value[at..].contains(';'));
    if !is_markup && (!has_entity || is_url(value)) {
        return (value.trim().to_string(), None);
    }
    let page = parse(value.as_bytes(), Some("text/html; charset=utf-8"), base);
    (page.text.trim().to_string(), page.links.into_iter().next().map(|link| link.url))
}

fn is_url(value: &str) -> bool {
    let value = value.trim();
    (value.starts_with("http://") || value.starts_with("https://") || value.starts_with('/'))
        && !value.contains(char::is_whitespace)
        || value.ends_with(".html") && !value.contains(' ')
}

/// Weighted length of a record's text in bytes, at most [`MAX_ROW_MASS`]: texts count fully, texts of nested lists
/// [`NESTED_WEIGHT`] times, and a number counts as half a byte.
fn row_mass(cells: &[Cell<'_>]) -> f64 {
    let mass = |cell: &Cell<'_>| match (cell.is_text, cell.is_nested) {
        (true, false) => cell.value.len() as f64,
        (true, true) => cell.value.len() as f64 * NESTED_WEIGHT,
        (false, _) => 0.5,
    };
    cells.iter().map(mass).sum::<f64>().min(MAX_ROW_MASS)
}

fn row_hash(path: &str, cells: &[Cell<'_>]) -> u64 {
    let text: Vec<&str> = cells.iter().filter(|cell| cell.is_text).map(|cell| cell.value.as_ref()).collect();
    xxh3_64(format!("{path} {}", text.join("\n")).as_bytes())
}

/// Share of the records that contain a word of the query.
fn matching_share(sample: &[Vec<Cell<'_>>], query: &Query) -> f64 {
    let words: Vec<String> = query.words.split_whitespace().map(str::to_lowercase).collect();
    let has_word = |cell: &Cell<'_>| {
        let text = cell.value.to_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    let matching = sample.iter().filter(|cells| cells.iter().any(has_word)).count();
    matching as f64 / sample.len().max(1) as f64
}

fn matches_words(table: &Table<'_>, query: &Query) -> bool {
    let sample: Vec<Vec<Cell<'_>>> = table.rows.iter().take(SCORED_ROWS).map(RowSource::cells).collect();
    matching_share(&sample, query) >= 0.5
}

/// Value at the path of a list; `None` if a key is missing.
fn at_path<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let keys = path.trim_end_matches(['{', '}', '|']).split('.').skip(1);
    keys.into_iter().try_fold(value, |value, key| {
        let value = match value {
            Value::Array(items) => items.first()?,
            other => other,
        };
        value.get(key.trim_end_matches("[]").trim_end_matches("{}"))
    })
}
