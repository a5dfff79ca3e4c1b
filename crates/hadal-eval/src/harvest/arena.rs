//! Where policies meet: the same records behind the same database for all.

use super::collections::Held;
use super::plan::Case;
use super::settings::{Setting, setting};
use anyhow::Context;
use hadal_core::harvest::policy::PolicyContext;
use hadal_core::learn::random::Random;
use hadal_core::text::language::Language;
use hadal_core::text::words::{each_word, is_unspaced};
use hadal_world::database::{Collection, Database, DatabaseConfig, Excerpt, IndexedText, Record, StopWords};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A collection, ready to be searched.
pub struct Ground {
    /// Every word of it, once.
    pub vocabulary: Vec<String>,
    language: &'static str,
    database: Database,
}

/// A collection behind a database that behaves in one way.
pub struct Arena {
    /// The collection.
    pub ground: Arc<Ground>,
    /// How the database behaves.
    pub setting: &'static Setting,
    /// The database.
    pub database: Database,
    /// What answers show of each record.
    pub shown: Vec<String>,
    /// Records that some word finds.
    pub existing: u64,
}

/// First words that a harvest is given.
const FIRST_WORDS: usize = 3;
/// Bytes of the shortest of them.
const SHORTEST: usize = 4;
/// Records that are looked at for one.
const ATTEMPTS: usize = 100;

impl Ground {
    /// Reads a collection and lays it out.
    pub fn of(held: &Held, records: u32) -> anyhow::Result<Ground> {
        let collection = held.load(records).with_context(|| held.name.clone())?;
        let language = language(&collection);
        let vocabulary = vocabulary(&collection);
        let database = Database::new(Arc::new(collection), DatabaseConfig::default());
        Ok(Ground { vocabulary, language, database })
    }

    fn collection(&self) -> &Collection {
        self.database.collection()
    }
}

impl Arena {
    /// The database of a trial.
    pub fn new(ground: Arc<Ground>, case: &Case) -> anyhow::Result<Arena> {
        let setting = setting(&case.setting).with_context(|| format!("no setting '{}'", case.setting))?;
        let habits = setting.habits(ground.collection().len(), case.seed);
        let records =
            || (0..ground.collection().len()).filter_map(|number| ground.collection().record(number));
        let shown = records().map(|record| shown(record, habits.excerpt)).collect();
        let language = Language::of(Some(ground.language));
        let existing = records().filter(|record| is_findable(*record, &habits, language)).count() as u64;
        let database = ground.database.with_config(habits);
        Ok(Arena { ground, setting, database, shown, existing })
    }

    /// What a policy is told: words of some titles, as one knows them who looks for something.
    pub fn policy_context(&self, case: &Case) -> PolicyContext {
        let mut random = Random::new(case.seed.wrapping_mul(1_000_003).wrapping_add(u64::from(case.start)));
        let first = (0..FIRST_WORDS).filter_map(|_| self.title_word(&mut random)).collect();
        let language = Some(self.ground.language.to_string());
        PolicyContext { seed: random.bits(), first_words: first, language, word_list: None }
    }

    fn title_word(&self, random: &mut Random) -> Option<String> {
        let collection = self.ground.collection();
        let language = Language::of(Some(self.ground.language));
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

/// The language that the site would declare.
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

/// Every word, in the order they are first met.
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

/// Whether any of its words is indexed.
fn is_findable(record: Record<'_>, habits: &DatabaseConfig, language: &Language) -> bool {
    let texts = match habits.indexed {
        IndexedText::Full => [record.title, record.text],
        IndexedText::Title => [record.title, ""],
    };
    let mut findable = false;
    for text in texts {
        each_word(text, |word| {
            findable |= habits.stop_words == StopWords::Indexed || !language.is_stop(word);
        });
    }
    findable
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(setting: &str, start: u32) -> Case {
        Case {
            collection: "short-texts".into(),
            records: 200,
            setting: setting.into(),
            policy: "hadal".into(),
            seed: 5,
            start,
            requests: None,
        }
    }

    fn ground() -> Arc<Ground> {
        Arc::new(Ground::of(&Held::generated()[0], 200).unwrap())
    }

    #[test]
    fn answers_show_what_the_setting_lets_them() {
        let ground = ground();
        let [full, snippet] =
            ["base", "snippet"].map(|name| Arena::new(ground.clone(), &case(name, 0)).unwrap());
        let record = full.database.collection().record(7).unwrap();
        assert_eq!(full.shown[7], format!("{} {}", record.title, record.text));
        assert!(snippet.shown.iter().all(|shown| shown.split_whitespace().count() <= 20 + 12));
        assert!(Arena::new(ground, &case("no-such", 0)).is_err());
    }

    #[test]
    fn only_what_is_indexed_can_be_found() {
        let record = Record { id: "1", title: "", text: "of the sea" };
        let english = Language::of(Some("en"));
        let habits =
            |indexed, stop_words| DatabaseConfig { indexed, stop_words, ..DatabaseConfig::default() };
        assert!(is_findable(record, &habits(IndexedText::Full, StopWords::Ignored), english));
        assert!(!is_findable(record, &habits(IndexedText::Title, StopWords::Indexed), english));
        let grammar = Record { text: "of the", ..record };
        assert!(is_findable(grammar, &habits(IndexedText::Full, StopWords::Indexed), english));
        assert!(!is_findable(grammar, &habits(IndexedText::Full, StopWords::Ignored), english));
    }

    #[test]
    fn first_words_find_something_and_differ_by_start() {
        let ground = ground();
        let arena = Arena::new(ground, &case("base", 0)).unwrap();
        let first = |start| arena.policy_context(&case("base", start)).first_words;
        assert_eq!(first(0), first(0));
        assert_ne!(first(0), first(1));
        let asked = |word: &String| hadal_world::database::SearchQuery::words(word);
        assert!(first(0).iter().all(|word| arena.database.search(&asked(word)).total > 0));
    }

    #[test]
    fn a_language_without_spaces_is_told_apart() {
        let unspaced = Held::generated()[2].load(50).unwrap();
        assert_eq!((language(&unspaced), ground().language), ("ja", "en"));
    }
}
