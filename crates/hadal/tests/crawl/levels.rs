//! Level strategies on the engine: training on backlinks, learning during the crawl, and saving of the models.

use crate::common::course::{course, over};
use crate::common::{BOOK_FORM, Web, lessons, run, setup, strategy};
use futures::future::BoxFuture;
use hadal::backlinks::Backlinks;
use hadal_core::http::FetchError;
use hadal_core::strategy::levels::config::{ACHE_OFFLINE, ACHE_OFFLINE_ONLINE, ACHE_ONLINE, FFC};
use hadal_core::strategy::levels::{LevelConfig, LevelStrategy};
use hadal_core::strategy::{Lesson, Strategy, StrategyContext};
use hadal_world::{Spec, World};
use std::collections::BTreeMap;
use std::sync::Arc;
use url::Url;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn levels(plan: LevelConfig, examples: Vec<Url>) -> Box<dyn Strategy> {
    Box::new(LevelStrategy::new(
        plan,
        &StrategyContext { examples, backlinks: true, ..StrategyContext::seeded(1) },
    ))
}

/// Pages with relevant forms, from which the trained strategies start.
fn examples(world: &World) -> Vec<Url> {
    world.relevant("book").step_by(9).take(8).map(|form| form.page_url).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn frozen_each_adaptive_strategy_is_its_fixed_counterpart() {
    let world = Arc::new(World::new(Spec::demo(5)));
    let of = |plan| over(&world, levels(plan, examples(&world)), 1_500);
    let offline = course(of(ACHE_OFFLINE)).await;
    assert_eq!(offline.lessons.len(), 1, "it learned backward, once");
    assert!(course(of(ACHE_OFFLINE_ONLINE.frozen())).await == offline);
    assert!(
        course(of(LevelConfig { learn_after: Some(5), ..ACHE_OFFLINE_ONLINE })).await != offline,
        "learning changes it"
    );
    let baseline = course(over(&world, strategy("best-first-sc"), 1_500)).await;
    assert!(course(of(ACHE_ONLINE.frozen())).await == baseline);
    assert!(
        course(of(LevelConfig { learn_after: Some(5), ..ACHE_ONLINE })).await != baseline,
        "learning changes it"
    );
}

/// A web of book shops that link to libraries, and of guides that link to the shops. Shops have few forms,
/// libraries have many.
#[derive(Default)]
struct Town {
    web: Web,
    linking: BTreeMap<Url, Vec<Url>>,
}

/// Text around every link. It keeps words of neighbouring links out of a link's context.
const WORDS: &str = "novels fiction isbn author publisher";
const SHOPS: usize = 8;
const LIBRARIES: usize = 40;
const GUIDES: usize = 4;

impl Town {
    /// Adds an on-topic page with links, each with its anchor text.
    fn page(mut self, at: &str, links: &[(String, &str)], more: &str) -> Town {
        let links: String = links
            .iter()
            .map(|(to, anchor)| {
                let to = url(at).join(to).unwrap();
                self.linking.entry(to.clone()).or_default().push(url(at));
                format!("<p>{WORDS} <a href=\"{to}\">{anchor}</a> {WORDS}</p>")
            })
            .collect();
        let html =
            format!("<title>Books by author</title><p>novels, fiction, isbn, publisher</p>{links}{more}");
        self.web = self.web.page(at, &html);
        self
    }

    fn built() -> Town {
        let mut town = Town::default();
        for n in 0..SHOPS {
            let shop = format!("http://shop{n}.example");
            let mut links = vec![("/buy".to_string(), "Browse paperbacks")];
            links.push((format!("http://shop{}.example/", (n + 1) % SHOPS), "Another store"));
            let near = (n..LIBRARIES).step_by(SHOPS);
            links.extend(near.map(|n| (format!("http://readers{n}.example/"), "City library")));
            town = town.page(&format!("{shop}/"), &links, "");
            town = town.page(&format!("{shop}/buy"), &[], BOOK_FORM);
        }
        for n in 0..GUIDES {
            let shops: Vec<(String, &str)> =
                (0..SHOPS).map(|n| (format!("http://shop{n}.example/"), "Recommended bookseller")).collect();
            town = town.page(&format!("http://guide{n}.example/"), &shops, "");
        }
        for n in 0..LIBRARIES {
            let library = format!("http://readers{n}.example");
            town = town.page(&format!("{library}/"), &[("/opac".into(), "Library catalogue")], "");
            town = town.page(&format!("{library}/opac"), &[], BOOK_FORM);
        }
        town
    }
}

impl Backlinks for Town {
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        Box::pin(async { Ok(self.linking.get(url).cloned().unwrap_or_default()) })
    }
}

/// Crawls a town from a shop with a strategy trained on the forms of shops.
async fn crawl_of_town(plan: LevelConfig) -> (Vec<String>, Vec<Lesson>, u64) {
    let mut town = Town::built();
    let web = Arc::new(std::mem::take(&mut town.web));
    let shops = (0..4).map(|n| url(&format!("http://shop{n}.example/buy"))).collect();
    let mut crawl = setup(web.clone(), levels(plan, shops), &["http://shop0.example/"]);
    crawl.backlinks = Some(Arc::new(town));
    let store = Arc::clone(&crawl.store);
    let summary = run(crawl).await;
    let lessons = lessons(store.as_ref(), summary.run).into_iter().map(|row| row.lesson).collect();
    (web.visits(), lessons, summary.counters.requests - web.requests().len() as u64)
}

fn stems(lesson: &Lesson, level: u8) -> Vec<&str> {
    let of_level = lesson.selected.iter().filter(|selected| selected.level == Some(level));
    of_level.flat_map(|selected| &selected.terms).map(|(stem, _)| stem.as_str()).collect()
}

#[tokio::test]
async fn a_backward_crawl_finds_the_features_of_each_level_and_is_paid_for() {
    for plan in [FFC, ACHE_OFFLINE] {
        let (visits, lessons, lookups) = crawl_of_town(plan).await;
        assert_eq!(lessons.len(), 1);
        assert!(stems(&lessons[0], 1).contains(&"paperback"), "{lessons:?}");
        assert!(stems(&lessons[0], 2).contains(&"booksel"), "{lessons:?}");
        assert!(lookups >= 8, "backlinks of forms and shops were looked up: {lookups}");
        let position = |url: &str| visits.iter().position(|visit| visit == url).unwrap();
        let first_library = position("http://readers0.example/");
        assert!(position("http://shop3.example/") < first_library, "training comes first");
        let reached = visits.iter().filter(|visit| !visit.contains("guide")).count();
        assert_eq!(reached, 2 * (SHOPS + LIBRARIES), "everything is reached once");
    }
}

#[tokio::test]
async fn a_book_crawl_from_shops_learns_words_of_libraries() {
    let tells = |lesson: &Lesson| {
        stems(lesson, 1).iter().any(|stem| stem.starts_with("librar") || stem.starts_with("catalog"))
    };
    let (_, lessons, _) = crawl_of_town(LevelConfig { learn_after: Some(20), ..ACHE_OFFLINE_ONLINE }).await;
    assert!(lessons.len() >= 2 && !tells(&lessons[0]), "{lessons:?}");
    assert!(lessons.iter().skip(1).any(tells), "{lessons:?}");
    let (_, fixed, _) = crawl_of_town(ACHE_OFFLINE).await;
    assert!(fixed.len() == 1 && !tells(&fixed[0]));
    let (_, online, _) = crawl_of_town(LevelConfig { learn_after: Some(20), ..ACHE_ONLINE }).await;
    assert!(online.iter().any(tells) && online[0].iteration == 1);
}
