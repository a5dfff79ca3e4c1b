//! Buttons that turn the page, in forms with the offset in hidden fields.

use super::labels::{PagerLabel, label_of};
use super::{NextPage, PagerKind};
use crate::critic::veto::veto;
use crate::harvest::query::Query;
use crate::http::Method;
use crate::page::{Field, FieldKind, Form, Page};
use crate::submission::{FilledForm, submission};
use url::Url;

/// Longest offset of a page in digits. Guess; time stamps and revisions are longer.
const MAX_OFFSET_DIGITS: usize = 6;

/// Returns the request of the button that leads to the next page: one labelled "next", or one with the next number.
/// Vetoed forms and forms that do not continue the query are skipped.
pub(super) fn next_button(page: &Page, query: &Query) -> Option<NextPage> {
    let is_pager = |form: &&Form| veto(form).is_none() && continues_query(form, page, query);
    let forms = || page.forms.iter().filter(is_pager);
    let labelled = forms().find_map(|form| Some((form, labelled_next(form)?)));
    let (form, button) =
        labelled.or_else(|| forms().find_map(|form| Some((form, numbered_next(form, &page.url)?))))?;
    let input = FilledForm { values: Vec::new(), button: Some(button) };
    let request = submission(form, &input, page.charset);
    Some(NextPage { request, kind: PagerKind::Button })
}

/// Returns true if a form repeats the query's words in a field, or is sent to the path of this page with a number that
/// may be an offset. Forms that edit or export a page do neither.
pub(super) fn continues_query(form: &Form, page: &Page, query: &Query) -> bool {
    let plain = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words = plain(&query.words);
    let repeats = |field: &Field| !words.is_empty() && plain(&field.value) == words;
    let is_offset =
        |field: &Field| field.value.len() <= MAX_OFFSET_DIGITS && field.value.trim().parse::<u32>().is_ok();
    let is_same_path = form.action.path() == page.url.path();
    form.fields.iter().any(repeats) || is_same_path && form.fields.iter().any(is_offset)
}

/// Position of the button labelled "next", in a form without an empty text field. An arrow counts only in a form with
/// hidden fields.
fn labelled_next(form: &Form) -> Option<usize> {
    let has_hidden = form.fields.iter().any(|field| field.kind == FieldKind::Hidden);
    let has_empty_text = form.fields.iter().any(|field| field.kind.is_textual() && field.value.is_empty());
    form.fields.iter().position(|field| {
        let is_next = |label: &str| match label_of(label) {
            PagerLabel::Next | PagerLabel::More => !has_empty_text,
            PagerLabel::Arrow | PagerLabel::DoubleArrow => has_hidden && !has_empty_text,
            _ => false,
        };
        is_enabled_button(field) && (is_next(&field.label) || is_next(&field.value))
    })
}

/// Position of the button with the number after the current page's. The current page's button is disabled or missing,
/// or its value is in the page's URL; a GET form without that value is on its first page.
fn numbered_next(form: &Form, here: &Url) -> Option<usize> {
    let number =
        |field: &Field| field.label.trim().parse::<u64>().or_else(|_| field.value.trim().parse()).ok();
    let buttons: Vec<(usize, u64, bool)> = form
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| field.kind == FieldKind::Submit)
        .filter_map(|(at, field)| Some((at, number(field)?, field.disabled)))
        .collect();
    let is_row = buttons.len() >= 2 && buttons.windows(2).all(|pair| pair[0].1 < pair[1].1);
    let disabled = buttons.iter().find(|(_, _, disabled)| *disabled).map(|(_, number, _)| *number);
    let missing = || buttons.windows(2).find(|pair| pair[1].1 == pair[0].1 + 2).map(|pair| pair[0].1 + 1);
    let at_start = || buttons.first().filter(|(_, number, _)| *number == 2).map(|_| 1);
    let in_url = || {
        let name = &form.fields[buttons.first()?.0].name;
        let value = here.query_pairs().find(|(key, _)| key == name.as_str()).map(|(_, value)| value);
        value.map_or(Some(1).filter(|_| form.method == Method::Get), |value| value.parse().ok())
    };
    let current = disabled.or_else(missing).or_else(at_start).or_else(in_url).filter(|_| is_row)?;
    buttons.iter().find(|(_, number, disabled)| *number == current + 1 && !disabled).map(|(at, _, _)| *at)
}

fn is_enabled_button(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Submit | FieldKind::Image) && !field.disabled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(html: &str) -> Option<NextPage> {
        let url = Url::parse("http://a.org/find").unwrap();
        next_button(&crate::html::parse(html.as_bytes(), None, &url), &Query::words("Sea"))
    }

    #[test]
    fn a_button_sends_the_hidden_fields_of_its_form() {
        let html = "<form method=post action=/find><input type=hidden name=q value=sea>
            <input type=hidden name=from value=10><input type=submit name=go value='Next 10'></form>";
        let request = next(html).unwrap().request;
        assert_eq!((request.method, request.url.as_str()), (Method::Post, "http://a.org/find"));
        assert_eq!(request.body, b"q=sea&from=10&go=Next+10");
    }

    #[test]
    fn the_number_after_the_disabled_button_is_next() {
        let html = "<form><input type=hidden name=q value=sea><button name=p value=1>1</button>
            <button name=p value=2 disabled>2</button><button name=p value=3>3</button></form>";
        assert_eq!(next(html).unwrap().request.url.as_str(), "http://a.org/find?q=sea&p=3");
    }

    #[test]
    fn where_every_number_is_enabled_the_url_names_the_current_page() {
        let html = "<form><input type=hidden name=q value=sea><input type=submit name=p value=1>
            <input type=submit name=p value=2><input type=submit name=p value=3></form>";
        let at = |url: &str| {
            let page = crate::html::parse(html.as_bytes(), None, &Url::parse(url).unwrap());
            next_button(&page, &Query::words("sea")).map(|next| next.request.url.to_string())
        };
        assert_eq!(at("http://a.org/find?q=sea").unwrap(), "http://a.org/find?q=sea&p=2");
        assert_eq!(at("http://a.org/find?q=sea&p=2").unwrap(), "http://a.org/find?q=sea&p=3");
        assert_eq!(at("http://a.org/find?q=sea&p=3"), None);
    }

    #[test]
    fn a_button_that_does_not_continue_the_query_is_no_pager() {
        let edit = "<form action=/page><input type=hidden name=do value=edit><input type=hidden name=rev
            value=1700000000><input type=submit value='>'></form>";
        let tools = "<form><input type=hidden name=id value=seaside><select name=do><option value=''>Tools
            </select><input type=submit value='>'></form>";
        assert_eq!(next(tools), None);
        let step = "<form action=/tour><input type=hidden name=step value=2><button>Next</button></form>";
        assert_eq!((next(edit), next(step)), (None, None));
    }

    #[test]
    fn the_button_of_a_search_is_no_pager() {
        assert_eq!(next("<form><input name=q><input type=submit value='>'></form>"), None);
        assert_eq!(next("<form><input name=q><input type=submit value=Search></form>"), None);
    }
}
