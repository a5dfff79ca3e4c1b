//! Databases on host names of their own, which evaluations harvest.

use super::Database;
use crate::random::mix;
use hadal_core::http::{BodyCompleteness, Exchange, FetchError, Request};
use hadal_core::time::Time;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Top-level domain of all databases, reserved by RFC 2606.
const SUFFIX: &str = ".example";

/// Databases by name. A world serves them beside its sites.
#[derive(Default)]
pub struct DatabaseHosts(BTreeMap<String, Database>);

impl DatabaseHosts {
    /// Adds a database at `http://NAME.example/`. Replaces a database of the same name.
    pub fn add(&mut self, name: &str, database: Database) {
        self.0.insert(name.to_string(), database);
    }

    /// True if a database can have this name: 1 to 60 lower-case letters, digits and inner dashes.
    pub fn is_name(name: &str) -> bool {
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        (1..=60).contains(&name.len())
            && name.bytes().all(fits)
            && !name.starts_with('-')
            && !name.ends_with('-')
    }

    /// Number of databases.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are no databases.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names, home pages and databases, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Url, &Database)> {
        self.0.iter().filter_map(|(name, database)| {
            let home = Url::parse(&format!("http://{name}{SUFFIX}/")).ok()?;
            Some((name.as_str(), home, database))
        })
    }

    /// Database by name.
    pub fn get(&self, name: &str) -> Option<&Database> {
        self.0.get(name)
    }

    /// Database that serves a URL.
    pub fn at(&self, url: &Url) -> Option<&Database> {
        self.get(url.domain()?.trim_end_matches('.').strip_suffix(SUFFIX)?)
    }

    /// Answers a request; `None` if no database has the host. Adds latency and the body limit to
    /// [`Database::respond`].
    pub fn respond(&self, request: &Request, at: Time) -> Option<Exchange> {
        let database = self.at(&request.url)?;
        let host = xxh3_64(request.url.domain()?.as_bytes());
        let peer = Some(address_of(host));
        if request.url.scheme() != "http" || request.url.port().is_some() {
            let took = Duration::from_millis(60);
            return Some(Exchange { result: Err(FetchError::Connect), took, peer });
        }
        let mut response = database.respond(request, at);
        let limit = usize::try_from(request.body_limit).unwrap_or(usize::MAX);
        if response.body.len() > limit {
            response.body.truncate(limit);
            response.completeness = BodyCompleteness::Cut;
            response.transferred = limit as u64;
        }
        let took = Duration::from_millis(40 + mix(host, 1) % 200 + response.body.len() as u64 / 1_000);
        Some(Exchange { result: Ok(response), took, peer })
    }
}

/// IP address of a host in 198.19.0.0/16, the second half of the range that RFC 2544 reserves for benchmarks.
fn address_of(host: u64) -> IpAddr {
    let [high, low, ..] = host.to_be_bytes();
    IpAddr::V4(Ipv4Addr::new(198, 19, high, low))
}
