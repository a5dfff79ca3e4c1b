//! What an answer without results looks like at one form: learned once, used by every later query.

use super::glimpse::{Glimpse, Mask, missing, shingles};
use crate::page::Page;
use serde::{Deserialize, Serialize};

/// The words that a form uses when it found nothing, with the query masked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoResult {
    mask: Mask,
    /// Runs of words that pages without results have and pages with results lack.
    own: Vec<u32>,
}

impl NoResult {
    /// Learns from a page with results and pages without; `None` when these have nothing of their own.
    pub(super) fn learn(mask: Mask, results: &Glimpse, without: &[&Glimpse]) -> Option<NoResult> {
        let (first, rest) = without.split_first()?;
        let everywhere = |one: &&u32| rest.iter().all(|page| page.shingles.binary_search(one).is_ok());
        let own: Vec<u32> = first
            .shingles
            .iter()
            .filter(everywhere)
            .filter(|one| results.shingles.binary_search(one).is_err())
            .copied()
            .collect();
        (!own.is_empty()).then_some(NoResult { mask, own })
    }

    /// Whether a page that answers a query says that nothing was found.
    pub fn fits(&self, page: &Page, query: &str) -> bool {
        let mut mask = self.mask.clone();
        mask.add(query);
        missing(&self.own, &shingles(&page.text, &mask)) * 4 <= self.own.len()
    }
}
