//! A site that is being explored: breadth first, each directory in its share, until it has tried our patience.

use super::link_tree::{LinkTree, Node};
use super::patience::{Next, PAGES, Patience};
use super::queues::SiteKey;
use crate::address::Site;
use crate::link::{FrontierLink, QueueId};
use crate::strategy::QueueHeads;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Links of a site that are told apart; what comes later is not counted.
const MOST_LINKS: usize = 2_000;
/// Other sites that a site may point out.
const MOST_LINKED: usize = 256;
/// A site that could not be served for so many pages of others has hosts that keep us waiting: it is left.
const LONGEST_WAIT: u64 = 1_000;

/// An open site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Explored {
    /// The site.
    pub site: Site,
    /// Its key.
    pub key: SiteKey,
    /// Other sites it links to, each once.
    pub linked: Vec<SiteKey>,
    /// It yielded a searchable form.
    pub is_deep: bool,
    patience: Patience,
    met: FxHashSet<u32>,
    tree: LinkTree,
    next_tree: LinkTree,
    taken: BTreeMap<Node, u32>,
    underway: bool,
    served_at: u64,
    looked_at: usize,
    #[serde(skip)]
    shares: Vec<Share>,
}

/// A directory with links that may still be visited, and how many visits its branch has left.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Share {
    queue: QueueId,
    branch: usize,
    left: u32,
}

/// What a site has to offer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Offered {
    /// A link in this queue.
    Queue(QueueId),
    /// Nothing now: its hosts rest, or the last page of this depth is on its way.
    Later,
    /// Nothing more at this depth.
    Through,
    /// Nothing that would be worth more waiting.
    Over,
}

impl Explored {
    /// A site whose home page is about to be taken in, after so many pages of the crawl.
    pub fn new(site: Site, served: u64) -> Explored {
        Explored {
            key: SiteKey::of(&site),
            site,
            linked: Vec::new(),
            is_deep: false,
            patience: Patience::default(),
            met: FxHashSet::default(),
            tree: LinkTree::default(),
            next_tree: LinkTree::default(),
            taken: BTreeMap::new(),
            underway: false,
            served_at: served,
            looked_at: 0,
            shares: Vec::new(),
        }
    }

    /// Where a link of the site waits; nowhere when its depth has been left behind or is too deep.
    pub fn queue_of(&self, link: &FrontierLink) -> Option<QueueId> {
        let depth = u8::try_from(link.site_depth).ok()?;
        let open = self.patience.depth().max(1)..=super::patience::DEEPEST;
        open.contains(&depth).then(|| self.key.directory(depth, Node::of(&link.url)))
    }

    /// Notes a link of the site on a page at that depth.
    pub fn note_link(&mut self, url: &Url, found_at: u16) {
        let tree = match u16::from(self.patience.depth()) {
            here if found_at == here => &mut self.next_tree,
            here if here.checked_sub(1) == Some(found_at) => &mut self.tree,
            _ => return,
        };
        if self.met.len() < MOST_LINKS && self.met.insert(page_key(url)) {
            tree.add(Node::of(url));
        }
    }

    /// Notes a link to another site; whether it is the first one to it.
    pub fn note_other(&mut self, site: SiteKey) -> bool {
        let is_new = self.linked.len() < MOST_LINKED && !self.linked.contains(&site);
        if is_new {
            self.linked.push(site);
        }
        is_new
    }

    /// A page of the site was visited and brought so many new searchable forms; its links are noted.
    pub fn visited(&mut self, link: &FrontierLink, forms: u32) -> Next {
        self.underway = false;
        self.is_deep |= forms > 0;
        let next = self.patience.visited(forms);
        if self.patience.depth() == 0 {
            return Next::Deeper;
        }
        if link.site_depth == u16::from(self.patience.depth()) {
            *self.taken.entry(Node::of(&link.url)).or_default() += 1;
        }
        self.share_out();
        next
    }

    /// Goes on to the next depth.
    pub fn descend(&mut self) {
        self.patience.descend();
        self.tree = std::mem::take(&mut self.next_tree);
        self.taken.clear();
        self.looked_at = 0;
        self.share_out();
    }

    /// What comes when this depth is through.
    pub fn through(&self) -> Next {
        self.patience.through()
    }

    /// Shares out the visits of this depth anew. Follows from what is saved.
    pub fn share_out(&mut self) {
        self.shares.clear();
        for (branch, of) in self.tree.branches(PAGES).iter().enumerate() {
            let taken: u32 = of.nodes.iter().filter_map(|node| self.taken.get(node)).sum();
            let left = of.visits.saturating_sub(taken);
            let queue = |node: &Node| self.key.directory(self.patience.depth(), *node);
            let shares = of.nodes.iter().map(|node| Share { queue: queue(node), branch, left });
            self.shares.extend(shares.filter(|share| share.left > 0));
        }
    }

