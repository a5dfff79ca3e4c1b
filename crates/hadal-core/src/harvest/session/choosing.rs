//! Before each query: ends the harvest if it is complete, or chooses and starts the next query.

use super::completion::{CompletionState, Prospects};
use super::form_reader::FormReader;
use super::query_sources::{HarvestProgress, QuerySources};
use super::search_check::SearchCheck;
use super::{HarvestEnding, HarvestSession, SessionStage};
use crate::harvest::policy::{QueryOutcome, ReadingEnd};
use crate::harvest::query::Query;
use crate::harvest::structured::{SearchInputs, StructuredPolicy};
use crate::http::Request;

/// Maximum number of queries that one call of `choose` may skip because an earlier identical request returned no
/// record. Guess; bounds the loop.
const MAX_SKIPPED_QUERIES: usize = 4_096;

impl HarvestSession {
    /// Ends the harvest if it is complete or has no query left. Otherwise starts the next query.
    pub(super) fn choose(&mut self) -> SessionStage {
        if let Some(page) = self.sources.look_around(&self.progress()) {
            return SessionStage::LookAround(Box::new(Request::get(page)));
        }
        // A list of all records that was read in part is continued first.
        let is_list = self.entry_page.lists_all() && !self.options.is_enough(self.record_count());
        let list = self.sources.paused.list_continuation().filter(|_| is_list && !self.sources.is_refresh);
        if let Some(ending) = self.completion().filter(|_| !self.sources.is_refresh && list.is_none()) {
            match ending {
                HarvestEnding::SameAnswers => return self.read_as_list(),
                ending => return SessionStage::Ended(ending),
            }
        }
        let Some(query) = list.or_else(|| self.next_query()) else {
            let has_failed = self.sources.policy.has_failed();
            let ending = if has_failed { HarvestEnding::PolicyFailed } else { HarvestEnding::NothingLeft };
            return SessionStage::Ended(ending);
        };
        SessionStage::Read(Box::new(self.sources.start(self.queries + 1, query, &self.entry_page)))
    }

    /// Reads the list of all records if the form, which does not search, answers with one. Otherwise the harvest ends.
    pub(super) fn read_as_list(&mut self) -> SessionStage {
        if self.entry_page.ignores_words() || !self.search_check.lists_records() {
            return SessionStage::Ended(HarvestEnding::SameAnswers);
        }
        self.ignore_words();
        // All answers show the first records of the list, so that the reader took them for furniture.
        self.reader = FormReader::new();
        self.search_check = SearchCheck::default();
        self.completion = CompletionState::default();
        self.choose()
    }

    /// Sends no words from now on, because the server ignores them. A refresh keeps its own queries.
    pub(super) fn ignore_words(&mut self) {
        self.entry_page.ignore_words();
        if !self.sources.is_refresh {
            let whole_list = StructuredPolicy::new(SearchInputs::default());
            self.sources = QuerySources::new(Box::new(whole_list), self.options.details);
        }
    }

    /// Returns the ending if the harvest is complete.
    fn completion(&self) -> Option<HarvestEnding> {
        let progress = self.progress();
        let prospects = Prospects {
            records: progress.records,
            expected_yield: self.sources.expected_yield(&progress),
            has_browse_query: self.sources.browse_query(&progress).is_some(),
            has_opening_words: self.sources.has_opening_words(&progress),
        };
        self.completion.ending(&self.options, &self.search_check, &prospects)
    }

    /// Next query whose request was not already answered without a record. Queries that were are skipped: the sources
    /// learn an empty answer for them, and nothing is sent. Skipped queries do not count for completion.
    fn next_query(&mut self) -> Option<Query> {
        for _ in 0..MAX_SKIPPED_QUERIES {
            let query = self.sources.next_query(&self.progress())?;
            if !self.sources.is_answered_empty(&query, &self.entry_page) {
                return Some(query);
            }
            let (hits, total, end) = (&[], None, ReadingEnd::LastPage);
            self.sources.learn(&QueryOutcome { query: &query, hits, total, pages: 0, end });
        }
        None
    }

    fn progress(&self) -> HarvestProgress {
        let estimate = self.completion.estimate(false);
        HarvestProgress {
            queries: self.queries,
            records: self.record_count(),
            unseen: estimate.map(|estimate| (1.0 - estimate.coverage.estimate).max(0.0)),
            recent_yield: self.completion.recent_yield(),
            takes_words: self.entry_page.takes_words(),
        }
    }
}
