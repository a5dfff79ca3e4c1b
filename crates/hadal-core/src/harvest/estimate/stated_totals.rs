//! Database size from the totals that a form states.
//!
//! For a query word `w` the form states a total `T(w)`. Let `s(w)` be the share of the sampled records that
//! contain `w`, leaving out records that only `w` returned. Then `N(w) = h * T(w) * v(w) / s(w)` estimates
//! the size `N`. Shares are smoothed: `k` of `m` sampled records give `s = (k + 0.5) / (m + 1)`.
//!
//! Seen records are a biased sample, because ranking favours short or long records. The bias is large for
//! rare words and vanishes as `s(w)` approaches 1. So the model is
//!
//! ```text
//! ln N(w) = ln N + b * x + error         x = 1 - s(w)
//! b     has mean 0 and standard deviation  scale * (0.3 + 2 * (1 - visible))
//! error has variance  x / (s * m)  +  r^2  +  (scale * 0.4 * max(1, sqrt(W / 400)) * x)^2  +  0.01^2
//! ```
//!
//! Weighted least squares give `ln N`, the value at `x = 0`, and its standard error `se`. With few or only
//! rare words the slope `b` stays near 0. The reported error is
//!
//! ```text
//! sqrt(se^2 + (0.3 / sqrt(W'))^2 + (0.03 * scale^3)^2 + (1.5 * (1 - visible))^2)
//! ```
//!
//! The symbols mean:
//!
//! - `v(w)`: share of the answer's records that show `w` as spelled. The others have another form of it, or
//!   hide it. `k` of `m` examined records give `v = (k + 0.5) / (m + 0.5)`.
//! - `h`: of the records of all answers that were seen earlier, the share whose text at first capture shows
//!   the query word, divided by `v`. It is below 1 where lists show excerpts around the query word.
//! - `visible`: the lesser of `h` and the mean of `v`.
//! - `m`: number of sampled records in `s(w)`.
//! - `r(w)`: standard deviation of `ln T(w)` by rounding, `unit / (T * sqrt(3))`; 0 for an exact total.
//! - `W`: number of words with a total. `W'`: number of those in the fit.
//! - `scale`: scale of the errors, `sqrt(unseen / 0.7)`. `unseen` is the share of the database that is unseen
//!   by a first estimate with `scale = 1`, at least 0.03.
//!
//! If nearly all records that show their query word have it in the title, the form searches titles only, and `s(w)` is
//! the share of titles that contain `w`.
//!
//! Some words carry no information and are left out:
//!
//! - Words of page furniture, such as labels, which records show and the form does not index. Their total is less than
//!   the number of seen records that show them.
//! - Words with a capped total. If words with unlike shares `s(w)` have the same greatest total, it is the cap.
//! - Words far below the median of `N(w)` although most records show them: [`LOW_OUTLIER`].
//!
//! The constants of the error model are guesses. [`calibration`](super::calibration) was fitted to the errors that the
//! model reports with them, so a change needs a new fit.

use crate::harvest::policy::{Hit, QueryOutcome};
use crate::harvest::record::RecordId;
use crate::text::words::each_word;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Maximum number of records in the sample. Guess; limits time and memory.
const MAX_RECORDS: usize = 2_000;
/// Maximum number of words read of a record. Guess.
const MAX_WORDS: usize = 2_000;
/// Maximum number of words with a total. Guess.
const MAX_TOTALS: usize = 4_000;
/// Least number of words in the fit for an estimate. Guess.
const MIN_WORDS: usize = 2;
/// Least number of sampled records for the share of a word. Guess.
const MIN_SAMPLED: f64 = 3.0;
/// Maximum number of records of an answer that are examined for the query word. Guess.
const MAX_EXAMINED: usize = 20;
/// If more than this share of the records that show the query word show it in the title, the form searches
/// titles only. Guess.
const TITLE_ONLY_SHARE: f64 = 0.97;

