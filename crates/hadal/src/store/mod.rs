//! Storage of crawls and harvests.
//!
//! Three traits, one per user of a store: [`CrawlStore`] for the engine, [`HarvestStore`] for harvests,
//! [`Catalogue`] for users (listings, exports, dashboard). A back end implements all three and is then a
//! [`Store`]. Three exist: SQLite in a folder, PostgreSQL, and memory. Every back end passes the tests of the
//! crate `hadal-store-contract`.
//!
//! # Rules of the traits
//!
//! - **Batches.** A method takes many keys or many changes and answers them together, so that a back end behind a
//!   network needs one round trip per call. There is no call per link.
//! - **Values.** Arguments are plain data and results are owned. No method takes a callback or returns a cursor into
//!   the store. Long lists are read page by page: a query holds the position after which it continues, and a
//!   [`RowPage`] holds the position of the next page. So no transaction is open between two calls.
//! - **Blocking.** Calls block, for microseconds in memory and milliseconds on disk. Async code calls readers on a
//!   blocking pool.
//! - **Outcomes.** A step is one [`Outcome`] or one [`HarvestStep`] with a sequence number. A [`Batch`] is
//!   applied in one transaction. Applying a step twice changes nothing.
//! - **One writer.** One process crawls into a store in a folder. In PostgreSQL, one process works on each harvest, and
//!   several may share a run ([`SharedRuns`]). Any number of processes read at the same time.

mod best_queues;
mod catalogue;
mod copy;
mod counters;
mod crawl;
mod harvest;
pub mod memory;
mod packed_link;
mod paging;
pub mod postgres;
mod rows;
mod search;
mod shared;
mod sqlite;
mod state_changes;
mod submission;
mod views;

pub use catalogue::*;
pub use copy::{CopyProgress, copy};
pub use crawl::*;
pub use harvest::*;
pub use paging::*;
pub use rows::*;
pub use shared::*;
pub use submission::*;
pub use views::LAST_TIMESTAMP;

use std::path::PathBuf;
use std::sync::Arc;

/// Tables of every SQL back end with rows of runs. Each has a column `run`; the key of `runs` is `id`.
pub(crate) const RUN_TABLES: [&str; 15] = [
    "runs",
    "progress",
    "strategies",
    "strategy_changes",
    "errors",
    "in_flight",
    "links",
    "hosts",
    "sites",
    "forms",
    "pages",
    "lessons",
    "backlinks",
    "curve",
    "failures",
];

/// Tables of every SQL back end with rows of harvests. Each has a column `harvest`; the key of `harvests` is `id`.
pub(crate) const HARVEST_TABLES: [&str; 6] =
    ["harvests", "harvest_progress", "readers", "queries", "records", "harvest_curve"];

/// A back end: everything that is stored, for every user.
pub trait Store: CrawlStore + HarvestStore + Catalogue {}

impl<T: CrawlStore + HarvestStore + Catalogue> Store for T {}

/// Opens the store at a URL: `file:DIR` (or plain `DIR`), `postgres://...` or `memory:`.
pub fn open(url: &str, access: Access) -> Result<Arc<dyn Store>, StoreError> {
    Ok(match locate(url)? {
        Location::Memory => Arc::new(memory::MemoryStore::default()),
        Location::Database => Arc::new(postgres::open(url, access)?),
        Location::Folder(folder) => Arc::new(sqlite::open(folder.as_ref(), access)?),
    })
}

/// Place of a store.
enum Location<'a> {
    Memory,
    /// A PostgreSQL database.
    Database,
    Folder(&'a str),
}

/// The place that a URL names.
fn locate(url: &str) -> Result<Location<'_>, StoreError> {
    let folder = match url.split_once(':') {
        Some(("memory", "")) => return Ok(Location::Memory),
        Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => return Ok(Location::Database),
        Some(("file", folder)) => folder.strip_prefix("//").map_or(Some(folder), local_path),
        Some(_) => None,
        None => Some(url),
    };
    let folder = folder.filter(|folder| !folder.is_empty());
    folder.map(Location::Folder).ok_or_else(|| StoreError::BadUrl(url.to_string()))
}

