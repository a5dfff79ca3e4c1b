//! What is found for a question, misconduct included.

use super::page::DatabasePage;
use crate::database::misconduct::Fault;
use crate::database::query::{SearchQuery, SearchResult};
use crate::random::{SeededRng, mix};

impl DatabasePage<'_> {
    /// One page of the answer, and how many pages there are.
    pub(super) fn answer(&self, asked: &SearchQuery) -> (SearchResult, u32) {
        let (database, config) = (self.database, &self.database.config);
        let size = config.page_size;
        let found = match config.fault {
            Fault::SameAnswer => {
                let hits: Vec<u32> = (0..size.min(database.collection.len())).collect();
                SearchResult { total: hits.len() as u32, hits, is_capped: false }
            }
            Fault::RandomAnswer => self.at_random(size),
            Fault::Shuffled => self.shuffled(asked, size),
            Fault::Endless => return self.endless(asked, size),
            _ => database.search(asked),
        };
        let shown = config.result_cap.unwrap_or(u32::MAX).min(found.total);
        (found, shown.div_ceil(size))
    }

    fn at_random(&self, size: u32) -> SearchResult {
        let all = self.database.collection.len();
        let mut rng = SeededRng::new(mix(self.database.config.seed, u64::from(self.serial)), self.at.0);
        let mut hits: Vec<u32> = (0..size).map(|_| rng.below(all)).collect();
        hits.sort_unstable();
        hits.dedup();
        SearchResult { hits, total: rng.between(size, all.max(size)), is_capped: false }
    }

    fn shuffled(&self, asked: &SearchQuery, size: u32) -> SearchResult {
        let mut found = self.database.search_all(asked);
        let seed = mix(self.database.config.seed, u64::from(self.serial));
        found.hits.sort_by_key(|record| mix(seed, u64::from(*record)));
        let from = (asked.page as usize).saturating_mul(size as usize).min(found.hits.len());
        found.hits.drain(..from);
        found.hits.truncate(size as usize);
        found
    }

    /// Begins again when it comes to the end, and always has another page.
    fn endless(&self, asked: &SearchQuery, size: u32) -> (SearchResult, u32) {
        let total = self.database.search(&SearchQuery { page: 0, ..asked.clone() }).total;
        if total == 0 {
            return (SearchResult::default(), 0);
        }
        let page = asked.page % total.div_ceil(size);
        (self.database.search(&SearchQuery { page, ..asked.clone() }), asked.page.saturating_add(2))
    }
}
