//! An example: a page, and the form on it that is meant.

use hadal_core::critic::classifiers::Classifiers;
use hadal_core::critic::topic_features::{
    TopicFeatures, form_topic_features, page_text_features, page_topic_features,
};
use hadal_core::page::{Form, Page};

/// A form on its page.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Where it comes from, as it was given: an address or a file.
    pub source: String,
    /// The page.
    pub page: Page,
    /// The form that is meant.
    pub form: Form,
    /// P(searchable) of it.
    pub p_searchable: f32,
}

/// Why a page is no example.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoSample {
    /// There is nothing to fill in.
    #[error("the page has no form")]
    NoForm,
    /// The form that was named is not there.
    #[error("the page has no form {0}: they are counted from 0, in the order of the page")]
    NoSuchForm(u32),
    /// None of its forms searches.
    #[error("none of its forms looks like a search (the likeliest at {0:.2}); #N behind the page picks one")]
    NoSearch(f32),
}

/// Whoever gives a page as an example says that there is a search on it: a form is taken even when the
/// judge has doubts, but not when it is all but sure.
const LEAST: f32 = 0.1;

impl Sample {
    /// The form of a page that is most likely a search, or the one with the index that was picked.
    pub fn of(source: &str, page: Page, picked: Option<u32>) -> Result<Sample, NoSample> {
        let judge = &Classifiers::shipped().searchable;
        let judged = page.forms.iter().map(|form| (form, judge.classify(form, &page).0));
        let found = match picked {
            Some(index) => judged.clone().find(|(form, _)| form.index == index),
            // The first of equals, as a reader would.
            None => judged.reduce(|kept, next| if next.1 > kept.1 { next } else { kept }),
        };
        let (form, p_searchable) = match (found, picked) {
            (Some(found), _) => found,
            (None, Some(index)) if !page.forms.is_empty() => return Err(NoSample::NoSuchForm(index)),
            (None, _) => return Err(NoSample::NoForm),
        };
        if picked.is_none() && p_searchable < LEAST {
            return Err(NoSample::NoSearch(p_searchable));
        }
        let form = form.clone();
        Ok(Sample { source: source.to_string(), page, form, p_searchable })
    }

    /// What the form says, with its page around it.
    pub fn form_row(&self) -> TopicFeatures {
        form_topic_features(&self.form, &self.page, Some(&page_text_features(&self.page)))
    }

    /// What the page says.
    pub fn page_row(&self) -> TopicFeatures {
        page_topic_features(&self.page, &page_text_features(&self.page))
    }

    /// The form in a line: index and visible field names.
    pub fn card(&self) -> String {
        let names =
            self.form.fields.iter().filter(|field| field.kind.is_textual() || !field.options.is_empty());
        let names: Vec<&str> =
            names.map(|field| field.name.as_str()).filter(|name| !name.is_empty()).collect();
        let index =
            if self.form.index < u32::MAX / 2 { self.form.index.to_string() } else { "script".into() };
        format!("form {index} ({}), searchable {:.2}", names.join(" "), self.p_searchable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::html::parse;
    use url::Url;

    const PAGE: &str = "<form method=post>E-mail <input name=user><input type=password name=pw></form>
        <form action=/find role=search>Recipe <input type=search name=q> <button>Search</button></form>";

    fn page(html: &str) -> Page {
        parse(html.as_bytes(), Some("text/html"), &Url::parse("http://www.kitchen.example/").unwrap())
    }

    #[test]
    fn the_most_searchable_form_is_taken_or_the_one_picked() {
        assert_eq!(Sample::of("x", page(PAGE), None).unwrap().form.index, 1);
        assert_eq!(Sample::of("x", page(PAGE), Some(0)).unwrap().form.index, 0);
        assert_eq!(Sample::of("x", page(PAGE), Some(7)).unwrap_err(), NoSample::NoSuchForm(7));
    }

    #[test]
    fn pages_without_a_usable_form_are_no_examples() {
        assert_eq!(Sample::of("x", page("<p>text"), None).unwrap_err(), NoSample::NoForm);
        let login = "<form method=post action=/login>Log in <input name=user>
            Password <input type=password name=pw><input type=submit value='Log in'></form>";
        assert!(matches!(Sample::of("x", page(login), None), Err(NoSample::NoSearch(_))));
    }
}
