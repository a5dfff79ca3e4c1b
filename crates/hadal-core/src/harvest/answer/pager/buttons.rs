//! Buttons that turn the page: forms whose hidden fields carry where the list goes on.

use super::labels::{PagerLabel, sign_of};
use super::{NextPage, PagerKind};
use crate::critic::veto::veto;
use crate::http::Method;
use crate::page::{Field, FieldKind, Form, Page};
use crate::submission::{FormInput, submission};
use url::Url;

/// The request of the button that leads to the next page.
pub(super) fn by_button(page: &Page) -> Option<NextPage> {
    let forms = || page.forms.iter().filter(|form| veto(form).is_none());
    let named = forms().find_map(|form| Some((form, position_of_next(form)?)));
    let (form, button) =
        named.or_else(|| forms().find_map(|form| Some((form, successor(form, &page.url)?))))?;
    let filling = FormInput { values: Vec::new(), button: Some(button) };
    let request = submission(form, &filling, page.charset);
    Some(NextPage { request, way: PagerKind::Button })
}

/// The button that says next, in a form that does not ask for anything first.
fn position_of_next(form: &Form) -> Option<usize> {
    let has_hidden = form.fields.iter().any(|field| field.kind == FieldKind::Hidden);
    let asks = form.fields.iter().any(|field| field.kind.is_textual() && field.value.is_empty());
    form.fields.iter().position(|field| {
        let says = |label: &str| match sign_of(label) {
            PagerLabel::Next | PagerLabel::More => !asks,
            PagerLabel::Arrow | PagerLabel::DoubleArrow => has_hidden && !asks,
            _ => false,
        };
        is_pressed(field) && (says(&field.label) || says(&field.value))
    })
}

/// The button with the number after this page's: the one that cannot be pressed, is missing, or was pressed
/// to come here. Where no number was, this is the first page.
fn successor(form: &Form, here: &Url) -> Option<usize> {
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
    let pressed = || {
        let name = &form.fields[buttons.first()?.0].name;
        let value = here.query_pairs().find(|(key, _)| key == name.as_str()).map(|(_, value)| value);
        value.map_or(Some(1).filter(|_| form.method == Method::Get), |value| value.parse().ok())
    };
    let current = disabled.or_else(missing).or_else(at_start).or_else(pressed).filter(|_| is_row)?;
    buttons.iter().find(|(_, number, disabled)| *number == current + 1 && !disabled).map(|(at, _, _)| *at)
}

fn is_pressed(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Submit | FieldKind::Image) && !field.disabled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(html: &str) -> Option<NextPage> {
        by_button(&crate::html::parse(html.as_bytes(), None, &Url::parse("http://a.org/find").unwrap()))
    }

    #[test]
    fn a_button_carries_the_hidden_fields_of_its_form() {
        let html = "<form method=post action=/find><input type=hidden name=q value=sea>
            <input type=hidden name=from value=10><input type=submit name=go value='Next 10'></form>";
        let request = next(html).unwrap().request;
        assert_eq!((request.method, request.url.as_str()), (Method::Post, "http://a.org/find"));
        assert_eq!(request.body, b"q=sea&from=10&go=Next+10");
    }

    #[test]
    fn numbers_on_buttons_are_followed_from_the_one_that_is_disabled() {
        let html = "<form><input type=hidden name=q value=sea><button name=p value=1>1</button>
            <button name=p value=2 disabled>2</button><button name=p value=3>3</button></form>";
        assert_eq!(next(html).unwrap().request.url.as_str(), "http://a.org/find?q=sea&p=3");
    }

    #[test]
    fn where_every_number_can_be_pressed_the_address_tells_which_was() {
        let html = "<form><input type=hidden name=q value=sea><input type=submit name=p value=1>
            <input type=submit name=p value=2><input type=submit name=p value=3></form>";
        let at = |address: &str| {
            let page = crate::html::parse(html.as_bytes(), None, &Url::parse(address).unwrap());
            by_button(&page).map(|next| next.request.url.to_string())
        };
        assert_eq!(at("http://a.org/find?q=sea").unwrap(), "http://a.org/find?q=sea&p=2");
        assert_eq!(at("http://a.org/find?q=sea&p=2").unwrap(), "http://a.org/find?q=sea&p=3");
        assert_eq!(at("http://a.org/find?q=sea&p=3"), None);
    }

    #[test]
    fn the_button_of_a_search_is_no_pager() {
        assert_eq!(next("<form><input name=q><input type=submit value='>'></form>"), None);
        assert_eq!(next("<form><input name=q><input type=submit value=Search></form>"), None);
    }
}
