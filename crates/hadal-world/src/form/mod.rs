//! Forms of sites and the programs behind them.
//!
//! - [`plan`] decides which forms a site has and which pages contain them;
//! - [`content`] generates the fields of a form from the templates of [`fields`];
//! - [`markup`] writes a form into a page;
//! - [`database`] holds the records that a search form searches, [`changes`] adds, edits and removes some each day;
//! - [`reply`] answers a submitted search form, by its [`behaviour`].

pub(crate) mod behaviour;
pub(crate) mod changes;
pub(crate) mod content;
pub(crate) mod database;
pub(crate) mod fields;
pub(crate) mod markup;
pub(crate) mod plan;
pub(crate) mod reply;
