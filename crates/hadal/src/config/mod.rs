//! Configuration: TOML, variables and flags become one checked [`Config`].
//!
//! [`settings`] lists every setting, [`layers`] finds the effective value, [`read`] checks it. Unknown keys and
//! invalid values are errors.

pub mod layers;
mod read;
pub mod settings;
pub mod units;

pub use layers::{Layers, Override};

use crate::backlinks::Source;
use crate::engine::Probing;
use crate::fetch::network::{ConnectTo, Timeouts};
use crate::output::terminal::Color;
use crate::polite::Politeness;
use crate::render::RenderMode;
use crate::topic::TopicFolder;
use hadal_core::harvest::policy::PolicyRegistry;
use hadal_core::harvest::session::DetailMode;
use hadal_core::strategy::StrategyRegistry;
use layers::Origin;
use std::path::PathBuf;
use std::time::Duration;

/// An invalid configuration. Messages name the key and what is expected.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is unreadable or not TOML.
    #[error("configuration file {}: {detail}", .path.display())]
    File { path: PathBuf, detail: String },
    /// No setting has this key.
    #[error("unknown setting '{key}'{}{}", place(.origin), did_you_mean(.suggestion))]
    Unknown {
        /// Key as written.
        key: String,
        /// Origin of the key; `None` if the key itself shows it.
        origin: Option<Origin>,
        /// Nearest known key.
        suggestion: Option<String>,
    },
    /// Known key with an invalid value.
    #[error("setting '{key}' (from {origin}): {value} is not {expected}{}", did_you_mean(.suggestion))]
    Impossible {
        key: &'static str,
        origin: Origin,
        /// Value as written.
        value: String,
        /// Description of valid values.
        expected: String,
        /// Nearest valid value.
        suggestion: Option<String>,
    },
}

fn place(origin: &Option<Origin>) -> String {
    origin.as_ref().map(|origin| format!(" in {origin}")).unwrap_or_default()
}

/// Formats "; did you mean 'x'?", or nothing.
fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}

/// Names of the strategies and policies that the settings may choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownNames {
    pub strategies: Vec<&'static str>,
    pub policies: Vec<&'static str>,
}

impl KnownNames {
    /// Names of the strategies and policies of `hadal-core`.
    pub fn built_in() -> KnownNames {
        KnownNames {
            strategies: StrategyRegistry::built_in().iter().map(|entry| entry.name).collect(),
            policies: PolicyRegistry::built_in().iter().map(|entry| entry.name).collect(),
        }
    }
}

/// All settings, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    pub crawl: CrawlConfig,
    pub politeness: PolitenessConfig,
    pub fetch: FetchConfig,
    pub probe: Probing,
    pub harvest: HarvestConfig,
    pub store: StoreConfig,
    pub topics: TopicFolder,
    /// Folder of classifiers that replace the built-in ones.
    pub models: Option<PathBuf>,
    /// Pages that a crawl opens in a browser.
    pub render_crawls: RenderMode,
    /// Pages that harvests open in a browser.
    pub render_harvests: RenderMode,
    /// Folder for pictures of rendered pages.
    pub thumbnails: Option<PathBuf>,
    pub color: Color,
}

/// Settings of crawls. `None` means no limit.
#[derive(Clone, Debug, PartialEq)]
pub struct CrawlConfig {
    /// Name of an existing strategy.
    pub strategy: String,
    /// Request budget of the run.
    pub max_requests: Option<u64>,
    /// Byte budget of the run.
    pub max_bytes: Option<u64>,
    /// Time budget of the run.
    pub max_time: Option<Duration>,
    /// Maximum number of requests in flight at the same time.
    pub concurrency: usize,
    /// Maximum number of clicks from a seed.
    pub max_depth: Option<u16>,
    /// Maximum number of pages per site.
    pub max_pages_per_site: Option<u32>,
    /// Valid URL patterns, one of which must match.
    pub include: Vec<String>,
    /// Valid URL patterns, none of which may match.
    pub exclude: Vec<String>,
    /// File of hosts that are never visited.
    pub block_hosts: Option<PathBuf>,
    /// Backlink sources in order of use.
    pub backlinks: Vec<Source>,
    /// Run that gives a new run its first model.
    pub prior: Prior,
}

/// Settings of harvests. `None` means no limit.
#[derive(Clone, Debug, PartialEq)]
pub struct HarvestConfig {
    /// Name of an existing policy.
    pub policy: String,
    /// Coverage at which a harvest stops.
    pub target_coverage: f64,
    pub details: DetailMode,
    /// Request budget over all forms.
    pub max_requests: Option<u64>,
    /// Byte budget over all forms.
    pub max_bytes: Option<u64>,
    /// Time budget of a session.
    pub max_time: Option<Duration>,
    /// Number of records per form at which a harvest stops.
    pub max_records: Option<u64>,
    /// Forms harvested at the same time.
    pub concurrency: usize,
}

/// Run that gives a new run its first model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prior {
    /// A new run starts without an earlier model.
    None,
    /// Latest run with the same topic, strategy and source.
    Auto,
    /// Run with this number.
    Run(u64),
}

/// Settings of politeness and identity.
#[derive(Clone, Debug, PartialEq)]
pub struct PolitenessConfig {
    pub delays: Politeness,
    /// User-Agent header.
    pub user_agent: String,
    /// Contact address in the User-Agent header.
    pub contact: Option<String>,
}

impl PolitenessConfig {
    /// Agent name for robots.txt: the user agent before its slash.
    pub fn agent(&self) -> &str {
        self.user_agent.split(['/', ' ']).next().unwrap_or_default()
    }
}

/// Settings of the HTTP client.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchConfig {
    pub timeouts: Timeouts,
    /// Body size limit in bytes.
    pub body_limit: u64,
    /// Allow private and loopback addresses.
    pub allow_private: bool,
    /// Rules that redirect connections of some hosts.
    pub connect_to: Vec<ConnectTo>,
    /// Extra header lines with valid names and values.
    pub headers: Vec<(String, String)>,
    /// File with additional certificate authorities.
    pub ca_file: Option<PathBuf>,
    /// Cookie file to load.
    pub cookies: Option<PathBuf>,
}

/// Settings of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreConfig {
    pub url: String,
    /// Time between two checkpoints of a crawl; longer if checkpoints are slow.
    pub group_commit: Duration,
}
