//! The query statistics table: in how many downloaded records each word stands (section 3.3 of the paper).
//!
//! Only what a query newly brought is added to it, so the table costs the words of new records and no more.

use crate::harvest::policy::lexicon::Lexicon;

/// Counts of words over the records downloaded.
#[derive(Default)]
pub struct Table {
    lexicon: Lexicon,
    counts: Vec<f64>,
    asked: Vec<bool>,
    records: f64,
}

impl Table {
    /// The words of a record, each once; nothing is counted yet.
    pub fn words(&mut self, title: &str, text: &str) -> Vec<u32> {
        let mut words = Vec::new();
        self.lexicon.each_of_record(title, text, |number, _| words.push(number));
        words
    }

    /// Adds one new record.
    pub fn add_record(&mut self, words: &[u32]) {
        self.records += 1.0;
        words.iter().for_each(|word| self.add(*word, 1.0));
    }

    /// Adds to the count of a word; it never falls below nothing.
    pub fn add(&mut self, word: u32, more: f64) {
        let at = word as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0.0);
        }
        self.counts[at] = (self.counts[at] + more).max(0.0);
    }

    /// Adds records that were not downloaded themselves.
    pub fn add_unread(&mut self, records: f64) {
        self.records += records.max(0.0);
    }

    /// Notes that a word was asked and is no candidate any more.
    pub fn mark_asked(&mut self, word: &str) {
        let Some(number) = self.lexicon.admit(word) else { return };
        let at = number as usize;
        if self.asked.len() <= at {
            self.asked.resize(at + 1, false);
        }
        self.asked[at] = true;
    }

    /// Records downloaded, those estimated included.
    pub fn records(&self) -> f64 {
        self.records
    }

    /// Downloaded records with a word: N(t).
    pub fn count(&self, word: &str) -> f64 {
        self.lexicon.number(word).map_or(0.0, |number| self.count_of(number))
    }

    /// The same by number.
    pub fn count_of(&self, number: u32) -> f64 {
        self.counts.get(number as usize).copied().unwrap_or(0.0)
    }

    /// P(t | everything asked): the share of downloaded records with a word.
    pub fn share(&self, word: &str) -> f64 {
        if self.records > 0.0 { self.count(word) / self.records } else { 0.0 }
    }

    /// Words that were met and not asked, with their counts.
    pub fn candidates(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let is_asked = |at: usize| self.asked.get(at).copied().unwrap_or(false);
        let counted = self.counts.iter().enumerate().filter(|(_, count)| **count > 0.0);
        counted.filter(move |(at, _)| !is_asked(*at)).map(|(at, count)| (at as u32, *count))
    }

    /// The words by number.
    pub fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// Rank of every count, 1 for the greatest: how many words are met in more records, plus one.
    pub fn ranks(&self) -> Ranks {
        let most = self.counts.iter().copied().fold(0.0, f64::max).min(TOP_COUNT) as usize;
        let mut above = vec![0u32; most + 1];
        for count in self.counts.iter().filter(|count| **count > 0.0) {
            above[(*count as usize).min(most)] += 1;
        }
        let mut words = 0;
        for slot in above.iter_mut().rev() {
            words += std::mem::replace(slot, words);
        }
        Ranks { above }
    }
}

/// Counts beyond this share the first ranks.
const TOP_COUNT: f64 = 4_000_000.0;

/// How many words are more frequent than a count.
pub struct Ranks {
    above: Vec<u32>,
}

impl Ranks {
    /// The rank of a word that so many records have.
    pub fn rank(&self, count: f64) -> f64 {
        f64::from(self.above.get(count as usize).copied().unwrap_or(0)) + 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records such that each word stands in as many as are given.
    fn add_records(table: &mut Table, records: usize, words: &[(&str, usize)]) {
        for record in 0..records {
            let words: Vec<&str> =
                words.iter().filter(|(_, count)| record < *count).map(|(word, _)| *word).collect();
            let words = table.words("", &words.join(" "));
            table.add_record(&words);
        }
    }

    #[test]
    fn new_records_are_added_to_the_table_as_in_figure_8() {
        let mut table = Table::default();
        add_records(&mut table, 50, &[("model", 10), ("computer", 38), ("digital", 50)]);
        assert_eq!((table.records(), table.share("model")), (50.0, 0.2));
        add_records(&mut table, 20, &[("model", 12), ("computer", 20), ("disk", 18)]);
        let counts = ["model", "computer", "disk", "digital"].map(|word| table.count(word));
        assert_eq!((counts, table.records()), ([22.0, 58.0, 18.0, 50.0], 70.0));
        assert!((table.share("model") - 0.3).abs() < 0.02);
    }

    #[test]
    fn ranks_count_the_words_that_are_more_frequent() {
        let mut table = Table::default();
        add_records(&mut table, 9, &[("a", 9), ("b", 4), ("c", 4), ("d", 1)]);
        let ranks = table.ranks();
        assert_eq!(["a", "b", "c", "d"].map(|word| ranks.rank(table.count(word))), [1.0, 2.0, 2.0, 4.0]);
    }

    #[test]
    fn asked_words_are_no_candidates() {
        let mut table = Table::default();
        table.mark_asked("unmet");
        add_records(&mut table, 2, &[("a", 2), ("b", 1)]);
        table.mark_asked("a");
        let words: Vec<&str> = table.candidates().map(|(number, _)| table.lexicon().word(number)).collect();
        assert_eq!(words, ["b"]);
    }
}
