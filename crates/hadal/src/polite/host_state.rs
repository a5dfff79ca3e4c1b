//! State of one host: robots.txt, failures and the time of the next permitted request.

use super::delay::{Politeness, next_request_at};
use super::hosts::HostIx;
use super::retry::{NextAction, is_host_failure, rest_requested};
use super::robots::{
    MAX_LIFETIME, MAX_ROBOTS_HOPS, RobotsAnswer, RobotsRules, RobotsState, interpret_robots,
};
use hadal_core::address::{Host, TrackingParams, normalise};
use hadal_core::http::{Exchange, Headers, Request};
use hadal_core::time::Time;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::time::Duration;
use url::Url;

/// State of a host, as the store keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostState {
    /// Scheme, name and port.
    pub host: Host,
    /// Address of the last connection.
    pub ip: Option<IpAddr>,
    /// Result of the last robots.txt request; `None` before the first. In an outcome, `None` means unchanged.
    pub robots: Option<RobotsState>,
    /// Time at which robots.txt is fetched again.
    pub robots_until: Time,
    /// `ETag` or `Last-Modified` of robots.txt, for conditional requests.
    pub robots_validator: Option<String>,
    /// Earliest time of the next request to this host.
    pub next_at: Time,
    /// Earliest time of the next request to any host of its politeness group.
    pub group_next_at: Time,
    /// Failures in a row.
    pub failures: u32,
    /// Smoothed response time in milliseconds: 7/8 of the old value plus 1/8 of the new one.
    pub latency_ms: u32,
    /// Requests sent to this host.
    pub requests: u64,
}

impl HostState {
    /// State of a host before its first request.
    pub fn new(host: &Host) -> HostState {
        HostState {
            host: host.clone(),
            ip: None,
            robots: None,
            robots_until: Time(0),
            robots_validator: None,
            next_at: Time(0),
            group_next_at: Time(0),
            failures: 0,
            latency_ms: 0,
            requests: 0,
        }
    }
}

/// Answer of a host's robots.txt to a planned request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permission {
    /// The request is allowed.
    Granted,
    /// The request is disallowed.
    Denied,
    /// robots.txt could not be fetched, so every request is disallowed until this time.
    NotBefore(Time),
    /// robots.txt has to be fetched first.
    FetchRobots(RobotsRequest),
}

/// Request for a robots.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotsRequest {
    /// URL of robots.txt, possibly on another host after a redirect.
    pub url: Url,
    /// Redirects followed so far.
    pub hops: u8,
    /// `ETag` or `Last-Modified` of the stored copy.
    pub validator: Option<String>,
    /// True for the first request to its host.
    pub is_first: bool,
}

/// Longest wait for the first response of a host. A host that does not answer in time is tried again later, with the
/// whole timeout. Guess.
const FIRST_ANSWER: Duration = Duration::from_secs(8);

impl RobotsRequest {
    /// The HTTP request. With a validator it is conditional.
    pub fn request(&self) -> Request {
        let mut headers = Headers::default();
        if let Some(validator) = &self.validator {
            let is_etag = validator.starts_with('"') || validator.starts_with("W/");
            headers.push(if is_etag { "If-None-Match" } else { "If-Modified-Since" }, validator.as_str());
        }
        let answer_limit = self.is_first.then_some(FIRST_ANSWER);
        Request { headers, answer_limit, ..Request::get(self.url.clone()) }
    }
}

/// State of a host with its robots.txt parsed.
pub struct KnownHost {
    /// State as the store keeps it.
    pub state: HostState,
    rules: Option<RobotsRules>,
}

impl KnownHost {
    /// Parses the robots.txt of a state for the agent with this product token.
    pub fn new(state: HostState, agent: &str) -> KnownHost {
        let rules = match &state.robots {
            Some(RobotsState::Text(text)) => Some(RobotsRules::parse(text, agent)),
            _ => None,
        };
        KnownHost { state, rules }
    }

