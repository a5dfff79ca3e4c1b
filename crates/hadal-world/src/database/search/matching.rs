//! Which records a question fits, and how well: sets of records out of postings.

use super::analysis::Analysis;
use super::index::Index;
use crate::database::config::{DatabaseConfig, QueryOperator, WordMatch};
use tantivy::postings::TermInfo;

/// Records in order, each with how often it has what was looked for.
pub(in crate::database) type Matches = Vec<(u32, u32)>;

/// Words beyond these are not looked at, as engines do with questions of a page's length.
const MOST_WORDS: usize = 32;

/// What was typed, as the database takes it: groups of words that must stand together.
pub(in crate::database) fn groups(
    typed: &str,
    analysis: Analysis,
    config: &DatabaseConfig,
) -> Vec<Vec<String>> {
    let mut groups = analysis.groups(typed);
    groups.truncate(MOST_WORDS);
    if config.operator == QueryOperator::Phrase && !groups.is_empty() {
        let whole = groups.concat();
        return vec![whole.into_iter().take(MOST_WORDS).collect()];
    }
    groups
}

impl Index {
    /// Records that have the words of a group side by side.
    pub(in crate::database) fn matches(&self, group: &[String], how: WordMatch) -> Matches {
        let slots: Vec<Vec<TermInfo>> = group.iter().map(|word| self.terms(word, how)).collect();
        match &slots[..] {
            [] => Vec::new(),
            [terms] => self.any_of(terms),
            slots => self.side_by_side(slots),
        }
    }

    fn any_of(&self, terms: &[TermInfo]) -> Matches {
        let postings = terms.iter().map(|term| term.doc_freq as usize).sum();
        if terms.len() > 1 && postings > self.records as usize {
            return self.any_of_many(terms);
        }
        let mut matches = Matches::with_capacity(postings);
        for term in terms {
            self.each_posting(term, |record, times| matches.push((record, times)));
        }
        if terms.len() > 1 {
            matches.sort_unstable();
            matches.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
        }
        matches
    }

    /// The same, with a place for every record.
    fn any_of_many(&self, terms: &[TermInfo]) -> Matches {
        let mut times = vec![0; self.records as usize];
        for term in terms {
            self.each_posting(term, |record, more| times[record as usize] += more);
        }
        (0..).zip(times).filter(|(_, times)| *times > 0).collect()
    }

    fn side_by_side(&self, slots: &[Vec<TermInfo>]) -> Matches {
        let mut ends = self.places(&slots[0], None);
        for slot in &slots[1..] {
            let mut records: Vec<u32> = ends.iter().map(|place| record_of(*place)).collect();
            records.dedup();
            let next = self.places(slot, Some(&records));
            ends.iter_mut().for_each(|place| *place += 1);
            ends = in_both(&ends, &next);
        }
        let mut matches = Matches::new();
        for record in ends.into_iter().map(record_of) {
            match matches.last_mut() {
                Some((last, times)) if *last == record => *times += 1,
                _ => matches.push((record, 1)),
            }
        }
        matches
    }

    /// Record and position in one number, in order.
    fn places(&self, terms: &[TermInfo], within: Option<&[u32]>) -> Vec<u64> {
        let mut places = Vec::new();
        for term in terms {
            self.each_position(term, within, |record, position| {
                places.push(u64::from(record) << 32 | u64::from(position));
            });
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

fn record_of(place: u64) -> u32 {
    (place >> 32) as u32
}

fn in_both(one: &[u64], other: &[u64]) -> Vec<u64> {
    let mut rest = other.iter().peekable();
    let is_there = |place: &&u64| {
        while rest.next_if(|candidate| candidate < place).is_some() {}
        rest.next_if(|candidate| candidate == place).is_some()
    };
    one.iter().filter(is_there).copied().collect()
}
