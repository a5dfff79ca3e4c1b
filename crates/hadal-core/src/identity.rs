//! Identity of forms across pages.
//!
//! The same search box may be on thousands of pages of a site and is counted once. The ground truth of the simulated
//! web uses the same function.

use crate::address::{Site, is_session_name, path_without_session};
use crate::http::Method;
use crate::page::{Field, FieldKind, Form};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Identity of a form across all sites, written as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormId(pub u64);

impl std::fmt::Display for FormId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// 16 hexadecimal digits in JSON, because many programs read JSON numbers beyond 2^53 inexactly; a number in binary
/// formats.
impl Serialize for FormId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_str(self),
            false => serializer.serialize_u64(self.0),
        }
    }
}

/// JSON of earlier versions holds numbers.
impl<'de> Deserialize<'de> for FormId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FormId, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u64),
            Digits(String),
        }
        if !deserializer.is_human_readable() {
            return u64::deserialize(deserializer).map(FormId);
        }
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ok(FormId(number)),
            Written::Digits(digits) => digits.parse().map_err(D::Error::custom),
        }
    }
}

impl std::str::FromStr for FormId {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<FormId, Self::Err> {
        u64::from_str_radix(text, 16).map(FormId)
    }
}

/// Maximum number of words of a label that enters an identity. Longer labels are sentences, or text before
/// the field that differs from page to page. Guess.
const MAX_LABEL_WORDS: usize = 4;

/// Identity of a form on a page: hash of the site, the method, the action, the sorted names of the visible fields, and
/// the hidden values except those that change from visit to visit or repeat the query of an answer. If no visible field
/// has a name, ids or labels take their place, with the text of the button.
pub fn form_id(form: &Form, page: &Url) -> FormId {
    let visible = || form.fields.iter().filter(|field| is_visible(field));
    let mut names: Vec<&str> = visible().map(|f| f.name.as_str()).filter(|name| !name.is_empty()).collect();
    let substitutes = if names.is_empty() { substitute_names(form) } else { Vec::new() };
    names.extend(substitutes.iter().map(String::as_str));
    names.sort_unstable();
    let echo = QueryEcho::of(form, page);
    let mut hidden: Vec<(&str, &str)> = form
        .fields
        .iter()
        .filter(|field| is_stable_hidden(field))
        .map(|field| (field.name.as_str(), if echo.contains(field) { "" } else { field.value.as_str() }))
        .collect();
    hidden.sort_unstable();
    let method = match form.method {
        Method::Get => "get",
        Method::Post => "post",
    };
    let (site, action) = (Site::of(page).0, action_key(form, page));
    FormId(xxh3_64(identity_text(&[&site, method, &action], &names, &hidden).as_bytes()))
}

/// Text of an identity's parts, formatted like the `Debug` output of a tuple. Stored form ids depend on it.
fn identity_text(parts: &[&str], names: &[&str], hidden: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(128);
    text.push('(');
    for part in parts {
        quote(&mut text, part);
        text.push_str(", ");
    }
    text.push('[');
    for (at, name) in names.iter().enumerate() {
        text.push_str(if at == 0 { "" } else { ", " });
        quote(&mut text, name);
    }
    text.push_str("], [");
    for (at, (name, value)) in hidden.iter().enumerate() {
        text.push_str(if at == 0 { "(" } else { ", (" });
        quote(&mut text, name);
        text.push_str(", ");
        quote(&mut text, value);
        text.push(')');
    }
    text.push_str("])");
    text
}

/// Appends a quoted text. Texts without characters to escape, which are most, take a fast path.
fn quote(text: &mut String, part: &str) {
    let is_plain = part.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\'));
    if is_plain {
        text.push('"');
        text.push_str(part);
        text.push('"');
    } else {
        text.push_str(&format!("{part:?}"));
    }
}

/// Parameters of an answer's URL, which hidden fields of its form may repeat.
struct QueryEcho {
    pairs: Vec<(String, String)>,
}

impl QueryEcho {
    /// Parameters of the page's URL if a text field of the form shows one of them: then the page answers this form.
    /// Empty otherwise, because other pages name a part of a site in their URLs.
    fn of(form: &Form, page: &Url) -> QueryEcho {
        let pairs: Vec<(String, String)> = page.query_pairs().into_owned().collect();
        let shows = |field: &Field| field.kind.is_textual() && has_pair(&pairs, field);
        let is_answer = form.fields.iter().any(shows);
        QueryEcho { pairs: if is_answer { pairs } else { Vec::new() } }
    }

    fn contains(&self, field: &Field) -> bool {
        has_pair(&self.pairs, field)
    }
}

fn has_pair(pairs: &[(String, String)], field: &Field) -> bool {
    !field.value.is_empty() && pairs.iter().any(|(name, value)| *name == field.name && *value == field.value)
}

