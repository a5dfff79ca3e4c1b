//! Whether the own pages of records are worth a request each.
//!
//! Left to itself, a harvest opens them when its lists tell little: entries of a few words, or cut off with an
//! ellipsis. The first pages are a trial. What one page has in common with the one before belongs to the site;
//! if the rest is hardly more than the list had said, no further page is opened.

use super::DetailMode;
use crate::harvest::record::Record;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

/// Words of an entry that tells little.
const FEW_WORDS: f64 = 25.0;
/// Share of entries that are cut off from which lists are taken to tell little.
const MOST_CUT: f64 = 0.5;
/// Weight of the last entry in what is usual, once there were enough of them.
const NEWS: f64 = 0.02;
/// Words of an entry that are counted.
const LONG: usize = 100;
/// Pages that decide whether more are opened.
const TRIAL: u32 = 4;
/// A page says clearly more than the list when it has half as many words again, and so many at least.
const MORE_WORDS: usize = 8;
/// Records whose pages are opened without being asked for.
const MOST_UNASKED: usize = 2_000;

/// What was seen of lists and of records' own pages.
#[derive(Debug, Default)]
pub struct Digging {
    /// Words of an entry, and the share of entries that are cut off, as is usual of late.
    usual: Option<(f64, f64)>,
    seen: u32,
    judged: u32,
    richer: u32,
    last_page: FxHashSet<u64>,
}

impl Digging {
    /// Takes in an entry of a list.
    pub fn see(&mut self, record: &Record) {
        let words = record.text.split_whitespace().take(LONG).count() as f64;
        let cut = f64::from(u8::from(is_cut_off(&record.text)));
        let (usual_words, usual_cut) = self.usual.unwrap_or((words, cut));
        self.seen = self.seen.saturating_add(1);
        let weight = f64::from(self.seen).recip().max(NEWS);
        let blend = |usual: f64, last: f64| usual + weight * (last - usual);
        self.usual = Some((blend(usual_words, words), blend(usual_cut, cut)));
    }

    /// Takes in a record's own page.
    pub fn compare(&mut self, listed: &str, page: &str) {
        let words: FxHashSet<u64> = hashes(page).collect();
        if !self.last_page.is_empty() {
            let own = |text: &str| hashes(text).filter(|word| !self.last_page.contains(word)).count();
            let listed = own(listed);
            self.judged += 1;
            self.richer += u32::from(own(page) >= listed + (listed / 2).max(MORE_WORDS));
        }
        self.last_page = words;
    }

    /// Whether pages are opened, so many records being known.
    pub fn is_wanted(&self, wish: DetailMode, known: usize) -> bool {
        match wish {
            DetailMode::Never => false,
            DetailMode::Always => true,
            DetailMode::Auto => known < MOST_UNASKED && self.tells_little() && self.pays(),
        }
    }

    fn tells_little(&self) -> bool {
        self.usual.is_some_and(|(words, cut)| words < FEW_WORDS || cut >= MOST_CUT)
    }

    fn pays(&self) -> bool {
        self.judged < TRIAL || 2 * self.richer > self.judged
    }
}

fn is_cut_off(text: &str) -> bool {
    text.contains('\u{2026}') || text.contains("...")
}

fn hashes(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.split_whitespace().map(|word| xxh3_64(word.to_lowercase().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::record::RecordId;

    fn after(listed: &str, page: impl Fn(u32) -> String, pages: u32) -> bool {
        let text = listed.to_string();
        let record = Record { id: RecordId(1), url: None, title: String::new(), text, fields: Vec::new() };
        let mut digging = Digging::default();
        digging.see(&record);
        (0..pages).for_each(|number| digging.compare(listed, &page(number)));
        digging.is_wanted(DetailMode::Auto, 10)
    }

    fn long(number: u32) -> String {
        (0..40).fold("Museum of boats".to_string(), |text, word| format!("{text} w{}", number * 100 + word))
    }

    #[test]
    fn pages_are_opened_when_lists_tell_little_and_pages_more() {
        assert!(after("Old boat", long, 0) && after("Old boat", long, 20));
        let cut = format!("{} ...", long(0));
        assert!(after(&cut, |number| long(number) + &long(number + 7) + &long(number + 77), 0));
        assert!(!after(&long(0), long, 0), "the list tells enough");
    }

    #[test]
    fn pages_that_say_no_more_than_the_list_are_left_alone() {
        let furniture = long(0);
        assert!(!after("Old boat", |number| format!("{furniture} Old boat number {number}"), 6));
    }

    #[test]
    fn a_wish_is_a_wish() {
        let digging = Digging::default();
        assert!(digging.is_wanted(DetailMode::Always, 1_000_000) && !digging.is_wanted(DetailMode::Never, 0));
        assert!(!digging.is_wanted(DetailMode::Auto, 0), "before any list was seen");
    }
}
