//! Inputs shared by all policies on one collection: records, database and vocabulary.

use super::collections::NamedCollection;
use super::plan::HarvestCase;
use super::settings::{DatabaseSetting, setting};
use anyhow::Context;
use hadal_core::harvest::policy::PolicyContext;
use hadal_core::harvest::policy::oracle::{OraclePolicy, TrueAnswers};
use hadal_core::harvest::record::RecordId;
use hadal_core::harvest::session::OpeningWords;
use hadal_core::http::Request;
use hadal_core::learn::rng::Rng;
use hadal_core::text::language::Language;
use hadal_core::text::words::each_word;
use hadal_core::time::Time;
use hadal_world::database::{
    Collection, Database, DatabaseConfig, Excerpt, IndexedText, Record, SearchQuery, SiteLanguage, StopWords,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

/// A collection with its index and vocabulary.
pub struct IndexedCollection {
    /// Distinct words of the collection, in order of first occurrence.
    pub vocabulary: Vec<String>,
    /// ISO 639-1 code, if it could be detected.
    language: Option<&'static str>,
    database: Database,
}

/// A collection behind a database with one setting.
pub struct DatabaseSetup {
    pub collection: Arc<IndexedCollection>,
    /// Behaviour of the database.
    pub setting: &'static DatabaseSetting,
    pub database: Database,
    /// Text that a result list shows for each record; empty if it depends on the query.
    shown: Vec<String>,
    /// Number of records that at least one word finds.
    pub existing: u64,
}

/// Address of the home page. The host has no meaning.
const HOME: &str = "http://database.example/";

impl IndexedCollection {
    /// Loads and indexes a collection.
    pub fn of(held: &NamedCollection, records: u32) -> anyhow::Result<IndexedCollection> {
        let collection = held.load(records).with_context(|| held.name.clone())?;
        let language = collection.language();
        let vocabulary = vocabulary(&collection);
        let database = Database::new(Arc::new(collection), DatabaseConfig::default());
        Ok(IndexedCollection { vocabulary, language, database })
    }

    fn collection(&self) -> &Collection {
        self.database.collection()
    }
}

/// Titles that are tried for a first word. Guess.
const TITLES: usize = 20;

/// Least number of characters of a first word from a title. Guess.
const SHORTEST_WORD: usize = 4;

impl DatabaseSetup {
    /// Sets up the database of a trial.
    pub fn new(collection: Arc<IndexedCollection>, case: &HarvestCase) -> anyhow::Result<DatabaseSetup> {
        let setting = setting(&case.setting).with_context(|| format!("no setting '{}'", case.setting))?;
        let mut config = setting.config(collection.collection().len(), case.seed);
        config.layout.language = SiteLanguage::of_code(collection.language.unwrap_or("en"));
        let records =
            || (0..collection.collection().len()).filter_map(|number| collection.collection().record(number));
        let language = Language::of(collection.language);
        let existing = records().filter(|record| is_findable(*record, &config, language)).count() as u64;
        let database = collection.database.with_config(config);
        let depends_on_query = matches!(database.config().excerpt, Excerpt::Around(_));
        let numbers = if depends_on_query { 0..0 } else { 0..database.collection().len() };
        let shown = numbers.map(|number| shown_text(&database, number, "")).collect();
        Ok(DatabaseSetup { collection, setting, database, shown, existing })
    }

    /// Number of records.
    pub fn records(&self) -> u32 {
        self.database.collection().len()
    }

    /// Text that a result list shows for a record in the answer to a query.
    pub fn shown(&self, number: u32, query: &str) -> Cow<'_, str> {
        match self.shown.get(number as usize) {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(shown_text(&self.database, number, query)),
        }
    }

    /// Context of a policy: words of the home page and of its language, as a harvest of that page would send them. Each
    /// start begins with another word. The last word is one of a title, which a user would give for a bare home page.
    pub fn policy_context(&self, case: &HarvestCase) -> anyhow::Result<PolicyContext> {
        let mut random = Rng::new(case.seed.wrapping_mul(1_000_003).wrapping_add(u64::from(case.start)));
        let home = HOME.parse().context("address of the home page")?;
        let response = self.database.respond(&Request::get(home), Time(0));
        let page = hadal_core::html::parse(&response.body, None, &HOME.parse()?);
        let mut words = OpeningWords::of(&page);
        let mut first: Vec<String> = std::iter::from_fn(|| words.take_next()).collect();
        let others = case.start as usize % first.len().max(1);
        first.rotate_left(others);
        first.extend(self.title_word(&mut random));
        let language = self.collection.language.map(str::to_string);
        Ok(PolicyContext { seed: random.bits(), first_words: first, language, word_list: None })
    }

    /// A word of a random title that is not a stop word.
    fn title_word(&self, random: &mut Rng) -> Option<String> {
        let (collection, language) = (self.collection.collection(), Language::of(self.collection.language));
        (0..TITLES).find_map(|_| {
            let record = collection.record(random.below(collection.len() as usize) as u32)?;
            let mut words = Vec::new();
            each_word(record.title, |word| {
                if word.chars().count() >= SHORTEST_WORD && !language.is_stop(word) {
                    words.push(word.to_string());
                }
            });
            let at = random.below(words.len().max(1));
            words.into_iter().nth(at)
        })
    }
}

