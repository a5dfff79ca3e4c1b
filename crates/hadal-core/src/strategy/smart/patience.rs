//! When to stop in a site (SmartCrawler paper, section 3.3.1): most forms stand near the home page, and
//! pages that bring nothing are mostly followed by more of them.

use serde::{Deserialize, Serialize};

/// SC1: clicks from the home page at most.
pub const DEEPEST: u8 = 3;
/// SC2: pages visited at one depth.
pub const PAGES: u32 = 50;
/// SC3: distinct searchable forms that are enough at one depth.
const FORMS: u32 = 5;
/// SC4: pages without a new searchable form that are enough at one depth.
const DRY: u32 = 20;
/// SC5: pages without a new searchable form that are enough in a site.
const DRY_IN_ALL: u32 = 50;

/// How the exploration of a site goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Patience {
    depth: u8,
    pages: u32,
    forms: u32,
    dry: u32,
    dry_in_all: u32,
}

/// What follows from a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Go on at this depth.
    Stay,
    /// Go on to the next depth.
    Deeper,
    /// Leave the site.
    Leave,
}

impl Patience {
    /// Clicks from the home page where it visits now.
    pub fn depth(&self) -> u8 {
        self.depth
    }

    /// A page brought so many searchable forms that were not known.
    pub fn visited(&mut self, forms: u32) -> Next {
        self.pages += 1;
        self.forms += forms;
        self.dry += u32::from(forms == 0);
        self.dry_in_all += u32::from(forms == 0);
        if self.dry_in_all >= DRY_IN_ALL {
            return Next::Leave;
        }
        let enough = self.pages >= PAGES || self.forms >= FORMS || self.dry >= DRY;
        if enough { self.through() } else { Next::Stay }
    }

    /// What comes when a depth is through.
    pub fn through(&self) -> Next {
        if self.depth < DEEPEST { Next::Deeper } else { Next::Leave }
    }

    /// Begins with the next depth.
    pub fn descend(&mut self) {
        *self = Patience { depth: self.depth + 1, dry_in_all: self.dry_in_all, ..Patience::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(depth: u8) -> Patience {
        let mut patience = Patience::default();
        (0..depth).for_each(|_| patience.descend());
        patience
    }

    /// What the last of `n` equal pages links to; those before it change nothing.
    fn after(patience: &mut Patience, n: u32, forms: u32) -> Next {
        for page in 1..n {
            assert_eq!(patience.visited(forms), Next::Stay, "page {page}");
        }
        patience.visited(forms)
    }

    #[test]
    fn sc1_nothing_comes_after_depth_three() {
        assert_eq!(at(2).through(), Next::Deeper);
        assert_eq!(at(3).through(), Next::Leave);
    }

    #[test]
    fn sc2_fifty_pages_are_visited_at_a_depth() {
        let mut patience = Patience { pages: 30, ..at(1) };
        assert_eq!(after(&mut patience, 19, 0), Next::Stay);
        assert_eq!(patience.visited(1), Next::Deeper);
    }

    #[test]
    fn sc3_five_forms_are_enough_at_a_depth() {
        assert_eq!(after(&mut at(1), 5, 1), Next::Deeper);
        assert_eq!(after(&mut at(3), 2, 4), Next::Leave);
    }

    #[test]
    fn sc4_twenty_dry_pages_are_enough_at_a_depth() {
        assert_eq!(after(&mut at(1), 20, 0), Next::Deeper);
    }

    #[test]
    fn sc5_fifty_dry_pages_are_enough_in_a_site() {
        let mut patience = at(1);
        for _ in 0..2 {
            assert_eq!(after(&mut patience, 20, 0), Next::Deeper);
            patience.descend();
        }
        assert_eq!(after(&mut patience, 10, 0), Next::Leave);
    }
}
