//! Strategies compared: trials are the same however they are run, and are run once.

use crate::program::Place;
use hadal::engine::{Budget, Clock, Crawl, Errand, Probing, Scope, crawl};
use hadal::fetch::in_process::InProcess;
use hadal::fetch::politeness::Politeness;
use hadal::store::{Access, RunSpec, open};
use hadal_core::http::DEFAULT_BODY_LIMIT;
use hadal_core::strategy::{STRATEGIES, StrategyContext, StrategyEntry, find_strategy};
use hadal_eval::find::arena::{Arena, Ground};
use hadal_eval::find::score::Scorer;
use hadal_eval::find::shelf::Room;
use hadal_eval::find::truth::Truth;
use hadal_eval::find::{Folder, Plan, Preset, Setting, Trial, run, trial};
use hadal_world::{Rates, Spec, World};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;

const TOPIC: &str = "book";

/// A small world with all the usual trouble in it.
fn ground() -> Ground {
    let world = World::new(Spec { sites: 200, rates: Rates::usual(), ..Spec::tiny(4) });
    let truth = Truth::of(&world);
    Ground { world: Arc::new(world), truth: Arc::new(truth) }
}

fn arena(room: u64) -> Arc<Arena> {
    Arc::new(Arena::new(ground(), TOPIC, Room::of(room)).unwrap())
}

fn setting(offer: &StrategyEntry) -> Setting {
    Setting {
        world: Preset::Tiny,
        sites: 200,
        seed: 4,
        topic: TOPIC.into(),
        strategy: offer.name.into(),
        requests: 300,
    }
}

fn made(arena: &Arc<Arena>, offer: &StrategyEntry) -> Trial {
    trial::run(arena, offer, &setting(offer), &mut |_| ()).unwrap()
}

#[test]
fn a_trial_is_the_same_whether_its_pages_were_kept_or_not() {
    let (bare, shared) = (arena(0), arena(1 << 30));
    for offer in STRATEGIES {
        let without = made(&bare, offer);
        let (cold, warm) = (made(&shared, offer), made(&shared, offer));
        assert!(without.same_result(&cold) && without.same_result(&warm), "{}", offer.name);
        assert_eq!(without.cost.shelf_hits, 0);
        assert!(warm.cost.shelf_hits > 50, "{}: {:?}", offer.name, warm.cost);
    }
}

#[tokio::test]
async fn a_trial_finds_what_a_plain_crawl_finds() {
    let arena = arena(1 << 30);
    for offer in STRATEGIES {
        let setting = setting(offer);
        let (_going, stop) = watch::channel(false);
        let plain = plain(&arena, offer, &setting, stop);
        let mut scorer = Scorer::new(&arena.ground.truth, TOPIC, &arena.known);
        crawl(plain, &mut |event| scorer.hear(&event)).await.unwrap();
        let (curve, _) = scorer.finish();
        let trial = std::thread::scope(|scope| scope.spawn(|| made(&arena, offer)).join().unwrap());
        assert_eq!(trial.curve, curve, "{}", offer.name);
        assert_eq!(
            trial.end().requests,
            trial.requests.robots + trial.requests.lookups + trial.requests.pages
        );
    }
}

/// The crawl of a trial as anybody would set it up, without a carrier of our own but for backlinks.
fn plain(arena: &Arc<Arena>, offer: &StrategyEntry, setting: &Setting, stop: watch::Receiver<bool>) -> Crawl {
    let seeds = arena.seeds.clone();
    let (examples, backlinks) = (arena.examples.clone(), true);
    let briefing = StrategyContext { seed: setting.seed, seeds: seeds.clone(), examples, backlinks };
    Crawl {
        store: open("memory:", Access::Crawl).unwrap(),
        spec: RunSpec {
            topic: TOPIC.into(),
            strategy: offer.name.into(),
            seeds,
            seed: setting.seed,
            source: "plain".into(),
        },
        strategy: offer.make(&briefing),
        critic: Arc::clone(&arena.critic),
        fetch: Arc::new(InProcess(Arc::clone(&arena.ground.world))),
        backlinks: Some(Arc::new(hadal_eval::find::carrier::Carrier::new(Arc::clone(arena)))),
        visit: None,
        prior: None,
        budget: Budget { requests: Some(setting.requests), ..Budget::default() },
        scope: Scope::default(),
        politeness: Politeness { delay: Duration::ZERO, latency_factor: 0.0, max_delay: Duration::ZERO },
        agent: hadal::fetch::robots::AGENT.into(),
        concurrency: 4,
        body_limit: DEFAULT_BODY_LIMIT,
        clock: Clock::simulated(trial::WINDOW),
        keep_every: Duration::from_millis(100),
        stop,
        fresh: false,
        probing: Probing::never(),
        word: String::new(),
        errand: Errand::Find,
    }
}

fn plan() -> Plan {
    Plan {
        world: Preset::Tiny,
        sites: None,
        seeds: vec![1, 2],
        topics: vec!["book".into(), "hotel".into()],
        strategies: vec!["random".into(), "best-first-sc".into()],
        requests: 300,
    }
}

#[test]
fn a_plan_goes_on_where_it_stopped() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::open(place.path()).unwrap();
    let made = AtomicUsize::new(0);
    let count = |advance: &hadal_eval::find::Advance| made.store(advance.made, Ordering::SeqCst);
    let first = run(&plan(), &folder, 2, 1 << 28, &count).unwrap();
    assert_eq!((first.len(), made.load(Ordering::SeqCst)), (8, 8));

    std::fs::remove_file(folder.file(&first[3].setting)).unwrap();
    std::fs::write(folder.file(&first[6].setting), "{").unwrap();
    let again = run(&plan(), &folder, 2, 1 << 28, &count).unwrap();
    assert_eq!(made.load(Ordering::SeqCst), 2);
    assert!(first.iter().zip(&again).all(|(first, again)| first.same_result(again)));
    assert_eq!(first[0], again[0]);

    let dearer = Plan { requests: 400, ..plan() };
    run(&dearer, &folder, 1, 1 << 28, &count).unwrap();
    assert_eq!(made.load(Ordering::SeqCst), 8);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let trials = |threads| {
        let place = tempfile::tempdir().unwrap();
        run(&plan(), &Folder::open(place.path()).unwrap(), threads, 1 << 28, &|_| ()).unwrap()
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
