//! A simulated hidden web with known ground truth, for tests and evaluations of crawlers.
//!
//! A [`World`] consists of thousands to hundreds of thousands of sites that link to each other. Some are
//! *deep*: they have databases behind search forms. [`World::respond`] answers HTTP requests in process,
//! without sockets, and is a pure function of the [`Spec`], the request and the simulated time. Pages are
//! generated on demand from seeds, so memory grows with the number of sites only, and worlds with equal specs
//! are equal byte for byte.
//!
//! # Crawling a world
//!
//! ```
//! use hadal_core::http::Request;
//! use hadal_core::identity::form_id;
//! use hadal_core::time::Time;
//! use hadal_world::{Spec, World};
//!
//! // 60 small sites that always answer.
//! let world = World::new(Spec::tiny(1));
//!
//! // Fetch a seed of a topic, as a crawler would.
//! let seed = world.seeds("book").remove(0);
//! let exchange = world.respond(&Request::get(seed.clone()), Time(0));
//! let response = exchange.result.expect("tiny worlds have no connection failures");
//! let page = hadal_core::html::parse(&response.body, response.headers.get("content-type"), &seed);
//! assert!(!page.links.is_empty());
//!
//! // Compare a page with the ground truth: the parser finds the relevant form, with the same id.
//! let truth = world.relevant("book").next().expect("every topic has a relevant form");
//! let response = world.respond(&Request::get(truth.page_url.clone()), Time(0)).result.expect("an answer");
//! let page = hadal_core::html::parse(&response.body, None, &truth.page_url);
//! assert!(page.forms.iter().any(|form| form_id(form, &page.url) == truth.form_id));
//! assert!(world.records_behind(&truth) > 0);
//! ```
//!
//! # What to use
//!
//! | for | use |
//! |---|---|
//! | size, density and failures of a world | [`Spec`] with [`Spec::tiny`], [`Spec::demo`], [`Spec::evaluation`] or own values |
//! | responses with latency and connection failures | [`World::respond`] |
//! | seeds and example pages of a topic | [`World::seeds`], [`World::examples`] |
//! | backlinks, as a backlink service returns them | [`World::backlinks`] |
//! | all forms, and the relevant ones of a topic | [`World::truth`], [`World::relevant`] |
//! | records behind a form, and the record of a URL | [`World::records_behind`], [`World::record_at`] |
//! | bound on what a crawl can find | [`World::shortest_visits`] |
//! | comparison with the real web | [`measure`](fn@measure) |
//! | searches that scripts carry out, for browsers | [`scripted`] |
//! | larger databases to harvest, with many search semantics and layouts | [`database`] |
//!
//! # From request to response
//!
//! 1. `network` finds the site by host name and applies its health: dead, slow, flaky, moved.
//! 2. `site` expands the site's profile to pages, forms and addresses, and maps the URL to a resource.
//! 3. `page` writes pages of the site with its template, text and links.
//! 4. `form` plans forms, writes their markup and answers submissions from generated records.
//! 5. `scripted` answers for the host `scripted.example`, which no other site links to.
//! 6. `database` answers for hosts under `.example` that were added with [`World::with_databases`].
//!
//! `truth` derives the ground truth from the same plans that the pages are written from. `lexicon` has the
//! words, `random` the seeded random numbers.

pub mod database;
mod form;
mod lexicon;
mod measure;
mod network;
mod page;
mod random;
pub mod scripted;
mod site;
mod spec;
mod truth;
mod world;

pub use form::behaviour::Behaviour;
pub use measure::{Measurement, measure};
pub use spec::{Anchors, BackEnds, ChangeRates, Hubs, Rates, SeedSites, Spec, TagPaths};
pub use truth::oracle::OracleVisit;
pub use truth::{TrueForm, TrueRecord};
pub use world::World;