fn is_visible(field: &Field) -> bool {
    field.kind != FieldKind::Hidden && !field.kind.is_button()
}

/// Texts that identify a form if its visible fields have no names: one per field, and the text of the button.
/// Empty for a form without visible fields.
fn substitute_names(form: &Form) -> Vec<String> {
    let mut names: Vec<String> =
        form.fields.iter().filter(|field| is_visible(field)).map(substitute_name).collect();
    let sends = |field: &&Field| matches!(field.kind, FieldKind::Submit | FieldKind::Image);
    let button = || form.fields.iter().find(|field| field.kind == FieldKind::Button);
    if let Some(button) = form.fields.iter().find(sends).or_else(button).filter(|_| !names.is_empty()) {
        names.push(format!("button {}", short_label(&button.label)));
    }
    names
}

/// Id of a field. An id with digits may be numbered by a script, so the kind and the placeholder or label replace it.
fn substitute_name(field: &Field) -> String {
    let is_numbered = field.id.contains(|c: char| c.is_ascii_digit());
    if !field.id.is_empty() && !is_numbered {
        return format!("#{}", field.id);
    }
    let label = if field.placeholder.is_empty() { &field.label } else { &field.placeholder };
    format!("{} {}", field.kind.name(), short_label(label))
}

/// Words of a label in lower case and without digits, which may count; empty for a long label.
fn short_label(label: &str) -> String {
    let words = label.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).take(MAX_LABEL_WORDS + 1).collect();
    if words.len() > MAX_LABEL_WORDS { String::new() } else { words.join(" ") }
}

/// Host and path of the action without session ids. For a form that is sent to its own page: `.`, after the page's host
/// and port if they differ from the site.
fn action_key(form: &Form, page: &Url) -> String {
    let own = form.action.host_str() == page.host_str() && form.action.path() == page.path();
    if !form.names_action || own {
        let host = page.authority().trim_start_matches("www.");
        return if host == Site::of(page).0 { ".".to_string() } else { format!("{host}.") };
    }
    format!("{}{}", form.action.authority(), path_without_session(form.action.path()))
}

fn is_stable_hidden(field: &Field) -> bool {
    field.kind == FieldKind::Hidden && !field.name.is_empty() && !is_volatile(&field.name, &field.value)
}

/// Returns true for parameters that change from visit to visit: tokens, sessions, time stamps and return URLs. Value
/// lengths are guesses.
pub fn is_volatile(name: &str, value: &str) -> bool {
    let long_number = value.len() >= 8 && value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    let is_long = value.len() > 40 || long_number;
    has_volatile_name(name) || is_long || value.contains("://") || value.starts_with('/')
}

