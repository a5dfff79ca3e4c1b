//! Reverse searching (SmartCrawler paper, section 3.2.1 and algorithm 1): pages that link to a good site probably link
//! to more sites of the topic.
//!
//! A search looks up backlinks of the home page of a seed site or known deep site, drawn at random. Each
//! linking page is a candidate. A candidate is a centre page if it has a relevant form or links to more than
//! two seed or deep sites. The other sites that a centre page links to join the site frontier.

use crate::address::{LinkId, Site};
use crate::link::{FrontierLink, LinkOrigin};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A search starts when fewer sites than this wait. The paper gives no number. Guess.
pub const MIN_SITES: u64 = 20;
/// Maximum number of candidates per search. Guess.
const PAGES_PER_SEARCH: usize = 20;
/// Maximum number of candidates that are remembered; some are never visited, because the engine drops them.
/// Guess.
const MAX_PENDING: usize = 200;
/// A candidate that links to more seed or deep sites than this is a centre page. User-defined in the paper. Guess.
const MAX_CHANCE_SITES: usize = 2;
/// Maximum number of sites to search from. Guess; bounds memory.
const MAX_ROOTS: usize = 512;

/// State of the reverse search.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReverseSearch {
    roots: Vec<SearchRoot>,
    is_running: bool,
    candidates: BTreeSet<LinkId>,
    searches: u32,
    centres: u32,
}

/// Home page of a seed site or deep site.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SearchRoot {
    url: Url,
    is_done: bool,
}

impl ReverseSearch {
    /// Adds the home page of a seed site or deep site.
    pub fn add_site(&mut self, page: &Url) {
        let Ok(url) = page.join("/") else { return };
        if self.roots.len() < MAX_ROOTS && self.roots.iter().all(|root| root.url != url) {
            self.roots.push(SearchRoot { url, is_done: false });
        }
    }

    /// Adds the sites of an earlier crawl; they may be searched again.
    pub fn add_earlier(&mut self, earlier: ReverseSearch) {
        earlier.roots.iter().for_each(|root| self.add_site(&root.url));
    }

    /// Draws a home page to look up; `None` if a search is running or all sites were searched.
    pub fn start(&mut self, seed: u64) -> Option<Url> {
        let open: Vec<usize> = (0..self.roots.len()).filter(|n| !self.roots[*n].is_done).collect();
        if self.is_running || open.is_empty() {
            return None;
        }
        let draw = xxh3_64_with_seed(&self.searches.to_le_bytes(), seed) as usize;
        let root = &mut self.roots[open[draw % open.len()]];
        root.is_done = true;
        self.is_running = true;
        self.searches += 1;
        Some(root.url.clone())
    }

    /// True while a look-up is pending.
    pub fn is_running(&self) -> bool {
        self.is_running
    }

    /// Receives the result of a look-up. One page of each other site becomes a candidate: further pages of a
    /// site rarely add sites, and pages of the searched site link to itself.
    pub fn on_backlinks(&mut self, about: &Url, linking: &[Url]) {
        self.is_running = false;
        if self.candidates.len() > MAX_PENDING {
            self.candidates.clear();
        }
        let mut sites = FxHashSet::from_iter([Site::of(about)]);
        let others = linking.iter().filter(|page| sites.insert(Site::of(page)));
        self.candidates.extend(others.take(PAGES_PER_SEARCH).map(LinkId::of));
    }

    /// True if a link leads to a candidate, directly or by redirects.
    pub fn is_candidate(&self, link: &FrontierLink) -> bool {
        let is_result = matches!(link.origin, LinkOrigin::Backlink | LinkOrigin::Redirect);
        is_result && link.parent.is_none() && self.candidates.contains(&original_id(link))
    }

    /// Judges a visited candidate that links to `good_sites` seed or deep sites; returns true for a centre page.
    pub fn judge_page(&mut self, link: &FrontierLink, has_relevant_form: bool, good_sites: usize) -> bool {
        self.candidates.remove(&original_id(link));
        let is_centre = has_relevant_form || good_sites > MAX_CHANCE_SITES;
        self.centres += u32::from(is_centre);
        is_centre
    }

    /// Searches so far.
    pub fn searches(&self) -> u32 {
        self.searches
    }

    /// Centre pages found so far.
    pub fn centres(&self) -> u32 {
        self.centres
    }
}

/// Id of the URL before redirects.
fn original_id(link: &FrontierLink) -> LinkId {
    link.redirects.first().map_or(link.id, LinkId::of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn knowing(n: usize) -> ReverseSearch {
        let mut reverse = ReverseSearch::default();
        (0..n).for_each(|n| reverse.add_site(&url(&format!("http://s{n}.org/some/page"))));
        reverse
    }

    #[test]
    fn every_site_is_searched_once_and_one_at_a_time() {
        let mut reverse = knowing(3);
        reverse.add_site(&url("http://s1.org/other"));
        let mut asked = BTreeSet::new();
        while let Some(root) = reverse.start(9) {
            assert_eq!(reverse.start(9), None);
            reverse.on_backlinks(&root, &[]);
            assert!(asked.insert(root));
        }
        let roots: Vec<&str> = asked.iter().map(Url::as_str).collect();
        assert_eq!(roots, ["http://s0.org/", "http://s1.org/", "http://s2.org/"]);
        assert_eq!(reverse.searches(), 3);
    }

    #[test]
    fn the_seed_decides_the_site_of_the_search() {
        let drawn: BTreeSet<_> = (0..20).map(|seed| knowing(50).start(seed)).collect();
        assert!(drawn.len() > 5);
        assert_eq!(knowing(50).start(3), knowing(50).start(3));
    }

    #[test]
    fn a_centre_page_has_a_relevant_form_or_links_to_more_than_two_good_sites() {
        let mut reverse = ReverseSearch::default();
        let page = FrontierLink::root(url("http://hub.org/"), LinkOrigin::Backlink);
        assert!(!reverse.judge_page(&page, false, 2));
        assert!(reverse.judge_page(&page, false, 3));
        assert!(reverse.judge_page(&page, true, 0));
        assert_eq!(reverse.centres(), 2);
    }

    #[test]
    fn one_page_of_each_of_twenty_sites_is_a_candidate_also_after_redirects() {
        let mut reverse = knowing(1);
        let about = url("http://s0.org/");
        let hubs = (0..30).flat_map(|n| ["a", "b"].map(|page| url(&format!("http://hub{n}.org/{page}"))));
        let linking: Vec<Url> = std::iter::once(url("http://www.s0.org/own")).chain(hubs).collect();
        reverse.on_backlinks(&about, &linking);
        let link = |page: &Url| FrontierLink::root(page.clone(), LinkOrigin::Backlink);
        let wanted: Vec<&Url> = linking.iter().filter(|page| reverse.is_candidate(&link(page))).collect();
        assert_eq!(wanted.len(), 20);
        assert!(wanted.iter().all(|page| page.path() == "/a"), "{wanted:?}");
        let redirects = vec![wanted[4].clone()];
        let moved =
            FrontierLink { redirects, ..FrontierLink::root(url("http://hub.org/new"), LinkOrigin::Redirect) };
        assert!(reverse.is_candidate(&moved));
    }
}
