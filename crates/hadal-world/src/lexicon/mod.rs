//! The vocabulary: what pages, anchors and records are written with.
//!
//! Per subject a few *signs* (the words that name it), more terms, and the words of its two kinds of
//! site; one background list for everything else. Frequencies follow ZipfTable's law over list order.

use crate::random::SeededRng;
use crate::site::profile::SiteRole;
use std::sync::LazyLock;

/// Words of a kind of site that links are made of.
const LEADS: usize = 6;

/// Words that announce a search, whatever is searched.
pub(crate) const SEARCHING: [&str; 8] =
    ["search", "advanced", "find", "finder", "browse", "lookup", "database", "query"];

/// How many subjects are topics of a crawl; they come first in [`lexicon`].
pub(crate) const TOPIC_COUNT: usize = 12;

/// HostNames of the topics, in the order of their subjects.
pub(crate) const TOPICS: [&str; TOPIC_COUNT] = [
    "airfare",
    "auto",
    "book",
    "hotel",
    "job",
    "movie",
    "music",
    "rental",
    "apartment",
    "route",
    "product",
    "people",
];

/// Words of sites that write about things, whatever they are.
pub(crate) const WRITING: [&str; 24] = [
    "news",
    "article",
    "events",
    "archive",
    "community",
    "posted",
    "comments",
    "review",
    "editor",
    "opinion",
    "conference",
    "interview",
    "forum",
    "reader",
    "column",
    "history",
    "issue",
    "policy",
    "report",
    "topic",
    "project",
    "school",
    "technology",
    "quality",
];

/// Invented towns: values people type into forms, so records must hold them.
pub(crate) const PLACES: [&str; 32] = [
    "velmora",
    "tarsk",
    "dunwick",
    "oresund",
    "calpera",
    "norholm",
    "estivale",
    "brinmouth",
    "quillan",
    "marrowby",
    "sandrova",
    "feldkirk",
    "altamere",
    "jorvale",
    "pinhasset",
    "lowick",
    "graustadt",
    "ombria",
    "tessaly",
    "kirrin",
    "halvern",
    "port-ellis",
    "saltmarsh",
    "viremont",
    "corvane",
    "redmoor",
    "astergate",
    "lindisfell",
    "bellona",
    "thornaby",
    "uskdale",
    "wexmoor",
];

/// The words of one subject.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// How much of a text about it is in its own words, in percent of the usual.
    pub(crate) focus: u64,
    /// Words that name the subject.
    pub(crate) sign: Vec<&'static str>,
    /// Signs and all other terms, most frequent first; last those of its two kinds of site.
    pub(crate) terms: Vec<&'static str>,
    /// How many of the terms belong to no kind of site.
    pub(crate) shared: usize,
    /// Words of the kind of site that seeds come from.
    pub(crate) seeded: Vec<&'static str>,
    /// Words of the kind of site that holds most databases.
    pub(crate) major: Vec<&'static str>,
    zipf: ZipfTable,
}

impl Subject {
    /// A term that does not name the subject and belongs to no kind of site.
    pub(crate) fn passing_term(&self, rng: &mut SeededRng) -> &'static str {
        rng.pick(&self.terms[self.sign.len()..self.shared])
    }

    /// Words that name a kind of site, in links to its databases above all.
    pub(crate) fn leads(&self, role: SiteRole) -> &[&'static str] {
        match role {
            SiteRole::Seeded => &self.seeded[..LEADS.min(self.seeded.len())],
            SiteRole::Major => &self.major[..LEADS.min(self.major.len())],
            SiteRole::Content | SiteRole::Directory => &self.sign,
        }
    }

    /// A term, frequent ones more often.
    pub(crate) fn term(&self, bits: u64) -> &'static str {
        self.terms[self.zipf.rank(bits)]
    }

    /// Rank of a term, as [`Subject::term_rank`] gives it.
    pub(crate) fn rank_of(&self, word: &str) -> Option<usize> {
        self.terms.iter().position(|term| *term == word)
    }

    /// Rank of a term drawn by frequency.
    pub(crate) fn term_rank(&self, bits: u64) -> usize {
        self.zipf.rank(bits)
    }
}

