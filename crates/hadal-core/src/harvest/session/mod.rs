//! A harvest of one form: decides which request to send next and learns from the response.
//!
//! The session does no IO. Its caller alternates [`HarvestSession::next_request`] and [`HarvestSession::receive`],
//! sends the requests and stores the updates. A query takes this path:
//!
//! 1. **Open** (`opening`): fetch the entry page for valid hidden values and browse lists ([`EntryPage`]).
//! 2. **Calibration query** (`opening`): send a query that matches nothing, to learn how an answer without results
//!    looks. A harvest that is resumed skips it.
//! 3. **Complete?** (`completion`): before each query, `CompletionState::ending` decides whether the harvest is
//!    complete: enough records, enough coverage, or too few new records per request.
//! 4. **Choose** (`choosing`): `QuerySources` returns the next link of a browse list, the policy's query, or a facet. A
//!    paused answer (`paused`) is continued at its next page.
//! 5. **Send** and **receive** (`receiving`, `reading`): `FormReader` reads the answer page by page for as long as the
//!    policy wants the next page, and `FoundRecords` identifies its records. Then fetch the detail pages of new
//!    records, if they are worth it (`details`).
//! 6. **Learn** (`receiving`): completion state and query sources learn from the answer. Continue with step 3.
//!
//! [`HarvestEnding`] lists all endings. Apart from step 3, a harvest ends when no query is left (`choosing`),
//! after repeated failures (`receiving`, `ending`), when the form turns out not to search (`receiving`,
//! `search_check`), or when the caller ends it.
//!
//! To resume a harvest, create a new session, [`HarvestSession::restore`] its saved state and
//! [`HarvestSession::replay`] the finished queries in order.

mod choosing;
mod completion;
mod content_identity;
mod details;
mod ending;
mod entry_page;
mod exchange;
mod form_reader;
mod found_records;
mod guarded_policy;
mod lookup;
mod opening;
mod opening_words;
mod page_size;
mod paused;
mod query_sources;
mod reading;
mod receiving;
mod redirects;
mod search_check;
mod surroundings;

pub use details::DetailMode;
pub use ending::HarvestEnding;
pub use entry_page::EntryPage;
pub use exchange::{FinishedQuery, HarvestUpdate, ParsedResponse, RequestPurpose};
pub use opening_words::OpeningWords;

use super::browse::SavedBrowseState;
use super::estimate::{EstimateEvidence, SizeEstimate};
use super::policy::{Policy, QueryOutcome};
use super::query::Query;
use crate::http::Request;
use crate::page::Page;
use crate::submission::sent_from;
use completion::CompletionState;
use details::DetailPages;
use ending::FailureStreak;
use form_reader::FormReader;
use found_records::FoundRecords;
use opening::CalibrationQuery;
use page_size::PageSizeTrial;
use query_sources::QuerySources;
use reading::AnswerReading;
use redirects::FollowedRequest;
use search_check::SearchCheck;
use std::time::Duration;

/// Targets of a harvest and its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct HarvestOptions {
    /// Coverage from 0 to 1 at which the harvest is complete.
    pub coverage: f64,
    /// Number of records at which the harvest is complete.
    pub records: Option<u64>,
    /// Selects the records for which detail pages are fetched.
    pub details: DetailMode,
    /// Seed of random choices.
    pub seed: u64,
}

impl HarvestOptions {
    /// Returns true if this number of records completes the harvest.
    fn is_enough(&self, records: u64) -> bool {
        self.records.is_some_and(|wanted| records >= wanted)
    }
}

/// State of a harvest in progress.
pub struct HarvestSession {
    options: HarvestOptions,
    entry_page: EntryPage,
    entry_request: FollowedRequest,
    reader: FormReader,
    sources: QuerySources,
    records: FoundRecords,
    details: DetailPages,
    search_check: SearchCheck,
    page_size: PageSizeTrial,
    completion: CompletionState,
    failures: FailureStreak,
    /// Time between two searches that the site asked for.
    search_interval: Option<Duration>,
    /// Number of finished queries, earlier sessions included.
    queries: u32,
    stage: SessionStage,
}

