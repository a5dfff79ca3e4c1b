//! The link tree (SmartCrawler paper, section 3.3.1): visits are shared out evenly among a site's directories.
//!
//! Links gather in few directories, and ranking prefers few words; visited by rank alone, whole parts of a
//! site are never seen. So each directory gets its share, and small ones share one. The tree knows numbers
//! of links, two directories deep, and never the links.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// A directory: a byte for its first name and one for its second, 0 where there is none. Two names that
/// fall on the same byte share a directory, which costs balance and nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Node(pub u16);

impl Node {
    /// The directory an address is in; its last name is the page's own.
    pub fn of(url: &Url) -> Node {
        let path = url.path();
        let directory = path.rfind('/').map_or("", |end| &path[..end]);
        let mut names = directory.split('/').filter(|name| !name.is_empty()).map(byte);
        let (first, second) = (names.next().unwrap_or(0), names.next().unwrap_or(0));
        Node(u16::from(first) << 8 | u16::from(second))
    }

    fn first(self) -> u8 {
        (self.0 >> 8) as u8
    }

    fn second(self) -> u8 {
        self.0 as u8
    }
}

fn byte(name: &str) -> u8 {
    (xxh3_64(name.as_bytes()) % 255) as u8 + 1
}

/// Numbers of links by directory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkTree {
    links: BTreeMap<Node, u32>,
}

/// Directories that share visits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
    /// The directories.
    pub nodes: Vec<Node>,
    /// Their links.
    pub links: u32,
    /// How many of those are to be visited.
    pub visits: u32,
}

impl LinkTree {
    /// Counts a link in. Addresses that differ in their query only are one link; the caller knows which.
    pub fn add(&mut self, node: Node) {
        *self.links.entry(node).or_default() += 1;
    }

    /// Shares out visits: gamma of each directory's links, those with less than one together.
    pub fn branches(&self, visits: u32) -> Vec<Branch> {
        let all: u32 = self.links.values().sum();
        let gamma = (f64::from(visits) / f64::from(all.max(1))).min(1.0);
        let is_small = |links: u32| f64::from(links) * gamma < 1.0;
        let mut below_first = [0; 256];
        self.links.iter().for_each(|(node, links)| below_first[usize::from(node.first())] += links);
        let mut branches: BTreeMap<Node, Branch> = BTreeMap::new();
        for (node, links) in &self.links {
            let (first, second) = (node.first(), node.second());
            let branch = if first == 0 || is_small(below_first[usize::from(first)]) {
                Node::default()
            } else if second == 0 || is_small(*links) {
                Node(u16::from(first) << 8)
            } else {
                *node
            };
            let branch = branches.entry(branch).or_default();
            branch.nodes.push(*node);
            branch.links += links;
        }
        let share = |links: u32| (f64::from(links) * gamma).round() as u32;
        branches.into_values().map(|branch| Branch { visits: share(branch.links), ..branch }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(path: &str) -> Node {
        Node::of(&Url::parse("http://www.abebooks.com").unwrap().join(path).unwrap())
    }

    /// Links in a directory: pages `0.html`, `1.html`, ...
    fn pages(directory: &str, n: usize) -> Vec<String> {
        (0..n).map(|page| format!("{directory}/{page}.html")).collect()
    }

    fn tree(paths: &[String]) -> LinkTree {
        let mut tree = LinkTree::default();
        paths.iter().for_each(|path| tree.add(node(path)));
        tree
    }

    fn of(branches: &[Branch], path: &str) -> (u32, u32) {
        let branch = branches.iter().find(|branch| branch.nodes.contains(&node(path))).unwrap();
        (branch.links, branch.visits)
    }

    /// The paper's figure 3: the home page of a book shop.
    fn bookshop() -> LinkTree {
        let mut paths: Vec<String> = pages("", 5);
        paths.extend(["/about/us.html", "/blog/new.html", "/terms/of-use.html"].map(String::from));
        for (directory, n) in
            [("/servlet", 9), ("/products", 9), ("/docs", 10), ("/features", 3), ("/help", 5)]
        {
            paths.extend(pages(directory, n));
        }
        let below = [("/books", 24), ("/books/find", 11), ("/books/sitemap", 3), ("/books/authors", 4)];
        below.iter().for_each(|(directory, n)| paths.extend(pages(directory, *n)));
        paths.extend(pages("/books/RareBooks", 3));
        paths.extend(["/books/signed/1.html", "/books/children/1.html"].map(String::from));
        assert_eq!(paths.len(), 91);
        tree(&paths)
    }

    #[test]
    fn the_papers_bookshop_is_shared_out_as_in_its_figure_3() {
        let branches = bookshop().branches(50);
        for (path, expected) in [
            ("/0.html", (8, 4)),
            ("/about/us.html", (8, 4)),
            ("/servlet/x", (9, 5)),
            ("/products/x", (9, 5)),
            ("/docs/x", (10, 5)),
            ("/features/x", (3, 2)),
            ("/help/x", (5, 3)),
            ("/books/x", (26, 14)),
            ("/books/signed/x", (26, 14)),
            ("/books/find/x", (11, 6)),
            ("/books/sitemap/x", (3, 2)),
            ("/books/authors/x", (4, 2)),
            ("/books/RareBooks/x", (3, 2)),
        ] {
            assert_eq!(of(&branches, path), expected, "{path}");
        }
        let books = branches.iter().filter(|branch| branch.nodes[0].first() == node("/books/x").first());
        assert_eq!(books.map(|branch| (branch.links, branch.visits)).fold((0, 0), sum), (47, 26));
        assert_eq!(branches.iter().map(|branch| branch.visits).sum::<u32>(), 50);
    }

    fn sum(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
        (a.0 + b.0, a.1 + b.1)
    }

    #[test]
    fn a_small_site_is_visited_whole() {
        let branches = tree(&[pages("", 2), pages("/a", 3), pages("/a/b", 1)].concat()).branches(50);
        assert_eq!(branches.iter().map(|branch| branch.visits).sum::<u32>(), 6);
        assert_eq!(LinkTree::default().branches(50), []);
    }

    #[test]
    fn a_directory_is_two_names_and_no_page() {
        assert_eq!(node("/"), Node::default());
        assert_eq!(node("/page.html?a=/b/c/"), Node::default());
        assert_eq!(node("/a/"), node("/a/b.html"));
        assert_eq!(node("/a/b/c/d"), node("/a/b/x"));
        assert_ne!(node("/a/b/c"), node("/a/c/b"));
    }
}
