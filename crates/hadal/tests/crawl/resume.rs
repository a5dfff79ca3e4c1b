//! A crawl that learns is resumed after a kill with the same model, features, queues and result.

use crate::common::course::{course, kill_after, over};
use crate::common::watched::WatchedWeb;
use crate::common::{Web, counters, links, setup, strategy};
use hadal::engine::{Crawl, CrawlEvent, crawl};
use hadal::polite::{Clock, Politeness};
use hadal::store::{Access, Activity, Control, RunId, RunState, UserChange, open};
use hadal_core::strategy::hadal::HadalStrategy;
use hadal_core::strategy::levels::config::{ACHE_APPRENTICE, ACHE_BACKWARD, ACHE_ONLINE};
use hadal_core::strategy::levels::{LevelConfig, LevelStrategy};
use hadal_core::strategy::smart::{SmartCrawler, SmartOptions};
use hadal_core::strategy::{Strategy, StrategyContext};
use hadal_world::{Spec, World};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Kills a crawl repeatedly and compares its result with that of an undisturbed crawl.
async fn survives_kills(make: impl Fn(&StrategyContext) -> Box<dyn Strategy>) {
    let world = Arc::new(World::new(Spec::demo(5)));
    let examples = world.relevant("book").step_by(9).take(8).map(|form| form.page_url).collect();
    let briefing = StrategyContext {
        seeds: world.seeds("book"),
        examples,
        backlinks: true,
        ..StrategyContext::seeded(1)
    };
    let session = || over(&world, make(&briefing), 900);
    let calm = course(session()).await;
    assert!(!calm.lessons.is_empty(), "a crawl that never learned is no test");
    let folder = tempfile::tempdir().unwrap();
    let kept = || open(&format!("file:{}", folder.path().display()), Access::Crawl).unwrap();
    for forms in [1, 3, 9, 2, 40, 70] {
        let mut killed = session();
        killed.store = kept();
        killed.checkpoint_every = Duration::from_millis(5);
        kill_after(forms, killed).await;
    }
    let mut resumed = session();
    resumed.store = kept();
    let rough = course(resumed).await;
    assert!(rough.lessons == calm.lessons, "it learned something else");
    assert!(rough.pages == calm.pages, "it went elsewhere");
    assert!(rough.forms == calm.forms, "it found other forms");
}

fn learning_early(plan: LevelConfig) -> impl Fn(&StrategyContext) -> Box<dyn Strategy> {
    move |briefing| Box::new(LevelStrategy::new(LevelConfig { learn_after: Some(3), ..plan }, briefing))
}

#[tokio::test(flavor = "multi_thread")]
async fn ache_with_backward_crawls() {
    survives_kills(learning_early(ACHE_BACKWARD)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ache_with_an_apprentice() {
    survives_kills(learning_early(ACHE_APPRENTICE)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ache_that_starts_from_nothing() {
    survives_kills(learning_early(ACHE_ONLINE)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn smart() {
    survives_kills(|briefing| Box::new(SmartCrawler::new(SmartOptions::ALL, briefing))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hadal() {
    survives_kills(|briefing| Box::new(HadalStrategy::new(briefing))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_raised_budget_no_page_is_visited_twice() {
    let world = Arc::new(World::new(Spec::demo(5)));
    let folder = tempfile::tempdir().unwrap();
    for store in ["memory:", &format!("file:{}", folder.path().display())] {
        let store = open(store, Access::Crawl).unwrap();
        for requests in [3, 50, 300, 900] {
            let mut crawl = over(&world, Box::new(HadalStrategy::new(&StrategyContext::seeded(1))), requests);
            crawl.store = Arc::clone(&store);
            let course = course(crawl).await;
            let counters = counters(store.as_ref(), RunId(1));
            let distinct: BTreeSet<_> = course.pages.iter().map(|page| page.id).collect();
            assert_eq!((counters.requests, counters.pages), (requests, course.pages.len() as u64));
            assert_eq!(distinct.len(), course.pages.len());
        }
    }
}

#[tokio::test]
async fn a_control_of_an_earlier_session_does_not_apply_to_the_next_one() {
    let world = Arc::new(World::new(Spec::demo(5)));
    let store = open("memory:", Access::Crawl).unwrap();
    let session = |requests| {
        let mut crawl = over(&world, Box::new(HadalStrategy::new(&StrategyContext::seeded(1))), requests);
        crawl.store = Arc::clone(&store);
        crawl
    };
    crawl(session(20), &mut |_| {}).await.unwrap();
    let run = Activity::Run(RunId(1));
    let old = Control { pause: true, stop: true, max_requests: Some(30) };
    store.apply_user_changes(&[UserChange::Control(run, old)]).unwrap();
    let mut at_start = None;
    let mut note = |event| {
        if matches!(event, CrawlEvent::Started { .. }) {
            at_start = Some(store.control(run).unwrap());
        }
    };
    let ended = crawl(session(40), &mut note).await.unwrap();
    assert_eq!((ended.state, ended.counters.requests), (RunState::Budget, 40));
    assert_eq!(at_start, Some(Control::default()));
}

/// Drops a crawl as soon as the web has answered this number of requests.
async fn kill_after_requests(requests: usize, web: &WatchedWeb, session: Crawl) {
    let enough = async {
        while web.web.requests().len() < requests {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let mut ignore = |_| {};
    tokio::select! {
        biased;
        () = enough => {}
        ended = crawl(session, &mut ignore) => drop(ended.unwrap()),
    }
}

#[tokio::test]
async fn after_a_kill_a_host_rests_although_its_last_request_was_not_stored() {
    let pause = Duration::from_millis(400);
    let all: Vec<String> = (1..9).map(|page| format!("/{page}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let seed = "http://a.example/";
    let pages = all.iter().fold(Web::default().page(seed, &links(&all)), |web, path| {
        web.page(&format!("http://a.example{path}"), "books book")
    });
    let web = WatchedWeb::new(pages, pause, |_| None);
    let folder = tempfile::tempdir().unwrap();
    let session = |checkpoint_every| {
        let mut crawl = setup(web.clone(), strategy("breadth-first"), &[seed]);
        crawl.store = open(&format!("file:{}", folder.path().display()), Access::Crawl).unwrap();
        crawl.politeness = Politeness { delay: pause, latency_factor: 0.0, max_delay: pause };
        (crawl.clock, crawl.checkpoint_every) = (Clock::Real, checkpoint_every);
        crawl
    };
    let rarely = Duration::from_secs(3600);
    kill_after_requests(3, &web, session(Duration::from_millis(1))).await;
    // This session stores nothing.
    let sent = web.web.requests().len();
    kill_after_requests(sent + 1, &web, session(rarely)).await;
    kill_after_requests(sent + 2, &web, session(rarely)).await;
    assert_eq!(web.collisions(), [""; 0]);
}
