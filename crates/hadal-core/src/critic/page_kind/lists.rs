//! Link lists and pagers of a page.

use super::phrases;
use crate::page::{Link, Page};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of links of a page that are read. Guess.
const MAX_LINKS: usize = 3_000;

/// Number of URLs in the largest group of links with the same tag path. Navigation and links with short
/// anchors, such as page numbers, do not count.
pub(super) fn largest_link_list(page: &Page) -> Option<usize> {
    let mut groups: FxHashMap<&str, (FxHashSet<&str>, usize)> = FxHashMap::default();
    for link in page.links.iter().take(MAX_LINKS).filter(|link| !is_navigation(&link.context.tag_path)) {
        let (targets, letters) = groups.entry(&link.context.tag_path).or_default();
        targets.insert(link.url.as_str());
        *letters += link.context.anchor.chars().filter(|c| c.is_alphabetic()).count();
    }
    let named =
        groups.values().filter(|(targets, letters)| targets.len() >= 3 && *letters >= 6 * targets.len());
    named.map(|(targets, _)| targets.len()).max()
}

/// True for tag paths inside navigation, header or footer.
fn is_navigation(path: &str) -> bool {
    const MARKERS: [&str; 8] =
        ["nav", "menu", "footer", "header", "breadcrumb", "sidebar", "aside", "social"];
    let path = path.to_ascii_lowercase();
    MARKERS.iter().any(|marker| path.contains(marker))
}

/// Evidence of a pager: a declared next page, a link to the next page, or consecutive page numbers.
pub(super) fn pager(page: &Page) -> Option<&'static str> {
    let links = || page.links.iter().take(MAX_LINKS);
    if page.hints.next.is_some() || links().any(|link| link.context.rel.split(' ').any(|rel| rel == "next")) {
        return Some("declared next page");
    }
    if links().any(|link| is_next(&link.context.anchor)) {
        return Some("link to the next page");
    }
    let numbers: Vec<Option<u32>> = links().map(page_number).collect();
    let is_consecutive = |pair: &[Option<u32>]| matches!(pair, [Some(a), Some(b)] if *b == a + 1);
    let runs = numbers.windows(2).filter(|pair| is_consecutive(pair)).count();
    (runs >= 2).then_some("consecutive page numbers")
}

fn is_next(anchor: &str) -> bool {
    if anchor.len() > 40 {
        return false;
    }
    phrases::NEXT.equals(&super::normalise_prefix(anchor, 64))
}

fn page_number(link: &Link) -> Option<u32> {
    let anchor = link.context.anchor.trim_matches(|c: char| !c.is_alphanumeric());
    anchor.parse().ok().filter(|number| *number < 10_000)
}
