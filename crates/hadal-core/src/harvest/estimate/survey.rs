//! What totals say about the size of the whole.
//!
//! Where a form tells how many records have a word, and a share of the records that other words brought has it
//! too, the one over the other is the size of the database: every total is a survey of it. Records that came by
//! the word alone are left out of its share, those that another word brought as well are not.
//!
//! The records at hand are no fair sample: what comes first in answers, short records or long ones, has more or
//! fewer words than others. A word that nearly every record has errs little by that, a rare one much, and most rare
//! ones in the same direction. So the sizes that words tell are taken to lie on a line over the share of records
//! without the word, and where it ends, at the word that all have, is the size. A short line is held level.

use crate::harvest::policy::{Hit, QueryOutcome};
use crate::harvest::record::RecordId;
use crate::text::words::each_word;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Records of the sample, at most.
const MOST_RECORDS: usize = 2_000;
/// Words of a record that are looked at.
const MOST_WORDS: usize = 2_000;
/// Totals that are kept.
const MOST_TOTALS: usize = 4_000;
/// Totals that it takes to tell anything.
const ENOUGH: usize = 2;
/// Records of the sample that a word is held against at least.
const LEAST_RECORDS: f64 = 3.0;
/// Records of an answer that are looked at for the word that was asked.
const LOOKED_AT: usize = 20;
/// Where so many of the records that show a word have it in their title, titles alone are searched.
const TITLES: f64 = 0.97;

/// How much the logarithms of sizes differ between the rarest words and the broadest, where records are wholly in
/// sight, and how much more where all of them is hidden.
const SLOPE: f64 = 0.3;
const HIDDEN: f64 = 2.0;
/// How much a rare word errs by itself, and any word at least.
const OWN: f64 = 0.4;
const LEAST_ERROR: f64 = 0.01;
/// Words beyond which more of them say no more: they do not err each by itself.
const MANY: f64 = 400.0;
/// How much the size errs that a single word tells, whatever its share: words that were asked bring records that are
/// alike.
const FEW: f64 = 0.3;
/// How much all words err together when few records are at hand, which fades as more come.
const TOGETHER: f64 = 0.03;
/// The share of records that is unseen where words err as much as that, and the least that it is taken for.
const UNSEEN: f64 = 0.7;
const LEAST_UNSEEN: f64 = 0.03;

/// A word, of which only is known whether it is the same as another.
type Word = u32;

/// Totals told, and a sample of the records that came.
#[derive(Default)]
pub struct Survey {
    totals: FxHashMap<Word, WordTotal>,
    sample: FxHashMap<RecordId, Kept>,
    /// Zeros that the numbers of the sample's records begin with.
    zeros: u32,
    /// Records looked at, those that show the word they came for, and those that have it in their title.
    looked_at: [f64; 3],
    /// Of the records that had come before, how many were to show the word if they were like the others, and how
    /// many do.
    again: [f64; 2],
}

/// A word whose total was told.
struct WordTotal {
    told: u64,
    /// Records that have it in so many letters.
    records: f64,
    /// Of the sample, what came by other words, be it by this one too.
    others: Share,
}

/// How many records of the sample there are, and how many of them have a word at all or in their title.
#[derive(Clone, Copy, Default)]
struct Share {
    of: f64,
    anywhere: f64,
    in_title: f64,
}

/// A record of the sample.
struct Kept {
    words: Box<[Word]>,
    title: Box<[Word]>,
    /// The only word that brought it.
    came_by: Option<Word>,
}

/// What totals say, and what that is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surveyed {
    /// Records there are.
    pub size: f64,
    /// Standard error of its logarithm.
    pub error: f64,
}

