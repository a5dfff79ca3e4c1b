//! The entry list of a form by the HTML standard: names and values of the controls that are sent.

use super::FilledForm;
use crate::critic::phrase_set::{PhraseSet, normalise};
use crate::page::{Field, FieldKind, FieldOption, Form};
use crate::text::concepts::{CONCEPTS, Concept};
use crate::text::words::each_word;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// Names and labels of buttons that search the texts of records. Buttons beside them search titles only, or open
/// the record with the typed title.
#[rustfmt::skip]
static FULL_TEXT: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "fulltext", "full text", "fullsearch", "full search", "searchtext", "search text", "text search", "text", "in text",
    "contents", "volltext", "volltextsuche", "texte", "texte intégral", "plein texte", "texto", "texto completo", "testo",
    "tekst", "tekstin", "текст", "полнотекстовый", "النص", "טקסט", "テキスト", "本文", "全文", "正文", "본문", "전문",
]));

static SEARCH: LazyLock<[Concept; 2]> =
    LazyLock::new(|| ["search", "find"].map(|name| CONCEPTS.named(&[name])[0]));

/// Name and value of one sent control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormEntry {
    pub(super) name: String,
    pub(super) value: EntryValue,
}

/// Value of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EntryValue {
    Text(String),
    /// A file field without a file.
    NoFile,
}

/// Position of the button that a person presses: the first enabled submit button, which the Enter key presses
/// too. If that button belongs to another text field than the filled one, because it stands between the two,
/// then the first button after the filled field. Of several buttons for one text field, the one that searches
/// full texts. A first button with a sign for a label, such as the `+` that adds a row, gives way to one that searches.
pub(super) fn pressed_button(form: &Form, input: &FilledForm) -> Option<usize> {
    let sends = |field: &Field| matches!(field.kind, FieldKind::Submit | FieldKind::Image) && !field.disabled;
    let is_box = |field: &Field| field.kind.is_textual() && !field.disabled;
    let default = form.fields.iter().position(sends)?;
    let is_filled = |at: usize| form.fields.get(at).is_some_and(is_box);
    let filled = input.values.iter().map(|(at, _)| *at).find(|at| is_filled(*at));
    // A button with a target of its own may do something other than search.
    let is_own = |field: &Field| sends(field) && field.formaction.is_none() && field.formmethod.is_none();
    let Some(filled) = filled.filter(|at| *at > default && form.fields[..default].iter().any(is_box)) else {
        let is_only_box = form.fields.iter().filter(|field| is_box(field)).count() == 1;
        let by_text = |field: &Field| is_own(field) && searches_text(field);
        let full_text = || form.fields.iter().position(by_text);
        let is_sign =
            |button: &Field| button.kind == FieldKind::Submit && !button.value.contains(char::is_alphabetic);
        let by_search = |field: &Field| is_own(field) && names_search(field);
        let search = || form.fields.iter().position(by_search).filter(|_| is_sign(&form.fields[default]));
        return is_only_box.then(full_text).flatten().or_else(search).or(Some(default));
    };
    form.fields[filled..].iter().position(is_own).map_or(Some(default), |after| Some(filled + after))
}

/// Returns true if the name or the label of a button says that it searches full texts.
fn searches_text(button: &Field) -> bool {
    FULL_TEXT.equals(&normalise(&button.name)) || FULL_TEXT.equals(&normalise(&button.value))
}

/// Returns true if the label of a button says that it searches.
fn names_search(button: &Field) -> bool {
    let mut is_named = false;
    each_word(&button.value, |word| is_named |= SEARCH.contains(&CONCEPTS.of_word(word)));
    is_named
}

/// Entries in document order.
pub(super) fn entries(
    form: &Form,
    input: &FilledForm,
    button: Option<usize>,
    charset: &str,
) -> Vec<FormEntry> {
    let mut filled = by_field(form, input);
    let chosen = chosen_radios(form, &filled);
    let mut list = Vec::new();
    for (at, field) in form.fields.iter().enumerate() {
        if field.disabled || (field.kind.is_button() && button != Some(at)) {
            continue;
        }
        let given = std::mem::take(&mut filled[at]);
        let is_checked = match field.kind {
            FieldKind::Radio => chosen[at],
            FieldKind::Checkbox => is_checked(field, &given),
            _ => true,
        };
        if is_checked {
            add(field, given, charset, &mut list);
        }
    }
    list
}

/// Given values by position of their field.
fn by_field<'a>(form: &Form, input: &'a FilledForm) -> Vec<Vec<&'a str>> {
    let mut filled = vec![Vec::new(); form.fields.len()];
    for (at, value) in &input.values {
        if let Some(values) = filled.get_mut(*at) {
            values.push(value.as_str());
        }
    }
    filled
}

fn is_checked(field: &Field, given: &[&str]) -> bool {
    given.last().map_or(field.checked, |value| *value == field.value)
}

