//! Hidden databases that harvests are measured on: records, config of searching, pages, and the truth.
//!
//! Follow a question through the module:
//!
//! 1. a [`Collection`] is read from a file (`jsonl`) or generated (`generate`, `cars`);
//! 2. `index` lays it out for search after `analysis` of its words, as the [`DatabaseConfig`] want it;
//! 3. an [`SearchQuery`] question becomes sets of records (`matching`), narrowed by attributes (`narrowing`),
//!    put in order (`ranking`) and cut: [`Database::search`];
//! 4. `site` does the same for people: forms, lists of results, pages of records, in many a [`Layout`]:
//!    [`Database::respond`];
//! 5. a [`DatabaseHosts`] gives databases host names, so that they are part of a world.

mod collection;
mod config;
mod filters;
mod hosts;
mod layout;
mod list;
mod misconduct;
mod presets;
mod query;
mod request_counter;
mod search;
mod site;
mod varied;

pub use collection::{Collection, CollectionError, CollectionSpec, Column, Record, Script, generate_cars};
pub use config::{
    ControlKind, DatabaseConfig, EmptyQuery, Excerpt, FilterControl, IndexedText, QueryOperator, Ranking,
    SingleHit, StopWords, TotalShown, WordMatch,
};
pub use hosts::DatabaseHosts;
pub use layout::{Arrangement, ExtraParameters, Layout, Pager, RecordAddress, SiteLanguage};
pub use list::{ConfigSource, DatabaseEntry, DatabaseList, DatabaseListError, RecordSource};
pub use misconduct::Fault;
pub use query::{Filter, SearchQuery, SearchResult};

use request_counter::RequestCounter;
use search::index::{Index, IndexOptions};
use search::matching::groups;
use search::ranking::{ResultOrder, Scored};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Attributes that say when a record was made, the first that a collection has.
const DATES: [&str; 5] = ["date", "posted", "published", "added", "year"];

/// A collection that can be searched, and its site.
pub struct Database {
    collection: Arc<Collection>,
    index: Arc<Index>,
    config: DatabaseConfig,
    traffic: Mutex<RequestCounter>,
}

impl Database {
    /// Lays out a collection for search.
    pub fn new(collection: Arc<Collection>, config: DatabaseConfig) -> Database {
        let index = Arc::new(Index::build(&collection, IndexOptions::of(&config, &collection)));
        Database { collection, index, config: config.settled(), traffic: Mutex::default() }
    }

    /// The same records with other config, and nobody has asked yet. The index is shared where the config
    /// allow it: ranks, caps, page sizes and looks need no other one.
    pub fn with_config(&self, config: DatabaseConfig) -> Database {
        let (collection, making) = (self.collection.clone(), IndexOptions::of(&config, &self.collection));
        let index = match self.index.making == making {
            true => self.index.clone(),
            false => Arc::new(Index::build(&collection, making)),
        };
        Database { collection, index, config: config.settled(), traffic: Mutex::default() }
    }

    /// What it holds.
    pub fn collection(&self) -> &Arc<Collection> {
        &self.collection
    }

    /// How it searches and answers.
    pub fn config(&self) -> &DatabaseConfig {
        &self.config
    }

    /// One page of the answer to a question. Fault shows only in [`Database::respond`].
    pub fn search(&self, asked: &SearchQuery) -> SearchResult {
        let size = self.config.page_size as usize;
        let from = (asked.page as usize).saturating_mul(size);
        self.slice(asked, from..from.saturating_add(size))
    }

    /// All that turning pages would bring up, in one.
    pub fn search_all(&self, asked: &SearchQuery) -> SearchResult {
        self.slice(asked, 0..usize::MAX)
    }

    fn slice(&self, asked: &SearchQuery, page: Range<usize>) -> SearchResult {
        let fit = self.fit(asked);
        let total = fit.len() as u32;
        let shown = self.config.result_cap.map_or(fit.len(), |cap| fit.len().min(cap as usize));
        let (from, upto) = (page.start.min(shown), page.end.min(shown));
        let mut hits = self.order().first(fit, upto);
        hits.drain(..from.min(hits.len()));
        SearchResult { hits, total, is_capped: shown < total as usize }
    }

    fn order(&self) -> ResultOrder<'_> {
        let dates = DATES.iter().find_map(|name| self.collection.column(name)).map(|(_, column)| column);
        ResultOrder { rank: self.config.ranking, seed: self.config.seed, dates }
    }

    /// Every record that fits a question.
    fn fit(&self, asked: &SearchQuery) -> Scored {
        let is_wordless = asked.words.trim().is_empty();
        if is_wordless && asked.filters.is_empty() && self.config.empty_query != EmptyQuery::Everything {
            return Vec::new();
        }
        let mut fit = match is_wordless {
            true => (0..self.collection.len()).map(|record| (record, 0.0)).collect(),
            false => self.with_words(&asked.words),
        };
        self.narrow(&mut fit, &asked.filters);
        fit
    }

    fn with_words(&self, words: &str) -> Scored {
        let groups = groups(words, self.index.making.analysis, &self.config);
        let found = groups.iter().map(|group| self.index.matches(group, self.config.word_match)).collect();
        self.index.join(found, self.config.operator)
    }

    /// Whether nothing of what was typed is ever searched: words that are too short or say nothing.
    fn passes_over(&self, words: &str) -> bool {
        !words.trim().is_empty() && groups(words, self.index.making.analysis, &self.config).is_empty()
    }
}

#[cfg(test)]
mod tests;
