//! What to ask a form, what its answers say, and how much of it is still missing.
//!
//! Follow a query through the module:
//!
//! 1. [`policy`] picks the [`query::Query`] that promises most new records for its requests;
//! 2. [`crate::submission`] makes a request of it, somebody sends it;
//! 3. an [`answer::AnswerReader`] makes [`record::Record`]s, a way to the next page and a total of the answer;
//! 4. the policy learns from the [`policy::QueryOutcome`], and the next query is picked; where the site offers lists
//!    to browse, or links that narrow an answer, [`browse`] does so in its place;
//! 5. [`estimate`] learns from it too: how much is there, and is it time to stop.
//!
//! [`session`] puts them together. Nothing here keeps a file: policies are rebuilt by learning again from
//! what was stored.

pub mod answer;
pub mod browse;
pub mod estimate;
pub mod policy;
pub mod query;
pub mod record;
pub mod session;
pub mod structured;
