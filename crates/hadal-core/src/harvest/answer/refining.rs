//! Links that repeat the question: pagers, facets, orders of sorting, related searches.

use crate::harvest::query::Query;
use crate::page::Page;
use rustc_hash::FxHashSet;
use url::Url;

/// For every link of a page, whether it asks the same form again instead of leading to a record.
pub(super) fn refining(page: &Page, query: &Query) -> Vec<bool> {
    let here = QueryInUrl::at(&page.url, query);
    page.links.iter().map(|link| here.is_asked_by(&link.url)).collect()
}

/// How an address carries the query.
struct QueryInUrl<'a> {
    url: &'a Url,
    /// FieldNames of the parameters that carry it.
    names: FxHashSet<String>,
    /// How many bytes of the path reach to the end of it, when the path carries it.
    path: Option<usize>,
    words: String,
}

impl QueryInUrl<'_> {
    fn at<'a>(url: &'a Url, query: &Query) -> QueryInUrl<'a> {
        let words = query.words.trim().to_lowercase();
        let carries = |value: &str| !words.is_empty() && value.to_lowercase().contains(&words);
        let names = url.query_pairs().filter(|(_, value)| carries(value)).map(|(name, _)| name.into_owned());
        let names: FxHashSet<String> = names.collect();
        let encoded =
            url::form_urlencoded::byte_serialize(words.as_bytes()).collect::<String>().to_lowercase();
        let in_path = |words: &str| url.path().to_lowercase().find(words).map(|at| at + words.len());
        let path = Some(()).filter(|()| !words.is_empty() && names.is_empty());
        let path = path.and_then(|()| in_path(&encoded.replace('+', "%20")).or_else(|| in_path(&encoded)));
        QueryInUrl { url, names, path: path.filter(|end| url.path().is_char_boundary(*end)), words }
    }

    fn is_asked_by(&self, link: &Url) -> bool {
        if link.host() != self.url.host() {
            return false;
        }
        if let Some(end) = self.path {
            return link.path().starts_with(&self.url.path()[..end]);
        }
        if link.path() != self.url.path() {
            return false;
        }
        match self.names.is_empty() {
            false => link.query_pairs().any(|(name, _)| self.names.contains(&*name)),
            true => {
                !self.words.is_empty()
                    && link.query_pairs().any(|(_, value)| value.to_lowercase() == self.words)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refining(page: &str, link: &str) -> bool {
        let (page, link) = (Url::parse(page).unwrap(), Url::parse(link).unwrap());
        QueryInUrl::at(&page, &Query::words("Deep Sea")).is_asked_by(&link)
    }

    #[test]
    fn links_that_ask_again_are_told_from_links_to_records() {
        let page = "http://a.org/find?q=deep+sea&in=all";
        assert!(is_refining(page, "http://a.org/find?q=deep+sea&page=2"));
        assert!(is_refining(page, "http://a.org/find?q=deep+water"));
        assert!(!is_refining(page, "http://a.org/find?record=7"));
        assert!(!is_refining(page, "http://a.org/item/7?q=deep+sea"));
        assert!(!is_refining(page, "http://b.org/find?q=deep+sea"));
    }

    #[test]
    fn a_query_may_be_part_of_the_path() {
        let page = "http://a.org/search/deep%20sea";
        assert!(is_refining(page, "http://a.org/search/deep%20sea/page/2"));
        assert!(!is_refining(page, "http://a.org/work/7"));
    }
}
