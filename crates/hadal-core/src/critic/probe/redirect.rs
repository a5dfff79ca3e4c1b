//! Redirects in the answers to a probe.

use crate::address::Site;
use crate::page::Page;
use crate::url_query::{decoded_pairs, with_values};
use std::borrow::Cow;
use url::{Url, form_urlencoded};

/// Longest delay in seconds of a meta refresh that counts as a redirect. Guess.
const MAX_REFRESH_DELAY: u32 = 5;

/// Target of a meta refresh with a short delay.
pub(crate) fn meta_refresh(page: &Page) -> Option<&Url> {
    let (after, target) = page.hints.refresh.as_ref()?;
    (*after <= MAX_REFRESH_DELAY && *target != page.url).then_some(target)
}

/// True if a redirect leads to a web page of the same site.
pub(super) fn stays_on_site(action: &Url, location: &Url) -> bool {
    matches!(location.scheme(), "http" | "https") && Site::of(action) == Site::of(location)
}

/// True if the target is the action without a query, up to scheme, host and a final slash. The redirect then dropped
/// the query.
pub(super) fn drops_query(action: &Url, location: &Url) -> bool {
    let path = |url: &Url| url.path().trim_end_matches('/').to_string();
    path(action) == path(location) && location.query().unwrap_or_default().is_empty()
}

/// Replaces the query word in a URL by another word. `None` if the URL does not contain the word.
pub(super) fn replace_word(location: &Url, word: &str, other: &str) -> Option<Url> {
    if word.is_empty() {
        return None;
    }
    let mut url = location.clone();
    let query = location.query().unwrap_or_default();
    if decoded_pairs(query).any(|(_, value)| value == word) {
        let changed = with_values(query, |_, value| (value == word).then_some(Cow::from(other)));
        url.set_query(Some(&changed));
        return Some(url);
    }
    let segments: Vec<&str> = location.path_segments()?.collect();
    let encoded = form_urlencoded::byte_serialize(word.as_bytes()).collect::<String>();
    let is_word =
        |segment: &str| segment.eq_ignore_ascii_case(&encoded) || segment.eq_ignore_ascii_case(word);
    if !segments.iter().copied().any(is_word) {
        return None;
    }
    let path: Vec<&str> =
        segments.into_iter().map(|segment| if is_word(segment) { other } else { segment }).collect();
    url.set_path(&path.join("/"));
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_in_a_url_is_replaced() {
        for (from, expected) in [
            ("http://a.org/r?q=red+fox&p=1", Some("http://a.org/r?q=zz&p=1")),
            ("http://a.org/search/red+fox/", Some("http://a.org/search/zz/")),
            ("http://a.org/r?id=7", None),
        ] {
            let changed = replace_word(&Url::parse(from).unwrap(), "red fox", "zz").map(String::from);
            assert_eq!(changed.as_deref(), expected, "{from}");
        }
    }

    #[test]
    fn redirects_to_other_sites_and_schemes_are_not_followed() {
        let action = Url::parse("http://www.a.org/s").unwrap();
        for (location, is_followed) in
            [("https://a.org/s?q=1", true), ("http://b.org/", false), ("ftp://a.org/", false)]
        {
            assert_eq!(stays_on_site(&action, &Url::parse(location).unwrap()), is_followed, "{location}");
        }
    }
}
