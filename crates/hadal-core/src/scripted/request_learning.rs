//! Learns the request of a scripted search: the request that carried a typed word becomes a form.

use super::{PageRequest, ResourceKind, is_own_header};
use crate::http::{Method, Response};
use crate::page::{Field, FieldKind, Form, FormSource};
use crate::submission::{HEADER, WORDS};
use serde_json::Value;
use std::collections::BTreeSet;
use url::{Url, form_urlencoded};

/// Maximum number of values of a JSON body that become fields. A request with more is not learned. Guess.
const MAX_VALUES: usize = 400;
/// Share of the keys that two answers with the same structure have in common. Guess.
const MIN_SHARED_KEYS: f64 = 0.8;
/// Maximum number of keys of a JSON answer that are compared. Guess.
const MAX_KEYS: usize = 500;
/// Factor between the lengths of two answers that count as equal. Guess.
const MAX_LENGTH_RATIO: f64 = 1.3;
/// Parts of paths of requests that complete words instead of searching. Spellings seen in public interfaces.
const SUGGESTIONS: [&str; 6] = ["suggest", "autocomplet", "typeahead", "complete", "hint", "instant"];

/// Learned form of a request that carried `word`, with the labels of the box in `visible`. `None` if the request cannot
/// be repeated with other words.
pub fn learned_form(request: &PageRequest, word: &str, visible: &Form, field: usize) -> Option<Form> {
    let form = template(request, word)?;
    let typed = visible.fields.get(field);
    let mut fields = form.fields;
    for carrier in fields.iter_mut().filter(|field| field.kind == FieldKind::Search) {
        if let Some(typed) = typed {
            (carrier.label, carrier.placeholder) = (typed.label.clone(), typed.placeholder.clone());
        }
    }
    Some(Form {
        source: FormSource::Script,
        index: u32::MAX,
        attributes: visible.attributes.clone(),
        text: visible.text.clone(),
        heading: visible.heading.clone(),
        fields,
        ..form
    })
}

/// The same learned form with the header lines that the script added.
pub fn with_headers(form: &Form, request: &PageRequest) -> Form {
    let is_added = |name: &str| is_own_header(name) && !name.eq_ignore_ascii_case("content-type");
    let lines = request.headers.0.iter().filter(|(name, _)| is_added(name));
    let fields = lines.map(|(name, value)| Field::new(FieldKind::Hidden, &format!("{HEADER}{name}"), value));
    Form { fields: form.fields.iter().cloned().chain(fields).collect(), ..form.clone() }
}

/// Form of a request with the word's field as plain text, for the vetoes.
pub(super) fn plain_form(request: &PageRequest, word: &str) -> Option<Form> {
    let mut form = template(request, word)?;
    for field in form.fields.iter_mut() {
        field.name = field.name.rsplit('/').next().unwrap_or_default().to_string();
        if field.kind == FieldKind::Search {
            field.kind = FieldKind::Text;
        }
    }
    Some(form)
}

fn template(request: &PageRequest, word: &str) -> Option<Form> {
    let mut values = RequestValues { word, fields: Vec::new() };
    let is_post = request.method == "POST";
    let mut action = request.url.clone();
    if is_post {
        values.add_body(request)?;
    } else {
        let is_fresh = |name: &str, value: &str| is_time(value) || value.is_empty() && is_time(name);
        let pairs = request.url.query_pairs().filter(|(name, value)| !is_fresh(name, value));
        pairs.for_each(|(name, value)| {
            values.add(&name, &value, |text| text.to_string());
        });
        action.set_query(None);
    }
    action = masked(&action, word)?;
    values.complete(&action);
    let has_words = values.fields.iter().any(|field| field.kind == FieldKind::Search);
    let kind = request.headers.get("content-type").unwrap_or_default().to_ascii_lowercase();
    let form = Form::to(action, if is_post { Method::Post } else { Method::Get }, values.fields);
    has_words.then(|| Form { enctype: if is_post { kind } else { String::new() }, ..form })
}

/// Milliseconds since 1970, which scripts add to get a fresh answer.
fn is_time(value: &str) -> bool {
    value.len() == 13 && value.starts_with('1') && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// URL with the placeholder for the word; `None` if the host contains the word.
fn masked(url: &Url, word: &str) -> Option<Url> {
    let masked = Url::parse(&replaced(url.as_str(), word)).ok()?;
    (masked.host_str() == url.host_str()).then_some(masked)
}

/// Text with the placeholder for each occurrence of the word, whatever its case.
fn replaced(text: &str, word: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let (mut out, mut from) = (String::new(), 0);
    while let Some(at) = lower[from..].find(word) {
        out.push_str(&text[from..from + at]);
        out.push_str(WORDS);
        from += at + word.len();
    }
    out + &text[from..]
}

/// Fields of a request under construction.
struct RequestValues<'w> {
    word: &'w str,
    fields: Vec<Field>,
}

