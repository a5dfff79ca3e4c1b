//! Words that pages, links and records consist of.
//!
//! Each subject has a few names, more terms, and words of its two types of deep sites. One background list serves all
//! other text. Word frequencies follow Zipf's law over the order of a list.
//!
//! `subjects.txt` has five lines per subject: name and focus, names, terms, words of the seeded type, words of the
//! unseeded type. `background.txt` is a plain word list.

use crate::random::SeededRng;
use crate::site::profile::SiteRole;
use std::sync::LazyLock;

/// Number of words of a site type that links are made of. Guess.
const LINK_WORDS: usize = 6;

/// Words for searching, independent of the subject.
pub(crate) const SEARCH_WORDS: [&str; 8] =
    ["search", "advanced", "find", "finder", "browse", "lookup", "database", "query"];

/// Number of subjects that are topics of a crawl. They are the first ones of the lexicon.
pub(crate) const TOPIC_COUNT: usize = 12;

/// Names of the topics, in the order of their subjects.
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

/// Words of content sites, independent of the subject.
pub(crate) const CONTENT_SITE_WORDS: [&str; 24] = [
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

/// Invented towns. Forms offer them as values, and each record has one.
pub(crate) const TOWNS: [&str; 32] = [
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

/// Words of one subject.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// Share of the subject's own words in texts about it, in percent of the usual share.
    pub(crate) focus: u64,
    /// Words that name the subject.
    pub(crate) names: Vec<&'static str>,
    /// Names, other terms, then words of the two site types; most frequent first.
    pub(crate) terms: Vec<&'static str>,
    /// Number of terms before the words of the site types.
    general_count: usize,
    /// Words of the seeded site type.
    pub(crate) seeded: Vec<&'static str>,
    /// Words of the unseeded site type.
    pub(crate) unseeded: Vec<&'static str>,
    zipf: ZipfTable,
}

impl Subject {
    /// Random term that neither names the subject nor belongs to a site type.
    pub(crate) fn general_term(&self, rng: &mut SeededRng) -> &'static str {
        rng.pick(&self.terms[self.names.len()..self.general_count])
    }

    /// Words used in links to sites of a role.
    pub(crate) fn link_words(&self, role: SiteRole) -> &[&'static str] {
        match role {
            SiteRole::Seeded => &self.seeded[..LINK_WORDS.min(self.seeded.len())],
            SiteRole::Unseeded => &self.unseeded[..LINK_WORDS.min(self.unseeded.len())],
            SiteRole::Content | SiteRole::Hub => &self.names,
        }
    }

    /// Term drawn by frequency.
    pub(crate) fn term(&self, bits: u64) -> &'static str {
        self.terms[self.zipf.rank(bits)]
    }

    /// Rank of a term by frequency, from 0.
    pub(crate) fn rank_of(&self, word: &str) -> Option<usize> {
        self.terms.iter().position(|term| *term == word)
    }

    /// Rank of a term that is drawn by frequency.
    pub(crate) fn term_rank(&self, bits: u64) -> usize {
        self.zipf.rank(bits)
    }
}

/// Words of all subjects, and background words.
pub(crate) struct Lexicon {
    pub(crate) subjects: Vec<Subject>,
    background: Vec<&'static str>,
    zipf: ZipfTable,
}

impl Lexicon {
    /// Background word drawn by frequency.
    pub(crate) fn background(&self, bits: u64) -> &'static str {
        self.background[self.zipf.rank(bits)]
    }
}

/// Table that draws ranks by Zipf's law with one look-up: 4096 equally likely cells, each with a rank. Rank
/// `r` has weight `1 / (r + 2.7)`.
struct ZipfTable(Vec<u16>);

impl ZipfTable {
    /// Cells of the table. Guess.
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

/// The lexicon, read on first use.
pub(crate) fn lexicon() -> &'static Lexicon {
    &LEXICON
}

fn read() -> Lexicon {
    let lines: Vec<&str> = include_str!("subjects.txt").lines().collect();
    let subjects: Vec<Subject> = lines.chunks_exact(5).map(subject).collect();
    // Background text contains no term of a topic, because real texts are not about all topics at once.
    let neutral = |word: &&str| {
        let (topics, others) = subjects.split_at(TOPIC_COUNT);
        !topics.iter().any(|s| s.terms.contains(word)) && !others.iter().any(|s| s.names.contains(word))
    };
    let background: Vec<&str> = include_str!("background.txt").split_whitespace().filter(neutral).collect();
    let zipf = ZipfTable::over(background.len());
    Lexicon { subjects, background, zipf }
}

fn subject(lines: &[&'static str]) -> Subject {
    let list = |n: usize| -> Vec<&'static str> { lines[n].split_whitespace().skip(1).collect() };
    let (names, seeded, unseeded) = (list(1), list(3), list(4));
    let is_type_word = |word: &&str| seeded.contains(word) || unseeded.contains(word);
    let mut terms = names.clone();
    terms.extend(list(2).into_iter().filter(|word| !is_type_word(word) && !names.contains(word)));
    let general_count = terms.len();
    for word in seeded.iter().chain(&unseeded) {
        if !terms.contains(word) {
            terms.push(word);
        }
    }
    let zipf = ZipfTable::over(terms.len());
    let (name, focus) = lines[0].split_once(' ').unwrap_or((lines[0], ""));
    let focus = focus.parse().unwrap_or(100);
    Subject { name, focus, names, terms, general_count, seeded, unseeded, zipf }
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
            assert!(!lexicon.subjects.iter().any(|s| s.names.contains(&word)), "{word}");
        }
    }

    #[test]
    fn frequent_terms_are_drawn_more_often() {
        let zipf = ZipfTable::over(50);
        let count = |rank| (0..4096).filter(|&bits| zipf.rank(bits) == rank).count();
        assert!(count(0) > 2 * count(10) && count(10) > 2 * count(49) && count(49) > 0);
    }
}
