//! Entry page: the form as shown by the last page that contained it.
//!
//! Hidden values may be valid for one visit only. Whenever a page shows the form again, its hidden values are used
//! for the next submission.

use super::page_size::{self, PageSizeParameter};
use crate::address::path_without_session;
use crate::critic::probe::{nonsense_word, query_field};
use crate::harvest::answer::MAX_DATA_BYTES;
use crate::harvest::query::Query;
use crate::http::Request;
use crate::identity::{FormId, form_id, is_volatile};
use crate::page::{FieldKind, Form, Page};
use crate::scripted::tokens;
use crate::submission::{is_learned, sent_from, submission};
use crate::url_query::with_values;
use std::borrow::Cow;
use url::Url;

/// A form and the page that shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryPage {
    id: FormId,
    form: Form,
    page: Url,
    charset: String,
    /// The server ignores the words of a query and always lists all records.
    ignores_words: bool,
    /// Parameter for larger pages, once the server is known to obey it.
    page_size: Option<PageSizeParameter>,
}

impl EntryPage {
    /// Creates the entry page of a form. `charset` is the encoding of the page.
    pub fn new(form: Form, page: Url, charset: &str) -> EntryPage {
        EntryPage {
            id: form_id(&form, &page),
            form,
            page,
            charset: charset.to_string(),
            ignores_words: false,
            page_size: None,
        }
    }

    /// Selects the largest page size in the fields of the form.
    pub fn choose_largest_pages(&mut self) {
        page_size::choose_largest(&mut self.form);
    }

    /// Asks for larger pages from now on.
    pub fn set_page_size(&mut self, parameter: PageSizeParameter) {
        self.page_size = Some(parameter);
    }

    /// Parameter for larger pages, if there is one.
    pub fn page_size(&self) -> Option<&PageSizeParameter> {
        self.page_size.as_ref()
    }

    /// Form id, which does not change with hidden values.
    pub fn id(&self) -> FormId {
        self.id
    }

    /// The form with its latest hidden values.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// URL of the page that shows the form.
    pub fn page(&self) -> &Url {
        &self.page
    }

    /// Marks the form as one with an answer that lists all records, whatever the words of a query are.
    pub fn ignore_words(&mut self) {
        self.ignores_words = true;
    }

    /// Returns true if the server ignores the words of a query.
    pub fn ignores_words(&self) -> bool {
        self.ignores_words
    }

    /// Returns true if the form has a box for words that the server uses.
    pub fn takes_words(&self) -> bool {
        !self.ignores_words && query_field(&self.form).is_some()
    }

    /// Returns true if one request, with its further pages, lists all records: the endpoint takes no query, or the
    /// server ignores its words.
    pub fn lists_all(&self) -> bool {
        self.ignores_words
            || self.form.source.is_endpoint()
                && self.form.fields.iter().all(|field| field.kind == FieldKind::Hidden)
    }

    /// Builds the request for a query. A full list gets a larger body limit and loses an empty query string.
    pub fn request_for(&self, query: &Query) -> Request {
        let mut request = self.short_request(query);
        if self.lists_all() {
            request.body_limit = MAX_DATA_BYTES as u64;
            request.url.set_query(
                request.url.query().filter(|query| !query.is_empty()).map(String::from).as_deref(),
            );
        }
        request
    }

    fn short_request(&self, query: &Query) -> Request {
        match &query.link {
            Some(link) => Request::get(self.with_current_values(&link.url)),
            None => {
                let filled = query.filled_form(query_field(&self.form));
                let mut request = sent_from(submission(&self.form, &filled, &self.charset), &self.page);
                self.page_size.iter().for_each(|size| size.apply(&mut request));
                request
            }
        }
    }

