//! A two-level strategy that uses everything the trait permits: refill, rescore, close, backlinks.
//!
//! FFC and ACHE need batches and levels, SmartCrawler needs site queues and reverse searching.

use crate::common::{BOOK_FORM, Web, links, run, setup, site_counters};
use futures::future::BoxFuture;
use hadal::backlinks::Backlinks;
use hadal::engine::CrawlEvent;
use hadal_core::address::Site;
use hadal_core::http::FetchError;
use hadal_core::link::{FrontierLink, LinkTask, QueueId};
use hadal_core::strategy::{
    PageVisit, Placement, QueueChoice, QueueHeads, SiteCounters, Strategy, StrategyCommand, StrategyGauge,
};
use std::sync::{Arc, Mutex};
use url::Url;

const LOOKUPS: QueueId = QueueId(0);
const CRAWLING: QueueId = QueueId(1);
const STORED: QueueId = QueueId(2);

/// Time at which the strategy learns that high numbers in a URL are good.
#[derive(Clone, Copy, PartialEq)]
enum Learns {
    /// Never: low numbers first.
    Never,
    /// After the first page: queue heads now, the rest lazily.
    Lazily,
    /// After the first page: the whole frontier at once.
    Fully,
}

struct Toy {
    batch: usize,
    learns: Learns,
    visits: u32,
    turned: bool,
}

impl Toy {
    fn new(batch: usize, learns: Learns) -> Box<Toy> {
        Box::new(Toy { batch, learns, visits: 0, turned: false })
    }
}

/// Number at the end of a URL.
fn number(url: &Url) -> f32 {
    url.path().trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0.0)
}

impl Strategy for Toy {
    fn place(&self, lead: &FrontierLink, _site: &SiteCounters) -> Placement {
        let n = number(&lead.url);
        let score = if self.turned { n } else { -n };
        match lead.task {
            LinkTask::Backlinks => Placement::Enqueue { queue: LOOKUPS, score },
            LinkTask::Page | LinkTask::Probe(_) => Placement::Enqueue { queue: STORED, score },
        }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        for lane in [LOOKUPS, CRAWLING] {
            if heads.head(lane).is_some() {
                return QueueChoice::Serve(lane);
            }
        }
        match heads.link_count(STORED) {
            0 => QueueChoice::Idle,
            _ if heads.link_count(CRAWLING) > 0 => QueueChoice::Idle,
            _ => QueueChoice::Execute(Box::new(StrategyCommand::Refill {
                from: STORED,
                to: CRAWLING,
                limit: self.batch,
            })),
        }
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        self.visits += 1;
        let mut commands = Vec::new();
        if visit.new_relevant > 0 {
            commands.push(StrategyCommand::LookUpBacklinks(visit.link.url.clone()));
            commands.push(StrategyCommand::CloseSite(visit.link.site()));
        }
        if self.visits == 1 && self.learns != Learns::Never {
            self.turned = true;
            commands.push(match self.learns {
                Learns::Fully => StrategyCommand::RescoreAll,
                _ => StrategyCommand::RescoreHeads,
            });
        }
        commands
    }
}

struct Known(Vec<Url>);

