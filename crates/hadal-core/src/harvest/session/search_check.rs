//! Detects forms that do not search.
//!
//! There are three signs:
//!
//! 1. The first answers hold the same records whatever the query is, the answer to the calibration query included.
//! 2. Only one answer seemed to have records, and these were something else, such as teasers: after training on
//!    [`COMPARED_ANSWERS`] answers the reader finds no record on that page.
//! 3. All answers have the text of the answer to the calibration query, and none states that nothing was found. Then
//!    the server does not search, but a script of the page may. This sign counts if no record was found, or if the
//!    answer to the calibration query lists records and has a next page.
//!
//! A form that does not search may still answer with the list of all records, page by page. Such a list is harvested.

use super::form_reader::FormReader;
use crate::critic::page_kind::answer_kinds;
use crate::harvest::answer::{Answer, AnswerKind, lists_records};
use crate::harvest::query::Query;
use crate::html::Document;
use crate::page::Page;
use xxhash_rust::xxh3::xxh3_64;

/// Number of answers that are compared before a form counts as one that does not search. Guess: more than one, because
/// the first word may be a stop word.
const COMPARED_ANSWERS: usize = 4;

/// Evidence about the first answers of a form.
#[derive(Default)]
pub struct SearchCheck {
    /// Hashes of the records on the first pages of the first answers.
    first_pages: Vec<u64>,
    unconfirmed: UnconfirmedAnswer,
    texts: AnswerTexts,
    /// Text of the entry page.
    entry_text: String,
    /// The answer to the calibration query lists records and has a next page.
    lists_records: bool,
}

/// Comparison of the texts of all answers with that of the calibration query.
#[derive(Default)]
struct AnswerTexts {
    /// Text of the answer to the calibration query, and the words of that query.
    calibration: Option<(String, String)>,
    /// Answers with the same text.
    same: usize,
    /// An answer has another text, or states that nothing was found.
    depend_on_query: bool,
}

impl AnswerTexts {
    fn add(&mut self, document: &Document, status: u16, query: &Query) {
        if self.depend_on_query {
            return;
        }
        let page = &document.page;
        let states_nothing = || answer_kinds(page, status, &page.text, &query.words).no_results.holds();
        self.depend_on_query = !self.equals_calibration(document, query) || states_nothing();
        self.same += 1;
    }

    fn equals_calibration(&self, document: &Document, query: &Query) -> bool {
        self.calibration.as_ref().is_some_and(|(text, words)| {
            let words = format!("{words} {}", query.words);
            letters_without(text, &words) == letters_without(&document.page.text, &words)
        })
    }
}

/// Letters of a text in lower case, without these words.
fn letters_without(text: &str, words: &str) -> String {
    let words = words.split_whitespace().map(str::to_lowercase);
    let text = words.fold(text.to_lowercase(), |text, word| text.replace(word.as_str(), ""));
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

/// The first answer with records, until a second one confirms it.
#[derive(Default)]
struct UnconfirmedAnswer {
    first: Option<Box<(Document, u16, Query)>>,
    is_confirmed: bool,
}

impl SearchCheck {
    /// Adds the first page of an answer. `queries` is the number of finished queries.
    pub fn add_first_page(&mut self, answer: &Answer, queries: u32) {
        if self.first_pages.len() < COMPARED_ANSWERS {
            let ids: Vec<u8> = answer.records.iter().flat_map(|record| record.id.0.to_le_bytes()).collect();
            // Answers without records must not count as equal, so each gets a key of its own.
            let own_key = queries + u32::try_from(self.first_pages.len()).unwrap_or(u32::MAX);
            let key = if ids.is_empty() { u64::from(own_key) } else { xxh3_64(&ids) };
            self.first_pages.push(key);
        }
    }

    /// True if the first answers all hold the same records.
    pub fn are_first_pages_alike(&self) -> bool {
        let is_first = |page: &u64| *page == self.first_pages[0];
        self.first_pages.len() == COMPARED_ANSWERS && self.first_pages.iter().all(is_first)
    }

    /// Keeps the answer to the calibration query.
    pub fn add_calibration(&mut self, document: &Document, query: &Query) {
        self.texts.calibration = Some((document.page.text.clone(), query.words.clone()));
        self.lists_records = lists_records(document);
    }

    /// Keeps the text of the entry page.
    pub fn add_entry_page(&mut self, page: &Page) {
        self.entry_text.clone_from(&page.text);
    }

    /// Returns true if an answer equals that to the calibration query, and the entry page shows its records too: then
    /// they are parts of the site and no records.
    pub fn shows_site_only(&self, document: &Document, query: &Query, answer: &Answer) -> bool {
        !answer.records.is_empty()
            && answer.records.iter().all(|record| self.entry_text.contains(record.title.as_str()))
            && self.texts.equals_calibration(document, query)
    }

    /// Returns true if a query that matches nothing is answered with a list of records that continues. If all answers
    /// are alike, this is the list of all records.
    pub fn lists_records(&self) -> bool {
        self.lists_records
    }

    /// Returns true if all answers are one and the same list of records.
    pub fn always_lists_records(&self) -> bool {
        self.lists_records && self.are_texts_alike()
    }

    /// Returns true if no answer depends on its query and none states that nothing was found.
    pub fn are_texts_alike(&self) -> bool {
        self.texts.same >= COMPARED_ANSWERS && !self.texts.depend_on_query
    }

    /// Adds an answer. The first with records is kept, the second confirms it.
    pub fn add_answer(&mut self, document: &Document, status: u16, query: &Query, kind: AnswerKind) {
        self.texts.add(document, status, query);
        let unconfirmed = &mut self.unconfirmed;
        match kind {
            _ if unconfirmed.is_confirmed => {}
            AnswerKind::Results if unconfirmed.first.is_none() => {
                unconfirmed.first = Some(Box::new((document.clone(), status, query.clone())));
            }
            AnswerKind::Results | AnswerKind::OneRecord => {
                *unconfirmed = UnconfirmedAnswer { first: None, is_confirmed: true };
            }
            _ => {}
        }
    }

    /// True if the reader, once trained, no longer finds records on the unconfirmed answer.
    pub fn is_refuted(&self, reader: &FormReader) -> bool {
        let first =
            self.unconfirmed.first.as_deref().filter(|_| reader.samples() as usize >= COMPARED_ANSWERS);
        first.is_some_and(|(document, status, query)| {
            reader.reread(document, *status, query).records.is_empty()
        })
    }
}
