//! What a probe fills in: the best text field, or else a choice of a select.

use crate::critic::phrase_set::{PhraseSet, normalise};
use crate::page::{Field, FieldKind, FieldOption, Form};
use crate::submission::FilledForm;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// What is filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum ProbeTarget {
    /// A text field, by position.
    Words(usize),
    /// A select, with two choices that are not its default.
    Choice { field: usize, one: String, other: String },
}

impl ProbeTarget {
    /// The best place for a word; in a form of selects the first that offers enough choice.
    pub(super) fn of(form: &Form) -> Option<ProbeTarget> {
        let fields = || form.fields.iter().enumerate();
        let worth = fields().filter_map(|(at, field)| word_worth(field).map(|worth| (worth, at)));
        // Of equals the first.
        let best = worth.max_by_key(|(worth, at)| (*worth, std::cmp::Reverse(*at)));
        match best {
            Some((_, at)) => Some(ProbeTarget::Words(at)),
            None => fields().find_map(|(at, field)| choice(at, field)),
        }
    }

    /// The form filled with a word, or with the first of the two choices.
    pub(super) fn filling(&self, word: &str) -> FilledForm {
        match self {
            ProbeTarget::Words(field) => FilledForm::of(*field, word),
            ProbeTarget::Choice { field, one, .. } => FilledForm::of(*field, one),
        }
    }

    /// The form with the second of the two choices.
    pub(super) fn other_choice(&self) -> FilledForm {
        match self {
            ProbeTarget::Words(_) => FilledForm::default(),
            ProbeTarget::Choice { field, other, .. } => FilledForm::of(*field, other),
        }
    }

    /// The form with nothing filled in.
    pub(super) fn nothing(&self) -> FilledForm {
        match self {
            ProbeTarget::Words(field) => FilledForm::of(*field, ""),
            ProbeTarget::Choice { .. } => FilledForm::default(),
        }
    }
}

/// Names of fields for words of any sort.
#[rustfmt::skip]
static ANY_WORDS: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "q", "s", "k", "query", "search", "keyword", "keywords", "kw", "term", "terms", "searchterm", "searchtext", "text",
    "words", "word", "find", "what", "wd", "suche", "suchbegriff", "recherche", "busca", "buscar", "pesquisa", "cerca",
    "zoek", "szukaj", "ara", "look for", "any words", "stichwort", "mots", "mot", "palabra", "palavra", "parola",
    "поиск", "слово", "关键词", "關鍵字", "キーワード", "검색어",
]));

/// Names of fields that hold the name of a thing.
#[rustfmt::skip]
static TITLES: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "title", "name", "titel", "titre", "título", "titolo", "subject", "topic", "description", "product", "model",
    "author", "artist", "company", "job title", "jobtitle", "skills", "category", "movie", "film", "song", "album",
]));

/// Names of fields that take something other than words.
#[rustfmt::skip]
static NO_WORDS: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "zip", "zipcode", "postcode", "postal", "plz", "cep", "date", "day", "month", "year", "yr", "datum", "fecha",
    "price", "preis", "prix", "precio", "preço", "prezzo", "min", "max", "minimum", "maximum", "amount", "salary",
    "email", "e mail", "mail", "phone", "tel", "fax", "isbn", "issn", "ean", "sku", "number", "no", "id", "code",
    "quantity", "qty", "age", "radius", "distance", "miles", "km", "mileage", "checkin", "checkout", "check in",
    "check out", "arrival", "departure", "depart", "departing", "return", "returning", "rooms", "guests", "adults",
    "children", "page", "limit", "size", "latitude", "longitude", "lat", "lng", "url", "website",
]));

/// How well a word fits into a field; `None` when it does not.
fn word_worth(field: &Field) -> Option<u32> {
    let open = !field.disabled && !field.name.is_empty() && field.max_length.is_none_or(|most| most >= 8);
    if !open || !matches!(field.kind, FieldKind::Text | FieldKind::Search) {
        return None;
    }
    let (name, read) = (normalise(&field.name), normalise(&format!("{} {}", field.label, field.placeholder)));
    let says = |list: &PhraseSet| list.found_in(&name) || list.found_in(&read);
    Some(match field.kind {
        FieldKind::Search => 5,
        _ if ANY_WORDS.equals(&name) => 5,
        _ if says(&ANY_WORDS) => 4,
        _ if says(&NO_WORDS) => return None,
        _ if says(&TITLES) => 3,
        _ => 2,
    })
}

/// Selects that say how results are shown, not which.
#[rustfmt::skip]
static MANNERS: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "sort", "order", "orderby", "per page", "perpage", "limit", "view", "lang", "language", "locale", "currency",
    "country site", "theme", "page", "show", "sprache", "langue", "idioma", "lingua", "taal",
]));

/// Whether a control says how results are shown, not which.
pub(super) fn is_display_option(field: &Field) -> bool {
    MANNERS.found_in(&normalise(&format!("{} {}", field.name, field.label)))
}

fn choice(at: usize, field: &Field) -> Option<ProbeTarget> {
    if field.kind != FieldKind::Select || field.disabled || field.name.is_empty() || is_display_option(field)
    {
        return None;
    }
    // Choices that are addresses make a menu, not a question.
    let is_address = |choice: &FieldOption| choice.value.starts_with('/') || choice.value.contains("://");
    let offers =
        |choice: &&FieldOption| !choice.selected && !choice.value.trim().is_empty() && !is_address(choice);
    let mut offered = field.options.iter().filter(offers);
    let (one, other) = (offered.next()?, offered.next()?);
    Some(ProbeTarget::Choice { field: at, one: one.value.clone(), other: other.value.clone() })
}

/// A word that nobody has written: letters that rarely meet, in an order made from a seed.
pub(super) fn nonsense_word(seed: u64) -> String {
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
    fn the_field_for_words_is_chosen() {
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
    fn selects_are_asked_with_two_choices_beside_the_default() {
        let html = "<form><select name=sort><option>a<option>b<option>c</select>
            <select name=make><option value=''>Any<option>Ford<option>Opel</select></form>";
        let (one, other) = ("Ford".to_string(), "Opel".to_string());
        assert_eq!(target(html), Some(ProbeTarget::Choice { field: 1, one, other }));
        assert_eq!(target("<form><select name=go><option>x<option>/a<option>/b</select></form>"), None);
    }

    #[test]
    fn nonsense_words_differ_and_are_words_to_a_machine() {
        let words: std::collections::BTreeSet<String> = (0..200).map(nonsense_word).collect();
        assert!(words.len() > 195);
        assert!(words.iter().all(|word| word.len() == 11 && word.bytes().all(|b| b.is_ascii_lowercase())));
    }
}
