//! Network behaviour of sites: failures, redirects of whole sites, latency and body limits.

use crate::database::request_counter::FAILURE_PERIOD;
use crate::random::{SeededRng, mix};
use crate::scripted::{SCRIPT_HOST, SCRIPTED_HOST, ScriptedWeb};
use crate::site::Site;
use crate::site::host_names::HostRole;
use crate::site::profile::{Health, SiteProfile};
use crate::site::resource::{Resource, SiteResponse, resource_at, respond, without_session};
use crate::world::World;
use hadal_core::http::{BodyCompleteness, Exchange, FetchError, Headers, Request, Response};
use hadal_core::time::Time;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;
use std::time::Duration;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// `Retry-After` of a 503 response, in seconds; longer than [`FAILURE_PERIOD`].
const RETRY_UNAVAILABLE: &str = "5";

/// `Retry-After` of a 429 response, in seconds.
const RETRY_RATE_LIMIT: &str = "60";

impl World {
    /// Answers a request, including connection failures and latency. The result depends only on the spec, the request
    /// and the time. Exceptions: the databases of [`World::databases`] count requests for their rate limits, and a scripted
    /// site renews its token with each visit.
    pub fn respond(&self, request: &Request, at: Time) -> Exchange {
        if let Some(exchange) = self.databases().respond(request, at) {
            return exchange;
        }
        if matches!(request.url.host_str(), Some(SCRIPTED_HOST | SCRIPT_HOST)) {
            static WEB: LazyLock<ScriptedWeb> = LazyLock::new(ScriptedWeb::default);
            return WEB.respond(request);
        }
        let Some((index, host)) = self.locate(&request.url) else {
            return failed(FetchError::NoSuchHost, 40, None);
        };
        let site = self.site_at(index, at);
        let peer = address_of(site.profile);
        if !is_served(&request.url) {
            return failed(FetchError::Connect, 60, Some(peer));
        }
        let mut rng = request_rng(site.profile, request, at);
        let mut exchange = match self.failure(&site, request, &mut rng) {
            Some(Err((error, after))) => failed(error, after, Some(peer)),
            Some(Ok(response)) => deliver(response, request, &site, &mut rng),
            None => {
                let response = respond(&site, host, request, at, |page| self.off_site_links(&site, page));
                deliver(response, request, &site, &mut rng)
            }
        };
        exchange.peer = Some(peer);
        exchange
    }

    /// Duration and peer address of [`World::respond`] for a response of `bytes` bytes, without generating it. Used by
    /// callers that cache pages. `None` if the site fails or redirects instead of answering.
    pub fn delivery(&self, request: &Request, at: Time, bytes: usize) -> Option<(Duration, IpAddr)> {
        let (index, _) = self.locate(&request.url).filter(|_| is_served(&request.url))?;
        let profile = &self.profiles()[index as usize];
        let mut rng = request_rng(profile, request, at);
        let answers = match profile.health {
            Health::Fine | Health::Slow => true,
            Health::Flaky => flaky(&mut rng).is_none(),
            Health::Dead | Health::Moved(_) | Health::Looping => false,
        };
        answers.then(|| (latency(profile, bytes, &mut rng), address_of(profile)))
    }

    /// True if the content at a URL never changes. Responses of forms and of the databases may change.
    pub fn is_static(&self, url: &Url) -> bool {
        let Some((index, host)) = self.locate(url) else { return self.databases().at(url).is_none() };
        let site = self.site(index);
        let (path, _) = without_session(url);
        !matches!(resource_at(&site, host, &path), Resource::Action(..))
    }

    /// Failure or redirect that a site answers with instead of a page.
    fn failure(&self, site: &Site<'_>, request: &Request, rng: &mut SeededRng) -> Option<SiteFailure> {
        match site.profile.health {
            Health::Fine | Health::Slow => None,
            Health::Dead => Some(Err(dead(site))),
            Health::Flaky => flaky(rng),
            Health::Moved(to) => Some(Ok(SiteResponse::redirect(self.site(to).url(0)))),
            Health::Looping => Some(Ok(SiteResponse::redirect(loop_target(site, &request.url)))),
        }
    }
}

