//! Repetition: pages that are copies of others, and URLs of one shape without new forms.
//!
//! Both are recognised by evidence from visited pages, whatever the strategy is. A mirror is one page under
//! many names: near-identical text on several sites at one address. Databases of one product at different
//! addresses have similar pages, too, and are not mirrors. A crawler trap is an endless number of URLs of one
//! shape, such as the pages of a calendar: none of many visited ones had a new form. Pages that repeat the
//! text of others except for numbers are stronger evidence, so fewer of them suffice. A shape with new forms
//! is never a trap.
//!
//! A page that was visited is not visited again at its canonical address, if that address differs by parameters that do
//! not select the content.

use crate::address::{LinkId, Site};
use crate::html::truncate;
use crate::simhash::{distance, simhash};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::net::IpAddr;
use url::Url;

/// Maximum number of bits in which near-duplicates differ (see [`distance`]).
const MAX_DISTANCE: u32 = 3;
/// Maximum number of sites at one address that may have the same page. Guess: a page in some languages and
/// with and without `www`.
const MAX_MIRRORS: usize = 4;
/// Pages of one shape in a row without a new form, after which the shape is exhausted. Guess: more than the listing of
/// a usual site has pages.
const MAX_PAGES_WITHOUT_FORM: u16 = 300;
/// Pages without a new form that count as much as one that also repeats the text of another. Guess: 20 of
/// those exhaust a shape. In five crawls of 760 to 1,200 pages, no form followed five similar pages of its
/// shape.
const REPEAT_WEIGHT: u16 = 15;
/// Pages of a shape without a new form before texts are compared, which costs time. Guess.
const MIN_COMPARED: u16 = 5;
/// Maximum number of different texts remembered per shape. Guess: more than a year has months.
const MAX_TEXTS: usize = 16;
/// Maximum number of bytes of a text that are compared. Guess.
const MAX_COMPARED_BYTES: usize = 16 << 10;
/// Maximum number of addresses and shapes that are remembered. Guess: some megabytes.
const MAX_REMEMBERED: usize = 1 << 17;
/// Maximum number of different pages remembered per address. Guess.
const MAX_PAGES: usize = 8;
/// Least number of letters and digits of a path segment that counts as an identifier. Guess.
const MIN_IDENTIFIER: usize = 16;

/// Pages and URL shapes that a crawl has seen.
#[derive(Default)]
pub struct Repetition {
    pages: FxHashMap<IpAddr, Vec<KnownPage>>,
    formless: FxHashMap<u64, FormlessShape>,
    /// Canonical addresses of visited pages.
    visited: FxHashSet<LinkId>,
}

/// Pages of one shape in a row without a new form.
#[derive(Default)]
struct FormlessShape {
    /// Number of pages, where repeated ones count [`REPEAT_WEIGHT`].
    count: u16,
    /// Fingerprints of the last different texts without numbers.
    texts: Vec<u64>,
}

impl FormlessShape {
    fn add(&mut self, text: &str) {
        let is_repeated = self.count >= MIN_COMPARED && self.repeats(text);
        self.count = self.count.saturating_add(if is_repeated { REPEAT_WEIGHT } else { 1 });
    }

    /// True if a text was met before except for numbers. Remembers it otherwise.
    fn repeats(&mut self, text: &str) -> bool {
        let plain: String = truncate(text, MAX_COMPARED_BYTES).chars().filter(|c| !c.is_numeric()).collect();
        let fingerprint = simhash(&plain);
        if self.texts.iter().any(|known| distance(*known, fingerprint) <= MAX_DISTANCE) {
            return true;
        }
        if self.texts.len() >= MAX_TEXTS {
            self.texts.remove(0);
        }
        self.texts.push(fingerprint);
        false
    }
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

    /// Records that the page at a URL with this text was visited and had this many forms that were not known.
    pub fn count_page(&mut self, url: &Url, text: &str, new_forms: u32) {
        if self.formless.len() >= MAX_REMEMBERED {
            self.formless.clear();
        }
        let shape = self.formless.entry(shape_of(url)).or_default();
        match new_forms {
            0 => shape.add(text),
            _ => *shape = FormlessShape::default(),
        }
    }

    /// Records that the forms and links of the page at a URL were read, and the canonical address that it names.
    pub fn add_canonical(&mut self, url: &Url, canonical: &Url) {
        if self.visited.len() >= MAX_REMEMBERED {
            self.visited.clear();
        }
        if is_same_page(url, canonical) {
            self.visited.insert(LinkId::of(canonical));
        }
    }

