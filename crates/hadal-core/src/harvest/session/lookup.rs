//! Forms that look records up by name: the address of a record is a query of the form itself.
//!
//! A query that names a known record is answered with the page of this record. The lines and links of that page look
//! like results but are not. If most known records have addresses of this kind, such an answer counts as the named
//! record alone.

use crate::critic::probe::query_field;
use crate::harvest::query::Query;
use crate::harvest::record::{Record, RecordId};
use crate::http::Method;
use crate::page::Form;
use rustc_hash::FxHashMap;
use url::Url;

/// Records that were listed with a query of the form as their address.
#[derive(Default)]
pub struct LookupRecords {
    /// Id and address of each record, by the words of its query in lower case.
    by_words: FxHashMap<String, (RecordId, Url)>,
}

impl LookupRecords {
    /// Adds a listed record.
    pub fn add(&mut self, record: &Record, form: &Form) {
        let Some(url) = &record.url else { return };
        if let Some(words) = looked_up_words(url, form) {
            self.by_words.entry(words).or_insert((record.id, url.clone()));
        }
    }

    /// Record that a query names, if most of the `known` records can be looked up. `text` is that of the answer.
    pub fn named(&self, query: &Query, known: usize, text: &str) -> Option<Record> {
        let words = query.words.trim().to_lowercase();
        let (id, url) = self.by_words.get(&words).filter(|_| 2 * self.by_words.len() > known)?;
        let (title, text) = (query.words.trim().to_string(), text.to_string());
        Some(Record { id: *id, url: Some(url.clone()), title, text, fields: Vec::new() })
    }
}

/// Words that an address looks up, if it is a query of the form: the action with a value for the query field.
fn looked_up_words(url: &Url, form: &Form) -> Option<String> {
    let field = &form.fields[query_field(form)?];
    let action = &form.action;
    let is_action = (url.host(), url.port_or_known_default(), url.path())
        == (action.host(), action.port_or_known_default(), action.path());
    let is_query = is_action && form.method == Method::Get;
    let value = url.query_pairs().find(|(name, _)| is_query && *name == field.name)?.1;
    Some(value.trim().to_lowercase()).filter(|words| !words.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html;

    fn form() -> Form {
        let page = Url::parse("http://a.org/pkg").unwrap();
        let markup = b"<form action=pkg><input name=query><input type=submit name=go value=Search></form>";
        html::parse(markup, None, &page).forms[0].clone()
    }

    fn record(id: u64, url: &str) -> Record {
        let url = Some(Url::parse(url).unwrap());
        Record { id: RecordId(id), url, title: String::new(), text: String::new(), fields: Vec::new() }
    }

    #[test]
    fn an_answer_to_the_name_of_a_record_is_this_record() {
        let mut lookups = LookupRecords::default();
        lookups.add(&record(1, "http://a.org/pkg?query=bash"), &form());
        lookups.add(&record(2, "http://a.org/pkg?query=Dash"), &form());
        lookups.add(&record(3, "http://a.org/about"), &form());
        let named = |words: &str, known| lookups.named(&Query::words(words), known, "").map(|named| named.id);
        assert_eq!(named("dash", 3), Some(RecordId(2)));
        assert_eq!(named("zsh", 3), None);
        assert_eq!(named("dash", 4), None, "most records have other addresses: this may be a tag");
    }
}
