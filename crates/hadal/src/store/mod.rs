//! Where a crawl lives: what waits, what was visited, what was found.
//!
//! One narrow trait and one contract suite (`tests/store/contract.rs`) that every back end passes.
//! A step hands over one [`Outcome`]; a [`Batch`] of them is applied in one transaction, and applying
//! an outcome twice changes nothing. Readers may open the same store while it is written.

pub mod catalogue;
pub mod harvest;
pub mod memory;
pub mod rows;
mod search;
mod sqlite;
pub mod submission;
mod tally;

pub use catalogue::*;
pub use harvest::*;
pub use rows::*;
pub use submission::*;

use hadal_core::address::{Host, LinkId, Site};
use hadal_core::identity::FormId;
use hadal_core::link::{FrontierLink, QueueId, QueueRank, QueuedLink};
use hadal_core::page::Form;
use std::path::PathBuf;
use std::sync::Arc;
use url::Url;

/// Opens the store that a URL names: `file:DIR` (or just `DIR`) or `memory:`.
pub fn open(url: &str, access: Access) -> Result<Arc<dyn Store>, StoreError> {
    let folder = match url.split_once(':') {
        Some(("memory", "")) => return Ok(Arc::new(memory::MemoryStore::default())),
        Some(("file", folder)) => folder.strip_prefix("//").map_or(Some(folder), absolute),
        Some(_) => None,
        None => Some(url),
    };
    let folder = folder.filter(|folder| !folder.is_empty());
    let folder = folder.ok_or_else(|| StoreError::BadUrl(url.to_string()))?;
    Ok(Arc::new(sqlite::open(folder.as_ref(), access)?))
}

/// After `file://` comes a host, and a store is on this one.
fn absolute(folder: &str) -> Option<&str> {
    folder.starts_with('/').then_some(folder)
}

/// A place to keep crawls in, and what they lead to.
pub trait Store: Harvests + Catalogue {
    /// The run with this specification: the one that exists, else a new one.
    fn begin(&self, spec: &RunSpec) -> Result<RunId, StoreError>;

    /// Forgets everything about a run but its submissions. Its number is not given again.
    fn discard(&self, run: RunId) -> Result<(), StoreError>;

    /// All that an engine needs to go on where the run stopped.
    fn resume(&self, run: RunId) -> Result<RunCheckpoint, StoreError>;

    /// Applies a batch: what it changed is seen through this handle at once, and kept with the next
    /// [`Store::sync`]. Outcomes whose step is not in flight any more are skipped.
    fn commit(&self, run: RunId, batch: &Batch) -> Result<(), StoreError>;

    /// Keeps everything applied so far, all of it or nothing: safe against kills and power loss, and
    /// seen by other handles and processes from now on.
    fn sync(&self) -> Result<(), StoreError>;

    /// Which of these links the run knows, waiting or done, in the same order.
    fn known(&self, run: RunId, links: &[LinkId]) -> Result<Vec<bool>, StoreError>;

    /// Which of these forms the run knows already, in the same order.
    fn known_forms(&self, run: RunId, forms: &[FormId]) -> Result<Vec<bool>, StoreError>;

    /// A form that the run found, whole, so that it can be filled; `None` when it was not kept.
    fn whole_form(&self, run: RunId, form: FormId) -> Result<Option<Form>, StoreError>;

    /// The best waiting leads of one host in a lane, ranked after `after`, at most `limit`.
    fn of_host(
        &self,
        run: RunId,
        lane: QueueId,
        host: &Host,
        after: Option<QueueRank>,
        limit: usize,
    ) -> Result<Vec<QueuedLink>, StoreError>;

    /// A lead that waits, is in flight or was followed; of others nothing needs to be known.
    fn lead(&self, run: RunId, link: LinkId) -> Result<Option<FrontierLink>, StoreError>;

    /// The best waiting leads of a lane, whatever their host, at most `limit`.
    fn of_lane(&self, run: RunId, lane: QueueId, limit: usize) -> Result<Vec<QueuedLink>, StoreError>;

    /// What a run has counted so far; cheap enough to ask every second.
    fn tally(&self, run: RunId) -> Result<RunCounters, StoreError>;

