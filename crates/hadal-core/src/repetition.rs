//! Repetition: pages that are copies of others, and URLs of one shape without new forms.
//!
//! Both are recognised by evidence from visited pages, whatever the strategy is. A mirror is one page under many names:
//! near-identical text on several sites at one address. Databases of one product at different addresses have similar
//! pages, too, and are no mirrors. A crawler trap is an endless number of URLs of one shape, such as the pages of a
//! calendar: none of many visited ones had a new form. A shape with new forms is never a trap.

use crate::address::Site;
use crate::simhash::distance;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::net::IpAddr;
use url::Url;

/// Most bits in which near-duplicates differ (see [`distance`]).
const MAX_DISTANCE: u32 = 3;
/// Sites at one address that may have the same page. Guess: a page in some languages and with and without `www`.
const MAX_MIRRORS: usize = 4;
/// Pages of one shape in a row without a new form, after which the shape is exhausted. Guess: more than the listing of
/// a usual site has pages.
const MAX_BARREN: u16 = 300;
/// Most addresses and shapes that are remembered. Guess: some megabytes.
const MAX_REMEMBERED: usize = 1 << 17;
/// Most different pages remembered per address. Guess.
const MAX_PAGES: usize = 8;
/// Letters and digits of a path segment from which it counts as an identifier. Guess.
const MIN_IDENTIFIER: usize = 16;

/// Pages and URL shapes that a crawl has seen.
#[derive(Default)]
pub struct Repetition {
    pages: FxHashMap<IpAddr, Vec<KnownPage>>,
    barren: FxHashMap<u64, u16>,
}

/// A page that several sites may have.
struct KnownPage {
    fingerprint: u64,
    /// Hashes of the sites that have it, [`MAX_MIRRORS`] at most.
    sites: Vec<u64>,
}

impl Repetition {
    /// Records a page of a site at an address. Returns true if enough other sites there have the same page.
    pub fn is_mirror(&mut self, address: IpAddr, site: &Site, fingerprint: u64) -> bool {
        if self.pages.len() >= MAX_REMEMBERED {
            self.pages.clear();
        }
        let (site, pages) = (hash_of(&site.0), self.pages.entry(address).or_default());
        let is_same = |page: &&mut KnownPage| distance(page.fingerprint, fingerprint) <= MAX_DISTANCE;
        let Some(known) = pages.iter_mut().find(is_same) else {
            if pages.len() >= MAX_PAGES {
                // The page with the fewest sites is the least likely to be a mirror.
                let poorest = (0..pages.len()).min_by_key(|n| pages[*n].sites.len()).unwrap_or(0);
                pages.swap_remove(poorest);
            }
            pages.push(KnownPage { fingerprint, sites: vec![site] });
            return false;
        };
        if known.sites.contains(&site) {
            return false;
        }
        if known.sites.len() >= MAX_MIRRORS {
            return true;
        }
        known.sites.push(site);
        false
    }

    /// Records that the page at a URL was visited and had this many forms that were not known.
    pub fn count_page(&mut self, url: &Url, new_forms: u32) {
        if self.barren.len() >= MAX_REMEMBERED {
            self.barren.clear();
        }
        let barren = self.barren.entry(shape_of(url)).or_default();
        *barren = if new_forms > 0 { 0 } else { barren.saturating_add(1) };
    }

