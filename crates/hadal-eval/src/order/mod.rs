//! Search for the weights of the strategy `hadal` by repeated crawls over unchanging webs.
//!
//! A [`KnownWeb`] fetches, parses and judges each page of a web once per topic. [`crawl()`] then repeats a crawl over
//! it in milliseconds with the rates of the strategy and any weights. [`search`] changes the weights so that crawls
//! find more forms.

pub mod crawl;
pub mod search;
pub mod web;

pub use crawl::{FoundCurve, crawl};
pub use search::{SearchProgress, WeightSearch};
pub use web::KnownWeb;
