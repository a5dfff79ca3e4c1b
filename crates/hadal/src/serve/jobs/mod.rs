//! Jobs: crawls, imports, harvests, refreshes and topics that users start.
//!
//! A job is a process of this program with the settings of the server. So the rules of the commands hold: robots.txt,
//! delays, private addresses, forms that are never submitted.

mod arguments;
mod process;

pub use process::{JobProgram, Jobs};

use super::error::ApiError;
use super::extract::{Body, PathParams};
use super::state::AppState;
use crate::topic::folder::TopicEntry;
use arguments::{CrawlStart, HarvestStart, ImportStart, RefreshStart, TopicDraft, TopicTrial};
use axum::Json;
use axum::extract::State;
use http::StatusCode;
use process::{JobError, JobKind, JobView};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Response to a start: 202 and the job.
type Started = Result<(StatusCode, Json<JobView>), ApiError>;

/// Starts a crawl, as `hadal find` does.
#[utoipa::path(post, path = "/api/crawls", operation_id = "start_crawl", tag = "jobs", request_body = CrawlStart,
    responses((status = 202, body = JobView)))]
pub async fn crawl(State(state): State<Arc<AppState>>, Body(request): Body<CrawlStart>) -> Started {
    start(state, JobKind::Crawl, request.arguments()?).await
}

/// Fetches pages and adds their forms to the directory. No link is followed.
#[utoipa::path(post, path = "/api/imports", operation_id = "import_forms", tag = "jobs", request_body = ImportStart,
    responses((status = 202, body = JobView)))]
pub async fn import(State(state): State<Arc<AppState>>, Body(request): Body<ImportStart>) -> Started {
    start(state, JobKind::Import, request.arguments()?).await
}

/// Starts harvests, as `hadal harvest` does.
#[utoipa::path(post, path = "/api/harvests", operation_id = "start_harvest", tag = "jobs", request_body = HarvestStart,
    responses((status = 202, body = JobView)))]
pub async fn harvest(State(state): State<Arc<AppState>>, Body(request): Body<HarvestStart>) -> Started {
    start(state, JobKind::Harvest, request.arguments()?).await
}

/// Starts a refresh, as `hadal refresh` does.
#[utoipa::path(post, path = "/api/refreshes", operation_id = "start_refresh", tag = "jobs", request_body = RefreshStart,
    responses((status = 202, body = JobView)))]
pub async fn refresh(State(state): State<Arc<AppState>>, Body(request): Body<RefreshStart>) -> Started {
    start(state, JobKind::Refresh, request.arguments()?).await
}

/// Creates a topic, as `hadal topics new` does.
#[utoipa::path(post, path = "/api/topics", operation_id = "create_topic", tag = "topics", request_body = TopicDraft,
    responses((status = 202, body = JobView)))]
pub async fn topic(State(state): State<Arc<AppState>>, Body(request): Body<TopicDraft>) -> Started {
    start(state, JobKind::Topic, request.arguments()?).await
}

/// Judges the forms of pages for a topic, as `hadal judge` does.
#[utoipa::path(post, path = "/api/topics/{topic}/test", operation_id = "test_topic", tag = "topics",
    params(("topic" = String, Path, description = "Name or words")), request_body = TopicTrial,
    responses((status = 202, body = JobView)))]
pub async fn trial(
    State(state): State<Arc<AppState>>,
    PathParams(topic): PathParams<String>,
    Body(request): Body<TopicTrial>,
) -> Started {
    start(state, JobKind::Judge, request.arguments(&topic)?).await
}

async fn start(state: Arc<AppState>, kind: JobKind, line: Vec<String>) -> Started {
    let shared = Arc::clone(&state);
    let started = state.read(move |store| Ok(shared.jobs.start(kind, &line, store.is_busy()))).await?;
    Ok((StatusCode::ACCEPTED, Json(started?)))
}

impl From<JobError> for ApiError {
    fn from(error: JobError) -> ApiError {
        match error {
            JobError::NoProcess(_) => ApiError::of(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
            JobError::NoProgram | JobError::Busy | JobError::TooMany => ApiError::conflict(error.to_string()),
        }
    }
}

/// Jobs since the start of the server, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobList {
    jobs: Vec<JobView>,
}

/// Jobs since the start of the server, newest first.
#[utoipa::path(get, path = "/api/jobs", operation_id = "list_jobs", tag = "jobs", responses((status = 200, body = JobList)))]
pub async fn list(State(state): State<Arc<AppState>>) -> Json<JobList> {
    Json(JobList { jobs: state.jobs.list() })
}

/// A job with its messages and its result.
#[utoipa::path(get, path = "/api/jobs/{job}", operation_id = "job", tag = "jobs", params(("job" = u64, Path, description = "Number")),
    responses((status = 200, body = JobView)))]
pub async fn one(
    State(state): State<Arc<AppState>>,
    PathParams(job): PathParams<u64>,
) -> Result<Json<JobView>, ApiError> {
    state.jobs.one(job).map(Json).ok_or_else(|| no_job(job))
}

/// Asks a job to finish its requests in flight and stop. The same request resumes a stopped crawl or harvest.
#[utoipa::path(post, path = "/api/jobs/{job}/stop", operation_id = "stop_job", tag = "jobs", params(("job" = u64, Path, description = "Number")),
    responses((status = 200, body = JobView)))]
pub async fn stop(
    State(state): State<Arc<AppState>>,
    PathParams(job): PathParams<u64>,
) -> Result<Json<JobView>, ApiError> {
    state.jobs.stop(job).map(Json).ok_or_else(|| no_job(job))
}

fn no_job(job: u64) -> ApiError {
    ApiError::missing(format!("unknown job {job}"))
}

/// Built-in topics and the user's own.
#[derive(Debug, Serialize, ToSchema)]
pub struct TopicList {
    topics: Vec<TopicEntry>,
}

/// Built-in topics and the user's own.
#[utoipa::path(get, path = "/api/topics", operation_id = "list_topics", tag = "topics", responses((status = 200, body = TopicList)))]
pub async fn topics(State(state): State<Arc<AppState>>) -> Result<Json<TopicList>, ApiError> {
    let shared = Arc::clone(&state);
    let topics = state.read(move |_| {
        let folder = shared.jobs.program.get().map(|program| program.topics.clone());
        Ok(folder.unwrap_or_default().entries())
    });
    Ok(Json(TopicList { topics: topics.await? }))
}
