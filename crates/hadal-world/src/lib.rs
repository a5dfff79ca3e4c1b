//! A simulated hidden web with known truth.
//!
//! A [`World`] answers requests as the real web would: [`World::respond`] is a pure function of the
//! [`Spec`], the request and the time. Only the site graph is in memory; pages are written on demand.

pub mod database;
mod form;
mod lexicon;
mod measure;
mod network;
mod page;
mod random;
mod site;
mod spec;
mod truth;
mod world;

pub use form::behaviour::Behaviour;
pub use measure::{Measurement, measure};
pub use spec::{Anchors, BackEnds, Hubs, Rates, Spec, TagPaths};
pub use truth::TrueForm;
pub use truth::oracle::OracleVisit;
pub use truth::records::TrueRecord;
pub use world::World;
