//! Apprentice: a model that predicts whether a link leads to an on-topic page.
//!
//! The link classifier predicts distances to forms, not topics. The FFC paper (section 2) and the ACHE paper
//! (section 6) name an apprentice as future work. It is a logistic regression over the stems of a link. The
//! page classifier gives the label of every page that a link led to.

use super::super::features::each_term;
use super::examples::SPACES;
use crate::learn::online::OnlineLogistic;
use crate::learn::sparse::SparseRow;
use crate::link::FrontierLink;
use serde::{Deserialize, Serialize};

/// log2 of the number of weights; the table takes 32 KB. Guess.
const WEIGHT_BITS: u8 = 12;
/// Learning rate. Guess.
const LEARNING_RATE: f32 = 0.2;
/// L2 penalty. Guess.
const PENALTY: f32 = 1e-4;

/// Online model of P(on topic) of a link's target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Apprentice(OnlineLogistic);

impl Default for Apprentice {
    fn default() -> Apprentice {
        Apprentice(OnlineLogistic::new(WEIGHT_BITS, LEARNING_RATE, PENALTY))
    }
}

impl Apprentice {
    /// Learns from a visited link.
    pub fn learn(&mut self, link: &FrontierLink, on_topic: bool) {
        self.0.learn(&features(link), on_topic, 1.0);
    }

    /// P(on topic) of the link's target.
    pub fn p_topic(&self, link: &FrontierLink) -> f32 {
        self.0.probability(&features(link))
    }
}

/// Stems of a link, hashed separately for each feature space.
fn features(link: &FrontierLink) -> SparseRow {
    let mut items = Vec::with_capacity(24);
    for (nth, space) in (0u32..).zip(SPACES) {
        let salt = nth.wrapping_mul(0x9E37_79B9);
        each_term(space, &link.url, &link.context, |_, term| items.push((term ^ salt, 1.0)));
    }
    SparseRow::new(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::LinkOrigin;
    use crate::page::LinkContext;
    use url::Url;

    fn link(anchor: &str) -> FrontierLink {
        let context = LinkContext { anchor: anchor.into(), ..LinkContext::default() };
        FrontierLink { context, ..FrontierLink::root(Url::parse("http://a.org/").unwrap(), LinkOrigin::Link) }
    }

    #[test]
    fn links_like_those_to_on_topic_pages_get_a_higher_probability() {
        let mut apprentice = Apprentice::default();
        assert_eq!(apprentice.p_topic(&link("Rare books")), 0.5);
        for _ in 0..20 {
            apprentice.learn(&link("Old books"), true);
            apprentice.learn(&link("Privacy policy"), false);
        }
        assert!(apprentice.p_topic(&link("Rare books")) > 0.7);
        assert!(apprentice.p_topic(&link("Privacy")) < 0.3);
    }
}
