//! End of a query: policy, estimator, result cap and browse state learn from the complete answer.

use super::reading::AnswerReading;
use super::{FinishedQuery, HarvestSession, HarvestUpdate, SessionStage};
use crate::harvest::answer::request_key;
use crate::harvest::policy::{QueryOutcome, ReadingEnd, StatedTotal};
use crate::harvest::query::Query;

impl HarvestSession {
    /// Keeps reading an answer with pages left to fetch. Otherwise finishes its query.
    pub(super) fn continue_or_finish(
        &mut self,
        reading: Box<AnswerReading>,
        update: HarvestUpdate,
    ) -> HarvestUpdate {
        match reading.end.filter(|_| reading.details.is_empty()) {
            Some(end) => self.finish(*reading, end, update),
            None => {
                self.stage = SessionStage::Read(reading);
                update
            }
        }
    }

    fn finish(
        &mut self,
        mut reading: AnswerReading,
        end: ReadingEnd,
        update: HarvestUpdate,
    ) -> HarvestUpdate {
        if reading.query.after == 0 && reading.records.is_empty() && end == ReadingEnd::LastPage {
            self.answered_empty.insert(request_key(&self.entry_page.request_for(&reading.query)));
        }
        let facets = std::mem::take(&mut reading.facets);
        let next = self.paused.add(&reading, self.entry_page.lists_all());
        let hits = reading.hits();
        self.queries += 1;
        let outcome = reading.outcome(&hits);
        self.learn(&outcome);
        let has_learned = self.is_cut(&outcome) && self.browse.add_facets(&outcome, facets);
        let finished = FinishedQuery {
            number: reading.number,
            total: reading.total,
            hits: reading.ordered_ids(),
            new: reading.new_records(),
            pages: reading.own_pages(),
            end,
            next,
            query: reading.query,
        };
        HarvestUpdate { finished: Some(finished), needs_save: has_learned || update.needs_save, ..update }
    }

    /// True if the form shows fewer records than match the query, although all pages were read.
    fn is_cut(&self, outcome: &QueryOutcome<'_>) -> bool {
        let shown = u64::from(outcome.query.after) + outcome.hits.len() as u64;
        let at_cap = self.cap.value().is_some_and(|cap| shown >= u64::from(cap));
        let is_below_total = matches!(outcome.total, Some(StatedTotal::Exactly(total)) if total > shown);
        outcome.end == ReadingEnd::LastPage && (at_cap || is_below_total)
    }

    /// Learns from an answer. The policy sees the answer of a link without the words that the link narrows, because
    /// its size is unrelated to them.
    pub(super) fn learn(&mut self, outcome: &QueryOutcome<'_>) {
        self.recent.add(outcome);
        let has_words = outcome.query.link.is_none() && !outcome.query.words.trim().is_empty();
        self.answered_words += u32::from(has_words && outcome.query.after == 0 && !outcome.hits.is_empty());
        self.records_from_lists += if has_words { 0 } else { outcome.hits.len() as u64 };
        self.cap.learn(outcome);
        self.estimator.learn(outcome);
        self.browse.learn(outcome);
        match &outcome.query.link {
            Some(link) => {
                let query = Query::default().narrowed(link.clone());
                self.policy.learn(&QueryOutcome { query: &query, ..outcome.clone() });
            }
            None => self.policy.learn(outcome),
        }
    }
}
