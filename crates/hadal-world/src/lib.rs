//! A simulated hidden web with known truth.
//!
//! A [`World`] answers requests as the real web would: [`World::respond`] is a pure function of the
//! [`Spec`], the request and the time. Only the site graph is in memory; pages are written on demand.
//! Follow a request through the crate:
//!
//! 1. `populate` and `graph` draw the sites once, `names` gives them hosts;
//! 2. `respond` finds the site and how it feels today: dead, slow, flaky, moved;
//! 3. `site` unfolds its record: `tree` of pages, `plan` of forms, addresses;
//! 4. `answer` turns the path into a place, and the place into a document;
//! 5. `compose` writes it, `sketch` and `form_markup` its forms, `backend` what they find, and
//!    `reply` what they make of that, by their `behaviour`.
//!
//! [`database`] holds larger databases, which harvests are measured on; a library of them can be part of a world.
//! `seeds` says where crawls start, `citing` who links to whom. [`TrueForm`] tells what is really there,
//! [`Tour`] how soon it could be found, [`measure`] how close it all is to the real web.

mod answer;
mod backend;
mod behaviour;
mod citing;
mod compose;
pub mod database;
mod draw;
mod form_markup;
mod graph;
mod holdings;
mod machine_files;
mod markup;
mod measure;
mod names;
mod plan;
mod populate;
mod questions;
mod record;
mod reply;
mod respond;
mod seeds;
mod site;
mod sketch;
mod spec;
mod template;
mod text;
mod tour;
mod traps;
mod tree;
mod truth;
mod words;
mod world;

pub use behaviour::Behaviour;
pub use holdings::TrueRecord;
pub use measure::{Measure, measure};
pub use spec::{Anchors, BackEnds, Hubs, Rates, Spec, TagPaths};
pub use tour::Tour;
pub use truth::TrueForm;
pub use world::World;
