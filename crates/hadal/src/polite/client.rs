//! Client that sends one request after the other and applies every politeness rule.
//!
//! [`PoliteClient::send`] sends a request when its host's turn comes, after robots.txt was read, and retries it when
//! a retry may help. [`PoliteClient::get_page`] also follows redirects. Clones share the state of hosts, so users of
//! one client take turns.

use super::budget::RequestBudget;
use super::clock::Clock;
use super::delay::Politeness;
use super::host_state::{HostState, Permission, RobotsRequest};
use super::host_table::SharedHosts;
use super::hosts::{HeldTurn, Readiness};
use super::retry::{self, NextAction, follow_redirect, is_permanent_for_host, next_action};
use super::robots::RobotsState;
use super::turn::Turn;
use crate::fetch::Fetch;
use hadal_core::address::{Host, TrackingParams};
use hadal_core::http::{BodyCompleteness, DEFAULT_BODY_LIMIT, Exchange, FetchError, Request, Response};
use hadal_core::time::Time;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use url::Url;

/// Settings of a [`PoliteClient`].
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Pauses between requests.
    pub politeness: Politeness,
    /// Product token that robots.txt is read for.
    pub agent: String,
    /// Maximum number of bytes read of one response body.
    pub body_limit: u64,
    /// False: a request is sent once, and an unavailable robots.txt fails it at once.
    pub retries: bool,
    /// Longest time that a request waits for its host. Longer waits fail it.
    pub max_wait: Duration,
}

impl ClientOptions {
    /// Default wait for a host that asks for a pause. Guess.
    pub const MAX_WAIT: Duration = Duration::from_secs(600);

    /// Options with retries and the default wait.
    pub fn new(politeness: Politeness, agent: &str, body_limit: u64) -> ClientOptions {
        let (agent, max_wait) = (agent.to_string(), ClientOptions::MAX_WAIT);
        ClientOptions { politeness, agent, body_limit, retries: true, max_wait }
    }
}

/// HTTP client that keeps to robots.txt, pauses, retries and a budget.
#[derive(Clone)]
pub struct PoliteClient {
    fetch: Arc<dyn Fetch>,
    options: Arc<ClientOptions>,
    budget: Arc<RequestBudget>,
    stop: watch::Receiver<bool>,
    shared: Arc<SharedHosts>,
    is_excluded: Arc<dyn Fn(&Url) -> bool + Send + Sync>,
}

/// Called before a retry with the exchange that failed and the current time. `Break` ends the request as stopped.
pub type BeforeRetry<'a> = &'a mut (dyn FnMut(&Exchange, Time) -> ControlFlow<()> + Send);

/// Result of [`PoliteClient::send`].
#[derive(Debug)]
pub struct SendOutcome {
    /// The last exchange, or the reason why the request was not sent.
    pub result: Result<Exchange, NotSent>,
    /// Requests sent, with retries and robots.txt.
    pub requests: u32,
    /// Bytes of response bodies.
    pub bytes: u64,
    /// The last exchange if it failed and its retry was not sent.
    pub failed: Option<Exchange>,
}

/// Reason why a request was not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSent {
    /// robots.txt disallows the URL.
    #[error("robots.txt disallows this URL")]
    Forbidden,
    /// The user excludes the URL.
    #[error("the URL is excluded")]
    Excluded,
    /// robots.txt could not be fetched, which disallows everything for a while. Holds the status of the server, if it
    /// was asked just now.
    #[error("robots.txt is unavailable{}, so no page of the host is requested", status_note(*.0))]
    RobotsUnavailable(Option<u16>),
    /// No request to this host can succeed.
    #[error(transparent)]
    Unreachable(FetchError),
    /// The pause of the host (`Retry-After`, or back-off after failures) is longer than this session waits.
    #[error("requests to this host pause for {} s, which is longer than this session waits", .0.as_secs())]
    WaitTooLong(Duration),
    /// The request or byte budget is spent.
    #[error("the request or byte budget is spent")]
    BudgetSpent,
    /// The session was stopped.
    #[error("stopped")]
    Stopped,
}

