//! Properties of single links: links that repeat the query, and hashes by which many links are compared.

use super::view::hashed;
use crate::harvest::query::Query;
use crate::page::{Link, Page};
use crate::url_query::{decoded, encoded_pairs, query_pairs};
use rustc_hash::FxHashSet;
use url::Url;

/// For every link of a page: true if it repeats the query (pager, facet, sort order, related search) instead of leading
/// to a record.
pub(super) fn repeats_query(page: &Page, query: &Query) -> Vec<bool> {
    let position = QueryInUrl::find(&page.url, query, page.charset);
    page.links.iter().map(|link| position.is_repeated_by(&link.url)).collect()
}

/// Position of the query in the URL of its answer.
struct QueryInUrl<'a> {
    url: &'a Url,
    /// Names of the parameters that contain the query's words.
    names: FxHashSet<String>,
    /// Byte position in the path at which the words end, if no parameter contains them.
    path_end: Option<usize>,
    /// Words of the query in lower case.
    words: String,
}

impl QueryInUrl<'_> {
    /// Finds the query in the URL of an answer that is encoded in `charset`. A form sends words in that encoding too.
    fn find<'a>(url: &'a Url, query: &Query, charset: &str) -> QueryInUrl<'a> {
        let words = query.words.trim().to_lowercase();
        let contains = |value: &str| !words.is_empty() && value.to_lowercase().contains(&words);
        let by_charset = percent_encoded(query.words.trim(), charset);
        let has_bytes = |pair: &str| {
            let value = pair.split_once('=').map(|(_, value)| value.to_ascii_lowercase());
            by_charset.as_ref().is_some_and(|bytes| value.is_some_and(|value| value.contains(bytes)))
        };
        let is_query = |pair: &&str| has_bytes(pair) || contains(&decoded(pair).1);
        let names: FxHashSet<String> =
            encoded_pairs(url).filter(is_query).map(|pair| decoded(pair).0).collect();
        let encoded =
            url::form_urlencoded::byte_serialize(words.as_bytes()).collect::<String>().to_lowercase();
        let in_path = |words: &str| url.path().to_lowercase().find(words).map(|at| at + words.len());
        let may_be_in_path = !words.is_empty() && names.is_empty();
        let end = Some(()).filter(|()| may_be_in_path);
        let spellings = [Some(encoded.replace('+', "%20")), Some(encoded), by_charset];
        let end = end.and_then(|()| spellings.iter().flatten().find_map(|words| in_path(words)));
        QueryInUrl { url, names, path_end: end.filter(|end| url.path().is_char_boundary(*end)), words }
    }

    fn is_repeated_by(&self, link: &Url) -> bool {
        if link.host() != self.url.host() {
            return false;
        }
        if let Some(end) = self.path_end {
            return link.path().starts_with(&self.url.path()[..end]);
        }
        if link.path() != self.url.path() {
            return false;
        }
        if !self.names.is_empty() {
            return query_pairs(link).any(|(name, _)| self.names.contains(&name));
        }
        !self.words.is_empty() && query_pairs(link).any(|(_, value)| value.to_lowercase() == self.words)
    }
}

/// Words as a form sends them in an encoding other than UTF-8, in lower case; `None` for words that are ASCII.
fn percent_encoded(words: &str, charset: &str) -> Option<String> {
    let encoding = encoding_rs::Encoding::for_label(charset.as_bytes())?.output_encoding();
    let (bytes, _, _) = encoding.encode(words);
    let is_legacy = encoding != encoding_rs::UTF_8 && !words.is_ascii();
    is_legacy.then(|| url::form_urlencoded::byte_serialize(&bytes).collect::<String>().to_ascii_lowercase())
}

/// Hashes of a link's parts.
#[derive(Clone, Copy)]
pub(super) struct LinkKey {
    /// Hash of the URL.
    pub(super) url: u64,
    /// Shape of the URL, see [`url_shape`].
    pub(super) shape: u64,
    /// Hash of the anchor text; `None` when it has no letters or digits, or repeats the URL.
    pub(super) name: Option<u64>,
}

impl LinkKey {
    pub(super) fn of(link: &Link) -> LinkKey {
        let name = &link.context.anchor;
        let is_name = name.chars().any(char::is_alphanumeric) && !looks_like_url(name);
        LinkKey {
            url: hashed(&link.url.as_str()),
            shape: url_shape(&link.url),
            name: is_name.then(|| hashed(name)),
        }
    }
}