    /// Pause that robots.txt asks for between two requests.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.rules.as_ref().and_then(RobotsRules::crawl_delay)
    }

    /// Sitemaps that robots.txt names.
    pub fn sitemaps(&self) -> &[Url] {
        self.rules.as_ref().map_or(&[], RobotsRules::sitemaps)
    }

    /// Permission of robots.txt for a request to `url` at `now`.
    pub fn permission(&self, url: &Url, now: Time) -> Permission {
        match &self.state.robots {
            Some(RobotsState::Elsewhere { url, hops }) => {
                Permission::FetchRobots(self.robots_request(url.clone(), *hops))
            }
            None => Permission::FetchRobots(self.robots_request(robots_url(url), 0)),
            Some(_) if self.state.robots_until <= now => {
                Permission::FetchRobots(self.robots_request(robots_url(url), 0))
            }
            Some(RobotsState::AllowAll) => Permission::Granted,
            Some(RobotsState::DisallowAll) => Permission::NotBefore(self.state.robots_until),
            Some(RobotsState::Text(_)) => match &self.rules {
                Some(rules) if !rules.allows(url) => Permission::Denied,
                _ => Permission::Granted,
            },
        }
    }

    /// Request for robots.txt at `url`, conditional when the stored copy came from there.
    pub fn robots_request(&self, url: Url, hops: u8) -> RobotsRequest {
        let validator = self.state.robots_validator.clone().filter(|_| hops == 0 && self.rules.is_some());
        let is_first = self.state.requests == 0 && self.state.failures == 0;
        RobotsRequest { url, hops, validator, is_first }
    }

    /// Records an exchange with this host: address, response time, failures and pauses.
    pub fn record_exchange(
        &mut self,
        exchange: &Exchange,
        next: &NextAction,
        politeness: &Politeness,
        now: Time,
    ) {
        let crawl_delay = self.crawl_delay();
        let state = &mut self.state;
        let took = u32::try_from(exchange.took.as_millis()).unwrap_or(u32::MAX);
        state.latency_ms = if state.requests == 0 { took } else { moving_average(state.latency_ms, took) };
        let latency = Duration::from_millis(u64::from(state.latency_ms)).max(exchange.took);
        state.failures = if is_host_failure(exchange) { state.failures.saturating_add(1) } else { 0 };
        state.requests += 1;
        state.ip = exchange.peer.or(state.ip);
        // A request of the same visit may have left a later pause already.
        let rest = next_request_at(now, latency, politeness, crawl_delay).max(rest_requested(exchange, now));
        state.next_at = state.next_at.max(rest);
        state.group_next_at = state.group_next_at.max(next_request_at(now, latency, politeness, None));
        if let NextAction::Retry { at: until, .. } | NextAction::GiveUp { host_until: Some(until), .. } = next
        {
            state.next_at = state.next_at.max(*until);
        }
    }

    /// Ends the back-off after failures without a response. The pause of the group and `Crawl-delay` hold. Returns the
    /// end of the pause.
    pub fn end_back_off(&mut self) -> Time {
        let rest = self.state.group_next_at.after(self.crawl_delay().unwrap_or_default());
        self.state.next_at = self.state.next_at.min(rest);
        self.state.robots_until = Time(0);
        self.state.next_at
    }

    /// Records a pause after a request at `sent` without a known response.
    pub fn record_interruption(&mut self, sent: Time, politeness: &Politeness) {
        let rest = next_request_at(sent, Duration::ZERO, politeness, self.crawl_delay());
        let group_rest = next_request_at(sent, Duration::ZERO, politeness, None);
        self.state.next_at = self.state.next_at.max(rest);
        self.state.group_next_at = self.state.group_next_at.max(group_rest);
    }

    /// Records the response to a robots.txt request. The exchange itself was recorded before, with the host that it
    /// was sent to.
    pub fn record_robots(
        &mut self,
        fetched: &RobotsResponse<'_>,
        politeness: &Politeness,
        agent: &str,
        now: Time,
    ) {
        let RobotsResponse { request, exchange, failures, .. } = fetched;
        // A 304 without a conditional request says nothing about the stored copy.
        let is_confirmed = request.validator.is_some() && is_not_modified(exchange);
        let (robots, until, validator) = match interpret_robots(&request.url, exchange, *failures, now) {
            _ if is_confirmed => (
                self.state.robots.clone().unwrap_or(RobotsState::AllowAll),
                now.after(MAX_LIFETIME),
                self.state.robots_validator.clone(),
            ),
            RobotsAnswer::Known(robots, until) => {
                (robots, until, validator_of(exchange).filter(|_| request.hops == 0))
            }
            RobotsAnswer::Redirect(target) => fetched.redirected(target, now),
        };
        // A robots.txt that breaks off or has a refused type fails with any status.
        self.state.failures = match &robots {
            RobotsState::DisallowAll => failures.saturating_add(1),
            RobotsState::Elsewhere { .. } => *failures,
            RobotsState::AllowAll | RobotsState::Text(_) => 0,
        };
        self.state.robots = Some(robots);
        self.state.robots_until = until;
        self.state.robots_validator = validator;
        *self = KnownHost::new(self.state.clone(), agent);
        let rest = next_request_at(now, exchange.took, politeness, self.crawl_delay());
        self.state.next_at = self.state.next_at.max(rest);
    }
}