/// Checked radio buttons: the last checked one of each name. Given values win over the page's defaults. The first of
/// a required group is checked if none is, because a browser does not send the form otherwise.
fn chosen_radios(form: &Form, filled: &[Vec<&str>]) -> Vec<bool> {
    let mut last = FxHashMap::default();
    for is_given in [false, true] {
        for (at, field) in form.fields.iter().enumerate() {
            let counts = field.kind == FieldKind::Radio && filled[at].is_empty() != is_given;
            if counts && is_checked(field, &filled[at]) {
                last.insert(field.name.as_str(), at);
            }
        }
    }
    let radios = || form.fields.iter().enumerate().filter(|(_, field)| field.kind == FieldKind::Radio);
    let required = radios().filter(|(_, field)| field.required);
    let required: FxHashSet<&str> = required.map(|(_, field)| field.name.as_str()).collect();
    for (at, field) in radios().filter(|(_, field)| !field.disabled) {
        if required.contains(field.name.as_str()) {
            last.entry(field.name.as_str()).or_insert(at);
        }
    }
    let mut chosen = vec![false; form.fields.len()];
    last.into_values().for_each(|at| chosen[at] = true);
    chosen
}

fn add(field: &Field, given: Vec<&str>, charset: &str, list: &mut Vec<FormEntry>) {
    let mut push = |name: &str, value: EntryValue| list.push(FormEntry { name: name.to_string(), value });
    if field.kind == FieldKind::Image {
        let prefix = if field.name.is_empty() { String::new() } else { format!("{}.", field.name) };
        // Coordinates of an image button that is pressed with a key.
        push(&format!("{prefix}x"), EntryValue::Text("0".to_string()));
        return push(&format!("{prefix}y"), EntryValue::Text("0".to_string()));
    }
    if field.name.is_empty() {
        return;
    }
    match field.kind {
        FieldKind::Select => {
            selected(field, &given).for_each(|value| push(&field.name, EntryValue::Text(value.to_string())));
        }
        FieldKind::File => push(&field.name, EntryValue::NoFile),
        FieldKind::Hidden if field.name.eq_ignore_ascii_case("_charset_") => {
            push(&field.name, EntryValue::Text(charset.to_string()));
        }
        FieldKind::Checkbox | FieldKind::Radio => push(&field.name, EntryValue::Text(field.value.clone())),
        kind => {
            let typed = given.last().map(|value| within(value, field.max_length));
            push(&field.name, EntryValue::Text(sanitised(kind, typed.unwrap_or(&field.value))));
        }
    }
}

/// Values of the selected options. Given values that are not options are ignored; without any, the page's
/// selection stands. If that leaves a required select without a value, a browser does not send the form: then all
/// options with a value are selected if the select takes several, otherwise the first of them.
fn selected<'f>(field: &'f Field, given: &[&str]) -> impl Iterator<Item = &'f str> {
    let offered: Vec<&str> =
        given.iter().filter(|value| field.options.iter().any(|o| o.value == **value)).copied().collect();
    let has_value = |option: &FieldOption| !option.value.trim().is_empty();
    let is_due = field.required && !field.options.iter().any(|option| option.selected && has_value(option));
    let one = (!field.multiple).then(|| match offered.last() {
        Some(value) => field.options.iter().position(|option| option.value == *value),
        None if is_due => field.options.iter().position(has_value),
        None => field.options.iter().rposition(|option| option.selected),
    });
    let is_sent = move |at: usize, option: &FieldOption| match one {
        Some(only) => only == Some(at),
        None if offered.is_empty() && is_due => has_value(option),
        None if offered.is_empty() => option.selected,
        None => offered.iter().any(|value| *value == option.value),
    };
    let sent: Vec<bool> = field.options.iter().enumerate().map(|(at, option)| is_sent(at, option)).collect();
    field.options.iter().zip(sent).filter(|(_, sent)| *sent).map(|(option, _)| option.value.as_str())
}

/// Cuts a text at `maxlength`, which counts UTF-16 code units.
fn within(text: &str, most: Option<u32>) -> &str {
    let Some(most) = most else { return text };
    let mut units = 0;
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16() as u64;
        units > u64::from(most)
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// Applies the value sanitisation of a control.
fn sanitised(kind: FieldKind, value: &str) -> String {
    let line = || value.replace(['\r', '\n'], "");
    match kind {
        FieldKind::Text | FieldKind::Search | FieldKind::Tel | FieldKind::Password => line(),
        FieldKind::Email | FieldKind::Url => line().trim_ascii().to_string(),
        FieldKind::Number if is_number(value) => value.to_string(),
        FieldKind::Number => String::new(),
        FieldKind::Range if is_number(value) => value.to_string(),
        FieldKind::Range => "50".to_string(),
        FieldKind::Color if is_color(value) => value.to_ascii_lowercase(),
        FieldKind::Color => "#000000".to_string(),
        _ => value.to_string(),
    }
}

fn is_number(value: &str) -> bool {
    let plain = value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E'));
    plain && !value.starts_with('+') && value.parse::<f64>().is_ok_and(f64::is_finite)
}

fn is_color(value: &str) -> bool {
    let digits = value.strip_prefix('#').unwrap_or_default();
    digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
