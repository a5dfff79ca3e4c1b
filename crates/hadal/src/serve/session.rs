//! What a page has to know before anything else.

use super::desk::Desk;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// What a page has to know before anything else.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionView {
    /// Send this in the header `X-Hadal-Csrf` with every write.
    csrf: String,
    /// Version of the program.
    version: String,
    /// Whether a token was needed to get here.
    guarded: bool,
}

/// The secret that goes with writes, and the program's version.
#[utoipa::path(get, path = "/api/session", operation_id = "session", tag = "server", responses((status = 200, body = SessionView)))]
pub async fn session(State(desk): State<Arc<Desk>>) -> Json<SessionView> {
    Json(SessionView {
        csrf: desk.guard.csrf().to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        guarded: desk.guard.token().is_some(),
    })
}
