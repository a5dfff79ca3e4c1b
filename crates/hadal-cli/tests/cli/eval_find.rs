//! Comparison of strategies: trials do not depend on threads and are run once.

use crate::program::Place;
use hadal::engine::{Budget, Crawl, CrawlBuilder, crawl};
use hadal::fetch::in_process::InProcess;
use hadal::polite::robots::AGENT;
use hadal::polite::{Clock, Politeness};
use hadal::store::{Access, RunSpec, open};
use hadal_core::strategy::{StrategyContext, StrategyEntry, StrategyRegistry, find_strategy};
use hadal_eval::find::page_cache::CacheLimit;
use hadal_eval::find::score::Scorer;
use hadal_eval::find::topic_setup::FormTruth;
use hadal_eval::find::topic_setup::{KnownWorld, TopicSetup};
use hadal_eval::find::{FindPlan, FindTrial, Preset, TrialFolder, TrialSpec, run, trial};
use hadal_world::{Rates, Spec, World};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;

const TOPIC: &str = "book";

/// A small world with all kinds of faults.
fn known_world() -> KnownWorld {
    let world = World::new(Spec { sites: 200, rates: Rates::usual(), ..Spec::tiny(4) });
    let truth = FormTruth::of(&world);
    KnownWorld { world: Arc::new(world), truth: Arc::new(truth) }
}

fn setup(limit: u64) -> Arc<TopicSetup> {
    Arc::new(TopicSetup::new(known_world(), TOPIC, CacheLimit::of(limit)).unwrap())
}

fn spec(entry: &StrategyEntry) -> TrialSpec {
    TrialSpec {
        world: Preset::Tiny,
        sites: 200,
        seed: 4,
        topic: TOPIC.into(),
        strategy: entry.name.into(),
        requests: 300,
    }
}

fn made(setup: &Arc<TopicSetup>, entry: &StrategyEntry) -> FindTrial {
    trial::run(setup, entry, &spec(entry), &mut |_| ()).unwrap()
}

#[test]
fn a_trial_is_the_same_whether_its_pages_were_kept_or_not() {
    let (bare, shared) = (setup(0), setup(1 << 30));
    for entry in StrategyRegistry::built_in().iter() {
        let without = made(&bare, entry);
        let (cold, warm) = (made(&shared, entry), made(&shared, entry));
        assert!(without.same_result(&cold) && without.same_result(&warm), "{}", entry.name);
        assert_eq!(without.cost.cache_hits, 0);
        assert!(warm.cost.cache_hits > 50, "{}: {:?}", entry.name, warm.cost);
    }
}

#[tokio::test]
async fn a_trial_and_a_plain_crawl_find_the_same_forms() {
    let setup = setup(1 << 30);
    for entry in StrategyRegistry::built_in().iter() {
        let spec = spec(entry);
        let (_running, stop) = watch::channel(false);
        let plain = plain(&setup, entry, &spec, stop);
        let mut scorer = Scorer::new(&setup.known_world.truth, TOPIC, &setup.known);
        crawl(plain, &mut |event| scorer.update(&event)).await.unwrap();
        let (curve, _) = scorer.finish();
        let trial = std::thread::scope(|scope| scope.spawn(|| made(&setup, entry)).join().unwrap());
        assert_eq!(trial.curve, curve, "{}", entry.name);
        assert_eq!(
            trial.end().requests,
            trial.requests.robots + trial.requests.lookups + trial.requests.pages
        );
    }
}