    /// A site's tally; zero for one never heard of.
    fn site(&self, run: RunId, site: &Site) -> Result<hadal_core::strategy::SiteCounters, StoreError>;

    /// A host's state, if the run has met it.
    fn host(&self, run: RunId, host: &Host) -> Result<Option<HostState>, StoreError>;

    /// What a person asked the running crawl to do, and asks it.
    fn control(&self, run: RunId) -> Result<Control, StoreError>;

    /// Asks the running crawl to do something.
    fn set_control(&self, run: RunId, control: &Control) -> Result<(), StoreError>;

    /// Every run, oldest first.
    fn runs(&self) -> Result<Vec<RunRow>, StoreError>;

    /// Calls `each` with the forms that pass, the most relevant first; `each` may end the walk.
    /// A form that several runs of a topic found is one row, as the first of them saw it.
    fn forms(&self, filter: &Filter, each: &mut dyn FnMut(FormRow) -> Walk) -> Result<(), StoreError>;

    /// Calls `each` with the sites that pass and gave a page or were closed, the most fruitful first;
    /// `min_relevance` asks for a site's best form. `each` may end the walk.
    fn sites(&self, filter: &Filter, each: &mut dyn FnMut(SiteRow) -> Walk) -> Result<(), StoreError>;

    /// Calls `each` with the pages a run has visited, in the order they were committed; `each` may end the walk.
    fn pages(&self, run: RunId, each: &mut dyn FnMut(PageRow) -> Walk) -> Result<(), StoreError>;

    /// Pages that link to an address, at most `limit`, by what the runs with this [`RunSpec::source`]
    /// met, the latest run first: pages of other sites that cite it, and the page on which it was first
    /// found. Whoever asks for the root of a site is told of pages that cite anything on it. Of each
    /// address a run keeps [`MOST_CITING`] pages that cite it.
    fn backlinks(&self, source: &str, url: &Url, limit: usize) -> Result<Vec<Url>, StoreError>;

    /// What a run's strategy learned, oldest first.
    fn lessons(&self, run: RunId) -> Result<Vec<LessonRow>, StoreError>;

    /// Calls `each` with the submissions of a run, harvest or topic, oldest first, also of what was
    /// discarded; `each` may end the walk.
    fn submissions(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(Submission) -> Walk,
    ) -> Result<(), StoreError>;
}

/// Pages that a run remembers to cite an address, for each address.
pub const MOST_CITING: usize = 50;

/// Whether an address is the front door of its site.
fn is_root(url: &Url) -> bool {
    url.path() == "/" && url.query().is_none()
}

/// Whether a walk over rows goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Next row, please.
    On,
    /// Enough.
    Stop,
}

/// How a store is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To crawl: one process at a time. Creates the store when it is missing.
    Crawl,
    /// To look: any number of processes, also while a crawl runs. The store must exist.
    Read,
}

/// Why a store did not do what it was asked. Each message says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The URL names no back end.
    #[error("store '{0}' is not understood: use file:DIR or memory:")]
    BadUrl(String),
    /// Nothing to read there.
    #[error("there is no store in {}: run `hadal find` or `hadal demo` first, or name another with --store", .0.display())]
    Missing(PathBuf),
    /// Another process crawls into it.
    #[error("the store in {} is in use by another crawl (process {holder}): wait, stop that one, or name another with --store", .path.display())]
    InUse {
        /// Where.
        path: PathBuf,
        /// Who, as far as it is known.
        holder: String,
    },
    /// A later hadal wrote it.
    #[error("the store in {} was written by a newer hadal (format {found}, this one reads up to {known}): update hadal", .path.display())]
    Newer {
        /// Where.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format known here.
        known: u32,
    },
    /// The file cannot be trusted.
    #[error("the store in {} is damaged ({detail}): nothing was changed; restore a copy, or name another with --store", .path.display())]
    Damaged {
        /// Where.
        path: PathBuf,
        /// What the engine said.
        detail: String,
    },
    /// No room left.
    #[error("no space left for the store in {}: free some and run the same command again, nothing is lost", .0.display())]
    Full(PathBuf),
    /// Anything else the engine or the file system said.
    #[error("store in {}: {detail}", .path.display())]
    Failed {
        /// Where.
        path: PathBuf,
        /// What was said.
        detail: String,
    },
}
