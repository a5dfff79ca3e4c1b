//! Query statistics table: the number of downloaded records that contain each word (section 3.3 of the paper), and its
//! correction for answers cut by a result cap (section 3.4).
//!
//! The table holds `N(t)`, the number of downloaded records that contain word `t`, and `|D|`, the number of downloaded
//! records. Then `P(t | q_1 or ... or q_i) = N(t) / |D|`. An update costs time only for the words of new records.
//!
//! Correction: a query `q` matches an estimated `M` records, but only the set `q'` was shown. With `q'` as a random
//! sample of the matches, the number of matches that contain `t` is `M / |q'| * |q' and t|` (equation 7). The table is
//! updated as if all matches had been downloaded (equation 6):
//!
//! ```text
//! N(t) += M / |q'| * |q' and t| - |D and q and t|
//! |D|  += M - |D and q|
//! ```

use crate::harvest::policy::lexicon::Lexicon;
use crate::harvest::record::RecordId;
use rustc_hash::FxHashMap;

/// Maximum number of records with word lists for the correction. Guess; limits memory.
const MAX_RECORDS: usize = 1_000_000;

/// Counts above this share the first rank. Limits memory of [`WordRanks`]. Guess.
const TOP_COUNT: f64 = 4_000_000.0;

/// The query statistics table.
#[derive(Default)]
pub struct QueryStatistics {
    lexicon: Lexicon,
    counts: Vec<f64>,
    is_queried: Vec<bool>,
    records: f64,
}

impl QueryStatistics {
    /// Numbers of the distinct words of a record. Counts nothing.
    pub fn words(&mut self, title: &str, text: &str) -> Vec<u32> {
        let mut words = Vec::new();
        self.lexicon.visit_record(title, text, |number, _| words.push(number));
        words
    }

    /// Counts one downloaded record.
    pub fn add_record(&mut self, words: &[u32]) {
        self.records += 1.0;
        words.iter().for_each(|word| self.add(*word, 1.0));
    }

    /// Adds `change` to the count of a word. Counts stay at 0 or above.
    fn add(&mut self, word: u32, change: f64) {
        let at = word as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0.0);
        }
        self.counts[at] = (self.counts[at] + change).max(0.0);
    }

    /// Removes a word from the candidates.
    pub fn mark_queried(&mut self, word: &str) {
        let Some(number) = self.lexicon.intern(word) else { return };
        let at = number as usize;
        if self.is_queried.len() <= at {
            self.is_queried.resize(at + 1, false);
        }
        self.is_queried[at] = true;
    }

    /// `|D|`: downloaded records, including those that a correction added.
    pub fn records(&self) -> f64 {
        self.records
    }

    /// `N(t)` of a word.
    pub fn count(&self, word: &str) -> f64 {
        self.lexicon.number(word).map_or(0.0, |number| self.count_of(number))
    }

    /// `N(t)` of a word number.
    pub fn count_of(&self, number: u32) -> f64 {
        self.counts.get(number as usize).copied().unwrap_or(0.0)
    }

    /// `P(t | q_1 or ... or q_i)`: share of downloaded records that contain a word.
    pub fn share(&self, word: &str) -> f64 {
        if self.records > 0.0 { self.count(word) / self.records } else { 0.0 }
    }

    /// Words that occurred and were not queried, as (number, `N(t)`).
    pub fn candidates(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let was_queried = |at: usize| self.is_queried.get(at).copied().unwrap_or(false);
        let counted = self.counts.iter().enumerate().filter(|(_, count)| **count > 0.0);
        counted.filter(move |(at, _)| !was_queried(*at)).map(|(at, count)| (at as u32, *count))
    }

    /// Numbers of the words.
    pub fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// Ranks of all counts.
    pub fn ranks(&self) -> WordRanks {
        let most = self.counts.iter().copied().fold(0.0, f64::max).min(TOP_COUNT) as usize;
        let mut above = vec![0u32; most + 1];
        for count in self.counts.iter().filter(|count| **count > 0.0) {
            above[(*count as usize).min(most)] += 1;
        }
        let mut words = 0;
        for slot in above.iter_mut().rev() {
            words += std::mem::replace(slot, words);
        }
        WordRanks { above }
    }
}

/// Ranks of words by their counts.
pub struct WordRanks {
    /// Number of words with a greater count, by count.
    above: Vec<u32>,
}

impl WordRanks {
    /// Rank of a word with this count: 1 plus the number of words with a greater count.
    pub fn rank(&self, count: f64) -> f64 {
        f64::from(self.above.get(count as usize).copied().unwrap_or(0)) + 1.0
    }
}