fn looks_like_url(name: &str) -> bool {
    !name.contains(' ') && (name.contains("://") || name.starts_with("www.") || name.matches('/').count() > 1)
}

/// Hash of a URL's host, first path segment, number of path segments and parameter names in any order. Links to pages
/// of one kind usually share it. A first segment with digits, or without a file ending and standing alone, is ignored.
/// A query that is a single word without `=`, as in `wiki.cgi?Name`, is a value and no name.
pub(in crate::harvest) fn url_shape(url: &Url) -> u64 {
    let mut segments = url.path_segments().into_iter().flatten();
    let first = segments.next().unwrap_or_default();
    let more = segments.count();
    let first = if more == 0 && !first.contains('.') { "" } else { first };
    let first = if first.bytes().any(|byte| byte.is_ascii_digit()) { "0" } else { first };
    let pairs = encoded_pairs(url);
    let is_value = url.query().is_some_and(|query| !query.contains(['=', '&', ';']));
    let name = |pair: &str| if is_value { 1 } else { hashed(&pair.split('=').next()) };
    let names = pairs.map(name).fold(0u64, u64::wrapping_add);
    hashed(&(url.host_str(), first, more.min(8), names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_repeated(page: &str, link: &str) -> bool {
        let (page, link) = (Url::parse(page).unwrap(), Url::parse(link).unwrap());
        QueryInUrl::find(&page, &Query::words("Deep Sea"), "UTF-8").is_repeated_by(&link)
    }

    #[test]
    fn a_query_may_be_sent_in_the_encoding_of_the_page() {
        let url = |url: &str| Url::parse(url).unwrap();
        let page = url("http://a.org/find?q=%EA%ED%E8%E3%E0&in=all");
        let position = QueryInUrl::find(&page, &Query::words("книга"), "windows-1251");
        assert!(position.is_repeated_by(&url("http://a.org/find?q=%EA%ED%E8%E3%E0&page=2")));
        assert!(!position.is_repeated_by(&url("http://a.org/find?in=all&record=7")));
    }

    #[test]
    fn links_that_repeat_the_query_differ_from_links_to_records() {
        let page = "http://a.org/find?q=deep+sea&in=all";
        assert!(is_repeated(page, "http://a.org/find?q=deep+sea&page=2"));
        assert!(is_repeated(page, "http://a.org/find?q=deep+water"));
        assert!(!is_repeated(page, "http://a.org/find?record=7"));
        assert!(!is_repeated(page, "http://a.org/item/7?q=deep+sea"));
        assert!(!is_repeated(page, "http://b.org/find?q=deep+sea"));
    }

    #[test]
    fn semicolons_separate_the_query_from_other_parameters() {
        let page = "http://a.org/find?a=1;q=deep+sea";
        assert!(is_repeated(page, "http://a.org/find?q=deep+sea;page=2"));
        assert!(!is_repeated(page, "http://a.org/find?a=1;record=7"));
    }

    #[test]
    fn a_query_may_be_part_of_the_path() {
        let page = "http://a.org/search/deep%20sea";
        assert!(is_repeated(page, "http://a.org/search/deep%20sea/page/2"));
        assert!(!is_repeated(page, "http://a.org/work/7"));
    }

    #[test]
    fn links_to_pages_of_one_kind_share_a_shape() {
        let shape = |url: &str| url_shape(&Url::parse(url).unwrap());
        assert_eq!(shape("http://a.org/item/7"), shape("http://a.org/item/blue-chair"));
        assert_eq!(shape("http://a.org/show?id=1&q=x"), shape("http://a.org/show?q=y&id=2"));
        assert_ne!(shape("http://a.org/item/7"), shape("http://a.org/author/7"));
        assert_ne!(shape("http://a.org/show?id=1"), shape("http://a.org/show?author=1"));
        assert_eq!(shape("http://a.org/wiki.cgi?Blue_Chair"), shape("http://a.org/wiki.cgi?Harbour"));
        assert_ne!(shape("http://a.org/wiki.cgi?Harbour"), shape("http://a.org/wiki.cgi"));
    }
}