impl Backlinks for Known {
    fn lookup<'a>(&'a self, _url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

const SEED: &str = "http://seed.example/";

fn numbered(n: usize, address: impl Fn(usize) -> String) -> Web {
    let urls: Vec<String> = (1..=n).map(address).collect();
    let seed = Web::default().page(SEED, &links(&urls.iter().map(String::as_str).collect::<Vec<_>>()));
    urls.iter().fold(seed, |web, url| web.page(url, "book"))
}

async fn order(web: Web, toy: Box<Toy>) -> Vec<f32> {
    let web = Arc::new(web);
    let mut crawl = setup(web.clone(), toy, &[SEED]);
    crawl.window = 1;
    crawl.politeness.delay = std::time::Duration::ZERO;
    crawl.politeness.latency_factor = 0.0;
    run(crawl).await;
    web.visits().iter().skip(1).map(|url| number(&Url::parse(url).unwrap())).collect()
}

#[tokio::test]
async fn a_lane_is_refilled_in_batches_best_first() {
    let web = numbered(6, |n| format!("http://h{n}.example/{n}"));
    assert_eq!(order(web, Toy::new(2, Learns::Never)).await, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[tokio::test]
async fn with_one_lead_a_host_lazy_rescoring_equals_full_reranking() {
    let web = || numbered(9, |n| format!("http://h{n}.example/{n}"));
    let full = order(web(), Toy::new(1, Learns::Fully)).await;
    assert_eq!(full, [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
    assert_eq!(order(web(), Toy::new(1, Learns::Lazily)).await, full);
}

#[tokio::test]
async fn lazy_rescoring_is_close_to_full_rescoring_and_loses_no_link() {
    let web = || numbered(60, |n| format!("http://h{}.example/{n}", n % 12));
    let gain = |order: &[f32]| order.iter().take(20).sum::<f32>();
    let full = order(web(), Toy::new(5, Learns::Fully)).await;
    let lazy = order(web(), Toy::new(5, Learns::Lazily)).await;
    assert_eq!((full.len(), lazy.len()), (60, 60));
    assert!(gain(&lazy) > gain(&order(web(), Toy::new(5, Learns::Never)).await));
    assert!(gain(&lazy) >= 0.5 * gain(&full), "{} of {}", gain(&lazy), gain(&full));
}

/// Strategy with one queue that prefers sites by the numbers of their pages and records its calls.
#[derive(Default)]
struct Prefers {
    paths: Arc<Mutex<Vec<Vec<String>>>>,
}

impl Strategy for Prefers {
    fn place(&self, _lead: &FrontierLink, site: &SiteCounters) -> Placement {
        let score = if site.pages == 0 { 100.0 } else { 0.0 };
        Placement::Enqueue { queue: CRAWLING, score }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        heads.head(CRAWLING).map_or(QueueChoice::Idle, |_| QueueChoice::Serve(CRAWLING))
    }

    fn gauges(&self, _heads: &dyn QueueHeads) -> Vec<StrategyGauge> {
        vec![
            StrategyGauge { name: "infinite", value: f64::INFINITY },
            StrategyGauge { name: "one", value: 1.0 },
        ]
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        if visit.new_searchable > 0 {
            let path = visit.path.iter().map(|lead| lead.url.to_string()).collect();
            self.paths.lock().unwrap().push(path);
        }
        vec![StrategyCommand::SetSiteBonus(number(&visit.link.url))]
    }
}

async fn preferring(web: Web, seeds: &[&str]) -> (Vec<String>, Vec<Vec<String>>) {
    let (web, strategy) = (Arc::new(web), Prefers::default());
    let paths = Arc::clone(&strategy.paths);
    let mut crawl = setup(web.clone(), Box::new(strategy), seeds);
    crawl.window = 1;
    crawl.politeness.delay = std::time::Duration::ZERO;
    crawl.politeness.latency_factor = 0.0;
    run(crawl).await;
    let paths = paths.lock().unwrap().clone();
    (web.visits(), paths)
}

#[tokio::test]
async fn the_bonus_of_a_site_decides_between_sites() {
    let page = |web: Web, host: &str, n: u32| {
        let links = links(&[&format!("http://{host}/x"), &format!("http://{host}/y")]);
        web.page(&format!("http://{host}/{n}"), &links)
            .page(&format!("http://{host}/x"), "book")
            .page(&format!("http://{host}/y"), "book")
    };
    let web = page(page(Web::default(), "poor.example", 1), "rich.example", 9);
    let (visits, _) = preferring(web, &["http://poor.example/1", "http://rich.example/9"]).await;
    assert_eq!(visits[..2], ["http://poor.example/1", "http://rich.example/9"], "unknown sites come first");
    assert_eq!(visits[2], "http://rich.example/x");
    assert_eq!(visits[3], "http://poor.example/x", "x has no number: it makes its site worth nothing");
}

#[tokio::test]
async fn figures_that_are_infinite_are_left_out() {
    let addresses: Vec<String> = (0..250).map(|n| format!("http://a.example/p{n}")).collect();
    let list = links(&addresses.iter().map(String::as_str).collect::<Vec<_>>());
    let web = Arc::new(Web::default().page("http://a.example/", &list));
    let crawl = setup(web, Box::new(Prefers::default()), &["http://a.example/"]);
    let mut shown = Vec::new();
    let mut note = |event| {
        if let CrawlEvent::Gauges { gauges, .. } = event {
            shown.extend(gauges.iter().map(|gauge| gauge.name));
        }
    };
    hadal::engine::crawl(crawl, &mut note).await.unwrap();
    assert_eq!(shown, ["one"]);
}

#[tokio::test]
async fn a_form_comes_with_the_path_that_led_to_it() {
    let addresses: Vec<String> = (0..6).map(|n| format!("http://a.example/p{n}")).collect();
    let mut web = Web::default().page(&addresses[5], BOOK_FORM);
    for pair in addresses.windows(2) {
        web = web.page(&pair[0], &links(&[&pair[1]]));
    }
    let (_, paths) = preferring(web, &[&addresses[0]]).await;
    let nearest_first: Vec<String> = addresses[2..5].iter().rev().cloned().collect();
    assert_eq!(paths, [nearest_first]);
}

#[tokio::test]
async fn a_closed_site_is_left_and_not_entered_again() {
    let web = Web::default()
        .page(SEED, &links(&["http://a.example/1", "http://a.example/2", "http://b.example/3"]))
        .page("http://a.example/1", BOOK_FORM)
        .page("http://b.example/3", &links(&["http://www.a.example/4"]));
    let web = Arc::new(web);
    let mut crawl = setup(web.clone(), Toy::new(1, Learns::Never), &[SEED]);
    crawl.window = 1;
    let store = Arc::clone(&crawl.store);
    let summary = run(crawl).await;
    assert_eq!(web.visits(), [SEED, "http://a.example/1", "http://b.example/3"]);
    assert!(site_counters(store.as_ref(), summary.run, &Site("a.example".into())).closed);
}

#[tokio::test]
async fn backlinks_become_leads_and_cost_a_request() {
    let web = Web::default().page(SEED, BOOK_FORM).page("http://hub.example/", "book");
    let web = Arc::new(web);
    let mut crawl = setup(web.clone(), Toy::new(1, Learns::Never), &[SEED]);
    crawl.backlinks = Some(Arc::new(Known(vec![Url::parse("http://hub.example/").unwrap()])));
    let summary = run(crawl).await;
    assert_eq!(web.visits(), [SEED, "http://hub.example/"]);
    assert_eq!(summary.counters.requests, web.requests().len() as u64 + 1);
}
