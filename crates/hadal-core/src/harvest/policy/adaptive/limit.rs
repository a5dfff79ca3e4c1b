//! Answers that the form cut off, made up for (section 3.4 of the paper).
//!
//! Of a cut answer only some records came. Taken for a random sample of all that match, they tell how often
//! each word stands in the rest (equation 7), and the table is corrected as if all had come (equation 6).

use super::table::Table;
use crate::harvest::record::RecordId;
use rustc_hash::FxHashMap;

/// Records whose words are kept; beyond them nothing is corrected.
const MOST_RECORDS: usize = 1_000_000;

/// The words of every downloaded record.
#[derive(Default)]
pub struct Downloaded {
    words: FxHashMap<RecordId, Box<[u32]>>,
}

impl Downloaded {
    /// Keeps the words of a record.
    pub fn keep(&mut self, id: RecordId, words: &[u32]) {
        if self.words.len() < MOST_RECORDS {
            self.words.insert(id, words.into());
        }
    }

    /// Takes a cut answer to `asked` into the table. `matching` records are estimated to answer it, of which
    /// `came` came, each given by its words.
    pub fn correct(&self, table: &mut Table, asked: u32, matching: f64, came: &[Vec<u32>]) {
        let scale = matching / came.len().max(1) as f64;
        let known: Vec<&[u32]> =
            self.words.values().map(|words| &words[..]).filter(|words| words.contains(&asked)).collect();
        let mut more: FxHashMap<u32, f64> = FxHashMap::default();
        came.iter().flatten().for_each(|word| *more.entry(*word).or_default() += scale);
        known.iter().copied().flatten().for_each(|word| *more.entry(*word).or_default() -= 1.0);
        more.into_iter().for_each(|(word, more)| table.add(word, more));
        table.add_unread(matching - known.len() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_answer_counts_as_if_all_of_it_had_come() {
        let mut table = Table::default();
        let mut downloaded = Downloaded::default();
        // 10 records are known, 4 of them with "sea", of these 2 with "deep".
        for (id, text) in
            ["sea deep", "sea deep", "sea", "sea", "x", "x", "x", "x", "x", "deep"].iter().enumerate()
        {
            let words = table.words("", text);
            table.add_record(&words);
            downloaded.keep(RecordId(id as u64), &words);
        }
        // 20 match "sea"; 5 came, 4 of them with "deep": 16 of the 20 have it.
        let came: Vec<Vec<u32>> =
            ["sea deep", "sea deep", "sea deep", "sea deep", "sea"].map(|text| table.words("", text)).into();
        let sea = table.lexicon().number("sea").unwrap();
        downloaded.correct(&mut table, sea, 20.0, &came);
        // Equation 6: 3 known with "deep", 16 with both, less the 2 that are in both.
        assert_eq!((table.count("deep"), table.count("sea"), table.records()), (17.0, 20.0, 26.0));
    }
}