/// A URL of a store for messages: without its password.
pub fn shown_url(url: &str) -> String {
    if url.starts_with("postgres") { postgres::without_password(url) } else { url.to_string() }
}

/// The path of a `file://` URL. A host name after the slashes is refused, since a store is on the local machine.
fn local_path(folder: &str) -> Option<&str> {
    folder.starts_with('/').then_some(folder)
}

/// Purpose for which a store is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Crawl or harvest: one process at a time. Creates the store if it is missing.
    Crawl,
    /// Read: any number of processes, also while a crawl runs. The store must exist.
    Read,
}

/// Error of a store. Each message ends with what to do next, except [`StoreError::Failed`]: its causes are
/// unknown here.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The URL names no known back end.
    #[error("unknown store '{0}': use file:DIR, postgres://USER@HOST/DATABASE or memory:")]
    BadUrl(String),
    /// The URL of a database cannot be read.
    #[error("cannot read the store '{url}' ({detail}): use postgres://USER@HOST/DATABASE")]
    BadDatabaseUrl {
        /// URL without its password.
        url: String,
        /// Message of the URL parser.
        detail: String,
    },
    /// The folder holds no store.
    #[error("there is no store in {}: run `hadal find` or `hadal demo` first, or name another with --store", .0.display())]
    Missing(PathBuf),
    /// Another process crawls into the store.
    #[error("the store in {} is in use by another crawl (process {holder}): wait, stop that one, or name another with --store", .path.display())]
    InUse {
        /// Folder of the store.
        path: PathBuf,
        /// Process id of the other crawl, or `unknown`.
        holder: String,
    },
    /// A store that cannot be copied, with the reason.
    #[error(
        "cannot copy {0}: the source must be a folder or a database without running crawls, and the target must be empty"
    )]
    NotCopied(String),
    /// Another worker holds the run or harvest.
    #[error(
        "{what} of {store} is in use by another worker ({holder}): wait, stop that worker, or start another run"
    )]
    Taken {
        /// The run or harvest.
        what: String,
        /// URL of the store.
        store: String,
        /// Host and process of the other worker.
        holder: String,
    },
    /// The lease of this worker expired, and other workers own its partitions.
    #[error(
        "the lease of this worker on {what} of {store} expired: run the same command to join again; only what it did since its last commit is lost"
    )]
    LeaseLost {
        /// Name of the run.
        what: String,
        /// URL of the store.
        store: String,
    },
    /// The database server does not answer.
    #[error(
        "cannot reach {store} ({detail}): check that the server runs and accepts this user, then run the same command again; nothing is lost"
    )]
    Unreachable {
        /// URL of the store.
        store: String,
        /// Message of the server or the driver.
        detail: String,
    },
    /// A newer version of hadal wrote the store.
    #[error("the store in {} was written by a newer hadal (format {found}, this one reads up to {known}): update hadal", .path.display())]
    Newer {
        /// Folder of the store.
        path: PathBuf,
        /// Format number of the store.
        found: u32,
        /// Highest format number that this version reads.
        known: u32,
    },
    /// The file is not a store, or its content is inconsistent.
    #[error("the store in {} is damaged ({detail}): nothing was changed; restore a copy, or name another with --store", .path.display())]
    Damaged {
        /// Folder of the store.
        path: PathBuf,
        /// Message of the database engine.
        detail: String,
    },
    /// The disk is full.
    #[error("no space left for the store in {}: free some and run the same command again, nothing is lost", .0.display())]
    Full(PathBuf),
    /// Any other error of the database engine or the file system.
    #[error("store in {}: {detail}", .path.display())]
    Failed {
        /// Folder of the store.
        path: PathBuf,
        /// Message of the engine or the file system.
        detail: String,
    },
}