/// Reason why [`PoliteClient::get_page`] returned no page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// The request was not sent.
    #[error(transparent)]
    NotSent(#[from] NotSent),
    /// The server sent no response.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The server sent a status code other than success.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// The body has a content type that is not downloaded.
    #[error("not an HTML page: the content type is {0}")]
    ContentType(String),
    /// The connection broke before the first byte of the body.
    #[error("the connection broke before the first byte of the page; run the same command again")]
    Broken,
    /// The redirects form a loop, or there are more than [`retry::MAX_REDIRECTS`].
    #[error("redirect loop, or more than {} redirects", retry::MAX_REDIRECTS)]
    Redirects,
}

impl PoliteClient {
    /// Client with its own host states and without a budget. `stop` turns true when the session has to end.
    pub fn new(fetch: Arc<dyn Fetch>, options: ClientOptions, stop: watch::Receiver<bool>) -> PoliteClient {
        let shared = own_hosts(&options.agent);
        let (options, is_excluded) = (Arc::new(options), Arc::new(|_: &Url| false));
        PoliteClient { fetch, options, budget: Arc::default(), stop, shared, is_excluded }
    }

    /// Client with the same host states and another budget.
    pub fn with_budget(&self, budget: RequestBudget) -> PoliteClient {
        PoliteClient { budget: Arc::new(budget), ..self.clone() }
    }

    /// Client with the same host states and another stop signal.
    pub fn with_stop(&self, stop: watch::Receiver<bool>) -> PoliteClient {
        PoliteClient { stop, ..self.clone() }
    }

    /// Client with the same host states that sends no request to some URLs.
    pub fn excluding(&self, is_excluded: impl Fn(&Url) -> bool + Send + Sync + 'static) -> PoliteClient {
        PoliteClient { is_excluded: Arc::new(is_excluded), ..self.clone() }
    }

    /// Client with the same host states that sends every request once and reports its failure at once.
    pub fn without_retries(&self) -> PoliteClient {
        let options = ClientOptions { retries: false, ..(*self.options).clone() };
        PoliteClient { options: Arc::new(options), ..self.clone() }
    }

    /// Requests and bytes that were charged to the budget of this client.
    pub fn spent(&self) -> (u64, u64) {
        self.budget.spent()
    }

    /// Signal that turns true when the session has to end.
    pub fn stop_signal(&self) -> watch::Receiver<bool> {
        self.stop.clone()
    }

    /// Client with host states of its own: on simulated clocks, times of two sessions cannot be compared.
    pub fn with_own_hosts(&self) -> PoliteClient {
        self.with_hosts(own_hosts(&self.options.agent))
    }

    /// Client with these host states.
    pub fn with_hosts(&self, shared: Arc<SharedHosts>) -> PoliteClient {
        PoliteClient { shared, ..self.clone() }
    }

    /// Sends a request when it may be sent, and again when a retry may help.
    pub async fn send(&self, request: &Request, clock: &mut Clock) -> SendOutcome {
        self.send_within(request, clock, None, &mut |_, _| ControlFlow::Continue(())).await
    }

    /// Like [`PoliteClient::send`], for a caller with `own` requests left in a budget of its own, if it has one.
    /// `before_retry` is called before each retry.
    pub async fn send_within(
        &self,
        request: &Request,
        clock: &mut Clock,
        own: Option<u64>,
        before_retry: BeforeRetry<'_>,
    ) -> SendOutcome {
        let mut sending = Sending { client: self, clock, own, requests: 0, bytes: 0, failed: None };
        let result = match sending.check_robots(&request.url).await {
            Ok(()) => sending.send_with_retries(request, before_retry).await,
            Err(reason) => Err(reason),
        };
        SendOutcome { result, requests: sending.requests, bytes: sending.bytes, failed: sending.failed }
    }

    /// Requests a page and follows redirects. Returns the last URL with the response.
    pub async fn get_page(&self, url: &Url, clock: &mut Clock) -> Result<(Url, Response), PageError> {
        self.get_page_up_to(url, DEFAULT_BODY_LIMIT, clock, |_| ()).await
    }

