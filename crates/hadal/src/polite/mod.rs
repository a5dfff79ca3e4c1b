//! Politeness rules, in one place for every request that hadal sends.
//!
//! [`Hosts`] decides which host may receive a request at a given time. It is pure: it does no IO and takes the time
//! as an argument. [`KnownHost`] holds the state of one host: its robots.txt, its failures and its next permitted
//! request. [`retry`] decides what follows from a response, [`robots`] reads robots.txt, and [`delay`] computes the
//! pause between two requests.
//!
//! The crawl engine drives these parts directly, because each of its steps is a single request. Harvests, `hadal
//! ask`, `hadal judge` and `hadal topics` send requests one after the other and use [`PoliteClient`], which applies
//! the same rules.

mod budget;
mod client;
mod clock;
pub mod delay;
mod failure;
mod host_state;
mod hosts;
pub mod retry;
pub mod robots;

pub use budget::{RequestBudget, RequestReserve};
pub use client::{ClientOptions, NotSent, PageError, PoliteClient, SendOutcome};
pub use clock::Clock;
pub use delay::Politeness;
pub use failure::FailureKind;
pub use host_state::{HostCache, HostState, KnownHost, Permission, RobotsRequest, RobotsResponse};
pub use hosts::{HostIx, Hosts, Readiness};
pub use robots::RobotsState;
