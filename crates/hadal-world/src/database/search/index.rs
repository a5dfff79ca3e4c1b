//! The inverted index of a collection: tantivy's, in memory, in one segment.
//!
//! Document numbers are record numbers. The engine gives the dictionary, postings and positions; what a
//! question means is decided on top of them (`matching`), because result caps by a fixed order, search
//! inside words and exact totals are not among the engine's own queries.

use super::analysis::Analysis;
use super::tokens::{BORDER, Cutter};
use crate::database::collection::Collection;
use crate::database::config::{DatabaseConfig, IndexedText, QueryOperator, WordMatch};
use memchr::memmem;
use std::sync::Arc;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{
    DocSet, IndexBuilder, InvertedIndexReader, ReloadPolicy, Searcher, TERMINATED, TantivyDocument,
};

/// What an index was made with: others with the same config in this share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::database) struct IndexOptions {
    pub(in crate::database) analysis: Analysis,
    indexed: IndexedText,
    keeps_positions: bool,
    finds_inside: bool,
}

impl IndexOptions {
    pub(in crate::database) fn of(config: &DatabaseConfig, collection: &Collection) -> IndexOptions {
        IndexOptions {
            analysis: Analysis::of(config),
            indexed: config.indexed,
            keeps_positions: config.operator == QueryOperator::Phrase || collection.is_unspaced(),
            finds_inside: config.word_match == WordMatch::Substring,
        }
    }
}

/// The index of a collection.
pub(in crate::database) struct Index {
    pub(in crate::database) making: IndexOptions,
    pub(in crate::database) records: u32,
    inverted: Arc<InvertedIndexReader>,
    lengths: FieldNormReader,
    mean_length: f32,
    /// All words with a line break before each, for those who look inside words.
    spelled: Vec<u8>,
}

/// Memory that the writer lays out its tables for; the index itself grows with the collection.
const TABLES: usize = 64 << 20;

const WHY: &str = "an index in memory meets no failing disk";

impl Index {
    /// Reads every record once.
    pub(in crate::database) fn build(collection: &Collection, making: IndexOptions) -> Index {
        let (schema, field) = schema(making.keeps_positions);
        let cutter = TextAnalyzer::from(Cutter::new(making.analysis));
        let builder = IndexBuilder::new().schema(schema);
        let tokenizers = tantivy::tokenizer::TokenizerManager::new();
        tokenizers.register(OURS, cutter);
        let directory = tantivy::directory::RamDirectory::create();
        let mut writer =
            builder.tokenizers(tokenizers).single_segment_index_writer(directory, TABLES).expect(WHY);
        for record in (0..collection.len()).filter_map(|number| collection.record(number)) {
            let mut document = TantivyDocument::new();
            document.add_text(field, content(record.title, record.text, making.indexed));
            writer.add_document(document).expect(WHY);
        }
        let index = writer.finalize().expect(WHY);
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().expect(WHY);
        Index::open(&reader.searcher(), field, making)
    }

    fn open(searcher: &Searcher, field: Field, making: IndexOptions) -> Index {
        let segment = searcher.segment_reader(0);
        let inverted = segment.inverted_index(field).expect(WHY);
        let lengths = segment.get_fieldnorms_reader(field).expect(WHY);
        let mean_length = inverted.total_num_tokens() as f32 / segment.max_doc().max(1) as f32;
        let spelled = if making.finds_inside { spelled(&inverted) } else { Vec::new() };
        Index {
            making,
            records: segment.max_doc(),
            inverted,
            lengths,
            mean_length: mean_length.max(1.0),
            spelled,
        }
    }

    /// Words of a record over the mean.
    pub(in crate::database) fn relative_length(&self, record: u32) -> f32 {
        self.lengths.fieldnorm(record) as f32 / self.mean_length
    }

    /// The words of the index that a word typed stands for.
    pub(in crate::database) fn terms(&self, word: &str, how: WordMatch) -> Vec<TermInfo> {
        match how {
            WordMatch::Whole | WordMatch::Stemmed => {
                self.inverted.terms().get(word).expect(WHY).into_iter().collect()
            }
            WordMatch::Prefix => self.beginning_with(word),
            WordMatch::Substring => self.containing(word),
        }
    }

    fn beginning_with(&self, word: &str) -> Vec<TermInfo> {
        let mut stream = self.inverted.terms().range().ge(word).into_stream().expect(WHY);
        let mut found = Vec::new();
        while stream.advance() && stream.key().starts_with(word.as_bytes()) {
            found.push(stream.value().clone());
        }
        found
    }

    fn containing(&self, word: &str) -> Vec<TermInfo> {
        let (mut found, mut end) = (Vec::new(), 0);
        for at in memmem::find_iter(&self.spelled, word.as_bytes()).filter(|at| *at > 0) {
            if at < end {
                continue;
            }
            let start = self.spelled[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |line| line + 1);
            end = self.spelled[at..]
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(self.spelled.len(), |n| at + n);
            found.extend(self.inverted.terms().get(&self.spelled[start..end]).expect(WHY));
        }
        found
    }

    /// Every record with a word, in order, and how often it has it.
    pub(in crate::database) fn each_posting(&self, term: &TermInfo, mut tell: impl FnMut(u32, u32)) {
        let mut postings = self.postings(term, IndexRecordOption::WithFreqs);
        while postings.doc() != TERMINATED {
            tell(postings.doc(), postings.term_freq());
            postings.advance();
        }
    }

    /// Where a word stands in the records given, in order; `None` asks for all.
    pub(in crate::database) fn each_position(
        &self,
        term: &TermInfo,
        within: Option<&[u32]>,
        mut tell: impl FnMut(u32, u32),
    ) {
        let mut postings = self.postings(term, IndexRecordOption::WithFreqsAndPositions);
        let mut positions = Vec::new();
        let mut tell_all = |postings: &mut SegmentPostings| {
            postings.positions(&mut positions);
            positions.iter().for_each(|position| tell(postings.doc(), *position));
        };
        let Some(within) = within else {
            while postings.doc() != TERMINATED {
                tell_all(&mut postings);
                postings.advance();
            }
            return;
        };
        for record in within {
            if postings.doc() < *record {
                postings.seek(*record);
            }
            if postings.doc() == *record {
                tell_all(&mut postings);
            }
        }
    }

    fn postings(&self, term: &TermInfo, with: IndexRecordOption) -> SegmentPostings {
        self.inverted.read_postings_from_terminfo(term, with).expect(WHY)
    }
}

const OURS: &str = "ours";

fn schema(keeps_positions: bool) -> (Schema, Field) {
    let with = match keeps_positions {
        true => IndexRecordOption::WithFreqsAndPositions,
        false => IndexRecordOption::WithFreqs,
    };
    let indexing = TextFieldIndexing::default().set_tokenizer(OURS).set_index_option(with);
    let mut schema = Schema::builder();
    let field = schema.add_text_field("words", TextOptions::default().set_indexing_options(indexing));
    (schema.build(), field)
}

/// What of a record is searched.
pub(in crate::database) fn content(title: &str, text: &str, indexed: IndexedText) -> String {
    let title = title.replace(BORDER, " ");
    match indexed {
        IndexedText::Title => title,
        IndexedText::Full => format!("{title}{BORDER}{text}"),
    }
}

fn spelled(inverted: &InvertedIndexReader) -> Vec<u8> {
    let mut all = Vec::new();
    let mut stream = inverted.terms().stream().expect(WHY);
    while stream.advance() {
        all.push(b'\n');
        all.extend_from_slice(stream.key());
    }
    all
}
