//! Request of a search that a script sends, learned by [`crate::scripted`].
//!
//! A learned form has source `script` and names its action. Its fields follow these rules:
//!
//! - The field of kind `search` takes the query words. All other fields are hidden.
//! - `{words}` in the action or in a hidden value stands for the words. If the words stand only in such places, the
//!   search field has the name `{words}` and is not sent itself.
//! - A field with a name that starts with `/` belongs to a JSON body: the name is its JSON pointer, a hidden value is
//!   JSON text.
//! - A field with a name that starts with `{header}` is a header line.
//! - A hidden field with an `id` has the value of that token of the page ([`crate::scripted::tokens`]).

use super::FilledForm;
use crate::http::{Method, Request};
use crate::page::{Field, FieldKind, Form, FormSource};
use serde_json::{Map, Value};
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

/// Placeholder for the query words in a learned request.
pub const WORDS: &str = "{words}";
/// Start of the names of fields that are sent as header lines.
pub const HEADER: &str = "{header}";
/// The placeholder as it stands in a URL.
const WORDS_IN_URL: &str = "%7Bwords%7D";

/// Returns true for the request of a script that was learned. Controls outside any form name no action.
pub fn is_learned(form: &Form) -> bool {
    form.source == FormSource::Script && form.names_action
}

/// Readable form of a learned request, with `{words}` for the query words; `None` for other forms.
pub fn request_template(form: &Form) -> Option<String> {
    let field = form.fields.iter().position(|field| field.kind == FieldKind::Search)?;
    if !is_learned(form) {
        return None;
    }
    let request = learned_request(form, &FilledForm::of(field, WORDS));
    let method = if request.method == Method::Post { "POST" } else { "GET" };
    let address = request.url.as_str().replace(WORDS_IN_URL, WORDS);
    let body = String::from_utf8_lossy(&request.body).replace(WORDS_IN_URL, WORDS);
    Some(format!("{method} {address} {body}").trim_end().to_string())
}

/// Builds the request of a learned form.
pub(super) fn learned_request(form: &Form, input: &FilledForm) -> Request {
    let words = words_of(form, input);
    let (headers, fields): (Vec<&Field>, Vec<&Field>) =
        form.fields.iter().partition(|field| field.name.starts_with(HEADER));
    let sent: Vec<&Field> = fields.into_iter().filter(|field| field.name != WORDS).collect();
    let mut request = Request { method: form.method, ..Request::get(with_words(&form.action, words)) };
    for field in headers {
        request.headers.push(&field.name[HEADER.len()..], field.value.replace(WORDS, words));
    }
    let (in_json, in_pairs): (Vec<&Field>, Vec<&Field>) =
        sent.into_iter().partition(|field| field.name.starts_with('/'));
    let pairs = urlencoded(&in_pairs, words);
    match form.method {
        Method::Get => request.url.set_query(Some(pairs.as_str()).filter(|pairs| !pairs.is_empty())),
        Method::Post => {
            request.headers.push("Content-Type", content_type(form));
            request.body = match in_json.is_empty() {
                true => pairs.into_bytes(),
                false => json_body(&in_json, words).to_string().into_bytes(),
            };
        }
    }
    request
}

/// Words that the input gives to the search field.
fn words_of<'i>(form: &Form, input: &'i FilledForm) -> &'i str {
    let is_words = |at: usize| form.fields.get(at).is_some_and(|field| field.kind == FieldKind::Search);
    input.values.iter().find(|(at, _)| is_words(*at)).map(|(_, words)| words.as_str()).unwrap_or_default()
}

fn content_type(form: &Form) -> &str {
    match form.enctype.as_str() {
        "" => "application/x-www-form-urlencoded",
        given => given,
    }
}

fn with_words(action: &Url, words: &str) -> Url {
    let encoded = percent_encoded(words);
    let address = action.as_str().replace(WORDS_IN_URL, &encoded).replace(WORDS, &encoded);
    let mut url = Url::parse(&address).unwrap_or_else(|_| action.clone());
    url.set_fragment(None);
    url
}

fn percent_encoded(words: &str) -> String {
    byte_serialize(words.as_bytes()).collect::<String>().replace('+', "%20")
}

