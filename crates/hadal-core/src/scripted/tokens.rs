//! Values that a page hands out and its scripts send back: tokens against forged requests, session keys.
//!
//! A page holds them in `<meta>` elements, hidden fields or cookies. [`with_sources`] notes in a learned form where
//! each value came from, and [`refresh`] replaces the value when the page is fetched again.

use crate::http::Headers;
use crate::page::{FieldKind, Form, Page, PageToken};
use serde_json::Value;
use std::borrow::Cow;
use url::form_urlencoded;

/// Bytes of the shortest value that is followed to its source. Guess: shorter ones are options.
const MIN_VALUE: usize = 8;
/// Parts of the names of tokens. Spellings of common frameworks.
const NAMES: [&str; 5] = ["csrf", "xsrf", "token", "nonce", "authenticity"];

/// True for the name of a value that changes from visit to visit.
pub fn is_token_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    NAMES.iter().any(|part| lower.contains(part))
}

/// Tokens in the cookies that a response sets.
pub fn cookie_tokens(headers: &Headers) -> Vec<PageToken> {
    let lines = headers.0.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    let pairs = lines.filter_map(|(_, line)| line.split(';').next()?.split_once('='));
    let named = pairs.filter(|(name, _)| is_token_name(name));
    named.map(|(name, value)| PageToken { name: name.trim().to_string(), value: decoded(value) }).collect()
}

/// Value of a cookie as scripts send it: without quotes and percent signs.
fn decoded(value: &str) -> String {
    let pair = format!("x={}", value.trim().trim_matches('"').replace('+', "%2B"));
    form_urlencoded::parse(pair.as_bytes()).next().map(|(_, text)| text.into_owned()).unwrap_or_default()
}

/// Notes in the `id` of each hidden field which token of the page its value is.
pub fn with_sources(mut form: Form, page: &Page, cookies: &[PageToken]) -> Form {
    let tokens: Vec<Cow<'_, PageToken>> = tokens_of(page, cookies);
    for field in form.fields.iter_mut().filter(|field| field.kind == FieldKind::Hidden) {
        let value = plain_value(&field.name, &field.value);
        let is_source = |token: &&Cow<'_, PageToken>| token.value.len() >= MIN_VALUE && token.value == value;
        if let Some(token) = tokens.iter().find(is_source) {
            field.id.clone_from(&token.name);
        }
    }
    form
}

/// Replaces the values of a learned form by those that a page hands out now.
pub fn refresh(form: &mut Form, page: &Page) {
    if form.fields.iter().all(|field| field.id.is_empty()) {
        return;
    }
    let tokens = tokens_of(page, &[]);
    for field in form.fields.iter_mut().filter(|field| field.kind == FieldKind::Hidden) {
        if let Some(token) = tokens.iter().find(|token| token.name == field.id) {
            field.value = match field.name.starts_with('/') {
                true => Value::from(token.value.as_str()).to_string(),
                false => token.value.clone(),
            };
        }
    }
}

/// Tokens of a page: of its metadata and cookies, and the hidden values of its forms.
fn tokens_of<'p>(page: &'p Page, cookies: &'p [PageToken]) -> Vec<Cow<'p, PageToken>> {
    let hidden = page.forms.iter().flat_map(|form| &form.fields);
    let hidden = hidden.filter(|field| field.kind == FieldKind::Hidden && is_token_name(&field.name));
    let hidden =
        hidden.map(|field| Cow::Owned(PageToken { name: field.name.clone(), value: field.value.clone() }));
    page.hints.tokens.iter().chain(cookies).map(Cow::Borrowed).chain(hidden).collect()
}

/// Value of a field; that of a JSON body is JSON text.
fn plain_value<'v>(name: &str, value: &'v str) -> Cow<'v, str> {
    let text = name.starts_with('/').then(|| serde_json::from_str::<String>(value).ok()).flatten();
    text.map_or(Cow::Borrowed(value), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use crate::http::Method;
    use crate::page::Field;
    use url::Url;

    fn page(token: &str) -> Page {
        let html = format!(
            "<meta name=csrf-token content={token}><form><input type=hidden name=nonce value=n-{token}></form>"
        );
        parse(html.as_bytes(), None, &Url::parse("http://a.org/").unwrap())
    }

    #[test]
    fn values_of_a_learned_request_follow_the_page() {
        let fields = ["{header}X-CSRF-Token", "/nonce", "xsrf", "size"].map(|name| {
            let value = match name {
                "/nonce" => "\"n-first-token\"",
                "xsrf" => "cookie value",
                "size" => "10",
                _ => "first-token",
            };
            Field::new(FieldKind::Hidden, name, value)
        });
        let form = Form::to(Url::parse("http://a.org/api").unwrap(), Method::Post, fields.to_vec());
        let mut headers = Headers::default();
        headers.push("Set-Cookie", "XSRF-TOKEN=cookie%20value; Path=/");
        let mut form = with_sources(form, &page("first-token"), &cookie_tokens(&headers));
        let mut later = page("second-token");
        headers.0[0].1 = "XSRF-TOKEN=other%20value".into();
        later.hints.tokens.extend(cookie_tokens(&headers));
        refresh(&mut form, &later);
        let values: Vec<&str> = form.fields.iter().map(|field| field.value.as_str()).collect();
        assert_eq!(values, ["second-token", "\"n-second-token\"", "other value", "10"]);
    }
}
