//! Lists on a page: links that stand in the same place, and ways to the next page of them.

use super::phrases;
use crate::page::{Link, Page};
use rustc_hash::{FxHashMap, FxHashSet};

/// Links that share a tag path.
pub(super) struct Group {
    /// How many lead to different places.
    pub(super) links: usize,
}

/// Links looked at; more of them are no better sign of a list.
const MOST_LINKS: usize = 3_000;

/// The largest group of links of one tag path that name things: menus and page numbers do not count.
pub(super) fn repeated(page: &Page) -> Option<Group> {
    let mut groups: FxHashMap<&str, (FxHashSet<&str>, usize)> = FxHashMap::default();
    for link in page.links.iter().take(MOST_LINKS).filter(|link| !is_frame(&link.context.tag_path)) {
        let (targets, letters) = groups.entry(&link.context.tag_path).or_default();
        targets.insert(link.url.as_str());
        *letters += link.context.anchor.chars().filter(|c| c.is_alphabetic()).count();
    }
    let named =
        groups.values().filter(|(targets, letters)| targets.len() >= 3 && *letters >= 6 * targets.len());
    named.map(|(targets, _)| targets.len()).max().map(|links| Group { links })
}

/// Parts of a page that are the same on every page of a site.
fn is_frame(path: &str) -> bool {
    const MARKS: [&str; 8] = ["nav", "menu", "footer", "header", "breadcrumb", "sidebar", "aside", "social"];
    let path = path.to_ascii_lowercase();
    MARKS.iter().any(|mark| path.contains(mark))
}

/// A way to further results: a declared next page, a link that says next, or numbers in a row.
pub(super) fn pager(page: &Page) -> Option<&'static str> {
    let links = || page.links.iter().take(MOST_LINKS);
    if page.hints.next.is_some() || links().any(|link| link.context.rel.split(' ').any(|rel| rel == "next")) {
        return Some("a declared next page");
    }
    if links().any(|link| is_next(&link.context.anchor)) {
        return Some("a link to the next page");
    }
    let numbers: Vec<Option<u32>> = links().map(page_number).collect();
    let in_row = |pair: &[Option<u32>]| matches!(pair, [Some(a), Some(b)] if *b == a + 1);
    let runs = numbers.windows(2).filter(|pair| in_row(pair)).count();
    (runs >= 2).then_some("page numbers in a row")
}

fn is_next(anchor: &str) -> bool {
    if anchor.len() > 40 {
        return false;
    }
    let plain = super::normalise_prefix(anchor, 64);
    phrases::NEXT.equals(&plain)
}

fn page_number(link: &Link) -> Option<u32> {
    let anchor = link.context.anchor.trim_matches(|c: char| !c.is_alphanumeric());
    anchor.parse().ok().filter(|number| *number < 10_000)
}
