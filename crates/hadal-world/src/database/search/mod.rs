//! Full-text search over a collection.

pub(in crate::database) mod analysis;
pub(in crate::database) mod index;
pub(in crate::database) mod matching;
pub(in crate::database) mod ranking;
mod tokens;
