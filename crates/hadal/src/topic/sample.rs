//! An example: a page and one of its forms.

use hadal_core::critic::classifiers::Classifiers;
use hadal_core::critic::topic_features::{
    TopicFeatures, form_topic_features, page_text_features, page_topic_features,
};
use hadal_core::page::{Form, Page};

/// A form on its page.
#[derive(Clone, Debug)]
pub struct Sample {
    /// ExampleOrigin as given: a URL or a file.
    pub source: String,
    pub page: Page,
    pub form: Form,
    /// `p_searchable` of the form.
    pub p_searchable: f32,
}

/// Reason why a page is not an example.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// The page has no form.
    #[error("the page has no form")]
    NoForm,
    /// The selected form does not exist.
    #[error("the page has no form {0}; forms are counted from 0")]
    NoSuchForm(u32),
    /// None of the forms is a search.
    #[error("none of its forms looks like a search (highest probability {0:.2}); URL#N selects one")]
    NoSearch(f32),
}

/// Least `p_searchable` of an example form. A user who gives a page as an example asserts that it has a search,
/// so forms with low probability are accepted too. Guess.
const LEAST: f32 = 0.1;

impl Sample {
    /// Most searchable form of a page, or the selected one.
    pub fn of(source: &str, page: Page, picked: Option<u32>) -> Result<Sample, SampleError> {
        let judge = &Classifiers::shipped().searchable;
        let judged = page.forms.iter().map(|form| (form, judge.classify(form, &page).0));
        let found = match picked {
            Some(index) => judged.clone().find(|(form, _)| form.index == index),
            // The first of equals.
            None => judged.reduce(|kept, next| if next.1 > kept.1 { next } else { kept }),
        };
        let (form, p_searchable) = match (found, picked) {
            (Some(found), _) => found,
            (None, Some(index)) if !page.forms.is_empty() => return Err(SampleError::NoSuchForm(index)),
            (None, _) => return Err(SampleError::NoForm),
        };
        if picked.is_none() && p_searchable < LEAST {
            return Err(SampleError::NoSearch(p_searchable));
        }
        let form = form.clone();
        Ok(Sample { source: source.to_string(), page, form, p_searchable })
    }

    /// Features of the form with the text of its page.
    pub fn form_row(&self) -> TopicFeatures {
        form_topic_features(&self.form, &self.page, Some(&page_text_features(&self.page)))
    }

    /// Features of the page.
    pub fn page_row(&self) -> TopicFeatures {
        page_topic_features(&self.page, &page_text_features(&self.page))
    }

    /// Summary of the form: index and visible field names.
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
        assert_eq!(Sample::of("x", page(PAGE), Some(7)).unwrap_err(), SampleError::NoSuchForm(7));
    }

    #[test]
    fn pages_without_a_usable_form_are_no_examples() {
        assert_eq!(Sample::of("x", page("<p>text"), None).unwrap_err(), SampleError::NoForm);
        let login = "<form method=post action=/login>Log in <input name=user>
            Password <input type=password name=pw><input type=submit value='Log in'></form>";
        assert!(matches!(Sample::of("x", page(login), None), Err(SampleError::NoSearch(_))));
    }
}
