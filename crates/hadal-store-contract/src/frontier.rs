//! Runs and their frontiers.

use crate::fixture::*;
use hadal::store::*;
use hadal_core::address::LinkId;
use hadal_core::link::{QueueId, QueueRank, QueuedLink};
use hadal_core::strategy::SiteCounters;

fn urls(links: &[QueuedLink]) -> Vec<&str> {
    links.iter().map(|waiting| waiting.link.url.as_str()).collect()
}

/// Queue of links with score 0.5. `order` is the arrival number of the first.
fn queue_of(queue: u64, name: &str, length: u64, order: u64) -> HostQueue {
    let head = QueueRank::new(0.5, order);
    HostQueue { queue: QueueId(queue), host: host(name), length, head }
}

pub fn the_same_specification_is_the_same_run(store: &dyn Store) {
    assert_eq!(store.begin(&spec("books")).unwrap(), store.begin(&spec("books")).unwrap());
}

pub fn every_part_of_a_specification_distinguishes_runs(store: &dyn Store) {
    let base = spec("books");
    let others = [
        base.clone(),
        RunSpec { topic: "cars".into(), ..base.clone() },
        RunSpec { strategy: "random".into(), ..base.clone() },
        RunSpec { seeds: vec![], ..base.clone() },
        RunSpec { seed: 8, ..base.clone() },
        RunSpec { source: "world 7".into(), ..base },
    ];
    let mut ids: Vec<RunId> = others.iter().map(|spec| store.begin(spec).unwrap()).collect();
    ids.dedup();
    assert_eq!(ids.len(), others.len());
}

pub fn a_link_is_read_as_it_was_written(store: &dyn Store) {
    let run = begin(store);
    let put = queued_link("http://a.org/x?y=%20z", 3, 0.1, 17);
    store.commit(run, &adding(std::slice::from_ref(&put))).unwrap();
    let put = [put];
    assert_eq!(of_host(store, run, QueueId(3), &host("a.org"), None, 9), put);
    assert_eq!(of_queue(store, run, QueueId(3), 9), put);
}

pub fn links_of_a_host_are_ordered_by_score_then_arrival(store: &dyn Store) {
    let run = begin(store);
    let links = [
        queued_link("http://a.org/late", 0, 0.5, 9),
        queued_link("http://a.org/low", 0, -2.0, 1),
        queued_link("http://a.org/early", 0, 0.5, 2),
        queued_link("http://a.org/best", 0, 3.0, 10),
        queued_link("http://b.org/other", 0, 9.0, 3),
        queued_link("http://a.org/elsewhere", 1, 9.0, 4),
    ];
    store.commit(run, &adding(&links)).unwrap();
    let served = of_host(store, run, QueueId(0), &host("a.org"), None, 9);
    assert_eq!(
        urls(&served),
        ["http://a.org/best", "http://a.org/early", "http://a.org/late", "http://a.org/low"]
    );
}

pub fn links_of_a_host_can_be_paged(store: &dyn Store) {
    let run = begin(store);
    let score = |n: u64| [0.5, -1.0, 2.0][n as usize % 3];
    let links: Vec<_> = (0..30).map(|n| queued_link(&format!("http://a.org/{n}"), 0, score(n), n)).collect();
    store.commit(run, &adding(&links)).unwrap();
    let of_host = |after, limit| of_host(store, run, QueueId(0), &host("a.org"), after, limit);
    let whole = of_host(None, 100);
    let mut paged: Vec<QueuedLink> = vec![];
    while let next @ [_, ..] = &of_host(paged.last().map(QueuedLink::rank), 7)[..] {
        paged.extend_from_slice(next);
    }
    assert_eq!(paged, whole);
    assert_eq!(whole.len(), 30);
}

