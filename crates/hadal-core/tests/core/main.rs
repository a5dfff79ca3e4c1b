//! The public interface of the crate: pages, answers, forms, classifiers and harvest sessions.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod answers_hostile;
mod answers_layouts;
mod forms_properties;
mod harvest_session;
mod html_hostile;
mod html_pages;
mod html_properties;
mod judging_bad_input;
mod learn_properties;
mod shipped_classifiers;
mod structured_cars;
mod submission;
