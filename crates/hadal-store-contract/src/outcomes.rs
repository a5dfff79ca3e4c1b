//! Outcomes of steps: their changes, applied once.

use crate::fixture::*;
use hadal::store::*;
use hadal_core::link::{QueueId, QueuedLink};
use hadal_core::strategy::{Lesson, SelectedFeatures, SiteCounters};
use hadal_core::time::Time;

fn robots(seq: u64) -> SentStep {
    let work = StepTarget::Robots { host: host("a.org"), url: url("http://a.org/robots.txt"), hops: 2 };
    SentStep { seq, target: work, at: Time(50) }
}

pub fn a_sent_link_is_no_longer_waiting(store: &dyn Store) {
    let run = begin(store);
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    store.commit(run, &adding(std::slice::from_ref(&waiting))).unwrap();
    store.commit(run, &sending(1, &waiting)).unwrap();
    assert_eq!(of_host(store, run, QueueId(0), &host("a.org"), None, 9), []);
    assert_eq!(of_queue(store, run, QueueId(0), 9), []);
    assert_eq!(counters(store, run).waiting, 0);
}

pub fn failures_are_listed_with_their_reasons(store: &dyn Store) {
    let run = begin(store);
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    let back = StepEnd::Retry(Box::new(waiting.clone()), kind("connect"));
    run_step(store, run, &waiting, outcome(1, &waiting, back));
    store.commit(run, &sending(2, &waiting)).unwrap();
    let given_up = outcome(2, &waiting, StepEnd::Failed(kind("http_503")));
    store.commit(run, &ending(vec![given_up.clone(), given_up])).unwrap();
    store.commit(run, &Batch { sent: vec![robots(3)], ..Batch::default() }).unwrap();
    let robots_end = outcome(3, &waiting, StepEnd::RobotsFailed(kind("dns")));
    store.commit(run, &ending(vec![Outcome { target: robots(3).target, ..robots_end }])).unwrap();
    let listed = |query: FailureQuery| -> Vec<(String, String, u32, bool)> {
        let rows = all_failures(store, query).map(Result::unwrap);
        rows.map(|row| (row.url.to_string(), row.kind.to_string(), row.times, row.given_up)).collect()
    };
    let page = ("http://a.org/".to_string(), "http_503".to_string(), 2, true);
    let rules = ("http://a.org/robots.txt".to_string(), "dns".to_string(), 1, false);
    let one_by_one = FailureQuery { limit: Some(1), ..FailureQuery::default() };
    assert_eq!(listed(one_by_one), [page.clone(), rules.clone()]);
    let of = |name: &str| FailureQuery { hosts: vec![host(name)], run: Some(run), ..FailureQuery::default() };
    assert_eq!(listed(of("a.org")), [page, rules]);
    assert_eq!(listed(of("b.org")), []);
    store.discard(Activity::Run(run)).unwrap();
    assert_eq!(listed(FailureQuery::default()), []);
}

pub fn only_waiting_links_can_be_sent(store: &dyn Store) {
    let run = begin(store);
    let (busy, done) = (queued_link("http://a.org/1", 0, 0.5, 1), queued_link("http://a.org/2", 0, 0.5, 2));
    run_step(store, run, &done, outcome(1, &done, StepEnd::Visited));
    store.commit(run, &adding(std::slice::from_ref(&busy))).unwrap();
    store.commit(run, &sending(2, &busy)).unwrap();
    let before = store.resume(run, usize::MAX).unwrap();
    let stranger = queued_link("http://a.org/3", 0, 0.5, 3);
    let sent = vec![sent_step(3, &busy), sent_step(4, &done), sent_step(5, &stranger)];
    store.commit(run, &Batch { sent, ..Batch::default() }).unwrap();
    assert_eq!(store.resume(run, usize::MAX).unwrap(), before);
}

pub fn an_outcome_ends_its_step(store: &dyn Store) {
    let run = begin(store);
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    run_step(store, run, &waiting, outcome(1, &waiting, StepEnd::Visited));
    let after = store.resume(run, usize::MAX).unwrap();
    assert_eq!(after.in_flight, []);
    assert_eq!((after.counters.requests, after.counters.bytes, after.counters.waiting), (1, 100, 0));
    assert_eq!(known(store, run, &[waiting.link.id]), [true]);
}

