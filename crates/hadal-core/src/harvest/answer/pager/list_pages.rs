//! Recognises the other pages of a result list among its records.

use super::super::records::RawRecord;
use super::url_change::number_in;
use crate::url_query::query_pairs;
use url::Url;

/// A page of a result list and the page after it.
pub(in crate::harvest::answer) struct ListPages<'a> {
    pub(in crate::harvest::answer) page: &'a Url,
    pub(in crate::harvest::answer) next: Option<&'a Url>,
}

impl ListPages<'_> {
    /// Returns the records that are not pages of the list, or all if none would be left. A list that is
    /// printed as data shows the addresses of the pages before and after it among its records.
    pub(in crate::harvest::answer) fn without_pages(&self, records: Vec<RawRecord>) -> Vec<RawRecord> {
        let is_page = |record: &RawRecord| record.url.as_ref().is_some_and(|url| self.contains(url));
        let pages = records.iter().filter(|record| is_page(record)).count();
        match pages == 0 || pages == records.len() {
            true => records,
            false => records.into_iter().filter(|record| !is_page(record)).collect(),
        }
    }

    /// True if a URL is another page of this list: it differs from the page's URL only in parameters that the next page
    /// changes too, or that are numbers in both.
    fn contains(&self, url: &Url) -> bool {
        let has_query = self.page.query().is_some_and(|query| !query.is_empty());
        has_query
            && is_same_path(self.page, url)
            && changed_names(self.page, url).iter().all(|name| self.turns(name, url))
    }

    fn turns(&self, name: &str, url: &Url) -> bool {
        let changes_next = |next: &Url| changed_names(self.page, next).iter().any(|changed| changed == name);
        let is_number = |url: &Url, default| value_of(url, name).map_or(default, |v| number_in(&v).is_some());
        self.next.is_some_and(|next| is_same_path(self.page, next) && changes_next(next))
            || (is_number(self.page, false) && is_number(url, true))
    }
}

fn is_same_path(here: &Url, there: &Url) -> bool {
    here.origin() == there.origin() && here.path() == there.path()
}

fn value_of(url: &Url, name: &str) -> Option<String> {
    query_pairs(url).find(|pair| pair.0 == name).map(|pair| pair.1)
}

/// Names of parameters that have another value in one of two URLs, or are absent there.
fn changed_names(here: &Url, there: &Url) -> Vec<String> {
    let mut names: Vec<String> = query_pairs(here).chain(query_pairs(there)).map(|pair| pair.0).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| value_of(here, name) != value_of(there, name));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_page(here: &str, next: Option<&str>, there: &str) -> bool {
        let url = |path: &str| Url::parse(&format!("http://a.org{path}")).unwrap();
        let (here, next) = (url(here), next.map(url));
        ListPages { page: &here, next: next.as_ref() }.contains(&url(there))
    }

    #[test]
    fn pages_before_and_after_belong_to_the_list() {
        let second = Some("/find?q=x&page=2");
        assert!(is_page("/find?q=x", second, "/find?page=2&q=x"));
        assert!(is_page("/find?q=x&page=2", Some("/find?q=x&page=3"), "/find?q=x"), "the first page");
        assert!(is_page("/find?q=x&page=3", None, "/find?q=x&page=2"), "on the last page");
        assert!(!is_page("/find?q=x", second, "/find?q=y&page=2"));
    }

    #[test]
    fn records_at_the_path_of_the_list_are_no_pages() {
        let next = Some("/index.php?q=x&start=10");
        assert!(!is_page("/index.php?q=x", next, "/index.php?q=x&id=17"));
        assert!(!is_page("/index.php?q=x", None, "/index.php?q=x&id=17"));
        assert!(!is_page("/index.php?q=x&start=10", None, "/index.php?id=17"), "it loses the query");
        assert!(!is_page("/find?q=x", None, "/item/17"));
    }
}