/// Share of the seen records with a word that its total must reach. Below 1, because a record may be counted
/// twice. Guess.
const MIN_KNOWN_SHARE: f64 = 0.9;
/// Records by which the total of a word may fall short of that share. Guess.
const TOLERATED_RECORDS: f64 = 2.0;
/// Words with the same greatest total that are compared with each other. Guess.
const MIN_AT_CAP: usize = 3;
/// Ratio of the greatest to the least share of these words above which their total is the cap. Guess.
const CAP_SHARE_RATIO: f64 = 1.5;
/// Distance of `ln N(w)` below the median of all words at which a word in most records counts as page furniture. Guess;
/// the bias of rare words, 0.3, is well below it.
const LOW_OUTLIER: f64 = 1.0;

/// Standard deviation of the slope `b` if records are shown in full. Guess.
const SLOPE_SD: f64 = 0.3;
/// Increase of that standard deviation if no record shows its query word. Guess.
const HIDDEN_SLOPE_SD: f64 = 2.0;
/// Standard deviation of `ln N(w)` of a rare word beyond sampling error. Guess.
const WORD_SD: f64 = 0.4;
/// Least standard deviation of `ln N(w)` of any word. Guess.
const MIN_WORD_SD: f64 = 0.01;
/// Number of words above which more words do not reduce the error, because their errors are correlated.
/// Guess.
const INDEPENDENT_WORDS: f64 = 400.0;
/// Error of a size that rests on one word, whatever its share: its records resemble each other. Guess.
const ONE_WORD_ERROR: f64 = 0.3;
/// Error common to all words at `scale = 1`. Guess.
const COMMON_ERROR: f64 = 0.03;
/// Error of the size if no record shows its query word; it does not shrink with the coverage. Chosen by hand:
/// with lists of 20 words a record (`visible` 0.75 to 0.86), residuals of `ln N` were 0.3 to 0.7 at all
/// coverages in `hadal eval harvest --records 3000`, reported errors 0.05 to 0.13.
const HIDDEN_ERROR: f64 = 1.5;
/// Share of unseen records at which `scale` is 1. Guess.
const REFERENCE_UNSEEN_SHARE: f64 = 0.7;
/// Least share of unseen records in `scale`. Guess.
const MIN_UNSEEN: f64 = 0.03;

/// Hash of a word.
type WordHash = u32;

/// Stated totals of words, and a sample of the seen records.
#[derive(Default)]
pub struct TotalsEstimator {
    totals: FxHashMap<WordHash, WordTotal>,
    sample: FxHashMap<RecordId, SampledRecord>,
    /// Leading zero bits that a record id must have to be sampled.
    leading_zeros: u32,
    /// Records examined, those that show their query word, and those of them that have it in the title.
    examined: [f64; 3],
    /// Records captured before: number expected to show the query word at the share `v`, and number that do.
    recaptured: [f64; 2],
}

/// A word with a stated total.
struct WordTotal {
    stated: u64,
    /// Standard deviation of `ln T(w)` by rounding.
    rounding: f64,
    /// `T(w) * v(w)`.
    records: f64,
    /// Counts behind `s(w)`.
    share: WordShare,
    /// Counts of the sampled records that only this word returned.
    own: WordShare,
}

/// One word of the fit.
struct WordWithTotal {
    stated: u64,
    rounding: f64,
    /// `T(w) * v(w)`.
    records: f64,
    /// `s(w)`, and the number of sampled records that it rests on.
    share: f64,
    of: f64,
}

impl WordWithTotal {
    /// `ln(N(w) / h)`.
    fn log_size(&self) -> f64 {
        (self.records.max(0.5) / self.share).ln()
    }
}

/// Sampled records that another word returned, and those of them that contain the word.
#[derive(Clone, Copy, Default)]
struct WordShare {
    of: f64,
    anywhere: f64,
    in_title: f64,
}

/// A record of the sample.
struct SampledRecord {
    /// Sorted word hashes of text and title.
    words: Box<[WordHash]>,
    title: Box<[WordHash]>,
    /// The query word, if only one word returned the record.
    only_word: Option<WordHash>,
}

/// Size by the totals, with its error.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SizeByTotals {
    /// Estimated number of records.
    pub size: f64,
    /// Standard error of `ln size`.
    pub error: f64,
}