/// Sites accept connections on port 80 only.
fn is_served(url: &Url) -> bool {
    url.scheme() == "http" && url.port().is_none()
}

/// Generator for latency and failures of a request; constant within [`FAILURE_PERIOD`].
fn request_rng(profile: &SiteProfile, request: &Request, at: Time) -> SeededRng {
    SeededRng::new(profile.seed ^ xxh3_64(request.url.as_str().as_bytes()), at.0 / FAILURE_PERIOD)
}

/// Response, or error and milliseconds until it occurs.
type SiteFailure = Result<SiteResponse, (FetchError, u64)>;

fn dead(site: &Site<'_>) -> (FetchError, u64) {
    match mix(site.profile.seed, 100) % 4 {
        0 => (FetchError::NoSuchHost, 60),
        1 => (FetchError::Connect, 120),
        2 => (FetchError::ConnectTimeout, 10_000),
        _ => (FetchError::AnswerTimeout, 30_000),
    }
}

fn flaky(rng: &mut SeededRng) -> Option<SiteFailure> {
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

/// Next URL of a redirect loop between two paths.
fn loop_target(site: &Site<'_>, from: &Url) -> Url {
    let path = if from.path() == "/start" { "/welcome" } else { "/start" };
    Url::parse(&(site.root(HostRole::Www) + path)).expect("generated addresses are well-formed")
}

fn failed(error: FetchError, after: u64, peer: Option<IpAddr>) -> Exchange {
    Exchange { result: Err(error), took: Duration::from_millis(after), peer }
}

/// Adds latency and the body limit to a response.
fn deliver(response: SiteResponse, request: &Request, site: &Site<'_>, rng: &mut SeededRng) -> Exchange {
    let mut headers = Headers::default();
    headers.push("Content-Type", response.content_type);
    if let Some(location) = &response.location {
        headers.push("Location", location.as_str());
    }
    match response.status {
        503 => headers.push("Retry-After", RETRY_UNAVAILABLE),
        429 => headers.push("Retry-After", RETRY_RATE_LIMIT),
        _ => {}
    }
    let mut response = response;
    if response.status == 200 {
        let tag = format!("\"{:016x}\"", xxh3_64(&response.body));
        if request.headers.get("If-None-Match") == Some(tag.as_str()) {
            (response.status, response.body) = (304, Vec::new());
        }
        headers.push("ETag", tag);
    }
    let mut body = response.body;
    let took = latency(site.profile, body.len(), rng);
    let limit = usize::try_from(request.body_limit).unwrap_or(usize::MAX);
    let completeness = if body.len() > limit { BodyCompleteness::Cut } else { BodyCompleteness::Whole };
    body.truncate(limit);
    let transferred = body.len() as u64;
    let result = Ok(Response { status: response.status, headers, body, transferred, completeness });
    Exchange { result, took, peer: None }
}

/// Response time: round trip of the host, bytes over its bandwidth, jitter, and the delay of a slow host. In
/// milliseconds; the ranges are guesses.
fn latency(profile: &SiteProfile, bytes: usize, rng: &mut SeededRng) -> Duration {
    let host = mix(profile.seed, 101);
    let round_trip = 30 + host % 220;
    let bandwidth = 200 + (host >> 32) % 4000;
    let jitter = u64::from(rng.below(60));
    let delay = if profile.health == Health::Slow { 5_000 + u64::from(rng.below(20_000)) } else { 0 };
    Duration::from_millis(round_trip + bytes as u64 / bandwidth + jitter + delay)
}

/// IP address of a site in 198.18.0.0/15, which RFC 2544 reserves for benchmarks. Sites may share an address.
fn address_of(profile: &SiteProfile) -> IpAddr {
    let number = mix(profile.seed, 102) % (1 << 17);
    let [_, high, middle, low] = (number as u32).to_be_bytes();
    IpAddr::V4(Ipv4Addr::new(198, 18 + high, middle, low))
}
