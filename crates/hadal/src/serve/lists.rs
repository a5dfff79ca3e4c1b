//! Lists across runs and harvests: sites, submissions, records.

use super::error::ApiError;
use super::extract::{Number, UrlParams, limit};
use super::forms::form_id;
use super::harvests::record_id;
use super::state::AppState;
use crate::report::harvest::{RecordView, record};
use crate::report::lists::{SiteView, SubmissionView, site_view, submission_view};
use crate::store::{HarvestId, HarvestRowCursor, HarvestRowQuery, RunId, SiteQuery, SubmissionQuery};
use axum::Json;
use axum::extract::State;
use hadal_core::address::Site;
use hadal_core::harvest::record::RecordId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Filter of the sites.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SiteParams {
    /// Only sites of this run.
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    run: Option<Number>,
    /// Only sites of runs of this topic.
    topic: Option<String>,
    /// Only this site.
    site: Option<String>,
    /// Maximum number of rows.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Sites, most relevant forms first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SiteList {
    sites: Vec<SiteView>,
    /// True if there are more sites.
    or_more: bool,
}

/// Sites visited by crawls, those with most relevant forms first.
#[utoipa::path(get, path = "/api/sites", operation_id = "list_sites", tag = "sites", params(SiteParams),
    responses((status = 200, body = SiteList)))]
pub async fn sites(
    State(state): State<Arc<AppState>>,
    UrlParams(params): UrlParams<SiteParams>,
) -> Result<Json<SiteList>, ApiError> {
    let limit = limit(params.limit)?;
    let query = SiteQuery {
        run: params.run.map(|run| RunId(run.0)),
        topic: params.topic,
        site: params.site.map(Site),
        limit: Some(limit + 1),
        ..SiteQuery::default()
    };
    let rows = state.read(move |store| store.sites(&query)).await?;
    let or_more = rows.len() > limit;
    Ok(Json(SiteList { sites: rows.iter().take(limit).map(site_view).collect(), or_more }))
}

/// Filter of the audit log.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SubmissionParams {
    /// Only submissions of this run.
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    run: Option<Number>,
    /// Only submissions of this harvest.
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    harvest: Option<Number>,
    /// Only submissions for this topic.
    topic: Option<String>,
    /// Cursor: `next` of the previous page.
    #[param(pattern = "^[cp]-?[0-9]{1,18}$")]
    after: Option<String>,
    /// Maximum number of rows.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Submissions, oldest first; those of users last.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubmissionList {
    submissions: Vec<SubmissionView>,
    /// Cursor for the next page.
    next: Option<String>,
}

/// Audit log: every submission of a form. Entries outlive the run or harvest that made them.
#[utoipa::path(get, path = "/api/submissions", operation_id = "list_submissions", tag = "submissions",
    params(SubmissionParams), responses((status = 200, body = SubmissionList)))]
pub async fn submissions(
    State(state): State<Arc<AppState>>,
    UrlParams(params): UrlParams<SubmissionParams>,
) -> Result<Json<SubmissionList>, ApiError> {
    let after = params.after.as_deref().map(str::parse).transpose();
    let query = SubmissionQuery {
        run: params.run.map(|run| RunId(run.0)),
        harvest: params.harvest.map(|harvest| HarvestId(harvest.0)),
        topic: params.topic,
        after: after.map_err(|()| ApiError::bad("invalid cursor 'after'"))?,
        limit: Some(limit(params.limit)?),
    };
    let page = state.read(move |store| store.submissions(&query)).await?;
    let submissions = page.rows.iter().map(submission_view).collect();
    Ok(Json(SubmissionList { submissions, next: page.next.map(|next| next.to_string()) }))
}

/// Filter of the records of all harvests.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AllRecordsParams {
    /// Only records with all of these words in their title, text or detail page.
    q: Option<String>,
    /// Only records of harvests for this topic.
    topic: Option<String>,
    /// Only records of this form.
    #[param(pattern = "^[0-9a-f]{16}$")]
    form: Option<String>,
}

impl AllRecordsParams {
    pub fn query(self) -> Result<HarvestRowQuery, ApiError> {
        Ok(HarvestRowQuery {
            form: self.form.as_deref().map(form_id).transpose()?,
            topic: self.topic,
            search: self.q.filter(|words| !words.trim().is_empty()),
            ..HarvestRowQuery::default()
        })
    }
}

/// Position and size of a page of records.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AllRecordsPage {
    /// Cursor: `next` of the previous page.
    #[param(pattern = "^[0-9]{1,18}\\.([0-9a-f]{16})?$")]
    after: Option<String>,
    /// Maximum number of rows.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Records of all harvests, oldest harvest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct AllRecordsList {
    /// May be fewer than requested, or none, although more follow.
    records: Vec<RecordView>,
    /// Cursor for the next page; null on the last page.
    next: Option<String>,
}

/// Records of all harvests, or those that contain certain words. A response examines a limited number of records, so it
/// may be short or empty although there is a `next`.
#[utoipa::path(get, path = "/api/records", operation_id = "list_records", tag = "records",
    params(AllRecordsParams, AllRecordsPage), responses((status = 200, body = AllRecordsList)))]
pub async fn records(
    State(state): State<Arc<AppState>>,
    UrlParams(params): UrlParams<AllRecordsParams>,
    UrlParams(page): UrlParams<AllRecordsPage>,
) -> Result<Json<AllRecordsList>, ApiError> {
    let after = page.after.as_deref().map(record_place).transpose()?;
    let query = HarvestRowQuery { after, limit: Some(limit(page.limit)?), ..params.query()? };
    let found = state.read(move |store| store.records(&query)).await?;
    let next = found.next.map(|HarvestRowCursor { harvest, row }| {
        format!("{}.{}", harvest.0, row.map(|row| RecordId(row).to_string()).unwrap_or_default())
    });
    Ok(Json(AllRecordsList { records: found.rows.iter().map(record).collect(), next }))
}

/// Parses a cursor: harvest and record.
fn record_place(text: &str) -> Result<HarvestRowCursor, ApiError> {
    let wrong = || ApiError::bad("invalid cursor 'after'");
    let (harvest, record) = text.split_once('.').ok_or_else(wrong)?;
    let harvest = HarvestId(harvest.parse().map_err(|_| wrong())?);
    let row = Some(record).filter(|record| !record.is_empty()).map(record_id).transpose()?;
    Ok(HarvestRowCursor { harvest, row: row.map(|record| record.0) })
}
