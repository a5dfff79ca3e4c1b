//! Query policies compared: harvests of known collections, scored by what is really in them.
//!
//! A [`Plan`] names collections, [`settings`] of the databases behind which they hide, and policies; [`run`]
//! makes one [`Trial`] of each [`Case`] and keeps it in a folder, so that the same command goes on where it
//! stopped. A policy asks the database itself, without pages in between: what is compared is what is asked,
//! not how answers are read. What the trials tell is drawn in [`figures`].

pub mod arena;
pub mod collections;
pub mod curve;
pub mod figures;
pub mod oracle;
pub mod plan;
pub mod promises;
pub mod runner;
pub mod settings;
pub mod trial;

pub use collections::Held;
pub use plan::{Case, Plan};
pub use runner::run;
pub use trial::Trial;
