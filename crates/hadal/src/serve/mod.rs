//! Dashboard, JSON API and live events of a store.
//!
//! [`serve`] is the entry point. Every request passes the [`guard`] and then a thin handler; each resource has
//! one file. All numbers come from [`crate::report`]. Crawled content is hostile: it leaves the server as JSON
//! or as a file, never as HTML.

mod control;
mod description;
mod error;
mod events;
mod export;
mod extract;
mod forms;
pub mod guard;
mod harvests;
mod jobs;
mod labels;
mod lessons;
mod lists;
mod live;
mod metrics;
mod pages;
mod questions;
mod runs;
mod state;

pub use jobs::{JobProgram, Jobs};

use crate::ask::Asker;
use crate::store::Store;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use error::ApiError;
use guard::{Guard, GuardError};
use http::{HeaderValue, StatusCode, header};
use live::Live;
use state::AppState;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tokio::net::TcpListener;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Content security policy: only our own scripts, styles and requests; no framing.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A server that is ready to start.
pub struct Server {
    listener: TcpListener,
    state: Arc<AppState>,
    is_given: bool,
}

impl Server {
    /// Opens a server on an address; port 0 picks a free port. On a non-loopback address it has a token.
    pub async fn open(
        address: SocketAddr,
        token: Option<String>,
        store: Arc<dyn Store>,
        asker: Arc<Asker>,
    ) -> Result<Server, OpenError> {
        let listener = std::net::TcpListener::bind(address);
        let listener = listener.map_err(|error| OpenError::NoAddress(address, error))?;
        Server::on(listener, token, store, asker)
    }

    /// Opens a server on a bound listener. Must be called in a Tokio runtime.
    pub fn on(
        listener: std::net::TcpListener,
        token: Option<String>,
        store: Arc<dyn Store>,
        asker: Arc<Asker>,
    ) -> Result<Server, OpenError> {
        let bound = listener.local_addr().map_err(OpenError::Listener)?;
        listener.set_nonblocking(true).map_err(OpenError::Listener)?;
        let listener = TcpListener::from_std(listener).map_err(OpenError::Listener)?;
        let is_given = token.is_some();
        let guard = Guard::new(bound, token)?;
        let state = Arc::new(AppState {
            store,
            guard,
            live: Live::default(),
            asker,
            jobs: Arc::default(),
            thumbnails: OnceLock::new(),
        });
        Ok(Server { listener, state, is_given })
    }

    /// Address that the server listens on.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Allows users to start jobs with this program.
    pub fn start_jobs_with(&self, program: JobProgram) {
        self.state.jobs.program.set(program).ok();
    }

    /// Shows the pictures of rendered pages in this folder.
    pub fn show_thumbnails(&self, folder: PathBuf) {
        self.state.thumbnails.set(folder).ok();
    }

    /// Jobs of this server, to stop them at its end.
    pub fn jobs(&self) -> Arc<Jobs> {
        Arc::clone(&self.state.jobs)
    }

    /// The generated token, if there is one.
    pub fn generated_token(&self) -> Option<&str> {
        self.state.guard.token().filter(|_| !self.is_given)
    }
}

/// Reason why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address is in use or not local.
    #[error("could not listen on {0} ({1}); give another address")]
    NoAddress(SocketAddr, io::Error),
    /// The listener cannot be used.
    #[error("could not use the listening socket: {0}")]
    Listener(io::Error),
    /// The token is too short, or there are no random numbers for secrets.
    #[error(transparent)]
    GuardError(#[from] GuardError),
}

/// Serves until it is dropped.
pub async fn serve(server: Server) -> io::Result<()> {
    let Server { listener, state, .. } = server;
    tokio::spawn(live::poll(Arc::downgrade(&state)));
    axum::serve(listener, router(state)).await
}

/// OpenAPI description of the API, as the server returns it.
pub fn api_description() -> OpenApi {
    description::complete(described().split_for_parts().1)
}

fn router(state: Arc<AppState>) -> Router {
    let (routes, description) = described().split_for_parts();
    let description = Arc::new(description::complete(description));
    routes
        .route("/api/openapi.json", axum::routing::get(async move || Json(description.as_ref().clone())))
        .merge(pages::router())
        .fallback(pages::unknown)
        .method_not_allowed_fallback(async || {
            ApiError::of(StatusCode::METHOD_NOT_ALLOWED, "method not allowed")
        })
        .layer(from_fn_with_state(Arc::clone(&state), guarded))
        .with_state(state)
}

/// All API routes with their descriptions.
fn described() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::with_openapi(description::begun())
        .routes(routes!(pages::session))
        .routes(routes!(runs::list))
        .routes(routes!(runs::one))
        .routes(routes!(runs::points))
        .routes(routes!(lessons::latest))
        .routes(routes!(control::of_run))
        .routes(routes!(events::of_run))
        .routes(routes!(forms::list))
        .routes(routes!(forms::narrow))
        .routes(routes!(export::forms))
        .routes(routes!(forms::one))
        .routes(routes!(forms::description))
        .routes(routes!(forms::thumbnail))
        .routes(routes!(labels::mark))
        .routes(routes!(labels::list))
        .routes(routes!(questions::try_one))
        .routes(routes!(questions::ask))
        .routes(routes!(harvests::list, jobs::harvest))
        .routes(routes!(harvests::one))
        .routes(routes!(harvests::points))
        .routes(routes!(control::of_harvest))
        .routes(routes!(events::of_harvest))
        .routes(routes!(harvests::queries))
        .routes(routes!(harvests::records))
        .routes(routes!(export::records))
        .routes(routes!(lists::sites))
        .routes(routes!(lists::submissions))
        .routes(routes!(lists::records))
        .routes(routes!(export::all))
        .routes(routes!(jobs::crawl))
        .routes(routes!(jobs::import))
        .routes(routes!(jobs::refresh))
        .routes(routes!(jobs::list))
        .routes(routes!(jobs::one))
        .routes(routes!(jobs::stop))
        .routes(routes!(jobs::topics, jobs::topic))
        .routes(routes!(jobs::trial))
        .routes(routes!(metrics::metrics))
}

/// Checks access and sets security headers.
async fn guarded(State(state): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let mut response = match state.guard.admit(request.method(), request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(guard::Refusal::NoToken) if pages::wants_page(request.headers()) => pages::login_page(None),
        Err(refusal) => ApiError::from(refusal).into_response(),
    };
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
