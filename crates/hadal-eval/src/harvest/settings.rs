//! How the databases behave that policies are compared on: one usual way, and one habit changed at a time.

use hadal_world::database::{
    DatabaseConfig, Excerpt, IndexedText, QueryOperator, Ranking, StopWords, TotalShown, WordMatch,
};

/// A way to behave.
pub struct Setting {
    /// Name on the command line.
    pub name: &'static str,
    /// What is different from the usual, in a few words.
    pub about: &'static str,
    /// The result cap as a part of all records: one in so many.
    share: Option<u32>,
    /// Whether only queries are charged, not the further pages of their answers.
    pub pages_are_free: bool,
    change: fn(&mut DatabaseConfig),
}

/// The smallest cap: forms do not show less.
const LEAST_CAP: u32 = 5;
/// Words of a record that a short excerpt shows.
const SNIPPET: u32 = 20;
/// How often a budget would suffice to turn every page, and to ask for every capful of records.
const ROUNDS: u64 = 10;
/// Queries of a budget where nothing is capped, and some for a beginning anywhere.
const UNCAPPED_QUERIES: u64 = 1_000;
const BEGINNING: u64 = 200;

const fn capped(name: &'static str, about: &'static str, change: fn(&mut DatabaseConfig)) -> Setting {
    Setting { name, about, share: Some(20), pages_are_free: false, change }
}

/// All settings, the usual one first.
pub const SETTINGS: &[Setting] = &[
    capped("base", "cap N/20, best match first, all words indexed, AND, total shown, pages of 10", |_| {}),
    Setting { share: None, ..capped("cap-none", "no cap", |_| {}) },
    Setting { share: Some(200), ..capped("cap-200", "cap N/200", |_| {}) },
    Setting { share: Some(400), ..capped("cap-400", "cap N/400", |_| {}) },
    capped("rank-static", "the same order for every query", |habits| habits.ranking = Ranking::Static),
    capped("rank-recency", "the newest first", |habits| habits.ranking = Ranking::Recency),
    capped("index-title", "titles are searched, texts are not", |habits| habits.indexed = IndexedText::Title),
    capped("index-stemmed", "words of one stem are one", |habits| habits.word_match = WordMatch::Stemmed),
    capped("match-or", "one word of several is enough", |habits| habits.operator = QueryOperator::Or),
    capped("stop-ignored", "stop words are not indexed", |habits| habits.stop_words = StopWords::Ignored),
    capped("total-rounded", "totals in round figures", |habits| habits.total_shown = TotalShown::Rounded),
    capped("total-hidden", "no totals", |habits| habits.total_shown = TotalShown::Hidden),
    capped("page-50", "pages of 50", |habits| habits.page_size = 50),
    capped("page-100", "pages of 100", |habits| habits.page_size = 100),
    capped("failures-5", "5 % of answers fail", |habits| habits.failure_rate = 0.05),
    capped("failures-10", "10 % of answers fail", |habits| habits.failure_rate = 0.1),
    capped("snippet", "lists show the title and 20 words", |habits| habits.excerpt = Excerpt::Words(SNIPPET)),
    Setting {
        name: PAPER,
        about: "no cap, stop words not indexed, every query costs the same",
        share: None,
        pages_are_free: true,
        change: |habits| habits.stop_words = StopWords::Ignored,
    },
];

/// The setting of the 2005 paper's figures.
pub const PAPER: &str = "paper";

/// The setting of that name.
pub fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

impl Setting {
    /// Whether answers are cut.
    pub fn is_capped(&self) -> bool {
        self.share.is_some()
    }

    /// The most records one query brings up, of so many.
    pub fn cap(&self, records: u32) -> Option<u32> {
        self.share.map(|share| (records / share).max(LEAST_CAP))
    }

    /// The habits of a database of so many records; `seed` fixes what they leave to chance.
    pub fn habits(&self, records: u32, seed: u64) -> DatabaseConfig {
        let usual = DatabaseConfig {
            seed,
            ranking: Ranking::Frequency,
            result_cap: self.cap(records),
            ..DatabaseConfig::default()
        };
        let mut habits = usual;
        (self.change)(&mut habits);
        habits
    }

    /// Requests that a harvest of so many records is given: enough for everyone who is not lost.
    pub fn budget(&self, records: u32) -> u64 {
        let habits = self.habits(records, 0);
        let records = u64::from(records);
        let pages = if self.pages_are_free { 0 } else { ROUNDS * records / u64::from(habits.page_size) };
        let queries = habits.result_cap.map_or(UNCAPPED_QUERIES, |cap| ROUNDS * records / u64::from(cap));
        pages + queries + BEGINNING
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_setting_has_a_name_of_its_own_and_changes_something() {
        let names: BTreeSet<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
        assert_eq!(names.len(), SETTINGS.len());
        let usual = SETTINGS[0].habits(10_000, 3);
        assert!(SETTINGS[1..].iter().all(|setting| setting.habits(10_000, 3) != usual));
        assert_eq!(setting("paper").map(|setting| setting.pages_are_free), Some(true));
        assert!(setting("papr").is_none());
    }

    #[test]
    fn caps_and_budgets_grow_with_the_collection() {
        let [base, cap_400, paper] = ["base", "cap-400", "paper"].map(|name| setting(name).unwrap());
        assert_eq!([300, 20_000].map(|records| cap_400.cap(records)), [Some(5), Some(50)]);
        assert_eq!(base.cap(20_000), Some(1_000));
        assert_eq!([300, 20_000].map(|records| base.budget(records)), [700, 20_400]);
        assert_eq!(paper.budget(20_000), 1_200, "pages are free");
    }
}
