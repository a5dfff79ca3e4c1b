//! Decides whether detail pages are worth a request each.
//!
//! In [`DetailMode::Auto`], detail pages are fetched if result lists show little of their records: entries of
//! few words, or entries cut off with an ellipsis. The first detail pages are a test. Words that two detail
//! pages in a row share count as part of the site. If the other words are hardly more than the list showed,
//! no further detail page is fetched. Detail pages give words for queries and no records, so they stay a
//! small share of all requests.

use super::EntryPage;
use crate::address::{LinkId, Site};
use crate::harvest::record::Record;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Average words of a list entry below which lists show little. Guess.
const SHORT_ENTRY: f64 = 25.0;
/// Least share of cut-off entries in lists that show little. Guess.
const CUT_OFF_SHARE: f64 = 0.5;
/// Least weight of the latest entry in the running averages: they cover about the last 50 entries. Guess.
const MIN_WEIGHT: f64 = 0.02;
/// Maximum number of words counted of one entry. Guess.
const MAX_WORDS: usize = 100;
/// Detail pages fetched before their value is judged. Guess.
const TEST_PAGES: u32 = 4;
/// A detail page counts as richer if it adds at least this many words and at least half as many as the entry has.
/// Guess.
const MIN_ADDED_WORDS: usize = 8;
/// Detail pages that are fetched automatically however few other requests were sent. Guess.
const MIN_AUTO_PAGES: u32 = 8;
/// Further automatic detail pages per other request. A result page holds many records and a detail page none. Without
/// detail pages, five real applications needed 439 requests to 90 % of their records, with all of them 2,345.
const AUTO_PAGES_PER_REQUEST: f64 = 0.1;

/// Number of records on a page above which none of their detail pages is fetched: the page shows enough words. Guess.
const MAX_DETAILED_RECORDS: usize = 100;

/// Setting for detail pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DetailMode {
    /// No detail page is fetched.
    Never,
    /// A sample of detail pages is fetched if lists show little of their records and the pages clearly more.
    #[default]
    Auto,
    /// All detail pages are fetched.
    Always,
}

/// Detail pages of a harvest.
pub struct DetailPages {
    mode: DetailMode,
    check: DetailPageCheck,
    /// Detail pages that were queued.
    urls: FxHashSet<LinkId>,
}

impl DetailPages {
    /// Creates the state before the first list.
    pub fn new(mode: DetailMode) -> DetailPages {
        DetailPages { mode, check: DetailPageCheck::default(), urls: FxHashSet::default() }
    }

    /// Counts a result page.
    pub fn add_result_page(&mut self) {
        self.check.add_result_page();
    }

    /// Adds an entry of a result list.
    pub fn add_listed(&mut self, record: &Record) {
        self.check.add_listed(record);
    }

    /// Decides whether the detail page of a new record is fetched, and records that it is queued. `shown` is the number
    /// of records on the result page.
    pub fn add_new(&mut self, record: &Record, shown: usize, form: &EntryPage) -> bool {
        // A list of all records needs no words for queries.
        let is_needed = self.mode == DetailMode::Always || shown <= MAX_DETAILED_RECORDS && !form.lists_all();
        let is_wanted = is_needed && self.check.is_wanted(self.mode) && self.is_own_page(record, form.page());
        if is_wanted {
            self.check.add_queued();
        }
        is_wanted
    }

    /// Returns true if a record's URL has the site and port of the form and was not fetched as a detail page before.
    fn is_own_page(&mut self, record: &Record, form: &Url) -> bool {
        let Some(url) = &record.url else { return false };
        let is_own = Site::of(url) == Site::of(form) && url.port() == form.port();
        is_own && self.urls.insert(LinkId::of(url))
    }

    /// Compares a detail page with the list entry of its record.
    pub fn add_fetched(&mut self, listed: &str, page: &str) {
        self.check.add_detail_page(listed, page);
    }

    /// Counts a detail page that could not be read.
    pub fn add_failure(&mut self) {
        self.check.add_failure();
    }

    /// Returns true if detail pages that were queued are to be fetched.
    pub fn are_useful(&self) -> bool {
        self.check.is_useful(self.mode)
    }
}

/// Statistics of list entries and detail pages.
#[derive(Debug, Default)]
struct DetailPageCheck {
    /// Running averages: words of an entry, share of cut-off entries.
    averages: Option<(f64, f64)>,
    /// Number of list entries.
    entries: u32,
    /// Number of queued detail pages.
    queued: u32,
    /// Number of result pages.
    result_pages: u32,
    /// Number of detail pages compared with their entries.
    compared: u32,
    /// Number of detail pages that show clearly more than their entries.
    richer: u32,
    /// Hashes of the words of the last detail page.
    last_page: FxHashSet<u64>,
}

