//! Sections of one document that look like records.
//!
//! A form that looks documents up by name answers with a single document, such as a manual page or the entry of a
//! dictionary. Answers to other words then show sections with the same titles, in the same order, and with other text.
//! Records of a list do not: equal titles stand for other records in another order.

use super::records::RawRecord;
use std::collections::VecDeque;
use xxhash_rust::xxh3::xxh3_64;

/// Answers that are remembered. Guess.
const MAX_ANSWERS: usize = 8;
/// Shared titles from which one earlier answer is enough; fewer need two earlier answers. Guess.
const MIN_SHARED: usize = 3;
/// Sections compared of one answer. Guess.
const MAX_SECTIONS: usize = 64;

/// Titles and texts of the latest answers that have no links to records.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SectionTitles {
    answers: VecDeque<Vec<(u64, u64)>>,
}

impl SectionTitles {
    /// Remembers an answer. Answers with links, and with one title twice, are lists.
    pub(super) fn learn(&mut self, records: &[RawRecord]) {
        if let Some(titles) = titles_of(records).filter(|titles| !self.answers.contains(titles)) {
            self.answers.truncate(MAX_ANSWERS - 1);
            self.answers.push_front(titles);
        }
    }

    /// Returns true if the records of an answer have the titles of earlier answers, in their order, with other text.
    pub(super) fn are_sections(&self, records: &[RawRecord]) -> bool {
        let Some(titles) = titles_of(records) else { return false };
        let shared = self.answers.iter().filter_map(|earlier| shared_titles(earlier, &titles));
        shared.map(|shared| if shared >= MIN_SHARED { 2 } else { 1 }).sum::<usize>() >= 2
    }
}

/// Hashes of title and text of each record; `None` unless there are several distinct titles, all without a link.
fn titles_of(records: &[RawRecord]) -> Option<Vec<(u64, u64)>> {
    let hash = |text: &str| xxh3_64(text.trim().as_bytes());
    let sections = records.iter().take(MAX_SECTIONS);
    let titles: Vec<(u64, u64)> = sections.map(|record| (hash(&record.title), hash(&record.text))).collect();
    let mut distinct: Vec<u64> = titles.iter().map(|(title, _)| *title).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let is_linkless = records.iter().all(|record| record.url.is_none());
    (is_linkless && titles.len() > 1 && distinct.len() == titles.len()).then_some(titles)
}

/// Number of titles that two answers share, at least two and half of those of the shorter answer. `None` if there are
/// fewer, if their order differs, or if a section has the same text in both.
fn shared_titles(earlier: &[(u64, u64)], later: &[(u64, u64)]) -> Option<usize> {
    let place = |title: u64| earlier.iter().position(|(other, _)| *other == title);
    let shared: Vec<(usize, u64)> =
        later.iter().filter_map(|(title, text)| place(*title).zip(Some(*text))).collect();
    let is_ordered = shared.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let is_other_text = shared.iter().all(|(at, text)| earlier[*at].1 != *text);
    let is_enough = shared.len() > 1 && 2 * shared.len() >= earlier.len().min(later.len());
    (is_ordered && is_other_text && is_enough).then_some(shared.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(records: &[(&str, &str)]) -> Vec<RawRecord> {
        let record = |(title, text): &(&str, &str)| RawRecord {
            url: None,
            title: title.to_string(),
            text: text.to_string(),
            fields: super::super::records::RecordFields::default(),
        };
        records.iter().map(record).collect()
    }

    #[test]
    fn titles_that_come_back_in_order_with_other_text_are_sections() {
        let mut sections = SectionTitles::default();
        let find = answer(&[("NAME", "find"), ("SYNOPSIS", "find [path]"), ("OPTIONS", "-name")]);
        assert!(!sections.are_sections(&find), "one answer tells nothing");
        sections.learn(&find);
        let sort =
            answer(&[("NAME", "sort"), ("SYNOPSIS", "sort [file]"), ("BUGS", "none"), ("OPTIONS", "-n")]);
        assert!(sections.are_sections(&sort));
        assert!(!sections.are_sections(&find), "records that are shown again");
        let other_order = answer(&[("SYNOPSIS", "sort [file]"), ("NAME", "sort"), ("OPTIONS", "-n")]);
        assert!(!sections.are_sections(&other_order));
    }

    #[test]
    fn two_shared_titles_need_two_earlier_answers() {
        let mut sections = SectionTitles::default();
        sections.learn(&answer(&[("NAME", "a"), ("SYNOPSIS", "a [x]")]));
        let later = answer(&[("NAME", "c"), ("SYNOPSIS", "c [x]")]);
        assert!(!sections.are_sections(&later));
        sections.learn(&answer(&[("NAME", "b"), ("SYNOPSIS", "b [x]")]));
        assert!(sections.are_sections(&later));
    }

    #[test]
    fn titles_that_an_answer_shows_twice_are_those_of_records() {
        let cars = answer(&[("Ford Focus", "red"), ("Ford Focus", "blue"), ("Ford Ka", "old")]);
        let mut sections = SectionTitles::default();
        sections.learn(&cars);
        assert_eq!(sections, SectionTitles::default());
    }
}
