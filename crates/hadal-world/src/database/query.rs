//! Queries, filters and results, independent of any page.

use super::Database;
use super::collection::{Collection, Column};
use super::search::ranking::ScoredRecords;

/// Query to a database.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchQuery {
    /// Text of the search box.
    pub words: String,
    /// Conditions that a record must satisfy in addition to the words.
    pub filters: Vec<Filter>,
    /// Number of the result page, from 0.
    pub page: u32,
    /// Records per page, if the query sets it.
    pub page_size: Option<u32>,
}

impl SearchQuery {
    /// Query for words, first page.
    pub fn words(words: &str) -> SearchQuery {
        SearchQuery { words: words.to_string(), ..SearchQuery::default() }
    }

    /// The same query for another result page.
    pub fn with_page(self, page: u32) -> SearchQuery {
        SearchQuery { page, ..self }
    }

    /// The same query with one more filter.
    pub fn with_filter(mut self, filter: Filter) -> SearchQuery {
        self.filters.push(filter);
        self
    }
}

/// Condition on a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// The column has this value.
    Is {
        /// Name of the column.
        column: String,
        /// Value as in the records.
        value: String,
    },
    /// The number or date of the column is in this range, ends included.
    Between {
        /// Name of the column.
        column: String,
        /// Least value; unbounded if `None`.
        low: Option<f64>,
        /// Greatest value; unbounded if `None`.
        high: Option<f64>,
    },
    /// The title begins with this letter in either case.
    Begins(char),
}

impl Filter {
    /// Filter for one value of a column.
    pub fn is(column: &str, value: &str) -> Filter {
        Filter::Is { column: column.to_string(), value: value.to_string() }
    }

    /// Filter for a range of a column, ends included.
    pub fn between(column: &str, low: Option<f64>, high: Option<f64>) -> Filter {
        Filter::Between { column: column.to_string(), low, high }
    }
}

/// One page of the results of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// Numbers of the records on the requested page, best first.
    pub hits: Vec<u32>,
    /// Number of records that match, including those beyond the result cap.
    pub total: u32,
    /// True if the result cap hides some matches.
    pub is_capped: bool,
}

/// Filter with its column looked up.
enum ResolvedFilter<'d> {
    Is(&'d Column, Option<u32>),
    Between(&'d Column, f64, f64),
    Begins(&'d Collection, char),
}

impl ResolvedFilter<'_> {
    fn accepts(&self, record: u32) -> bool {
        match self {
            ResolvedFilter::Is(column, value) => value.is_some() && column.value_of(record) == *value,
            ResolvedFilter::Between(column, low, high) => {
                column.number_of(record).is_some_and(|number| (*low..=*high).contains(&number))
            }
            ResolvedFilter::Begins(collection, letter) => {
                let title = collection.record(record).map_or("", |record| record.title);
                title.chars().find(|c| c.is_alphanumeric()).is_some_and(|first| same_letter(first, *letter))
            }
        }
    }
}

impl Database {
    /// Keeps the records that satisfy all filters. A filter on an unknown column rejects every record.
    pub(super) fn apply_filters(&self, matches: &mut ScoredRecords, filters: &[Filter]) {
        let resolved: Vec<Option<ResolvedFilter<'_>>> =
            filters.iter().map(|filter| self.resolve(filter)).collect();
        if resolved.is_empty() {
            return;
        }
        let accepts = |record: u32| {
            resolved.iter().all(|filter| filter.as_ref().is_some_and(|filter| filter.accepts(record)))
        };
        matches.retain(|(record, _)| accepts(*record));
    }

    fn resolve(&self, filter: &Filter) -> Option<ResolvedFilter<'_>> {
        let column = |name: &str| self.collection.column(name).map(|(_, column)| column);
        Some(match filter {
            Filter::Is { column: name, value } => {
                let column = column(name)?;
                ResolvedFilter::Is(column, column.find(value))
            }
            Filter::Between { column: name, low, high } => {
                let (low, high) = (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
                ResolvedFilter::Between(column(name)?, low, high)
            }
            Filter::Begins(letter) => ResolvedFilter::Begins(&self.collection, *letter),
        })
    }
}

fn same_letter(one: char, other: char) -> bool {
    one == other || one.to_lowercase().eq(other.to_lowercase())
}
