//! Generated collections: texts about subjects, of very different lengths, with attributes.
//!
//! Each record has a subject, and each subject prefers some words, the same ones in all its records: words
//! come together as they do in real texts, while over all records they keep to Zipf's law.

use super::vocabulary::{ZipfSampler, is_grammar, push_word};
use super::{Collection, Record};
use crate::random::{SeededRng, mix};
use serde::{Deserialize, Serialize};

/// What a collection is generated from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CollectionSpec {
    /// Where all choices come from.
    pub seed: u64,
    /// How many records, at most two million.
    pub records: u32,
    /// Words of a text in the middle; single texts are a tenth or ten times as long.
    pub median_words: u32,
    /// How it is written.
    pub script: Script,
}

/// How a language is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Script {
    /// With spaces between words.
    Spaced,
    /// Without.
    Unspaced,
}

impl Default for CollectionSpec {
    fn default() -> CollectionSpec {
        CollectionSpec { seed: 1, records: 10_000, median_words: 40, script: Script::Spaced }
    }
}

const MOST_RECORDS: u32 = 2_000_000;
const LONGEST: f64 = 3_000.0;

/// Share of records without a text, of words that were there before, of words that a subject prefers, and
/// how willingly it takes the others.
const TEXTLESS: f64 = 0.08;
const REPEATED: f64 = 0.12;
const PREFERRED: u64 = 8;
const TOLERANCE: f64 = 0.06;
const ATTEMPTS: u32 = 12;

/// Attributes: places are few and very unequal, subjects more and less so.
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
    /// The collection of this recipe, always the same.
    pub fn generate(&self) -> Collection {
        let records = self.records.clamp(1, MOST_RECORDS);
        let writer = RecordGenerator {
            recipe: *self,
            ranks: ZipfSampler::over((f64::from(records).powf(0.6) * 200.0) as u32),
            subjects: 8 + records.ilog2() * 4,
        };
        let mut collection = Collection::default();
        for number in 0..records {
            writer.add(&mut collection, number);
        }
        collection
    }
}

struct RecordGenerator {
    recipe: CollectionSpec,
    ranks: ZipfSampler,
    subjects: u32,
}

impl RecordGenerator {
    fn add(&self, collection: &mut Collection, number: u32) {
        let mut rng = SeededRng::new(mix(self.recipe.seed, 0xc011), u64::from(number));
        let subject = skewed(&mut rng, self.subjects);
        let words = 3 + rng.below(8);
        let title = self.text(words, subject, &mut rng, "");
        let words = if rng.chance(TEXTLESS) { 0 } else { self.length(&mut rng) };
        let text = self.text(words, subject, &mut rng, self.stop());
        let (mut name, mut place) = (String::new(), PLACES[skewed(&mut rng, PLACES.len() as u32) as usize]);
        push_word(&mut name, 100 + subject, 0, self.recipe.script);
        if rng.chance(0.05) {
            place = "";
        }
        let year = (2026 - skewed(&mut rng, 60)).to_string();
        let price = normal(&mut rng).mul_add(0.8, 5.0).exp().round().to_string();
        let date = format!("{year}-{:02}-{:02}", 1 + rng.below(12), 1 + rng.below(28));
        let id = format!("r{number:07}");
        let fields =
            [("subject", &*name), ("place", place), ("year", &year), ("price", &price), ("date", &date)];
        collection.push(Record { id: &id, title: &title, text: &text }, fields);
    }

    fn length(&self, rng: &mut SeededRng) -> u32 {
        let median = f64::from(self.recipe.median_words.clamp(1, 1_000));
        (median * (normal(rng) * 0.8).exp()).clamp(3.0, LONGEST) as u32
    }

    fn stop(&self) -> &'static str {
        match self.recipe.script {
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
            if !is_grammar(rank) {
                used.push(rank);
            }
            if self.recipe.script == Script::Spaced && at > 0 {
                text.push(' ');
            }
            push_word(&mut text, rank, rng.bits() >> 8, self.recipe.script);
            if at % 14 == 13 || at + 1 == words {
                text.push_str(stop);
            }
        }
        text
    }

    /// A word that the subject takes. Every word is preferred by as many subjects as any other.
    fn word(&self, subject: u32, rng: &mut SeededRng) -> u32 {
        for _ in 0..ATTEMPTS {
            let rank = self.ranks.draw(rng);
            let is_preferred =
                mix(mix(self.recipe.seed, u64::from(subject)), u64::from(rank)).is_multiple_of(PREFERRED);
            if is_grammar(rank) && rng.chance(0.25) || is_preferred || rng.chance(TOLERANCE) {
                return rank;
            }
        }
        self.ranks.draw(rng)
    }
}

/// A number below `among`, small ones more often.
fn skewed(rng: &mut SeededRng, among: u32) -> u32 {
    let share = rng.unit();
    ((f64::from(among) + 1.0).powf(share) - 1.0).min(f64::from(among) - 1.0) as u32
}

fn normal(rng: &mut SeededRng) -> f64 {
    let (radius, angle) = (1.0 - rng.unit(), rng.unit() * std::f64::consts::TAU);
    (-2.0 * radius.ln()).sqrt() * angle.cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_recipe_gives_the_same_records() {
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
