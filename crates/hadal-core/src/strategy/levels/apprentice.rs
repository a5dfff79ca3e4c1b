//! The apprentice: learns from the page classifier which links link to on-topic pages.
//!
//! The FFC paper names it as future work (section 2): the level classifier knows which links link to forms
//! and not which leave the topic. It learns from every page that a link led to.

use super::super::features::each_term;
use super::example::SPACES;
use crate::learn::online::OnlineLogistic;
use crate::learn::sparse::SparseRow;
use crate::link::FrontierLink;
use serde::{Deserialize, Serialize};

/// Size of its table: 2^12 cells, 32 KB.
const BITS: u8 = 12;
const RATE: f32 = 0.2;
const PENALTY: f32 = 1e-4;

/// A link model with the page classifier as its critic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Apprentice(OnlineLogistic);

impl Default for Apprentice {
    fn default() -> Apprentice {
        Apprentice(OnlineLogistic::new(BITS, RATE, PENALTY))
    }
}

impl Apprentice {
    /// Takes in where a link led.
    pub fn learn(&mut self, link: &FrontierLink, on_topic: bool) {
        self.0.learn(&row(link), on_topic, 1.0);
    }

    /// P(the page is on topic).
    pub fn promise(&self, link: &FrontierLink) -> f32 {
        self.0.probability(&row(link))
    }
}

/// Every word of a link, in each space on its own.
fn row(link: &FrontierLink) -> SparseRow {
    let mut items = Vec::with_capacity(24);
    for (nth, space) in (0u32..).zip(SPACES) {
        let apart = nth.wrapping_mul(0x9E37_79B9);
        each_term(space, &link.url, &link.context, |_, term| items.push((term ^ apart, 1.0)));
    }
    SparseRow::new(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::LinkOrigin;
    use crate::page::LinkContext;
    use url::Url;

    fn called(anchor: &str) -> FrontierLink {
        let context = LinkContext { anchor: anchor.into(), ..LinkContext::default() };
        FrontierLink { context, ..FrontierLink::root(Url::parse("http://a.org/").unwrap(), LinkOrigin::Link) }
    }

    #[test]
    fn links_like_those_that_led_to_the_topic_promise_more() {
        let mut apprentice = Apprentice::default();
        assert_eq!(apprentice.promise(&called("Rare books")), 0.5);
        for _ in 0..20 {
            apprentice.learn(&called("Old books"), true);
            apprentice.learn(&called("Privacy policy"), false);
        }
        assert!(apprentice.promise(&called("Rare books")) > 0.7);
        assert!(apprentice.promise(&called("Privacy")) < 0.3);
    }
}
