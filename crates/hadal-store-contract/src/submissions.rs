//! The audit log, and the outcomes of probes.

use crate::fixture::*;
use hadal::store::*;
use hadal_core::critic::probe::ProbeResult;
use hadal_core::critic::probe::ProbeState;
use hadal_core::critic::{FormKind, FormVerdict};
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use hadal_core::link::{FrontierLink, LinkOrigin, LinkTask, QueueId, QueuedLink};
use hadal_core::page::{Field, FieldKind, Form};
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;

fn search_form() -> Form {
    let fields = vec![Field::new(FieldKind::Text, "q", ""), Field::new(FieldKind::Hidden, "s", "\u{20ac}")];
    Form::to(url("http://a.org/find"), Method::Get, fields)
}

fn verdict(p_searchable: f32, p_relevant: f32) -> FormVerdict {
    FormVerdict {
        kind: FormKind::Other,
        p_searchable,
        p_relevant,
        evidence: vec!["a".into(), "probe: b".into()],
    }
}

/// A link with the next request of a probe.
fn probe_link(order: u64) -> QueuedLink {
    let page = url("http://a.org/");
    let probe =
        ProbeState::new((FormId(order), &search_form()), &page, &verdict(0.5, 0.5), "book", 1).unwrap();
    let link = FrontierLink {
        task: LinkTask::Probe(Box::new(probe)),
        ..FrontierLink::root(url("http://a.org/find"), LinkOrigin::Link)
    };
    QueuedLink { queue: QueueId::PROBES, link, ..link_like(order) }
}

fn link_like(order: u64) -> QueuedLink {
    queued_link("http://a.org/x", 0, 0.5, order)
}

fn entry(run: RunId, seq: u64) -> Submission {
    Submission {
        by: Submitter::Run(run),
        seq,
        at: Time(1000 + seq),
        topic: "books".into(),
        form: FormId(u64::MAX - seq),
        page: url("http://a.org/"),
        method: Method::Post,
        url: url("http://a.org/find?q=book"),
        body: "q=book&\u{20ac}".into(),
        purpose: SubmissionPurpose::Quality,
        answer: None,
    }
}

fn everything(store: &dyn Store) -> Vec<Submission> {
    submissions(store, &SubmissionQuery::default())
}

fn submit(store: &dyn Store, run: RunId, seq: u64, waiting: &QueuedLink) {
    store.commit(run, &adding(std::slice::from_ref(waiting))).unwrap();
    store.commit(run, &Batch { submissions: vec![entry(run, seq)], ..sending(seq, waiting) }).unwrap();
}

pub fn a_submission_is_logged_when_sent_and_completed_by_its_outcome(store: &dyn Store) {
    let run = begin(store);
    let waiting = probe_link(1);
    submit(store, run, 5, &waiting);
    store.commit(run, &Batch { submissions: vec![entry(run, 5)], ..Batch::default() }).unwrap();
    assert_eq!(everything(store), [entry(run, 5)]);
    for answer in [SubmissionResult::Status(404), SubmissionResult::Failure(kind("connect"))] {
        let answered = Some(answer.clone());
        let stray = Outcome { submission: answered.clone(), ..outcome(6, &waiting, StepEnd::Visited) };
        store.commit(run, &ending(vec![stray])).unwrap();
        assert_eq!(everything(store)[0].answer, None, "another step's answer");
    }
    let end =
        Outcome { submission: Some(SubmissionResult::Status(404)), ..outcome(5, &waiting, StepEnd::Visited) };
    store.commit(run, &ending(vec![end.clone(), end])).unwrap();
    assert_eq!(everything(store)[0].answer, Some(SubmissionResult::Status(404)));
    assert_eq!((counters(store, run).probes, counters(store, run).requests), (1, 1));
}

pub fn submissions_outlive_their_run_and_are_filtered(store: &dyn Store) {
    let run = begin(store);
    submit(store, run, 1, &probe_link(1));
    store.discard(Activity::Run(run)).unwrap();
    let other = store.begin(&spec("cars")).unwrap();
    let cars = Submission { topic: "cars".into(), ..entry(other, 2) };
    store.commit(other, &Batch { submissions: vec![cars.clone()], ..Batch::default() }).unwrap();
    assert_eq!(everything(store), [entry(run, 1), cars.clone()]);
    assert_eq!(
        submissions(store, &SubmissionQuery { run: Some(run), ..SubmissionQuery::default() }),
        [entry(run, 1)]
    );
    assert_eq!(
        submissions(store, &SubmissionQuery { topic: Some("cars".into()), ..SubmissionQuery::default() }),
        [cars]
    );
}

