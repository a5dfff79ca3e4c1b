//! Training of the classifiers on labelled data.
//!
//! [`formasaurus`] and [`domains`] read labelled forms and pages, [`built_in`] trains the shipped classifiers,
//! and [`crate::forms`] evaluates them. The classifiers and learners are in `hadal-core`.

pub mod archive;
pub mod built_in;
pub mod domains;
pub mod formasaurus;
