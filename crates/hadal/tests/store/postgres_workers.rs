//! Workers of a shared run in PostgreSQL: partitions, leases, fencing, budget.

use hadal::store::postgres::{self, PostgresStore};
use hadal::store::*;
use hadal_core::link::QueueId;
use hadal_core::strategy::QueueHead;
use hadal_store_contract::cluster::{self, Cluster};
use hadal_store_contract::fixture::*;
use std::collections::BTreeSet;
use std::time::Duration;

/// A worker of the run `books`.
struct TestWorker {
    store: PostgresStore,
    run: RunId,
    owned: BTreeSet<Partition>,
}

impl TestWorker {
    fn join(url: &str) -> TestWorker {
        let store = postgres::open(url, Access::Crawl).unwrap();
        let run = store.join(&spec("books")).unwrap().run;
        TestWorker { store, run, owned: BTreeSet::new() }
    }

    fn report(&mut self, report: WorkerReport) -> Result<WorkerOrders, StoreError> {
        let orders = self.store.coordinate(self.run, &report)?;
        self.owned.retain(|partition| !report.released.contains(partition));
        self.owned.extend(orders.gained.iter().flat_map(|gained| gained.partitions.clone()));
        Ok(orders)
    }

    /// Gives up as many partitions as the store asks for.
    fn give_up_surplus(&mut self) {
        let surplus = self.report(WorkerReport::default()).unwrap().surplus;
        let released = self.owned.iter().copied().take(surplus).collect();
        self.report(WorkerReport { released, ..WorkerReport::default() }).unwrap();
    }
}

fn new_run() -> Option<(&'static Cluster, String, TestWorker)> {
    let url = cluster::new_store()?;
    let mut first = TestWorker::join(&url);
    assert_eq!(first.report(WorkerReport::default()).unwrap().gained.unwrap().partitions.len(), 256);
    Some((cluster::cluster()?, url, first))
}

#[test]
fn partitions_are_shared_equally_when_workers_join_and_leave() {
    let Some((_, url, mut first)) = new_run() else { return };
    let mut second = TestWorker::join(&url);
    assert!(second.report(WorkerReport::default()).unwrap().gained.is_none(), "none is free yet");
    first.give_up_surplus();
    second.report(WorkerReport::default()).unwrap();
    assert_eq!((first.owned.len(), second.owned.len()), (128, 128));
    assert!(first.owned.is_disjoint(&second.owned));
    assert!(!second.store.leave(second.run, RunState::Stopped, 0..0).unwrap(), "the first one is there");
    first.report(WorkerReport::default()).unwrap();
    assert_eq!(first.owned.len(), 256, "partitions are returned at once");
    assert!(first.store.leave(first.run, RunState::Stopped, 0..0).unwrap());
    assert_eq!(first.store.runs(&RunQuery::one(first.run)).unwrap()[0].progress.state, RunState::Stopped);
}

#[test]
fn a_worker_whose_lease_is_over_writes_nothing() {
    let Some((cluster, url, first)) = new_run() else { return };
    let links = [queued_link("http://a.org/1", 0, 0.5, 1), queued_link("http://b.org/2", 0, 0.5, 2)];
    first.store.commit(first.run, &adding(&links[..1])).unwrap();
    first.store.commit(first.run, &sending(7, &links[0])).unwrap();
    first.store.sync().unwrap();
    first.store.commit(first.run, &adding(&links[1..])).unwrap();
    assert_eq!(
        first.store.runs(&RunQuery::one(first.run)).unwrap()[0].counters.waiting,
        1,
        "not durable yet"
    );
    // The server counts the time: no clock of a worker matters.
    cluster.sql(&url, "UPDATE workers SET expires_at = now() - interval '1 second'");
    let mut second = TestWorker::join(&url);
    let orders = second.report(WorkerReport::default()).unwrap();
    let gained = orders.gained.expect("the partitions move");
    assert_eq!(gained.partitions.len(), 256);
    let in_flight: Vec<u64> = gained.checkpoint.in_flight.iter().map(|(step, _)| step.seq).collect();
    assert_eq!(in_flight, [7], "the step in flight moves too");
    let lost = first.store.sync().expect_err("the lease is over");
    assert!(matches!(lost, StoreError::LeaseLost { .. }), "{lost}");
    let visited = outcome(7, &links[0], StepEnd::Visited);
    assert!(first.store.commit(first.run, &ending(vec![visited])).and_then(|()| first.store.sync()).is_err());
    let keys = LookUp { link_rows: &[links[1].link.id], ..LookUp::default() };
    assert_eq!(second.store.look_up(second.run, &keys).unwrap().link_rows, [None], "no stale write");
    let mut again = TestWorker::join(&url);
    again.report(WorkerReport::default()).unwrap();
    assert_eq!(again.store.runs(&RunQuery::one(again.run)).unwrap()[0].counters.waiting, 0);
}

