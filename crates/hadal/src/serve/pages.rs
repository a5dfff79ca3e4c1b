//! Pages and embedded assets, the login page, and the data that every page needs first.

use super::error::ApiError;
use super::guard::LOGIN;
use super::state::AppState;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use data_encoding::BASE64;
use http::{HeaderMap, StatusCode, header};
use rust_embed::{EmbeddedFile, RustEmbed};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Embedded files of `assets`.
#[derive(RustEmbed)]
#[folder = "assets/"]
struct Assets;

/// Paths of pages; one HTML file serves them all.
pub const PAGES: [&str; 11] = [
    "/",
    "/runs",
    "/start",
    "/topics",
    "/directory",
    "/sites",
    "/harvests",
    "/records",
    "/submissions",
    "/ask",
    "/glossary",
];

/// Routes of pages, assets and login.
pub fn router() -> Router<Arc<AppState>> {
    let pages = PAGES.into_iter().fold(Router::new(), |router, page| router.route(page, get(shell)));
    pages.route(LOGIN, post(log_in).get(|| async { Redirect::to("/") })).route("/assets/{*path}", get(asset))
}

async fn shell() -> Response {
    file("index.html")
}

async fn asset(axum::extract::Path(path): axum::extract::Path<String>) -> Response {
    file(&path)
}

fn file(path: &str) -> Response {
    match Assets::get(path) {
        Some(EmbeddedFile { data, .. }) => {
            ([(header::CONTENT_TYPE, content_type(path))], data).into_response()
        }
        None => ApiError::missing("no such file").into_response(),
    }
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

async fn log_in(State(state): State<Arc<AppState>>, typed: Bytes) -> Response {
    let mut fields = url::form_urlencoded::parse(&typed);
    let shown = fields.find(|(name, _)| name == "token").map(|(_, value)| value);
    let cookie = shown.and_then(|shown| state.guard.log_in(shown.trim()));
    match cookie {
        Some(cookie) => ([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response(),
        None if state.guard.token().is_none() => Redirect::to("/").into_response(),
        None => login_page(Some("This is not the token of this server.")),
    }
}

/// Response to an unknown path: a page for browsers, JSON for programs.
pub async fn unknown(headers: HeaderMap) -> Response {
    match wants_page(&headers) {
        true => (StatusCode::NOT_FOUND, shell().await).into_response(),
        false => ApiError::missing("no such path").into_response(),
    }
}

/// True if a browser wants a page rather than JSON.
pub fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|accepted| accepted.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// Login page. Its style is inline, because a client without a token may load nothing else.
pub fn login_page(problem: Option<&str>) -> Response {
    let problem = problem.map(|text| format!("<p role=\"alert\">{text}</p>")).unwrap_or_default();
    let style = Assets::get("style/login.css").map(|file| (file.metadata.sha256_hash(), file.data));
    let (hash, style) = style.unwrap_or_default();
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        BASE64.encode(&hash)
    );
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
        <meta name=\"viewport\" content=\"width=device-width\"><title>hadal: log in</title>\
        <style>{}</style><form method=\"post\" action=\"/login\"><h1>hadal</h1>{problem}\
        <label>Token, as the server printed it <input name=\"token\" type=\"password\" \
        autocomplete=\"current-password\" required autofocus></label><button>Log in</button></form></html>",
        String::from_utf8_lossy(&style)
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_string()),
        (header::CONTENT_SECURITY_POLICY, policy),
        // Without a referrer, browsers do not send the Origin of a form.
        (header::REFERRER_POLICY, "same-origin".to_string()),
    ];
    (StatusCode::UNAUTHORIZED, headers, page).into_response()
}

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