impl Survey {
    /// Takes in an answer.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) {
        let is_plain = answer.query.choices.is_empty() && answer.query.link.is_none();
        let asked = if is_plain { single(&answer.query.words) } else { None };
        if let Some((word, total)) = asked.zip(answer.total)
            && total.count() > 0
            && self.totals.len() < MOST_TOTALS
            && !self.totals.contains_key(&word)
        {
            let told = total.count();
            let records = told as f64 * self.look(word, answer.hits);
            let others = Share::among(self.sample.values(), word);
            self.totals.insert(word, WordTotal { told, records, others });
        }
        for hit in answer.hits {
            if hit.is_new { self.keep(hit, asked) } else { self.came_again(hit.id, asked) }
        }
    }

    /// A record that another word brings as well did not come by its first one alone.
    fn came_again(&mut self, id: RecordId, asked: Option<Word>) {
        let Some(kept) = self.sample.get_mut(&id) else { return };
        if let Some(word) = kept.came_by.take_if(|word| Some(*word) != asked)
            && let Some(total) = self.totals.get_mut(&word)
        {
            total.others.add(kept, word, 1.0);
        }
    }

    /// The share of an answer's records that show the word; others have another form of it, or hide it.
    fn look(&mut self, word: Word, hits: &[Hit<'_>]) -> f64 {
        let (mut of, mut shown) = (0.0, 0.0);
        for hit in hits.iter().take(LOOKED_AT) {
            let kept = Kept::of(hit, None);
            let is_shown = number(kept.has(word));
            of += 1.0;
            shown += is_shown;
            self.looked_at[2] += is_shown * number(kept.has_in_title(word));
        }
        self.looked_at[0] += of;
        self.looked_at[1] += shown;
        let share = (shown + 0.5) / (of + 0.5);
        for hit in hits.iter().filter(|hit| !hit.is_new) {
            self.again[0] += share;
            self.again[1] += number(Kept::of(hit, None).has(word));
        }
        share
    }

    /// Takes a record into the sample, when its number begins with enough zeros; with too many records in it,
    /// one zero more is asked for.
    fn keep(&mut self, hit: &Hit<'_>, came_by: Option<Word>) {
        if hit.id.0.leading_zeros() < self.zeros || self.sample.contains_key(&hit.id) {
            return;
        }
        let kept = Kept::of(hit, came_by);
        self.count(&kept, 1.0);
        self.sample.insert(hit.id, kept);
        while self.sample.len() > MOST_RECORDS {
            self.zeros += 1;
            let zeros = self.zeros;
            let gone: Vec<Kept> =
                self.sample.extract_if(|id, _| id.0.leading_zeros() < zeros).map(|(_, kept)| kept).collect();
            gone.iter().for_each(|kept| self.count(kept, -1.0));
        }
    }

    fn count(&mut self, kept: &Kept, by: f64) {
        for (word, total) in self.totals.iter_mut().filter(|(word, _)| Some(**word) != kept.came_by) {
            total.others.add(kept, *word, by);
        }
    }

    /// What is known by now, when enough totals were told and so many records were seen. A form that tells the same of
    /// every word tells nothing.
    pub fn result(&self, seen: f64) -> Option<Surveyed> {
        let mut told = self.totals.values().map(|total| total.told);
        let first = told.next()?;
        if told.all(|total| total == first) {
            return None;
        }
        // The fewer are unseen, the less those at hand differ from all; how many are, is what is sought.
        let roughly = self.sized(1.0)?;
        let unseen = (1.0 - seen / roughly.size).max(LEAST_UNSEEN);
        self.sized((unseen / UNSEEN).sqrt())
    }

    /// The size, when words err so many times as much as usual.
    fn sized(&self, times: f64) -> Option<Surveyed> {
        let [looked_at, shown, titled] = self.looked_at;
        let titles = titled > TITLES * shown;
        let hidden = ((self.again[1] + 1.0) / (self.again[0] + 1.0)).min(1.0);
        let shown = hidden.min(shown / looked_at.max(1.0));
        let mut line = Line::held(times * (SLOPE + HIDDEN * (1.0 - shown)));
        let own = times * OWN * (self.totals.len() as f64 / MANY).sqrt().max(1.0);
        for total in self.totals.values().filter(|total| total.others.of >= LEAST_RECORDS) {
            let of = total.others.of;
            let having = if titles { total.others.in_title } else { total.others.anywhere };
            let share = (having + 0.5) / (of + 1.0);
            let without = 1.0 - share;
            let variance = without / (share * of) + (own * without).powi(2) + LEAST_ERROR.powi(2);
            line.add(without, (total.records.max(0.5) / share).ln(), variance);
        }
        let (log_size, error) = line.start().filter(|_| line.points >= ENOUGH)?;
        let few = FEW / (line.points as f64).sqrt();
        let error = error.hypot(few).hypot(TOGETHER * times.powi(3));
        Some(Surveyed { size: hidden * log_size.exp(), error })
    }
}