/// Distinct words in order of first occurrence.
fn vocabulary(collection: &Collection) -> Vec<String> {
    let (mut met, mut words) = (FxHashSet::default(), Vec::new());
    for record in (0..collection.len()).filter_map(|number| collection.record(number)) {
        for text in [record.title, record.text] {
            each_word(text, |word| {
                if !met.contains(word) {
                    met.insert(word.to_string());
                    words.push(word.to_string());
                }
            });
        }
    }
    words
}

/// Title, text and, if the layout labels records, fields.
fn shown_text(database: &Database, number: u32, query: &str) -> String {
    let title = database.collection().record(number).map_or("", |record| record.title);
    let mut text = format!("{title} {}", database.shown_text(number, query));
    if database.config().layout.habits.record_labels {
        for (name, value) in database.shown_fields(number) {
            text = format!("{text} {name}: {value}");
        }
    }
    text
}

/// True if at least one word of the record is indexed.
fn is_findable(record: Record<'_>, config: &DatabaseConfig, language: &Language) -> bool {
    let texts = match config.indexed {
        IndexedText::Full => [record.title, record.text],
        IndexedText::Title => [record.title, ""],
    };
    let mut findable = false;
    for text in texts {
        each_word(text, |word| {
            findable |= config.stop_words == StopWords::Indexed || !language.is_stop(word);
        });
    }
    findable
}

/// Upper bound for every policy: an oracle over all single words of the collection, which knows all answers.
pub fn oracle(setup: &DatabaseSetup) -> OraclePolicy<'_> {
    // The greedy choice evaluates frequent words many times, so answers are cached.
    let answers: RefCell<FxHashMap<String, Box<[u32]>>> = RefCell::default();
    let truth: TrueAnswers<'_> = Box::new(move |word: &str| {
        let mut answers = answers.borrow_mut();
        if !answers.contains_key(word) {
            let found = setup.database.search_all(&SearchQuery::words(word));
            answers.insert(word.to_string(), found.hits.into());
        }
        answers[word].iter().map(|number| record_id(*number)).collect()
    });
    OraclePolicy::new(truth, setup.collection.vocabulary.clone())
}

/// Record id that does not reveal the order of the collection.
pub fn record_id(number: u32) -> RecordId {
    RecordId(Rng::new(u64::from(number)).bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::curve::HIGHEST_LEVEL;

    fn case(setting: &str, start: u32) -> HarvestCase {
        HarvestCase {
            collection: "short-texts".into(),
            records: 200,
            setting: setting.into(),
            policy: "hadal".into(),
            seed: 5,
            start,
            requests: None,
            until_percent: HIGHEST_LEVEL,
        }
    }

    fn collection() -> Arc<IndexedCollection> {
        Arc::new(IndexedCollection::of(&NamedCollection::generated()[0], 200).unwrap())
    }

    #[test]
    fn answers_show_the_parts_that_the_setting_allows() {
        let collection = collection();
        let [full, snippet] =
            ["base", "snippet"].map(|name| DatabaseSetup::new(collection.clone(), &case(name, 0)).unwrap());
        let record = full.database.collection().record(7).unwrap();
        assert_eq!(full.shown(7, ""), format!("{} {}", record.title, record.text));
        assert!(snippet.shown.iter().all(|shown| shown.split_whitespace().count() <= 20 + 13));
        assert!(DatabaseSetup::new(collection, &case("no-such", 0)).is_err());
    }

    #[test]
    fn passages_follow_the_query_and_labels_are_not_indexed() {
        let collection = collection();
        let [passages, labels] = ["passages", "labels"]
            .map(|name| DatabaseSetup::new(collection.clone(), &case(name, 0)).unwrap());
        let record = passages.database.collection().record(7).unwrap();
        let last = record.text.split_whitespace().last().unwrap();
        let word = last.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        assert!(passages.shown(7, &word).to_lowercase().contains(&word));
        assert!(labels.shown(7, "").contains("bytes"));
        let asked = hadal_world::database::SearchQuery::words("bytes");
        assert_eq!(labels.database.search(&asked).total, 0);
    }

    #[test]
    fn only_what_is_indexed_can_be_found() {
        let record = Record { id: "1", title: "", text: "of the sea" };
        let english = Language::of(Some("en"));
        let config =
            |indexed, stop_words| DatabaseConfig { indexed, stop_words, ..DatabaseConfig::default() };
        assert!(is_findable(record, &config(IndexedText::Full, StopWords::Ignored), english));
        assert!(!is_findable(record, &config(IndexedText::Title, StopWords::Indexed), english));
        let grammar = Record { text: "of the", ..record };
        assert!(is_findable(grammar, &config(IndexedText::Full, StopWords::Indexed), english));
        assert!(!is_findable(grammar, &config(IndexedText::Full, StopWords::Ignored), english));
    }

    #[test]
    fn first_words_find_something_and_differ_by_start() {
        let collection = collection();
        let setup = DatabaseSetup::new(collection, &case("base", 0)).unwrap();
        let first = |start| setup.policy_context(&case("base", start)).unwrap().first_words;
        assert_eq!(first(0), first(0));
        assert_ne!(first(0), first(1));
        let asked = |word: &String| hadal_world::database::SearchQuery::words(word);
        assert!(first(0).iter().any(|word| setup.database.search(&asked(word)).total > 0));
        assert!(first(0).iter().any(|word| setup.database.search(&asked(word)).total == 0));
    }
}