/// Response to a robots.txt request, with what is needed to interpret it.
pub struct RobotsResponse<'a> {
    pub request: &'a RobotsRequest,
    /// The exchange. Its result is an error if no response came.
    pub exchange: &'a Exchange,
    /// Failures in a row of the host that the robots.txt is for, before this request.
    pub failures: u32,
    /// True when the request was sent to another host than the one the robots.txt is for.
    pub from_other_host: bool,
    /// Returns true if a redirect to a URL may be followed.
    pub may_follow: &'a dyn Fn(&Url) -> bool,
}

impl RobotsResponse<'_> {
    /// After the last permitted hop, or when the target may not be visited, everything is allowed.
    fn redirected(&self, target: Url, now: Time) -> (RobotsState, Time, Option<String>) {
        let hops = self.request.hops;
        match normalise(target, TrackingParams::Keep).filter(|url| (self.may_follow)(url)) {
            Some(url) if hops < MAX_ROBOTS_HOPS => {
                (RobotsState::Elsewhere { url, hops: hops + 1 }, now, None)
            }
            _ => (RobotsState::AllowAll, now.after(MAX_LIFETIME), None),
        }
    }
}

fn robots_url(page: &Url) -> Url {
    let mut url = page.clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    url
}

fn is_not_modified(exchange: &Exchange) -> bool {
    exchange.result.as_ref().is_ok_and(|response| response.status == 304)
}

fn validator_of(exchange: &Exchange) -> Option<String> {
    let headers = &exchange.result.as_ref().ok()?.headers;
    headers.get("etag").or_else(|| headers.get("last-modified")).map(String::from)
}

/// Maximum number of hosts kept in a [`HostCache`]. Guess.
const MAX_HOSTS: usize = 20_000;
/// Maximum number of bytes of robots.txt kept in a [`HostCache`]. Guess.
const MAX_ROBOTS_BYTES: usize = 32 << 20;

/// Bounded cache of host states. It is emptied when it is full; callers load missing states again.
pub struct HostCache {
    agent: String,
    known: FxHashMap<HostIx, KnownHost>,
    robots_bytes: usize,
}

impl HostCache {
    /// Empty cache. robots.txt is parsed for the agent with this product token.
    pub fn new(agent: &str) -> HostCache {
        HostCache { agent: agent.to_string(), known: FxHashMap::default(), robots_bytes: 0 }
    }

    /// State of a host. `load` supplies a state that is not in the cache.
    pub fn get<E>(
        &mut self,
        host: HostIx,
        load: impl FnOnce() -> Result<HostState, E>,
    ) -> Result<&mut KnownHost, E> {
        if !self.known.contains_key(&host) {
            if self.known.len() >= MAX_HOSTS || self.robots_bytes >= MAX_ROBOTS_BYTES {
                self.known.clear();
                self.robots_bytes = 0;
            }
            let state = load()?;
            self.robots_bytes += robots_bytes(&state);
            self.known.insert(host, KnownHost::new(state, &self.agent));
        }
        Ok(self.known.get_mut(&host).expect("the state was inserted above"))
    }

    /// Removes the state of a host from the cache. The next use loads it again.
    pub fn remove(&mut self, host: HostIx) {
        if let Some(removed) = self.known.remove(&host) {
            self.robots_bytes = self.robots_bytes.saturating_sub(robots_bytes(&removed.state));
        }
    }

    /// Records the response to a robots.txt request for a host, see [`KnownHost::record_robots`].
    pub fn record_robots<E>(
        &mut self,
        host: HostIx,
        fetched: &RobotsResponse<'_>,
        politeness: &Politeness,
        now: Time,
        load: impl FnOnce() -> Result<HostState, E>,
    ) -> Result<HostState, E> {
        let agent = self.agent.clone();
        let known = self.get(host, load)?;
        let before = robots_bytes(&known.state);
        known.record_robots(fetched, politeness, &agent, now);
        let state = known.state.clone();
        self.robots_bytes = self.robots_bytes.saturating_sub(before) + robots_bytes(&state);
        Ok(state)
    }
}

