//! In-site exploring (SmartCrawler paper, section 3.3): breadth first, with a quota of visits per directory.

use super::link_tree::{DirectoryId, LinkTree};
use super::site_table::SiteKey;
use super::stop_early::{MAX_DEPTH, MAX_PAGES, StopDecision, StopEarly};
use crate::address::Site;
use crate::link::{FrontierLink, QueueId};
use crate::strategy::QueueHeads;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of links of a site in its link tree. Guess; bounds memory.
const MAX_LINKS: usize = 2_000;
/// Maximum number of other sites that a site contributes. Guess; bounds memory.
const MAX_FOUND_SITES: usize = 256;
/// Visits of other sites after which a site without a visit is left: its hosts are too slow. Guess.
const MAX_WAIT: u64 = 1_000;

/// A site that is being explored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OpenSite {
    /// Registrable domain of the site.
    pub site: Site,
    /// Key of the site.
    pub key: SiteKey,
    /// Other sites it links to, each once.
    pub found_sites: Vec<SiteKey>,
    /// It has a searchable form.
    pub is_deep: bool,
    stop: StopEarly,
    /// Hashes of the links in the trees.
    known_links: FxHashSet<u32>,
    /// Links of the current depth.
    tree: LinkTree,
    /// Links of the next depth.
    next_tree: LinkTree,
    /// Visits at the current depth.
    visits: BTreeMap<DirectoryId, u32>,
    /// A link of the site is in flight.
    is_in_flight: bool,
    /// Visits of the crawl at the last visit of this site.
    last_served: u64,
    /// Index of the queue that had a waiting link at the last call of `availability`.
    last_queue: usize,
    /// Queues of the directories that have visits left.
    #[serde(skip)]
    queues: Vec<QueueId>,
}

/// Readiness of an open site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SiteAvailability {
    /// The best link waits in this queue.
    Ready(QueueId),
    /// The host is not ready, or the last link of this depth is in flight.
    Waiting,
    /// The current depth has no more links to visit.
    DepthDone,
    /// The site was not visited for `MAX_WAIT` visits.
    TimedOut,
}

impl OpenSite {
    /// A site before the visit of its home page; `served` is the number of visits of the crawl.
    pub fn new(site: Site, served: u64) -> OpenSite {
        OpenSite {
            key: SiteKey::of(&site),
            site,
            found_sites: Vec::new(),
            is_deep: false,
            stop: StopEarly::default(),
            known_links: FxHashSet::default(),
            tree: LinkTree::default(),
            next_tree: LinkTree::default(),
            visits: BTreeMap::new(),
            is_in_flight: false,
            last_served: served,
            last_queue: 0,
            queues: Vec::new(),
        }
    }

    /// Queue of a link of the site; `None` if its depth is over or too deep.
    pub fn queue_of(&self, link: &FrontierLink) -> Option<QueueId> {
        let depth = u8::try_from(link.site_depth).ok()?;
        let open = self.stop.depth().max(1)..=MAX_DEPTH;
        open.contains(&depth).then(|| self.key.directory_queue(depth, DirectoryId::of(&link.url)))
    }

    /// Counts a link of the site that was found on a page at depth `found_at`.
    pub fn count_link(&mut self, url: &Url, found_at: u16) {
        let tree = match u16::from(self.stop.depth()) {
            depth if found_at == depth => &mut self.next_tree,
            depth if depth.checked_sub(1) == Some(found_at) => &mut self.tree,
            _ => return,
        };
        if self.known_links.len() < MAX_LINKS && self.known_links.insert(hash_without_query(url)) {
            tree.add(DirectoryId::of(url));
        }
    }

    /// Adds a site that this one links to; returns true for the first link to it.
    pub fn add_found_site(&mut self, site: SiteKey) -> bool {
        let is_new = self.found_sites.len() < MAX_FOUND_SITES && !self.found_sites.contains(&site);
        if is_new {
            self.found_sites.push(site);
        }
        is_new
    }