impl RequestValues<'_> {
    /// Adds a value. The first one that is the word takes the query words; `write` gives other values as they are
    /// stored.
    fn add(&mut self, name: &str, value: &str, write: impl Fn(&str) -> String) {
        let has_words = self.fields.iter().any(|field| field.kind == FieldKind::Search);
        let field = match value.eq_ignore_ascii_case(self.word) && !has_words {
            true => Field { required: true, ..Field::new(FieldKind::Search, name, "") },
            false => Field::new(FieldKind::Hidden, name, &write(&replaced(value, self.word))),
        };
        self.fields.push(field);
    }

    /// Adds the values of a body; `None` if its format is unknown.
    fn add_body(&mut self, request: &PageRequest) -> Option<()> {
        let kind = request.headers.get("content-type").unwrap_or_default();
        match serde_json::from_slice::<Value>(&request.body) {
            Ok(body @ (Value::Object(_) | Value::Array(_))) => {
                let mut leaves = Vec::new();
                json_leaves(&body, &mut String::new(), &mut leaves);
                for (pointer, value) in leaves {
                    match value.as_str() {
                        Some(text) => self.add(&pointer, text, |text| Value::from(text).to_string()),
                        None => self.fields.push(Field::new(FieldKind::Hidden, &pointer, &value.to_string())),
                    }
                }
                (self.fields.len() <= MAX_VALUES).then_some(())
            }
            _ if request.body.is_empty() || kind.is_empty() || kind.contains("urlencoded") => {
                form_urlencoded::parse(&request.body).for_each(|(name, value)| {
                    self.add(&name, &value, |text| text.to_string());
                });
                Some(())
            }
            _ => None,
        }
    }

    /// Adds a field for the words if they occur only inside other values or in the URL.
    fn complete(&mut self, action: &Url) {
        let has_words = self.fields.iter().any(|field| field.kind == FieldKind::Search);
        let in_value = self.fields.iter().any(|field| field.value.contains(WORDS));
        let in_url = action.as_str().contains("words%7D") || action.as_str().contains(WORDS);
        if !has_words && (in_value || in_url) {
            self.fields.insert(0, Field { required: true, ..Field::new(FieldKind::Search, WORDS, "") });
        }
    }
}

/// Scalars and empty lists of a JSON value with their pointers.
pub(crate) fn json_leaves<'v>(value: &'v Value, pointer: &mut String, leaves: &mut Vec<(String, &'v Value)>) {
    let length = pointer.len();
    let mut descend = |key: &str, item: &'v Value, pointer: &mut String| {
        pointer.push('/');
        pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        json_leaves(item, pointer, leaves);
        pointer.truncate(length);
    };
    match value {
        Value::Object(object) if !object.is_empty() => {
            object.iter().for_each(|(key, item)| descend(key, item, pointer));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(at, item)| descend(&at.to_string(), item, pointer));
        }
        _ => leaves.push((pointer.clone(), value)),
    }
}

/// Rank of a request among those that carried the word, the likeliest search first: answers to scripts after the word
/// was submitted, pages, answers while it was typed. Requests that complete words come last.
pub fn search_rank(request: &PageRequest, is_submitted: bool) -> u32 {
    let path = request.url.path().to_lowercase();
    let is_suggestion = SUGGESTIONS.iter().any(|part| path.contains(part));
    let rank = match (request.kind, is_submitted) {
        (ResourceKind::Data, true) => 0,
        (ResourceKind::Document, _) => 1,
        (ResourceKind::Data, false) => 2,
        _ => 3,
    };
    rank + if is_suggestion { 4 } else { 0 }
}

/// Returns true if two answers to the same request are equal but for details such as times and tokens.
pub fn is_same_answer(one: &Response, other: &Response) -> bool {
    if one.status != other.status {
        return false;
    }
    let parsed = |response: &Response| serde_json::from_slice::<Value>(&response.body).ok();
    match (parsed(one), parsed(other)) {
        (Some(one), Some(other)) => shared_keys(&one, &other) >= MIN_SHARED_KEYS,
        (None, None) => {
            let (one, other) = (one.body.len().max(1) as f64, other.body.len().max(1) as f64);
            (one / other).max(other / one) <= MAX_LENGTH_RATIO
        }
        _ => false,
    }
}

