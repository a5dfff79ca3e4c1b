//! Inverted index of a collection, in memory.
//!
//! The dictionary is one sorted string with a line break before each term. Exact terms and prefixes are found by binary
//! search, substrings by scanning the string. Each term has a posting list ([`PostingLists`]).

use super::analysis::{Analysis, tokens};
use super::postings::{PostingBuilder, PostingLists};
use super::word_joiner::WordJoiner;
use crate::database::collection::Collection;
use crate::database::config::{DatabaseConfig, IndexedText, QueryOperator, UnspacedTerms, WordMatch};
use memchr::memmem;
use rustc_hash::FxHashMap;

/// Separates title and text in the indexed content; no phrase matches across it.
const FIELD_SEPARATOR: char = '\n';

/// The part of a configuration that the index depends on. Databases with equal options share an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::database) struct IndexOptions {
    pub(in crate::database) analysis: Analysis,
    indexed: IndexedText,
    with_positions: bool,
}

impl IndexOptions {
    pub(in crate::database) fn of(config: &DatabaseConfig, collection: &Collection) -> IndexOptions {
        IndexOptions {
            analysis: Analysis::of(config, collection),
            indexed: config.indexed,
            with_positions: config.operator == QueryOperator::Phrase || collection.is_unspaced(),
        }
    }
}

/// Number of a term in the sorted dictionary.
pub(super) type TermId = u32;

/// Inverted index of a collection.
pub(in crate::database) struct Index {
    pub(in crate::database) options: IndexOptions,
    /// Present if scripts without spaces are indexed by words.
    pub(in crate::database) joiner: Option<WordJoiner>,
    pub(super) record_count: u32,
    /// All terms in ascending order, a line break before each.
    dictionary: Vec<u8>,
    /// Offset of each term in `dictionary`, and a last one behind its end.
    term_starts: Vec<u32>,
    pub(super) postings: PostingLists,
    /// Length code of each record; see [`length_of_code`].
    length_codes: Vec<u8>,
    mean_length: f32,
}

impl Index {
    /// Indexes every record of a collection.
    pub(in crate::database) fn build(collection: &Collection, options: IndexOptions) -> Index {
        let is_joined = options.analysis.unspaced == UnspacedTerms::Words && collection.is_unspaced();
        let joiner = is_joined.then(|| WordJoiner::of(collection));
        let mut builder = IndexBuilder::new(options, joiner);
        for (number, record) in (0..collection.len()).filter_map(|n| Some((n, collection.record(n)?))) {
            builder.add(number, &content(record.title, record.text, options.indexed));
        }
        builder.finish()
    }

    /// Number of words of a record divided by the mean over all records. Lengths beyond 40 are rounded down.
    pub(super) fn relative_length(&self, record: u32) -> f32 {
        length_of_code(self.length_codes[record as usize]) as f32 / self.mean_length
    }

    /// Terms that a query word matches, in ascending order.
    pub(super) fn terms(&self, word: &str, word_match: WordMatch) -> Vec<TermId> {
        match word_match {
            WordMatch::Whole | WordMatch::Stemmed => self.exact(word).into_iter().collect(),
            WordMatch::Prefix => self.with_prefix(word),
            WordMatch::Substring => self.containing(word),
        }
    }

    fn exact(&self, word: &str) -> Option<TermId> {
        let term = self.first_at_least(word);
        (term < self.term_count() && self.text(term) == word.as_bytes()).then_some(term)
    }

    fn with_prefix(&self, word: &str) -> Vec<TermId> {
        let candidates = self.first_at_least(word)..self.term_count();
        candidates.take_while(|term| self.text(*term).starts_with(word.as_bytes())).collect()
    }

    fn containing(&self, word: &str) -> Vec<TermId> {
        let mut terms: Vec<TermId> = memmem::find_iter(&self.dictionary, word.as_bytes())
            .map(|at| self.term_starts.partition_point(|start| *start as usize <= at) as TermId - 1)
            .collect();
        terms.dedup();
        terms
    }

