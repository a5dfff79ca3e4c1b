//! HTTP client for the simulated web: a request is a function call.

use super::{Fetch, log_exchange};
use futures::future::BoxFuture;
use hadal_core::http::{BodyCompleteness, Exchange, Request, Response};
use hadal_core::time::Time;
use hadal_world::World;
use std::sync::Arc;

/// A simulated web.
pub trait Respond: Send + Sync + 'static {
    /// Returns the response to a request. `at` is the time on the caller's clock.
    fn respond(&self, request: &Request, at: Time) -> Exchange;
}

impl Respond for World {
    fn respond(&self, request: &Request, at: Time) -> Exchange {
        World::respond(self, request, at)
    }
}

/// HTTP client for a simulated web. It returns at once; the exchange states how long it would have taken.
pub struct InProcess<W>(pub Arc<W>);

impl<W: Respond> Fetch for InProcess<W> {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        Box::pin(async move {
            let mut exchange = self.0.respond(request, at);
            if let Ok(response) = &mut exchange.result {
                cut(response, request.body_limit);
            }
            log_exchange(request, &exchange);
            exchange
        })
    }
}

/// Cuts a body at the limit, as the network client does.
fn cut(response: &mut Response, limit: u64) {
    if response.body.len() as u64 > limit {
        response.body.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        response.completeness = BodyCompleteness::Cut;
    }
    response.transferred = response.transferred.min(limit);
}
