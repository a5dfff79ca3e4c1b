//! Settings of the simulated databases: a base setting, and variants that change one behaviour each.

use hadal_world::database::{
    DatabaseConfig, Excerpt, HomeContent, IndexedText, Layout, QueryOperator, Ranking, StopWords, TotalShown,
    UnspacedTerms, WordMatch,
};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Behaviour of a database.
pub struct DatabaseSetting {
    /// Name on the command line.
    pub name: &'static str,
    /// Difference from the base setting.
    pub about: &'static str,
    /// Result cap as a divisor of the number of records.
    share: Option<u32>,
    /// True if only queries are charged and further result pages are free.
    pub pages_are_free: bool,
    change: fn(&mut DatabaseConfig),
}

/// Least result cap. Guess.
const MIN_CAP: u32 = 5;
/// Words of a short excerpt. Guess.
const SNIPPET: u32 = 20;
/// Budget as a multiple of reading every page once and querying every cap of records once. Guess.
const ROUNDS: u64 = 10;
/// Queries in the budget of an uncapped database. Guess.
const UNCAPPED_QUERIES: u64 = 1_000;
/// Requests added to every budget, for the start of a harvest. Guess.
const BEGINNING: u64 = 200;

const fn capped(name: &'static str, about: &'static str, change: fn(&mut DatabaseConfig)) -> DatabaseSetting {
    DatabaseSetting { name, about, share: Some(20), pages_are_free: false, change }
}

const fn uncapped(
    name: &'static str,
    about: &'static str,
    change: fn(&mut DatabaseConfig),
) -> DatabaseSetting {
    DatabaseSetting { share: None, ..capped(name, about, change) }
}

/// Terms of scripts without spaces that settings draw from.
const UNSPACED: [UnspacedTerms; 3] =
    [UnspacedTerms::AdjacentCharacters, UnspacedTerms::Characters, UnspacedTerms::Words];

/// All settings, the base setting first.
pub const SETTINGS: &[DatabaseSetting] = &[
    capped("base", "cap N/20, best match first, all words indexed, AND, total shown, pages of 10", |_| {}),
    uncapped("cap-none", "no cap", |_| {}),
    DatabaseSetting { share: Some(200), ..capped("cap-200", "cap N/200", |_| {}) },
    DatabaseSetting { share: Some(400), ..capped("cap-400", "cap N/400", |_| {}) },
    capped("rank-static", "the same order for every query", |config| config.ranking = Ranking::Static),
    capped("rank-recency", "the newest first", |config| config.ranking = Ranking::Recency),
    capped("index-title", "titles are searched, texts are not", |config| config.indexed = IndexedText::Title),
    capped("index-stemmed", "words of one stem are one", |config| config.word_match = WordMatch::Stemmed),
    capped("match-or", "one word of several is enough", |config| config.operator = QueryOperator::Or),
    capped("stop-ignored", "stop words are not indexed", |config| config.stop_words = StopWords::Ignored),
    capped("total-rounded", "totals in round figures", |config| config.total_shown = TotalShown::Rounded),
    capped("total-hidden", "no totals", |config| config.total_shown = TotalShown::Hidden),
    capped("total-bound", "totals count the page and one more", |config| {
        config.total_shown = TotalShown::Bound;
    }),
    capped("page-50", "pages of 50", |config| config.page_size = 50),
    capped("page-100", "pages of 100", |config| config.page_size = 100),
    capped("failures-5", "5 % of answers fail", |config| config.failure_rate = 0.05),
    capped("failures-10", "10 % of answers fail", |config| config.failure_rate = 0.1),
    capped("snippet", "lists show the title and 20 words", |config| config.excerpt = Excerpt::Words(SNIPPET)),
    capped("passages", "lists show the title and 20 words around the query word", |config| {
        config.excerpt = Excerpt::Around(SNIPPET);
    }),
    capped("labels", "records show fields, sizes and dates that are not indexed", |config| {
        config.layout.habits.record_labels = true;
    }),
    uncapped("open-hidden", "no cap, no totals", |config| config.total_shown = TotalShown::Hidden),
    uncapped("open-snippet", "no cap, lists show the title and 20 words", |config| {
        config.excerpt = Excerpt::Words(SNIPPET);
    }),
    uncapped("open-passages", "no cap, lists show the title and 20 words around the query word", |config| {
        config.excerpt = Excerpt::Around(SNIPPET);
    }),
    uncapped("open-bare", "no cap, no totals, lists show the title and 20 words", |config| {
        config.total_shown = TotalShown::Hidden;
        config.excerpt = Excerpt::Words(SNIPPET);
    }),
    DatabaseSetting {
        name: PAPER,
        about: "no cap, stop words not indexed, every query costs the same",
        share: None,
        pages_are_free: true,
        change: |config| config.stop_words = StopWords::Ignored,
    },
];

/// Setting of the figures of the 2005 paper.
pub const PAPER: &str = "paper";

/// Setting with this name.
pub fn setting(name: &str) -> Option<&'static DatabaseSetting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

impl DatabaseSetting {
    /// True if answers are capped.
    pub fn is_capped(&self) -> bool {
        self.share.is_some()
    }

    /// Result cap for a number of records.
    pub fn cap(&self, records: u32) -> Option<u32> {
        self.share.map(|share| (records / share).max(MIN_CAP))
    }

    /// Search behaviour of a database. `seed` fixes its random choices. Terms of scripts without spaces and the content
    /// of the home page vary from setting to setting.
    pub fn config(&self, records: u32, seed: u64) -> DatabaseConfig {
        let draw = xxh3_64_with_seed(self.name.as_bytes(), seed) as usize;
        let layout = Layout { seed, home: HomeContent::ALL[draw / 7 % 3], ..Layout::default() };
        let usual = DatabaseConfig {
            seed,
            unspaced: UNSPACED[draw % UNSPACED.len()],
            layout,
            ranking: Ranking::Frequency,
            result_cap: self.cap(records),
            ..DatabaseConfig::default()
        };
        let mut config = usual;
        (self.change)(&mut config);
        config
    }

    /// Request budget for a number of records.
    pub fn budget(&self, records: u32) -> u64 {
        let config = self.config(records, 0);
        let records = u64::from(records);
        let pages = if self.pages_are_free { 0 } else { ROUNDS * records / u64::from(config.page_size) };
        let queries = config.result_cap.map_or(UNCAPPED_QUERIES, |cap| ROUNDS * records / u64::from(cap));
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
        let usual = SETTINGS[0].config(10_000, 3);
        assert!(SETTINGS[1..].iter().all(|setting| setting.config(10_000, 3) != usual));
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