impl TotalsEstimator {
    /// Learns from an answer.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) {
        let is_plain = answer.query.choices.is_empty() && answer.query.link.is_none();
        let query_word = if is_plain { single_word(&answer.query.words) } else { None };
        if let Some((word, total)) = query_word.zip(answer.total)
            && total.count() > 0
            && self.totals.len() < MAX_TOTALS
            && !self.totals.contains_key(&word)
        {
            let stated = total.count();
            let records = stated as f64 * self.examine(word, answer.hits);
            let share = WordShare::among(self.sample.values(), word);
            let (rounding, own) = (total.log_error(), WordShare::default());
            self.totals.insert(word, WordTotal { stated, rounding, records, share, own });
        }
        for hit in answer.hits {
            if hit.is_new { self.add(hit, query_word) } else { self.recapture(hit.id, query_word) }
        }
    }

    /// Adds a record to the share of its first word once a second word returned it.
    fn recapture(&mut self, id: RecordId, query_word: Option<WordHash>) {
        let Some(record) = self.sample.get_mut(&id) else { return };
        if let Some(word) = record.only_word.take_if(|word| Some(*word) != query_word)
            && let Some(total) = self.totals.get_mut(&word)
        {
            total.own.add(record, word, -1.0);
            total.share.add(record, word, 1.0);
        }
    }

    /// Returns `v(w)`, the share of the answer's records that show the word.
    fn examine(&mut self, word: WordHash, hits: &[Hit<'_>]) -> f64 {
        let (mut of, mut shown) = (0.0, 0.0);
        for hit in hits.iter().take(MAX_EXAMINED) {
            let record = SampledRecord::of(hit, None);
            let is_shown = as_number(record.contains(word));
            of += 1.0;
            shown += is_shown;
            self.examined[2] += is_shown * as_number(record.has_in_title(word));
        }
        self.examined[0] += of;
        self.examined[1] += shown;
        let share = (shown + 0.5) / (of + 0.5);
        // The text of this answer may be an excerpt around the word. Shares rest on the text of the first capture.
        for record in hits.iter().filter_map(|hit| self.sample.get(&hit.id)) {
            self.recaptured[0] += share;
            self.recaptured[1] += as_number(record.contains(word));
        }
        share
    }

    /// Adds a record to the sample if its id starts with enough zero bits. While the sample is too large, one more zero
    /// bit is required, which halves it.
    fn add(&mut self, hit: &Hit<'_>, only_word: Option<WordHash>) {
        if hit.id.0.leading_zeros() < self.leading_zeros || self.sample.contains_key(&hit.id) {
            return;
        }
        let record = SampledRecord::of(hit, only_word);
        self.count(&record, 1.0);
        self.sample.insert(hit.id, record);
        while self.sample.len() > MAX_RECORDS {
            self.leading_zeros += 1;
            let zeros = self.leading_zeros;
            let removed: Vec<SampledRecord> = self
                .sample
                .extract_if(|id, _| id.0.leading_zeros() < zeros)
                .map(|(_, record)| record)
                .collect();
            removed.iter().for_each(|record| self.count(record, -1.0));
        }
    }

    fn count(&mut self, record: &SampledRecord, by: f64) {
        for (word, total) in &mut self.totals {
            let share = if Some(*word) == record.only_word { &mut total.own } else { &mut total.share };
            share.add(record, *word, by);
        }
    }

    /// Returns the size by the totals, when `seen` records were seen. `None` with too few words, or if the form states
    /// one total for every word.
    pub fn result(&self, seen: f64) -> Option<SizeByTotals> {
        let mut stated = self.totals.values().map(|total| total.stated);
        let first = stated.next()?;
        if stated.all(|total| total == first) {
            return None;
        }
        let words = self.informative_words();
        let first_estimate = self.fit(&words, 1.0)?;
        let unseen = (1.0 - seen / first_estimate.size).max(MIN_UNSEEN);
        self.fit(&words, (unseen / REFERENCE_UNSEEN_SHARE).sqrt())
    }

    /// True if the form searches titles only.
    fn is_title_search(&self) -> bool {
        let [_, shown, in_title] = self.examined;
        in_title > TITLE_ONLY_SHARE * shown
    }

    /// `h` of the module documentation.
    fn visible_at_first_capture(&self) -> f64 {
        ((self.recaptured[1] + 1.0) / (self.recaptured[0] + 1.0)).min(1.0)
    }

    /// Words of the fit, without those that carry no information.
    fn informative_words(&self) -> Vec<WordWithTotal> {
        let is_title_search = self.is_title_search();
        let with = |share: &WordShare| if is_title_search { share.in_title } else { share.anywhere };
        let sampled_of = f64::from(self.leading_zeros).exp2();
        // In the sample each record stands for `sampled_of` records. So the number of seen records with a
        // word has the standard deviation `sqrt((sampled_of - 1) * known)`; twice that is tolerated.
        let is_possible = |total: &&WordTotal| {
            let known = sampled_of * (with(&total.share) + with(&total.own));
            let tolerated = TOLERATED_RECORDS + 2.0 * ((sampled_of - 1.0) * known).max(0.0).sqrt();
            total.stated as f64 + tolerated >= MIN_KNOWN_SHARE * known
        };
        let with_share = |total: &WordTotal| WordWithTotal {
            stated: total.stated,
            rounding: total.rounding,
            records: total.records,
            share: (with(&total.share) + 0.5) / (total.share.of + 1.0),
            of: total.share.of,
        };
        let sampled = self.totals.values().filter(|total| total.share.of >= MIN_SAMPLED);
        let mut words: Vec<WordWithTotal> = sampled.filter(is_possible).map(with_share).collect();
        remove_capped(&mut words);
        remove_low_outliers(&mut words);
        words
    }

    /// Fits the model with this `scale` of the errors.
    fn fit(&self, words: &[WordWithTotal], scale: f64) -> Option<SizeByTotals> {
        let [examined, shown, _] = self.examined;
        let visible_at_first_capture = self.visible_at_first_capture();
        let visible = visible_at_first_capture.min(shown / examined.max(1.0));
        let mut line =
            LeastSquaresLine::with_slope_sd(scale * (SLOPE_SD + HIDDEN_SLOPE_SD * (1.0 - visible)));
        let word_sd = scale * WORD_SD * (self.totals.len() as f64 / INDEPENDENT_WORDS).sqrt().max(1.0);
        for word in words {
            let without = 1.0 - word.share;
            let sampling = without / (word.share * word.of) + word.rounding.powi(2);
            let variance = sampling + (word_sd * without).powi(2) + MIN_WORD_SD.powi(2);
            line.add(without, word.log_size(), variance);
        }
        let (log_size, error) = line.intercept().filter(|_| line.points >= MIN_WORDS)?;
        let few_words = ONE_WORD_ERROR / (line.points as f64).sqrt();
        let hidden = HIDDEN_ERROR * (1.0 - visible);
        let error = error.hypot(few_words).hypot(COMMON_ERROR * scale.powi(3)).hypot(hidden);
        Some(SizeByTotals { size: visible_at_first_capture * log_size.exp(), error })
    }
}

