//! Larger databases with a search form, result pages and detail pages, on hosts of their own.
//!
//! A query takes this path:
//!
//! 1. A [`Collection`] holds the records. It is read from a JSON Lines file or generated ([`CollectionSpec`],
//!    [`generate_cars`]).
//! 2. [`Database::new`] indexes the words of the records as the [`DatabaseConfig`] demands.
//! 3. [`Database::search`] finds the records that match a [`SearchQuery`], ranks them and cuts the list.
//! 4. [`Database::respond`] does the same over HTTP: forms, result pages and detail pages in the [`Layout`] of the
//!    configuration.
//! 5. [`DatabaseHosts`] gives databases host names and makes them part of a [`World`](crate::World);
//!    [`DatabaseList`] describes them in a file.
//!
//! # Example
//!
//! ```
//! use hadal_world::database::{CollectionSpec, Database, DatabaseConfig, SearchQuery};
//! use std::sync::Arc;
//!
//! // 500 generated records behind a form that shows at most 50 of them per query, ten per page.
//! let records = Arc::new(CollectionSpec { records: 500, ..CollectionSpec::default() }.generate());
//! let config = DatabaseConfig { result_cap: Some(50), ..DatabaseConfig::default() };
//! let database = Database::new(records, config);
//!
//! let result = database.search(&SearchQuery::words("the"));
//! assert_eq!(result.hits.len(), 10);
//! assert!(result.total > 50 && result.is_capped);
//!
//! // The same over HTTP: fetch the home page, submit its form, and map links back to record numbers.
//! use hadal_core::http::Request;
//! use hadal_core::page::FieldKind;
//! use hadal_core::submission::{FilledForm, submission};
//! use hadal_core::time::Time;
//!
//! let home: url::Url = "http://books.example/".parse()?;
//! let response = database.respond(&Request::get(home.clone()), Time(0));
//! let page = hadal_core::html::parse(&response.body, None, &home);
//! let form = &page.forms[0];
//! let text_box = form.fields.iter().position(|field| field.kind == FieldKind::Text).expect("a text box");
//! let request = submission(form, &FilledForm::of(text_box, "the"), "utf-8");
//! let response = database.respond(&request, Time(0));
//! let results = hadal_core::html::parse(&response.body, None, &request.url);
//! let shown: Vec<u32> = results.links.iter().filter_map(|link| database.record_at(&link.url)).collect();
//! assert_eq!(shown, result.hits);
//! # Ok::<(), url::ParseError>(())
//! ```

mod collection;
mod config;
mod hosts;
mod layout;
mod list;
mod presets;
mod query;
pub(crate) mod request_counter;
mod search;
mod shown;
mod site;

pub use collection::{Collection, CollectionError, CollectionSpec, Column, Record, Script, generate_cars};
pub use config::{
    ControlKind, DatabaseConfig, EmptyQuery, Excerpt, Fault, FilterControl, IndexedText, QueryOperator,
    Ranking, SingleHit, StopWords, TotalShown, UnspacedTerms, WordMatch,
};
pub use hosts::DatabaseHosts;
pub use layout::{
    Arrangement, ExtraParameters, HomeContent, Layout, PageHabits, PageSizes, Pager, RecordAddress,
    SiteLanguage,
};
pub use list::{ConfigSource, DatabaseEntry, DatabaseList, DatabaseListError, RecordSource};
pub use presets::Preset;
pub use query::{Filter, SearchQuery, SearchResult};

use request_counter::RequestCounter;
use search::index::{Index, IndexOptions};
use search::matching::term_groups;
use search::ranking::{ResultOrder, ScoredRecords};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Columns with the date of a record; the first one that a collection has is used.
const DATE_COLUMNS: [&str; 5] = ["date", "posted", "published", "added", "year"];

/// Searchable collection with a site of its own.
pub struct Database {
    collection: Arc<Collection>,
    index: Arc<Index>,
    config: DatabaseConfig,
    counter: Mutex<RequestCounter>,
}

impl Database {
    /// Indexes a collection.
    pub fn new(collection: Arc<Collection>, config: DatabaseConfig) -> Database {
        let index = Arc::new(Index::build(&collection, IndexOptions::of(&config, &collection)));
        Database { collection, index, config: config.clamped(), counter: Mutex::default() }
    }

    /// Database with the same records, another configuration and reset request counters. Shares the index if the
    /// configurations agree on indexing; ranking, cap, page size and layout do not matter for it.
    pub fn with_config(&self, config: DatabaseConfig) -> Database {
        let (collection, options) = (self.collection.clone(), IndexOptions::of(&config, &self.collection));
        let index = match self.index.options == options {
            true => self.index.clone(),
            false => Arc::new(Index::build(&collection, options)),
        };
        Database { collection, index, config: config.clamped(), counter: Mutex::default() }
    }

    /// Records of this database.
    pub fn collection(&self) -> &Arc<Collection> {
        &self.collection
    }

    /// Configuration of this database.
    pub fn config(&self) -> &DatabaseConfig {
        &self.config
    }

    /// One page of the results of a query. Faults show in [`Database::respond`] only.
    pub fn search(&self, query: &SearchQuery) -> SearchResult {
        let size = query.page_size.unwrap_or(self.config.page_size) as usize;
        let from = (query.page as usize).saturating_mul(size);
        self.slice(query, from..from.saturating_add(size))
    }

    /// All pages of the results of a query in one.
    pub fn search_all(&self, query: &SearchQuery) -> SearchResult {
        self.slice(query, 0..usize::MAX)
    }

    fn slice(&self, query: &SearchQuery, page: Range<usize>) -> SearchResult {
        let matches = self.matches(query);
        let total = matches.len() as u32;
        let shown = self.config.result_cap.map_or(matches.len(), |cap| matches.len().min(cap as usize));
        let (from, to) = (page.start.min(shown), page.end.min(shown));
        let mut hits = self.order().first(matches, to);
        hits.drain(..from.min(hits.len()));
        SearchResult { hits, total, is_capped: shown < total as usize }
    }

    fn order(&self) -> ResultOrder<'_> {
        let dates =
            DATE_COLUMNS.iter().find_map(|name| self.collection.column(name)).map(|(_, column)| column);
        ResultOrder { ranking: self.config.ranking, seed: self.config.seed, dates }
    }

    /// All records that match a query, by record number.
    fn matches(&self, query: &SearchQuery) -> ScoredRecords {
        let has_words = !query.words.trim().is_empty();
        if !has_words && query.filters.is_empty() && self.config.empty_query != EmptyQuery::Everything {
            return Vec::new();
        }
        let mut matches = match has_words {
            true => self.word_matches(&query.words),
            false => (0..self.collection.len()).map(|record| (record, 0.0)).collect(),
        };
        self.apply_filters(&mut matches, &query.filters);
        matches
    }

    fn word_matches(&self, words: &str) -> ScoredRecords {
        let groups = self.term_groups(words);
        let found = groups.iter().map(|group| self.index.matches(group, self.config.word_match)).collect();
        self.index.combine(found, self.config.operator)
    }

    /// True if all words of a query are too short or stop words, so that nothing is searched.
    fn ignores_all(&self, words: &str) -> bool {
        !words.trim().is_empty() && self.term_groups(words).is_empty()
    }

    fn term_groups(&self, words: &str) -> Vec<Vec<String>> {
        term_groups(words, self.index.options.analysis, self.index.joiner.as_ref(), &self.config)
    }
}

#[cfg(test)]
mod tests;