/// Words of the downloaded records, kept for the correction of cut answers.
#[derive(Default)]
pub struct DownloadedWords {
    by_record: FxHashMap<RecordId, Box<[u32]>>,
}

impl DownloadedWords {
    /// Keeps the words of a record, up to `MAX_RECORDS`.
    pub fn keep(&mut self, id: RecordId, words: &[u32]) {
        if self.by_record.len() < MAX_RECORDS {
            self.by_record.insert(id, words.into());
        }
    }

    /// Applies equations 6 and 7 for a cut answer to `query_word`: `matching` is `M`, `shown` the words of each record
    /// of `q'`.
    pub fn correct(&self, table: &mut QueryStatistics, query_word: u32, matching: f64, shown: &[Vec<u32>]) {
        let scale = matching / shown.len().max(1) as f64;
        let known: Vec<&[u32]> = self
            .by_record
            .values()
            .map(|words| &words[..])
            .filter(|words| words.contains(&query_word))
            .collect();
        let mut changes: FxHashMap<u32, f64> = FxHashMap::default();
        shown.iter().flatten().for_each(|word| *changes.entry(*word).or_default() += scale);
        known.iter().copied().flatten().for_each(|word| *changes.entry(*word).or_default() -= 1.0);
        changes.into_iter().for_each(|(word, change)| table.add(word, change));
        table.records += (matching - known.len() as f64).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds records such that each word occurs in the given number of them.
    fn add_records(table: &mut QueryStatistics, records: usize, words: &[(&str, usize)]) {
        for record in 0..records {
            let words: Vec<&str> =
                words.iter().filter(|(_, count)| record < *count).map(|(word, _)| *word).collect();
            let words = table.words("", &words.join(" "));
            table.add_record(&words);
        }
    }

    #[test]
    fn new_records_are_added_to_the_table_as_in_figure_8() {
        let mut table = QueryStatistics::default();
        add_records(&mut table, 50, &[("model", 10), ("computer", 38), ("digital", 50)]);
        assert_eq!((table.records(), table.share("model")), (50.0, 0.2));
        add_records(&mut table, 20, &[("model", 12), ("computer", 20), ("disk", 18)]);
        let counts = ["model", "computer", "disk", "digital"].map(|word| table.count(word));
        assert_eq!((counts, table.records()), ([22.0, 58.0, 18.0, 50.0], 70.0));
        assert!((table.share("model") - 0.3).abs() < 0.02);
    }

    #[test]
    fn a_rank_is_one_plus_the_number_of_more_frequent_words() {
        let mut table = QueryStatistics::default();
        add_records(&mut table, 9, &[("a", 9), ("b", 4), ("c", 4), ("d", 1)]);
        let ranks = table.ranks();
        assert_eq!(["a", "b", "c", "d"].map(|word| ranks.rank(table.count(word))), [1.0, 2.0, 2.0, 4.0]);
    }

    #[test]
    fn asked_words_are_no_candidates() {
        let mut table = QueryStatistics::default();
        table.mark_queried("absent");
        add_records(&mut table, 2, &[("a", 2), ("b", 1)]);
        table.mark_queried("a");
        let words: Vec<&str> = table.candidates().map(|(number, _)| table.lexicon().word(number)).collect();
        assert_eq!(words, ["b"]);
    }

    #[test]
    fn a_cut_answer_counts_as_if_it_were_complete() {
        let mut table = QueryStatistics::default();
        let mut downloaded = DownloadedWords::default();
        // 10 records are downloaded: 4 contain "sea", 2 of those also contain "deep".
        for (id, text) in
            ["sea deep", "sea deep", "sea", "sea", "x", "x", "x", "x", "x", "deep"].iter().enumerate()
        {
            let words = table.words("", text);
            table.add_record(&words);
            downloaded.keep(RecordId(id as u64), &words);
        }
        // 20 records match "sea". 5 are shown, 4 of them contain "deep": so 16 of the 20 do.
        let shown: Vec<Vec<u32>> =
            ["sea deep", "sea deep", "sea deep", "sea deep", "sea"].map(|text| table.words("", text)).into();
        let sea = table.lexicon().number("sea").unwrap();
        downloaded.correct(&mut table, sea, 20.0, &shown);
        // Equation 6: 3 downloaded with "deep", plus 16 with both words, minus the 2 that are in both sets.
        assert_eq!((table.count("deep"), table.count("sea"), table.records()), (17.0, 20.0, 26.0));
    }
}
