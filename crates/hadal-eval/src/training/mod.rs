//! Training and measuring the judges on labelled data.
//!
//! [`formasaurus`] and [`domains`] read labelled forms and pages from a folder, [`built_in`] makes the judges
//! that ship from them, [`crate::forms`] measures how good they are. The judges themselves, and how they learn,
//! are in `hadal-core`.

pub mod archive;
pub mod built_in;
pub mod domains;
pub mod formasaurus;
