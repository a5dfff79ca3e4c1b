//! Controls of a rendered page that may show a search box when they are clicked, and choices that may add fields.
//!
//! The script in the page lists its controls; the decision which of them to use is here. A control that leaves the
//! page, submits a form, or names another purpose than searching is never used.

use crate::text::concepts::{CONCEPTS, Concept};
use crate::text::words::{each_part, each_word};
use serde::Deserialize;
use std::sync::LazyLock;

/// A control of a rendered page.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PageControl {
    /// Number of the control in the page.
    pub number: u32,
    /// Visible text, label and title.
    pub name: String,
    /// Identifiers that authors give: `id`, `class`, name of an icon.
    pub identifiers: String,
    /// True for a link with another document as its target.
    pub leaves_page: bool,
    /// True for a button that submits a form.
    pub submits: bool,
    /// True for a control that opens or folds out a part of the page, by `aria-expanded`, `aria-haspopup` or `summary`.
    pub unfolds: bool,
    /// True for a link to a place in the page, with which scripts name their views.
    pub is_view: bool,
}

/// A choice without a name in a form. Scripts add fields when one of its options is chosen.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct FieldChoice {
    /// Number of the choice in the page.
    pub number: u32,
    /// Values and labels of its options.
    pub options: Vec<(String, String)>,
}

/// Options of a choice that are tried. Guess.
const MAX_OPTIONS: usize = 3;
/// Bytes of the longest name of a control that opens a search. Guess: longer ones are titles of records.
const MAX_NAME: usize = 80;
/// Columns with texts, as authors call them in the values of options.
const TEXT_COLUMNS: [&str; 10] =
    ["body", "content", "description", "keyword", "message", "name", "notes", "subject", "summary", "text"];

static SEARCH: LazyLock<Vec<Concept>> =
    LazyLock::new(|| CONCEPTS.named(&["search", "find", "keyword", "advanced"]));
static FOLDED: LazyLock<Vec<Concept>> = LazyLock::new(|| CONCEPTS.named(&["filter", "browse"]));
/// Concepts of fields that take words.
static WORDS: LazyLock<Vec<Concept>> =
    LazyLock::new(|| CONCEPTS.named(&["keyword", "search", "title_word", "name_word", "find"]));
/// Purposes of controls that are never used.
static OTHERS: LazyLock<Vec<Concept>> = LazyLock::new(|| {
    CONCEPTS.named(&[
        "login",
        "logout",
        "password",
        "register",
        "forgot_reset",
        "subscribe_newsletter",
        "send",
        "agree_terms",
        "order_buy",
        "checkout_pay",
        "cart",
        "donate",
        "vote_poll",
        "cancel",
        "delete",
        "upload_file",
        "book_reserve",
        "comment",
        "contact",
        "language_choice",
        "currency",
    ])
});

/// Numbers of the controls that may show a search box, the likeliest first.
pub fn openers(controls: &[PageControl]) -> Vec<u32> {
    let mut ranked: Vec<(u32, u32)> =
        controls.iter().filter_map(|control| Some((rank(control)?, control.number))).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, number)| number).collect()
}

/// Rank of a control, 0 for the likeliest; `None` if it is not used.
fn rank(control: &PageControl) -> Option<u32> {
    let (named, identified) = (concepts_of(&control.name), concepts_of(&control.identifiers));
    let has = |found: &[Concept], wanted: &[Concept]| found.iter().any(|concept| wanted.contains(concept));
    if control.leaves_page || control.submits || has(&named, &OTHERS) {
        return None;
    }
    if has(&named, &SEARCH) && control.name.len() <= MAX_NAME {
        return Some(0);
    }
    if has(&identified, &SEARCH) {
        return Some(1);
    }
    let is_other = has(&identified, &OTHERS);
    match (has(&named, &FOLDED), control.unfolds, control.is_view) {
        _ if is_other => None,
        (true, ..) => Some(2),
        (_, _, true) => Some(3),
        (_, true, _) => Some(4),
        _ => None,
    }
}

/// Returns true if a text, such as the label or the address of a link, names another purpose than showing records:
/// to log out, delete, buy or write.
pub(crate) fn names_other_purpose(text: &str) -> bool {
    concepts_of(text).iter().any(|concept| OTHERS.contains(concept))
}

/// Values of the options that may add a field for words, the likeliest first.
pub fn field_options(choice: &FieldChoice) -> Vec<&str> {
    let takes_words = |label: &str| concepts_of(label).iter().any(|concept| WORDS.contains(concept));
    let is_text = |value: &str| TEXT_COLUMNS.contains(&value.to_ascii_lowercase().as_str());
    let filled = choice.options.iter().filter(|(value, _)| !value.is_empty());
    let (likely, others): (Vec<_>, Vec<_>) =
        filled.partition(|(value, label)| is_text(value) || takes_words(label) || takes_words(value));
    likely.into_iter().chain(others).map(|(value, _)| value.as_str()).take(MAX_OPTIONS).collect()
}

/// Concepts of the words of a text, of pairs of them such as "log out", and of the parts of joined names.
fn concepts_of(text: &str) -> Vec<Concept> {
    let mut words: Vec<String> = Vec::new();
    each_word(text, |word| words.push(word.to_string()));
    let pairs: Vec<String> = words.windows(2).map(|pair| pair.concat()).collect();
    text.split_whitespace().for_each(|name| each_part(name, |part| words.push(part.to_string())));
    words.iter().chain(&pairs).map(|word| CONCEPTS.of_word(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(number: u32, name: &str, identifiers: &str) -> PageControl {
        let (name, identifiers) = (name.to_string(), identifiers.to_string());
        PageControl { number, name, identifiers, ..PageControl::default() }
    }

    #[test]
    fn controls_that_name_a_search_come_first_in_any_language() {
        let menu = PageControl { unfolds: true, ..control(0, "Menu", "") };
        let view = PageControl { is_view: true, ..control(1, "Library", "") };
        let icon = control(2, "", "icon icon-search");
        let named = control(3, "Suche \u{f6}ffnen", "");
        let plain = control(4, "More about us", "");
        assert_eq!(openers(&[menu, view, icon, named, plain]), [3, 2, 1, 0]);
    }

    #[test]
    fn controls_that_leave_submit_or_have_another_purpose_are_not_used() {
        let leaving = PageControl { leaves_page: true, ..control(0, "Search", "") };
        let submit = PageControl { submits: true, ..control(1, "Search", "") };
        let logout = PageControl { is_view: true, ..control(2, "Log out", "") };
        let delete = PageControl { unfolds: true, ..control(3, "Delete", "") };
        let cart = PageControl { unfolds: true, ..control(4, "", "cart") };
        assert!(openers(&[leaving, submit, logout, delete, cart]).is_empty());
    }

    #[test]
    fn options_for_words_are_tried_first() {
        let option = |value: &str, label: &str| (value.to_string(), label.to_string());
        let options = vec![
            option("", ""),
            option("status_id", "Status"),
            option("tracker_id", "Tracker"),
            option("x", "Keywords"),
            option("subject", "Subject"),
        ];
        let choice = FieldChoice { number: 0, options };
        assert_eq!(field_options(&choice), ["x", "subject", "status_id"]);
    }
}
