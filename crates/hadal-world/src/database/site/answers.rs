//! What is found for a question, misconduct included.

use super::page::Page;
use crate::database::asked::{Asked, Found};
use crate::database::misconduct::Misconduct;
use crate::draw::{Draw, mix};

impl Page<'_> {
    /// One page of the answer, and how many pages there are.
    pub(super) fn answer(&self, asked: &Asked) -> (Found, u32) {
        let (database, habits) = (self.database, &self.database.habits);
        let size = habits.page_size;
        let found = match habits.misconduct {
            Misconduct::SameAnswer => {
                let hits: Vec<u32> = (0..size.min(database.collection.len())).collect();
                Found { total: hits.len() as u32, hits, is_capped: false }
            }
            Misconduct::RandomAnswer => self.at_random(size),
            Misconduct::Shuffled => self.shuffled(asked, size),
            Misconduct::Endless => return self.endless(asked, size),
            _ => database.search(asked),
        };
        let shown = habits.cap.unwrap_or(u32::MAX).min(found.total);
        (found, shown.div_ceil(size))
    }

    fn at_random(&self, size: u32) -> Found {
        let all = self.database.collection.len();
        let mut draw = Draw::new(mix(self.database.habits.seed, u64::from(self.serial)), self.at.0);
        let mut hits: Vec<u32> = (0..size).map(|_| draw.below(all)).collect();
        hits.sort_unstable();
        hits.dedup();
        Found { hits, total: draw.between(size, all.max(size)), is_capped: false }
    }

    fn shuffled(&self, asked: &Asked, size: u32) -> Found {
        let mut found = self.database.everything(asked);
        let seed = mix(self.database.habits.seed, u64::from(self.serial));
        found.hits.sort_by_key(|record| mix(seed, u64::from(*record)));
        let from = (asked.page as usize).saturating_mul(size as usize).min(found.hits.len());
        found.hits.drain(..from);
        found.hits.truncate(size as usize);
        found
    }

    /// Begins again when it comes to the end, and always has another page.
    fn endless(&self, asked: &Asked, size: u32) -> (Found, u32) {
        let total = self.database.search(&Asked { page: 0, ..asked.clone() }).total;
        if total == 0 {
            return (Found::default(), 0);
        }
        let page = asked.page % total.div_ceil(size);
        (self.database.search(&Asked { page, ..asked.clone() }), asked.page.saturating_add(2))
    }
}
