//! The configuration: raw TOML, variables and flags become one checked [`Config`], once.
//!
//! [`settings`] lists every setting, [`layers`] finds the value in force, [`read`] checks it.
//! Nothing after this point sees a raw value; unknown keys and impossible values stop the start.

pub mod error;
pub mod layers;
mod read;
pub mod settings;
pub mod units;

pub use error::ConfigError;
pub use layers::{Layers, Override};

use crate::backlinks::Source;
use crate::engine::Probing;
use crate::fetch::network::{ConnectTo, Timeouts};
use crate::fetch::politeness::Politeness;
use crate::output::terminal::Color;
use crate::topic::Folder;
use hadal_core::harvest::session::DetailMode;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that can be set, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// What is crawled, and how much.
    pub crawl: Crawl,
    /// How hosts are treated.
    pub politeness: Manners,
    /// How requests are carried.
    pub fetch: Fetch,
    /// Which forms are asked whether they search.
    pub probe: Probing,
    /// How forms are harvested, and how much.
    pub harvest: Harvest,
    /// Where crawls are kept.
    pub store: Store,
    /// Folder of the user's own topics.
    pub topics: Folder,
    /// When output is coloured.
    pub color: Color,
}

/// What is crawled, and how much. `None` is no limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Crawl {
    /// A strategy that exists.
    pub strategy: String,
    /// Requests of the run.
    pub max_requests: Option<u64>,
    /// Bytes of the run.
    pub max_bytes: Option<u64>,
    /// Running time of the run.
    pub max_time: Option<Duration>,
    /// Requests under way at once.
    pub concurrency: usize,
    /// Clicks from a seed.
    pub max_depth: Option<u16>,
    /// Pages of one site.
    pub max_pages_per_site: Option<u32>,
    /// Valid URL patterns, one of which must match.
    pub include: Vec<String>,
    /// Valid URL patterns, none of which may match.
    pub exclude: Vec<String>,
    /// File of hosts never visited.
    pub block_hosts: Option<PathBuf>,
    /// Who is asked which pages link to a site, in this order.
    pub backlinks: Vec<Source>,
    /// Whose knowledge a new run begins with.
    pub prior: Prior,
}

/// How forms are harvested, and how much. `None` is no limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Harvest {
    /// A policy that exists.
    pub policy: String,
    /// Coverage at which it is enough.
    pub target_coverage: f64,
    /// Whether the own pages of records are fetched.
    pub details: DetailMode,
    /// Requests of all forms.
    pub max_requests: Option<u64>,
    /// Bytes of all forms.
    pub max_bytes: Option<u64>,
    /// Running time of a session.
    pub max_time: Option<Duration>,
    /// Records of one form.
    pub max_records: Option<u64>,
    /// Forms at once.
    pub concurrency: usize,
}

/// Whose knowledge a new run begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prior {
    /// Nobody's.
    None,
    /// That of the latest run with the same topic, strategy and source.
    Auto,
    /// That of the run with this number.
    Run(u64),
}

/// How hosts are treated.
#[derive(Clone, Debug, PartialEq)]
pub struct Manners {
    /// How long a host is left alone between two requests.
    pub pace: Politeness,
    /// Who we say we are.
    pub user_agent: String,
    /// Where we can be reached.
    pub contact: Option<String>,
}

impl Manners {
    /// The name robots.txt knows us by: the user agent before its slash.
    pub fn agent(&self) -> &str {
        self.user_agent.split(['/', ' ']).next().unwrap_or_default()
    }
}

/// How requests are carried.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetch {
    /// How long each phase may take.
    pub timeouts: Timeouts,
    /// Bytes of a body.
    pub body_limit: u64,
    /// Whether private addresses may be visited.
    pub allow_private: bool,
    /// Where to connect for some hosts.
    pub connect_to: Vec<ConnectTo>,
    /// Extra header lines, valid names and values.
    pub headers: Vec<(String, String)>,
    /// Cookie file to start with.
    pub cookies: Option<PathBuf>,
}

/// Where crawls are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// Store URL.
    pub url: String,
    /// Longest time until a step is durable.
    pub group_commit: Duration,
}