pub fn every_score_has_a_rank(store: &dyn Store) {
    let run = begin(store);
    let scores = [f32::NAN, 0.0, f32::INFINITY, -1e-40, 1e38, f32::NEG_INFINITY];
    let links: Vec<_> = scores
        .iter()
        .zip(0..)
        .map(|(&score, n)| queued_link(&format!("http://a.org/{n}"), u64::MAX, score, n))
        .collect();
    store.commit(run, &adding(&links)).unwrap();
    let mut expected: Vec<_> = links.iter().map(QueuedLink::rank).collect();
    expected.sort();
    let served = of_host(store, run, QueueId(u64::MAX), &host("a.org"), None, 9);
    assert_eq!(served.iter().map(QueuedLink::rank).collect::<Vec<_>>(), expected);
}

pub fn a_queue_lists_all_its_hosts_by_rank(store: &dyn Store) {
    let run = begin(store);
    let links = [
        queued_link("http://a.org/", 0, 0.5, 1),
        queued_link("http://b.org/", 0, 0.9, 2),
        queued_link("http://c.org/", 1, 1.0, 3),
        queued_link("http://d.org/", 0, 0.1, 4),
    ];
    store.commit(run, &adding(&links)).unwrap();
    assert_eq!(urls(&of_queue(store, run, QueueId(0), 2)), ["http://b.org/", "http://a.org/"]);
    assert_eq!(urls(&of_queue(store, run, QueueId(2), 2)), [""; 0]);
}

pub fn a_known_link_is_not_added_again(store: &dyn Store) {
    let run = begin(store);
    let first = queued_link("http://a.org/", 0, 0.5, 1);
    store.commit(run, &adding(&[first.clone(), queued_link("http://a.org/", 1, 9.0, 2)])).unwrap();
    store.commit(run, &adding(&[queued_link("http://a.org/", 2, 9.0, 3)])).unwrap();
    assert_eq!(of_queue(store, run, QueueId(0), 9), [first]);
    assert_eq!(counters(store, run).waiting, 1);
}

pub fn look_ups_answer_in_the_order_of_the_keys(store: &dyn Store) {
    let run = begin(store);
    let (one, two) = (queued_link("http://a.org/1", 0, 0.5, 1), queued_link("http://a.org/2", 0, 0.5, 2));
    store.commit(run, &adding(&[one.clone(), two.clone()])).unwrap();
    store.commit(run, &sending(1, &two)).unwrap();
    let asked = [LinkId(5), two.link.id, LinkId(u64::MAX), one.link.id];
    assert_eq!(known(store, run, &asked), [false, true, false, true]);
}

pub fn only_waiting_links_are_replaced(store: &dyn Store) {
    let run = begin(store);
    let (stays, busy) = (queued_link("http://a.org/1", 0, 0.5, 1), queued_link("http://a.org/2", 0, 0.5, 2));
    store.commit(run, &adding(&[stays.clone(), busy.clone()])).unwrap();
    store.commit(run, &sending(1, &busy)).unwrap();
    let moved =
        |waiting: &QueuedLink| QueuedLink { queue: QueueId(5), score: 8.0, generation: 6, ..waiting.clone() };
    let stranger = queued_link("http://a.org/3", 5, 1.0, 3);
    store
        .commit(run, &changing(FrontierChange::Replace(vec![moved(&stays), moved(&busy), stranger])))
        .unwrap();
    assert_eq!(of_queue(store, run, QueueId(5), 9), [moved(&stays)]);
    assert_eq!(of_queue(store, run, QueueId(0), 9), []);
    let after = store.resume(run, usize::MAX).unwrap();
    assert_eq!((after.counters.waiting, after.in_flight), (1, vec![(sent_step(1, &busy), Some(busy))]));
}

pub fn dropped_links_stay_known_and_never_return(store: &dyn Store) {
    let run = begin(store);
    let (gone, busy) = (queued_link("http://a.org/1", 0, 0.5, 1), queued_link("http://a.org/2", 0, 0.5, 2));
    store.commit(run, &adding(&[gone.clone(), busy.clone()])).unwrap();
    store.commit(run, &sending(1, &busy)).unwrap();
    let drop = FrontierChange::Drop(vec![gone.link.id, busy.link.id, gone.link.id, LinkId(4)]);
    store.commit(run, &changing(drop)).unwrap();
    store.commit(run, &adding(std::slice::from_ref(&gone))).unwrap();
    let after = store.resume(run, usize::MAX).unwrap();
    assert_eq!((after.counters.waiting, after.in_flight.len(), after.queues.len()), (0, 1, 0));
    assert_eq!(known(store, run, &[gone.link.id]), [true]);
}