#[test]
fn a_worker_whose_process_has_ended_is_replaced_at_once_by_others_of_its_machine() {
    let Some((cluster, url, mut first)) = new_run() else { return };
    let mut second = TestWorker::join(&url);
    second.report(WorkerReport::default()).unwrap();
    assert_eq!(second.owned.len(), 0, "the first one is alive");
    let ended =
        "UPDATE workers SET process = regexp_replace(process, '[0-9]+ [0-9]+$', '4194999 1') WHERE id = 1";
    cluster.sql(&url, ended);
    let gained = second.report(WorkerReport::default()).unwrap().gained.expect("its partitions are free");
    assert_eq!((gained.partitions.len(), gained.abandoned.len()), (256, 256));
    assert!(matches!(first.report(WorkerReport::default()), Err(StoreError::LeaseLost { .. })));
    let released = second.owned.iter().copied().take(5).collect();
    second.report(WorkerReport { released, ..WorkerReport::default() }).unwrap();
    let again = second.report(WorkerReport::default()).unwrap();
    assert!(again.gained.is_none_or(|gained| gained.abandoned.is_empty()), "they were given up in order");
}

#[test]
fn an_address_has_one_worker_at_a_time() {
    let Some((cluster, url, mut first)) = new_run() else { return };
    let mut second = TestWorker::join(&url);
    let ips: Vec<std::net::IpAddr> = vec![[192, 0, 2, 1].into(), [192, 0, 2, 2].into()];
    let claim = |worker: &TestWorker, ips: &[std::net::IpAddr]| {
        let granted = worker.store.claim_addresses(worker.run, ips).unwrap();
        granted
            .into_iter()
            .map(|grant| (grant.address, grant.pause > Duration::from_secs(30), grant.is_abandoned))
            .collect::<Vec<_>>()
    };
    assert_eq!(claim(&first, &ips[..1]), [(ips[0], false, false)]);
    assert_eq!(claim(&first, &ips[..1]), [(ips[0], false, false)], "it has the address already");
    assert_eq!(claim(&second, &ips), [(ips[1], false, false)]);
    assert!(second.report(WorkerReport::default()).unwrap().wanted_addresses.is_empty());
    assert_eq!(first.report(WorkerReport::default()).unwrap().wanted_addresses, [ips[0]]);
    let released_addresses = vec![(ips[0], Duration::from_secs(60))];
    first.report(WorkerReport { released_addresses, ..WorkerReport::default() }).unwrap();
    assert_eq!(claim(&second, &ips[..1]), [(ips[0], true, false)], "the rest of the pause goes with it");
    assert!(claim(&first, &ips).is_empty());
    cluster.sql(&url, "UPDATE workers SET expires_at = now() - interval '1 second' WHERE id = 2");
    first.report(WorkerReport::default()).unwrap();
    let taken = claim(&first, &ips);
    assert!(taken.len() == 2 && taken.iter().all(|(.., is_abandoned)| *is_abandoned), "{taken:?}");
}

#[test]
fn links_for_other_workers_arrive_once_and_survive_a_change_of_owner() {
    let Some((_, url, mut first)) = new_run() else { return };
    let forwarded = |url: &str| ForwardedLink { link: queued_link(url, 0, 0.5, 1).link, place: None };
    let link = forwarded("http://a.org/x");
    let forward = |link: &ForwardedLink| Batch {
        changes: vec![FrontierChange::Forward(vec![link.clone()])],
        ..Batch::default()
    };
    let mut second = TestWorker::join(&url);
    second.report(WorkerReport::default()).unwrap();
    second.store.commit(second.run, &forward(&link)).unwrap();
    assert!(first.report(WorkerReport::default()).unwrap().received.is_empty(), "not durable yet");
    second.store.sync().unwrap();
    drop(second);
    let received = first.report(WorkerReport::default()).unwrap().received;
    assert_eq!(received.iter().map(|(_, link)| link.clone()).collect::<Vec<_>>(), [link]);
    let numbers = received.iter().map(|(number, _)| *number).collect();
    let changes = vec![FrontierChange::Receive(numbers)];
    first.store.commit(first.run, &Batch { changes, ..Batch::default() }).unwrap();
    assert!(first.report(WorkerReport::default()).unwrap().received.is_empty(), "received once");
}

#[test]
fn grants_of_killed_workers_count_as_spent_and_those_of_others_are_returned() {
    let Some((cluster, url, mut first)) = new_run() else { return };
    let report = || WorkerReport { max_requests: Some(40), ..WorkerReport::default() };
    assert_eq!(first.report(report()).unwrap().request_limit, Some(16));
    let mut second = TestWorker::join(&url);
    assert_eq!(second.report(report()).unwrap().request_limit, Some(16));
    let mut third = TestWorker::join(&url);
    assert_eq!(third.report(report()).unwrap().request_limit, Some(8), "the rest of 40");
    assert!(!second.store.leave(second.run, RunState::Stopped, 0..0).unwrap());
    assert_eq!(third.report(report()).unwrap().request_limit, Some(16), "what another one returned");
    cluster.sql(&url, "UPDATE workers SET expires_at = now() - interval '1 second' WHERE id = 1");
    drop(first);
    let orders = third.report(report()).unwrap();
    assert_eq!(orders.request_limit, Some(16));
    assert_eq!(cluster.sql(&url, "SELECT lost FROM progress"), "16");
    let idle = third.report(WorkerReport { is_idle: true, ..report() }).unwrap();
    assert!(idle.is_exhausted && !idle.is_budget_spent);
}

