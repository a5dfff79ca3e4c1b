//! Choice of the search form of a page that a user named.

use super::classifiers::Classifiers;
use crate::page::{Form, Page};

/// Least P(searchable) of a form that is chosen. It is low because the user says that the page has a search. Guess.
const MIN_P_SEARCHABLE: f32 = 0.1;

/// Reason why no form was chosen.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoSearchForm {
    /// The page has no form.
    #[error("the page has no form")]
    NoForm,
    /// The page has no form with this index.
    #[error("the page has no form {0}: forms are counted from 0, in the order of the page")]
    NoSuchForm(u32),
    /// No form of the page is likely a search.
    #[error(
        "no form of the page looks like a search (highest P(searchable) {0:.2}); append #N to pick form N"
    )]
    NoSearch(f32),
}

/// Form of a page with the highest P(searchable), the first of equals, or the form with the index `picked`.
pub fn pick_search_form(page: &Page, picked: Option<u32>) -> Result<(&Form, f32), NoSearchForm> {
    let judge = &Classifiers::current().searchable;
    let visible = page.forms.iter().filter(|form| !form.source.is_endpoint());
    let judged = visible.map(|form| (form, judge.classify(form, page).0));
    let found = match picked {
        Some(index) => judged.clone().find(|(form, _)| form.index == index),
        None => judged.reduce(|kept, next| if next.1 > kept.1 { next } else { kept }),
    };
    match (found, picked) {
        (Some((_, p_searchable)), None) if p_searchable < MIN_P_SEARCHABLE => {
            Err(NoSearchForm::NoSearch(p_searchable))
        }
        (Some(found), _) => Ok(found),
        (None, Some(index)) if !page.forms.is_empty() => Err(NoSearchForm::NoSuchForm(index)),
        (None, _) => Err(NoSearchForm::NoForm),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use url::Url;

    const PAGE: &str = "<form method=post>E-mail <input name=user><input type=password name=pw></form>
        <form action=/find role=search>Recipe <input type=search name=q> <button>Search</button></form>";

    fn picked(html: &str, picked: Option<u32>) -> Result<u32, NoSearchForm> {
        let url = Url::parse("http://www.kitchen.example/").unwrap();
        let page = parse(html.as_bytes(), Some("text/html"), &url);
        pick_search_form(&page, picked).map(|(form, _)| form.index)
    }

    #[test]
    fn the_most_searchable_form_is_taken_or_the_one_picked() {
        assert_eq!(picked(PAGE, None), Ok(1));
        assert_eq!(picked(PAGE, Some(0)), Ok(0));
        assert_eq!(picked(PAGE, Some(7)), Err(NoSearchForm::NoSuchForm(7)));
    }

    #[test]
    fn pages_without_a_search_form_are_refused() {
        assert_eq!(picked("<p>text", None), Err(NoSearchForm::NoForm));
        let login = "<form method=post action=/login>Log in <input name=user>
            Password <input type=password name=pw><input type=submit value='Log in'></form>";
        assert!(matches!(picked(login, None), Err(NoSearchForm::NoSearch(_))));
    }
}
