//! SmartCrawler and its variants on the engine: queues, reverse searching, learning, prior knowledge, resuming.

use crate::common::course::{course, over};
use crate::common::{BOOK_FORM, Web, lessons, links, run, setup};
use futures::future::BoxFuture;
use hadal::backlinks::Backlinks;
use hadal::engine::Crawl;
use hadal::store::PageRow;
use hadal_core::http::FetchError;
use hadal_core::link::FrontierLink;
use hadal_core::strategy::smart::{SmartCrawler, SmartOptions};
use hadal_core::strategy::{
    PageVisit, Placement, QueueChoice, QueueHeads, RestoreError, SiteCounters, Strategy, StrategyCommand,
    StrategyContext, StrategyGauge,
};
use hadal_world::{Spec, World};
use std::sync::Arc;
use url::Url;

fn urls(texts: &[&str]) -> Vec<Url> {
    texts.iter().map(|text| Url::parse(text).unwrap()).collect()
}

fn briefing(seeds: &[&str]) -> StrategyContext {
    StrategyContext { seed: 1, seeds: urls(seeds), examples: Vec::new(), backlinks: true }
}

/// Crawl with one step at a time and no pauses.
fn unhurried(web: &Arc<Web>, parts: SmartOptions, seeds: &[&str]) -> Crawl {
    let strategy = Box::new(SmartCrawler::new(parts, &briefing(seeds)));
    let mut crawl = setup(web.clone(), strategy, seeds);
    crawl.window = 1;
    crawl.politeness.delay = std::time::Duration::ZERO;
    crawl.politeness.latency_factor = 0.0;
    crawl
}

async fn visits(web: Web, parts: SmartOptions, seeds: &[&str]) -> Vec<String> {
    let web = Arc::new(web);
    run(unhurried(&web, parts, seeds)).await;
    web.visits()
}

const POOR: &str = "http://poor.example/";
const RICH: &str = "http://rich.example/";
const INCREMENTAL: SmartOptions = SmartOptions { reverse: false, incremental: true, adaptive: false };
const ADAPTIVE: SmartOptions = SmartOptions { reverse: false, incremental: false, adaptive: true };

fn with_form(targets: &[&str]) -> String {
    links(targets) + BOOK_FORM
}

/// Two seeds that each link to a page of another site. Only one of these pages has a form.
fn two_seeds() -> Web {
    Web::default()
        .page(POOR, &links(&["http://low.example/some/page"]))
        .page(RICH, &with_form(&["http://high.example/other/page"]))
        .page("http://low.example/", &links(&[]))
        .page("http://high.example/", &links(&[]))
}

#[tokio::test]
async fn sites_are_entered_at_home_and_those_that_deep_sites_link_to_come_first() {
    let incremental = visits(two_seeds(), INCREMENTAL, &[POOR, RICH]).await;
    assert_eq!(incremental, [POOR, RICH, "http://high.example/", "http://low.example/"]);
    let plain = visits(two_seeds(), SmartOptions::default(), &[POOR, RICH]).await;
    assert_eq!(plain, [POOR, RICH, "http://low.example/", "http://high.example/"], "in the order met");
}

#[tokio::test]
async fn an_off_topic_site_is_not_explored_and_adds_no_sites() {
    let weather = "<title>Weather</title><p>rain, wind and sun</p><a href=/tomorrow>tomorrow</a>
        <a href='http://third.example/'>climate</a>";
    let web = Web::default()
        .page(POOR, &links(&["http://weather.example/"]))
        .page("http://weather.example/", weather);
    assert_eq!(visits(web, SmartOptions::default(), &[POOR]).await, [POOR, "http://weather.example/"]);
}

#[tokio::test]
async fn a_site_is_explored_breadth_first_to_depth_three() {
    let page = |n: u32| format!("{POOR}{n}");
    let mut web = Web::default().page(POOR, &links(&[&page(1), &page(9)])).page(&page(9), &links(&[]));
    for n in 1..6 {
        web = web.page(&page(n), &links(&[&page(n + 1)]));
    }
    let expected = [POOR.to_string(), page(1), page(9), page(2), page(3)];
    assert_eq!(visits(web, SmartOptions::default(), &[POOR]).await, expected);
}

/// Backlink source with a fixed answer.
struct Known(Vec<Url>);

