//! Inputs shared by all policies on one collection: records, database and vocabulary.

use super::collections::NamedCollection;
use super::plan::HarvestCase;
use super::settings::{DatabaseSetting, setting};
use anyhow::Context;
use hadal_core::harvest::policy::PolicyContext;
use hadal_core::learn::rng::Rng;
use hadal_core::text::language::Language;
use hadal_core::text::words::{each_word, is_unspaced};
use hadal_world::database::{Collection, Database, DatabaseConfig, Excerpt, IndexedText, Record, StopWords};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A collection with its index and vocabulary.
pub struct IndexedCollection {
    /// Distinct words of the collection, in order of first occurrence.
    pub vocabulary: Vec<String>,
    language: &'static str,
    database: Database,
}

/// A collection behind a database with one setting.
pub struct DatabaseSetup {
    pub collection: Arc<IndexedCollection>,
    /// Behaviour of the database.
    pub setting: &'static DatabaseSetting,
    pub database: Database,
    /// Text that a result list shows for each record.
    pub shown: Vec<String>,
    /// Number of records that at least one word finds.
    pub existing: u64,
}

/// Number of first words given to a policy.
const FIRST_WORDS: usize = 3;
/// Least length of a first word in bytes.
const SHORTEST: usize = 4;
/// Records tried to draw one first word.
const ATTEMPTS: usize = 100;

impl IndexedCollection {
    /// Loads and indexes a collection.
    pub fn of(held: &NamedCollection, records: u32) -> anyhow::Result<IndexedCollection> {
        let collection = held.load(records).with_context(|| held.name.clone())?;
        let language = language(&collection);
        let vocabulary = vocabulary(&collection);
        let database = Database::new(Arc::new(collection), DatabaseConfig::default());
        Ok(IndexedCollection { vocabulary, language, database })
    }

    fn collection(&self) -> &Collection {
        self.database.collection()
    }
}

impl DatabaseSetup {
    /// Sets up the database of a trial.
    pub fn new(collection: Arc<IndexedCollection>, case: &HarvestCase) -> anyhow::Result<DatabaseSetup> {
        let setting = setting(&case.setting).with_context(|| format!("no setting '{}'", case.setting))?;
        let config = setting.config(collection.collection().len(), case.seed);
        let records =
            || (0..collection.collection().len()).filter_map(|number| collection.collection().record(number));
        let shown = records().map(|record| shown(record, config.excerpt)).collect();
        let language = Language::of(Some(collection.language));
        let existing = records().filter(|record| is_findable(*record, &config, language)).count() as u64;
        let database = collection.database.with_config(config);
        Ok(DatabaseSetup { collection, setting, database, shown, existing })
    }

    /// Context of a policy: random title words as first words, as a user of the topic would know them.
    pub fn policy_context(&self, case: &HarvestCase) -> PolicyContext {
        let mut random = Rng::new(case.seed.wrapping_mul(1_000_003).wrapping_add(u64::from(case.start)));
        let first = (0..FIRST_WORDS).filter_map(|_| self.title_word(&mut random)).collect();
        let language = Some(self.collection.language.to_string());
        PolicyContext { seed: random.bits(), first_words: first, language, word_list: None }
    }

    fn title_word(&self, random: &mut Rng) -> Option<String> {
        let collection = self.collection.collection();
        let language = Language::of(Some(self.collection.language));
        (0..ATTEMPTS).find_map(|_| {
            let record = collection.record(random.below(collection.len() as usize) as u32)?;
            let mut words = Vec::new();
            each_word(record.title, |word| {
                if word.len() >= SHORTEST && !language.is_stop(word) {
                    words.push(word.to_string());
                }
            });
            let place = random.below(words.len());
            words.into_iter().nth(place)
        })
    }
}

/// Language code that the site would declare: `ja` for text without spaces, else `en`.
fn language(collection: &Collection) -> &'static str {
    let (mut unspaced, mut letters) = (0usize, 0usize);
    for record in (0..collection.len().min(100)).filter_map(|number| collection.record(number)) {
        let text = record.title.chars().chain(record.text.chars());
        text.filter(|letter| letter.is_alphabetic()).for_each(|letter| {
            letters += 1;
            unspaced += usize::from(is_unspaced(letter));
        });
    }
    if 2 * unspaced > letters { "ja" } else { "en" }
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

fn shown(record: Record<'_>, excerpt: Excerpt) -> String {
    match excerpt {
        Excerpt::Title => record.title.to_string(),
        Excerpt::Full => format!("{} {}", record.title, record.text),
        Excerpt::Words(most) => {
            let words = record.text.split_whitespace().take(most as usize);
            std::iter::once(record.title).chain(words).collect::<Vec<_>>().join(" ")
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn case(setting: &str, start: u32) -> HarvestCase {
        HarvestCase {
            collection: "short-texts".into(),
            records: 200,
            setting: setting.into(),
            policy: "hadal".into(),
            seed: 5,
            start,
            requests: None,
        }
    }

    fn collection() -> Arc<IndexedCollection> {
        Arc::new(IndexedCollection::of(&NamedCollection::generated()[0], 200).unwrap())
    }

    #[test]
    fn answers_show_what_the_setting_lets_them() {
        let collection = collection();
        let [full, snippet] =
            ["base", "snippet"].map(|name| DatabaseSetup::new(collection.clone(), &case(name, 0)).unwrap());
        let record = full.database.collection().record(7).unwrap();
        assert_eq!(full.shown[7], format!("{} {}", record.title, record.text));
        assert!(snippet.shown.iter().all(|shown| shown.split_whitespace().count() <= 20 + 12));
        assert!(DatabaseSetup::new(collection, &case("no-such", 0)).is_err());
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
        let first = |start| setup.policy_context(&case("base", start)).first_words;
        assert_eq!(first(0), first(0));
        assert_ne!(first(0), first(1));
        let asked = |word: &String| hadal_world::database::SearchQuery::words(word);
        assert!(first(0).iter().all(|word| setup.database.search(&asked(word)).total > 0));
    }

    #[test]
    fn a_language_without_spaces_is_told_apart() {
        let unspaced = NamedCollection::generated()[2].load(50).unwrap();
        assert_eq!((language(&unspaced), collection().language), ("ja", "en"));
    }
}