/// Returns true for names of parameters that change from visit to visit. The words are guesses.
pub fn has_volatile_name(name: &str) -> bool {
    const WORDS: [&str; 15] = [
        "token",
        "csrf",
        "xsrf",
        "nonce",
        "session",
        "viewstate",
        "eventvalidation",
        "captcha",
        "timestamp",
        "redirect",
        "return",
        "referer",
        "referrer",
        "authenticity",
        "form_build_id",
    ];
    let lower = name.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word)) || is_session_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(kind: FieldKind, name: &str, value: &str) -> Field {
        Field::new(kind, name, value)
    }

    fn id(page: &str, action: &str, fields: Vec<Field>) -> FormId {
        let page = Url::parse(page).unwrap();
        let form = Form::to(page.join(action).unwrap(), Method::Get, fields);
        form_id(&Form { names_action: !action.is_empty(), ..form }, &page)
    }

    #[test]
    fn a_search_box_on_two_pages_is_one_form() {
        let q = || vec![field(FieldKind::Text, "q", "")];
        assert_eq!(id("http://a.org/1", "/search", q()), id("http://a.org/2", "/search", q()));
    }

    #[test]
    fn session_ids_and_tokens_do_not_make_a_new_form() {
        let with = |token: &str| {
            vec![field(FieldKind::Text, "q", ""), field(FieldKind::Hidden, "csrf_token", token)]
        };
        let one = id("http://a.org/1", "/search;jsessionid=A1", with("x1"));
        let two = id("http://a.org/2", "/search;jsessionid=B2", with("x2"));
        assert_eq!(one, two);
    }

    #[test]
    fn hidden_values_distinguish_two_catalogues() {
        let of =
            |kind: &str| vec![field(FieldKind::Text, "q", ""), field(FieldKind::Hidden, "catalogue", kind)];
        assert_ne!(id("http://a.org/", "/s", of("books")), id("http://a.org/", "/s", of("films")));
    }

    #[test]
    fn a_form_sent_to_its_own_page_is_the_same_with_and_without_an_action() {
        let q = || vec![field(FieldKind::Text, "q", "")];
        assert_eq!(id("http://a.org/find", "", q()), id("http://a.org/find", "/find", q()));
    }

    #[test]
    fn forms_sent_to_their_own_page_differ_by_host_and_port() {
        let of = |page: &str| id(page, "", vec![field(FieldKind::Text, "q", "")]);
        assert_ne!(of("http://127.0.0.1:8101/"), of("http://127.0.0.1:8102/"));
        assert_ne!(of("http://books.a.org/"), of("http://films.a.org/"));
        assert_eq!(of("http://www.a.org/"), of("http://a.org/"));
    }

    #[test]
    fn hidden_fields_that_repeat_an_answers_query_make_no_new_form() {
        let of = |page: &str, words: &str, kind: &str| {
            let fields = vec![field(FieldKind::Text, "q", words), field(FieldKind::Hidden, "kind", kind)];
            id(page, "/s", fields)
        };
        let sea = of("http://a.org/s?q=sea&kind=maps", "sea", "maps");
        assert_eq!(sea, of("http://a.org/s?q=ship&kind=films", "ship", "films"));
        assert_ne!(of("http://a.org/?kind=maps", "", "maps"), of("http://a.org/?kind=films", "", "films"));
    }

    fn nameless(kind: FieldKind, id: &str, label: &str) -> Field {
        Field { id: id.into(), label: label.into(), ..field(kind, "", "") }
    }

    #[test]
    fn forms_without_names_differ_by_ids_labels_and_buttons() {
        let of = |page: &str, fields: Vec<Field>| id(page, "", fields);
        let button = |text: &str| nameless(FieldKind::Submit, "", text);
        let mail = || vec![nameless(FieldKind::Email, "", "Your email"), button("Subscribe")];
        let city =
            |id: &str| vec![nameless(FieldKind::Text, id, "Destination"), button("Search 1,204 hotels")];
        assert_ne!(of("http://a.org/", mail()), of("http://a.org/", city("")));
        assert_ne!(of("http://a.org/", city("where")), of("http://a.org/", city("")));
        assert_eq!(of("http://a.org/1", city("field7")), of("http://a.org/2", city("field12")));
        let other = vec![nameless(FieldKind::Text, "", "Destination"), button("Search 7 hotels")];
        assert_eq!(of("http://a.org/1", city("")), of("http://a.org/2", other));
        let beside = |text: &str| vec![nameless(FieldKind::Text, "", text), button("Add")];
        let long = ["a blue chair made of old oak", "a red table made of young pine"];
        assert_eq!(of("http://a.org/1", beside(long[0])), of("http://a.org/2", beside(long[1])));
    }

    #[test]
    fn ids_of_forms_with_names_do_not_depend_on_ids_labels_and_buttons() {
        let plain = || vec![field(FieldKind::Text, "q", "")];
        let mut dressed = vec![Field { id: "box".into(), label: "Search".into(), ..plain().remove(0) }];
        dressed.extend([nameless(FieldKind::Text, "x", "y"), nameless(FieldKind::Submit, "go", "Go")]);
        assert_eq!(id("http://a.org/", "/s", plain()), id("http://a.org/", "/s", dressed));
        assert_eq!(
            id("http://a.org/", "/s", plain()).to_string(),
            "690092b8e5de06ee",
            "as stored by earlier versions"
        );
        let hidden = |button: &str| {
            vec![field(FieldKind::Hidden, "item", "7"), nameless(FieldKind::Submit, "", button)]
        };
        assert_eq!(id("http://a.org/", "/s", hidden("Buy")), id("http://a.org/", "/s", hidden("Order")));
    }

    #[test]
    fn identity_text_equals_debug_output() {
        let odd = ["", "a b", "it's", "\"", "\\", "\n", "\u{e9}", "\u{200b}", "~", "\u{7f}"];
        for part in odd {
            for (names, hidden) in [
                (vec![], vec![]),
                (vec![part], vec![(part, "x")]),
                (odd.to_vec(), vec![("a", part), ("b", "")]),
            ] {
                let tuple = ("site", "get", part, &names, &hidden);
                assert_eq!(identity_text(&["site", "get", part], &names, &hidden), format!("{tuple:?}"));
            }
        }
    }

    #[test]
    fn ids_survive_being_written_and_read() {
        let id = FormId(0x00ab_cdef_0123_4567);
        assert_eq!(id.to_string().parse::<FormId>().unwrap(), id);
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(json, "\"00abcdef01234567\"");
        assert_eq!(serde_json::from_str::<FormId>(&json).unwrap(), id);
        assert_eq!(serde_json::from_str::<FormId>("7").unwrap(), FormId(7), "as earlier versions wrote it");
        let packed = postcard::to_stdvec(&id).unwrap();
        assert_eq!(postcard::from_bytes::<FormId>(&packed).unwrap(), id);
        assert_eq!(packed, postcard::to_stdvec(&id.0).unwrap());
    }
}
