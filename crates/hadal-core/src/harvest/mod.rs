//! Harvesting: queries to a form, records from its answers, and the size of the database behind it.
//!
//! The path of a query through the module:
//!
//! 1. A [`policy::Policy`] chooses the [`query::Query`] with most expected new records per request.
//!    [`browse`] replaces it where the site has browse lists or facets; [`structured`] is the policy of forms
//!    whose inputs offer values.
//! 2. [`crate::submission`] builds the request; the caller sends it.
//! 3. An [`answer::AnswerReader`] reads [`record::Record`]s, the next page and the stated total from the result page.
//! 4. The policy learns from the [`policy::QueryOutcome`].
//! 5. An [`estimate::SizeEstimator`] learns from it too, and [`session`] decides when the harvest ends.
//!
//! [`session`] connects these parts. [`refresh`] chooses the queries that are worth sending again later.
//! Nothing here is stored: a policy is restored by learning from the stored answers again.
//!
//! Formulas of this module share some symbols: `N` is the number of records in the database, `S` the number
//! of seen records, `T` a stated total, `K` the number of seen records that match a query, `U` that of unseen
//! ones. Other symbols are explained where they are used.

pub mod answer;
pub mod browse;
pub mod estimate;
pub mod policy;
pub mod query;
pub mod record;
pub mod refresh;
pub mod session;
pub mod structured;
