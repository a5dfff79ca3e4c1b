//! A web that watches the turns of politeness groups.

use super::Web;
use futures::future::BoxFuture;
use hadal::fetch::Fetch;
use hadal_core::address::Host;
use hadal_core::http::{Exchange, Request};
use hadal_core::time::Time;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use url::Url;

/// Address of the host of a URL, if it is known.
type AddressOf = dyn Fn(&Url) -> Option<IpAddr> + Send + Sync;

/// A web that answers after some milliseconds, and notes two requests at once to one politeness group, and requests to
/// it before the end of its pause.
pub struct WatchedWeb {
    pub web: Web,
    address: Box<AddressOf>,
    pause: Duration,
    groups: Mutex<HashMap<String, WatchedGroup>>,
    collisions: Mutex<Vec<String>>,
    log: Mutex<Vec<(Instant, String)>>,
}

/// Requests to a politeness group.
#[derive(Default)]
struct WatchedGroup {
    in_flight: usize,
    ended: Option<Instant>,
}

impl WatchedWeb {
    /// Web with these pauses. `address` is the address of a host, if it is known.
    pub fn new(
        web: Web,
        pause: Duration,
        address: impl Fn(&Url) -> Option<IpAddr> + Send + Sync + 'static,
    ) -> Arc<WatchedWeb> {
        let (groups, collisions, log) = (Mutex::default(), Mutex::default(), Mutex::default());
        Arc::new(WatchedWeb { web, address: Box::new(address), pause, groups, collisions, log })
    }

    /// Requests at once to one group, or too soon after another.
    pub fn collisions(&self) -> Vec<String> {
        self.collisions.lock().unwrap().clone()
    }

    /// Time between the sending of the first requests for two URLs.
    pub fn gap(&self, first: &str, second: &str) -> Duration {
        let log = self.log.lock().unwrap();
        let at = |url: &str| log.iter().find(|(_, sent)| sent == url).unwrap_or_else(|| panic!("{url}")).0;
        at(second).saturating_duration_since(at(first))
    }

    fn group(&self, url: &Url) -> String {
        (self.address)(url).map_or_else(|| Host::of(url).politeness_group(), |address| address.to_string())
    }

    fn begin(&self, url: &Url) {
        self.log.lock().unwrap().push((Instant::now(), url.to_string()));
        let mut groups = self.groups.lock().unwrap();
        let group = groups.entry(self.group(url)).or_default();
        group.in_flight += 1;
        let gap = group.ended.map(|ended| ended.elapsed() + Duration::from_millis(1));
        if group.in_flight > 1 || gap.is_some_and(|gap| gap < self.pause) {
            self.collisions.lock().unwrap().push(format!("{url} after {gap:?}"));
        }
    }

    fn end(&self, url: &Url) {
        let mut groups = self.groups.lock().unwrap();
        let group = groups.entry(self.group(url)).or_default();
        (group.in_flight, group.ended) = (group.in_flight - 1, Some(Instant::now()));
    }
}

impl Fetch for WatchedWeb {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        Box::pin(async move {
            let began = Instant::now();
            self.begin(&request.url);
            tokio::time::sleep(Duration::from_millis(5)).await;
            self.end(&request.url);
            let exchange = self.web.fetch(request, at).await;
            Exchange { took: began.elapsed(), peer: (self.address)(&request.url), ..exchange }
        })
    }

    fn resolve<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<IpAddr>> {
        Box::pin(async move { (self.address)(url) })
    }
}