    /// Replaces outdated hidden values in the query string of a link by the latest ones.
    fn with_current_values(&self, url: &Url) -> Url {
        let hidden = |name: &str| {
            self.form.fields.iter().find(|field| field.kind == FieldKind::Hidden && field.name == name)
        };
        let Some(query) = url.query() else { return url.clone() };
        let mut updated = url.clone();
        updated.set_query(Some(&with_values(query, |name, value| {
            let field = hidden(name).filter(|field| is_volatile(name, value) && field.value != value)?;
            Some(Cow::from(&field.value))
        })));
        updated
    }

    /// Builds a query that matches nothing; `None` if the form takes no words.
    pub fn calibration_query(&self, seed: u64) -> Option<Query> {
        self.takes_words().then(|| Query::words(&nonsense_word(seed)))
    }

    /// Returns true if the form has hidden fields, which may hold values for one visit only.
    pub fn has_hidden(&self) -> bool {
        self.form.fields.iter().any(|field| field.kind == FieldKind::Hidden)
    }

    /// Copies the hidden values of the form from a page. Returns false if the page does not show the form.
    pub fn refresh(&mut self, page: &Page) -> bool {
        if is_learned(&self.form) {
            tokens::refresh(&mut self.form, page);
        }
        let same = |form: &&Form| {
            form_id(form, &page.url) == self.id
                && form.fields.len() == self.form.fields.len()
                && path_without_session(form.action.path()) == path_without_session(self.form.action.path())
        };
        let Some(copy) = page.forms.iter().find(same) else { return false };
        if query_field(copy) == query_field(&self.form) {
            // Visible fields may show the last query, so only hidden values are copied.
            for (field, fresh) in self.form.fields.iter_mut().zip(&copy.fields) {
                if field.kind == FieldKind::Hidden && field.name == fresh.name {
                    field.value.clone_from(&fresh.value);
                }
            }
            self.form.action.set_path(copy.action.path());
            self.charset = page.charset.to_string();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::query::BrowseLink;
    use crate::html::parse;

    fn page(token: &str, typed: &str) -> Page {
        let html = format!(
            "<form action=/find><input name=q value='{typed}'><input type=hidden name=csrf value={token}></form>"
        );
        parse(html.as_bytes(), None, &Url::parse("http://a.org/").unwrap())
    }

    #[test]
    fn the_session_in_the_action_is_that_of_the_last_page() {
        let page = |session: &str| {
            let html = format!("<form action='/find.do;jsessionid={session}'><input name=q></form>");
            parse(html.as_bytes(), None, &Url::parse("http://a.org/").unwrap())
        };
        let first = page("0123456789abcdef");
        let mut entry_page = EntryPage::new(first.forms[0].clone(), first.url.clone(), first.charset);
        assert!(entry_page.refresh(&page("fedcba9876543210")));
        let request = entry_page.request_for(&Query::words("sea"));
        assert_eq!(request.url.as_str(), "http://a.org/find.do;jsessionid=fedcba9876543210?q=sea");
    }

    #[test]
    fn only_hidden_values_are_copied_from_a_later_page() {
        let first = page("a1b2c3d4e5f6a7b8", "");
        let mut entry_page = EntryPage::new(first.forms[0].clone(), first.url.clone(), first.charset);
        assert!(entry_page.refresh(&page("ffffeeee99990000", "old words")));
        let request = entry_page.request_for(&Query::words("sea"));
        assert_eq!(request.url.as_str(), "http://a.org/find?q=sea&csrf=ffffeeee99990000");
        let url = Url::parse("http://a.org/find?letter=A&csrf=a1b2c3d4e5f6a7b8").unwrap();
        let link = Query::default().narrowed(BrowseLink { label: "A".into(), url });
        assert_eq!(
            entry_page.request_for(&link).url.as_str(),
            "http://a.org/find?letter=A&csrf=ffffeeee99990000"
        );
        assert_eq!(request.headers.get("referer"), Some("http://a.org/"));
        assert!(!entry_page.refresh(&parse(b"<p>Gone.", None, &Url::parse("http://a.org/").unwrap())));
    }
}
