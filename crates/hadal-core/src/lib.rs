//! The deciding part of hadal: parsing, classifiers, strategies, query policies and estimators.
//!
//! This crate does no IO and reads no clock. Time and randomness are arguments, so that every decision can be
//! tested and replayed. A page passes through it in four steps:
//!
//! 1. [`http`]: the request and the response;
//! 2. [`html`]: bytes to a [`page::Page`] in one parse: text, links with context, forms, hints;
//! 3. [`critic`]: P(on topic) of the page, kind and relevance of its forms;
//! 4. [`strategy`]: queue and score of each of its links, and the queue that is served next.
//!
//! A form found this way is downloaded by [`harvest`]: query policies, answer readers and size estimators.
//!
//! [`submission`] builds the request of a filled form; [`critic::probe`] tests a form with it. [`address`] and
//! [`identity`] define when two URLs or two forms are the same. [`link`] holds links that wait to be visited.
//! [`scripted`] learns searches that scripts carry out. [`learn`] and [`text`] are the learners and text tools of the
//! classifiers. [`registry`] lists strategies and policies by name.

#![warn(missing_docs)]

pub mod address;
pub mod critic;
pub mod endpoint;
pub mod harvest;
pub mod html;
pub mod http;
pub mod identity;
pub mod learn;
pub mod link;
pub mod page;
pub mod registry;
pub mod repetition;
pub mod scripted;
pub mod simhash;
pub mod strategy;
pub mod submission;
pub mod text;
pub mod time;
pub mod topic;
mod url_query;