/// A line through points, each as good as its variance is small, by least squares.
struct Line {
    points: usize,
    weight: f64,
    x: f64,
    xx: f64,
    y: f64,
    xy: f64,
}

impl Line {
    /// Without points; its slope is level, give or take so much.
    fn held(slope: f64) -> Line {
        Line { points: 0, weight: 0.0, x: 0.0, xx: slope.powi(-2), y: 0.0, xy: 0.0 }
    }

    fn add(&mut self, x: f64, y: f64, variance: f64) {
        let weight = 1.0 / variance;
        self.points += 1;
        self.weight += weight;
        self.x += weight * x;
        self.xx += weight * x * x;
        self.y += weight * y;
        self.xy += weight * x * y;
    }

    /// Where it is at zero, and the standard error of that.
    fn start(&self) -> Option<(f64, f64)> {
        let determinant = self.weight * self.xx - self.x * self.x;
        let start = (self.xx * self.y - self.x * self.xy) / determinant;
        let error = (self.xx / determinant).sqrt();
        (start.is_finite() && error.is_finite()).then_some((start, error))
    }
}

impl Share {
    fn among<'a>(records: impl Iterator<Item = &'a Kept>, word: Word) -> Share {
        let mut share = Share::default();
        records.for_each(|kept| share.add(kept, word, 1.0));
        share
    }

    fn add(&mut self, kept: &Kept, word: Word, by: f64) {
        self.of += by;
        if kept.has(word) {
            self.anywhere += by;
            self.in_title += by * number(kept.has_in_title(word));
        }
    }
}

impl Kept {
    fn of(hit: &Hit<'_>, came_by: Option<Word>) -> Kept {
        Kept { words: words_of(hit.text), title: words_of(hit.title), came_by }
    }

    fn has(&self, word: Word) -> bool {
        self.words.binary_search(&word).is_ok()
    }

    fn has_in_title(&self, word: Word) -> bool {
        self.title.binary_search(&word).is_ok()
    }
}

