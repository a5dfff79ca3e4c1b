//! Reader of one form's answers, trained on the first of them.

use super::reading::AnswerReading;
use crate::harvest::answer::{Answer, AnswerKind, AnswerReader, AnswerSample, DataDocument, DataReader};
use crate::harvest::query::Query;
use crate::html::Document;
use crate::page::Page;

/// Answers with results from which the reader learns the layout of result pages. Guess.
const MAX_RESULT_SAMPLES: u32 = 6;
/// Maximum number of answers from which the reader learns, those without results included. Guess.
const MAX_SAMPLES: u32 = 40;

/// Readers of HTML and of data, and the state of their training.
pub struct FormReader {
    html: AnswerReader,
    data: DataReader,
    /// Answers from which the reader has learned.
    samples: u32,
    /// Answers with results among them.
    result_samples: u32,
    /// HTTP status of the answer to the calibration query.
    empty_answer_status: u16,
}

/// A result page as the reader understands it.
pub struct ReadPage {
    pub answer: Answer,
    /// The reader learned the layout of result pages from this page.
    pub is_sample: bool,
    /// The rules for record ids changed, so that answers read before would now get other ids.
    pub has_new_rules: bool,
}

impl FormReader {
    /// Creates a reader that has seen no answer.
    pub fn new() -> FormReader {
        FormReader {
            html: AnswerReader::default(),
            data: DataReader::default(),
            samples: 0,
            result_samples: 0,
            empty_answer_status: 200,
        }
    }

    /// Restores readers of an earlier session. They learn no further layouts, so all samples count as seen.
    pub fn restore(&mut self, html: AnswerReader, data: Option<DataReader>) {
        self.html = html;
        self.samples = MAX_RESULT_SAMPLES;
        self.result_samples = MAX_RESULT_SAMPLES;
        self.data = data.unwrap_or_else(|| std::mem::take(&mut self.data));
    }

    /// The two readers, to be saved.
    pub fn saved(&self) -> (&AnswerReader, &DataReader) {
        (&self.html, &self.data)
    }

    /// Answers from which the reader has learned.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Learns from the entry page.
    pub fn add_entry_page(&mut self, page: &Page) {
        self.data.add_links(page.links.iter().map(|link| &link.url));
        self.html.add_entry_page(&page.text);
    }

    /// Learns from the answer to the calibration query, and reads it.
    pub fn read_calibration(&mut self, document: &Document, status: u16, query: &Query) -> Answer {
        self.empty_answer_status = status;
        self.html.improve(&AnswerSample { document, status, query });
        self.html.read(document, status, query)
    }

    /// Learns from an answer to the calibration query that is data.
    pub fn add_empty_data(&mut self, data: &DataDocument, status: u16) {
        self.empty_answer_status = status;
        self.data.add_empty_answer(data);
    }

    /// Reads a result page and learns from it: the layout from the first pages of the first answers, then the rules
    /// for record ids from the first pages of queries.
    pub fn read(&mut self, reading: &AnswerReading, document: &Document, status: u16) -> ReadPage {
        let (query, is_first) = (&reading.query, reading.pages == 0);
        let is_sample = is_first && self.result_samples < MAX_RESULT_SAMPLES && self.samples < MAX_SAMPLES;
        if is_sample {
            self.samples += 1;
            let has_new_rules = self.html.improve(&AnswerSample { document, status, query });
            return ReadPage { answer: self.html.read(document, status, query), is_sample, has_new_rules };
        }
        let (answer, has_new_rules) = match is_first && !reading.is_browsing() {
            true => self.html.read_first_page(document, status, query),
            false => (self.html.read(document, status, query), false),
        };
        ReadPage { answer, is_sample, has_new_rules }
    }

    /// Counts the last sample as one with results.
    pub fn add_result_sample(&mut self, has_results: bool) {
        self.result_samples += u32::from(has_results);
    }

    /// Reads a page of an answer that is data.
    pub fn read_data(&mut self, reading: &AnswerReading, data: &DataDocument) -> Answer {
        self.data.read(data, reading.next.request(), &reading.query, reading.pages == 0)
    }

    /// Reads a page again without learning from it.
    pub fn reread(&self, document: &Document, status: u16, query: &Query) -> Answer {
        self.html.read(document, status, query)
    }

    /// Kind of an answer. A 404 without results is an error, unless the calibration query was answered that way.
    pub fn kind_of(&self, answer: &Answer, status: u16) -> AnswerKind {
        match answer.kind {
            AnswerKind::Nothing if matches!(status, 404 | 410) && self.empty_answer_status < 400 => {
                AnswerKind::Error
            }
            kind => kind,
        }
    }
}
