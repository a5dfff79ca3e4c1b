//! Search boxes of a rendered page.
//!
//! The script in the page marks each visible text box with a `maxlength` that no page uses, so that the parsed form
//! shows which box a field is. Forms are judged by the classifier and the vetoes that judge static forms.

use crate::critic::classifiers::Classifiers;
use crate::critic::veto::veto;
use crate::page::{FieldKind, Form, Page};

/// `maxlength` of the first box; the next ones count up. Larger than any limit of a real box.
pub const FIRST_MARK: u32 = 1_900_000_000;
/// Maximum number of boxes that are marked. Guess.
pub const MAX_BOXES: u32 = 200;

/// A box of a rendered page.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchBox {
    /// Number of the box in the page.
    pub number: u32,
    /// Form or group of controls around the box.
    pub form: Form,
    /// Position of the box among the form's fields.
    pub field: usize,
    /// Probability that the form is a search.
    pub p_searchable: f32,
}

/// Removes the marks from the page. Returns its boxes that may be searches, the likeliest first.
pub fn search_boxes(page: &mut Page) -> Vec<SearchBox> {
    let marked = unmark(page);
    let judge = &Classifiers::current().searchable;
    let mut boxes: Vec<SearchBox> = Vec::new();
    for (at, field, number) in marked {
        let form = &page.forms[at];
        let is_word_box = matches!(form.fields[field].kind, FieldKind::Text | FieldKind::Search);
        if is_word_box && veto(form).is_none() {
            let p_searchable = judge.classify(form, page).0;
            boxes.push(SearchBox { number, form: form.clone(), field, p_searchable });
        }
    }
    // The first field of equals wins; a field of kind search stands before others of its form.
    let key =
        |found: &SearchBox| (found.p_searchable, found.form.fields[found.field].kind == FieldKind::Search);
    boxes.sort_by(|one, other| key(other).partial_cmp(&key(one)).unwrap_or(std::cmp::Ordering::Equal));
    boxes
}

/// Removes the marks. Returns form, field and number of each marked box.
fn unmark(page: &mut Page) -> Vec<(usize, usize, u32)> {
    let mut marked = Vec::new();
    for (at, form) in page.forms.iter_mut().enumerate() {
        for (position, field) in form.fields.iter_mut().enumerate() {
            let number = field.max_length.and_then(|length| length.checked_sub(FIRST_MARK));
            if let Some(number) = number.filter(|number| *number < MAX_BOXES) {
                field.max_length = None;
                marked.push((at, position, number));
            }
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use url::Url;

    fn boxes(html: &str) -> Vec<SearchBox> {
        let html =
            html.replace("BOX", &FIRST_MARK.to_string()).replace("NEXT", &(FIRST_MARK + 1).to_string());
        search_boxes(&mut parse(html.as_bytes(), None, &Url::parse("http://a.org/").unwrap()))
    }

    #[test]
    fn the_likeliest_search_box_comes_first_and_has_no_mark() {
        let found = boxes(
            "<div><input maxlength=BOX placeholder='Your town'></div>
            <nav role=search><input type=search maxlength=NEXT aria-label='Search books'><button>Search</button></nav>",
        );
        assert_eq!(found[0].number, 1);
        assert_eq!(found[0].form.fields[found[0].field].max_length, None);
        assert!(found[0].p_searchable > 0.5, "{found:?}");
    }

    #[test]
    fn boxes_of_vetoed_kinds_are_left_out() {
        for html in [
            "<form method=post>User <input name=user maxlength=BOX> <input type=password name=p></form>",
            "<form method=post action=/newsletter>E-mail <input name=email maxlength=BOX><button>Subscribe</button></form>",
            "<form method=post action=/contact>Name <input name=name maxlength=BOX> Message <textarea name=m></textarea></form>",
        ] {
            assert!(boxes(html).is_empty(), "{html}");
        }
    }
}
