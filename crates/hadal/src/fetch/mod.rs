//! Carrying one request: over the network, or into the simulated web.
//!
//! A carrier sends exactly one request and follows nothing: redirects, retries and robots.txt are
//! steps of the engine, so that each is charged, polite and safe against crashes by itself.
//! [`retry`], [`robots`] and [`politeness`] are what the engine asks before and after; they are pure.

pub mod archive;
pub mod in_process;
pub mod network;
pub mod politeness;
pub mod retry;
pub mod robots;
mod wildcard;
pub mod world_server;

use futures::future::BoxFuture;
use hadal_core::http::{Exchange, Request};
use hadal_core::time::Time;

/// Carries requests.
pub trait Fetch: Send + Sync {
    /// Sends one request at the given moment of the run's clock.
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange>;
}