    /// First term that is not less than a word.
    fn first_at_least(&self, word: &str) -> TermId {
        let (mut low, mut high) = (0, self.term_count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.text(middle) < word.as_bytes() { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn term_count(&self) -> TermId {
        self.term_starts.len() as TermId - 1
    }

    fn text(&self, term: TermId) -> &[u8] {
        let (start, next) = (self.term_starts[term as usize], self.term_starts[term as usize + 1]);
        &self.dictionary[start as usize..next as usize - 1]
    }
}

/// Index under construction.
struct IndexBuilder {
    options: IndexOptions,
    joiner: Option<WordJoiner>,
    /// Term of each word as it is spelled in the records; `None` for words that are not indexed.
    by_spelling: FxHashMap<Box<str>, Option<TermId>>,
    /// Terms in order of first occurrence.
    by_term: FxHashMap<Box<str>, TermId>,
    lists: Vec<PostingBuilder>,
    length_codes: Vec<u8>,
    token_count: u64,
    /// Term and position of each token of the current record.
    tokens: Vec<(TermId, u32)>,
}

impl IndexBuilder {
    fn new(options: IndexOptions, joiner: Option<WordJoiner>) -> IndexBuilder {
        IndexBuilder {
            options,
            joiner,
            by_spelling: FxHashMap::default(),
            by_term: FxHashMap::default(),
            lists: Vec::new(),
            length_codes: Vec::new(),
            token_count: 0,
            tokens: Vec::new(),
        }
    }

    fn add(&mut self, record: u32, content: &str) {
        let separator = content.find(FIELD_SEPARATOR).unwrap_or(content.len());
        self.tokens.clear();
        let joiner = self.joiner.take();
        for token in tokens(content, joiner.as_ref()) {
            let Some(term) = self.term(token.word) else { continue };
            let position = self.tokens.len() as u32 + u32::from(token.at > separator);
            self.tokens.push((term, position));
        }
        self.joiner = joiner;
        self.token_count += self.tokens.len() as u64;
        self.length_codes.push(length_code(self.tokens.len() as u32));
        self.tokens.sort_unstable();
        for occurrences in self.tokens.chunk_by(|a, b| a.0 == b.0) {
            let positions = occurrences.iter().map(|(_, position)| *position);
            self.lists[occurrences[0].0 as usize].push(record, positions, self.options.with_positions);
        }
    }

    fn term(&mut self, spelling: &str) -> Option<TermId> {
        if let Some(known) = self.by_spelling.get(spelling) {
            return *known;
        }
        let term = self.options.analysis.term(spelling).map(|term| {
            let next = self.lists.len() as TermId;
            *self.by_term.entry(term.into_boxed_str()).or_insert(next)
        });
        if term == Some(self.lists.len() as TermId) {
            self.lists.push(PostingBuilder::default());
        }
        self.by_spelling.insert(spelling.into(), term);
        term
    }

    fn finish(mut self) -> Index {
        drop(self.by_spelling);
        let mut terms: Vec<(Box<str>, TermId)> = self.by_term.into_iter().collect();
        terms.sort_unstable();
        let (mut dictionary, mut term_starts) = (Vec::new(), Vec::with_capacity(terms.len() + 1));
        let mut postings = PostingLists::default();
        for (text, term) in terms {
            dictionary.push(b'\n');
            term_starts.push(dictionary.len() as u32);
            dictionary.extend_from_slice(text.as_bytes());
            postings.push(std::mem::take(&mut self.lists[term as usize]));
        }
        term_starts.push(dictionary.len() as u32 + 1);
        postings.finish();
        let record_count = self.length_codes.len() as u32;
        let mean_length = self.token_count as f32 / record_count.max(1) as f32;
        Index {
            options: self.options,
            joiner: self.joiner,
            record_count,
            dictionary,
            term_starts,
            postings,
            length_codes: self.length_codes,
            mean_length: mean_length.max(1.0),
        }
    }
}

/// Indexed content of a record.
pub(in crate::database) fn content(title: &str, text: &str, indexed: IndexedText) -> String {
    let title = title.replace(FIELD_SEPARATOR, " ");
    match indexed {
        IndexedText::Title => title,
        IndexedText::Full => format!("{title}{FIELD_SEPARATOR}{text}"),
    }
}

/// Codes below this equal the length that they represent.
const PLAIN_CODES: u32 = 24;

/// Number of words that a length code represents. Ranking needs only approximate lengths, so they are kept in
/// one byte as in Lucene (`SmallFloat.intToByte4`): up to 40 exactly, beyond with four significant bits.
fn length_of_code(code: u8) -> u32 {
    let Some(float) = u32::from(code).checked_sub(PLAIN_CODES) else { return u32::from(code) };
    let (mantissa, exponent) = (float & 7, float >> 3);
    PLAIN_CODES + if exponent == 0 { mantissa } else { (mantissa | 8) << (exponent - 1) }
}

/// Largest code with a length that does not exceed a number of words.
fn length_code(words: u32) -> u8 {
    (0..u8::MAX).find(|code| length_of_code(code + 1) > words).unwrap_or(u8::MAX)
}
