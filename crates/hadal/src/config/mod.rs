//! The configuration: raw TOML, variables and flags become one checked [`Config`], once.
//!
//! [`settings`] lists every setting, [`layers`] finds the value in force, [`read`] checks it.
//! Nothing after this point sees a raw value; unknown keys and impossible values stop the start.

pub mod error;
pub mod layers;
pub mod names;
mod read;
pub mod settings;
pub mod units;

pub use error::ConfigError;
pub use layers::{Layers, Override};

use crate::output::terminal::Color;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that can be set, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// What is crawled, and how much.
    pub crawl: Crawl,
    /// How hosts are treated.
    pub politeness: Politeness,
    /// How requests are carried.
    pub fetch: Fetch,
    /// Where crawls are kept.
    pub store: Store,
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
}

/// How hosts are treated.
#[derive(Clone, Debug, PartialEq)]
pub struct Politeness {
    /// Pause between requests to a host, at least.
    pub delay: Duration,
    /// Pause in multiples of the last answer's time.
    pub latency_factor: f64,
    /// The longest pause latency can cause.
    pub max_delay: Duration,
    /// Who we say we are.
    pub user_agent: String,
    /// Where we can be reached.
    pub contact: Option<String>,
}

impl Politeness {
    /// The `User-Agent` line: the name, and where its operator can be reached.
    pub fn user_agent_line(&self) -> String {
        match &self.contact {
            Some(contact) => format!("{} (+{contact})", self.user_agent),
            None => self.user_agent.clone(),
        }
    }
}

/// How requests are carried.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetch {
    /// Until connected.
    pub connect_timeout: Duration,
    /// Until the first line of the answer.
    pub answer_timeout: Duration,
    /// Until the last byte.
    pub total_timeout: Duration,
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

/// Where to connect for hosts that match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectTo {
    /// Host pattern; `*` stands for anything.
    pub pattern: String,
    /// Host or address to connect to instead.
    pub host: String,
    /// And its port.
    pub port: u16,
}

/// Where crawls are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// Store URL.
    pub url: String,
    /// Longest time until a step is durable.
    pub group_commit: Duration,
}
