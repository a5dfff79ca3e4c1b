//! Signature of the no-result page of a form, learned by a probe.

use super::ProbeQuery;
use super::decide::AnswerDigest;
use super::page_digest::{PageDigest, QueryMask, missing, shingles};
use super::target::ProbeTarget;
use crate::page::Page;
use serde::{Deserialize, Serialize};

/// Text that only the no-result page of a form contains, with the query masked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoResultSignature {
    mask: QueryMask,
    /// Shingles of pages without results that pages with results lack.
    shingles: Vec<u32>,
}

impl NoResultSignature {
    /// Learns the signature from the answers to a probe of a searchable form. `None` if all answers have results, or if
    /// answers without results contain no distinctive text.
    pub(super) fn learn(
        target: &ProbeTarget,
        mask: QueryMask,
        seen: &[(ProbeQuery, AnswerDigest)],
    ) -> Option<NoResultSignature> {
        let pages: Vec<(&ProbeQuery, &PageDigest)> = seen.iter().filter_map(page).collect();
        let results = with_results(&pages)?;
        let without = without_results(target, &pages);
        let (first, rest) = without.split_first()?;
        let is_distinctive = |one: &&u32| {
            results.shingles.binary_search(one).is_err()
                && rest.iter().all(|page| page.shingles.binary_search(one).is_ok())
        };
        let shingles: Vec<u32> = first.shingles.iter().filter(is_distinctive).copied().collect();
        (!shingles.is_empty()).then_some(NoResultSignature { mask, shingles })
    }

    /// True if a page contains at least three quarters of the signature. The share is a guess.
    pub fn matches(&self, page: &Page, query: &str) -> bool {
        let mut mask = self.mask.clone();
        mask.add(query);
        missing(&self.shingles, &shingles(&page.text, &mask)) * 4 <= self.shingles.len()
    }
}

fn page((query, seen): &(ProbeQuery, AnswerDigest)) -> Option<(&ProbeQuery, &PageDigest)> {
    match seen {
        AnswerDigest::Page(page) => Some((query, page)),
        AnswerDigest::Redirect(_) | AnswerDigest::Unusable | AnswerDigest::Confirmation => None,
    }
}

/// First answer with a result list or total, otherwise the answer to the frequent word.
fn with_results<'a>(pages: &[(&ProbeQuery, &'a PageDigest)]) -> Option<&'a PageDigest> {
    let full = || pages.iter().filter(|(_, page)| !page.has_no_results);
    let listed = full().find(|(_, page)| page.is_list || page.total > Some(0));
    listed.or_else(|| full().find(|(query, _)| **query == ProbeQuery::Word)).map(|(_, page)| *page)
}

/// Answers that state that nothing was found. Without any, the answers to nonsense words.
fn without_results<'a>(target: &ProbeTarget, pages: &[(&ProbeQuery, &'a PageDigest)]) -> Vec<&'a PageDigest> {
    let stated: Vec<&PageDigest> =
        pages.iter().map(|(_, page)| *page).filter(|page| page.has_no_results).collect();
    if !stated.is_empty() || matches!(target, ProbeTarget::Choice { .. }) {
        return stated;
    }
    let is_nonsense = |query: &ProbeQuery| matches!(query, ProbeQuery::Nonsense | ProbeQuery::SecondNonsense);
    pages.iter().filter(|(query, _)| is_nonsense(query)).map(|(_, page)| *page).collect()
}
