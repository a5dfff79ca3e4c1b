//! Redirects of a back end: whether they are followed, and what they say by themselves.

use crate::address::Site;
use crate::page::Page;
use url::{Url, form_urlencoded};

/// A page that sends its visitors on after longer than this is read first.
const LONGEST_REFRESH: u32 = 5;

/// Where a page sends its visitors at once.
pub(super) fn refresh(page: &Page) -> Option<&Url> {
    let (after, target) = page.hints.refresh.as_ref()?;
    (*after <= LONGEST_REFRESH && *target != page.url).then_some(target)
}

/// Whether a redirect leads to a page of the site that was asked.
pub(super) fn stays(action: &Url, location: &Url) -> bool {
    matches!(location.scheme(), "http" | "https") && Site::of(action) == Site::of(location)
}

/// The same address but for scheme, host and a slash at the end: the question was lost on the way.
pub(super) fn is_respelling(action: &Url, location: &Url) -> bool {
    let path = |url: &Url| url.path().trim_end_matches('/').to_string();
    path(action) == path(location) && location.query().unwrap_or_default().is_empty()
}

/// The address with another word in place of the one it carries; `None` when it carries none.
pub(super) fn with_word(location: &Url, word: &str, other: &str) -> Option<Url> {
    if word.is_empty() {
        return None;
    }
    let mut url = location.clone();
    let pairs: Vec<(String, String)> = location.query_pairs().into_owned().collect();
    if pairs.iter().any(|(_, value)| value == word) {
        let changed = pairs.iter().map(|(name, value)| (name, if value == word { other } else { value }));
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(changed).finish();
        url.set_query(Some(&query));
        return Some(url);
    }
    let segments: Vec<&str> = location.path_segments()?.collect();
    let spelled = form_urlencoded::byte_serialize(word.as_bytes()).collect::<String>();
    let is_word =
        |segment: &str| segment.eq_ignore_ascii_case(&spelled) || segment.eq_ignore_ascii_case(word);
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
    fn the_word_in_an_address_is_exchanged() {
        for (from, expected) in [
            ("http://a.org/r?q=red+fox&p=1", Some("http://a.org/r?q=zz&p=1")),
            ("http://a.org/search/red+fox/", Some("http://a.org/search/zz/")),
            ("http://a.org/r?id=7", None),
        ] {
            let changed = with_word(&Url::parse(from).unwrap(), "red fox", "zz").map(String::from);
            assert_eq!(changed.as_deref(), expected, "{from}");
        }
    }

    #[test]
    fn other_sites_and_schemes_are_left_alone() {
        let action = Url::parse("http://www.a.org/s").unwrap();
        for (location, is_followed) in
            [("https://a.org/s?q=1", true), ("http://b.org/", false), ("ftp://a.org/", false)]
        {
            assert_eq!(stays(&action, &Url::parse(location).unwrap()), is_followed, "{location}");
        }
    }
}
