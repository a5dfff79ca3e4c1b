//! Link tree: visits are balanced over the directories of a site (SmartCrawler paper, section 3.3.1).
//!
//! Links gather in few directories, and link ranking prefers some of them. By rank alone, whole parts of a site would
//! never be visited. So each directory gets a share of the visits. With `N` links in the tree, at most `V` visits and
//! `gamma = min(1, V / N)`, a directory with `M` links gets `round(M gamma)` visits. Sibling directories with
//! `M gamma < 1` are merged. The tree stores counts of links, two directories deep, not the links.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// A directory: the high byte is a hash of its first name, the low byte one of its second name, 0 if there is none.
/// Names with the same hash share a directory, which only costs balance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DirectoryId(pub u16);

impl DirectoryId {
    /// Directory of a URL; the last name of the path is the page.
    pub fn of(url: &Url) -> DirectoryId {
        let path = url.path();
        let directory = path.rfind('/').map_or("", |end| &path[..end]);
        let mut names = directory.split('/').filter(|name| !name.is_empty()).map(hash_byte);
        let (first, second) = (names.next().unwrap_or(0), names.next().unwrap_or(0));
        DirectoryId(u16::from(first) << 8 | u16::from(second))
    }

    fn first(self) -> u8 {
        (self.0 >> 8) as u8
    }

    fn second(self) -> u8 {
        self.0 as u8
    }
}

fn hash_byte(name: &str) -> u8 {
    (xxh3_64(name.as_bytes()) % 255) as u8 + 1
}

/// Number of links per directory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkTree {
    links: BTreeMap<DirectoryId, u32>,
}

/// Directories that share their visits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergedDirectory {
    /// The directories that were merged.
    pub directories: Vec<DirectoryId>,
    /// Number of their links, `M`.
    pub links: u32,
    /// Number of links to visit.
    pub visits: u32,
}

impl LinkTree {
    /// Counts a link. The caller adds links that differ only in their query once.
    pub fn add(&mut self, directory: DirectoryId) {
        *self.links.entry(directory).or_default() += 1;
    }

    /// Merges small directories and distributes at most `visits` visits.
    pub fn merge(&self, visits: u32) -> Vec<MergedDirectory> {
        let all: u32 = self.links.values().sum();
        let gamma = (f64::from(visits) / f64::from(all.max(1))).min(1.0);
        let is_small = |links: u32| f64::from(links) * gamma < 1.0;
        let mut below_first = [0; 256];
        self.links.iter().for_each(|(directory, links)| below_first[usize::from(directory.first())] += links);
        let mut merged: BTreeMap<DirectoryId, MergedDirectory> = BTreeMap::new();
        for (directory, links) in &self.links {
            let (first, second) = (directory.first(), directory.second());
            let target = if first == 0 || is_small(below_first[usize::from(first)]) {
                DirectoryId::default()
            } else if second == 0 || is_small(*links) {
                DirectoryId(u16::from(first) << 8)
            } else {
                *directory
            };
            let target = merged.entry(target).or_default();
            target.directories.push(*directory);
            target.links += links;
        }
        let share = |links: u32| (f64::from(links) * gamma).round() as u32;
        merged.into_values().map(|one| MergedDirectory { visits: share(one.links), ..one }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(path: &str) -> DirectoryId {
        DirectoryId::of(&Url::parse("http://www.abebooks.com").unwrap().join(path).unwrap())
    }

    /// Links in a directory: pages `0.html`, `1.html`, ...
    fn pages(directory: &str, n: usize) -> Vec<String> {
        (0..n).map(|page| format!("{directory}/{page}.html")).collect()
    }

    fn tree(paths: &[String]) -> LinkTree {
        let mut tree = LinkTree::default();
        paths.iter().for_each(|path| tree.add(directory(path)));
        tree
    }

    fn of(merged: &[MergedDirectory], path: &str) -> (u32, u32) {
        let one = merged.iter().find(|one| one.directories.contains(&directory(path))).unwrap();
        (one.links, one.visits)
    }

    /// Links of the home page in figure 3 of the paper.
    fn bookshop() -> LinkTree {
        let mut paths: Vec<String> = pages("", 5);
        paths.extend(["/about/us.html", "/blog/new.html", "/terms/of-use.html"].map(String::from));
        for (name, n) in [("/servlet", 9), ("/products", 9), ("/docs", 10), ("/features", 3), ("/help", 5)] {
            paths.extend(pages(name, n));
        }
        let below = [("/books", 24), ("/books/find", 11), ("/books/sitemap", 3), ("/books/authors", 4)];
        below.iter().for_each(|(name, n)| paths.extend(pages(name, *n)));
        paths.extend(pages("/books/RareBooks", 3));
        paths.extend(["/books/signed/1.html", "/books/children/1.html"].map(String::from));
        assert_eq!(paths.len(), 91);
        tree(&paths)
    }

    #[test]
    fn visits_of_the_bookshop_equal_figure_3() {
        let merged = bookshop().merge(50);
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
            assert_eq!(of(&merged, path), expected, "{path}");
        }
        let books = merged.iter().filter(|one| one.directories[0].first() == directory("/books/x").first());
        assert_eq!(books.map(|one| (one.links, one.visits)).fold((0, 0), sum), (47, 26));
        assert_eq!(merged.iter().map(|one| one.visits).sum::<u32>(), 50);
    }

    fn sum(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
        (a.0 + b.0, a.1 + b.1)
    }

    #[test]
    fn all_links_of_a_small_site_are_visited() {
        let merged = tree(&[pages("", 2), pages("/a", 3), pages("/a/b", 1)].concat()).merge(50);
        assert_eq!(merged.iter().map(|one| one.visits).sum::<u32>(), 6);
        assert_eq!(LinkTree::default().merge(50), []);
    }

    #[test]
    fn a_directory_has_at_most_two_names_and_no_page() {
        assert_eq!(directory("/"), DirectoryId::default());
        assert_eq!(directory("/page.html?a=/b/c/"), DirectoryId::default());
        assert_eq!(directory("/a/"), directory("/a/b.html"));
        assert_eq!(directory("/a/b/c/d"), directory("/a/b/x"));
        assert_ne!(directory("/a/b/c"), directory("/a/c/b"));
    }
}
