//! Evaluation of the words of a query: from words to terms to records.

use super::analysis::Analysis;
use super::index::{Index, TermId};
use super::word_joiner::WordJoiner;
use crate::database::config::{DatabaseConfig, QueryOperator, WordMatch};

/// Records in ascending order, each with the frequency of a term group.
pub(in crate::database) type Matches = Vec<(u32, u32)>;

/// Maximum number of words of a query that are evaluated. Guess; search engines have similar limits.
const MAX_WORDS: usize = 32;

/// Groups of terms that a record must contain side by side. With [`QueryOperator::Phrase`] the whole query is
/// one group. Otherwise each word is a group, and so is each run of characters in a script without spaces.
pub(in crate::database) fn term_groups(
    query: &str,
    analysis: Analysis,
    joiner: Option<&WordJoiner>,
    config: &DatabaseConfig,
) -> Vec<Vec<String>> {
    let mut groups = analysis.groups(query, joiner);
    groups.truncate(MAX_WORDS);
    if config.operator == QueryOperator::Phrase && !groups.is_empty() {
        let phrase = groups.concat();
        return vec![phrase.into_iter().take(MAX_WORDS).collect()];
    }
    groups
}

impl Index {
    /// Records that contain the words of a group side by side.
    pub(in crate::database) fn matches(&self, group: &[String], word_match: WordMatch) -> Matches {
        let slots: Vec<Vec<TermId>> = group.iter().map(|word| self.terms(word, word_match)).collect();
        match &slots[..] {
            [] => Vec::new(),
            [terms] => self.any_of(terms),
            slots => self.side_by_side(slots),
        }
    }

    /// Records that contain at least one of the terms; their frequencies add up.
    fn any_of(&self, terms: &[TermId]) -> Matches {
        let postings = terms.iter().map(|term| self.postings.record_count(*term) as usize).sum();
        if terms.len() > 1 && postings > self.record_count as usize {
            return self.any_of_frequent(terms);
        }
        let mut matches = Matches::with_capacity(postings);
        for term in terms {
            matches.extend(self.postings.entries(*term));
        }
        if terms.len() > 1 {
            matches.sort_unstable();
            matches.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    kept.1 += next.1;
                }
                is_same
            });
        }
        matches
    }

    /// [`Index::any_of`] for long posting lists, with one counter per record.
    fn any_of_frequent(&self, terms: &[TermId]) -> Matches {
        let mut frequencies = vec![0; self.record_count as usize];
        for term in terms {
            self.postings
                .entries(*term)
                .for_each(|(record, frequency)| frequencies[record as usize] += frequency);
        }
        (0..).zip(frequencies).filter(|(_, frequency): &(u32, u32)| *frequency > 0).collect()
    }

    /// Records in which terms of all slots follow each other, one term per slot. The frequency counts such sequences.
    fn side_by_side(&self, slots: &[Vec<TermId>]) -> Matches {
        let mut ends = self.occurrences(&slots[0], None);
        for slot in &slots[1..] {
            let mut records: Vec<u32> = ends.iter().map(|end| record_of(*end)).collect();
            records.dedup();
            let next = self.occurrences(slot, Some(&records));
            ends.iter_mut().for_each(|end| *end += 1);
            ends = intersection(&ends, &next);
        }
        let mut matches = Matches::new();
        for record in ends.into_iter().map(record_of) {
            match matches.last_mut() {
                Some((last, frequency)) if *last == record => *frequency += 1,
                _ => matches.push((record, 1)),
            }
        }
        matches
    }

    /// Occurrences of terms, each as `record << 32 | position`, in ascending order.
    fn occurrences(&self, terms: &[TermId], within: Option<&[u32]>) -> Vec<u64> {
        let mut occurrences = Vec::new();
        for term in terms {
            self.postings.each_position(*term, within, |record, position| {
                occurrences.push(u64::from(record) << 32 | u64::from(position));
            });
        }
        occurrences.sort_unstable();
        occurrences.dedup();
        occurrences
    }
}

fn record_of(occurrence: u64) -> u32 {
    (occurrence >> 32) as u32
}

fn intersection(one: &[u64], other: &[u64]) -> Vec<u64> {
    let mut rest = other.iter().peekable();
    let is_in_other = |wanted: &&u64| {
        while rest.next_if(|candidate| candidate < wanted).is_some() {}
        rest.next_if(|candidate| candidate == wanted).is_some()
    };
    one.iter().filter(is_in_other).copied().collect()
}