    /// Counts a visited page with this number of new searchable forms. Its links must have been counted before.
    pub fn on_visit(&mut self, link: &FrontierLink, forms: u32) -> StopDecision {
        self.is_in_flight = false;
        self.is_deep |= forms > 0;
        let decision = self.stop.on_page(forms);
        if self.stop.depth() == 0 {
            return StopDecision::NextDepth;
        }
        if link.site_depth == u16::from(self.stop.depth()) {
            *self.visits.entry(DirectoryId::of(&link.url)).or_default() += 1;
        }
        self.update_queues();
        decision
    }

    /// Starts the next depth.
    pub fn start_next_depth(&mut self) {
        self.stop.start_next_depth();
        self.tree = std::mem::take(&mut self.next_tree);
        self.visits.clear();
        self.last_queue = 0;
        self.update_queues();
    }

    /// Decision at the end of the current depth.
    pub fn end_depth(&self) -> StopDecision {
        self.stop.end_depth()
    }

    /// Lists the queues of the directories that have visits left at the current depth. Derived from saved fields.
    pub fn update_queues(&mut self) {
        self.queues.clear();
        for merged in self.tree.merge(MAX_PAGES) {
            let visits: u32 =
                merged.directories.iter().filter_map(|directory| self.visits.get(directory)).sum();
            if visits < merged.visits {
                let depth = self.stop.depth();
                let queue = |directory: &DirectoryId| self.key.directory_queue(depth, *directory);
                self.queues.extend(merged.directories.iter().map(queue));
            }
        }
    }

    /// Readiness of the site after `served` visits of the crawl. The queue that had a waiting link last time is checked
    /// first. If its host is not ready, the site waits, so that other queues need not be checked.
    pub fn availability(&mut self, heads: &dyn QueueHeads, served: u64) -> SiteAvailability {
        if served.saturating_sub(self.last_served) > MAX_WAIT {
            return SiteAvailability::TimedOut;
        }
        let count = self.queues.len();
        let start = self.last_queue.min(count);
        let has_links = |at: &usize| heads.link_count(self.queues[*at]) > 0;
        match (start..count).chain(0..start).find(has_links) {
            None if self.is_in_flight => SiteAvailability::Waiting,
            None => SiteAvailability::DepthDone,
            Some(at) => {
                self.last_queue = at;
                match heads.head(self.queues[at]) {
                    None => SiteAvailability::Waiting,
                    Some(_) => {
                        self.best_queue(heads).map_or(SiteAvailability::Waiting, SiteAvailability::Ready)
                    }
                }
            }
        }
    }

    fn best_queue(&self, heads: &dyn QueueHeads) -> Option<QueueId> {
        let heads = self.queues.iter().filter_map(|queue| heads.head(*queue));
        heads.max_by(|a, b| a.score.total_cmp(&b.score).then(b.queue.cmp(&a.queue))).map(|head| head.queue)
    }

    /// Records that a link of the site was chosen.
    pub fn on_served(&mut self, served: u64) {
        self.is_in_flight = true;
        self.last_served = served;
    }
}