/// Share of the keys that two values have in common.
fn shared_keys(one: &Value, other: &Value) -> f64 {
    let (one, other) = (keys(one), keys(other));
    let all = one.union(&other).count().max(1);
    if one.is_empty() && other.is_empty() {
        1.0
    } else {
        one.intersection(&other).count() as f64 / all as f64
    }
}

/// Keys of a value. Positions in lists count as one key.
fn keys(value: &Value) -> BTreeSet<String> {
    let mut leaves = Vec::new();
    json_leaves(value, &mut String::new(), &mut leaves);
    let is_position = |part: &&str| !part.bytes().all(|byte| byte.is_ascii_digit());
    let key =
        |(pointer, _): (String, &Value)| pointer.split('/').filter(is_position).collect::<Vec<_>>().join("/");
    leaves.into_iter().map(key).take(MAX_KEYS).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::data_request;
    use super::*;
    use crate::submission::{FilledForm, is_learned, request_template, submission};

    const WORD: &str = "xuqozivakex";

    fn learned(method: &str, url: &str, body: &str) -> Option<Form> {
        let page = "<input placeholder='Search boats'>";
        let visible = crate::html::parse(page.as_bytes(), None, &Url::parse("http://a.org/").unwrap());
        learned_form(&data_request(method, url, body), WORD, &visible.forms[0], 0)
    }

    fn shown(method: &str, url: &str, body: &str) -> Option<String> {
        request_template(&learned(method, &url.replace("WORD", WORD), &body.replace("WORD", WORD))?)
    }

    #[test]
    fn the_word_is_found_in_parameters_paths_and_bodies() {
        for (method, url, body, expected) in [
            ("GET", "http://a.org/api?q=WORD&page=1", "", "GET http://a.org/api?q={words}&page=1"),
            ("GET", "http://a.org/api?_=1763400000000&q=WORD", "", "GET http://a.org/api?q={words}"),
            ("GET", "http://a.org/api?q=WORD&1763400000000", "", "GET http://a.org/api?q={words}"),
            ("GET", "http://a.org/find/WORD", "", "GET http://a.org/find/{words}"),
            ("POST", "http://a.org/api", "q=WORD&n=5", "POST http://a.org/api q={words}&n=5"),
            (
                "POST",
                "http://a.org/g?op=F",
                r#"{"variables":{"t":"WORD","n":5}}"#,
                r#"POST http://a.org/g?op=F {"variables":{"n":5,"t":"{words}"}}"#,
            ),
            ("GET", "http://a.org/api?f=t:WORD*", "", "GET http://a.org/api?f=t%3A{words}*"),
        ] {
            assert_eq!(shown(method, url, body).as_deref(), Some(expected), "{url} {body}");
        }
        assert_eq!(shown("GET", "http://a.org/api?q=other", ""), None);
        assert_eq!(shown("GET", "http://WORD.a.org/", ""), None);
    }

    #[test]
    fn a_learned_form_has_the_labels_of_its_box_and_repeats_the_request() {
        let form = learned("POST", "http://a.org/api", &format!(r#"{{"q":"{WORD}","tags":[]}}"#)).unwrap();
        assert!(is_learned(&form) && form.fields.iter().any(|field| field.placeholder == "Search boats"));
        let at = form.fields.iter().position(|field| field.kind == FieldKind::Search).unwrap();
        let request = submission(&form, &FilledForm::of(at, "sea"), "utf-8");
        assert_eq!(request.body, br#"{"q":"sea","tags":[]}"#);
    }

    #[test]
    fn answers_are_the_same_if_their_structure_is() {
        let answer =
            |body: &str| Response { status: 200, body: body.as_bytes().to_vec(), ..Response::default() };
        let one = answer(r#"{"took":5,"hits":[{"id":1,"t":"a"}]}"#);
        assert!(is_same_answer(&one, &answer(r#"{"took":9,"hits":[{"id":1,"t":"a"},{"id":2,"t":"b"}]}"#)));
        assert!(!is_same_answer(&one, &answer(r#"{"error":"no token"}"#)));
        assert!(!is_same_answer(&one, &Response { status: 403, ..one.clone() }));
    }

    #[test]
    fn completion_of_words_ranks_last() {
        let suggest = data_request("GET", "http://a.org/api/suggest?q=x", "");
        let search = data_request("GET", "http://a.org/api/find?q=x", "");
        assert!(search_rank(&search, false) < search_rank(&suggest, true));
        assert!(search_rank(&search, true) < search_rank(&search, false));
    }
}