fn number(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// The word of a query that is one word.
fn single(query: &str) -> Option<Word> {
    let words = words_of(query);
    if let [word] = words[..] { Some(word) } else { None }
}

/// The distinct words of a text, in the order of their numbers.
fn words_of(text: &str) -> Box<[Word]> {
    let mut words = Vec::new();
    each_word(text, |word| {
        if words.len() < MOST_WORDS {
            let mut hasher = FxHasher::default();
            hasher.write(word.as_bytes());
            words.push((hasher.finish() >> 32) as Word);
        }
    });
    words.sort_unstable();
    words.dedup();
    words.into_boxed_slice()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::{ReadingEnd, StatedTotal};
    use crate::harvest::query::Query;
    use crate::learn::rng::Rng;

    /// Records with words of their own; word `k` is in one of `k + 3` of them.
    fn records(count: u64) -> Vec<(RecordId, String)> {
        let mut random = Rng::new(5);
        let record = |_| {
            let words = (0..30).filter(|word| random.below(word + 3) == 0).map(|word| format!("w{word}"));
            let text = words.collect::<Vec<_>>().join(" ");
            (RecordId(random.bits()), text)
        };
        (0..count).map(record).collect()
    }

    /// Asks for words; each shows at most so many of the records that have it.
    fn survey(records: &[(RecordId, String)], cap: usize, titles: bool) -> Survey {
        let mut survey = Survey::default();
        let mut seen = std::collections::HashSet::new();
        for word in (0..30).rev() {
            let word = format!("w{word}");
            let having = |(_, text): &&(RecordId, String)| text.split(' ').any(|own| own == word);
            let found: Vec<_> = records.iter().filter(having).collect();
            let hit = |(id, text): &&(RecordId, String)| (*id, seen.insert(*id), text.clone());
            let shown: Vec<_> = found.iter().take(cap).map(hit).collect();
            let hits: Vec<Hit<'_>> = shown
                .iter()
                .map(|(id, is_new, text)| Hit {
                    id: *id,
                    is_new: *is_new,
                    title: if titles { text } else { "" },
                    text,
                    fields: &[],
                })
                .collect();
            let query = Query::words(&word);
            let total = Some(StatedTotal::Exactly(found.len() as u64));
            survey.learn(&QueryOutcome {
                query: &query,
                hits: &hits,
                total,
                pages: 1,
                end: ReadingEnd::LastPage,
            });
        }
        survey
    }

    #[test]
    fn totals_over_shares_are_the_size() {
        for (count, cap) in [(3_000, 40), (3_000, 400), (1_500, usize::MAX)] {
            for titles in [false, true] {
                let found = survey(&records(count), cap, titles).result(0.3 * count as f64).unwrap();
                let error = (found.size / count as f64 - 1.0).abs();
                assert!(error < 0.1, "{count} records, {cap} shown: {found:?}");
                assert!(found.error < 0.3);
            }
        }
    }

    #[test]
    fn rare_words_that_all_err_alike_do_not_move_the_size() {
        let broad = [0.05, 0.1, 0.2].map(|without| (without, 8.0 + 0.5 * without));
        let rare = [0.9, 0.93, 0.95, 0.97, 0.99].map(|without| (without, 8.0 + 0.5 * without));
        let mut line = Line::held(0.5);
        broad.iter().chain(&rare).for_each(|(x, y)| line.add(*x, *y, 0.01));
        let (start, error) = line.start().unwrap();
        assert!((start - 8.0).abs() < 0.05 && error < 0.1, "{start} {error}");
        let mut level = Line::held(0.5);
        rare.iter().for_each(|(x, y)| level.add(*x, *y, 0.01));
        let (start, error) = level.start().unwrap();
        assert!(start > 8.3 && error > 0.3, "rare words alone cannot tell: {start} {error}");
        assert_eq!(Line::held(0.5).start(), None);
    }

    #[test]
    fn a_sample_that_grew_too_large_is_thinned_and_counts_right() {
        let survey = survey(&records(9_000), usize::MAX, false);
        assert!(survey.zeros > 0 && survey.sample.len() <= MOST_RECORDS);
        for (word, total) in &survey.totals {
            let others = survey.sample.values().filter(|kept| kept.came_by != Some(*word));
            let counted = Share::among(others, *word);
            assert_eq!((total.others.of, total.others.anywhere), (counted.of, counted.anywhere));
        }
    }

    #[test]
    fn one_total_for_every_word_says_nothing() {
        let mut survey = survey(&records(1_500), 100, false);
        assert!(survey.result(500.0).is_some());
        survey.totals.values_mut().for_each(|total| total.told = 1_500);
        assert_eq!(survey.result(500.0), None);
    }

    #[test]
    fn without_totals_nothing_is_said() {
        let mut survey = Survey::default();
        let query = Query::words("sea");
        survey.learn(&QueryOutcome {
            query: &query,
            hits: &[],
            total: None,
            pages: 1,
            end: ReadingEnd::LastPage,
        });
        assert_eq!(survey.result(500.0), None);
    }
}
