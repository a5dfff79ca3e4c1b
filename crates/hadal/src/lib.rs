//! hadal finds the databases behind web search forms and brings up what is in them.
//!
//! This crate is everything that *touches the world*; what *decides* is in `hadal-core`.
//! Follow a page: [`engine`] takes a lead from its frontier, [`fetch`] carries the request,
//! `hadal-core` reads and judges the answer, [`store`] keeps the outcome. [`backlinks`] know who links there.
//! Follow a query: [`harvest`] asks a form, through the same [`fetch`], into the same [`store`].
//!
//! People come in through [`cli`] with a checked [`config`]; what they see is computed in
//! [`report`] and drawn by [`output`], or in a browser through [`serve`]. What they [`ask`] goes to many forms.

pub mod ask;
pub mod backlinks;
pub mod cli;
pub mod config;
pub mod engine;
pub mod evaluation;
pub mod fetch;
pub mod harvest;
pub mod output;
pub mod report;
pub mod serve;
pub mod store;
pub mod topic;
pub mod training;