/// Removes the words with the greatest total if it is a cap: words with unlike shares have it.
fn remove_capped(words: &mut Vec<WordWithTotal>) {
    let Some(greatest) = words.iter().map(|word| word.stated).max() else { return };
    let shares: Vec<f64> =
        words.iter().filter(|word| word.stated == greatest).map(|word| word.share).collect();
    let most = shares.iter().copied().fold(0.0, f64::max);
    let least = shares.iter().copied().fold(1.0, f64::min);
    if shares.len() >= MIN_AT_CAP && most > CAP_SHARE_RATIO * least {
        words.retain(|word| word.stated < greatest);
    }
}

/// Removes words that most records show and that have an `N(w)` far below the median.
fn remove_low_outliers(words: &mut Vec<WordWithTotal>) {
    let mut sizes: Vec<f64> = words.iter().map(WordWithTotal::log_size).collect();
    sizes.sort_by(f64::total_cmp);
    let Some(median) = sizes.get(sizes.len() / 2).copied() else { return };
    words.retain(|word| word.share < 0.5 || word.log_size() > median - LOW_OUTLIER);
}

/// Weighted least-squares line `y = intercept + slope * x`, with a normal prior of mean 0 on the slope. It
/// minimises `sum((y - intercept - slope * x)^2 / variance) + slope^2 / slope_sd^2`.
struct LeastSquaresLine {
    points: usize,
    weight: f64,
    x: f64,
    xx: f64,
    y: f64,
    xy: f64,
}