    /// True if the page at a URL was visited at another address.
    pub fn is_visited(&self, link: LinkId) -> bool {
        self.visited.contains(&link)
    }

    /// True if many URLs of the same shape were visited and had no new form.
    pub fn is_exhausted(&self, url: &Url) -> bool {
        let is_deep = url.query().is_some() || url.path().len() > 1;
        is_deep
            && self.formless.get(&shape_of(url)).is_some_and(|shape| shape.count >= MAX_PAGES_WITHOUT_FORM)
    }
}

/// True if a canonical address is trusted to have the same page: it may lack parameters, except for numbers,
/// which count the pages of a list or identify a record. Many sites name one canonical address for all their
/// pages.
fn is_same_page(url: &Url, canonical: &Url) -> bool {
    let host = |url: &Url| url.host_str().map(|name| name.trim_start_matches("www.").to_string());
    let pairs = |url: &Url| url.query_pairs().into_owned().collect::<Vec<(String, String)>>();
    let (given, kept) = (pairs(url), pairs(canonical));
    let is_number = |value: &str| !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    host(url) == host(canonical)
        && url.port() == canonical.port()
        && page_path(url) == page_path(canonical)
        && kept.iter().all(|pair| given.contains(pair))
        && !given.iter().any(|pair| !kept.contains(pair) && is_number(&pair.1))
}

/// Path of a URL without the name of an index page and without a final slash.
fn page_path(url: &Url) -> &str {
    let path = url.path();
    let (folder, name) = path.rsplit_once('/').unwrap_or_default();
    let is_index = name.starts_with("index.") || name.starts_with("default.");
    if is_index { folder } else { path.trim_end_matches('/') }
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
            "a site that is known is not a mirror of itself"
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

    /// A text of letters that no other number has.
    fn distinct_text(n: u16) -> String {
        let letter = |digit: u16| char::from(b'a' + (digit % 26) as u8);
        (0..9).map(|k| format!("{}{}{} ", letter(n), letter(n / 26), letter(k + n % 7))).collect()
    }

    #[test]
    fn a_calendar_is_left_after_few_pages_and_pages_with_texts_of_their_own_are_not() {
        let months = ["January", "February", "March", "April", "May", "June", "July", "August", "September"];
        let mut seen = Repetition::default();
        let mut visits = 0;
        for n in 0..200 {
            if !seen.is_exhausted(&url("http://a.org/diary/2026/7/")) {
                let days: String = (1..=28 + n % 4).map(|day| format!("{day} ")).collect();
                let text = format!("Diary {} {} Mo Tu We Th Fr Sa Su {days}", months[n % 9], 2026 + n / 9);
                seen.count_page(&url(&format!("http://a.org/diary/{}/{}/", 2026 + n / 9, n % 9)), &text, 0);
                visits += 1;
            }
            let text = distinct_text(n as u16);
            seen.count_page(&url(&format!("http://a.org/story/{n}/")), &text, 0);
        }
        assert!(visits < 50, "{visits}");
        assert!(!seen.is_exhausted(&url("http://a.org/story/99999/")));
    }

    #[test]
    fn a_canonical_address_is_trusted_if_only_parameters_without_numbers_are_left_out() {
        let is_same = |a: &str, b: &str| is_same_page(&url(a), &url(b));
        for address in [
            "http://a.org/find?ref=menu",
            "http://www.a.org/find/",
            "https://a.org/find?lang=",
            "http://a.org/find/index.html",
        ] {
            assert!(is_same(address, "http://a.org/find"), "{address}");
        }
        for address in [
            "http://a.org/find?page=2",
            "http://a.org/find/more",
            "http://b.a.org/find",
            "http://a.org/other",
        ] {
            assert!(!is_same(address, "http://a.org/find"), "{address}");
        }
        assert!(!is_same("http://a.org/find", "http://a.org/find?kind=books"));
    }

    #[test]
    fn a_shape_without_new_forms_is_exhausted_and_one_with_forms_is_not() {
        let mut seen = Repetition::default();
        for n in 0..2 * MAX_PAGES_WITHOUT_FORM {
            let text = distinct_text(n);
            seen.count_page(&url(&format!("http://a.org/calendar?day={n}")), &text, 0);
            seen.count_page(&url(&format!("http://a.org/databases/{n}")), &text, u32::from(n % 100 == 0));
        }
        assert!(seen.is_exhausted(&url("http://a.org/calendar?day=99999")));
        assert!(!seen.is_exhausted(&url("http://a.org/databases/99999")));
        assert!(!seen.is_exhausted(&url("http://a.org/search")));
    }
}