/// The crawl of a trial without the page cache.
fn plain(
    setup: &Arc<TopicSetup>,
    entry: &StrategyEntry,
    spec: &TrialSpec,
    stop: watch::Receiver<bool>,
) -> Crawl {
    let seeds = setup.seeds.clone();
    let (examples, backlinks) = (setup.examples.clone(), true);
    let context = StrategyContext { seed: spec.seed, seeds: seeds.clone(), examples, backlinks };
    let run = RunSpec {
        topic: TOPIC.into(),
        strategy: entry.name.into(),
        seeds,
        seed: spec.seed,
        source: "plain".into(),
    };
    let store = open("memory:", Access::Crawl).unwrap();
    let fetch = Arc::new(InProcess(Arc::clone(&setup.known_world.world)));
    let no_pauses = Politeness { delay: Duration::ZERO, latency_factor: 0.0, max_delay: Duration::ZERO };
    CrawlBuilder::new(store, run, entry.make(&context), Arc::clone(&setup.critic), fetch)
        .backlinks(Some(Arc::new(hadal_eval::find::cached_web::CachedWeb::new(Arc::clone(setup)))))
        .budget(Budget { requests: Some(spec.requests), ..Budget::default() })
        .politeness(no_pauses, AGENT)
        .concurrency(4)
        .clock(Clock::simulated(), hadal::engine::SIMULATED_WINDOW)
        .stop(stop)
        .build()
}

fn plan() -> FindPlan {
    FindPlan {
        world: Preset::Tiny,
        sites: None,
        seeds: vec![1, 2],
        topics: vec!["book".into(), "hotel".into()],
        strategies: vec!["random".into(), "best-first-sc".into()],
        requests: 300,
    }
}

#[test]
fn an_interrupted_plan_resumes() {
    let place = tempfile::tempdir().unwrap();
    let folder = TrialFolder::open(place.path()).unwrap();
    let made = AtomicUsize::new(0);
    let count = |progress: &hadal_eval::find::PlanProgress| made.store(progress.made, Ordering::SeqCst);
    let first = run(&plan(), &StrategyRegistry::built_in(), &folder, 2, 1 << 28, &count).unwrap();
    assert_eq!((first.len(), made.load(Ordering::SeqCst)), (8, 8));

    std::fs::remove_file(folder.file(&first[3].spec.name())).unwrap();
    std::fs::write(folder.file(&first[6].spec.name()), "{").unwrap();
    let again = run(&plan(), &StrategyRegistry::built_in(), &folder, 2, 1 << 28, &count).unwrap();
    assert_eq!(made.load(Ordering::SeqCst), 2);
    assert!(first.iter().zip(&again).all(|(first, again)| first.same_result(again)));
    assert_eq!(first[0], again[0]);

    let dearer = FindPlan { requests: 400, ..plan() };
    run(&dearer, &StrategyRegistry::built_in(), &folder, 1, 1 << 28, &count).unwrap();
    assert_eq!(made.load(Ordering::SeqCst), 8);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let trials = |threads| {
        let place = tempfile::tempdir().unwrap();
        run(
            &plan(),
            &StrategyRegistry::built_in(),
            &TrialFolder::open(place.path()).unwrap(),
            threads,
            1 << 28,
            &|_| (),
        )
        .unwrap()
    };
    let (one, two) = (trials(1), trials(2));
    assert!(one.iter().zip(&two).all(|(one, two)| one.same_result(two)));
    assert!(one.iter().any(|trial| trial.end().relevant > 0));
}

#[test]
fn the_strategies_of_the_plan_have_to_exist() {
    assert!(find_strategy("no-such").is_none());
    let args = ["eval", "find", "--world", "tiny", "--strategies", "best-frist"];
    Place::new().run(&args).refused(&["did you mean 'best-first'?"]);
    Place::new().run(&["eval", "find", "--topics", "bok"]).refused(&["did you mean 'book'?"]);
}

#[test]
fn the_command_prints_tables_and_writes_a_page() {
    let place = Place::new();
    let args = ["eval", "find", "--world", "tiny", "--topics", "book,hotel", "--requests", "300"];
    let names = ["--strategies", "random,best-first-sc", "--html", "find.html"];
    let text = place.run(&[&args[..], &names].concat()).done();
    assert!(text.contains("best-first-sc") && text.contains("hotel"), "{text}");
    let page = std::fs::read_to_string(place.path().join("find.html")).unwrap();
    assert!(page.contains("<svg") && !page.contains("<script"));

    let json = place.run(&[&args[..], &names, &["--json"]].concat()).done();
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["trials"].as_array().unwrap().len(), 4);
    assert!(report["tables"].as_array().unwrap().iter().all(|table| table["title"].is_string()));
}
