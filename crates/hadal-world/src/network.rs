//! How an answer travels: dead, slow, flaky and wandering hosts, latency, limits.

use crate::random::{SeededRng, mix};
use crate::site::Site;
use crate::site::host_names::HostRole;
use crate::site::profile::{Health, SiteProfile};
use crate::site::resource::{Resource, SiteResponse, answer, place, without_session};
use crate::world::World;
use hadal_core::http::{BodyCompleteness, Exchange, FetchError, Headers, Request, Response};
use hadal_core::time::Time;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// A flaky host changes its mood this often.
const MOOD: u64 = 4_000;

/// What a flaky host asks to wait, in seconds: longer than a mood.
const RETRY_AFTER: &str = "5";

/// What a host that was asked too often asks to wait, in seconds.
const RETRY_LATER: &str = "60";

impl World {
    /// Answers a request. The same request at the same time gets the same answer.
    /// Databases with hosts of their own count requests: where they limit them, those before matter too.
    pub fn respond(&self, request: &Request, at: Time) -> Exchange {
        if let Some(exchange) = self.databases().respond(request, at) {
            return exchange;
        }
        let Some((index, host)) = self.locate(&request.url) else {
            return failed(FetchError::NoSuchHost, 40, None);
        };
        let site = self.site(index);
        let peer = address_of(site.profile);
        if !is_served(&request.url) {
            return failed(FetchError::Connect, 60, Some(peer));
        }
        let mut rng = mood(site.profile, request, at);
        let mut exchange = match self.trouble(&site, request, &mut rng) {
            Some(Err((error, after))) => failed(error, after, Some(peer)),
            Some(Ok(answer)) => deliver(answer, request, &site, &mut rng),
            None => {
                let answer = answer(&site, host, request, at, |page| self.citations(&site, page));
                deliver(answer, request, &site, &mut rng)
            }
        };
        exchange.peer = Some(peer);
        exchange
    }

    /// How an answer of so many bytes travels at this moment, for those who have its content already:
    /// how long it takes and from where, as [`World::respond`] would say. `None` when the site does
    /// something else than answer.
    pub fn delivery(&self, request: &Request, at: Time, bytes: usize) -> Option<(Duration, IpAddr)> {
        let (index, _) = self.locate(&request.url).filter(|_| is_served(&request.url))?;
        let record = self.record(index);
        let mut rng = mood(record, request, at);
        let answers = match record.health {
            Health::Fine | Health::Slow => true,
            Health::Flaky => flaky(&mut rng).is_none(),
            Health::Dead | Health::Moved(_) | Health::Looping => false,
        };
        answers.then(|| (latency(record, bytes, &mut rng), address_of(record)))
    }

    /// Whether the same stands at an address at all times; what the programs behind forms say may change.
    pub fn is_static(&self, url: &Url) -> bool {
        let Some((index, host)) = self.locate(url) else { return self.databases().at(url).is_none() };
        let site = self.site(index);
        let (path, _) = without_session(url);
        !matches!(place(&site, host, &path), Resource::Action(..))
    }

    /// What a site in bad health does instead of answering.
    fn trouble(&self, site: &Site<'_>, request: &Request, rng: &mut SeededRng) -> Option<Disturbance> {
        match site.profile.health {
            Health::Fine | Health::Slow => None,
            Health::Dead => Some(Err(dead(site))),
            Health::Flaky => flaky(rng),
            Health::Moved(to) => Some(Ok(SiteResponse::redirect(self.site(to).url(0)))),
            Health::Looping => Some(Ok(SiteResponse::redirect(circle(site, &request.url)))),
        }
    }
}

/// Nobody listens anywhere else.
fn is_served(url: &Url) -> bool {
    url.scheme() == "http" && url.port().is_none()
}

/// What a request meets by chance, the same for a while.
fn mood(record: &SiteProfile, request: &Request, at: Time) -> SeededRng {
    SeededRng::new(record.seed ^ xxh3_64(request.url.as_str().as_bytes()), at.0 / MOOD)
}

type Disturbance = Result<SiteResponse, (FetchError, u64)>;

fn dead(site: &Site<'_>) -> (FetchError, u64) {
    match mix(site.profile.seed, 100) % 4 {
        0 => (FetchError::NoSuchHost, 60),
        1 => (FetchError::Connect, 120),
        2 => (FetchError::ConnectTimeout, 10_000),
        _ => (FetchError::AnswerTimeout, 30_000),
    }
}

fn flaky(rng: &mut SeededRng) -> Option<Disturbance> {
    match rng.weighted(&[0.7, 0.15, 0.1, 0.05]) {
        0 => None,
        1 => {
            let body = b"<html><body>Service unavailable</body></html>".to_vec();
            Some(Ok(SiteResponse { status: 503, content_type: "text/html", location: None, body }))
        }
        2 => Some(Err((FetchError::Closed, 200))),
        _ => Some(Err((FetchError::AnswerTimeout, 30_000))),
    }
}

/// Two addresses that send visitors to each other.
fn circle(site: &Site<'_>, from: &Url) -> Url {
    let path = if from.path() == "/start" { "/welcome" } else { "/start" };
    Url::parse(&(site.root(HostRole::Www) + path)).expect("generated addresses are well-formed")
}

fn failed(error: FetchError, after: u64, peer: Option<IpAddr>) -> Exchange {
    Exchange { result: Err(error), took: Duration::from_millis(after), peer }
}

fn deliver(answer: SiteResponse, request: &Request, site: &Site<'_>, rng: &mut SeededRng) -> Exchange {
    let mut headers = Headers::default();
    headers.push("Content-Type", answer.content_type);
    if let Some(location) = &answer.location {
        headers.push("Location", location.as_str());
    }
    match answer.status {
        503 => headers.push("Retry-After", RETRY_AFTER),
        429 => headers.push("Retry-After", RETRY_LATER),
        _ => {}
    }
    let mut body = answer.body;
    let took = latency(site.profile, body.len(), rng);
    let limit = usize::try_from(request.body_limit).unwrap_or(usize::MAX);
    let completeness = if body.len() > limit { BodyCompleteness::Cut } else { BodyCompleteness::Whole };
    body.truncate(limit);
    let transferred = body.len() as u64;
    let result = Ok(Response { status: answer.status, headers, body, transferred, completeness });
    Exchange { result, took, peer: None }
}

/// Distance to the host, size over bandwidth, and a little luck.
fn latency(record: &SiteProfile, bytes: usize, rng: &mut SeededRng) -> Duration {
    let host = mix(record.seed, 101);
    let distance = 30 + host % 220;
    let bandwidth = 200 + (host >> 32) % 4000;
    let luck = u64::from(rng.below(60));
    let waiting = if record.health == Health::Slow { 5_000 + u64::from(rng.below(20_000)) } else { 0 };
    Duration::from_millis(distance + bytes as u64 / bandwidth + luck + waiting)
}

/// Hosts share addresses, as on rented servers. The range is the one set aside for benchmarks.
fn address_of(record: &SiteProfile) -> IpAddr {
    let number = mix(record.seed, 102) % (1 << 17);
    let [_, high, middle, low] = (number as u32).to_be_bytes();
    IpAddr::V4(Ipv4Addr::new(198, 18 + high, middle, low))
}
