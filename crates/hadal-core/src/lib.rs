//! Everything in hadal that *decides*: no sockets, no disk, no clock.
//!
//! Time and randomness are arguments, so that every decision can be tested and replayed.
//! Follow a page through the crate:
//!
//! 1. [`http`]: what a client asked and was told, whoever carried it;
//! 2. [`html`]: bytes to [`page::Page`] in one parse: text, links with context, forms, hints;
//! 3. [`critic`]: is the page on topic, what are its forms for;
//! 4. [`strategy`]: where each of its links waits, and which lane is served next.
//!
//! [`submission`] is the request that a filled form makes; [`critic::probe`] asks a form with it.
//! [`address`] and [`identity`] say when two URLs or two forms are the same;
//! [`link`] is a link that waits to be visited; [`learn`] holds what the judges are made of.

pub mod address;
pub mod critic;
pub mod harvest;
pub mod html;
pub mod http;
pub mod identity;
pub mod learn;
pub mod link;
pub mod page;
pub mod simhash;
pub mod strategy;
pub mod submission;
pub mod text;
pub mod time;
pub mod topic;
