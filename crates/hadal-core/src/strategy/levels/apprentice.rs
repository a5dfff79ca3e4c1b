//! The apprentice: learns from the page classifier which links lead to on-topic pages.
//!
//! The FFC paper names it as future work (section 2): the level classifier knows which links lead to forms
//! and not which leave the topic. It learns from every page that a link led to.

use super::super::features::each_term;
use super::example::SPACES;
use crate::lead::Lead;
use crate::learn::online::OnlineLogistic;
use crate::learn::sparse::Sparse;
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
    pub fn learn(&mut self, lead: &Lead, on_topic: bool) {
        self.0.learn(&row(lead), on_topic, 1.0);
    }

    /// P(the page is on topic).
    pub fn promise(&self, lead: &Lead) -> f32 {
        self.0.probability(&row(lead))
    }
}

/// Every word of a link, in each space on its own.
fn row(lead: &Lead) -> Sparse {
    let mut items = Vec::with_capacity(24);
    for (nth, space) in (0u32..).zip(SPACES) {
        let apart = nth.wrapping_mul(0x9E37_79B9);
        each_term(space, &lead.url, &lead.context, |_, term| items.push((term ^ apart, 1.0)));
    }
    Sparse::new(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lead::Origin;
    use crate::page::LinkContext;
    use url::Url;

    fn called(anchor: &str) -> Lead {
        let context = LinkContext { anchor: anchor.into(), ..LinkContext::default() };
        Lead { context, ..Lead::root(Url::parse("http://a.org/").unwrap(), Origin::Link) }
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