/// Next step of a session.
enum SessionStage {
    /// Fetch the entry page.
    Open,
    /// Fetch the entry page again before the query of this reading is repeated.
    Reopen(Box<AnswerReading>),
    Calibrate(Box<CalibrationQuery>),
    /// Fetch another page of the site for its words.
    LookAround(Box<Request>),
    Choose,
    /// Fetch a page of this answer, or a detail page of its records once `AnswerReading::end` is set.
    Read(Box<AnswerReading>),
    Ended(HarvestEnding),
}

impl HarvestSession {
    /// Creates a session that has sent nothing yet.
    pub fn new(
        mut entry_page: EntryPage,
        policy: Box<dyn Policy>,
        options: HarvestOptions,
    ) -> HarvestSession {
        entry_page.choose_largest_pages();
        HarvestSession {
            entry_request: FollowedRequest::new(Request::get(entry_page.page().clone())),
            entry_page,
            reader: FormReader::new(),
            sources: QuerySources::new(policy, options.details),
            records: FoundRecords::default(),
            details: DetailPages::new(options.details),
            search_check: SearchCheck::default(),
            page_size: PageSizeTrial::default(),
            completion: CompletionState::default(),
            failures: FailureStreak::default(),
            search_interval: None,
            queries: 0,
            stage: SessionStage::Open,
            options,
        }
    }

    /// Turns the session into one that refreshes a harvest: it sends the policy's queries until none is left,
    /// follows no other links, and returns every record once, as new.
    pub fn refreshing(mut self) -> HarvestSession {
        self.sources.is_refresh = true;
        self
    }

    /// Opens the form with an entry page that the caller has just fetched, instead of a request of this session.
    pub fn open_with(&mut self, page: &Page) {
        if let SessionStage::Open = self.stage {
            self.stage = self.open(Some(page));
        }
    }

    /// Returns the next request and its purpose, or `None` once the harvest has ended. Returns the same request until
    /// its response is received.
    pub fn next_request(&mut self) -> Option<(Request, RequestPurpose)> {
        if let SessionStage::Choose = self.stage {
            self.stage = self.choose();
        }
        match &self.stage {
            SessionStage::Open | SessionStage::Reopen(_) => {
                Some(self.entry_request.with_purpose(RequestPurpose::EntryPage))
            }
            SessionStage::Calibrate(sent) => Some(sent.request.with_purpose(RequestPurpose::Calibration)),
            SessionStage::LookAround(request) => Some((Request::clone(request), RequestPurpose::Link)),
            SessionStage::Read(reading) => {
                let (request, purpose) = reading.next_request()?;
                match purpose.submits() {
                    true => Some((sent_from(request, self.entry_page.page()), purpose)),
                    false => Some((request, purpose)),
                }
            }
            SessionStage::Choose | SessionStage::Ended(_) => None,
        }
    }

    /// Processes the response to the last request.
    pub fn receive(&mut self, response: ParsedResponse) -> HarvestUpdate {
        let update = match std::mem::replace(&mut self.stage, SessionStage::Choose) {
            SessionStage::Open => self.receive_entry_page(None, &response),
            SessionStage::Reopen(reading) => self.receive_entry_page(Some(reading), &response),
            SessionStage::Calibrate(sent) => self.receive_calibration(sent, &response),
            SessionStage::LookAround(_) => {
                self.sources.add_surroundings(&response);
                HarvestUpdate::default()
            }
            SessionStage::Read(reading) if reading.end.is_some() => self.receive_detail(reading, response),
            SessionStage::Read(reading) => self.receive_result_page(reading, &response),
            SessionStage::Choose => HarvestUpdate::default(),
            SessionStage::Ended(ending) => {
                self.stage = SessionStage::Ended(ending);
                HarvestUpdate::default()
            }
        };
        let is_search = update.finished.as_ref().is_some_and(|finished| finished.query.link.is_none());
        let wait = update.wait.or(self.search_interval.filter(|_| is_search));
        HarvestUpdate { wait, ..update }
    }

