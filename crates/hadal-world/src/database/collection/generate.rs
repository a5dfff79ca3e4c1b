//! Generated collections: texts with subjects and a wide range of lengths, with columns.
//!
//! Each record has a subject, and each subject prefers some words. So words co-occur as in real texts, while word
//! frequencies over all records follow Zipf's law.

use super::vocabulary::{ZipfSampler, is_function_word, push_word};
use super::{Collection, Record};
use crate::random::{SeededRng, mix};
use serde::{Deserialize, Serialize};

/// Parameters of a generated collection.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CollectionSpec {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Number of records, from 1 to two million.
    pub records: u32,
    /// Median number of words per text, at most 1,000. Lengths are log-normal with sigma 0.8.
    pub median_words: u32,
    /// Script of all texts.
    pub script: Script,
}

/// Script of generated texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Script {
    /// Latin letters with spaces between words.
    Spaced,
    /// Chinese characters without spaces.
    Unspaced,
}

impl Default for CollectionSpec {
    fn default() -> CollectionSpec {
        CollectionSpec { seed: 1, records: 10_000, median_words: 40, script: Script::Spaced }
    }
}

/// Maximum number of records of a collection. Guess; bounds memory.
pub(super) const MAX_RECORDS: u32 = 2_000_000;
/// Maximum number of words of a text. Guess.
const MAX_WORDS: f64 = 3_000.0;

/// Share of records without a text. Guess.
const TEXTLESS: f64 = 0.08;

/// Share of words that repeat an earlier word of the same text. Guess.
const REPEATED: f64 = 0.12;

/// A subject prefers one in this many words. Guess.
const WORDS_PER_PREFERRED: u64 = 8;

/// Probability of accepting a word that the subject does not prefer. Guess.
const ACCEPT_OTHER: f64 = 0.06;

/// Probability of accepting a function word, whatever the subject. Guess.
const ACCEPT_FUNCTION_WORD: f64 = 0.25;

/// Words drawn before the next one is accepted unconditionally. Guess.
const ATTEMPTS: u32 = 12;

/// Values of the column `place`.
const PLACES: [&str; 12] = [
    "Velmora",
    "Tarsk",
    "Dunwick",
    "Calpera",
    "Norholm",
    "Estivale",
    "Brinmouth",
    "Quillan",
    "Marrowby",
    "Sandrova",
    "Feldkirk",
    "Altamere",
];

impl CollectionSpec {
    /// Generates the collection. Equal specs give equal collections.
    pub fn generate(&self) -> Collection {
        let records = self.records.clamp(1, MAX_RECORDS);
        let generator = RecordGenerator {
            spec: *self,
            zipf: ZipfSampler::over((f64::from(records).powf(0.6) * 200.0) as u32),
            subjects: 8 + records.ilog2() * 4,
        };
        let mut collection = Collection::default();
        for number in 0..records {
            generator.add(&mut collection, number);
        }
        collection
    }
}

/// Generator of the records of one collection.
struct RecordGenerator {
    spec: CollectionSpec,
    zipf: ZipfSampler,
    subjects: u32,
}

impl RecordGenerator {
    fn add(&self, collection: &mut Collection, number: u32) {
        let mut rng = SeededRng::new(mix(self.spec.seed, 0xc011), u64::from(number));
        let subject = log_uniform(&mut rng, self.subjects);
        let words = 3 + rng.below(8);
        let title = self.text(words, subject, &mut rng, "");
        let words = if rng.chance(TEXTLESS) { 0 } else { self.length(&mut rng) };
        let text = self.text(words, subject, &mut rng, self.full_stop());
        let (mut name, mut place) =
            (String::new(), PLACES[log_uniform(&mut rng, PLACES.len() as u32) as usize]);
        push_word(&mut name, 100 + subject, 0, self.spec.script);
        if rng.chance(0.05) {
            place = "";
        }
        let year = (2026 - log_uniform(&mut rng, 60)).to_string();
        let price = normal(&mut rng).mul_add(0.8, 5.0).exp().round().to_string();
        let date = format!("{year}-{:02}-{:02}", 1 + rng.below(12), 1 + rng.below(28));
        let id = format!("r{number:07}");
        let fields =
            [("subject", &*name), ("place", place), ("year", &year), ("price", &price), ("date", &date)];
        collection.push(Record { id: &id, title: &title, text: &text }, fields);
    }

    fn length(&self, rng: &mut SeededRng) -> u32 {
        let median = f64::from(self.spec.median_words.clamp(1, 1_000));
        (median * (normal(rng) * 0.8).exp()).clamp(3.0, MAX_WORDS) as u32
    }

