//! Field that a probe fills in: the best text field, otherwise a select.

use crate::critic::kind_features::mentions_search;
use crate::critic::phrase_set::{PhraseSet, normalise};
use crate::page::{Field, FieldKind, FieldOption, Form};
use crate::submission::FilledForm;
use crate::text::words::each_part;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Field to fill in, by position in the form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum ProbeTarget {
    /// Text field that takes a word.
    Words(usize),
    /// Select with the values of two options other than the default.
    Choice { field: usize, one: String, other: String },
}

impl ProbeTarget {
    /// Chooses the best text field. Without one, the first select with enough options.
    pub(super) fn of(form: &Form) -> Option<ProbeTarget> {
        let fields = || form.fields.iter().enumerate();
        let scores = fields().filter_map(|(at, field)| word_score(field).map(|score| (score, at)));
        // The first field wins a tie.
        let best = scores.max_by_key(|(score, at)| (*score, std::cmp::Reverse(*at)));
        match best {
            Some((_, at)) => Some(ProbeTarget::Words(at)),
            None => fields().find_map(|(at, field)| select_target(at, field)),
        }
    }

    /// True for a text field that does not say what it asks for, in a form that does not mention searching. It may take
    /// an entry as well as a query.
    pub(super) fn is_unexplained(&self, form: &Form) -> bool {
        match self {
            ProbeTarget::Words(at) => is_wordless(&form.fields[*at]) && !form_mentions_search(form),
            ProbeTarget::Choice { .. } => false,
        }
    }

    /// Form input with a word, or with the first option of the select.
    pub(super) fn input_with(&self, word: &str) -> FilledForm {
        match self {
            ProbeTarget::Words(field) => FilledForm::of(*field, word),
            ProbeTarget::Choice { field, one, .. } => FilledForm::of(*field, one),
        }
    }

    /// Form input with the second option of the select.
    pub(super) fn input_with_other_option(&self) -> FilledForm {
        match self {
            ProbeTarget::Words(_) => FilledForm::default(),
            ProbeTarget::Choice { field, other, .. } => FilledForm::of(*field, other),
        }
    }

    /// Form input of the empty query: no word, all options at their default.
    pub(super) fn empty_input(&self) -> FilledForm {
        match self {
            ProbeTarget::Words(field) => FilledForm::of(*field, ""),
            ProbeTarget::Choice { .. } => FilledForm::default(),
        }
    }
}

/// Names and labels of fields for any words.
#[rustfmt::skip]
static QUERY_NAMES: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "q", "s", "k", "query", "search", "keyword", "keywords", "kw", "term", "terms", "searchterm", "searchtext", "text",
    "words", "word", "find", "what", "wd", "suche", "suchbegriff", "recherche", "busca", "buscar", "pesquisa", "cerca",
    "zoek", "szukaj", "ara", "look for", "any words", "stichwort", "mots", "mot", "palabra", "palavra", "parola",
    "поиск", "слово", "关键词", "關鍵字", "キーワード", "검색어",
]));

/// Names and labels of fields for titles and names.
#[rustfmt::skip]
static TITLE_NAMES: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "title", "name", "titel", "titre", "título", "titolo", "subject", "topic", "description", "product", "model",
    "author", "artist", "company", "job title", "jobtitle", "skills", "category", "movie", "film", "song", "album",
]));

/// Names and labels of fields that take no words, such as dates and numbers.
#[rustfmt::skip]
static NON_WORD_NAMES: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "zip", "zipcode", "postcode", "postal", "plz", "cep", "date", "day", "month", "year", "yr", "datum", "fecha",
    "price", "preis", "prix", "precio", "preço", "prezzo", "min", "max", "minimum", "maximum", "amount", "salary",
    "email", "e mail", "mail", "phone", "tel", "fax", "isbn", "issn", "ean", "sku", "number", "no", "id", "code",
    "quantity", "qty", "age", "radius", "distance", "miles", "km", "mileage", "checkin", "checkout", "check in",
    "check out", "arrival", "departure", "depart", "departing", "return", "returning", "rooms", "guests", "adults",
    "children", "page", "limit", "size", "latitude", "longitude", "lat", "lng", "url", "website",
]));

/// Suitability of a field for a word, from 2 to 5. `None` if the field takes no words. The order is a guess.
fn word_score(field: &Field) -> Option<u32> {
    let open = !field.disabled && !field.name.is_empty() && field.max_length.is_none_or(|most| most >= 8);
    if !open || !matches!(field.kind, FieldKind::Text | FieldKind::Search) {
        return None;
    }
    let (name, read) = (normalise(&field.name), normalise(&format!("{} {}", field.label, field.placeholder)));
    let mentions = |list: &PhraseSet| list.found_in(&name) || list.found_in(&read);
    Some(match field.kind {
        FieldKind::Search => 5,
        _ if QUERY_NAMES.equals(&name) => 5,
        _ if mentions(&QUERY_NAMES) => 4,
        _ if mentions(&NON_WORD_NAMES) => return None,
        _ if mentions(&TITLE_NAMES) => 3,
        _ => 2,
    })
}

/// True for a text field whose name, label and placeholder contain no word. A name of a single letter counts as a word
/// if query fields are usually named so.
fn is_wordless(field: &Field) -> bool {
    let mut is_named = QUERY_NAMES.equals(&normalise(&field.name));
    each_part(&field.name, |part| is_named |= part.chars().count() > 1);
    let is_labelled = [&field.label, &field.placeholder].iter().any(|text| !text.trim().is_empty());
    field.kind == FieldKind::Text && !is_named && !is_labelled
}

