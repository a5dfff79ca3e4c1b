//! Forms of sites: where they stand, their fields, their markup, and what answers behind them.

pub(crate) mod behaviour;
pub(crate) mod content;
pub(crate) mod database;
pub(crate) mod fields;
pub(crate) mod markup;
pub(crate) mod plan;
pub(crate) mod reply;