    /// True if many URLs of the same shape were visited and had no new form.
    pub fn is_exhausted(&self, url: &Url) -> bool {
        let is_deep = url.query().is_some() || url.path().len() > 1;
        is_deep && self.barren.get(&shape_of(url)).is_some_and(|barren| *barren >= MAX_BARREN)
    }
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Hash of a URL without that which counts or varies: numbers, identifiers, repeated path segments, parameter values
/// and the order of parameters.
fn shape_of(url: &Url) -> u64 {
    let mut hasher = FxHasher::default();
    url.host_str().hash(&mut hasher);
    let mut segments: Vec<String> = Vec::new();
    for segment in url.path_segments().into_iter().flatten().map(segment_shape) {
        if !segments.contains(&segment) {
            segments.push(segment);
        }
    }
    segments.hash(&mut hasher);
    let mut names: Vec<String> = url.query_pairs().map(|(name, _)| segment_shape(&name)).collect();
    names.sort_unstable();
    names.dedup();
    names.hash(&mut hasher);
    hasher.finish()
}

/// A path segment with runs of digits replaced by one, without a session parameter, or `*` for an identifier.
fn segment_shape(segment: &str) -> String {
    let segment = segment.split(';').next().unwrap_or_default();
    let is_identifier = segment.len() >= MIN_IDENTIFIER
        && segment.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && segment.bytes().any(|byte| byte.is_ascii_digit());
    if is_identifier {
        return "*".to_string();
    }
    let mut shape = String::with_capacity(segment.len());
    for c in segment.chars() {
        let c = if c.is_ascii_digit() { '0' } else { c };
        if c != '0' || !shape.ends_with('0') {
            shape.push(c);
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn is_mirror(seen: &mut Repetition, address: [u8; 4], site: usize, fingerprint: u64) -> bool {
        seen.is_mirror(address.into(), &Site(format!("s{site}.example")), fingerprint)
    }

    #[test]
    fn the_same_page_on_many_sites_of_one_address_is_a_mirror() {
        let mut seen = Repetition::default();
        let found: Vec<bool> =
            (0..8).map(|n| is_mirror(&mut seen, [192, 0, 2, 1], n, 0b111 ^ n as u64 & 1)).collect();
        assert_eq!(found, [false, false, false, false, true, true, true, true]);
        assert!(
            !is_mirror(&mut seen, [192, 0, 2, 1], 0, 0b111),
            "a site that is known is no mirror of itself"
        );
    }

    #[test]
    fn similar_pages_at_different_addresses_and_different_pages_at_one_are_no_mirrors() {
        let mut seen = Repetition::default();
        assert!((0..50).all(|n| !is_mirror(&mut seen, [192, 0, 2, n as u8], n, 7)));
        assert!((0..50).all(|n| !is_mirror(&mut seen, [198, 51, 100, 1], n, 0xff << n)));
    }

    #[test]
    fn urls_that_differ_by_what_counts_or_varies_have_one_shape() {
        for (one, other) in [
            ("http://a.org/calendar?year=2026&month=11", "http://a.org/calendar?month=1&year=1999"),
            ("http://a.org/list/12/item-3", "http://a.org/list/7/item-144"),
            ("http://a.org/a/b/a/b/a", "http://a.org/a/b/a"),
            ("http://a.org/x;jsessionid=1?p=2", "http://a.org/x;jsessionid=2?p=3"),
            ("http://a.org/s/0af3902bc7719d0e4e55", "http://a.org/s/99f3902bc7719d0e4e51"),
        ] {
            assert_eq!(shape_of(&url(one)), shape_of(&url(other)), "{one}");
        }
        for (one, other) in [
            ("http://a.org/books/find", "http://a.org/cars/find"),
            ("http://a.org/find?db=1", "http://a.org/find?q=1"),
            ("http://a.org/1", "http://b.org/1"),
        ] {
            assert_ne!(shape_of(&url(one)), shape_of(&url(other)), "{one}");
        }
    }

    #[test]
    fn a_shape_without_new_forms_is_exhausted_and_one_with_forms_is_not() {
        let mut seen = Repetition::default();
        for n in 0..2 * MAX_BARREN {
            seen.count_page(&url(&format!("http://a.org/calendar?day={n}")), 0);
            seen.count_page(&url(&format!("http://a.org/databases/{n}")), u32::from(n % 100 == 0));
        }
        assert!(seen.is_exhausted(&url("http://a.org/calendar?day=99999")));
        assert!(!seen.is_exhausted(&url("http://a.org/databases/99999")));
        assert!(!seen.is_exhausted(&url("http://a.org/search")));
    }
}
