//! Tree of the pages of a site, computed from three numbers.
//!
//! Page 0 is the home page and pages 1 to `sections` are its children. Every other page has up to `branching` children.
//! Pages are numbered in breadth-first order, so parent, children and depth follow from the page number.

use std::ops::Range;

/// Shape of a site's page tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageTree {
    pub(crate) pages: u32,
    pub(crate) sections: u32,
    pub(crate) branching: u32,
}

impl PageTree {
    /// Parent of a page; `None` for the home page.
    pub(crate) fn parent(self, page: u32) -> Option<u32> {
        match page {
            0 => None,
            _ if page <= self.sections => Some(0),
            _ => Some((page - self.sections - 1) / self.branching + 1),
        }
    }

    /// Children of a page.
    pub(crate) fn children(self, page: u32) -> Range<u32> {
        if page == 0 {
            return 1..self.first_below(1);
        }
        let first = u64::from(self.sections) + 1 + u64::from(page - 1) * u64::from(self.branching);
        let clip = |n: u64| n.min(u64::from(self.pages)) as u32;
        clip(first)..clip(first + u64::from(self.branching))
    }

    /// Number of clicks from the home page.
    pub(crate) fn depth(self, page: u32) -> u32 {
        self.ancestors(page).count() as u32
    }

    /// Ancestors of a page, parent first, home page last.
    pub(crate) fn ancestors(self, page: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(self.parent(page), move |page| self.parent(*page))
    }

    /// Child of the home page that a page is below of, or the page itself; 0 for the home page.
    pub(crate) fn section(self, page: u32) -> u32 {
        std::iter::once(page).chain(self.ancestors(page)).find(|p| *p <= self.sections).unwrap_or(0)
    }

    /// All pages at a depth; empty if the tree is not that deep.
    pub(crate) fn level(self, depth: u32) -> Range<u32> {
        match depth {
            0 => 0..1,
            _ => self.first_below(depth - 1)..self.first_below(depth),
        }
    }

    /// Largest depth up to `depth` that has a page.
    pub(crate) fn deepest_up_to(self, depth: u32) -> u32 {
        (0..=depth).rev().find(|d| !self.level(*d).is_empty()).unwrap_or(0)
    }

    /// First page deeper than `depth`.
    fn first_below(self, depth: u32) -> u32 {
        let (mut end, mut width) = (1u64, u64::from(self.sections));
        for _ in 0..depth {
            end = end.saturating_add(width);
            width = width.saturating_mul(u64::from(self.branching));
        }
        end.min(u64::from(self.pages)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: PageTree = PageTree { pages: 1000, sections: 7, branching: 3 };

    #[test]
    fn children_and_parents_are_inverse() {
        for page in 0..TREE.pages {
            for child in TREE.children(page) {
                assert_eq!(TREE.parent(child), Some(page));
            }
            if let Some(parent) = TREE.parent(page) {
                assert!(TREE.children(parent).contains(&page));
            }
        }
    }

    #[test]
    fn levels_hold_the_pages_of_their_depth() {
        for page in 0..TREE.pages {
            assert!(TREE.level(TREE.depth(page)).contains(&page));
        }
        assert!(TREE.level(40).is_empty());
        assert_eq!(TREE.deepest_up_to(40), TREE.depth(TREE.pages - 1));
    }

    #[test]
    fn sections_are_children_of_home() {
        assert_eq!(TREE.section(0), 0);
        assert!((1..TREE.pages).all(|page| (1..=7).contains(&TREE.section(page))));
    }
}