/// Response time as an average: 7/8 of the old value plus 1/8 of the new one.
fn moving_average(old_ms: u32, new_ms: u32) -> u32 {
    u32::try_from((u64::from(old_ms) * 7 + u64::from(new_ms)) / 8).unwrap_or(u32::MAX)
}

fn robots_bytes(state: &HostState) -> usize {
    match &state.robots {
        Some(RobotsState::Text(text)) => text.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::http::{BodyCompleteness, FetchError, Response};

    const NOW: Time = Time(10_000);

    fn page() -> Url {
        Url::parse("http://shop.example/find?q=1").unwrap()
    }

    fn fresh() -> KnownHost {
        KnownHost::new(HostState::new(&Host::of(&page())), "hadal")
    }

    fn responded(status: u16, headers: &[(&str, &str)], body: &str) -> Exchange {
        let mut response = Response { status, body: body.as_bytes().to_vec(), ..Response::default() };
        for (name, value) in headers {
            response.headers.push(name, *value);
        }
        Exchange { result: Ok(response), took: Duration::from_millis(20), peer: None }
    }

    fn read_robots(known: &mut KnownHost, exchange: &Exchange) {
        let Permission::FetchRobots(request) = known.permission(&page(), NOW) else { panic!() };
        let failures = known.state.failures;
        known.record_exchange(exchange, &NextAction::Accept, &Politeness::default(), NOW);
        let fetched = RobotsResponse {
            request: &request,
            exchange,
            failures,
            from_other_host: false,
            may_follow: &|_| true,
        };
        known.record_robots(&fetched, &Politeness::default(), "hadal", NOW);
    }

    #[test]
    fn a_crawl_delay_holds_from_the_robots_txt_request_on() {
        let mut known = fresh();
        read_robots(&mut known, &responded(200, &[], "User-agent: *\nCrawl-delay: 7\nDisallow: /private"));
        assert_eq!(known.state.next_at, NOW.after(Duration::from_secs(7)));
        assert_eq!(known.permission(&page(), NOW), Permission::Granted);
        assert_eq!(known.permission(&page().join("/private").unwrap(), NOW), Permission::Denied);
    }

    #[test]
    fn a_304_that_nobody_asked_for_ends_the_search_for_robots_txt() {
        let mut known = fresh();
        read_robots(&mut known, &responded(301, &[("location", "http://other.example/robots.txt")], ""));
        read_robots(&mut known, &responded(304, &[], ""));
        assert_eq!(known.permission(&page(), NOW), Permission::Granted);
    }

    #[test]
    fn retry_after_holds_also_when_the_request_is_given_up() {
        let mut known = fresh();
        let busy = responded(429, &[("retry-after", "90")], "");
        known.record_exchange(
            &busy,
            &NextAction::GiveUp { kind: super::super::FailureKind::Http(429), host_until: None },
            &Politeness::default(),
            NOW,
        );
        assert_eq!((known.state.next_at, known.state.failures), (NOW.after(Duration::from_secs(90)), 1));
    }

    #[test]
    fn an_interrupted_request_delays_its_host_and_its_group() {
        let mut known = fresh();
        read_robots(&mut known, &responded(200, &[], "User-agent: *\nCrawl-delay: 7"));
        let sent = NOW.after(Duration::from_secs(60));
        known.record_interruption(sent, &Politeness::default());
        let pauses = (known.state.next_at, known.state.group_next_at);
        assert_eq!(pauses, (sent.after(Duration::from_secs(7)), sent.after(Duration::from_secs(1))));
    }

    #[test]
    fn response_times_below_eight_milliseconds_count() {
        assert_eq!(moving_average(7, 7), 7);
        assert_eq!(moving_average(800, 1_600), 900);
        assert_eq!(moving_average(u32::MAX, u32::MAX), u32::MAX);
    }

    #[test]
    fn the_cache_counts_the_robots_txt_of_a_host_once_until_the_host_is_removed() {
        let (mut cache, host) = (HostCache::new("hadal"), HostIx(3));
        let load = || Ok::<_, std::convert::Infallible>(HostState::new(&Host::of(&page())));
        let text = responded(200, &[], "User-agent: *\nDisallow: /private");
        let request = match fresh().permission(&page(), NOW) {
            Permission::FetchRobots(request) => request,
            _ => panic!("robots.txt is not known"),
        };
        let fetched = RobotsResponse {
            request: &request,
            exchange: &text,
            failures: 0,
            from_other_host: false,
            may_follow: &|_| true,
        };
        for _ in 0..2 {
            cache.record_robots(host, &fetched, &Politeness::default(), NOW, load).unwrap();
        }
        let Some(RobotsState::Text(kept)) = &cache.known[&host].state.robots else { panic!("no text") };
        assert_eq!(cache.robots_bytes, kept.len());
        cache.remove(host);
        assert_eq!(cache.robots_bytes, 0);
    }

    #[test]
    fn a_robots_txt_that_cannot_be_fetched_disallows_everything_for_a_while() {
        let mut known = fresh();
        let failed = Exchange { result: Err(FetchError::Connect), took: Duration::ZERO, peer: None };
        read_robots(&mut known, &failed);
        let until = NOW.after(Duration::from_secs(30));
        assert_eq!(known.permission(&page(), NOW), Permission::NotBefore(until));
        assert!(matches!(known.permission(&page(), until), Permission::FetchRobots(_)));
    }

    #[test]
    fn a_robots_txt_that_breaks_off_is_requested_ever_more_rarely() {
        let broken = Exchange {
            result: Ok(Response {
                status: 200,
                completeness: BodyCompleteness::Broken,
                ..Response::default()
            }),
            took: Duration::ZERO,
            peer: None,
        };
        let redirect = responded(302, &[("location", "/rules")], "");
        for responses in [vec![&broken], vec![&redirect, &broken]] {
            let mut known = fresh();
            for (failures, seconds) in [(1, 30), (2, 120), (3, 480)] {
                known.state.robots_until = NOW;
                responses.iter().for_each(|response| read_robots(&mut known, response));
                let until = NOW.after(Duration::from_secs(seconds));
                assert_eq!((known.state.failures, known.state.robots_until), (failures, until));
            }
            known.state.robots_until = NOW;
            read_robots(&mut known, &responded(404, &[], ""));
            assert_eq!(known.state.failures, 0);
        }
    }

    #[test]
    fn a_silent_host_is_given_up_soon_and_tried_again_with_the_whole_timeout() {
        let mut known = fresh();
        let limit = |known: &KnownHost, now| match known.permission(&page(), now) {
            Permission::FetchRobots(request) => request.request().answer_limit,
            other => panic!("{other:?}"),
        };
        assert_eq!(limit(&known, NOW), Some(FIRST_ANSWER));
        let silent = Exchange { result: Err(FetchError::AnswerTimeout), took: FIRST_ANSWER, peer: None };
        read_robots(&mut known, &silent);
        assert_eq!(limit(&known, NOW.after(Duration::from_secs(3600))), None);
    }

    #[test]
    fn an_expired_robots_txt_is_fetched_again_with_its_validator() {
        let mut known = fresh();
        read_robots(&mut known, &responded(200, &[("etag", "\"v1\"")], "User-agent: *\nDisallow: /x"));
        known.state.robots_until = NOW;
        let Permission::FetchRobots(request) = known.permission(&page(), NOW) else { panic!() };
        assert_eq!(request.request().headers.get("if-none-match"), Some("\"v1\""));
        read_robots(&mut known, &responded(304, &[], ""));
        assert_eq!(known.permission(&page().join("/x").unwrap(), NOW), Permission::Denied);
    }

    #[test]
    fn redirects_of_robots_txt_are_followed_five_times() {
        let mut known = fresh();
        for hop in 1..=MAX_ROBOTS_HOPS {
            let target = format!("/robots-{hop}.txt");
            read_robots(&mut known, &responded(302, &[("location", &target)], ""));
            let Permission::FetchRobots(request) = known.permission(&page(), NOW) else { panic!() };
            assert_eq!((request.url.path(), request.hops), (target.as_str(), hop));
        }
        read_robots(&mut known, &responded(302, &[("location", "/again")], ""));
        assert_eq!(known.permission(&page(), NOW), Permission::Granted);
    }
}
