//! Records found so far, and what identifies them.
//!
//! A record has the id that the reader derived from its address. It gets the id of a known record instead if
//! [`ContentIdentity`] recognises its text, or if it has no address and is a near-duplicate.

use super::content_identity::ContentIdentity;
use super::lookup::LookupRecords;
use crate::harvest::answer::NearDuplicates;
use crate::harvest::policy::Hit;
use crate::harvest::query::Query;
use crate::harvest::record::{Record, RecordId};
use crate::page::Form;
use rustc_hash::FxHashSet;

/// Words that a record needs before it is compared with others for near-duplicates. Guess.
const MIN_COMPARED_WORDS: usize = 30;

/// Ids of the records found, with indexes that recognise a record under another id.
#[derive(Default)]
pub struct FoundRecords {
    known: FxHashSet<RecordId>,
    near_duplicates: NearDuplicates,
    content_identity: ContentIdentity,
    lookups: LookupRecords,
}

impl FoundRecords {
    /// Number of distinct records.
    pub fn count(&self) -> u64 {
        self.known.len() as u64
    }

    /// Adds the records of an answer of an earlier session, so that they are recognised under other addresses.
    pub fn restore(&mut self, hits: &[Hit<'_>]) {
        let record = |hit: &Hit<'_>| Record {
            id: hit.id,
            url: None,
            title: hit.title.to_string(),
            text: hit.text.to_string(),
            fields: hit.fields.to_vec(),
        };
        // The copies are only learned from: the ids of stored records stay.
        let mut new: Vec<Record> = hits.iter().filter(|hit| hit.is_new).map(record).collect();
        self.identify(&mut new);
        self.known.extend(hits.iter().map(|hit| hit.id));
    }

    /// Gives records on a page that were found under other ids the ids that they had.
    pub fn identify(&mut self, page: &mut [Record]) {
        self.content_identity.identify(page, &self.known);
        for record in page.iter_mut().filter(|record| record.url.is_none()) {
            let words = record.text.split_whitespace().take(MIN_COMPARED_WORDS).count();
            if words == MIN_COMPARED_WORDS {
                record.id = self.near_duplicates.find_or_insert(record).unwrap_or(record.id);
            }
        }
    }

    /// Adds an identified record. Returns true if it is new.
    pub fn add(&mut self, record: &Record, form: &Form) -> bool {
        let is_new = self.known.insert(record.id);
        if is_new {
            self.lookups.add(record, form);
        }
        is_new
    }

    /// Expects known records under new ids, because the rules that derive ids have changed.
    pub fn expect_new_addresses(&mut self) {
        self.content_identity.expect_new_addresses();
    }

    /// Record that a query looks up by its name. `text` is that of the answer.
    pub fn named(&self, query: &Query, text: &str) -> Option<Record> {
        self.lookups.named(query, self.known.len(), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    #[test]
    fn records_of_an_earlier_session_are_recognised_under_new_addresses() {
        let (title, text) = ("Deep sea", "Deep sea, a book about fish");
        let hit = Hit { id: RecordId(1), is_new: true, title, text, fields: &[] };
        let mut found = FoundRecords::default();
        found.restore(&[hit]);
        found.expect_new_addresses();
        let url = Url::parse("http://a.org/item?n=2").ok();
        let (title, text) = (title.to_string(), text.to_string());
        let mut page = [Record { id: RecordId(2), url, title, text, fields: Vec::new() }];
        found.identify(&mut page);
        assert_eq!((page[0].id, found.count()), (RecordId(1), 1));
    }
}
