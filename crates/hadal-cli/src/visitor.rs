//! One page at a time, politely: for commands that look at a few addresses without a crawl.
//!
//! robots.txt is asked for first, a host gets its pause between two requests, redirects are followed, and
//! nothing is tried twice: whoever typed the address can.

use super::network;
use hadal::config::Config;
use hadal::engine::Clock;
use hadal::fetch::Fetch;
use hadal::fetch::network::Network;
use hadal::fetch::politeness::{Politeness, next_request_at};
use hadal::fetch::retry::{self, MOST_ATTEMPTS, Next};
use hadal::fetch::robots::{RobotsReading, Rules, interpret};
use hadal::store::RobotsState;
use hadal_core::address::Host;
use hadal_core::http::{Completeness, Exchange, FetchError, Request, Response};
use hadal_core::time::Time;
use std::collections::HashMap;
use url::Url;

/// Redirects followed to a page, and to a robots.txt.
const MOST_HOPS: usize = 5;

/// Visits pages, one at a time.
pub struct Visitor {
    fetch: Box<dyn Fetch>,
    agent: String,
    pace: Politeness,
    body_limit: u64,
    hosts: HashMap<Host, KnownHost>,
}

/// What is known of a host.
#[derive(Default)]
struct KnownHost {
    rules: Option<Rules>,
    next_at: Time,
}

/// A page that was fetched.
#[derive(Debug)]
pub struct Visited {
    /// Where it was in the end.
    pub url: Url,
    /// What came.
    pub response: Response,
}

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VisitError {
    /// No answer.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// An answer that is no page.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// A document of another sort.
    #[error("this is no HTML page but {0}")]
    NoPage(String),
    /// The host does not want it.
    #[error("robots.txt does not allow it")]
    Robots,
    /// The host does not say what it wants, which forbids everything for a while.
    #[error("robots.txt cannot be had (status {0}), so nothing is asked for")]
    NoRobots(u16),
    /// Redirects without an end.
    #[error("more than {MOST_HOPS} redirects")]
    Redirects,
}

impl Visitor {
    /// A visitor of the real web, as configured. Must be called within a tokio runtime.
    pub fn new(config: &Config) -> anyhow::Result<Visitor> {
        let network = Network::new(network::options(config)?)?;
        let agent = config.politeness.agent();
        Ok(Visitor::over(Box::new(network), agent, config.politeness.delays, config.fetch.body_limit))
    }

    fn over(fetch: Box<dyn Fetch>, agent: &str, pace: Politeness, body_limit: u64) -> Visitor {
        Visitor { fetch, agent: agent.to_string(), pace, body_limit, hosts: HashMap::new() }
    }

    /// Fetches a page, wherever redirects lead.
    pub async fn visit(&mut self, mut url: Url) -> Result<Visited, VisitError> {
        for _ in 0..=MOST_HOPS {
            if !self.rules_for(&url).await?.allows(&url) {
                return Err(VisitError::Robots);
            }
            let exchange = self.ask(&url).await;
            match retry::after(&url, &exchange, MOST_ATTEMPTS, 0, Clock::Real.now()) {
                Next::Redirect(target) => url = target,
                Next::Accept => return page(url, exchange.result?),
                Next::Retry { .. } | Next::GiveUp(_) => return Err(trouble(&exchange.result?)),
            }
        }
        Err(VisitError::Redirects)
    }

    /// The rules of the host that an address is on; its robots.txt is read once.
    async fn rules_for(&mut self, url: &Url) -> Result<Rules, VisitError> {
        let host = Host::of(url);
        if let Some(rules) = self.hosts.get(&host).and_then(|known| known.rules.clone()) {
            return Ok(rules);
        }
        let rules = self.ask_for_rules(url).await?;
        self.hosts.entry(host).or_default().rules = Some(rules.clone());
        Ok(rules)
    }

    async fn ask_for_rules(&mut self, url: &Url) -> Result<Rules, VisitError> {
        let mut at = url.clone();
        at.set_path("/robots.txt");
        at.set_query(None);
        for _ in 0..=MOST_HOPS {
            let exchange = self.ask(&at).await;
            match interpret(&at, &exchange, 0, Clock::Real.now()) {
                RobotsReading::Redirect(target) => at = target,
                RobotsReading::Known(RobotsState::Text(text), _) => {
                    return Ok(Rules::parse(&text, &self.agent));
                }
                RobotsReading::Known(RobotsState::DisallowAll, _) => {
                    return Err(VisitError::NoRobots(exchange.result?.status));
                }
                RobotsReading::Known(..) => break,
            }
        }
        Ok(Rules::default())
    }

