//! Harvests: the list, one, its curve, its queries, its records.

use super::desk::Desk;
use super::extract::{Named, Number, Params};
use super::paging::{Backward, limit, next};
use super::problem::Problem;
use crate::report::curve::{self, CoveragePoint};
use crate::report::harvest::{HarvestPage, HarvestView, QueryView, RecordView, page, query, record, view};
use crate::store::{HarvestFilter, HarvestId, HarvestRow, QueryRow, Store, StoreError, Walk};
use axum::Json;
use axum::extract::State;
use hadal_core::harvest::record::RecordId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Some harvests, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct HarvestList {
    harvests: Vec<HarvestView>,
    /// Give this as `before` for the next page.
    next: Option<u64>,
}

/// Harvests, the newest first.
#[utoipa::path(get, path = "/api/harvests", operation_id = "list_harvests", tag = "harvests", params(Backward),
    responses((status = 200, body = HarvestList)))]
pub async fn list(
    State(desk): State<Arc<Desk>>,
    Params(params): Params<Backward>,
) -> Result<Json<HarvestList>, Problem> {
    let limit = limit(params.limit)?;
    let rows = desk
        .read(move |store| store.harvest_page(params.before.map(|before| HarvestId(before.0)), limit))
        .await?;
    let next = next(&rows, limit, |row| row.id.0);
    Ok(Json(HarvestList { harvests: rows.iter().map(view).collect(), next }))
}

/// One harvest, if there is such a one.
pub fn row(store: &dyn Store, harvest: HarvestId) -> Result<Option<HarvestRow>, StoreError> {
    let only = HarvestFilter { harvest: Some(harvest), ..HarvestFilter::default() };
    Ok(store.harvests(&only)?.pop())
}

/// A harvest as it stands, if there is such a one.
pub fn now(store: &dyn Store, harvest: HarvestId) -> Result<Option<HarvestPage>, StoreError> {
    row(store, harvest)?.map(|row| page(store, &row)).transpose()
}

/// There is no harvest of this number.
pub fn no_harvest(harvest: u64) -> Problem {
    Problem::missing(format!("there is no harvest {harvest}"))
}

/// One harvest, what people asked of it, and what it would ask next.
#[utoipa::path(get, path = "/api/harvests/{harvest}", operation_id = "harvest", tag = "harvests",
    params(("harvest" = u64, Path, description = "Its number")),
    responses((status = 200, body = HarvestPage)))]
pub async fn one(
    State(desk): State<Arc<Desk>>,
    Named(harvest): Named<u64>,
) -> Result<Json<HarvestPage>, Problem> {
    let found = desk.read(move |store| now(store, HarvestId(harvest))).await?;
    found.map(Json).ok_or_else(|| no_harvest(harvest))
}

/// What a harvest had brought up after so many requests.
#[derive(Debug, Serialize, ToSchema)]
pub struct HarvestCurve {
    harvest: u64,
    /// At most 500 points, by requests.
    points: Vec<CoveragePoint>,
}

/// What a harvest had brought up after so many requests, and how much of all that was thought to be.
#[utoipa::path(get, path = "/api/harvests/{harvest}/curve", operation_id = "harvest_curve", tag = "harvests",
    params(("harvest" = u64, Path, description = "Its number")),
    responses((status = 200, body = HarvestCurve)))]
pub async fn points(
    State(desk): State<Arc<Desk>>,
    Named(harvest): Named<u64>,
) -> Result<Json<HarvestCurve>, Problem> {
    let id = HarvestId(harvest);
    let look = move |store: &dyn Store| row(store, id)?.map(|_| curve::of_harvest(store, id)).transpose();
    let points = desk.read(look).await?.ok_or_else(|| no_harvest(harvest))?;
    Ok(Json(HarvestCurve { harvest, points }))
}

/// Which queries are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryParams {
    /// Only queries with a higher number: `next` of the page before.
    #[param(value_type = Option<u64>, maximum = 9007199254740991_u64)]
    after: Option<Number>,
    /// Rows at most.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Some queries, in the order they were asked.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueryList {
    queries: Vec<QueryView>,
    /// Give this as `after` for the next page.
    next: Option<u32>,
}

/// What was asked, and what came of it.
#[utoipa::path(get, path = "/api/harvests/{harvest}/queries", operation_id = "harvest_queries", tag = "harvests",
    params(("harvest" = u64, Path, description = "Its number"), QueryParams),
    responses((status = 200, body = QueryList)))]
pub async fn queries(
    State(desk): State<Arc<Desk>>,
    Named(harvest): Named<u64>,
    Params(params): Params<QueryParams>,
) -> Result<Json<QueryList>, Problem> {
    let limit = limit(params.limit)?;
    let rows = desk
        .read(move |store| {
            let Some(row) = row(store, HarvestId(harvest))? else { return Ok(None) };
            let after = params.after.map(|number| (row.id, number.0));
            let only =
                HarvestFilter { harvest: Some(row.id), after, most: Some(limit), ..HarvestFilter::default() };
            let mut rows: Vec<QueryRow> = Vec::new();
            store.asked(&only, &mut |asked| {
                rows.push(asked);
                if rows.len() < limit { Walk::On } else { Walk::Stop }
            })?;
            Ok(Some(rows))
        })
        .await?
        .ok_or_else(|| no_harvest(harvest))?;
    let next = rows.last().filter(|_| rows.len() == limit).map(|row| row.number);
    Ok(Json(QueryList { queries: rows.iter().map(query).collect(), next }))
}

/// Which records are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RecordParams {
    /// Only records with all of these words in their title, text or own page.
    q: Option<String>,
    /// Only records after this one: `next` of the page before.
    #[param(pattern = "^[0-9a-f]{16}$")]
    after: Option<String>,
    /// Rows at most.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    limit: Option<usize>,
}

/// Some records, in the order they came up.
#[derive(Debug, Serialize, ToSchema)]
pub struct RecordList {
    /// There may be fewer than asked for, or none, although more follow.
    records: Vec<RecordView>,
    /// Give this as `after` for the next page; null when this was the last.
    next: Option<String>,
}

/// What came up, or what of it has certain words. For one page only so many records are looked through: it may be
/// short or empty although `next` leads on.
#[utoipa::path(get, path = "/api/harvests/{harvest}/records", operation_id = "harvest_records", tag = "harvests",
    params(("harvest" = u64, Path, description = "Its number"), RecordParams),
    responses((status = 200, body = RecordList)))]
pub async fn records(
    State(desk): State<Arc<Desk>>,
    Named(harvest): Named<u64>,
    Params(params): Params<RecordParams>,
) -> Result<Json<RecordList>, Problem> {
    let limit = limit(params.limit)?;
    let after = params.after.as_deref().map(record_id).transpose()?;
    let search = params.q.filter(|words| !words.trim().is_empty());
    let found = desk
        .read(move |store| {
            let Some(row) = row(store, HarvestId(harvest))? else { return Ok(None) };
            store.record_page(row.id, search.as_deref(), after, limit).map(Some)
        })
        .await?
        .ok_or_else(|| no_harvest(harvest))?;
    let next = found.next.map(|record| record.to_string());
    Ok(Json(RecordList { records: found.records.iter().map(record).collect(), next }))
}

fn record_id(text: &str) -> Result<RecordId, Problem> {
    let number = u64::from_str_radix(text, 16).ok().filter(|_| text.len() == 16);
    number.map(RecordId).ok_or_else(|| Problem::bad("a record is named by 16 hexadecimal digits"))
}
