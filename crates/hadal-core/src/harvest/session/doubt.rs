//! Whether what was taken for records ever was.
//!
//! What is new on the first answer, beside one without results, may be a teaser that changes from page to page. The
//! reader learns that from the answers after it; then the first is read again, and when nothing of it is left and
//! nothing was found since, the form does not search.

use crate::harvest::answer::{AnswerKind, AnswerReader};
use crate::harvest::query::Query;
use crate::html::Document;

/// The first answer with records, for as long as nobody has confirmed it.
#[derive(Default)]
pub struct Doubt {
    first: Option<Box<(Document, u16, Query)>>,
    is_settled: bool,
}

impl Doubt {
    /// Takes in an answer: the first with records is kept, and the second confirms it.
    pub fn see(&mut self, document: &Document, status: u16, query: &Query, kind: AnswerKind) {
        match kind {
            _ if self.is_settled => {}
            AnswerKind::Results if self.first.is_none() => {
                self.first = Some(Box::new((document.clone(), status, query.clone())));
            }
            AnswerKind::Results | AnswerKind::OneRecord => *self = Doubt { first: None, is_settled: true },
            _ => {}
        }
    }

    /// Whether the reader, as it is now, finds nothing on the answer that it found records on.
    pub fn is_mistaken(&self, reader: &AnswerReader) -> bool {
        self.first
            .as_deref()
            .is_some_and(|(document, status, query)| reader.read(document, *status, query).records.is_empty())
    }
}
