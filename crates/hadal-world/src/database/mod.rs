//! Hidden databases that harvests are measured on: records, habits of searching, pages, and the truth.
//!
//! Follow a question through the module:
//!
//! 1. a [`Collection`] is read from a file (`jsonl`) or generated (`generate`, `cars`);
//! 2. `index` lays it out for search after `analysis` of its words, as the [`Habits`] want it;
//! 3. an [`Asked`] question becomes sets of records (`matching`), narrowed by attributes (`narrowing`),
//!    put in order (`ranking`) and cut: [`Database::search`];
//! 4. `site` does the same for people: forms, lists of results, pages of records, in many a [`Layout`]:
//!    [`Database::respond`];
//! 5. a [`Library`] gives databases host names, so that they are part of a world.

mod analysis;
mod asked;
mod cars;
mod catalogue;
mod collection;
mod column;
mod generate;
mod habits;
mod index;
mod jsonl;
mod layout;
mod library;
mod matching;
mod misconduct;
mod narrowing;
mod presets;
mod ranking;
mod site;
mod tokens;
mod traffic;
mod varied;
mod vocabulary;

pub use asked::{Asked, Choice, Found};
pub use cars::cars;
pub use catalogue::{Catalogue, CatalogueError, Conduct, Entry, Source};
pub use collection::{Collection, Record};
pub use column::Column;
pub use generate::{Recipe, Script};
pub use habits::{
    Control, ControlKind, EmptyQuery, Excerpt, Habits, Indexed, Matching, Rank, SingleHit, StopWords,
    TotalShown, WordMatch,
};
pub use jsonl::CollectionError;
pub use layout::{Address, Arrangement, Clutter, Language, Layout, Pager};
pub use library::Library;
pub use misconduct::Misconduct;

use index::{Index, Making};
use matching::groups;
use ranking::{Order, Scored};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use traffic::Traffic;

/// Attributes that say when a record was made, the first that a collection has.
const DATES: [&str; 5] = ["date", "posted", "published", "added", "year"];

/// A collection that can be searched, and its site.
pub struct Database {
    collection: Arc<Collection>,
    index: Arc<Index>,
    habits: Habits,
    traffic: Mutex<Traffic>,
}

impl Database {
    /// Lays out a collection for search.
    pub fn new(collection: Arc<Collection>, habits: Habits) -> Database {
        let index = Arc::new(Index::build(&collection, Making::of(&habits, &collection)));
        Database { collection, index, habits: habits.settled(), traffic: Mutex::default() }
    }

    /// The same records with other habits, and nobody has asked yet. The index is shared where the habits
    /// allow it: ranks, caps, page sizes and looks need no other one.
    pub fn with(&self, habits: Habits) -> Database {
        let (collection, making) = (self.collection.clone(), Making::of(&habits, &self.collection));
        let index = match self.index.making == making {
            true => self.index.clone(),
            false => Arc::new(Index::build(&collection, making)),
        };
        Database { collection, index, habits: habits.settled(), traffic: Mutex::default() }
    }

    /// What it holds.
    pub fn collection(&self) -> &Arc<Collection> {
        &self.collection
    }

    /// How it searches and answers.
    pub fn habits(&self) -> &Habits {
        &self.habits
    }

    /// One page of the answer to a question. Misconduct shows only in [`Database::respond`].
    pub fn search(&self, asked: &Asked) -> Found {
        let size = self.habits.page_size as usize;
        let from = (asked.page as usize).saturating_mul(size);
        self.slice(asked, from..from.saturating_add(size))
    }

    /// All that turning pages would bring up, in one.
    pub fn everything(&self, asked: &Asked) -> Found {
        self.slice(asked, 0..usize::MAX)
    }

    fn slice(&self, asked: &Asked, page: Range<usize>) -> Found {
        let fit = self.fit(asked);
        let total = fit.len() as u32;
        let shown = self.habits.cap.map_or(fit.len(), |cap| fit.len().min(cap as usize));
        let (from, upto) = (page.start.min(shown), page.end.min(shown));
        let mut hits = self.order().first(fit, upto);
        hits.drain(..from.min(hits.len()));
        Found { hits, total, is_capped: shown < total as usize }
    }

    fn order(&self) -> Order<'_> {
        let dates = DATES.iter().find_map(|name| self.collection.column(name)).map(|(_, column)| column);
        Order { rank: self.habits.rank, seed: self.habits.seed, dates }
    }

    /// Every record that fits a question.
    fn fit(&self, asked: &Asked) -> Scored {
        let is_wordless = asked.words.trim().is_empty();
        if is_wordless && asked.choices.is_empty() && self.habits.empty_query != EmptyQuery::Everything {
            return Vec::new();
        }
        let mut fit = match is_wordless {
            true => (0..self.collection.len()).map(|record| (record, 0.0)).collect(),
            false => self.with_words(&asked.words),
        };
        self.narrow(&mut fit, &asked.choices);
        fit
    }

    fn with_words(&self, words: &str) -> Scored {
        let groups = groups(words, self.index.making.analysis, &self.habits);
        let found = groups.iter().map(|group| self.index.matches(group, self.habits.words)).collect();
        self.index.join(found, self.habits.matching)
    }

    /// Whether nothing of what was typed is ever searched: words that are too short or say nothing.
    fn passes_over(&self, words: &str) -> bool {
        !words.trim().is_empty() && groups(words, self.index.making.analysis, &self.habits).is_empty()
    }
}

#[cfg(test)]
mod tests;