impl Backlinks for Known {
    fn lookup<'a>(&'a self, _url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

async fn finds_through_hub(links_to_seeds: usize) -> bool {
    let (hub, new) = ("http://hub.example/list", "http://new.example/");
    let seeds = ["http://a.example/", "http://b.example/", "http://c.example/"];
    let listed: Vec<&str> = seeds[..links_to_seeds].iter().copied().chain([new]).collect();
    let web = seeds.iter().fold(Web::default(), |web, seed| web.page(seed, &links(&[])));
    let web = Arc::new(web.page(hub, &links(&listed)).page(new, &links(&[])));
    let mut crawl = unhurried(&web, SmartOptions { reverse: true, ..SmartOptions::default() }, &seeds);
    crawl.backlinks = Some(Arc::new(Known(urls(&[hub]))));
    run(crawl).await;
    assert!(web.visits().contains(&hub.to_string()));
    web.visits().contains(&new.to_string())
}

#[tokio::test]
async fn a_page_that_links_to_three_good_sites_opens_the_others_it_links_to() {
    assert!(finds_through_hub(3).await);
    assert!(!finds_through_hub(2).await);
}

/// A page that links to libraries, each with a search form on its home page.
fn shelf(libraries: usize) -> Web {
    let names: Vec<String> = (0..libraries).map(|n| format!("http://library-{n}.example/")).collect();
    let shelf = Web::default().page(RICH, &links(&names.iter().map(String::as_str).collect::<Vec<_>>()));
    names.iter().fold(shelf, |web, name| web.page(name, &with_form(&[])))
}

#[tokio::test]
async fn after_fifty_deep_sites_it_knows_words_of_their_names() {
    let web = Arc::new(shelf(55));
    let crawl = unhurried(&web, ADAPTIVE, &[RICH]);
    let store = Arc::clone(&crawl.store);
    let summary = run(crawl).await;
    let lessons = lessons(store.as_ref(), summary.run);
    let sites = |iteration| {
        let row = lessons.iter().find(|row| row.lesson.model == "site" && row.lesson.iteration == iteration);
        row.unwrap().lesson.selected[0].terms.clone()
    };
    assert_eq!(sites(0)[0].0, "rich", "all it knew was its seed");
    assert_eq!(sites(1)[0], ("librari".to_string(), 50));
}

#[tokio::test]
async fn prior_knowledge_decides_what_is_visited_first() {
    let seed = "http://new-crawl.example/";
    let two = || {
        let (shop, library) = ("http://corner-shop.example/", "http://town-library.example/");
        let web = Web::default().page(seed, &links(&[shop, library]));
        Arc::new(web.page(shop, &links(&[])).page(library, &links(&[])))
    };
    let first = unhurried(&Arc::new(shelf(5)), ADAPTIVE, &[RICH]);
    let store = Arc::clone(&first.store);
    let earlier = store.resume(run(first).await.run, usize::MAX).unwrap().progress.strategy.unwrap();
    for (prior, visited) in
        [(None, "http://corner-shop.example/"), (Some(earlier), "http://town-library.example/")]
    {
        let web = two();
        let mut crawl = unhurried(&web, ADAPTIVE, &[seed]);
        crawl.prior = prior;
        run(crawl).await;
        assert_eq!(web.visits()[1], visited);
    }
}

/// Strategy that is restored from its saved state before every decision.
struct Forgetful {
    smart: SmartCrawler,
    restart: Box<dyn Fn() -> SmartCrawler + Send>,
}

impl Forgetful {
    fn forget(&mut self) {
        let saved = self.smart.save();
        self.smart = (self.restart)();
        self.smart.restore(&saved).unwrap();
    }
}

impl Strategy for Forgetful {
    fn begin(&mut self) -> Vec<StrategyCommand> {
        self.smart.begin()
    }
    fn place(&self, lead: &FrontierLink, site: &SiteCounters) -> Placement {
        self.smart.place(lead, site)
    }
    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        self.forget();
        self.smart.choose(heads)
    }
    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        self.forget();
        self.smart.learn(visit)
    }
    fn on_backlinks(&mut self, about: &Url, linking: &[Url]) -> Vec<StrategyCommand> {
        self.forget();
        self.smart.on_backlinks(about, linking)
    }
    fn gauges(&self, heads: &dyn QueueHeads) -> Vec<StrategyGauge> {
        self.smart.gauges(heads)
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        self.smart.restore(saved)
    }
}

fn small_world() -> Arc<World> {
    Arc::new(World::new(Spec { sites: 500, mean_pages: 30, deep_site_factor: 10.0, ..Spec::tiny(4) }))
}

/// Visited pages of a crawl for books, in order.
async fn crawled(world: &Arc<World>, strategy: Box<dyn Strategy>, requests: u64) -> Vec<PageRow> {
    course(over(world, strategy, requests)).await.pages
}

fn of(world: &World, parts: SmartOptions) -> SmartCrawler {
    SmartCrawler::new(
        parts,
        &StrategyContext { seeds: world.seeds("book"), backlinks: true, ..StrategyContext::seeded(1) },
    )
}

#[tokio::test]
async fn one_that_is_restored_before_every_decision_decides_as_one_that_never_stopped() {
    let world = small_world();
    for parts in [SmartOptions::ALL, SmartOptions::default()] {
        let calm = crawled(&world, Box::new(of(&world, parts)), 900).await;
        let other = Arc::clone(&world);
        let restart = Box::new(move || of(&other, parts));
        let rough = crawled(&world, Box::new(Forgetful { smart: restart(), restart }), 900).await;
        assert!(calm.len() > 300, "{}", calm.len());
        assert!(calm == rough, "{parts:?}");
    }
}

#[tokio::test]
async fn one_that_never_learns_is_scdi_with_reverse_searching_and_two_queues() {
    let world = small_world();
    let frozen = crawled(&world, Box::new(of(&world, SmartOptions::ALL).frozen()), 900).await;
    let fixed = of(&world, SmartOptions { adaptive: false, ..SmartOptions::ALL });
    assert!(frozen == crawled(&world, Box::new(fixed), 900).await);
    let learning = crawled(&world, Box::new(of(&world, SmartOptions::ALL)), 900).await;
    assert!(frozen != learning, "learning makes a difference");
}