pub fn closing_a_site_drops_its_links_on_every_host_and_queue(store: &dyn Store) {
    let run = begin(store);
    let busy = queued_link("http://www.a.org/busy", 0, 0.5, 1);
    let links = [
        busy.clone(),
        queued_link("http://www.a.org/", 0, 0.5, 2),
        queued_link("http://shop.a.org:8080/", 7, 0.5, 3),
        queued_link("http://a.org.example.com/", 0, 0.5, 4),
    ];
    store.commit(run, &adding(&links)).unwrap();
    store.commit(run, &sending(1, &busy)).unwrap();
    store.commit(run, &changing(FrontierChange::CloseSite(site("a.org")))).unwrap();
    let after = store.resume(run, usize::MAX).unwrap();
    assert_eq!(after.queues, [queue_of(0, "a.org.example.com", 1, 4)]);
    assert_eq!((after.counters.waiting, after.in_flight.len()), (1, 1));
    let closed = SiteCounters { closed: true, ..SiteCounters::default() };
    assert_eq!(site_counters(store, run, &site("a.org")), closed);
    assert_eq!(site_counters(store, run, &site("example.com")), SiteCounters::default());
}

pub fn failing_a_host_fails_its_waiting_links(store: &dyn Store) {
    let run = begin(store);
    let busy = queued_link("http://a.org/busy", 0, 0.5, 1);
    let links = [
        busy.clone(),
        queued_link("http://a.org/1", 0, 0.5, 2),
        queued_link("http://a.org/2", 7, 0.5, 3),
        queued_link("http://www.a.org/", 0, 0.5, 4),
    ];
    store.commit(run, &adding(&links)).unwrap();
    store.commit(run, &sending(1, &busy)).unwrap();
    for _ in 0..2 {
        store.commit(run, &changing(FrontierChange::FailHost(host("a.org"), kind("no_such_host")))).unwrap();
        let after = store.resume(run, usize::MAX).unwrap();
        assert_eq!(after.queues, [queue_of(0, "www.a.org", 1, 4)]);
        assert_eq!((after.counters.waiting, after.counters.failed, after.in_flight.len()), (1, 2, 1));
        assert_eq!(after.counters.errors, [(kind("no_such_host"), 2)].into());
    }
    assert_eq!(known(store, run, &[links[1].link.id]), [true]);
}

pub fn failed_links_can_wait_again_and_others_cannot(store: &dyn Store) {
    let run = begin(store);
    let failed = queued_link("http://a.org/1", 0, 0.5, 1);
    let done = queued_link("http://a.org/2", 0, 0.5, 2);
    let stranger = queued_link("http://a.org/3", 0, 0.5, 3);
    run_step(store, run, &failed, outcome(1, &failed, StepEnd::Failed(kind("connect"))));
    run_step(store, run, &done, outcome(2, &done, StepEnd::Visited));
    let again = QueuedLink { queue: QueueId(3), order: 9, ..failed };
    let retry = FrontierChange::Retry(vec![again.clone(), done, stranger]);
    store.commit(run, &changing(retry)).unwrap();
    assert_eq!(of_queue(store, run, QueueId(3), 9), [again]);
    assert_eq!(of_queue(store, run, QueueId(0), 9), []);
    assert_eq!((counters(store, run).waiting, counters(store, run).failed), (1, 0));
}

