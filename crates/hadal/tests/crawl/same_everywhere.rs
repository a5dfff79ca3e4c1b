//! A crawl gives the same result with any number of threads, over HTTP and in process.

use crate::common::patient;
use crate::common::{forms, pages, run, setup, strategy};
use hadal::engine::{Budget, Crawl};
use hadal::fetch::in_process::InProcess;
use hadal::fetch::network::{Network, NetworkOptions};
use hadal::fetch::world_server::{ServerOptions, serve};
use hadal::polite::Clock;
use hadal::store::{RunId, Store};
use hadal_world::{Spec, World};
use std::collections::BTreeSet;
use std::sync::Arc;

fn over(world: &Arc<World>, name: &str) -> Crawl {
    let seeds: Vec<String> = world.seeds("book").iter().map(|url| url.to_string()).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    setup(Arc::new(InProcess(Arc::clone(world))), strategy(name), &seeds)
}

#[tokio::test(flavor = "multi_thread")]
async fn in_simulated_time_one_thread_and_eight_make_the_same_crawl() {
    let world = Arc::new(World::new(Spec::demo(5)));
    for name in ["random", "breadth-first", "best-first-sc"] {
        let mut results = Vec::new();
        for concurrency in [1, 8] {
            let mut crawl = over(&world, name);
            crawl.concurrency = concurrency;
            crawl.budget = Budget { requests: Some(400), ..Budget::default() };
            let store = Arc::clone(&crawl.store);
            let summary = run(crawl).await;
            results.push((summary.counters, pages(store.as_ref(), RunId(1)), forms(store.as_ref())));
        }
        assert!(results[0] == results[1], "{name} differs");
        assert_eq!(results[0].0.requests, 400);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn crawled_to_exhaustion_http_and_in_process_find_the_same_forms() {
    let world = Arc::new(World::new(patient(6)));
    let ids = |store: &dyn Store| forms(store).iter().map(|form| form.form_id).collect::<BTreeSet<_>>();
    let inside = over(&world, "breadth-first");
    let kept = Arc::clone(&inside.store);
    run(inside).await;
    let server =
        serve(Arc::clone(&world), "127.0.0.1:0".parse().unwrap(), ServerOptions::default()).await.unwrap();
    let connect_to = vec![format!("*={}", server.addr).parse().unwrap()];
    let mut outside = over(&world, "breadth-first");
    outside.fetch =
        Arc::new(Network::new(NetworkOptions { connect_to, ..NetworkOptions::default() }).unwrap());
    outside.clock = Clock::Real;
    outside.politeness.delay = std::time::Duration::ZERO;
    outside.politeness.latency_factor = 0.0;
    let fetched = Arc::clone(&outside.store);
    run(outside).await;
    assert!(ids(kept.as_ref()).len() > 20);
    assert_eq!(ids(kept.as_ref()), ids(fetched.as_ref()));
}