pub fn an_outcome_applied_twice_counts_once(store: &dyn Store) {
    let run = begin(store);
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    let end = Outcome {
        forms: vec![
            new_form(form(1, "http://a.org/", 0.9, 0.9)),
            FoundForm::Known(form(1, "http://a.org/", 0.9, 0.9).form_id),
        ],
        found: vec![queued_link("http://a.org/next", 0, 0.5, 2)],
        ..visit(1, &waiting, SiteCounters { pages: 1, ..SiteCounters::default() })
    };
    run_step(store, run, &waiting, end.clone());
    let (before, pages_before) = (store.resume(run, usize::MAX).unwrap(), pages(store, run));
    store.commit(run, &ending(vec![end.clone(), end])).unwrap();
    assert_eq!(store.resume(run, usize::MAX).unwrap(), before);
    assert_eq!(pages(store, run), pages_before);
    assert_eq!((before.counters.pages, before.counters.forms, before.counters.waiting), (1, 1, 1));
}

pub fn an_outcome_with_another_number_is_skipped(store: &dyn Store) {
    let run = begin(store);
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    store.commit(run, &adding(std::slice::from_ref(&waiting))).unwrap();
    store.commit(run, &sending(1, &waiting)).unwrap();
    let before = store.resume(run, usize::MAX).unwrap();
    let end = Outcome {
        forms: vec![new_form(form(1, "http://a.org/", 0.9, 0.9))],
        found: vec![queued_link("http://a.org/next", 0, 0.5, 2)],
        hosts: vec![host_state("a.org")],
        ..visit(2, &waiting, SiteCounters { pages: 1, ..SiteCounters::default() })
    };
    store.commit(run, &ending(vec![end])).unwrap();
    assert_eq!(store.resume(run, usize::MAX).unwrap(), before);
    assert_eq!(host_state_of(store, run, &host("a.org")), None);
    assert_eq!((forms(store, &FormQuery::default()), pages(store, run)), (vec![], vec![]));
}

pub fn an_outcome_for_another_target_is_skipped(store: &dyn Store) {
    let run = begin(store);
    let (one, two) = (queued_link("http://a.org/1", 0, 0.5, 1), queued_link("http://a.org/2", 0, 0.5, 2));
    store.commit(run, &adding(&[one.clone(), two.clone()])).unwrap();
    store.commit(run, &sending(1, &one)).unwrap();
    let before = store.resume(run, usize::MAX).unwrap();
    store.commit(run, &ending(vec![outcome(1, &two, StepEnd::Visited)])).unwrap();
    assert_eq!(store.resume(run, usize::MAX).unwrap(), before);
}

fn retry(waiting: &QueuedLink) -> QueuedLink {
    QueuedLink {
        attempts: 3,
        not_before: Time(8000),
        score: 0.25,
        queue: QueueId(2),
        order: 40,
        generation: 5,
        ..waiting.clone()
    }
}

pub fn a_retried_link_returns_with_its_attempts(store: &dyn Store) {
    let run = begin(store);
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    let back = StepEnd::Retry(Box::new(retry(&waiting)), kind("answer_timeout"));
    run_step(store, run, &waiting, outcome(1, &waiting, back));
    assert_eq!(of_queue(store, run, QueueId(2), 9), [retry(&waiting)]);
    let after = store.resume(run, usize::MAX).unwrap();
    assert_eq!(
        (after.counters.waiting, after.counters.failed, after.counters.errors[&kind("answer_timeout")]),
        (1, 0, 1)
    );
    let head = retry(&waiting).rank();
    let queue = HostQueue { queue: QueueId(2), host: host("a.org"), length: 1, head };
    assert_eq!((after.in_flight.len(), after.queues), (0, vec![queue]));
}

pub fn a_link_can_return_and_be_sent_in_one_batch(store: &dyn Store) {
    let run = begin(store);
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    store.commit(run, &adding(std::slice::from_ref(&waiting))).unwrap();
    store.commit(run, &sending(1, &waiting)).unwrap();
    let back = StepEnd::Retry(Box::new(retry(&waiting)), kind("answer_timeout"));
    let batch = Batch { outcomes: vec![outcome(1, &waiting, back)], ..sending(2, &waiting) };
    for _ in 0..2 {
        store.commit(run, &batch).unwrap();
        let after = store.resume(run, usize::MAX).unwrap();
        assert_eq!(after.in_flight, [(sent_step(2, &waiting), Some(retry(&waiting)))]);
        assert_eq!((after.counters.requests, after.counters.waiting), (1, 0));
    }
}

