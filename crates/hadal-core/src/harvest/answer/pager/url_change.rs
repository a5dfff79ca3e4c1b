//! The difference between the URL of a page and that of a link on it.

use crate::url_query::query_pairs;
use url::Url;

/// Maximum number of path segments of a URL that are compared. Guess.
const MAX_SEGMENTS: usize = 20;
/// Maximum number of parameters of a URL that are compared. Guess.
const MAX_PARAMETERS: usize = 40;
/// Longest part, in bytes, that may be a page number. Guess.
const MAX_NUMBER_BYTES: usize = 24;

/// Change from a page's URL to a link's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UrlChange {
    /// One number grew, or was added.
    Forward,
    /// One number shrank.
    Backward,
    /// The path is the same and parameters differ in another way.
    SamePath,
    /// Any other change.
    Elsewhere,
}

impl UrlChange {
    pub(super) fn between(here: &Url, there: &Url) -> UrlChange {
        if here.host_str() != there.host_str() {
            return UrlChange::Elsewhere;
        }
        let (ours, theirs) = (parts(here), parts(there));
        let changed: Vec<&(String, String)> = theirs.iter().filter(|part| !ours.contains(part)).collect();
        let same_path = here.path() == there.path();
        match changed[..] {
            [(name, value)] if number_in(value).is_some() => compare(&ours, name, value),
            // From `/find` to `/find/page/2`.
            [(_, word), (_, value)]
                if !same_path && number_in(value).is_some() && word.starts_with(['p', 's']) =>
            {
                UrlChange::Forward
            }
            _ if same_path => UrlChange::SamePath,
            _ => UrlChange::Elsewhere,
        }
    }
}

fn compare(ours: &[(String, String)], name: &str, value: &str) -> UrlChange {
    let before = ours.iter().find(|(known, _)| known == name).map(|(_, value)| number_in(value));
    match (before, number_in(value)) {
        (None, _) => UrlChange::Forward,
        (Some(Some(before)), Some(after)) if after > before => UrlChange::Forward,
        (Some(Some(_)), Some(_)) => UrlChange::Backward,
        _ => UrlChange::SamePath,
    }
}

/// Returns false if a link loses the query of its page: the query's words, where the page's URL contains
/// them, or else all parameter names of the page's URL.
pub(super) fn keeps_query(here: &Url, there: &Url, words: &str) -> bool {
    let words = words.trim().to_lowercase();
    let contains = |url: &Url| decoded(url).contains(&words);
    if !words.is_empty() && contains(here) {
        return contains(there);
    }
    let names = |url: &Url| query_pairs(url).map(|(name, _)| name).collect::<Vec<String>>();
    let (ours, theirs) = (names(here), names(there));
    ours.is_empty() || here.path() != there.path() || theirs.iter().any(|name| ours.contains(name))
}

/// Path and query of a URL, percent-decoded and in lower case.
fn decoded(url: &Url) -> String {
    let text = format!("{}?{}", url.path(), url.query().unwrap_or_default());
    let bytes = url::form_urlencoded::parse(text.replace('&', "%26").replace('=', "%3D").as_bytes())
        .map(|(name, _)| name.into_owned())
        .collect::<String>();
    bytes.to_lowercase()
}

/// Returns true if a link leads to the page that it is on.
pub(super) fn is_same_page(here: &Url, there: &Url) -> bool {
    let (ours, theirs) = (here.query().unwrap_or_default(), there.query().unwrap_or_default());
    here.host_str() == there.host_str() && here.path() == there.path() && ours == theirs
}

/// Non-empty path segments by position and parameters by name.
fn parts(url: &Url) -> Vec<(String, String)> {
    let segments = url.path_segments().into_iter().flatten().enumerate();
    let segments = segments.map(|(nth, segment)| (format!("/{nth}"), segment.to_string()));
    let pairs = query_pairs(url).take(MAX_PARAMETERS);
    let pairs = pairs.map(|(name, value)| (format!("?{name}"), value));
    segments.take(MAX_SEGMENTS).chain(pairs).filter(|(_, value)| !value.is_empty()).collect()
}

/// Number in a part such as `2`, `page-2` or `p2.html`; `None` if it has several numbers.
pub(super) fn number_in(value: &str) -> Option<u64> {
    let start = value.find(|c: char| c.is_ascii_digit())?;
    let digits = value[start..].bytes().take_while(u8::is_ascii_digit).count();
    let rest = &value[start + digits..];
    let is_single = value.len() <= MAX_NUMBER_BYTES && !rest.bytes().any(|byte| byte.is_ascii_digit());
    value[start..start + digits].parse().ok().filter(|_| is_single)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(here: &str, there: &str) -> UrlChange {
        let url = |path: &str| Url::parse(&format!("http://a.org{path}")).unwrap();
        UrlChange::between(&url(here), &url(there))
    }

    #[test]
    fn links_beside_an_answer_lose_its_query() {
        let keeps = |here: &str, there: &str, words: &str| {
            let url = |path: &str| Url::parse(&format!("http://a.org{path}")).unwrap();
            keeps_query(&url(here), &url(there), words)
        };
        assert!(keeps("/?s=deep+sea", "/?paged=2&s=Deep%20Sea", "deep sea"));
        assert!(keeps("/find?a=1;words=sea", "/find?a=1;words=sea;page=2", "sea"));
        assert!(keeps("/results", "/results?page=2", "sea"), "the query is not in the URL");
        assert!(!keeps("/?s=sea", "/?cat=4", "sea"));
        assert!(!keeps("/?s=", "/?cat=4", ""));
    }

    #[test]
    fn one_number_that_grows_is_a_step_forward() {
        assert_eq!(change("/find?q=x", "/find?q=x&page=2"), UrlChange::Forward);
        assert_eq!(change("/find?q=x&start=10", "/find?start=20&q=x"), UrlChange::Forward);
        assert_eq!(change("/find?q=x&start=10", "/find?q=x&start=0"), UrlChange::Backward);
        assert_eq!(change("/find?q=x;start=10", "/find?q=x;start=20"), UrlChange::Forward);
        assert_eq!(change("/find/x/2", "/find/x/3"), UrlChange::Forward);
        assert_eq!(change("/find/x", "/find/x/page/2"), UrlChange::Forward);
        assert_eq!(change("/find?q=x", "/find?q=x&sort=date"), UrlChange::SamePath);
        assert_eq!(change("/find?q=x", "/about"), UrlChange::Elsewhere);
    }
}