    /// Sends one request when it is the host's turn.
    async fn ask(&mut self, url: &Url) -> Exchange {
        let now = Clock::Real.now();
        let known = self.hosts.entry(Host::of(url)).or_default();
        tokio::time::sleep(now.until(known.next_at)).await;
        let request = Request { body_limit: self.body_limit, ..Request::get(url.clone()) };
        let exchange = self.fetch.fetch(&request, Clock::Real.now()).await;
        let crawl_delay = known.rules.as_ref().and_then(Rules::crawl_delay);
        known.next_at = next_request_at(Clock::Real.now(), exchange.took, &self.pace, crawl_delay);
        exchange
    }
}

fn page(url: Url, response: Response) -> Result<Visited, VisitError> {
    let kind = response.headers.get("content-type").unwrap_or_default().trim().to_ascii_lowercase();
    match kind.is_empty() || kind.contains("html") {
        true => Ok(Visited { url, response }),
        false => Err(VisitError::NoPage(kind)),
    }
}

fn trouble(response: &Response) -> VisitError {
    let kind = response.headers.get("content-type").unwrap_or("something else");
    match response.completeness {
        Completeness::Unwanted if response.status < 300 => VisitError::NoPage(kind.to_string()),
        _ => VisitError::Status(response.status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::future::BoxFuture;
    use hadal_core::http::Headers;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    /// Answers with what is written down for an address: a status, a header, a body.
    struct Script {
        answers: Vec<(&'static str, u16, (&'static str, &'static str), &'static str)>,
        asked: Arc<Mutex<Vec<String>>>,
    }

    impl Fetch for Script {
        fn fetch<'a>(&'a self, request: &'a Request, _: Time) -> BoxFuture<'a, Exchange> {
            self.asked.lock().unwrap().push(request.url.to_string());
            let answer = self.answers.iter().find(|(url, ..)| *url == request.url.as_str());
            let result = answer.map(|(_, status, (name, value), body)| {
                let headers = Headers(vec![(name.to_string(), value.to_string())]);
                Response { status: *status, headers, body: body.as_bytes().to_vec(), ..Response::default() }
            });
            let result = result.ok_or(FetchError::NoSuchHost);
            Box::pin(async { Exchange { result, took: Duration::ZERO, peer: None } })
        }
    }

    const HTML: (&str, &str) = ("content-type", "text/html");

    async fn visits(urls: &[&str]) -> (Vec<Result<String, VisitError>>, Vec<String>) {
        let answers = vec![
            ("http://a.example/robots.txt", 200, HTML, "User-agent: *\nDisallow: /private"),
            ("http://a.example/", 200, HTML, "hello"),
            ("http://a.example/moved", 301, ("location", "http://b.example/there"), ""),
            ("http://a.example/round", 302, ("location", "/round"), ""),
            ("http://a.example/data", 200, ("content-type", "application/json"), "{}"),
            ("http://a.example/gone", 404, HTML, "gone"),
            ("http://b.example/robots.txt", 404, HTML, ""),
            ("http://b.example/there", 200, HTML, "there"),
            ("http://c.example/robots.txt", 503, HTML, ""),
        ];
        let asked = Arc::new(Mutex::new(Vec::new()));
        let script = Script { answers, asked: asked.clone() };
        let pace = Politeness { delay: Duration::ZERO, ..Politeness::default() };
        let mut visitor = Visitor::over(Box::new(script), "hadal", pace, 1000);
        let mut found = Vec::new();
        for url in urls {
            let visited = visitor.visit(Url::parse(url).unwrap()).await;
            found.push(visited.map(|visited| visited.url.to_string()));
        }
        let asked = asked.lock().unwrap().clone();
        (found, asked)
    }

    #[tokio::test]
    async fn robots_txt_comes_first_and_once() {
        let (found, asked) = visits(&["http://a.example/", "http://a.example/private/x"]).await;
        assert_eq!(found, [Ok("http://a.example/".to_string()), Err(VisitError::Robots)]);
        assert_eq!(asked, ["http://a.example/robots.txt", "http://a.example/"]);
    }

    #[tokio::test]
    async fn redirects_are_followed_to_hosts_that_are_asked_for_their_rules_too() {
        let (found, asked) = visits(&["http://a.example/moved", "http://a.example/round"]).await;
        assert_eq!(found, [Ok("http://b.example/there".to_string()), Err(VisitError::Redirects)]);
        assert_eq!(asked[2..4], ["http://b.example/robots.txt", "http://b.example/there"]);
    }

    #[tokio::test]
    async fn what_is_no_page_is_said_to_be_none() {
        let urls =
            ["http://a.example/gone", "http://a.example/data", "http://c.example/", "http://d.example/"];
        let (found, _) = visits(&urls).await;
        assert_eq!(
            found,
            [
                Err(VisitError::Status(404)),
                Err(VisitError::NoPage("application/json".to_string())),
                Err(VisitError::NoRobots(503)),
                Err(VisitError::Fetch(FetchError::NoSuchHost)),
            ]
        );
    }
}
