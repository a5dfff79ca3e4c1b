//! Harvests: list, details, curve, queries, records.

use super::error::ApiError;
use super::extract::{Number, PageBefore, PathParams, UrlParams, limit, next_page};
use super::state::AppState;
use crate::report::curve::{self, CoveragePoint};
use crate::report::harvest::{HarvestPage, HarvestView, QueryView, RecordView, page, query, record, view};
use crate::store::{
    HarvestId, HarvestQuery, HarvestRow, HarvestRowCursor, HarvestRowQuery, RowOrder, Store, StoreError,
};
use axum::Json;
use axum::extract::State;
use hadal_core::harvest::record::RecordId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Harvests, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct HarvestList {
    harvests: Vec<HarvestView>,
    /// Cursor for the next page, as `before`.
    next: Option<u64>,
}

/// Harvests, newest first.
#[utoipa::path(get, path = "/api/harvests", operation_id = "list_harvests", tag = "harvests", params(PageBefore),
    responses((status = 200, body = HarvestList)))]
pub async fn list(
    State(state): State<Arc<AppState>>,
    UrlParams(params): UrlParams<PageBefore>,
) -> Result<Json<HarvestList>, ApiError> {
    let limit = limit(params.limit)?;
    let rows = state
        .read(move |store| {
            store.harvests(&HarvestQuery {
                order: RowOrder::Newest,
                after: params.before.map(|before| HarvestId(before.0)),
                limit: Some(limit),
                ..HarvestQuery::default()
            })
        })
        .await?;
    let next = next_page(&rows, limit, |row| row.id.0);
    Ok(Json(HarvestList { harvests: rows.iter().map(view).collect(), next }))
}

pub fn row(store: &dyn Store, harvest: HarvestId) -> Result<Option<HarvestRow>, StoreError> {
    Ok(store.harvests(&HarvestQuery::one(harvest))?.pop())
}

/// Current state of a harvest.
pub fn now(store: &dyn Store, harvest: HarvestId) -> Result<Option<HarvestPage>, StoreError> {
    row(store, harvest)?.map(|row| page(store, &row)).transpose()
}

/// Error for an unknown harvest.
pub fn no_harvest(harvest: u64) -> ApiError {
    ApiError::missing(format!("unknown harvest {harvest}"))
}

/// A harvest with requested changes and its next queries.
#[utoipa::path(get, path = "/api/harvests/{harvest}", operation_id = "harvest", tag = "harvests",
    params(("harvest" = u64, Path, description = "Number")),
    responses((status = 200, body = HarvestPage)))]
pub async fn one(
    State(state): State<Arc<AppState>>,
    PathParams(harvest): PathParams<u64>,
) -> Result<Json<HarvestPage>, ApiError> {
    let found = state.read(move |store| now(store, HarvestId(harvest))).await?;
    found.map(Json).ok_or_else(|| no_harvest(harvest))
}

/// Curve of a harvest.
#[derive(Debug, Serialize, ToSchema)]
pub struct HarvestCurve {
    harvest: u64,
    /// At most 500 points, by requests.
    points: Vec<CoveragePoint>,
}

/// Records and estimated coverage over requests.
#[utoipa::path(get, path = "/api/harvests/{harvest}/curve", operation_id = "harvest_curve", tag = "harvests",
    params(("harvest" = u64, Path, description = "Number")),
    responses((status = 200, body = HarvestCurve)))]
pub async fn points(
    State(state): State<Arc<AppState>>,
    PathParams(harvest): PathParams<u64>,
) -> Result<Json<HarvestCurve>, ApiError> {
    let id = HarvestId(harvest);
    let look = move |store: &dyn Store| row(store, id)?.map(|_| curve::of_harvest(store, id)).transpose();
    let points = state.read(look).await?.ok_or_else(|| no_harvest(harvest))?;
    Ok(Json(HarvestCurve { harvest, points }))
}

/// Position and size of a page of queries.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryParams {
    /// Only queries with a higher number: `next` of the previous page.
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    after: Option<Number>,
    /// Maximum number of rows.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Queries in the order they were sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueryList {
    queries: Vec<QueryView>,
    /// Cursor for the next page.
    next: Option<u32>,
}

/// Queries with their results.
#[utoipa::path(get, path = "/api/harvests/{harvest}/queries", operation_id = "harvest_queries", tag = "harvests",
    params(("harvest" = u64, Path, description = "Number"), QueryParams),
    responses((status = 200, body = QueryList)))]
pub async fn queries(
    State(state): State<Arc<AppState>>,
    PathParams(harvest): PathParams<u64>,
    UrlParams(params): UrlParams<QueryParams>,
) -> Result<Json<QueryList>, ApiError> {
    let limit = limit(params.limit)?;
    let rows = state
        .read(move |store| {
            let Some(row) = row(store, HarvestId(harvest))? else { return Ok(None) };
            let after = params.after.map(|number| HarvestRowCursor { harvest: row.id, row: Some(number.0) });
            let query = HarvestRowQuery { after, limit: Some(limit), ..HarvestRowQuery::of(row.id) };
            Ok(Some(store.queries(&query)?.rows))
        })
        .await?
        .ok_or_else(|| no_harvest(harvest))?;
    let next = rows.last().filter(|_| rows.len() == limit).map(|row| row.number);
    Ok(Json(QueryList { queries: rows.iter().map(query).collect(), next }))
}

/// Filter, position and size of a page of records.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RecordParams {
    /// Only records with all of these words in their title, text or detail page.
    q: Option<String>,
    /// Cursor: `next` of the previous page.
    #[param(pattern = "^[0-9a-f]{16}$")]
    after: Option<String>,
    /// Maximum number of rows.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Records in the order they were found.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecordList {
    /// May be fewer than requested, or none, although more follow.
    records: Vec<RecordView>,
    /// Cursor for the next page; null on the last page.
    next: Option<String>,
}

/// Records, or those that contain certain words. A response examines a limited number of records, so it may be
/// short or empty although there is a `next`.
#[utoipa::path(get, path = "/api/harvests/{harvest}/records", operation_id = "harvest_records", tag = "harvests",
    params(("harvest" = u64, Path, description = "Number"), RecordParams),
    responses((status = 200, body = RecordList)))]
pub async fn records(
    State(state): State<Arc<AppState>>,
    PathParams(harvest): PathParams<u64>,
    UrlParams(params): UrlParams<RecordParams>,
) -> Result<Json<RecordList>, ApiError> {
    let limit = limit(params.limit)?;
    let after = params.after.as_deref().map(record_id).transpose()?;
    let search = params.q.filter(|words| !words.trim().is_empty());
    let found = state
        .read(move |store| {
            let Some(row) = row(store, HarvestId(harvest))? else { return Ok(None) };
            let after = after.map(|record| HarvestRowCursor { harvest: row.id, row: Some(record.0) });
            let query = HarvestRowQuery { search, after, limit: Some(limit), ..HarvestRowQuery::of(row.id) };
            store.records(&query).map(Some)
        })
        .await?
        .ok_or_else(|| no_harvest(harvest))?;
    let next = found.next.and_then(|next| next.row).map(|record| RecordId(record).to_string());
    Ok(Json(RecordList { records: found.rows.iter().map(record).collect(), next }))
}

pub fn record_id(text: &str) -> Result<RecordId, ApiError> {
    let number = u64::from_str_radix(text, 16).ok().filter(|_| text.len() == 16);
    number.map(RecordId).ok_or_else(|| ApiError::bad("a record id has 16 hexadecimal digits"))
}
