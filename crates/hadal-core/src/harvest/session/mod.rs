//! A harvest of one form: decides which request to send next and learns from the response.
//!
//! The session does no IO. Its caller alternates [`HarvestSession::next_request`] and [`HarvestSession::receive`],
//! sends the requests and stores the updates. A query takes this path:
//!
//! 1. **Open** (`opening`): fetch the entry page for valid hidden values and browse lists ([`EntryPage`]).
//! 2. **Calibration query** (`opening`): send a query that matches nothing, to learn how an answer without results
//!    looks. A harvest that is resumed skips it.
//! 3. **Complete?** (`completion`): before each query, `HarvestSession::completion` decides whether the harvest is
//!    complete: enough records, enough coverage, or too few new records per request.
//! 4. **Choose** (`choosing`): take the next link of a browse list, the policy's query, or a facet. A paused answer
//!    (`paused`) is continued at its next page.
//! 5. **Send** and **receive** (`receiving`, `reading`): read the answer page by page for as long as the policy
//!    wants the next page. Then fetch the detail pages of new records, if they are worth it (`details`).
//! 6. **Learn** (`learning`): policy, size estimator, result cap and browse state learn from the answer. Continue
//!    with step 3.
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
mod learning;
mod lookup;
mod opening;
mod opening_words;
mod paused;
mod reading;
mod receiving;
mod search_check;

pub use details::DetailMode;
pub use ending::HarvestEnding;
pub use entry_page::EntryPage;
pub use exchange::{FinishedQuery, HarvestUpdate, ParsedResponse, RequestPurpose};
pub use opening_words::OpeningWords;

use super::answer::{AnswerReader, DataReader, NearDuplicates};
use super::browse::BrowseState;
use super::estimate::{EstimateEvidence, SizeEstimate, SizeEstimator};
use super::policy::result_cap::ResultCap;
use super::policy::{Policy, QueryOutcome};
use super::query::Query;
use super::record::RecordId;
use crate::address::LinkId;
use crate::http::Request;
use crate::submission::sent_from;
use completion::RecentYield;
use content_identity::ContentIdentity;
use details::DetailPageCheck;
use ending::FailureStreak;
use lookup::LookupRecords;
use opening::CalibrationQuery;
use paused::PausedReadings;
use reading::AnswerReading;
use rustc_hash::FxHashSet;
use search_check::SearchCheck;
use std::time::Duration;

/// Answers with results from which the reader learns the layout of result pages. Guess.
const READER_SAMPLES: u32 = 6;
/// Maximum number of answers from which the reader learns, those without results included. Guess.
const MAX_READER_SAMPLES: u32 = 40;

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

/// State of a harvest in progress.
pub struct HarvestSession {
    entry_page: EntryPage,
    /// Request for the entry page, or for the target of its last redirect, and the number of these redirects.
    entry_request: (Request, u8),
    options: HarvestOptions,
    reader: AnswerReader,
    /// Reader of answers that are data.
    data_reader: DataReader,
    /// Answers from which the reader has learned.
    reader_samples: u32,
    /// Answers with results among them.
    result_samples: u32,
    policy: Box<dyn Policy>,
    /// The policy kept continuing answers that the session does not hold, and is not asked again.
    policy_failed: bool,
    browse: BrowseState,
    opening_words: OpeningWords,
    /// Text of the entry page.
    entry_text: String,
    /// Keys of requests for first pages that were answered without a record.
    answered_empty: FxHashSet<u64>,
    paused: PausedReadings,
    estimator: SizeEstimator,
    cap: ResultCap,
    /// Greatest number of records seen on one page of a longer answer.
    page_size: u32,
    known: FxHashSet<RecordId>,
    near_duplicates: NearDuplicates,
    content_identity: ContentIdentity,
    lookups: LookupRecords,
    search_check: SearchCheck,
    /// HTTP status of the answer to the calibration query.
    empty_answer_status: u16,
    details: DetailPageCheck,
    /// Detail pages that were queued.
    detail_urls: FxHashSet<LinkId>,
    /// Number of finished queries, earlier sessions included.
    queries: u32,
    recent: RecentYield,
    /// Finished queries with words that had records.
    answered_words: u32,
    /// Records that links and the query without words listed.
    records_from_lists: u64,
    failures: FailureStreak,
    /// Time between two searches that the site asked for.
    search_interval: Option<Duration>,
    /// The session sends the policy's queries only, until none is left.
    is_refresh: bool,
    stage: SessionStage,
}

/// Next step of a session.
enum SessionStage {
    /// Fetch the entry page.
    Open,
    /// Fetch the entry page again before the query of this reading is repeated.
    Reopen(Box<AnswerReading>),
    Calibrate(Box<CalibrationQuery>),
    Choose,
    /// Fetch a page of this answer, or a detail page of its records once `AnswerReading::end` is set.
    Read(Box<AnswerReading>),
    Ended(HarvestEnding),
}

