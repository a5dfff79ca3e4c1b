//! A harvest as people watch it: what was asked, what came up, what is still missing.

use super::run::{ErrorCount, error_counts};
use super::values::{seconds, timestamp};
use super::watching::ControlView;
use crate::store::{HarvestRow, QueryRow, RecordRow, Store, StoreError};
use hadal_core::address::Site;
use hadal_core::harvest::policy::{ReadingEnd, StatedTotal};
use serde::Serialize;
use utoipa::ToSchema;

/// A harvest and what it counted.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct HarvestView {
    /// Its number.
    pub harvest: u64,
    /// The form that is asked.
    pub form_id: String,
    /// Its site.
    pub site: String,
    /// The page it stands on.
    pub page_url: String,
    /// The topic it was found for; empty for a form that somebody named.
    pub topic: String,
    /// Which policy asks.
    pub policy: String,
    /// Where answers come from.
    pub source: String,
    /// running, stopped, budget (spent) or done.
    pub state: String,
    /// Why it ended, once it has.
    pub ending: Option<String>,
    /// Requests sent or attempted.
    pub requests: u64,
    /// Bytes of body received.
    pub bytes: u64,
    /// Queries that ended.
    pub queries: u64,
    /// Pages read.
    pub pages: u64,
    /// Distinct records.
    pub records: u64,
    /// Steps that failed.
    pub failed: u64,
    /// How many records there are: low, best guess, high; `null` where there is no end in sight.
    pub size: Option<[Option<f64>; 3]>,
    /// Share of them that came up, from 0 to 1: low, best guess, high.
    pub coverage: Option<[f64; 3]>,
    /// Seconds spent running.
    pub elapsed_s: f64,
    /// Failures by kind, the most frequent first.
    pub errors: Vec<ErrorCount>,
}

/// A harvest with all that a page about it shows.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct HarvestPage {
    /// The harvest.
    pub harvest: HarvestView,
    /// What people asked of it.
    pub control: ControlView,
    /// What would be asked next.
    pub next: Vec<String>,
}

/// A query that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct QueryView {
    /// Its number within the harvest.
    pub number: u32,
    /// What was asked.
    pub query: String,
    /// What sort of answer came.
    pub kind: String,
    /// How many records the form says there are.
    pub total: Option<u64>,
    /// Whether that is a round number.
    pub total_is_round: bool,
    /// Records in the answer, as far as it was read.
    pub found: u32,
    /// Of those, how many no answer before it held.
    pub new: u32,
    /// Pages that were read.
    pub pages: u32,
    /// Requests it cost.
    pub requests: u32,
    /// Why no more was read: last, left_off or failed.
    pub end: String,
    /// When it ended.
    pub asked_at: String,
}

/// A record that came up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecordView {
    /// Its identity.
    pub record_id: String,
    /// Where its own page is.
    pub url: Option<String>,
    /// What it is called.
    pub title: String,
    /// Everything the answer says about it.
    pub text: String,
    /// What it says as name and value.
    pub fields: Vec<[String; 2]>,
    /// The query that first brought it up.
    pub query: String,
    /// Its place in that answer, the first being 1.
    pub position: u32,
    /// When the answer came.
    pub fetched_at: String,
}

/// A harvest and what it counted.
pub fn view(row: &HarvestRow) -> HarvestView {
    let (spec, tally) = (&row.spec, &row.tally);
    let finite = |part: f64| Some(part).filter(|part| part.is_finite());
    HarvestView {
        harvest: row.id.0,
        form_id: spec.form.to_string(),
        site: Site::of(&spec.page).to_string(),
        page_url: spec.page.to_string(),
        topic: spec.topic.clone(),
        policy: spec.policy.clone(),
        source: spec.source.clone(),
        state: row.progress.state.name().to_string(),
        ending: row.progress.ending.clone(),
        requests: tally.requests,
        bytes: tally.bytes,
        queries: tally.queries,
        pages: tally.pages,
        records: tally.records,
        failed: tally.failed,
        size: row.estimate.map(|known| known.size.map(finite)),
        coverage: row.estimate.map(|known| known.coverage),
        elapsed_s: seconds(row.progress.elapsed_ms),
        errors: error_counts(&tally.errors),
    }
}

/// Everything that a page about a harvest shows, but for its lists.
pub fn page(store: &dyn Store, row: &HarvestRow) -> Result<HarvestPage, StoreError> {
    let control = store.harvest_control(row.id)?.into();
    Ok(HarvestPage { harvest: view(row), control, next: store.outlook(row.id)? })
}

/// A query that was asked.
pub fn query(row: &QueryRow) -> QueryView {
    QueryView {
        number: row.number,
        query: row.words.clone(),
        kind: row.kind.clone(),
        total: row.total.map(StatedTotal::count),
        total_is_round: matches!(row.total, Some(StatedTotal::About(_))),
        found: row.found,
        new: row.new,
        pages: row.pages,
        requests: row.requests,
        end: end_name(row.end).to_string(),
        asked_at: timestamp(row.at),
    }
}

fn end_name(end: ReadingEnd) -> &'static str {
    match end {
        ReadingEnd::LastPage => "last",
        ReadingEnd::Paused => "left_off",
        ReadingEnd::Failed => "failed",
    }
}

/// A record that came up.
pub fn record(row: &RecordRow) -> RecordView {
    let record = &row.record;
    RecordView {
        record_id: record.id.to_string(),
        url: record.url.as_ref().map(|url| url.to_string()),
        title: record.title.clone(),
        text: record.text.clone(),
        fields: record.fields.iter().map(|(name, value)| [name.clone(), value.clone()]).collect(),
        query: row.words.clone(),
        position: row.position,
        fetched_at: timestamp(row.fetched_at),
    }
}