pub fn links_found_can_be_sent_in_the_same_batch(store: &dyn Store) {
    let run = begin(store);
    let (seed, found) = (queued_link("http://a.org/", 0, 0.5, 1), queued_link("http://b.org/", 0, 0.5, 2));
    store.commit(run, &Batch { ..adding(std::slice::from_ref(&seed)) }).unwrap();
    store.commit(run, &sending(1, &seed)).unwrap();
    let end = Outcome { found: vec![found.clone()], ..outcome(1, &seed, StepEnd::Redirected) };
    store.commit(run, &Batch { outcomes: vec![end], ..sending(2, &found) }).unwrap();
    assert_eq!(store.resume(run, usize::MAX).unwrap().in_flight, [(sent_step(2, &found), Some(found))]);
}

pub fn robots_steps_are_in_flight_without_a_link(store: &dyn Store) {
    let run = begin(store);
    store.commit(run, &Batch { sent: vec![robots(1)], ..Batch::default() }).unwrap();
    assert_eq!(store.resume(run, usize::MAX).unwrap().in_flight, [(robots(1), None)]);
    let target = robots(1).target;
    let base = outcome(1, &queued_link("http://a.org/", 0, 0.5, 1), StepEnd::Robots);
    let end = Outcome { target, hosts: vec![host_state("a.org")], ..base };
    store.commit(run, &ending(vec![end])).unwrap();
    let after = store.resume(run, usize::MAX).unwrap();
    assert_eq!((after.in_flight.len(), after.counters.requests), (0, 1));
    assert_eq!(host_state_of(store, run, &host("a.org")), Some(host_state("a.org")));
}

pub fn steps_in_flight_are_kept_with_their_links(store: &dyn Store) {
    let run = begin(store);
    let (one, two) = (queued_link("http://a.org/1", 0, 0.5, 1), queued_link("http://a.org/2", 9, 0.7, 2));
    store.commit(run, &adding(&[one.clone(), two.clone()])).unwrap();
    let sent = vec![sent_step(12, &two), robots(7), sent_step(5, &one)];
    store.commit(run, &Batch { sent, ..Batch::default() }).unwrap();
    let expected = [(sent_step(5, &one), Some(one)), (robots(7), None), (sent_step(12, &two), Some(two))];
    assert_eq!(store.resume(run, usize::MAX).unwrap().in_flight, expected);
}

pub fn every_end_of_a_step_is_counted(store: &dyn Store) {
    let run = begin(store);
    let links: Vec<_> = (0..5).map(|n| queued_link(&format!("http://a.org/{n}"), 0, 0.5, n)).collect();
    let pages = |pages| SiteCounters { pages, ..SiteCounters::default() };
    let failed = |name: &str| StepEnd::Failed(kind(name));
    let ends = [
        visit(0, &links[0], pages(1)),
        visit(1, &links[1], pages(2)),
        outcome(2, &links[2], StepEnd::Redirected),
        outcome(3, &links[3], failed("http_404")),
        Outcome { requests: 0, bytes: 0, ..outcome(4, &links[4], failed("robots")) },
    ];
    for (waiting, end) in links.iter().zip(ends) {
        run_step(store, run, waiting, end);
    }
    let errors = [(kind("http_404"), 1), (kind("robots"), 1)].into();
    let expected = RunCounters {
        requests: 4,
        bytes: 400,
        pages: 2,
        failed: 2,
        sites: 1,
        errors,
        ..RunCounters::default()
    };
    assert_eq!(counters(store, run), expected);
}

pub fn a_host_is_known_after_its_first_answer(store: &dyn Store) {
    let run = begin(store);
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    store.commit(run, &adding(std::slice::from_ref(&waiting))).unwrap();
    assert_eq!(host_state_of(store, run, &host("a.org")), None);
    store.commit(run, &sending(1, &waiting)).unwrap();
    let end = Outcome { hosts: vec![host_state("a.org")], ..outcome(1, &waiting, StepEnd::Visited) };
    store.commit(run, &ending(vec![end])).unwrap();
    assert_eq!(host_state_of(store, run, &host("a.org")), Some(host_state("a.org")));
    let next = queued_link("http://a.org/2", 0, 0.5, 2);
    let later =
        HostState { ip: None, robots: Some(RobotsState::DisallowAll), failures: 0, ..host_state("a.org") };
    run_step(
        store,
        run,
        &next,
        Outcome { hosts: vec![later.clone()], ..outcome(2, &next, StepEnd::Visited) },
    );
    assert_eq!(host_state_of(store, run, &host("a.org")), Some(later));
}