    /// Like [`PoliteClient::get_page`], and reads at most `body_limit` bytes of the body. `note` receives the outcome of
    /// each request, that of `url` first.
    pub async fn get_page_up_to(
        &self,
        url: &Url,
        body_limit: u64,
        clock: &mut Clock,
        mut note: impl FnMut(&SendOutcome) + Send,
    ) -> Result<(Url, Response), PageError> {
        let (mut url, mut earlier) = (url.clone(), Vec::new());
        loop {
            let request = Request { body_limit, ..Request::get(url.clone()) };
            let sent = self.send(&request, clock).await;
            note(&sent);
            let exchange = sent.result?;
            match next_action(&url, &exchange, retry::MAX_ATTEMPTS, 0, clock.now()) {
                NextAction::Accept => return Ok((url, exchange.result?)),
                NextAction::Redirect(target) => {
                    let target = follow_redirect(&url, &earlier, target, TrackingParams::Keep);
                    earlier.push(std::mem::replace(&mut url, target.map_err(|_| PageError::Redirects)?));
                }
                NextAction::Retry { .. } | NextAction::GiveUp { .. } => {
                    return Err(no_page(&exchange.result?));
                }
            }
        }
    }

    /// Sitemaps that the robots.txt of a host names; none while it was not read.
    pub fn sitemaps(&self, url: &Url) -> Vec<Url> {
        let mut table = self.shared.table();
        let host = table.host(&Host::of(url));
        table.known(host).sitemaps().to_vec()
    }

    /// Ends a turn that was taken for a request to `url`, which others sent, with its exchange.
    pub fn end_turn(&self, held: HeldTurn, url: &Url, exchange: &Exchange, now: Time) -> NextAction {
        Turn::held(&self.shared, self.options.politeness, held).end(url, exchange, 0, now)
    }

    /// Waits, unless the session is stopped.
    pub async fn pause(&self, time: Duration) -> Result<(), NotSent> {
        self.unless_stopped(tokio::time::sleep(time)).await
    }

    /// Waits by the clock of a session, unless the session is stopped.
    pub async fn wait(&self, time: Duration, clock: &mut Clock) -> Result<(), NotSent> {
        let until = clock.now().after(time);
        self.unless_stopped(clock.sleep_until(until)).await
    }

    async fn unless_stopped(&self, waiting: impl Future<Output = ()>) -> Result<(), NotSent> {
        let mut stop = self.stop.clone();
        tokio::select! {
            biased;
            Ok(_) = stop.wait_for(|stop| *stop) => Err(NotSent::Stopped),
            () = waiting => Ok(()),
        }
    }
}

/// Hosts of a client that knows no earlier session.
fn own_hosts(agent: &str) -> Arc<SharedHosts> {
    SharedHosts::new(agent, Box::new(|_| None))
}

fn status_note(status: Option<u16>) -> String {
    status.map(|status| format!(" (status {status})")).unwrap_or_default()
}

fn no_page(response: &Response) -> PageError {
    let content_type = response.headers.get("content-type").unwrap_or("an unknown content type");
    match response.completeness {
        BodyCompleteness::Unwanted if response.status < 300 => {
            PageError::ContentType(content_type.to_string())
        }
        BodyCompleteness::Broken if response.status < 300 => PageError::Broken,
        _ => PageError::Status(response.status),
    }
}

/// One call of [`PoliteClient::send`] in progress.
struct Sending<'a> {
    client: &'a PoliteClient,
    clock: &'a mut Clock,
    own: Option<u64>,
    requests: u32,
    bytes: u64,
    /// Exchange that failed, until its retry begins.
    failed: Option<Exchange>,
}

