//! A harvest for the dashboard: queries, records, coverage.

use super::run::{ErrorCount, error_counts, real_time};
use super::values::{seconds, timestamp};
use super::watching::ControlView;
use crate::store::{Activity, HarvestEstimate, HarvestRow, QueryRow, RecordRow, Store, StoreError};
use hadal_core::address::Site;
use hadal_core::harvest::policy::{ReadingEnd, StatedTotal};
use serde::Serialize;
use utoipa::ToSchema;

/// A harvest with its counters.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct HarvestView {
    /// Number of the harvest in the store.
    pub harvest: u64,
    /// Id of the harvested form.
    pub form_id: String,
    /// Site of the form.
    pub site: String,
    /// Page of the form.
    pub page_url: String,
    /// Topic of the form; empty for a form given by URL.
    pub topic: String,
    /// Name of the policy.
    pub policy: String,
    /// Web of the form: "web", or the name of a simulated web.
    pub source: String,
    /// running, interrupted, stopped, budget (spent) or done.
    pub state: String,
    /// Reason for the end; null while it runs.
    pub ending: Option<String>,
    /// Requests sent or attempted.
    pub requests: u64,
    /// Bytes of bodies received.
    pub bytes: u64,
    /// Queries with answers that were read.
    pub queries: u64,
    /// HTML pages fetched so far.
    pub pages: u64,
    /// Distinct records found so far.
    pub records: u64,
    /// Steps that failed.
    pub failed: u64,
    /// Estimated number of records: lower bound, estimate, upper bound; `null` for no bound.
    pub size: Option<[Option<f64>; 3]>,
    /// Coverage from 0 to 1: lower bound, estimate, upper bound.
    pub coverage: Option<[f64; 3]>,
    /// Running time in seconds.
    pub elapsed_s: f64,
    /// Failures by kind, most frequent first.
    pub errors: Vec<ErrorCount>,
    /// Start; null on a simulated web: its clock starts in 1970.
    pub began_at: Option<String>,
    /// Time of the last step; null on a simulated web.
    pub last_at: Option<String>,
}

/// All data of a harvest's page except its lists.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct HarvestPage {
    pub harvest: HarvestView,
    /// Changes that a user requested: pause, stop, budget.
    pub control: ControlView,
    /// Next queries of the policy.
    pub next: Vec<String>,
}

/// A finished query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct QueryView {
    /// Number of the query in its harvest.
    pub number: u32,
    /// Query words and values.
    pub query: String,
    /// Kind of answer.
    pub kind: String,
    /// Total that the form stated.
    pub total: Option<u64>,
    /// True if the total is rounded.
    pub total_is_round: bool,
    /// Records in the result pages read.
    pub found: u32,
    /// Records that no earlier answer contained.
    pub new: u32,
    /// Result pages read.
    pub pages: u32,
    /// Requests sent so far.
    pub requests: u32,
    /// Why reading ended: last, left_off or failed.
    pub end: String,
    /// Time at which it ended.
    pub asked_at: String,
}

/// A downloaded record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecordView {
    /// Identity of the record within its harvest.
    pub record_id: String,
    /// Number of the harvest.
    pub harvest: u64,
    /// Id of the harvested form.
    pub form_id: String,
    /// URL of its detail page.
    pub url: Option<String>,
    /// Title of the record.
    pub title: String,
    /// Text on the result page.
    pub text: String,
    /// Fields as pairs of name and value.
    pub fields: Vec<[String; 2]>,
    /// Query that first returned it.
    pub query: String,
    /// Position in that answer, counted from 1.
    pub position: u32,
    /// Time at which the answer arrived.
    pub fetched_at: String,
    /// Last change of its text that a refresh saw.
    pub changed_at: Option<String>,
    /// Time at which a refresh found it gone.
    pub removed_at: Option<String>,
}

/// Harvest with its counters.
pub fn view(row: &HarvestRow) -> HarvestView {
    let (spec, counters) = (&row.spec, &row.counters);
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
        requests: counters.requests,
        bytes: counters.bytes,
        queries: counters.queries,
        pages: counters.pages,
        records: counters.records,
        failed: counters.failed,
        size: row.estimate.map(|known| known.size.map(finite)),
        coverage: row.estimate.map(|known| known.coverage),
        elapsed_s: seconds(row.progress.elapsed_ms),
        errors: error_counts(&counters.errors),
        began_at: real_time(row.began),
        last_at: real_time(row.progress.now),
    }
}

/// Harvest with all data of its page except lists.
pub fn page(store: &dyn Store, row: &HarvestRow) -> Result<HarvestPage, StoreError> {
    let control = store.control(Activity::Harvest(row.id))?.into();
    Ok(HarvestPage { harvest: view(row), control, next: row.upcoming.clone() })
}

/// Query for a list.
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

/// Record for a list.
pub fn record(row: &RecordRow) -> RecordView {
    let record = &row.record;
    RecordView {
        record_id: record.id.to_string(),
        harvest: row.harvest.0,
        form_id: row.form.to_string(),
        url: record.url.as_ref().map(|url| url.to_string()),
        title: record.title.clone(),
        text: record.text.clone(),
        fields: record.fields.iter().map(|(name, value)| [name.clone(), value.clone()]).collect(),
        query: row.words.clone(),
        position: row.position,
        fetched_at: timestamp(row.fetched_at),
        changed_at: row.dates.changed.map(timestamp),
        removed_at: row.dates.removed.map(timestamp),
    }
}

/// Coverage over all harvests together: interval for the share of records downloaded; unknown before the first harvest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Coverage {
    /// Most likely share of the database.
    pub estimate: Option<f64>,
    /// Lower end of the interval.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
}

impl Coverage {
    /// Mean coverage of the harvests with an estimate, weighted by estimated size. The bounds are the means of
    /// the bounds, as if all harvests erred in the same direction, so the interval is conservative.
    pub fn of(harvests: &[HarvestRow]) -> Coverage {
        let known: Vec<HarvestEstimate> = harvests.iter().filter_map(|harvest| harvest.estimate).collect();
        let size =
            |known: &HarvestEstimate| Some(known.size[1]).filter(|size| size.is_finite() && *size >= 1.0);
        let weights: Vec<f64> = known.iter().map(|known| size(known).unwrap_or(1.0)).collect();
        let all: f64 = weights.iter().sum();
        let mean = |part: usize| {
            let shares = known.iter().zip(&weights).map(|(known, weight)| known.coverage[part] * weight);
            (!known.is_empty()).then(|| shares.sum::<f64>() / all)
        };
        Coverage { estimate: mean(1), low: mean(0), high: mean(2) }
    }
}