pub fn robots_rules_stay_until_the_next_ones(store: &dyn Store) {
    let run = begin(store);
    let met = |seq: u64, robots: Option<RobotsState>, until| {
        let waiting = queued_link(&format!("http://a.org/{seq}"), 0, 0.5, seq);
        let state = HostState { robots, robots_until: Time(until), requests: seq, ..host_state("a.org") };
        let end = outcome(seq, &waiting, StepEnd::Visited);
        run_step(store, run, &waiting, Outcome { hosts: vec![state], ..end });
        let state = host_state_of(store, run, &host("a.org")).unwrap();
        (state.robots, state.robots_until.0, state.requests)
    };
    let moved = || RobotsState::Elsewhere { url: url("http://b.org/robots.txt"), hops: 1 };
    assert_eq!(met(1, None, 0), (None, 0, 1));
    assert_eq!(met(2, Some(moved()), 70), (Some(moved()), 70, 2));
    assert_eq!(met(3, None, 0), (Some(moved()), 70, 3));
    assert_eq!(met(4, Some(RobotsState::AllowAll), 90), (Some(RobotsState::AllowAll), 90, 4));
}

pub fn progress_is_kept_and_a_strategy_is_replaced_by_a_new_one_only(store: &dyn Store) {
    let run = begin(store);
    let progress = RunProgress {
        max_requests: Some(9000),
        next_seq: 4,
        next_arrival: 90,
        now: Time(u64::MAX),
        generation: 3,
        elapsed_ms: 1234,
        state: RunState::Budget,
        strategy: Some(vec![0, 1, 255]),
    };
    let save = |progress| store.commit(run, &Batch { progress, ..Batch::default() }).unwrap();
    save(Some(progress.clone()));
    save(None);
    assert_eq!(store.resume(run, usize::MAX).unwrap().progress, progress);
    save(Some(RunProgress { next_seq: 5, strategy: None, ..progress.clone() }));
    assert_eq!(store.resume(run, usize::MAX).unwrap().progress, RunProgress { next_seq: 5, ..progress });
}

pub fn lessons_are_listed_in_order(store: &dyn Store) {
    let run = begin(store);
    let lesson = |iteration| {
        let terms = vec![("librari".to_string(), 7), ("catalog".to_string(), 3)];
        let selected = vec![SelectedFeatures { space: "anchor".into(), level: Some(1), terms }];
        let lesson = Lesson { model: "link".into(), iteration, examples: 9, selected };
        LessonRow { at_request: 100, at_page: 80, lesson }
    };
    for iteration in [0, 1] {
        let changes = vec![FrontierChange::Learned(lesson(iteration))];
        store.commit(run, &Batch { changes, ..Batch::default() }).unwrap();
    }
    assert_eq!(lessons(store, run), [lesson(0), lesson(1)]);
    store.discard(Activity::Run(run)).unwrap();
    assert_eq!(lessons(store, begin(store)), []);
}

pub fn a_visited_link_can_be_read(store: &dyn Store) {
    let run = begin(store);
    let followed = queued_link("http://a.org/1", 0, 0.5, 0);
    run_step(store, run, &followed, outcome(0, &followed, StepEnd::Visited));
    let row = LinkRow { state: LinkState::Done, queued: followed.clone() };
    assert_eq!(link_of(store, run, followed.link.id), Some(row));
    assert_eq!(link_of(store, run, queued_link("http://a.org/2", 0, 0.5, 1).link.id), None);
    let failed = queued_link("http://a.org/3", 0, 0.5, 2);
    run_step(store, run, &failed, outcome(1, &failed, StepEnd::Failed(kind("http_404"))));
    assert_eq!(link_of(store, run, failed.link.id), None);
}

pub fn sites_are_counted_from_their_first_page(store: &dyn Store) {
    let run = begin(store);
    let links: Vec<_> = ["http://a.org/1", "http://a.org/2", "http://b.org/"]
        .iter()
        .zip(0..)
        .map(|(address, n)| queued_link(address, 0, 0.5, n))
        .collect();
    let of = |pages, forms| SiteCounters {
        pages,
        forms,
        searchable: 2,
        relevant: 1,
        pages_since_searchable: 4,
        probes: 3,
        closed: false,
        pages_since_relevant: 5,
        on_topic: 6,
        bonus: 0.25,
    };
    run_step(store, run, &links[0], visit(0, &links[0], of(1, 3)));
    run_step(store, run, &links[1], visit(1, &links[1], of(2, 5)));
    let dead = (site("b.org"), SiteCounters::default());
    run_step(
        store,
        run,
        &links[2],
        Outcome { site: Some(dead), ..outcome(2, &links[2], StepEnd::Redirected) },
    );
    assert_eq!(counters(store, run).sites, 1);
    assert_eq!(site_counters(store, run, &site("a.org")), of(2, 5));
}