pub fn runs_do_not_see_each_other(store: &dyn Store) {
    let (one, two) = (store.begin(&spec("books")).unwrap(), store.begin(&spec("cars")).unwrap());
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    store.commit(one, &adding(std::slice::from_ref(&waiting))).unwrap();
    store.commit(one, &changing(FrontierChange::CloseSite(site("b.org")))).unwrap();
    assert_eq!(known(store, two, &[waiting.link.id]), [false]);
    assert_eq!(of_queue(store, two, QueueId(0), 9), []);
    assert_eq!(of_host(store, two, QueueId(0), &host("a.org"), None, 9), []);
    assert_eq!(store.resume(two, usize::MAX).unwrap(), RunCheckpoint::default());
    store.commit(two, &adding(std::slice::from_ref(&waiting))).unwrap();
    store.commit(two, &changing(FrontierChange::CloseSite(site("a.org")))).unwrap();
    assert_eq!(counters(store, one).waiting, 1);
    assert!(!site_counters(store, one, &site("a.org")).closed);
}

pub fn a_discarded_run_leaves_nothing_behind(store: &dyn Store) {
    let (run, other) = (begin(store), store.begin(&spec("cars")).unwrap());
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    let found = queued_link("http://a.org/next", 0, 0.5, 2);
    let end = |run: RunId| Outcome {
        forms: vec![new_form(form(1, "http://a.org/", 0.9, 0.9))],
        found: vec![found.clone()],
        hosts: vec![host_state("a.org")],
        ..visit(run.0, &waiting, SiteCounters { pages: 1, ..SiteCounters::default() })
    };
    for each in [run, other] {
        run_step(store, each, &waiting, end(each));
    }
    store
        .apply_user_changes(&[UserChange::Control(
            Activity::Run(run),
            Control { stop: true, ..Control::default() },
        )])
        .unwrap();
    store.discard(Activity::Run(run)).unwrap();
    assert_eq!(runs(store).len(), 1);
    let again = begin(store);
    assert_ne!(again, run, "a number is never given twice");
    assert_eq!(store.resume(again, usize::MAX).unwrap(), RunCheckpoint::default());
    assert_eq!(store.control(Activity::Run(again)).unwrap(), Control::default());
    assert_eq!(known(store, again, &[waiting.link.id]), [false]);
    assert_eq!(host_state_of(store, again, &host("a.org")), None);
    assert_eq!(forms(store, &FormQuery::default()).len(), 1);
    assert_eq!(sites(store, &SiteQuery::default()).len(), 1);
    assert_eq!((pages(store, again).len(), pages(store, other).len()), (0, 1));
    assert_eq!(counters(store, other).waiting, 1);
}

pub fn a_checkpoint_lists_the_queues_by_host(store: &dyn Store) {
    let run = begin(store);
    let links = [
        queued_link("http://b.org/2", 1, 0.5, 2),
        queued_link("http://b.org/1", 1, 0.5, 1),
        queued_link("http://a.org/1", 1, 0.5, 3),
        queued_link("http://b.org/3", 0, 0.5, 4),
        queued_link("http://c.org/3", 0, 0.5, 5),
    ];
    store.commit(run, &adding(&links)).unwrap();
    store.commit(run, &sending(1, &links[4])).unwrap();
    let expected = [queue_of(0, "b.org", 1, 4), queue_of(1, "a.org", 1, 3), queue_of(1, "b.org", 2, 1)];
    assert_eq!(store.resume(run, usize::MAX).unwrap().queues, expected);
}

pub fn an_unknown_run_is_refused(store: &dyn Store) {
    let nobody = RunId(99);
    let refused = |error: Option<StoreError>| error.is_some_and(|e| e.to_string().contains("no run 99"));
    assert!(refused(store.resume(nobody, usize::MAX).err()));
    assert_eq!(store.runs(&RunQuery::one(nobody)).unwrap(), []);
    assert!(refused(store.commit(nobody, &adding(&[queued_link("http://a.org/", 0, 0.5, 1)])).err()));
    assert!(refused(
        store.apply_user_changes(&[UserChange::Control(Activity::Run(nobody), Control::default())]).err()
    ));
    assert!(refused(store.discard(Activity::Run(nobody)).err()));
}
