//! Other pages of a site, from which words are taken when no word of the entry page matches a record.
//!
//! The interface of a site may be in another language than its records, and its search page may show no word of them.
//! Up to [`MAX_PAGES`] pages are fetched then: the start page of the host, and pages that the largest group of similar
//! links leads to. They are GET requests and submit no form. A link that names another purpose, such as to log out,
//! is not followed: on some sites it changes something.

use crate::harvest::answer::url_shape;
use crate::page::Page;
use crate::scripted::openers::names_other_purpose;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use url::Url;

/// Maximum number of pages fetched for their words. Guess.
const MAX_PAGES: usize = 3;
/// Maximum number of links of one page that are queued. Guess.
const MAX_QUEUED: usize = 2;

/// Queue of pages to take words from.
#[derive(Default)]
pub struct Surroundings {
    waiting: VecDeque<Url>,
    /// Addresses without fragment that were queued, and that of the entry page.
    seen: FxHashSet<Url>,
    fetched: usize,
}

impl Surroundings {
    /// Queues the start page of the entry page's host, and links of the entry page.
    pub fn of(entry_page: &Page) -> Surroundings {
        let mut found = Surroundings::default();
        found.seen.insert(without_fragment(&entry_page.url));
        if let Ok(start) = entry_page.url.join("/") {
            found.queue(&start);
        }
        found.add_links(entry_page);
        found
    }

    /// Next page to fetch; `None` when enough pages were fetched.
    pub fn take_next(&mut self) -> Option<Url> {
        let next = self.waiting.pop_front().filter(|_| self.fetched < MAX_PAGES)?;
        self.fetched += 1;
        Some(next)
    }

    /// Groups the links of a page by URL shape and queues the first and the last link of the largest group.
    pub fn add_links(&mut self, page: &Page) {
        let is_near = |url: &&Url| url.origin() == page.url.origin();
        let shown = page.links.iter().filter(|link| !names_other_purpose(&link.context.anchor));
        let urls = shown.map(|link| &link.url).filter(is_near).filter(|url| !acts(url)).map(without_fragment);
        let new: Vec<Url> = urls.filter(|url| !self.seen.contains(url)).collect();
        let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
        new.iter().for_each(|url| *counts.entry(url_shape(url)).or_default() += 1);
        let largest = new.iter().map(url_shape).max_by_key(|shape| counts[shape]);
        let group: Vec<&Url> = new.iter().filter(|url| Some(url_shape(url)) == largest).collect();
        let ends = group.first().into_iter().chain(group.last());
        ends.take(MAX_QUEUED).for_each(|url| self.queue(url));
    }

    fn queue(&mut self, url: &Url) {
        if self.seen.insert(without_fragment(url)) {
            self.waiting.push_back(url.clone());
        }
    }
}

/// Returns true if path or parameters of an address name another purpose than showing records.
fn acts(url: &Url) -> bool {
    let named = format!("{} {}", url.path(), url.query().unwrap_or_default());
    names_other_purpose(&named.replace(|c: char| !c.is_alphanumeric(), " "))
}

fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str, html: &str) -> Page {
        let url = Url::parse(&format!("http://a.org{path}")).unwrap();
        crate::html::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url)
    }

    #[test]
    fn the_start_page_and_pages_of_its_largest_group_of_links_are_fetched() {
        let search = page("/search", "<form><input name=q></form><a href=http://b.org/1>Elsewhere</a>");
        let mut found = Surroundings::of(&search);
        let start = found.take_next().unwrap();
        assert_eq!(start.path(), "/");
        let days: String = (1..9).map(|day| format!("<a href=/log/{day}.html>{day}</a>")).collect();
        found.add_links(&page("/", &format!("<a href=/about>About</a>{days}<a href=/search#top>Search</a>")));
        let next: Vec<String> =
            std::iter::from_fn(|| found.take_next()).map(|url| url.path().into()).collect();
        assert_eq!(next, ["/log/1.html", "/log/8.html"]);
    }

    #[test]
    fn links_that_log_out_or_delete_are_not_followed() {
        let menu = "<a href='/app?do=people'>People</a><a href='/app?do=reports'>Reports</a>
            <a href='/app?do=logout'>guest</a>";
        let mut found = Surroundings::of(&page("/search", menu));
        let next: Vec<String> = std::iter::from_fn(|| found.take_next()).map(|url| url.to_string()).collect();
        assert_eq!(next, ["http://a.org/", "http://a.org/app?do=people", "http://a.org/app?do=reports"]);
        let menu = "<a href=/p/1>Tidy up</a><a href=/p/2>Delete all</a>";
        let mut found = Surroundings::of(&page("/search", menu));
        let next: Vec<String> = std::iter::from_fn(|| found.take_next()).map(|url| url.to_string()).collect();
        assert_eq!(next, ["http://a.org/", "http://a.org/p/1"]);
    }
}
