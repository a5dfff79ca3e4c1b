//! Reverse searching (SmartCrawler paper, algorithm 1): who links to a site that is known to be good
//! likely links to more of its kind.

use crate::address::{LinkId, Site};
use crate::link::{FrontierLink, LinkOrigin};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// With fewer sites waiting than this, more are searched for.
pub const FEW_SITES: u64 = 20;
/// Linking pages that are looked at after one search.
const PAGES_PER_SEARCH: usize = 20;
/// Linking pages that are remembered; the engine drops some of them, and never tells.
const MOST_PAGES: usize = 200;
/// A page that links to more good sites than this is worth its other links.
const GOOD_SITES: usize = 2;
/// Sites that are remembered to be asked about.
const MOST_ROOTS: usize = 512;

/// What was asked, and what is still to be looked at.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Reverse {
    roots: Vec<Root>,
    asking: bool,
    pages: BTreeSet<LinkId>,
    searches: u32,
    centres: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Root {
    url: Url,
    asked: bool,
}

impl Reverse {
    /// Remembers the home page of a seed or a deep site.
    pub fn remember(&mut self, page: &Url) {
        let Ok(url) = page.join("/") else { return };
        if self.roots.len() < MOST_ROOTS && self.roots.iter().all(|root| root.url != url) {
            self.roots.push(Root { url, asked: false });
        }
    }

    /// Takes over the sites that an earlier crawl knew; they may be asked about again.
    pub fn inherit(&mut self, earlier: Reverse) {
        earlier.roots.iter().for_each(|root| self.remember(&root.url));
    }

    /// The next site to ask about, drawn from those that nobody asked about; one question at a time.
    pub fn search(&mut self, seed: u64) -> Option<Url> {
        let open: Vec<usize> = (0..self.roots.len()).filter(|n| !self.roots[*n].asked).collect();
        if self.asking || open.is_empty() {
            return None;
        }
        let draw = xxh3_64_with_seed(&self.searches.to_le_bytes(), seed) as usize;
        let root = &mut self.roots[open[draw % open.len()]];
        root.asked = true;
        self.asking = true;
        self.searches += 1;
        Some(root.url.clone())
    }

    /// Whether an answer is still to come.
    pub fn is_asking(&self) -> bool {
        self.asking
    }

    /// The answer to a search. One page of each other site will be looked at: more of one site say the
    /// same, and the site's own say nothing about others.
    pub fn heard(&mut self, about: &Url, linking: &[Url]) {
        self.asking = false;
        if self.pages.len() > MOST_PAGES {
            self.pages.clear();
        }
        let mut met = FxHashSet::from_iter([Site::of(about)]);
        let others = linking.iter().filter(|page| met.insert(Site::of(page)));
        self.pages.extend(others.take(PAGES_PER_SEARCH).map(LinkId::of));
    }

    /// Whether a link is one of those pages, or where one of them sent us.
    pub fn wants(&self, link: &FrontierLink) -> bool {
        let is_answer = matches!(link.origin, LinkOrigin::Backlink | LinkOrigin::Redirect);
        is_answer && link.parent.is_none() && self.pages.contains(&asked_for(link))
    }

    /// Looks at such a page, with how many seed and deep sites it links to; whether it is a centre page.
    pub fn judge(&mut self, link: &FrontierLink, has_relevant_form: bool, good_sites: usize) -> bool {
        self.pages.remove(&asked_for(link));
        let relevant = has_relevant_form || good_sites > GOOD_SITES;
        self.centres += u32::from(relevant);
        relevant
    }

    /// Searches made.
    pub fn searches(&self) -> u32 {
        self.searches
    }

    /// Centre pages found.
    pub fn centres(&self) -> u32 {
        self.centres
    }
}

fn asked_for(link: &FrontierLink) -> LinkId {
    link.redirects.first().map_or(link.id, LinkId::of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn knowing(n: usize) -> Reverse {
        let mut reverse = Reverse::default();
        (0..n).for_each(|n| reverse.remember(&url(&format!("http://s{n}.org/some/page"))));
        reverse
    }

    #[test]
    fn every_site_is_asked_about_once_and_one_at_a_time() {
        let mut reverse = knowing(3);
        reverse.remember(&url("http://s1.org/other"));
        let mut asked = BTreeSet::new();
        while let Some(root) = reverse.search(9) {
            assert_eq!(reverse.search(9), None);
            reverse.heard(&root, &[]);
            assert!(asked.insert(root));
        }
        let roots: Vec<&str> = asked.iter().map(Url::as_str).collect();
        assert_eq!(roots, ["http://s0.org/", "http://s1.org/", "http://s2.org/"]);
        assert_eq!(reverse.searches(), 3);
    }

    #[test]
    fn the_seed_decides_which_site_is_asked_about() {
        let drawn: BTreeSet<_> = (0..20).map(|seed| knowing(50).search(seed)).collect();
        assert!(drawn.len() > 5);
        assert_eq!(knowing(50).search(3), knowing(50).search(3));
    }

    #[test]
    fn a_page_is_a_centre_if_it_has_a_relevant_form_or_links_to_more_than_two_good_sites() {
        let mut reverse = Reverse::default();
        let page = FrontierLink::root(url("http://hub.org/"), LinkOrigin::Backlink);
        assert!(!reverse.judge(&page, false, 2));
        assert!(reverse.judge(&page, false, 3));
        assert!(reverse.judge(&page, true, 0));
        assert_eq!(reverse.centres(), 2);
    }

    #[test]
    fn a_page_of_each_of_twenty_other_sites_is_looked_at_wherever_it_sends_us() {
        let mut reverse = knowing(1);
        let about = url("http://s0.org/");
        let hubs = (0..30).flat_map(|n| ["a", "b"].map(|page| url(&format!("http://hub{n}.org/{page}"))));
        let linking: Vec<Url> = std::iter::once(url("http://www.s0.org/own")).chain(hubs).collect();
        reverse.heard(&about, &linking);
        let link = |page: &Url| FrontierLink::root(page.clone(), LinkOrigin::Backlink);
        let wanted: Vec<&Url> = linking.iter().filter(|page| reverse.wants(&link(page))).collect();
        assert_eq!(wanted.len(), 20);
        assert!(wanted.iter().all(|page| page.path() == "/a"), "{wanted:?}");
        let redirects = vec![wanted[4].clone()];
        let moved =
            FrontierLink { redirects, ..FrontierLink::root(url("http://hub.org/new"), LinkOrigin::Redirect) };
        assert!(reverse.wants(&moved));
    }
}