    /// What it has to offer after so many pages of the crawl. The queue that had something last time is
    /// asked first: as long as its host rests, the site is taken to rest.
    pub fn offered(&mut self, heads: &dyn QueueHeads, served: u64) -> Offered {
        if served.saturating_sub(self.served_at) > LONGEST_WAIT {
            return Offered::Over;
        }
        let count = self.shares.len();
        let from = self.looked_at.min(count);
        let first = (from..count).chain(0..from).find(|at| heads.link_count(self.shares[*at].queue) > 0);
        match first {
            None if self.underway => Offered::Later,
            None => Offered::Through,
            Some(at) => {
                self.looked_at = at;
                match heads.head(self.shares[at].queue) {
                    None => Offered::Later,
                    Some(_) => self.best(heads).map_or(Offered::Later, Offered::Queue),
                }
            }
        }
    }

    fn best(&self, heads: &dyn QueueHeads) -> Option<QueueId> {
        let heads = self.shares.iter().filter_map(|share| heads.head(share.queue));
        heads.max_by(|a, b| a.score.total_cmp(&b.score).then(b.queue.cmp(&a.queue))).map(|head| head.queue)
    }

    /// One of its links is on its way.
    pub fn served(&mut self, served: u64) {
        self.underway = true;
        self.served_at = served;
    }
}

/// A page, whatever its query: links that differ in nothing else are one.
fn page_key(url: &Url) -> u32 {
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

    /// Lanes with something waiting; those that rest have no score.
    #[derive(Default)]
    struct Fake(BTreeMap<QueueId, Option<f32>>);

    impl QueueHeads for Fake {
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

    /// A shop whose home page links to 90 books and 10 authors.
    fn shop() -> (Explored, QueueId, QueueId) {
        let mut shop = Explored::new(Site("shop.example".into()), 0);
        (0..90).for_each(|n| shop.note_link(&url(&format!("/books/{n}")), 0));
        (0..10).for_each(|n| shop.note_link(&url(&format!("/authors/{n}?sort=name")), 0));
        (0..10).for_each(|n| shop.note_link(&url(&format!("/authors/{n}?sort=year")), 0));
        assert_eq!(shop.visited(&link("/", 0), 0), Next::Deeper);
        shop.descend();
        let queue = |path| shop.queue_of(&link(path, 1)).unwrap();
        let (books, authors) = (queue("/books/1"), queue("/authors/1"));
        (shop, books, authors)
    }

    #[test]
    fn a_directory_is_served_by_its_best_link_until_it_has_had_its_share() {
        let (mut shop, books, authors) = shop();
        let heads = Fake([(books, Some(0.1)), (authors, Some(0.9))].into());
        for n in 0..5 {
            assert_eq!(shop.offered(&heads, n), Offered::Queue(authors));
            shop.visited(&link("/authors/x", 1), 0);
        }
        assert_eq!(shop.offered(&heads, 5), Offered::Queue(books));
    }

    #[test]
    fn a_site_rests_with_its_host_and_while_its_last_page_is_on_its_way() {
        let (mut shop, books, _) = shop();
        assert_eq!(shop.offered(&Fake([(books, None)].into()), 0), Offered::Later);
        shop.served(0);
        assert_eq!(shop.offered(&Fake::default(), 0), Offered::Later);
        shop.visited(&link("/books/1", 1), 0);
        assert_eq!(shop.offered(&Fake::default(), 0), Offered::Through);
    }

    #[test]
    fn a_site_whose_hosts_keep_us_waiting_is_over() {
        let (mut shop, books, _) = shop();
        assert_eq!(shop.offered(&Fake([(books, None)].into()), LONGEST_WAIT + 1), Offered::Over);
    }

    #[test]
    fn links_that_come_late_are_shared_out_too() {
        let (mut shop, ..) = shop();
        shop.note_link(&url("/sale/1"), 0);
        shop.visited(&link("/", 0), 0);
        let sale = shop.queue_of(&link("/sale/1", 1)).unwrap();
        assert_eq!(
            shop.offered(&Fake([(sale, Some(0.0))].into()), 0),
            Offered::Through,
            "its share is less than one"
        );
        (2..9).for_each(|n| shop.note_link(&url(&format!("/sale/{n}")), 0));
        shop.visited(&link("/", 0), 0);
        assert_eq!(shop.offered(&Fake([(sale, Some(0.0))].into()), 0), Offered::Queue(sale));
    }

    #[test]
    fn depths_that_were_left_behind_and_those_too_deep_are_not_waited_in() {
        let (mut shop, ..) = shop();
        shop.descend();
        let waits = |depth| shop.queue_of(&link("/books/1", depth)).is_some();
        assert_eq!([1, 2, 3, 4].map(waits), [false, true, true, false]);
    }
}
