//! Stop-early criteria SC1 to SC5 of a site (SmartCrawler paper, section 3.3.1).

use serde::{Deserialize, Serialize};

/// SC1: maximum number of clicks from the home page (94 % of the web databases are within this depth).
pub const MAX_DEPTH: u8 = 3;
/// SC2: maximum number of pages per depth. The paper gives no number; figure 3 visits 50 pages of a site.
pub const MAX_PAGES: u32 = 50;
/// SC3: distinct searchable forms that end a depth. The paper gives no number. Guess.
pub const MAX_FORMS: u32 = 5;
/// SC4: pages without a new searchable form that end a depth. The paper gives no number. Guess.
const MAX_EMPTY_PAGES: u32 = 20;
/// SC5: pages without a new searchable form that end the site. The paper gives no number. Guess.
const MAX_EMPTY_PAGES_OF_SITE: u32 = 50;

/// Counters of the stop-early criteria of one site.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StopEarly {
    depth: u8,
    pages: u32,
    forms: u32,
    empty_pages: u32,
    empty_pages_of_site: u32,
}

/// Decision of the stop-early criteria.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopDecision {
    /// Continue at this depth.
    Continue,
    /// Continue at the next depth.
    NextDepth,
    /// Leave the site.
    LeaveSite,
}

impl StopEarly {
    /// Current depth: clicks from the home page.
    pub fn depth(&self) -> u8 {
        self.depth
    }

    /// Counts a page with this number of new searchable forms.
    pub fn on_page(&mut self, forms: u32) -> StopDecision {
        self.pages += 1;
        self.forms += forms;
        self.empty_pages += u32::from(forms == 0);
        self.empty_pages_of_site += u32::from(forms == 0);
        if self.empty_pages_of_site >= MAX_EMPTY_PAGES_OF_SITE {
            return StopDecision::LeaveSite;
        }
        let is_over =
            self.pages >= MAX_PAGES || self.forms >= MAX_FORMS || self.empty_pages >= MAX_EMPTY_PAGES;
        if is_over { self.end_depth() } else { StopDecision::Continue }
    }

    /// Decision at the end of the current depth (SC1).
    pub fn end_depth(&self) -> StopDecision {
        if self.depth < MAX_DEPTH { StopDecision::NextDepth } else { StopDecision::LeaveSite }
    }

    /// Starts the next depth.
    pub fn start_next_depth(&mut self) {
        *self = StopEarly {
            depth: self.depth + 1,
            empty_pages_of_site: self.empty_pages_of_site,
            ..StopEarly::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(depth: u8) -> StopEarly {
        let mut stop = StopEarly::default();
        (0..depth).for_each(|_| stop.start_next_depth());
        stop
    }

    /// Decision after `n` equal pages; before that it is to continue.
    fn after(stop: &mut StopEarly, n: u32, forms: u32) -> StopDecision {
        for page in 1..n {
            assert_eq!(stop.on_page(forms), StopDecision::Continue, "page {page}");
        }
        stop.on_page(forms)
    }

    #[test]
    fn sc1_the_site_ends_with_depth_three() {
        assert_eq!(at(2).end_depth(), StopDecision::NextDepth);
        assert_eq!(at(3).end_depth(), StopDecision::LeaveSite);
    }

    #[test]
    fn sc2_fifty_pages_end_a_depth() {
        let mut stop = StopEarly { pages: 30, ..at(1) };
        assert_eq!(after(&mut stop, 19, 0), StopDecision::Continue);
        assert_eq!(stop.on_page(1), StopDecision::NextDepth);
    }

    #[test]
    fn sc3_five_forms_end_a_depth() {
        assert_eq!(after(&mut at(1), 5, 1), StopDecision::NextDepth);
        assert_eq!(after(&mut at(3), 2, 4), StopDecision::LeaveSite);
    }

    #[test]
    fn sc4_twenty_pages_without_forms_end_a_depth() {
        assert_eq!(after(&mut at(1), 20, 0), StopDecision::NextDepth);
    }

    #[test]
    fn sc5_fifty_pages_without_forms_end_a_site() {
        let mut stop = at(1);
        for _ in 0..2 {
            assert_eq!(after(&mut stop, 20, 0), StopDecision::NextDepth);
            stop.start_next_depth();
        }
        assert_eq!(after(&mut stop, 10, 0), StopDecision::LeaveSite);
    }
}
