//! Properties of a store in PostgreSQL: leases, lost connections, round trips, views.

use hadal::store::postgres::{self, PostgresStore};
use hadal::store::*;
use hadal_core::link::{QueueId, QueuedLink};
use hadal_store_contract::cluster::{self, Cluster};
use hadal_store_contract::fixture::*;

/// A new store for crawling, with its server and its URL.
fn new_store() -> Option<(&'static Cluster, String, PostgresStore)> {
    let url = cluster::new_store()?;
    let store = postgres::open(&url, Access::Crawl).unwrap();
    Some((cluster::cluster()?, url, store))
}

fn waiting(store: &dyn Store, run: RunId) -> u64 {
    store.runs(&RunQuery::one(run)).unwrap()[0].counters.waiting
}

fn some_links(numbers: std::ops::Range<u64>) -> Vec<QueuedLink> {
    numbers.map(|n| queued_link(&format!("http://s{}.org/{n}", n % 7), n % 3, 0.5, n)).collect()
}

#[test]
fn a_database_without_a_store_is_missing_until_a_crawl_creates_it() {
    let Some(cluster) = cluster::cluster() else { return };
    let url = cluster.new_database("template1");
    assert!(matches!(postgres::open(&url, Access::Read).err(), Some(StoreError::Missing(_))));
    let store = postgres::open(&url, Access::Crawl).unwrap();
    begin(&store);
    assert_eq!(postgres::open(&url, Access::Read).unwrap().runs(&RunQuery::default()).unwrap().len(), 1);
    cluster.sql(&url, "UPDATE hadal_store SET format = 99");
    let newer = postgres::open(&url, Access::Read).err();
    assert!(matches!(newer, Some(StoreError::Newer { found: 99, .. })), "{newer:?}");
}

#[test]
fn many_workers_create_one_store_and_one_run_at_once() {
    let Some(cluster) = cluster::cluster() else { return };
    let url = cluster.new_database("template1");
    let begun: Vec<Result<RunId, StoreError>> = std::thread::scope(|scope| {
        let work = || postgres::open(&url, Access::Crawl).unwrap().begin(&spec("books"));
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert!(
        begun.iter().all(|begun| matches!(begun, Ok(RunId(1)) | Err(StoreError::Taken { .. }))),
        "{begun:?}"
    );
    assert!(begun.iter().any(Result::is_ok));
}

#[test]
fn a_second_worker_of_a_run_is_refused_until_the_first_one_ends() {
    let Some((_, url, first)) = new_store() else { return };
    let run = begin(&first);
    first.commit(run, &adding(&some_links(0..3))).unwrap();
    first.sync().unwrap();
    let second = postgres::open(&url, Access::Crawl).unwrap();
    let refused = second.begin(&spec("books")).expect_err("the run is taken");
    assert!(refused.to_string().contains(&format!("process {}", std::process::id())), "{refused}");
    assert!(matches!(refused, StoreError::Taken { .. }));
    assert_eq!(second.begin(&spec("films")).unwrap(), RunId(2), "another run is free");
    assert_eq!(waiting(&second, run), 3, "reading is free");
    drop(first);
    assert_eq!(second.begin(&spec("books")).unwrap(), run);
}

#[test]
fn a_run_without_a_worker_is_listed_as_interrupted() {
    let Some((_, url, store)) = new_store() else { return };
    let run = begin(&store);
    let reader = postgres::open(&url, Access::Read).unwrap();
    let state = || reader.runs(&RunQuery::one(run)).unwrap()[0].progress.state;
    assert_eq!((state(), reader.is_busy()), (RunState::Running, true));
    drop(store);
    assert_eq!((state(), reader.is_busy()), (RunState::Interrupted, false));
    assert!(reader.commit(run, &adding(&[])).is_err(), "a reader writes nothing");
}

#[test]
fn a_refused_call_undoes_nothing() {
    let Some((_, url, store)) = new_store() else { return };
    let run = begin(&store);
    let other = postgres::open(&url, Access::Crawl).unwrap();
    let films = other.begin(&spec("films")).unwrap();
    store.commit(run, &adding(&some_links(0..5))).unwrap();
    assert!(store.resume(RunId(99), usize::MAX).is_err() && store.commit(RunId(99), &adding(&[])).is_err());
    assert!(matches!(store.commit(films, &adding(&[])), Err(StoreError::Taken { .. })));
    store.sync().unwrap();
    assert_eq!(waiting(&other, run), 5);
}

#[test]
fn a_form_that_two_workers_find_at_once_is_one_form_of_the_topic() {
    let Some((_, url, first)) = new_store() else { return };
    let second = postgres::open(&url, Access::Crawl).unwrap();
    let find = |store: &PostgresStore, seed: u64| {
        let run = store.begin(&RunSpec { seed, ..spec("books") }).unwrap();
        let link = queued_link("http://a.org/", 0, 0.5, 1);
        store.commit(run, &adding(std::slice::from_ref(&link))).unwrap();
        store.commit(run, &sending(0, &link)).unwrap();
        store.sync().unwrap();
        let forms = vec![FoundForm::New(Box::new(form(1, "http://a.org/", 0.9, 0.9)))];
        store.commit(run, &ending(vec![Outcome { forms, ..outcome(0, &link, StepEnd::Visited) }])).unwrap();
    };
    find(&first, 1);
    assert_eq!(first.forms(&FormQuery::default()).unwrap().rows.len(), 1, "not committed yet");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            find(&second, 2);
            second.sync().unwrap();
        });
        first.sync().unwrap();
        waiting.join().unwrap();
    });
    assert_eq!(second.forms(&FormQuery::default()).unwrap().rows.len(), 1);
}