impl DetailPageCheck {
    /// Adds an entry of a result list.
    fn add_listed(&mut self, record: &Record) {
        let words = record.text.split_whitespace().take(MAX_WORDS).count() as f64;
        let cut = f64::from(u8::from(is_cut_off(&record.text)));
        let (average_words, average_cut) = self.averages.unwrap_or((words, cut));
        self.entries = self.entries.saturating_add(1);
        let weight = f64::from(self.entries).recip().max(MIN_WEIGHT);
        let blend = |average: f64, last: f64| average + weight * (last - average);
        self.averages = Some((blend(average_words, words), blend(average_cut, cut)));
    }

    /// Compares a detail page with the list entry of its record.
    fn add_detail_page(&mut self, listed: &str, page: &str) {
        let words: FxHashSet<u64> = hashes(page).collect();
        if !self.last_page.is_empty() {
            let own = |text: &str| hashes(text).filter(|word| !self.last_page.contains(word)).count();
            let listed = own(listed);
            self.compared += 1;
            self.richer += u32::from(own(page) >= listed + (listed / 2).max(MIN_ADDED_WORDS));
        }
        self.last_page = words;
    }

    /// Counts a detail page that could not be read as one that adds nothing.
    fn add_failure(&mut self) {
        self.compared += 1;
    }

    /// Counts a result page.
    fn add_result_page(&mut self) {
        self.result_pages = self.result_pages.saturating_add(1);
    }

    /// Counts a detail page that will be fetched.
    fn add_queued(&mut self) {
        self.queued = self.queued.saturating_add(1);
    }

    /// Returns true if detail pages that were queued are to be fetched.
    fn is_useful(&self, mode: DetailMode) -> bool {
        match mode {
            DetailMode::Never => false,
            DetailMode::Always => true,
            DetailMode::Auto => self.are_entries_short() && self.are_pages_richer(),
        }
    }

    /// Returns true if one more detail page is to be queued.
    fn is_wanted(&self, mode: DetailMode) -> bool {
        match mode {
            DetailMode::Never => false,
            DetailMode::Always => true,
            DetailMode::Auto => self.queued < self.most_auto_pages() && self.is_useful(mode),
        }
    }

    fn most_auto_pages(&self) -> u32 {
        MIN_AUTO_PAGES + (AUTO_PAGES_PER_REQUEST * f64::from(self.result_pages)) as u32
    }

    fn are_entries_short(&self) -> bool {
        self.averages.is_some_and(|(words, cut)| words < SHORT_ENTRY || cut >= CUT_OFF_SHARE)
    }

    fn are_pages_richer(&self) -> bool {
        self.compared < TEST_PAGES || 2 * self.richer > self.compared
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
        let mut check = DetailPageCheck::default();
        check.add_listed(&record);
        (0..pages).for_each(|number| check.add_detail_page(listed, &page(number)));
        check.is_wanted(DetailMode::Auto)
    }

    fn long(number: u32) -> String {
        (0..40).fold("Museum of boats".to_string(), |text, word| format!("{text} w{}", number * 100 + word))
    }

    #[test]
    fn detail_pages_are_fetched_if_they_show_more_than_short_entries() {
        assert!(after("Old boat", long, 0) && after("Old boat", long, 20));
        let cut = format!("{} ...", long(0));
        assert!(after(&cut, |number| long(number) + &long(number + 7) + &long(number + 77), 0));
        assert!(!after(&long(0), long, 0), "entries are long enough");
    }

    #[test]
    fn detail_pages_without_more_text_are_not_fetched() {
        let furniture = long(0);
        assert!(!after("Old boat", |number| format!("{furniture} Old boat number {number}"), 6));
    }

    #[test]
    fn automatic_detail_pages_are_few() {
        let text = "Old boat".to_string();
        let record = Record { id: RecordId(1), url: None, title: String::new(), text, fields: Vec::new() };
        let mut check = DetailPageCheck::default();
        check.add_listed(&record);
        let mut queued = 0;
        for _ in 0..100 {
            check.add_result_page();
            while check.is_wanted(DetailMode::Auto) && queued < 1_000 {
                check.add_queued();
                queued += 1;
            }
        }
        assert_eq!(queued, 18);
        assert!(check.is_useful(DetailMode::Auto), "queued pages are fetched");
    }

    #[test]
    fn modes_other_than_auto_decide_alone() {
        let check = DetailPageCheck::default();
        assert!(check.is_wanted(DetailMode::Always) && !check.is_wanted(DetailMode::Never));
        assert!(!check.is_wanted(DetailMode::Auto), "before any list was read");
    }
}