fn urlencoded(fields: &[&Field], words: &str) -> String {
    let value = |field: &Field| match field.kind {
        FieldKind::Search => words.to_string(),
        _ => filled(&field.value, words),
    };
    let pairs = fields.iter().map(|field| (field.name.as_str(), value(field)));
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// Text with the words in it. A text of the form `a={words}&b=1` holds encoded values.
fn filled(text: &str, words: &str) -> String {
    let is_encoded = text.contains(&format!("={WORDS}")) && text.contains('&');
    match is_encoded {
        true => text.replace(WORDS, &percent_encoded(words)),
        false => text.replace(WORDS, words),
    }
}

fn json_body(fields: &[&Field], words: &str) -> Value {
    let mut body = Value::Null;
    for field in fields {
        let mut value = match field.kind {
            FieldKind::Search => Value::String(WORDS.to_string()),
            _ => serde_json::from_str(&field.value).unwrap_or_default(),
        };
        fill_value(&mut value, words);
        insert(&mut body, &field.name, value);
    }
    body
}

fn fill_value(value: &mut Value, words: &str) {
    match value {
        Value::String(text) if text.contains(WORDS) => *text = filled(text, words),
        Value::Array(items) => items.iter_mut().for_each(|item| fill_value(item, words)),
        Value::Object(object) => object.values_mut().for_each(|item| fill_value(item, words)),
        _ => {}
    }
}

/// Sets the value at a JSON pointer. A number is the position in a list.
pub(crate) fn insert(body: &mut Value, pointer: &str, value: Value) {
    let Some(path) = pointer.strip_prefix('/') else {
        *body = value;
        return;
    };
    let (key, rest) = path.find('/').map_or((path, ""), |at| path.split_at(at));
    let key = key.replace("~1", "/").replace("~0", "~");
    let list_end = match &body {
        Value::Array(items) => Some(items.len()),
        Value::Null => Some(0),
        _ => None,
    };
    let position = key.parse::<usize>().ok().filter(|at| list_end.is_some_and(|end| *at <= end));
    match position {
        Some(at) => {
            if !body.is_array() {
                *body = Value::Array(Vec::new());
            }
            if let Value::Array(items) = body {
                if at == items.len() {
                    items.push(Value::Null);
                }
                insert(&mut items[at], rest, value);
            }
        }
        None => {
            if !body.is_object() {
                *body = Value::Object(Map::new());
            }
            insert(&mut body[key], rest, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::submission::submission;

    fn form(action: &str, method: Method, fields: &[(FieldKind, &str, &str)]) -> Form {
        let fields = fields.iter().map(|(kind, name, value)| Field::new(*kind, name, value)).collect();
        let form = Form::to(Url::parse(action).unwrap(), method, fields);
        Form { source: FormSource::Script, ..form }
    }

    fn sent(form: &Form, words: &str) -> Request {
        let at = form.fields.iter().position(|field| field.kind == FieldKind::Search).unwrap();
        submission(form, &FilledForm::of(at, words), "utf-8")
    }

    #[test]
    fn words_go_into_the_path_and_into_parts_of_values() {
        let fields = [(FieldKind::Search, WORDS, ""), (FieldKind::Hidden, "filter", "title:{words}*")];
        let form = form("http://a.org/find/{words}/1", Method::Get, &fields);
        assert_eq!(
            sent(&form, "sea salt").url.as_str(),
            "http://a.org/find/sea%20salt/1?filter=title%3Asea+salt*"
        );
        let template = "GET http://a.org/find/{words}/1?filter=title%3A{words}*";
        assert_eq!(request_template(&form).as_deref(), Some(template));
    }

    #[test]
    fn pointers_make_a_json_body() {
        let fields = [
            (FieldKind::Hidden, "/query", "\"query($t: String) { find(t: $t) { id } }\""),
            (FieldKind::Search, "/variables/t", ""),
            (FieldKind::Hidden, "/variables/page", "1"),
            (FieldKind::Hidden, "/list/0/n", "null"),
            (FieldKind::Hidden, "{header}X-Key", "k"),
        ];
        let form = Form {
            enctype: "application/json".into(),
            ..form("http://a.org/graphql", Method::Post, &fields)
        };
        let request = sent(&form, "a \"b\"");
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!(body["variables"], serde_json::json!({"t": "a \"b\"", "page": 1}));
        assert_eq!(body["list"], serde_json::json!([{"n": null}]));
        assert_eq!(request.headers.get("content-type"), Some("application/json"));
        assert_eq!(request.headers.get("x-key"), Some("k"));
    }

    #[test]
    fn encoded_parameters_inside_a_value_stay_encoded() {
        let fields = [
            (FieldKind::Search, WORDS, ""),
            (FieldKind::Hidden, "/requests/0/params", "\"query={words}&page=0\""),
        ];
        let request = sent(&form("http://a.org/q", Method::Post, &fields), "a&b");
        assert_eq!(request.body, br#"{"requests":[{"params":"query=a%26b&page=0"}]}"#);
    }

    #[test]
    fn controls_outside_a_form_are_no_learned_request() {
        let loose = Form {
            names_action: false,
            ..form("http://a.org/", Method::Get, &[(FieldKind::Search, "q", "")])
        };
        assert_eq!(request_template(&loose), None);
        assert_eq!(sent(&loose, "x").url.as_str(), "http://a.org/?q=x");
    }
}