impl Sending<'_> {
    /// Returns when robots.txt allows the URL. Fetches robots.txt when that is due.
    async fn check_robots(&mut self, url: &Url) -> Result<(), NotSent> {
        if (self.client.is_excluded)(url) {
            return Err(NotSent::Excluded);
        }
        loop {
            match self.permission(url) {
                Permission::Granted => return Ok(()),
                Permission::Denied => return Err(NotSent::Forbidden),
                Permission::NotBefore(_) if !self.client.options.retries => {
                    return Err(NotSent::RobotsUnavailable(None));
                }
                Permission::NotBefore(until) => self.wait_until(until).await?,
                Permission::FetchRobots(request) => self.fetch_robots(url, request).await?,
            }
        }
    }

    fn permission(&self, url: &Url) -> Permission {
        let mut table = self.client.shared.table();
        let host = table.host(&Host::of(url));
        table.known(host).permission(url, self.clock.now())
    }

    async fn fetch_robots(&mut self, url: &Url, request: RobotsRequest) -> Result<(), NotSent> {
        let mut turn = self.wait_for_turn(&request.url).await?;
        let wanted = Permission::FetchRobots(request);
        let Permission::FetchRobots(request) = self.permission(url) else { return Ok(()) };
        if wanted != Permission::FetchRobots(request.clone()) {
            // Another user of this client fetched it during the wait.
            return Ok(());
        }
        let exchange = self.send_in_turn(&request.request(), &mut turn).await?;
        let may_follow = |url: &Url| !(self.client.is_excluded)(url);
        let answer = (&request, &exchange);
        let state = turn.end_with_robots(&Host::of(url), answer, &may_follow, self.clock.now());
        self.check_robots_failure(&exchange, &state)
    }

    /// Fails the request when waiting for robots.txt is useless or not wanted.
    fn check_robots_failure(&self, exchange: &Exchange, state: &HostState) -> Result<(), NotSent> {
        let retries = self.client.options.retries;
        match &exchange.result {
            Err(error) if !retries || is_permanent_for_host(*error) => Err(NotSent::Unreachable(*error)),
            Ok(response) if !retries && state.robots == Some(RobotsState::DisallowAll) => {
                Err(NotSent::RobotsUnavailable(Some(response.status)))
            }
            _ => Ok(()),
        }
    }

    async fn send_with_retries(
        &mut self,
        request: &Request,
        before_retry: BeforeRetry<'_>,
    ) -> Result<Exchange, NotSent> {
        let mut attempts = if self.client.options.retries { 0 } else { retry::MAX_ATTEMPTS };
        loop {
            let mut turn = self.wait_for_turn(&request.url).await?;
            if let Some(failed) = self.failed.take()
                && before_retry(&failed, self.clock.now()).is_break()
            {
                return Err(NotSent::Stopped);
            }
            let exchange = self.send_in_turn(request, &mut turn).await?;
            match turn.end(&request.url, &exchange, attempts, self.clock.now()) {
                NextAction::Retry { .. } => {
                    attempts += 1;
                    self.failed = Some(exchange);
                }
                NextAction::Accept | NextAction::Redirect(_) | NextAction::GiveUp { .. } => {
                    return Ok(exchange);
                }
            }
        }
    }

    /// Sends one request and charges it.
    async fn send_in_turn(&mut self, request: &Request, turn: &mut Turn) -> Result<Exchange, NotSent> {
        let client = self.client;
        let own = self.own.map(|own| own.saturating_sub(self.requests.into()));
        // A request may have a limit of its own.
        let body_limit = match request.body_limit {
            DEFAULT_BODY_LIMIT => client.options.body_limit,
            own => own,
        };
        let Some(body_limit) = client.budget.charge_request(own, body_limit) else {
            return Err(NotSent::BudgetSpent);
        };
        self.requests += 1;
        turn.note_sent(self.clock.now());
        let request = Request { body_limit, ..request.clone() };
        let exchange = client.fetch.fetch(&request, self.clock.now()).await;
        self.clock.advance(self.clock.now().after(exchange.took));
        let bytes = exchange.result.as_ref().map_or(0, |response| response.transferred);
        self.bytes += bytes;
        client.budget.charge_bytes(bytes, body_limit);
        Ok(exchange)
    }

    async fn wait_for_turn(&mut self, url: &Url) -> Result<Turn, NotSent> {
        let (client, host) = (self.client, Host::of(url));
        self.resolve(url).await?;
        loop {
            // Created before the look at the table, so that no release in between is missed.
            let released = client.shared.next_release();
            match Turn::take(&client.shared, client.options.politeness, &host, self.clock.now()) {
                Ok(turn) => return Ok(turn),
                Err(Readiness::Delayed(until)) => self.wait_until(until).await?,
                Err(_) => client.unless_stopped(released).await?,
            }
        }
    }

    /// Looks up the address of a host before its first request, so that two names of one address take turns from the
    /// start.
    async fn resolve(&mut self, url: &Url) -> Result<(), NotSent> {
        let has_address = || {
            let mut table = self.client.shared.table();
            let host = table.host(&Host::of(url));
            table.hosts.has_address(host)
        };
        if self.clock.is_simulated() || has_address() {
            return Ok(());
        }
        let mut found = None;
        self.client.unless_stopped(async { found = self.client.fetch.resolve(url).await }).await?;
        if let Some(ip) = found {
            let mut table = self.client.shared.table();
            let host = table.host(&Host::of(url));
            table.hosts.learn_address(host, ip);
        }
        Ok(())
    }

    async fn wait_until(&mut self, at: Time) -> Result<(), NotSent> {
        let wait = self.clock.now().until(at);
        if wait > self.client.options.max_wait {
            return Err(NotSent::WaitTooLong(wait));
        }
        self.client.unless_stopped(self.clock.sleep_until(at)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::future::BoxFuture;
    use hadal_core::http::Headers;
    use std::net::IpAddr;
    use std::sync::Mutex;

    type Page = (&'static str, u16, (&'static str, &'static str), &'static str);

    const HTML: (&str, &str) = ("content-type", "text/html");

    const PAGES: [Page; 12] = [
        ("http://a.example/robots.txt", 200, HTML, "User-agent: *\nDisallow: /private"),
        ("http://a.example/", 200, HTML, "hello"),
        ("http://a.example/moved", 301, ("location", "http://b.example/there"), ""),
        ("http://a.example/round", 302, ("location", "/round"), ""),
        ("http://a.example/gone", 404, HTML, "gone"),
        ("http://b.example/robots.txt", 404, HTML, ""),
        ("http://b.example/there", 200, HTML, "there"),
        ("http://c.example/robots.txt", 503, HTML, ""),
        ("http://slow.example/robots.txt", 200, HTML, "User-agent: *\nCrawl-delay: 5"),
        ("http://slow.example/", 200, HTML, "slow"),
        ("http://busy.example/robots.txt", 404, HTML, ""),
        ("http://busy.example/", 429, ("retry-after", "70"), ""),
    ];

    /// Serves [`PAGES`] and logs the time of every request. The peer alternates between two addresses.
    #[derive(Default)]
    struct Script(Mutex<Vec<(Time, String)>>);

    impl Fetch for Script {
        fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
            let mut log = self.0.lock().unwrap();
            log.push((at, request.url.to_string()));
            let peer: IpAddr =
                if log.len().is_multiple_of(2) { [192, 0, 2, 1] } else { [192, 0, 2, 2] }.into();
            let page = PAGES.iter().find(|(url, ..)| *url == request.url.as_str());
            let result = page.map(|(_, status, (name, value), body)| {
                let headers = Headers(vec![(name.to_string(), value.to_string())]);
                Response { status: *status, headers, body: body.as_bytes().to_vec(), ..Response::default() }
            });
            let result = result.ok_or(FetchError::NoSuchHost);
            Box::pin(async move { Exchange { result, took: Duration::ZERO, peer: Some(peer) } })
        }
    }

    fn options() -> ClientOptions {
        ClientOptions::new(Politeness::default(), "hadal", 1000)
    }

    /// Gets pages one after the other on a simulated clock. Returns the results and the log of requests.
    async fn get(
        options: ClientOptions,
        urls: &[&str],
    ) -> (Vec<Result<String, PageError>>, Vec<(Time, String)>) {
        let script = Arc::new(Script::default());
        let client = PoliteClient::new(Arc::clone(&script) as _, options, watch::channel(false).1);
        let (mut clock, mut found) = (Clock::simulated(), Vec::new());
        for url in urls {
            let page = client.get_page(&Url::parse(url).unwrap(), &mut clock).await;
            found.push(page.map(|(url, _)| url.to_string()));
        }
        let log = script.0.lock().unwrap().clone();
        (found, log)
    }

    fn urls(log: &[(Time, String)]) -> Vec<&str> {
        log.iter().map(|(_, url)| url.as_str()).collect()
    }

    fn seconds(log: &[(Time, String)]) -> Vec<u64> {
        log.iter().map(|(at, _)| at.0 / 1000).collect()
    }

    #[tokio::test]
    async fn the_state_of_a_host_that_an_earlier_session_left_holds() {
        let script = Arc::new(Script::default());
        let page = Url::parse("http://slow.example/").unwrap();
        let load = |name: &Host| {
            let (robots, robots_until) = (Some(RobotsState::AllowAll), Time(60_000));
            Some(HostState { robots, robots_until, next_at: Time(3_000), ..HostState::new(name) })
        };
        let client = PoliteClient::new(Arc::clone(&script) as _, options(), watch::channel(false).1)
            .with_hosts(SharedHosts::new("hadal", Box::new(load)));
        client.get_page(&page, &mut Clock::simulated()).await.unwrap();
        assert_eq!(*script.0.lock().unwrap(), [(Time(3_000), page.to_string())]);
    }

    #[tokio::test]
    async fn robots_txt_comes_first_and_once() {
        let (found, log) = get(options(), &["http://a.example/", "http://a.example/private/x"]).await;
        assert_eq!(found, [Ok("http://a.example/".to_string()), Err(NotSent::Forbidden.into())]);
        assert_eq!(urls(&log), ["http://a.example/robots.txt", "http://a.example/"]);
    }

    #[tokio::test]
    async fn redirects_are_followed_to_hosts_whose_robots_txt_is_read_too() {
        let (found, log) = get(options(), &["http://a.example/moved", "http://a.example/round"]).await;
        assert_eq!(found, [Ok("http://b.example/there".to_string()), Err(PageError::Redirects)]);
        assert_eq!(urls(&log)[2..4], ["http://b.example/robots.txt", "http://b.example/there"]);
    }

    #[tokio::test]
    async fn without_retries_failures_are_returned_at_once() {
        let options = ClientOptions { retries: false, ..options() };
        let all = ["http://a.example/gone", "http://c.example/", "http://d.example/", "http://busy.example/"];
        let (found, log) = get(options, &all).await;
        assert_eq!(
            found,
            [
                Err(PageError::Status(404)),
                Err(NotSent::RobotsUnavailable(Some(503)).into()),
                Err(NotSent::Unreachable(FetchError::NoSuchHost).into()),
                Err(PageError::Status(429)),
            ]
        );
        assert_eq!(log.len(), 6);
    }

    #[tokio::test]
    async fn without_retries_an_unavailable_robots_txt_fails_every_request_at_once() {
        let options = ClientOptions { retries: false, ..options() };
        let (found, log) = get(options, &["http://c.example/", "http://c.example/other"]).await;
        assert_eq!(found[0], Err(NotSent::RobotsUnavailable(Some(503)).into()));
        assert_eq!(found[1], Err(NotSent::RobotsUnavailable(None).into()));
        assert_eq!(urls(&log), ["http://c.example/robots.txt"]);
    }

    #[tokio::test]
    async fn requests_to_one_host_keep_the_delay_whatever_address_answers() {
        let all = ["http://a.example/", "http://a.example/gone", "http://a.example/"];
        let (_, log) = get(options(), &all).await;
        assert_eq!(seconds(&log), [0, 1, 2, 3]);
    }

    #[tokio::test]
    async fn a_crawl_delay_holds_right_after_robots_txt() {
        let (_, log) = get(options(), &["http://slow.example/", "http://slow.example/"]).await;
        assert_eq!(seconds(&log), [0, 5, 10]);
    }

    #[tokio::test]
    async fn retry_after_holds_for_retries_and_for_later_requests() {
        let (found, log) = get(options(), &["http://busy.example/", "http://busy.example/other"]).await;
        assert_eq!(found[0], Err(PageError::Status(429)));
        assert_eq!(seconds(&log), [0, 1, 71, 141, 211]);
        let impatient = ClientOptions { max_wait: Duration::from_secs(60), ..options() };
        let (found, log) = get(impatient, &["http://busy.example/"]).await;
        assert_eq!(found, [Err(NotSent::WaitTooLong(Duration::from_secs(70)).into())]);
        assert_eq!(log.len(), 2);
    }

    #[tokio::test]
    async fn the_budget_covers_robots_txt_and_retries() {
        let script = Arc::new(Script::default());
        let client = PoliteClient::new(Arc::clone(&script) as _, options(), watch::channel(false).1);
        let client = client.with_budget(RequestBudget::new(Some(3), None, (0, 0)));
        let request = Request::get(Url::parse("http://busy.example/").unwrap());
        let sent = client.send(&request, &mut Clock::simulated()).await;
        assert_eq!((sent.result.unwrap_err(), sent.requests), (NotSent::BudgetSpent, 3));
    }

    #[tokio::test]
    async fn a_stopped_session_sends_nothing_more() {
        let (stop, stopped) = watch::channel(false);
        let client = PoliteClient::new(Arc::new(Script::default()), options(), stopped);
        stop.send_replace(true);
        assert_eq!(client.pause(Duration::from_secs(9)).await, Err(NotSent::Stopped));
    }
}
