//! Politeness rules, in one place for every request that hadal sends.
//!
//! [`Hosts`] decides which host may receive a request at a given time. It is pure: it does no IO and takes the time
//! as an argument. [`KnownHost`] holds the state of one host: its robots.txt, its failures and its next permitted
//! request. [`retry`] decides what follows from a response, [`robots`] reads robots.txt, and [`delay`] computes the
//! pause between two requests.
//!
//! The crawl engine drives these parts directly, because each of its steps is a single request. It serves `hadal find`,
//! `hadal quality`, `hadal demo`, imports of forms and example pages of topics. All other requests are sent one after
//! the other through [`PoliteClient`], which applies the same rules. A visit of the engine sends scripts, sitemaps and
//! descriptions through such a client, too. Both take turns from one table of hosts ([`SharedHosts`]). A turn is taken
//! under the lock of the table, so a politeness group never gets two requests at once from one table. Look-ups at a
//! SearXNG server of the user have a pause of their own (`backlinks/searxng.rs`).

mod address_claims;
mod budget;
mod client;
mod clock;
pub mod delay;
mod failure;
mod host_state;
mod host_table;
mod hosts;
pub mod retry;
pub mod robots;
mod turn;

pub use budget::{LeaseTerm, RequestBudget, RequestReserve};
pub use client::{ClientOptions, NotSent, PageError, PoliteClient, SendOutcome};
pub use clock::Clock;
pub use delay::Politeness;
pub use failure::FailureKind;
pub use host_state::{HostCache, HostState, KnownHost, Permission, RobotsRequest, RobotsResponse};
pub use host_table::{HostTable, SharedHosts};
pub use hosts::{HeldTurn, HostIx, Hosts, Readiness};
pub use robots::RobotsState;
