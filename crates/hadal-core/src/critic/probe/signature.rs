//! What an answer without results looks like at one form: learned once, used by every later query.

use super::Question;
use super::glimpse::{Glimpse, Mask, missing, shingles};
use super::judge::Seen;
use super::target::Target;
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
    /// Learns from what a probe saw at a form that searches; `None` when no answer was without results,
    /// or such answers have no words of their own.
    pub(super) fn learn(target: &Target, mask: Mask, seen: &[(Question, Seen)]) -> Option<NoResult> {
        let pages: Vec<(&Question, &Glimpse)> = seen.iter().filter_map(page).collect();
        let results = with_results(&pages)?;
        let without = without_results(target, &pages);
        let (first, rest) = without.split_first()?;
        let is_own = |one: &&u32| {
            results.shingles.binary_search(one).is_err()
                && rest.iter().all(|page| page.shingles.binary_search(one).is_ok())
        };
        let own: Vec<u32> = first.shingles.iter().filter(is_own).copied().collect();
        (!own.is_empty()).then_some(NoResult { mask, own })
    }

    /// Whether a page that answers a query says that nothing was found.
    pub fn fits(&self, page: &Page, query: &str) -> bool {
        let mut mask = self.mask.clone();
        mask.add(query);
        missing(&self.own, &shingles(&page.text, &mask)) * 4 <= self.own.len()
    }
}

fn page((question, seen): &(Question, Seen)) -> Option<(&Question, &Glimpse)> {
    match seen {
        Seen::Page(page) => Some((question, page)),
        Seen::Elsewhere(_) | Seen::Nothing | Seen::Thanks => None,
    }
}

/// The answer that shows results most plainly.
fn with_results<'a>(pages: &[(&Question, &'a Glimpse)]) -> Option<&'a Glimpse> {
    let full = || pages.iter().filter(|(_, page)| !page.is_empty);
    let listed = full().find(|(_, page)| page.is_list || page.total > Some(0));
    listed.or_else(|| full().find(|(question, _)| **question == Question::Word)).map(|(_, page)| *page)
}

/// The answers that say that nothing was found; if none does, those to nonsense, which no select offers.
fn without_results<'a>(target: &Target, pages: &[(&Question, &'a Glimpse)]) -> Vec<&'a Glimpse> {
    let stated: Vec<&Glimpse> = pages.iter().map(|(_, page)| *page).filter(|page| page.is_empty).collect();
    if !stated.is_empty() || matches!(target, Target::Choice { .. }) {
        return stated;
    }
    let is_nonsense = |question: &Question| matches!(question, Question::Nonsense | Question::MoreNonsense);
    pages.iter().filter(|(question, _)| is_nonsense(question)).map(|(_, page)| *page).collect()
}