impl HarvestSession {
    /// Creates a session that has sent nothing yet.
    pub fn new(entry_page: EntryPage, policy: Box<dyn Policy>, options: HarvestOptions) -> HarvestSession {
        HarvestSession {
            entry_request: (Request::get(entry_page.page().clone()), 0),
            entry_page,
            options,
            reader: AnswerReader::default(),
            data_reader: DataReader::default(),
            reader_samples: 0,
            result_samples: 0,
            policy,
            policy_failed: false,
            browse: BrowseState::default(),
            opening_words: OpeningWords::default(),
            entry_text: String::new(),
            answered_empty: FxHashSet::default(),
            paused: PausedReadings::default(),
            estimator: SizeEstimator::default(),
            cap: ResultCap::default(),
            page_size: 0,
            known: FxHashSet::default(),
            near_duplicates: NearDuplicates::default(),
            content_identity: ContentIdentity::default(),
            lookups: LookupRecords::default(),
            search_check: SearchCheck::default(),
            empty_answer_status: 200,
            details: DetailPageCheck::default(),
            detail_urls: FxHashSet::default(),
            queries: 0,
            recent: RecentYield::default(),
            answered_words: 0,
            records_from_lists: 0,
            failures: FailureStreak::default(),
            search_interval: None,
            is_refresh: false,
            stage: SessionStage::Open,
        }
    }

    /// Turns the session into one that refreshes a harvest: it sends the policy's queries until none is left,
    /// follows no other links, and returns every record once, as new.
    pub fn refreshing(self) -> HarvestSession {
        HarvestSession { is_refresh: true, ..self }
    }

    /// Returns the next request and its purpose, or `None` once the harvest has ended. Returns the same request until
    /// its response is received.
    pub fn next_request(&mut self) -> Option<(Request, RequestPurpose)> {
        if let SessionStage::Choose = self.stage {
            self.stage = self.choose();
        }
        match &self.stage {
            SessionStage::Open | SessionStage::Reopen(_) => {
                let (request, redirects) = &self.entry_request;
                Some((request.clone(), RequestPurpose::EntryPage.after(*redirects, request)))
            }
            SessionStage::Calibrate(sent) => {
                let purpose = RequestPurpose::Calibration.after(sent.redirects, &sent.request);
                Some((sent.request.clone(), purpose))
            }
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
        let update = self.receive_response(response);
        let is_search = update.finished.as_ref().is_some_and(|finished| finished.query.link.is_none());
        let wait = update.wait.or(self.search_interval.filter(|_| is_search));
        HarvestUpdate { wait, ..update }
    }

    fn receive_response(&mut self, response: ParsedResponse) -> HarvestUpdate {
        match std::mem::replace(&mut self.stage, SessionStage::Choose) {
            SessionStage::Open => self.receive_entry_page(response),
            SessionStage::Reopen(reading) => self.receive_entry_page_again(reading, response),
            SessionStage::Calibrate(sent) => self.receive_calibration(sent, response),
            SessionStage::Read(reading) if reading.end.is_some() => self.receive_detail(reading, response),
            SessionStage::Read(reading) => self.receive_result_page(reading, response),
            SessionStage::Choose => HarvestUpdate::default(),
            SessionStage::Ended(ending) => {
                self.stage = SessionStage::Ended(ending);
                HarvestUpdate::default()
            }
        }
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
        self.paused.replay(outcome, next);
        for hit in outcome.hits {
            self.known.insert(hit.id);
        }
        self.learn(outcome);
    }

    /// Restores the state that an earlier session saved. Call it before [`HarvestSession::replay`].
    pub fn restore(&mut self, saved: &[u8]) {
        if let Ok((reader, rest)) = postcard::take_from_bytes(saved) {
            self.reader = reader;
            (self.reader_samples, self.result_samples) = (READER_SAMPLES, READER_SAMPLES);
            // Older versions saved the reader alone, or without that of data.
            if let Ok((browse, rest)) = postcard::take_from_bytes(rest) {
                self.browse.restore(browse);
                self.data_reader = postcard::from_bytes(rest).unwrap_or_default();
            }
        }
    }

    /// Serialises the answer readers and the browse state, which replayed queries do not restore.
    pub fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&(&self.reader, self.browse.save(), &self.data_reader)).unwrap_or_default()
    }

    /// Returns the size estimate. If no query is left and nothing was estimated, the form's stated total counts.
    pub fn estimate(&self) -> Option<SizeEstimate> {
        let has_no_queries = matches!(self.stage, SessionStage::Ended(HarvestEnding::NothingLeft));
        self.estimator.estimate().or_else(|| self.estimator.by_stated_total().filter(|_| has_no_queries))
    }

    /// Returns the evidence behind the size estimate, for the log.
    pub fn estimate_evidence(&self) -> EstimateEvidence {
        self.estimator.evidence()
    }

    /// Returns the number of distinct records found so far.
    pub fn record_count(&self) -> u64 {
        self.known.len() as u64
    }

    /// Returns at most `most` candidates for the next query, best first, each with its expected new records.
    pub fn top_queries(&self, most: usize) -> Vec<(Query, f64)> {
        self.policy_candidates(&self.costs(), most)
    }
}
