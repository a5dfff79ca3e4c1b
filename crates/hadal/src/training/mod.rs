//! Training and measuring the judges on labelled data.
//!
//! [`data`] reads labelled forms and pages from a folder, [`pages`] and [`archive`] help it; the judges
//! themselves, and how they learn, are in `hadal-core`.

pub mod archive;
pub mod data;
pub mod formasaurus;