impl LeastSquaresLine {
    /// A line without points. `slope_sd` is the prior standard deviation of the slope.
    fn with_slope_sd(slope_sd: f64) -> LeastSquaresLine {
        LeastSquaresLine { points: 0, weight: 0.0, x: 0.0, xx: slope_sd.powi(-2), y: 0.0, xy: 0.0 }
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

    /// Value at `x = 0` and its standard error.
    fn intercept(&self) -> Option<(f64, f64)> {
        let determinant = self.weight * self.xx - self.x * self.x;
        let intercept = (self.xx * self.y - self.x * self.xy) / determinant;
        let error = (self.xx / determinant).sqrt();
        (intercept.is_finite() && error.is_finite()).then_some((intercept, error))
    }
}

impl WordShare {
    fn among<'a>(records: impl Iterator<Item = &'a SampledRecord>, word: WordHash) -> WordShare {
        let mut share = WordShare::default();
        records.for_each(|record| share.add(record, word, 1.0));
        share
    }

    fn add(&mut self, record: &SampledRecord, word: WordHash, by: f64) {
        self.of += by;
        if record.contains(word) {
            self.anywhere += by;
            self.in_title += by * as_number(record.has_in_title(word));
        }
    }
}

impl SampledRecord {
    fn of(hit: &Hit<'_>, only_word: Option<WordHash>) -> SampledRecord {
        SampledRecord { words: word_hashes(hit.text), title: word_hashes(hit.title), only_word }
    }

    fn contains(&self, word: WordHash) -> bool {
        self.words.binary_search(&word).is_ok()
    }

    fn has_in_title(&self, word: WordHash) -> bool {
        self.title.binary_search(&word).is_ok()
    }
}

fn as_number(is_true: bool) -> f64 {
    f64::from(u8::from(is_true))
}

/// The word of a one-word query.
fn single_word(query: &str) -> Option<WordHash> {
    let words = word_hashes(query);
    if let [word] = words[..] { Some(word) } else { None }
}