pub fn a_long_log_is_complete(store: &dyn Store) {
    let run = begin(store);
    let submissions = (0..1234).map(|seq| entry(run, seq)).collect();
    store.commit(run, &Batch { submissions, ..Batch::default() }).unwrap();
    assert!(everything(store).iter().map(|entry| entry.seq).eq(0..1234));
    let page = store.submissions(&SubmissionQuery { limit: Some(7), ..SubmissionQuery::default() }).unwrap();
    assert!(page.rows.len() == 7 && page.next.is_some());
    let all: Vec<_> =
        all_submissions(store, SubmissionQuery { limit: Some(7), ..SubmissionQuery::default() }).collect();
    assert_eq!(all.len(), 1234);
}

pub fn a_link_with_a_probe_is_read_as_it_was_written(store: &dyn Store) {
    let run = begin(store);
    let waiting = probe_link(1);
    store.commit(run, &adding(std::slice::from_ref(&waiting))).unwrap();
    assert_eq!(of_host(store, run, QueueId::PROBES, &host("a.org"), None, 9), [waiting]);
}

pub fn a_link_may_continue_on_another_host(store: &dyn Store) {
    let run = begin(store);
    let waiting = probe_link(1);
    let mut further = waiting.clone();
    further.link.url = url("http://www.a.org/results?q=1");
    let end = outcome(1, &waiting, StepEnd::Continue(Box::new(further.clone())));
    run_step(store, run, &waiting, end);
    assert_eq!(of_host(store, run, QueueId::PROBES, &host("a.org"), None, 9), []);
    assert_eq!(of_host(store, run, QueueId::PROBES, &host("www.a.org"), None, 9), [further]);
    let counters = counters(store, run);
    assert_eq!((counters.waiting, counters.failed, counters.errors.len()), (1, 0, 0));
}

pub fn closing_a_site_keeps_its_probes(store: &dyn Store) {
    let run = begin(store);
    let (link, page) = (probe_link(1), queued_link("http://a.org/", 3, 0.5, 2));
    store.commit(run, &adding(&[link.clone(), page])).unwrap();
    store.commit(run, &changing(FrontierChange::CloseSite(site("a.org")))).unwrap();
    assert_eq!(of_queue(store, run, QueueId(3), 9), []);
    assert_eq!(of_queue(store, run, QueueId::PROBES, 9), [link]);
    assert_eq!(counters(store, run).waiting, 1);
}

pub fn the_complete_form_is_read_on_request_only(store: &dyn Store) {
    let run = begin(store);
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    let put = FormRow { form_snapshot: Some(Box::new(search_form())), ..form(1, "http://a.org/", 0.9, 0.6) };
    let bare = form(2, "http://a.org/", 0.9, 0.6);
    let end =
        Outcome { forms: vec![new_form(put), new_form(bare)], ..visit(1, &waiting, SiteCounters::default()) };
    run_step(store, run, &waiting, end);
    assert!(forms(store, &FormQuery::default()).iter().all(|row| row.form_snapshot.is_none()));
    assert_eq!(form_snapshot(store, run, FormId(1)), Some(search_form()));
    assert_eq!(form_snapshot(store, run, FormId(2)), None);
    assert_eq!(form_snapshot(store, run, FormId(3)), None);
}

pub fn a_probe_result_changes_form_site_and_counters_once(store: &dyn Store) {
    let run = begin(store);
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    let found = [form(1, "http://a.org/", 0.7, 0.6), form(2, "http://a.org/", 0.4, 0.2)].map(new_form);
    let tally_before = SiteCounters { pages: 1, searchable: 1, relevant: 1, ..SiteCounters::default() };
    run_step(store, run, &waiting, Outcome { forms: found.to_vec(), ..visit(1, &waiting, tally_before) });
    let judged = |seq: u64, id: u64, finding: ProbeResult, verdict: FormVerdict| {
        let mut link = probe_link(seq);
        link.link.id = hadal_core::address::LinkId(id);
        let judged = Some(Box::new(ProbedForm { form: FormId(id), finding, verdict }));
        let end = Outcome { probe: judged, ..outcome(seq, &link, StepEnd::Visited) };
        run_step(store, run, &link, end.clone());
        store.commit(run, &ending(vec![end])).unwrap();
        let counters = counters(store, run);
        (counters.forms, counters.searchable, counters.relevant, sites(store, &SiteQuery::default())[0].best)
    };
    assert_eq!(judged(2, 1, ProbeResult::NotSearchable, verdict(0.03, 0.02)), (2, 0, 0, 0.2));
    assert_eq!(judged(3, 2, ProbeResult::Searchable, verdict(0.97, 0.485)), (2, 1, 0, 0.485));
    assert_eq!(
        judged(4, 9, ProbeResult::Searchable, verdict(0.97, 0.97)),
        (2, 1, 0, 0.485),
        "an unknown form"
    );
    let rows = forms(store, &FormQuery::default());
    assert_eq!(
        (rows[0].form_id, rows[0].finding, rows[0].kind),
        (FormId(2), Some(ProbeResult::Searchable), FormKind::Other)
    );
    assert_eq!((rows[1].p_searchable, rows[1].p_relevant), (0.03, 0.02));
    assert_eq!(rows[1].evidence, ["a", "probe: b"]);
}
