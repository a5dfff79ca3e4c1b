//! The simulated web without a network: a request is a function call.

use super::Fetch;
use futures::future::BoxFuture;
use hadal_core::http::{Completeness, Exchange, Request, Response};
use hadal_core::time::Time;
use hadal_world::World;
use std::sync::Arc;

/// A web that answers by itself, at once and without a socket.
pub trait Respond: Send + Sync + 'static {
    /// The answer to a request at a moment of the run's clock.
    fn respond(&self, request: &Request, at: Time) -> Exchange;
}

impl Respond for World {
    fn respond(&self, request: &Request, at: Time) -> Exchange {
        World::respond(self, request, at)
    }
}

/// Carries requests into a simulated web. Time passes only in the answers.
pub struct InProcess<W>(pub Arc<W>);

impl<W: Respond> Fetch for InProcess<W> {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        Box::pin(async move {
            let mut exchange = self.0.respond(request, at);
            if let Ok(response) = &mut exchange.result {
                cut(response, request.body_limit);
            }
            exchange
        })
    }
}

/// What a network carrier would not have taken is not taken here either.
fn cut(response: &mut Response, limit: u64) {
    if response.body.len() as u64 > limit {
        response.body.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        response.completeness = Completeness::Cut;
    }
    response.transferred = response.transferred.min(limit);
}