#[test]
fn observations_reach_every_other_worker_once() {
    let Some((_, url, mut first)) = new_run() else { return };
    let mut second = TestWorker::join(&url);
    let seen = |text: &str| WorkerReport { observations: text.into(), ..WorkerReport::default() };
    let learned = |worker: &mut TestWorker, text: &str| worker.report(seen(text)).unwrap().observations;
    assert_eq!(learned(&mut first, "a"), Vec::<Vec<u8>>::new());
    assert_eq!(learned(&mut second, "b"), [b"a"]);
    assert_eq!(learned(&mut first, ""), [b"b"]);
    assert_eq!(learned(&mut second, ""), Vec::<Vec<u8>>::new());
    first.store.save_strategy(first.run, b"a and b").unwrap();
    assert_eq!(learned(&mut second, "c"), Vec::<Vec<u8>>::new());
    let third = postgres::open(&url, Access::Crawl).unwrap();
    assert_eq!(third.join(&spec("books")).unwrap().strategy.as_deref(), Some(&b"a and b"[..]));
    let orders = third.coordinate(first.run, &WorkerReport::default()).unwrap();
    assert_eq!(orders.observations, [b"c"], "only what the saved state does not include");
}

#[test]
fn workers_know_the_best_links_of_others_that_are_alive() {
    let Some((cluster, url, mut first)) = new_run() else { return };
    let (mut second, mut third) = (TestWorker::join(&url), TestWorker::join(&url));
    let heads = |score| vec![QueueHead { queue: QueueId(0), score }];
    let report = |worker: &mut TestWorker, score: f32| {
        worker.report(WorkerReport { heads: heads(score), ..WorkerReport::default() }).unwrap().heads
    };
    assert_eq!(report(&mut first, 3.0), []);
    assert_eq!(report(&mut second, -1.0), heads(3.0));
    assert_eq!(report(&mut third, 9.0), heads(3.0));
    assert_eq!(report(&mut first, 0.5), heads(9.0));
    cluster.sql(&url, "UPDATE workers SET seen_at = now() - interval '10 seconds' WHERE id = 3");
    assert_eq!(report(&mut first, 0.5), heads(-1.0));
    second.report(WorkerReport::default()).unwrap();
    assert_eq!(report(&mut first, 0.5), []);
}

#[test]
fn a_store_of_the_format_before_heads_is_migrated() {
    let Some((cluster, url, first)) = new_run() else { return };
    assert!(first.store.leave(first.run, RunState::Stopped, 0..0).unwrap());
    drop(first);
    cluster.sql(&url, "ALTER TABLE workers DROP COLUMN head_queues, DROP COLUMN head_scores");
    cluster.sql(&url, "UPDATE hadal_store SET format = 3");
    let mut worker = TestWorker::join(&url);
    assert_eq!(worker.report(WorkerReport::default()).unwrap().heads, []);
    assert_eq!(cluster.sql(&url, "SELECT format FROM hadal_store"), "4");
}

#[test]
fn a_worker_whose_process_was_killed_is_not_listed() {
    let Some((cluster, url, first)) = new_run() else { return };
    assert_eq!(first.store.workers().unwrap().len(), 1);
    cluster.sql(&url, "UPDATE workers SET process = regexp_replace(process, '[0-9]+ [0-9]+$', '4194999 1')");
    assert_eq!(first.store.workers().unwrap(), [], "its lease lasts");
}

#[test]
fn a_run_with_several_workers_is_held_as_a_whole_only_after_they_left() {
    let Some((_, url, first)) = new_run() else { return };
    let other = postgres::open(&url, Access::Crawl).unwrap();
    assert!(matches!(other.begin(&spec("books")), Err(StoreError::Taken { .. })));
    assert_eq!(other.workers().unwrap().iter().map(|worker| worker.partitions).collect::<Vec<_>>(), [256]);
    drop(first);
    other.begin(&spec("books")).unwrap();
    assert!(other.workers().unwrap().is_empty());
    let third = postgres::open(&url, Access::Crawl).unwrap();
    assert!(matches!(third.join(&spec("books")), Err(StoreError::Taken { .. })));
}

#[test]
fn a_worker_knows_that_it_is_the_first_of_a_session() {
    let Some(url) = cluster::new_store() else { return };
    let join = || {
        let store = postgres::open(&url, Access::Crawl).unwrap();
        let joined = store.join(&spec("books")).unwrap();
        (store, joined)
    };
    let ((first, joined), (second, also)) = (join(), join());
    assert_eq!((joined.is_first, also.is_first), (true, false));
    assert!(!first.leave(joined.run, RunState::Stopped, 0..0).unwrap());
    assert!(second.leave(also.run, RunState::Stopped, 0..0).unwrap());
    assert!(join().1.is_first, "all others have left");
}
