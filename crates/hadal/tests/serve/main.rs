//! The server over real sockets.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod asking;
mod client;
mod directory;
mod events;
mod fixture;
mod guard;
mod hostile;
mod lists;
mod poison;
mod routes;

use hadal_store_contract::fixture as store_fixture;