#[test]
fn others_see_a_batch_after_the_sync() {
    let Some((_, url, store)) = new_store() else { return };
    let run = begin(&store);
    let reader = postgres::open(&url, Access::Read).unwrap();
    store.commit(run, &adding(&some_links(0..5))).unwrap();
    assert_eq!((waiting(&store, run), waiting(&reader, run)), (5, 0));
    store.sync().unwrap();
    assert_eq!(waiting(&reader, run), 5);
}

#[test]
fn batches_are_applied_again_after_a_lost_connection() {
    let Some((cluster, url, store)) = new_store() else { return };
    let run = begin(&store);
    let links = some_links(0..20);
    store.commit(run, &adding(&links)).unwrap();
    store.sync().unwrap();
    store.commit(run, &sending(0, &links[0])).unwrap();
    assert_eq!(waiting(&store, run), 19, "the step is in the open transaction");
    cluster.cut_connections(&url);
    let end = outcome(0, &links[0], StepEnd::Retry(Box::new(links[0].clone()), kind("connect")));
    store.commit(run, &ending(vec![end])).unwrap();
    cluster.cut_connections(&url);
    store.sync().unwrap();
    cluster.cut_connections(&url);
    let row = store.runs(&RunQuery::one(run)).unwrap().remove(0);
    assert_eq!((row.counters.waiting, row.counters.requests), (20, 1));
    assert_eq!(row.counters.errors.values().sum::<u64>(), 1);
    assert!(store.resume(run, usize::MAX).unwrap().in_flight.is_empty());
}

#[test]
fn a_worker_that_was_replaced_while_it_was_cut_off_writes_nothing() {
    let Some((cluster, url, store)) = new_store() else { return };
    let run = begin(&store);
    store.commit(run, &adding(&some_links(0..5))).unwrap();
    store.sync().unwrap();
    store.commit(run, &adding(&some_links(5..9))).unwrap();
    assert_eq!(waiting(&store, run), 9);
    cluster.cut_connections(&url);
    let other = postgres::open(&url, Access::Crawl).unwrap();
    begin(&other);
    drop(other);
    let refused = store.sync().expect_err("another worker was at work in between");
    assert!(matches!(refused, StoreError::Taken { .. }), "{refused}");
    assert_eq!(waiting(&postgres::open(&url, Access::Read).unwrap(), run), 5);
}

#[test]
fn a_restart_of_the_server_loses_nothing() {
    // Other tests do not expect their server to restart.
    let Some(cluster) = cluster::own() else { return };
    let store = postgres::open(&cluster.new_database("hadal_template"), Access::Crawl).unwrap();
    let run = begin(&store);
    for (round, mode) in ["fast", "immediate"].into_iter().enumerate() {
        let first = 10 * round as u64;
        store.commit(run, &adding(&some_links(first..first + 5))).unwrap();
        assert_eq!(waiting(&store, run), first + 5);
        cluster.restart(mode);
        store.commit(run, &adding(&some_links(first + 5..first + 10))).unwrap();
        store.sync().unwrap();
        assert_eq!(waiting(&store, run), first + 10, "{mode}");
    }
}