/// True if a button, the heading, the text, the attributes or the action of a form mention searching.
fn form_mentions_search(form: &Form) -> bool {
    let buttons = form.fields.iter().filter(|field| field.kind.is_button());
    let of_form = [form.heading.as_str(), &form.text, &form.attributes, form.action.path()];
    buttons
        .flat_map(|field| [field.label.as_str(), &field.value, &field.name])
        .chain(of_form)
        .any(mentions_search)
}

/// Names and labels of fields that control the display of results.
#[rustfmt::skip]
static DISPLAY_OPTIONS: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "sort", "order", "orderby", "per page", "perpage", "limit", "view", "lang", "language", "locale", "currency",
    "country site", "theme", "page", "show", "sprache", "langue", "idioma", "lingua", "taal",
]));

/// True for a field that controls the display of results (order, page size, language), not their selection.
pub fn is_display_option(field: &Field) -> bool {
    DISPLAY_OPTIONS.found_in(&normalise(&format!("{} {}", field.name, field.label)))
}

fn select_target(at: usize, field: &Field) -> Option<ProbeTarget> {
    if field.kind != FieldKind::Select || field.disabled || field.name.is_empty() || is_display_option(field)
    {
        return None;
    }
    // A select with addresses as values is a navigation menu.
    let is_address = |option: &FieldOption| option.value.starts_with('/') || option.value.contains("://");
    let is_choice =
        |option: &&FieldOption| !option.selected && !option.value.trim().is_empty() && !is_address(option);
    let mut offered = field.options.iter().filter(is_choice);
    let (one, other) = (offered.next()?, offered.next()?);
    Some(ProbeTarget::Choice { field: at, one: one.value.clone(), other: other.value.clone() })
}

/// Word that occurs in no text. It has eleven letters: rare consonants and vowels in turn, chosen by `seed`, and an `x`
/// at the end.
pub fn nonsense_word(seed: u64) -> String {
    const RARE: &[u8; 8] = b"xqzvwkjf";
    const VOWELS: &[u8; 4] = b"uoia";
    let mut bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let mut word = String::new();
    for _ in 0..5 {
        bits = bits.rotate_left(17).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word.push(char::from(RARE[(bits >> 61) as usize]));
        word.push(char::from(VOWELS[(bits >> 40) as usize % 4]));
    }
    word.push('x');
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn target(html: &str) -> Option<ProbeTarget> {
        let url = Url::parse("http://a.org/").unwrap();
        ProbeTarget::of(&crate::html::parse(html.as_bytes(), None, &url).forms[0])
    }

    #[test]
    fn the_best_text_field_is_chosen() {
        for (html, expected) in [
            ("<form><input name=zip><input name=q></form>", Some(ProbeTarget::Words(1))),
            ("<form><input name=where><input name=title></form>", Some(ProbeTarget::Words(1))),
            ("<form><input name=city><input name=price></form>", Some(ProbeTarget::Words(0))),
            ("<form><input name=date><input type=number name=n></form>", None),
            ("<form><input name=q disabled><input type=search name=x></form>", Some(ProbeTarget::Words(1))),
        ] {
            assert_eq!(target(html), expected, "{html}");
        }
    }

    #[test]
    fn a_field_without_words_is_explained_by_a_form_that_mentions_searching() {
        let url = Url::parse("http://a.org/").unwrap();
        let is_unexplained = |html: &str| {
            let form = &crate::html::parse(html.as_bytes(), None, &url).forms[0];
            ProbeTarget::of(form).unwrap().is_unexplained(form)
        };
        for html in [
            "<h2>Model</h2><form action=/a2><i class=icon></i><input name=f1></form>",
            "<form><input name=1><input type=submit value=OK></form>",
        ] {
            assert!(is_unexplained(html), "{html}");
        }
        for html in [
            "<form><input name=f1><button>Search</button></form>",
            "<h2>Suche</h2><form><input name=f1></form>",
            "<form class=search-box><input name=f1></form>",
            "<form action=/find><input name=f1></form>",
            "<form><input name=q></form>",
            "<form><input name=f1 placeholder='Brand and model'></form>",
            "<form><input type=search name=f1></form>",
            "<form><select name=1><option>Any<option>Ford<option>Opel</select></form>",
        ] {
            assert!(!is_unexplained(html), "{html}");
        }
    }

    #[test]
    fn selects_are_probed_with_two_options_other_than_the_default() {
        let html = "<form><select name=sort><option>a<option>b<option>c</select>
            <select name=make><option value=''>Any<option>Ford<option>Opel</select></form>";
        let (one, other) = ("Ford".to_string(), "Opel".to_string());
        assert_eq!(target(html), Some(ProbeTarget::Choice { field: 1, one, other }));
        assert_eq!(target("<form><select name=go><option>x<option>/a<option>/b</select></form>"), None);
    }

    #[test]
    fn nonsense_words_differ_and_consist_of_letters() {
        let words: std::collections::BTreeSet<String> = (0..200).map(nonsense_word).collect();
        assert!(words.len() > 195);
        assert!(words.iter().all(|word| word.len() == 11 && word.bytes().all(|b| b.is_ascii_lowercase())));
    }
}