/// Sorted hashes of the distinct words of a text.
fn word_hashes(text: &str) -> Box<[WordHash]> {
    let mut words = Vec::new();
    each_word(text, |word| {
        if words.len() < MAX_WORDS {
            let mut hasher = FxHasher::default();
            hasher.write(word.as_bytes());
            words.push((hasher.finish() >> 32) as WordHash);
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

    /// Generates records; word `k` occurs in one of `k + 3` of them.
    fn records(count: u64) -> Vec<(RecordId, String)> {
        let mut random = Rng::new(5);
        let record = |_| {
            let words = (0..30).filter(|word| random.below(word + 3) == 0).map(|word| format!("w{word}"));
            let text = words.collect::<Vec<_>>().join(" ");
            (RecordId(random.bits()), text)
        };
        (0..count).map(record).collect()
    }

    /// Survey after queries for 30 words, each with at most `cap` records.
    fn learned(records: &[(RecordId, String)], cap: usize, titles: bool) -> TotalsEstimator {
        let mut totals = TotalsEstimator::default();
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
            totals.learn(&QueryOutcome {
                query: &query,
                hits: &hits,
                total,
                pages: 1,
                end: ReadingEnd::LastPage,
            });
        }
        totals
    }

    #[test]
    fn totals_divided_by_shares_give_the_size() {
        for (count, cap) in [(3_000, 40), (3_000, 400), (1_500, usize::MAX)] {
            for titles in [false, true] {
                let found = learned(&records(count), cap, titles).result(0.3 * count as f64).unwrap();
                let error = (found.size / count as f64 - 1.0).abs();
                assert!(error < 0.1, "{count} records, {cap} shown: {found:?}");
                assert!(found.error < 0.3);
            }
        }
    }

    #[test]
    fn the_error_is_large_where_records_hide_their_query_word() {
        let mut hidden = learned(&records(3_000), 40, false);
        let before = hidden.result(2_950.0).unwrap();
        hidden.examined[1] *= 0.8;
        let after = hidden.result(2_950.0).unwrap();
        assert!(before.error < 0.25 && after.error >= 0.3, "{before:?} {after:?}");
    }

    #[test]
    fn a_common_bias_of_rare_words_does_not_move_the_intercept() {
        let broad = [0.05, 0.1, 0.2].map(|without| (without, 8.0 + 0.5 * without));
        let rare = [0.9, 0.93, 0.95, 0.97, 0.99].map(|without| (without, 8.0 + 0.5 * without));
        let mut line = LeastSquaresLine::with_slope_sd(0.5);
        broad.iter().chain(&rare).for_each(|(x, y)| line.add(*x, *y, 0.01));
        let (start, error) = line.intercept().unwrap();
        assert!((start - 8.0).abs() < 0.05 && error < 0.1, "{start} {error}");
        let mut level = LeastSquaresLine::with_slope_sd(0.5);
        rare.iter().for_each(|(x, y)| level.add(*x, *y, 0.01));
        let (start, error) = level.intercept().unwrap();
        assert!(start > 8.3 && error > 0.3, "rare words alone leave the intercept open: {start} {error}");
        assert_eq!(LeastSquaresLine::with_slope_sd(0.5).intercept(), None);
    }

    #[test]
    fn a_sample_that_was_halved_keeps_correct_counts() {
        let totals = learned(&records(9_000), usize::MAX, false);
        assert!(totals.leading_zeros > 0 && totals.sample.len() <= MAX_RECORDS);
        for (word, total) in &totals.totals {
            let others = totals.sample.values().filter(|record| record.only_word != Some(*word));
            let counted = WordShare::among(others, *word);
            assert_eq!((total.share.of, total.share.anywhere), (counted.of, counted.anywhere));
        }
    }

    #[test]
    fn one_total_for_every_word_gives_no_size() {
        let mut totals = learned(&records(1_500), 100, false);
        assert!(totals.result(500.0).is_some());
        totals.totals.values_mut().for_each(|total| total.stated = 1_500);
        assert_eq!(totals.result(500.0), None);
    }

    #[test]
    fn words_that_are_shown_and_not_indexed_do_not_change_the_size() {
        let label = |(id, text): (RecordId, String)| (id, format!("{text} bytes price"));
        let mut totals = learned(&records(3_000).into_iter().map(label).collect::<Vec<_>>(), 40, false);
        for (word, stated) in [("bytes", 14), ("price", 620)] {
            let word = single_word(word).unwrap();
            let share = WordShare::among(totals.sample.values(), word);
            let own = WordShare::default();
            let total = WordTotal { stated, rounding: 0.0, records: stated as f64, share, own };
            totals.totals.insert(word, total);
        }
        let found = totals.result(900.0).unwrap();
        assert!((found.size / 3_000.0 - 1.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn a_greatest_total_of_unlike_words_is_a_cap() {
        let mut totals = learned(&records(3_000), 40, false);
        for total in totals.totals.values_mut().filter(|total| total.stated > 300) {
            total.records *= 300.0 / total.stated as f64;
            total.stated = 300;
        }
        let found = totals.result(900.0).unwrap();
        assert!((found.size / 3_000.0 - 1.0).abs() < 0.15, "{found:?}");
    }

    #[test]
    fn without_totals_there_is_no_size() {
        let mut totals = TotalsEstimator::default();
        let query = Query::words("sea");
        totals.learn(&QueryOutcome {
            query: &query,
            hits: &[],
            total: None,
            pages: 1,
            end: ReadingEnd::LastPage,
        });
        assert_eq!(totals.result(500.0), None);
    }
}