#[test]
fn a_batch_needs_few_round_trips_whatever_its_number_of_links() {
    let Some((_, _, store)) = new_store() else { return };
    let run = begin(&store);
    let commit = |round: u64, count: u64| {
        let links = some_links(round * 10_000..round * 10_000 + count);
        let mut visited = visit(round, &links[0], hadal_core::strategy::SiteCounters::default());
        visited.found = links[1..].to_vec();
        visited.forms = vec![FoundForm::New(Box::new(form(round + 1, "http://s1.org/", 0.9, 0.9)))];
        let before = store.round_trips();
        store.commit(run, &adding(&links[..1])).unwrap();
        store.commit(run, &sending(round, &links[0])).unwrap();
        store.commit(run, &ending(vec![visited])).unwrap();
        store.sync().unwrap();
        store.round_trips() - before
    };
    commit(0, 10);
    for (round, count) in [(1, 10), (2, 1000)] {
        let trips = commit(round, count);
        assert!(trips <= 4, "{trips} round trips for {count} links");
    }
    let slices: Vec<QueueSlice> = (0..3).map(|queue| QueueSlice::of_queue(QueueId(queue), 400)).collect();
    store.queue_heads(run, &slices).unwrap();
    let before = store.round_trips();
    assert_eq!(store.queue_heads(run, &slices).unwrap().iter().map(Vec::len).sum::<usize>(), 1017);
    assert_eq!(store.round_trips() - before, 1);
}

#[test]
fn a_hundred_new_pages_need_two_round_trips_for_look_ups_and_queues() {
    let Some((_, _, store)) = new_store() else { return };
    let run = begin(&store);
    store.commit(run, &adding(&some_links(0..7))).unwrap();
    store.sync().unwrap();
    store.resume(run, usize::MAX).unwrap();
    let before = store.round_trips();
    for page in 1..=100 {
        let first = page * 1_000;
        let host = format!("http://new{}.org", page / 4);
        let links: Vec<QueuedLink> =
            (first..first + 20).map(|n| queued_link(&format!("{host}/{n}"), 0, 0.5, n)).collect();
        let ids: Vec<_> = links.iter().map(|queued| queued.link.id).collect();
        let sites = [links[0].link.site()];
        let forms = [form(page, &host, 0.9, 0.9).form_id];
        let hosts = [links[0].link.host()];
        let keys = LookUp { links: &ids, sites: &sites, forms: &forms, hosts: &hosts, ..LookUp::default() };
        assert_eq!(store.look_up(run, &keys).unwrap().links, [false; 20]);
        store.commit(run, &adding(&links)).unwrap();
        // The engine reads the two best links of a host before each request, and nine when it places links again.
        for limit in [2, 9] {
            let slice = QueueSlice::of_host(QueueId(0), &hosts[0], limit);
            let heads = store.queue_heads(run, &[slice]).unwrap().remove(0);
            assert_eq!(heads.len(), limit);
            store.commit(run, &sending(first + limit as u64, &heads[0])).unwrap();
        }
    }
    let trips = store.round_trips() - before;
    assert!(trips <= 2, "{trips} round trips");
}

#[test]
fn encrypted_connections_verify_certificate_and_name_of_the_server_if_asked_to() {
    let (Some(plain), Some(cluster)) = (cluster::new_store(), cluster::own()) else { return };
    let made = rcgen::generate_simple_self_signed(["localhost".to_string()]).unwrap();
    cluster.encrypt(&made.cert.pem(), &made.signing_key.serialize_pem());
    let trusted = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(trusted.path(), made.cert.pem()).unwrap();
    let url = cluster.new_database("hadal_template");
    let named = url.replace("127.0.0.1", "localhost");
    let open = |url: &str, settings: &str| postgres::open(&format!("{url}?{settings}"), Access::Crawl);
    let roots = format!("sslmode=verify-full&sslrootcert={}", trusted.path().display());
    for (url, settings) in [(&url, "sslmode=prefer"), (&url, "sslmode=require"), (&named, roots.as_str())] {
        let store = open(url, settings).unwrap();
        begin(&store);
        let encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
            WHERE application_name = 'hadal' AND datname = current_database()";
        assert_eq!(cluster.sql(url, encrypted), "t", "{settings}");
    }
    assert!(open(&url, &roots).is_err(), "the certificate names another host");
    assert!(open(&named, "sslmode=verify-full").is_err(), "no public authority signed it");
    assert!(open(&plain, "sslmode=require").is_err(), "the server does not encrypt");
    assert!(open(&plain, "sslmode=prefer").is_ok());
}