    /// Ends the harvest for a reason that the caller knows, such as robots.txt.
    pub fn end_with(&mut self, ending: HarvestEnding) {
        self.stage = SessionStage::Ended(ending);
    }

    /// Returns the ending, or `None` while the harvest is in progress.
    pub fn ending(&self) -> Option<HarvestEnding> {
        match self.stage {
            SessionStage::Ended(ending) => Some(ending),
            _ => None,
        }
    }

    /// Learns from a query of an earlier session. `next` is the request for the next page of a paused answer. Queries
    /// must be replayed in their order.
    pub fn replay(&mut self, outcome: &QueryOutcome<'_>, next: Option<Request>) {
        self.queries += 1;
        self.sources.paused.replay(outcome, next);
        self.records.restore(outcome.hits);
        self.learn(outcome);
    }

    /// Restores the state that an earlier session saved. Call it before [`HarvestSession::replay`].
    pub fn restore(&mut self, saved: &[u8]) {
        let Ok((reader, rest)) = postcard::take_from_bytes(saved) else { return };
        // Older versions saved the reader alone, or without that of data.
        let browse = postcard::take_from_bytes(rest).ok();
        let data_reader = browse.map(|(browse, rest)| {
            self.sources.browse.restore(browse);
            let (data_reader, rest) = postcard::take_from_bytes(rest).unwrap_or_default();
            let (ignores_words, rest) = postcard::take_from_bytes(rest).unwrap_or_default();
            if ignores_words {
                self.ignore_words();
            }
            if let Ok(Some(parameter)) = postcard::from_bytes(rest) {
                self.entry_page.set_page_size(parameter);
            }
            data_reader
        });
        self.reader.restore(reader, data_reader);
    }

    /// Restores only the answer readers of what another session saved, for queries of its own.
    pub fn restore_readers(&mut self, saved: &[u8]) {
        let Ok((reader, rest)) = postcard::take_from_bytes(saved) else { return };
        let after_browse = postcard::take_from_bytes::<SavedBrowseState>(rest).ok().map(|(_, rest)| rest);
        let data_reader = after_browse.and_then(|rest| postcard::take_from_bytes(rest).ok());
        self.reader.restore(reader, data_reader.map(|(data_reader, _)| data_reader));
    }

    /// Serialises what replayed queries do not restore: the answer readers, the browse state, the fact that the server
    /// ignores words, and the page size.
    pub fn save(&self) -> Vec<u8> {
        let (reader, data_reader) = self.reader.saved();
        postcard::to_allocvec(&(
            reader,
            self.sources.browse.save(),
            data_reader,
            self.entry_page.ignores_words(),
            self.entry_page.page_size(),
        ))
        .unwrap_or_default()
    }

    /// Returns the size estimate. If no query is left and nothing was estimated, the form's stated total counts.
    pub fn estimate(&self) -> Option<SizeEstimate> {
        self.completion.estimate(matches!(self.stage, SessionStage::Ended(HarvestEnding::NothingLeft)))
    }

    /// Returns the evidence behind the size estimate, for the log.
    pub fn estimate_evidence(&self) -> EstimateEvidence {
        self.completion.evidence()
    }

    /// Returns the number of distinct records found so far.
    pub fn record_count(&self) -> u64 {
        self.records.count()
    }

    /// Returns at most `most` candidates for the next query, best first, each with its expected new records.
    pub fn top_queries(&self, most: usize) -> Vec<(Query, f64)> {
        self.sources.policy.top_queries(&self.sources.costs(), most)
    }
}
