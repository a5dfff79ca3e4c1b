//! HTTP clients: the network, and the simulated web.
//!
//! A client sends exactly one request and follows nothing. Redirects, retries, robots.txt and pauses are decided by
//! `polite`, so that every request is counted and waits for its host's turn.

pub mod archive;
pub(crate) mod body_memory;
pub mod in_process;
pub mod network;
pub mod wacz;
pub mod warc_index;
pub(crate) mod wildcard;
pub mod world_server;

use futures::future::BoxFuture;
use hadal_core::http::{BodyCompleteness, Exchange, Headers, Method, Request, Response};
use hadal_core::time::Time;
use std::net::IpAddr;
use url::Url;

/// An HTTP client.
pub trait Fetch: Send + Sync {
    /// Sends one request. `at` is the time on the caller's clock, which may be simulated.
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange>;

    /// All headers that the client sends with a request, without those that authorise the connection to a proxy.
    fn sent_headers(&self, request: &Request, _at: Time) -> Headers {
        request.headers.clone()
    }

    /// Address to which a request for this URL would be sent. `None` when it is unknown or says nothing about the host.
    fn resolve<'a>(&'a self, _url: &'a Url) -> BoxFuture<'a, Option<IpAddr>> {
        Box::pin(async { None })
    }
}

/// Writes one line about an exchange to the log, shown with `-v`.
fn log_exchange(request: &Request, exchange: &Exchange) {
    let method = if request.method == Method::Post { "POST" } else { "GET" };
    let (url, ms) = (request.url.as_str(), exchange.took.as_millis() as u64);
    match &exchange.result {
        Ok(response) => {
            tracing::info!(
                method,
                url,
                status = response.status,
                bytes = response.transferred,
                ms,
                "request"
            );
        }
        Err(error) => tracing::info!(method, url, error = %error, ms, "request failed"),
    }
}

/// True when a response is a page: a success with an HTML body.
pub fn is_page(response: &Response) -> bool {
    (200..300).contains(&response.status) && is_html(response)
}

/// True when the body of a response can be parsed as HTML, whatever its status. A missing content type counts as HTML.
pub fn is_html(response: &Response) -> bool {
    let kind = response.headers.get("content-type").unwrap_or("text/html").to_ascii_lowercase();
    response.completeness != BodyCompleteness::Unwanted && (kind.contains("html") || kind.trim().is_empty())
}
