//! Log of a web server: begin and end of each request per politeness group, and breaches of politeness in it.

use hadal_core::address::Host;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use url::Url;

/// Rounding of the pauses of a worker, which counts milliseconds.
const ROUNDING: Duration = Duration::from_millis(2);

/// Requests of a server so far.
#[derive(Clone, Default)]
pub struct RequestLog(Arc<(Mutex<Entries>, Condvar)>);

#[derive(Default)]
struct Entries {
    requests: usize,
    groups: BTreeMap<String, GroupLog>,
    breaches: Vec<String>,
}

/// Last request to a politeness group.
#[derive(Default)]
struct GroupLog {
    in_flight: usize,
    ended: Option<Instant>,
}

impl RequestLog {
    /// Records the begin of a request. A request to a busy group, or before the end of the delay, is a breach.
    pub fn begin(&self, url: &Url, delay: Duration) {
        let mut entries = self.0.0.lock().unwrap();
        entries.requests += 1;
        let now = Instant::now();
        let group = entries.groups.entry(Host::of(url).politeness_group()).or_default();
        let gap = group.ended.map(|ended| now - ended);
        let breach = match gap {
            _ if group.in_flight > 0 => Some(format!("{url}: {} in flight", group.in_flight)),
            Some(gap) if gap + ROUNDING < delay => Some(format!("{url}: {gap:?} after the last one")),
            _ => None,
        };
        group.in_flight += 1;
        entries.breaches.extend(breach);
        self.0.1.notify_all();
    }

    /// Records the end of a request.
    pub fn end(&self, url: &Url) {
        let mut entries = self.0.0.lock().unwrap();
        let group = entries.groups.entry(Host::of(url).politeness_group()).or_default();
        group.in_flight -= 1;
        group.ended = Some(Instant::now());
    }

    /// Number of requests so far.
    pub fn requests(&self) -> usize {
        self.0.0.lock().unwrap().requests
    }

    /// Breaches of politeness so far.
    pub fn breaches(&self) -> Vec<String> {
        self.0.0.lock().unwrap().breaches.clone()
    }

    /// Waits until the log holds a number of requests. False if that takes longer than `most`.
    pub fn wait_for(&self, requests: usize, most: Duration) -> bool {
        let entries = self.0.0.lock().unwrap();
        let wait = self.0.1.wait_timeout_while(entries, most, |entries| entries.requests < requests);
        !wait.unwrap().1.timed_out()
    }
}
