//! The form that is asked, as it stood on the last page that showed it.
//!
//! Hidden values may be good for one visit only, so whenever a page shows the form again, that copy is
//! the one that is filled next.

use crate::critic::probe::{nonsense_word, query_field};
use crate::harvest::query::Query;
use crate::http::Request;
use crate::identity::{FormId, form_id, is_volatile};
use crate::page::{FieldKind, Form, Page};
use crate::submission::submission;
use std::borrow::Cow;
use url::Url;

/// A form and the page it stands on.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryPage {
    id: FormId,
    form: Form,
    page: Url,
    charset: String,
}

impl EntryPage {
    /// A form found on a page of this encoding.
    pub fn new(form: Form, page: Url, charset: &str) -> EntryPage {
        EntryPage { id: form_id(&form, &page), form, page, charset: charset.to_string() }
    }

    /// Which form it is.
    pub fn id(&self) -> FormId {
        self.id
    }

    /// The form as it is filled next.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The page it stands on.
    pub fn page(&self) -> &Url {
        &self.page
    }

    /// Whether words can be typed into it.
    pub fn takes_words(&self) -> bool {
        query_field(&self.form).is_some()
    }

    /// The request that asks a query.
    pub fn request_for(&self, query: &Query) -> Request {
        match &query.link {
            Some(link) => Request::get(self.renewed(&link.url)),
            None => submission(&self.form, &query.filled_form(query_field(&self.form)), &self.charset),
        }
    }

    /// An address with the hidden values of today where it has those of an earlier visit.
    fn renewed(&self, url: &Url) -> Url {
        let hidden = |name: &str| {
            self.form.fields.iter().find(|field| field.kind == FieldKind::Hidden && field.name == name)
        };
        let is_old = |name: &str, value: &str| {
            hidden(name).is_some_and(|field| is_volatile(name, value) && field.value != value)
        };
        if !url.query_pairs().any(|(name, value)| is_old(&name, &value)) {
            return url.clone();
        }
        let renew = |(name, value): (Cow<'_, str>, Cow<'_, str>)| {
            let value = hidden(&name)
                .filter(|_| is_volatile(&name, &value))
                .map_or(value.to_string(), |field| field.value.clone());
            (name.into_owned(), value)
        };
        let pairs: Vec<(String, String)> = url.query_pairs().map(renew).collect();
        let mut renewed = url.clone();
        renewed.query_pairs_mut().clear().extend_pairs(pairs);
        renewed
    }

    /// A query that nothing answers, where one can be made.
    pub fn nonsense(&self, seed: u64) -> Option<Query> {
        self.takes_words().then(|| Query::words(&nonsense_word(seed)))
    }

    /// Whether it carries values that may be good for one visit only.
    pub fn has_hidden(&self) -> bool {
        self.form.fields.iter().any(|field| field.kind == FieldKind::Hidden)
    }

    /// Takes the copy of the form that a page shows, if it shows one.
    pub fn refresh(&mut self, page: &Page) -> bool {
        let same = |form: &&Form| {
            form_id(form, &page.url) == self.id
                && form.fields.len() == self.form.fields.len()
                && form.action.path() == self.form.action.path()
        };
        let Some(copy) = page.forms.iter().find(same) else { return false };
        if query_field(copy) == query_field(&self.form) {
            // What a person typed last is often left in the boxes; only what is hidden is news.
            for (field, fresh) in self.form.fields.iter_mut().zip(&copy.fields) {
                if field.kind == FieldKind::Hidden && field.name == fresh.name {
                    field.value.clone_from(&fresh.value);
                }
            }
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
    fn a_fresh_copy_brings_fresh_hidden_values_and_nothing_else() {
        let first = page("a1b2c3d4e5f6a7b8", "");
        let mut door = EntryPage::new(first.forms[0].clone(), first.url.clone(), first.charset);
        assert!(door.refresh(&page("ffffeeee99990000", "old words")));
        let request = door.request_for(&Query::words("sea"));
        assert_eq!(request.url.as_str(), "http://a.org/find?q=sea&csrf=ffffeeee99990000");
        let url = Url::parse("http://a.org/find?letter=A&csrf=a1b2c3d4e5f6a7b8").unwrap();
        let link = Query::default().narrowed(BrowseLink { label: "A".into(), url });
        assert_eq!(door.request_for(&link).url.as_str(), "http://a.org/find?letter=A&csrf=ffffeeee99990000");
        assert!(!door.refresh(&parse(b"<p>Gone.", None, &Url::parse("http://a.org/").unwrap())));
    }
}