/// Hash of a URL without its query: links that differ only in the query count once.
fn hash_without_query(url: &Url) -> u32 {
    let page = &url[url::Position::BeforeHost..url::Position::AfterPath];
    xxh3_64(page.as_bytes()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{LinkOrigin, ParentPage};
    use crate::strategy::QueueHead;

    fn url(path: &str) -> Url {
        Url::parse("http://shop.example/").unwrap().join(path).unwrap()
    }

    fn link(path: &str, depth: u16) -> FrontierLink {
        let id = crate::address::LinkId(0);
        let parent = ParentPage { id, p_topic: 1.0, has_relevant_form: false, same_site: true };
        FrontierLink {
            parent: Some(parent),
            site_depth: depth,
            ..FrontierLink::root(url(path), LinkOrigin::Link)
        }
    }

    /// Queues with a waiting link; the score is `None` if its host is not ready.
    #[derive(Default)]
    struct DirectoryHeads(BTreeMap<QueueId, Option<f32>>);

    impl QueueHeads for DirectoryHeads {
        fn heads(&self) -> Vec<QueueHead> {
            self.0.keys().filter_map(|queue| self.head(*queue)).collect()
        }
        fn head(&self, queue: QueueId) -> Option<QueueHead> {
            self.0.get(&queue).copied().flatten().map(|score| QueueHead { queue, score })
        }
        fn link_count(&self, queue: QueueId) -> u64 {
            u64::from(self.0.contains_key(&queue))
        }
    }

    /// A shop with a home page that links to 90 books and 10 authors.
    fn shop() -> (OpenSite, QueueId, QueueId) {
        let mut shop = OpenSite::new(Site("shop.example".into()), 0);
        (0..90).for_each(|n| shop.count_link(&url(&format!("/books/{n}")), 0));
        (0..10).for_each(|n| shop.count_link(&url(&format!("/authors/{n}?sort=name")), 0));
        (0..10).for_each(|n| shop.count_link(&url(&format!("/authors/{n}?sort=year")), 0));
        assert_eq!(shop.on_visit(&link("/", 0), 0), StopDecision::NextDepth);
        shop.start_next_depth();
        let queue = |path| shop.queue_of(&link(path, 1)).unwrap();
        let (books, authors) = (queue("/books/1"), queue("/authors/1"));
        (shop, books, authors)
    }

    #[test]
    fn the_best_link_is_served_until_the_quota_of_its_directory_is_used_up() {
        let (mut shop, books, authors) = shop();
        let heads = DirectoryHeads([(books, Some(0.1)), (authors, Some(0.9))].into());
        for n in 0..5 {
            assert_eq!(shop.availability(&heads, n), SiteAvailability::Ready(authors));
            shop.on_visit(&link("/authors/x", 1), 0);
        }
        assert_eq!(shop.availability(&heads, 5), SiteAvailability::Ready(books));
    }

    #[test]
    fn a_site_waits_for_its_host_and_for_its_last_page() {
        let (mut shop, books, _) = shop();
        assert_eq!(shop.availability(&DirectoryHeads([(books, None)].into()), 0), SiteAvailability::Waiting);
        shop.on_served(0);
        assert_eq!(shop.availability(&DirectoryHeads::default(), 0), SiteAvailability::Waiting);
        shop.on_visit(&link("/books/1", 1), 0);
        assert_eq!(shop.availability(&DirectoryHeads::default(), 0), SiteAvailability::DepthDone);
    }

    #[test]
    fn a_site_without_a_visit_for_long_times_out() {
        let (mut shop, books, _) = shop();
        assert_eq!(
            shop.availability(&DirectoryHeads([(books, None)].into()), MAX_WAIT + 1),
            SiteAvailability::TimedOut
        );
    }

    #[test]
    fn links_that_arrive_late_get_a_quota() {
        let (mut shop, ..) = shop();
        shop.count_link(&url("/sale/1"), 0);
        shop.on_visit(&link("/", 0), 0);
        let sale = shop.queue_of(&link("/sale/1", 1)).unwrap();
        assert_eq!(
            shop.availability(&DirectoryHeads([(sale, Some(0.0))].into()), 0),
            SiteAvailability::DepthDone,
            "its quota is below one visit"
        );
        (2..9).for_each(|n| shop.count_link(&url(&format!("/sale/{n}")), 0));
        shop.on_visit(&link("/", 0), 0);
        assert_eq!(
            shop.availability(&DirectoryHeads([(sale, Some(0.0))].into()), 0),
            SiteAvailability::Ready(sale)
        );
    }

    #[test]
    fn links_of_past_depths_and_below_the_last_depth_have_no_queue() {
        let (mut shop, ..) = shop();
        shop.start_next_depth();
        let has_queue = |depth| shop.queue_of(&link("/books/1", depth)).is_some();
        assert_eq!([1, 2, 3, 4].map(has_queue), [false, true, true, false]);
    }
}
