//! A harvest over real sockets, of a form that wants a session and a token that soon expires.

use hadal::fetch::in_process::Respond;
use hadal::fetch::network::{Network, NetworkOptions};
use hadal::fetch::world_server::{ServerOptions, serve};
use hadal::harvest::open_form::{SearchLocation, form_at_url};
use hadal::harvest::{HarvestJob, HarvestPlan, harvest};
use hadal::polite::{ClientOptions, Clock, PoliteClient, Politeness};
use hadal::store::{Access, open};
use hadal_core::harvest::policy::find_policy;
use hadal_core::harvest::session::{DetailMode, HarvestOptions};
use hadal_core::http::{Exchange, Method, Request, Response};
use hadal_core::time::Time;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use url::{Url, form_urlencoded};

const RECORDS: usize = 90;
/// Queries that one token permits.
const USES: u32 = 4;
/// Tokens that one session permits.
const TOKENS: u32 = 3;

const WORDS: [&str; 12] = [
    "harbour", "lantern", "meadow", "copper", "willow", "granite", "velvet", "thunder", "orchard", "feather",
    "marble", "saffron",
];

fn title(record: usize) -> String {
    format!("{} {} number {record}", WORDS[record % 12], WORDS[(record * 5 + 3) % 12])
}

/// Site that answers only requests with a session and an unused token of it.
#[derive(Default)]
struct Guarded(Mutex<Gate>);

#[derive(Default)]
struct Gate {
    sessions: BTreeMap<String, Visit>,
    answered: u32,
    refused: u32,
}

#[derive(Clone, Copy, Default)]
struct Visit {
    tokens: u32,
    uses: u32,
}

fn session_of(request: &Request) -> Option<String> {
    let cookies = request.headers.get("cookie")?;
    cookies.split("; ").find_map(|pair| pair.strip_prefix("sid=")).map(String::from)
}

impl Gate {
    fn form(&mut self, request: &Request) -> Response {
        let known = session_of(request).filter(|id| self.sessions.get(id).is_some_and(|v| v.tokens < TOKENS));
        let fresh = format!("visit{}", self.sessions.len());
        let id = known.clone().unwrap_or(fresh);
        let visit = self.sessions.entry(id.clone()).or_default();
        (visit.tokens, visit.uses) = (visit.tokens + 1, 0);
        let form = format!(
            "<form method=post action=/find>Search our items <input type=search name=q>
            <input type=hidden name=csrf_token value=f00d{:012x}><input type=submit value=Search></form>",
            visit.tokens
        );
        let mut response = page(200, &form);
        if known.is_none() {
            response.headers.push("set-cookie", format!("sid={id}; Path=/; HttpOnly"));
        }
        response
    }

    fn answer(&mut self, request: &Request) -> Response {
        let value = |name: &str| {
            let mut pairs = form_urlencoded::parse(&request.body);
            pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
        };
        let visit = session_of(request).and_then(|id| self.sessions.get_mut(&id));
        let is_let_in = visit.is_some_and(|visit| {
            visit.uses += 1;
            visit.uses <= USES && value("csrf_token") == format!("f00d{:012x}", visit.tokens)
        });
        if request.method != Method::Post || !is_let_in {
            self.refused += 1;
            return page(403, "<h1>Error</h1><p>Your session has expired. Please try again.</p>");
        }
        self.answered += 1;
        page(200, &results(&value("q").to_lowercase()))
    }
}

fn results(word: &str) -> String {
    let found: Vec<usize> =
        (0..RECORDS).filter(|record| title(*record).split(' ').any(|known| known == word)).collect();
    if found.is_empty() {
        return "<p>Sorry, no items match your search.</p>".into();
    }
    let mut main = format!("<p>{} items found</p><ul class=hits>", found.len());
    for record in found {
        let text = title(record);
        write!(main, "<li><a href='/item/{record}'>{text}</a> <span>Shelf {}</span></li>", record % 9)
            .unwrap();
    }
    main + "</ul>"
}

fn page(status: u16, main: &str) -> Response {
    let html =
        format!("<html><head><title>Museum store</title></head><body><h1>Museum</h1>{main}</body></html>");
    let mut response = Response { status, body: html.into_bytes(), ..Response::default() };
    response.headers.push("content-type", "text/html; charset=utf-8");
    response
}

impl Respond for Guarded {
    fn respond(&self, request: &Request, _at: Time) -> Exchange {
        let mut gate = self.0.lock().unwrap();
        let response = match request.url.path() {
            "/" => gate.form(request),
            "/find" => gate.answer(request),
            _ => page(404, "<p>There is nothing here."),
        };
        Exchange { result: Ok(response), took: Duration::ZERO, peer: None }
    }
}

#[tokio::test]
async fn expired_sessions_and_tokens_are_fetched_again() {
    let site = Arc::new(Guarded::default());
    let running =
        serve(site.clone(), "127.0.0.1:0".parse().unwrap(), ServerOptions::default()).await.unwrap();
    let connect_to = vec![format!("*={}", running.addr).parse().unwrap()];
    let options = NetworkOptions { connect_to, allow_private: true, ..NetworkOptions::default() };
    let fetch = Arc::new(Network::new(options).unwrap());
    let politeness = Politeness { delay: Duration::ZERO, latency_factor: 0.0, max_delay: Duration::ZERO };
    let options = ClientOptions::new(politeness, "hadal", 1 << 20);
    let client = PoliteClient::new(fetch, options, watch::channel(false).1);
    let home = Url::parse("http://museum.example/").unwrap();
    let opened = form_at_url(&SearchLocation::at(&home, "web"), &client, &mut Clock::Real).await.unwrap();
    let store = open("memory:", Access::Crawl).unwrap();
    let options = HarvestOptions { coverage: 1.0, records: None, details: DetailMode::Never, seed: 1 };
    let mut job = HarvestJob::new(opened, &find_policy("hadal").unwrap(), options);
    job.policy_context.first_words = vec!["harbour".to_string()];
    let plan = HarvestPlan { max_requests: Some(200), ..HarvestPlan::new(store, client, vec![job]) };
    let summary = harvest(plan, &mut |_| {}).await.unwrap().remove(0);
    let gate = site.0.lock().unwrap();
    assert!(summary.counters.records >= RECORDS as u64 - 1, "{summary:?}");
    assert!(gate.sessions.len() > 1, "one session was enough: {} answers", gate.answered);
    assert!(gate.refused <= gate.answered / USES + 2, "{} refused, {} answered", gate.refused, gate.answered);
}
