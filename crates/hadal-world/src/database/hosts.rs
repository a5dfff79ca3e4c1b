//! Databases with host names: the part of a world that harvests are measured on.

use super::Database;
use crate::random::mix;
use hadal_core::http::{BodyCompleteness, Exchange, FetchError, Request};
use hadal_core::time::Time;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// The last part of every host name here; no real host has it.
const SUFFIX: &str = ".example";

/// Databases by name.
#[derive(Default)]
pub struct DatabaseHosts(BTreeMap<String, Database>);

impl DatabaseHosts {
    /// Adds a database that answers at `http://NAME.example/`; one of the same name is replaced.
    pub fn add(&mut self, name: &str, database: Database) {
        self.0.insert(name.to_string(), database);
    }

    /// Whether a database can have this name: lower-case letters, digits and dashes.
    pub fn is_name(name: &str) -> bool {
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        (1..=60).contains(&name.len())
            && name.bytes().all(fits)
            && !name.starts_with('-')
            && !name.ends_with('-')
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names, home pages and databases, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Url, &Database)> {
        self.0.iter().filter_map(|(name, database)| {
            let home = Url::parse(&format!("http://{name}{SUFFIX}/")).ok()?;
            Some((name.as_str(), home, database))
        })
    }

    /// The database by its name.
    pub fn get(&self, name: &str) -> Option<&Database> {
        self.0.get(name)
    }

    /// The database that an address belongs to.
    pub fn at(&self, url: &Url) -> Option<&Database> {
        self.get(url.domain()?.trim_end_matches('.').strip_suffix(SUFFIX)?)
    }

    /// Answers for its hosts; `None` for all others.
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

/// The second half of the range that is set aside for benchmarks.
fn address_of(host: u64) -> IpAddr {
    let [high, low, ..] = host.to_be_bytes();
    IpAddr::V4(Ipv4Addr::new(198, 19, high, low))
}
