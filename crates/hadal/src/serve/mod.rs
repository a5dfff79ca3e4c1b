//! The store in a browser: pages, a JSON interface and live events, for people and programs.
//!
//! [`serve`] is the function to read first. Every request passes the [`guard`], then a thin handler, one file
//! per resource; numbers come from [`crate::report`] and nobody counts here. What was crawled is hostile: it
//! leaves this server as JSON or as a file, never as markup.

mod activity;
mod control;
mod description;
mod desk;
mod events;
mod export;
mod extract;
mod forms;
pub mod guard;
mod harvests;
mod labels;
mod lessons;
mod live;
mod metrics;
mod minds;
mod pages;
mod paging;
mod problem;
mod questions;
mod runs;
mod session;

use crate::ask::Asker;
use crate::store::Store;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use desk::Desk;
use guard::{Guard, NotGuarded};
use http::{HeaderValue, StatusCode, header};
use live::Live;
use problem::Problem;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Scripts, styles and requests of our own only; nothing may frame us.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A server that is about to open.
pub struct Server {
    listener: TcpListener,
    desk: Arc<Desk>,
    is_given: bool,
}

impl Server {
    /// A server on this address, which port 0 leaves to the system. Away from loopback it has a token.
    pub async fn open(
        address: SocketAddr,
        token: Option<String>,
        store: Arc<dyn Store>,
        asker: Arc<Asker>,
    ) -> Result<Server, OpenError> {
        let listener =
            TcpListener::bind(address).await.map_err(|error| OpenError::NoAddress(address, error))?;
        let bound = listener.local_addr().map_err(|error| OpenError::NoAddress(address, error))?;
        let is_given = token.is_some();
        let guard = Guard::new(bound, token)?;
        let desk = Arc::new(Desk { store, guard, live: Live::default(), asker });
        Ok(Server { listener, desk, is_given })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The token that it asks for and nobody knows yet, if there is one.
    pub fn made_up(&self) -> Option<&str> {
        self.desk.guard.token().filter(|_| !self.is_given)
    }
}

/// Why a server does not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Somebody else is there, or it is not ours.
    #[error("cannot listen on {0} ({1}): name another address")]
    NoAddress(SocketAddr, io::Error),
    /// It would be open to anybody.
    #[error(transparent)]
    NotGuarded(#[from] NotGuarded),
}

/// Answers until it is dropped.
pub async fn serve(server: Server) -> io::Result<()> {
    let Server { listener, desk, .. } = server;
    tokio::spawn(live::keep_looking(Arc::downgrade(&desk)));
    axum::serve(listener, router(desk)).await
}

fn router(desk: Arc<Desk>) -> Router {
    let (routes, mut description) = described().split_for_parts();
    description::complete(&mut description);
    let description = Arc::new(description);
    routes
        .route("/api/openapi.json", axum::routing::get(async move || Json(description.as_ref().clone())))
        .merge(pages::router())
        .fallback(async || Problem::missing("there is nothing here"))
        .method_not_allowed_fallback(async || {
            Problem::of(StatusCode::METHOD_NOT_ALLOWED, "that is not how this is asked")
        })
        .layer(from_fn_with_state(Arc::clone(&desk), guarded))
        .with_state(desk)
}

/// Every route of the interface, with its description.
fn described() -> OpenApiRouter<Arc<Desk>> {
    OpenApiRouter::with_openapi(description::begun())
        .routes(routes!(session::session))
        .routes(routes!(runs::list))
        .routes(routes!(runs::one))
        .routes(routes!(runs::points))
        .routes(routes!(lessons::latest))
        .routes(routes!(control::of_run))
        .routes(routes!(events::of_run))
        .routes(routes!(forms::list))
        .routes(routes!(forms::narrow))
        .routes(routes!(forms::one))
        .routes(routes!(labels::mark))
        .routes(routes!(labels::list))
        .routes(routes!(questions::try_one))
        .routes(routes!(questions::ask))
        .routes(routes!(harvests::list))
        .routes(routes!(harvests::one))
        .routes(routes!(harvests::points))
        .routes(routes!(control::of_harvest))
        .routes(routes!(events::of_harvest))
        .routes(routes!(harvests::queries))
        .routes(routes!(harvests::records))
        .routes(routes!(export::records))
        .routes(routes!(metrics::metrics))
}

/// Lets in who may come in, and tells browsers what they must not do with the answer.
async fn guarded(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let mut response = match desk.guard.admit(request.method(), request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(guard::Refusal::NoToken) if pages::wants_page(request.headers()) => pages::login_page(),
        Err(refusal) => Problem::from(refusal).into_response(),
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