/// All words.
pub(crate) struct Lexicon {
    pub(crate) subjects: Vec<Subject>,
    background: Vec<&'static str>,
    zipf: ZipfTable,
}

impl Lexicon {
    /// A word that says nothing about any subject.
    pub(crate) fn background(&self, bits: u64) -> &'static str {
        self.background[self.zipf.rank(bits)]
    }
}

/// Draws ranks by ZipfTable's law with one look-up: 4096 equally likely cells, each holding a rank.
struct ZipfTable(Vec<u16>);

impl ZipfTable {
    const CELLS: usize = 4096;

    fn over(length: usize) -> ZipfTable {
        let weight = |rank: usize| 1.0 / (rank as f64 + 2.7);
        let total: f64 = (0..length).map(weight).sum();
        let mut cells = Vec::with_capacity(Self::CELLS);
        let mut reached = 0.0;
        for rank in 0..length {
            reached += weight(rank) / total;
            let upto = (reached * Self::CELLS as f64).round() as usize;
            cells.resize(upto.clamp(cells.len(), Self::CELLS), rank as u16);
        }
        cells.resize(Self::CELLS, length.saturating_sub(1) as u16);
        ZipfTable(cells)
    }

    fn rank(&self, bits: u64) -> usize {
        usize::from(self.0[bits as usize % Self::CELLS])
    }
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(read);

/// The vocabulary, read once.
pub(crate) fn lexicon() -> &'static Lexicon {
    &LEXICON
}

fn read() -> Lexicon {
    let lines: Vec<&str> = include_str!("subjects.txt").lines().collect();
    let subjects: Vec<Subject> = lines.chunks_exact(5).map(subject).collect();
    // What a topic is written with is left to the topic: real texts are not about everything at once.
    let neutral = |word: &&str| {
        let (topics, others) = subjects.split_at(TOPIC_COUNT);
        !topics.iter().any(|s| s.terms.contains(word)) && !others.iter().any(|s| s.sign.contains(word))
    };
    let background: Vec<&str> = include_str!("background.txt").split_whitespace().filter(neutral).collect();
    let zipf = ZipfTable::over(background.len());
    Lexicon { subjects, background, zipf }
}

fn subject(lines: &[&'static str]) -> Subject {
    let list = |n: usize| -> Vec<&'static str> { lines[n].split_whitespace().skip(1).collect() };
    let (sign, seeded, major) = (list(1), list(3), list(4));
    let of_a_kind = |word: &&str| seeded.contains(word) || major.contains(word);
    let mut terms = sign.clone();
    terms.extend(list(2).into_iter().filter(|word| !of_a_kind(word) && !sign.contains(word)));
    let shared = terms.len();
    for word in seeded.iter().chain(&major) {
        if !terms.contains(word) {
            terms.push(word);
        }
    }
    let zipf = ZipfTable::over(terms.len());
    let (name, focus) = lines[0].split_once(' ').unwrap_or((lines[0], ""));
    Subject { name, focus: focus.parse().unwrap_or(100), sign, terms, shared, seeded, major, zipf }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topics_are_the_first_subjects() {
        let names: Vec<&str> = lexicon().subjects.iter().map(|s| s.name).take(TOPIC_COUNT).collect();
        assert_eq!(names, TOPICS);
        assert!(lexicon().subjects.len() > TOPIC_COUNT + 5);
    }

    #[test]
    fn background_words_name_no_subject() {
        let lexicon = lexicon();
        for cell in 0..4096 {
            let word = lexicon.background(cell);
            assert!(!lexicon.subjects.iter().any(|s| s.sign.contains(&word)), "{word}");
        }
    }

    #[test]
    fn frequent_terms_are_drawn_more_often() {
        let zipf = ZipfTable::over(50);
        let count = |rank| (0..4096).filter(|&bits| zipf.rank(bits) == rank).count();
        assert!(count(0) > 2 * count(10) && count(10) > 2 * count(49) && count(49) > 0);
    }
}
