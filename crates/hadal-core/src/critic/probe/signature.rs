//! What an answer without results looks like at one form: learned once, used by every later query.

use super::ProbeQuery;
use super::decide::SeenAnswer;
use super::page_digest::{PageDigest, QueryMask, missing, shingles};
use super::target::ProbeTarget;
use crate::page::Page;
use serde::{Deserialize, Serialize};

/// The words that a form uses when it found nothing, with the query masked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoResultSignature {
    mask: QueryMask,
    /// Runs of words that pages without results have and pages with results lack.
    own: Vec<u32>,
}

impl NoResultSignature {
    /// Learns from what a probe saw at a form that searches; `None` when no answer was without results,
    /// or such answers have no words of their own.
    pub(super) fn learn(
        target: &ProbeTarget,
        mask: QueryMask,
        seen: &[(ProbeQuery, SeenAnswer)],
    ) -> Option<NoResultSignature> {
        let pages: Vec<(&ProbeQuery, &PageDigest)> = seen.iter().filter_map(page).collect();
        let results = with_results(&pages)?;
        let without = without_results(target, &pages);
        let (first, rest) = without.split_first()?;
        let is_own = |one: &&u32| {
            results.shingles.binary_search(one).is_err()
                && rest.iter().all(|page| page.shingles.binary_search(one).is_ok())
        };
        let own: Vec<u32> = first.shingles.iter().filter(is_own).copied().collect();
        (!own.is_empty()).then_some(NoResultSignature { mask, own })
    }

    /// Whether a page that answers a query says that nothing was found.
    pub fn fits(&self, page: &Page, query: &str) -> bool {
        let mut mask = self.mask.clone();
        mask.add(query);
        missing(&self.own, &shingles(&page.text, &mask)) * 4 <= self.own.len()
    }
}

fn page((question, seen): &(ProbeQuery, SeenAnswer)) -> Option<(&ProbeQuery, &PageDigest)> {
    match seen {
        SeenAnswer::Page(page) => Some((question, page)),
        SeenAnswer::Redirect(_) | SeenAnswer::Unusable | SeenAnswer::Confirmation => None,
    }
}

/// The answer that shows results most plainly.
fn with_results<'a>(pages: &[(&ProbeQuery, &'a PageDigest)]) -> Option<&'a PageDigest> {
    let full = || pages.iter().filter(|(_, page)| !page.is_empty);
    let listed = full().find(|(_, page)| page.is_list || page.total > Some(0));
    listed.or_else(|| full().find(|(question, _)| **question == ProbeQuery::Word)).map(|(_, page)| *page)
}

/// The answers that say that nothing was found; if none does, those to nonsense, which no select offers.
fn without_results<'a>(target: &ProbeTarget, pages: &[(&ProbeQuery, &'a PageDigest)]) -> Vec<&'a PageDigest> {
    let stated: Vec<&PageDigest> = pages.iter().map(|(_, page)| *page).filter(|page| page.is_empty).collect();
    if !stated.is_empty() || matches!(target, ProbeTarget::Choice { .. }) {
        return stated;
    }
    let is_nonsense =
        |question: &ProbeQuery| matches!(question, ProbeQuery::Nonsense | ProbeQuery::MoreNonsense);
    pages.iter().filter(|(question, _)| is_nonsense(question)).map(|(_, page)| *page).collect()
}
