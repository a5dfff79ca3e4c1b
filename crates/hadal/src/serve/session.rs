//! Data that every page needs first.

use super::state::AppState;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Data that every page needs first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionView {
    /// Secret for the header `X-Hadal-Csrf` of every write.
    csrf: String,
    /// Version of the program.
    version: String,
    /// True if a token was needed.
    guarded: bool,
    /// True if this server can start crawls, harvests and other jobs.
    starts_jobs: bool,
}

/// CSRF secret and version.
#[utoipa::path(get, path = "/api/session", operation_id = "session", tag = "server", responses((status = 200, body = SessionView)))]
pub async fn session(State(state): State<Arc<AppState>>) -> Json<SessionView> {
    Json(SessionView {
        csrf: state.guard.csrf().to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        guarded: state.guard.token().is_some(),
        starts_jobs: state.jobs.program.get().is_some(),
    })
}
