//! Query strings of URLs, read and changed without loss.
//!
//! Old sites encode words in other encodings than UTF-8, as in `?letter=%C0`. Such a value has no text without knowledge
//! of the encoding. It is kept as it is written, so that different values stay different, and a changed URL keeps the
//! bytes of all pairs that were not changed.

use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::fmt::Write;
use url::Url;
use url::form_urlencoded::byte_serialize;

/// Encoded pairs of a URL's query. They are separated by `&`, or by `;` where a name and `=` follow.
pub fn encoded_pairs(url: &Url) -> impl Iterator<Item = &str> {
    pairs_of(url.query().unwrap_or_default()).flat_map(split_at_semicolons).filter(|pair| !pair.is_empty())
}

fn pairs_of(query: &str) -> impl Iterator<Item = &str> {
    query.split('&').filter(|pair| !pair.is_empty())
}

fn split_at_semicolons(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let is_pair = |text: &str| {
            let name = text.split(['=', ';']).next().unwrap_or_default();
            !name.is_empty() && text[name.len()..].starts_with('=')
        };
        let end = text.match_indices(';').map(|(at, _)| at).find(|at| is_pair(&text[at + 1..]));
        rest = end.map(|end| &text[end + 1..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

/// Names and values of a URL's query, see [`decoded`].
pub fn query_pairs(url: &Url) -> impl Iterator<Item = (String, String)> {
    encoded_pairs(url).map(decoded)
}

/// Names and values of an urlencoded query or body with `&` between its pairs, see [`decoded`].
pub fn decoded_pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    pairs_of(query).map(decoded)
}

/// Name and value of an encoded pair. Parts that are not UTF-8 stay encoded.
pub fn decoded(pair: &str) -> (String, String) {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    (decoded_part(name), decoded_part(value))
}

fn decoded_part(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().map_or_else(|_| text.to_string(), Cow::into_owned)
}

/// Encoded query with other values: `change` gets each name and value and returns the new value, if there is one. All
/// other pairs keep their bytes.
pub fn with_values<'v>(query: &str, change: impl Fn(&str, &str) -> Option<Cow<'v, str>>) -> String {
    let mut changed = String::with_capacity(query.len());
    for pair in pairs_of(query) {
        let (name, value) = decoded(pair);
        separate(&mut changed);
        match change(&name, &value) {
            Some(value) => {
                let name = pair.split('=').next().unwrap_or_default();
                let _ = write!(changed, "{name}={}", encoded(&value));
            }
            None => changed.push_str(pair),
        }
    }
    changed
}

/// Encoded query without the pairs that `is_removed` accepts by their names. All other pairs keep their bytes.
pub fn without_names(query: &str, is_removed: impl Fn(&str) -> bool) -> String {
    let kept: Vec<&str> = pairs_of(query).filter(|pair| !is_removed(&decoded(pair).0)).collect();
    kept.join("&")
}

/// Encoded query with one more pair at its end.
pub fn with_pair(query: &str, name: &str, value: &str) -> String {
    let mut changed = query.to_string();
    separate(&mut changed);
    changed + &encoded(name) + "=" + &encoded(value)
}

fn separate(query: &mut String) {
    if !query.is_empty() {
        query.push('&');
    }
}

fn encoded(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(query: &str) -> Vec<(String, String)> {
        query_pairs(&Url::parse(&format!("http://a.org/?{query}")).unwrap()).collect()
    }

    #[test]
    fn semicolons_separate_parameters() {
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(
            pairs("a=1;words=deep+sea;n=30"),
            [pair("a", "1"), pair("words", "deep sea"), pair("n", "30")]
        );
        assert_eq!(pairs("t=a;b&n=;"), [pair("t", "a;b"), pair("n", ";")]);
    }

    #[test]
    fn values_in_other_encodings_stay_different() {
        assert_eq!(pairs("letter=%C3%A9+x%2")[0].1, "é x%2");
        assert_ne!(pairs("letter=%C0"), pairs("letter=%C1"));
    }

    #[test]
    fn a_change_keeps_the_bytes_of_other_pairs() {
        let change = |name: &str, _: &str| (name == "page").then_some(Cow::Borrowed("a b"));
        assert_eq!(with_values("q=%EC%EE&page=1&x", change), "q=%EC%EE&page=a+b&x");
        assert_eq!(without_names("q=%EC%EE&n=2&page=1", |name| name == "n"), "q=%EC%EE&page=1");
        assert_eq!(with_pair("q=%EC", "n", "5"), "q=%EC&n=5");
        assert_eq!(with_pair("", "n", "5"), "n=5");
    }
}