    fn full_stop(&self) -> &'static str {
        match self.spec.script {
            Script::Spaced => ".",
            Script::Unspaced => "。",
        }
    }

    fn text(&self, words: u32, subject: u32, rng: &mut SeededRng, stop: &str) -> String {
        let mut text = String::with_capacity(words as usize * 7);
        let mut used: Vec<u32> = Vec::new();
        for at in 0..words {
            let again = !used.is_empty() && rng.chance(REPEATED);
            let rank = if again { rng.pick(&used) } else { self.word(subject, rng) };
            if !is_function_word(rank) {
                used.push(rank);
            }
            if self.spec.script == Script::Spaced && at > 0 {
                text.push(' ');
            }
            push_word(&mut text, rank, rng.bits() >> 8, self.spec.script);
            if at % 14 == 13 || at + 1 == words {
                text.push_str(stop);
            }
        }
        text
    }

    /// Random word by Zipf's law, thinned by the preferences of the subject: subjects accept their preferred words, and
    /// others rarely. Each word is preferred by the same share of subjects, so that the law holds over all records.
    fn word(&self, subject: u32, rng: &mut SeededRng) -> u32 {
        for _ in 0..ATTEMPTS {
            let rank = self.zipf.draw(rng);
            let is_preferred = mix(mix(self.spec.seed, u64::from(subject)), u64::from(rank))
                .is_multiple_of(WORDS_PER_PREFERRED);
            if is_function_word(rank) && rng.chance(ACCEPT_FUNCTION_WORD)
                || is_preferred
                || rng.chance(ACCEPT_OTHER)
            {
                return rank;
            }
        }
        self.zipf.draw(rng)
    }
}

/// Random integer below `among` with log-uniform density.
fn log_uniform(rng: &mut SeededRng, among: u32) -> u32 {
    let share = rng.unit();
    ((f64::from(among) + 1.0).powf(share) - 1.0).min(f64::from(among) - 1.0) as u32
}

/// Standard normal random number, by the Box-Muller transform.
fn normal(rng: &mut SeededRng) -> f64 {
    let (radius, angle) = (1.0 - rng.unit(), rng.unit() * std::f64::consts::TAU);
    (-2.0 * radius.ln()).sqrt() * angle.cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_specs_give_equal_records() {
        let (one, other) = (CollectionSpec::default().generate(), CollectionSpec::default().generate());
        assert_eq!(one.len(), 10_000);
        assert!((0..one.len()).all(|number| one.record(number) == other.record(number)));
        let another = CollectionSpec { seed: 2, ..CollectionSpec::default() }.generate();
        assert_ne!(one.record(0), another.record(0));
    }

    #[test]
    fn lengths_have_a_heavy_tail_and_texts_repeat_their_subject() {
        let collection = CollectionSpec::default().generate();
        let mut lengths: Vec<usize> =
            (0..10_000).map(|n| collection.record(n).unwrap().text.split(' ').count()).collect();
        lengths.sort_unstable();
        assert!(lengths[9_990] > 8 * lengths[5_000], "{} {}", lengths[9_990], lengths[5_000]);
        let (_, subjects) = collection.column("subject").unwrap();
        assert!(subjects.values().len() > 40);
    }

    #[test]
    fn words_of_a_subject_come_together() {
        let collection = CollectionSpec { records: 3_000, ..CollectionSpec::default() }.generate();
        let (_, subjects) = collection.column("subject").unwrap();
        let has = |n: u32, word: &str| collection.record(n).unwrap().text.split(' ').any(|w| w == word);
        let mut word = String::new();
        push_word(&mut word, 150, 0, Script::Spaced);
        let mut shares: Vec<f64> = (0..subjects.values().len() as u32)
            .map(|value| (0..3_000).filter(|n| subjects.value_of(*n) == Some(value)).collect::<Vec<u32>>())
            .filter(|records| records.len() >= 30)
            .map(|records| records.iter().filter(|n| has(**n, &word)).count() as f64 / records.len() as f64)
            .collect();
        shares.sort_by(f64::total_cmp);
        assert!(shares[shares.len() - 1] > 4.0 * shares[shares.len() / 2].max(0.01), "{shares:?}");
    }

    #[test]
    fn unspaced_texts_have_no_spaces() {
        let collection =
            CollectionSpec { records: 50, script: Script::Unspaced, ..CollectionSpec::default() }.generate();
        assert!(collection.is_unspaced());
        assert!((0..50).all(|n| !collection.record(n).unwrap().text.contains(' ')));
    }
}
