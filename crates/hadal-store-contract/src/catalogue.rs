//! Lists for the dashboard: runs, pages, forms, labels, harvests and questions.

use crate::fixture::*;
use crate::harvest_fixture::{begin_harvest, commit_steps, harvest_entry, harvest_step, whole_harvest};
use hadal::store::*;
use hadal_core::address::LinkId;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use hadal_core::link::QueueId;
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;

/// Visits a page that holds these forms.
fn find(store: &dyn Store, run: RunId, seq: u64, address: &str, forms: Vec<FormRow>) {
    let waiting = queued_link(address, 0, 0.5, seq);
    let counters = SiteCounters { pages: 1, ..SiteCounters::default() };
    let forms = forms.into_iter().map(new_form).collect();
    run_step(store, run, &waiting, Outcome { forms, ..visit(seq, &waiting, counters) });
}

fn ids(page: &RowPage<FormEntry, FormCursor>) -> Vec<u64> {
    page.rows.iter().map(|found| found.row.form_id.0).collect()
}

fn all() -> FormQuery {
    FormQuery { limit: Some(100), labels: LabelFilter::Accepted, ..FormQuery::default() }
}

pub fn runs_are_paged_newest_first(store: &dyn Store) {
    let ids: Vec<RunId> = ["a", "b", "a", "c"]
        .iter()
        .enumerate()
        .map(|(n, topic)| store.begin(&RunSpec { seed: n as u64, ..spec(topic) }).unwrap())
        .collect();
    let page = |topic: Option<&str>, before, most| -> Vec<RunId> {
        let query = RunQuery {
            topic: topic.map(String::from),
            order: RowOrder::Newest,
            after: before,
            limit: Some(most),
            ..RunQuery::default()
        };
        store.runs(&query).unwrap().iter().map(|row| row.id).collect()
    };
    assert_eq!(page(None, None, 2), [ids[3], ids[2]]);
    assert_eq!(page(None, Some(ids[2]), 10), [ids[1], ids[0]]);
    assert_eq!(page(Some("a"), None, 10), [ids[2], ids[0]]);
    assert_eq!(page(Some("nobody's"), None, 10), []);
    assert_eq!(run_row(store, ids[1]).unwrap().spec.topic, "b");
    assert_eq!(run_row(store, RunId(99)), None);
    assert_eq!(run_row(store, RunId(u64::MAX)), None);
}

pub fn a_curve_holds_the_counters_by_number_of_requests(store: &dyn Store) {
    let run = begin(store);
    assert_eq!(curve(store, run), []);
    for seq in 0..3 {
        let address = format!("http://s{seq}.org/");
        find(store, run, seq, &address, vec![form(seq + 1, &address, 0.9, 0.6)]);
    }
    let points = curve(store, run);
    let figures: Vec<_> = points.iter().map(|point| (point.requests, point.pages, point.relevant)).collect();
    assert_eq!(figures, [(1, 1, 1), (2, 2, 2), (3, 3, 3)]);
    store.discard(Activity::Run(run)).unwrap();
    assert_eq!(curve(store, run), []);
}

pub fn a_long_curve_has_few_points(store: &dyn Store) {
    let run = begin(store);
    for seq in 0..2000 {
        let waiting = queued_link(&format!("http://s{seq}.org/"), 0, 0.5, seq);
        run_step(store, run, &waiting, outcome(seq, &waiting, StepEnd::Failed(kind("connect"))));
    }
    let points = curve(store, run);
    let widest = points.windows(2).map(|pair| pair[1].requests - pair[0].requests).max().unwrap();
    assert!(points.len() < 900 && widest <= 10, "{} points, {widest} apart", points.len());
    assert!(points.last().unwrap().requests > 1980);
}

pub fn queue_lengths_count_waiting_links(store: &dyn Store) {
    let run = begin(store);
    let waiting: Vec<_> = (0..5).map(|n| queued_link(&format!("http://s{n}.org/"), n % 2, 0.5, n)).collect();
    store.commit(run, &adding(&waiting)).unwrap();
    let probe = queued_link("http://s9.org/", u64::MAX, 0.5, 9);
    store.commit(run, &adding(&[probe])).unwrap();
    let lengths = run_row(store, run).unwrap().queues;
    let queues: Vec<_> = lengths.iter().map(|row| (row.queue, row.waiting)).collect();
    assert_eq!(queues, [(QueueId(0), 3), (QueueId(1), 2), (QueueId::PROBES, 1)]);
}

pub fn pages_are_listed_newest_first_with_their_parents(store: &dyn Store) {
    let run = begin(store);
    for seq in 0..4 {
        find(store, run, seq, &format!("http://s{seq}.org/"), vec![]);
    }
    let latest = PageQuery { order: RowOrder::Newest, limit: Some(2), ..PageQuery::of(run) };
    let RowPage { rows: pages, next } = store.pages(&latest).unwrap();
    let addresses: Vec<_> = pages.iter().map(|page| page.url.as_str()).collect();
    assert_eq!(addresses, ["http://s3.org/", "http://s2.org/"]);
    let earlier = store.pages(&PageQuery { after: next, limit: Some(9), ..latest }).unwrap();
    let addresses: Vec<_> = earlier.rows.iter().map(|page| page.url.as_str()).collect();
    assert_eq!((addresses, earlier.next), (vec!["http://s1.org/", "http://s0.org/"], None));
    let followed = link_of(store, run, pages[0].id).unwrap();
    assert_eq!(followed.link().context.anchor, "rare books");
    assert_eq!(link_of(store, run, LinkId(1)), None);
}

pub fn forms_are_paged_by_relevance(store: &dyn Store) {
    let run = begin(store);
    let forms = (1..=7).map(|id| form(id, "http://a.org/", 0.9, id as f32 / 10.0)).collect();
    find(store, run, 0, "http://a.org/", forms);
    let first = store.forms(&FormQuery { limit: Some(3), ..all() }).unwrap();
    assert_eq!(ids(&first), [7, 6, 5]);
    let second = store.forms(&FormQuery { limit: Some(3), after: first.next, ..all() }).unwrap();
    assert_eq!(ids(&second), [4, 3, 2]);
    let last = store.forms(&FormQuery { limit: Some(3), after: second.next, ..all() }).unwrap();
    assert_eq!((ids(&last), last.next), (vec![1], None));
    let exact = store.forms(&FormQuery { limit: Some(7), ..all() }).unwrap();
    assert_eq!((exact.rows.len(), exact.next), (7, None));
}

pub fn forms_are_selected_by_each_attribute(store: &dyn Store) {
    let run = begin(store);
    let at = |id, address: &str| form(id, address, 0.9, 0.8);
    let forms = vec![
        at(1, "http://a.org/"),
        FormRow { language: Some("de".into()), ..at(2, "http://a.org/") },
        FormRow { method: Method::Get, ..at(3, "http://b.org/") },
        FormRow { fields: vec![], ..at(4, "http://b.org/") },
        FormRow { p_relevant: 0.2, p_searchable: 0.6, ..at(5, "http://b.org/") },
    ];
    find(store, run, 0, "http://a.org/", forms);
    for (query, found) in [
        (FormQuery { site: Some(site("a.org")), ..all() }, vec![1, 2]),
        (FormQuery { language: Some("de".into()), ..all() }, vec![2]),
        (FormQuery { method: Some(Method::Get), ..all() }, vec![3]),
        (FormQuery { open_fields: Some(0), ..all() }, vec![4]),
        (FormQuery { min_relevance: 0.5, ..all() }, vec![1, 2, 3, 4]),
        (FormQuery { min_searchable: 0.7, ..all() }, vec![1, 2, 3, 4]),
        (FormQuery { topic: Some("books".into()), ..all() }, vec![1, 2, 3, 4, 5]),
        (FormQuery { topic: Some("cars".into()), ..all() }, vec![]),
        (FormQuery { run: Some(run), site: Some(site("b.org")), ..all() }, vec![3, 4, 5]),
        (FormQuery { run: Some(RunId(9)), ..all() }, vec![]),
    ] {
        assert_eq!(ids(&store.forms(&query).unwrap()), found, "{query:?}");
        let glances = store.form_summaries(&query).unwrap().rows;
        assert_eq!(glances.iter().map(|form| form.place.form.0).collect::<Vec<_>>(), found, "{query:?}");
    }
}

pub fn a_form_of_two_runs_is_one_entry(store: &dyn Store) {
    let runs: Vec<RunId> =
        (0..2).map(|seed| store.begin(&RunSpec { seed, ..spec("books") }).unwrap()).collect();
    for (seq, run) in runs.iter().enumerate() {
        find(store, *run, seq as u64, "http://a.org/", vec![form(1, "http://a.org/", 0.9, 0.8)]);
    }
    let page = store.forms(&all()).unwrap();
    assert_eq!((ids(&page), page.rows[0].run), (vec![1], runs[0]));
    assert_eq!(ids(&store.forms(&FormQuery { run: Some(runs[1]), ..all() }).unwrap()), [1]);
    assert_eq!(form_by_id(store, FormId(1), None, false).unwrap().unwrap().run, runs[0]);
    assert_eq!(form_by_id(store, FormId(1), Some("cars"), false).unwrap(), None);
    assert_eq!(form_by_id(store, FormId(2), None, false).unwrap(), None);
}

pub fn after_the_first_run_is_discarded_the_next_one_is_first(store: &dyn Store) {
    let runs: Vec<RunId> =
        (0..3).map(|seed| store.begin(&RunSpec { seed, ..spec("books") }).unwrap()).collect();
    for (seq, run) in runs.iter().enumerate() {
        find(store, *run, seq as u64, "http://a.org/", vec![form(1, "http://a.org/", 0.9, 0.8)]);
    }
    for left in [&runs[..], &runs[1..], &runs[2..], &[]] {
        let page = store.forms(&all()).unwrap();
        let first: Vec<RunId> = page.rows.iter().map(|found| found.run).collect();
        assert_eq!(first, left.iter().copied().take(1).collect::<Vec<_>>());
        assert_eq!(forms(store, &FormQuery::default()).len(), first.len());
        left.first().map_or(Ok(()), |run| store.discard(Activity::Run(*run))).unwrap();
    }
}

pub fn forms_are_found_by_the_first_digits_of_their_ids(store: &dyn Store) {
    let run = begin(store);
    let waiting = queued_link("http://a.org/", 0, 0.5, 1);
    let ids = [0xab00_0000_0000_0001, 0xab00_0000_0000_0002, 0xac00_0000_0000_0000];
    let forms = ids.map(|id| new_form(form(id, "http://a.org/", 0.9, 0.9))).to_vec();
    run_step(store, run, &waiting, Outcome { forms, ..visit(1, &waiting, SiteCounters::default()) });
    let found = |digits: &str, limit| -> Vec<u64> {
        store.forms_by_prefix(digits, limit).unwrap().into_iter().map(|form| form.0).collect()
    };
    assert_eq!(found("ab", 9), ids[..2]);
    assert_eq!(found("a", 2), ids[..2]);
    assert_eq!(found("ac00000000000000", 9), ids[2..]);
    assert_eq!(found("b", 9), [] as [u64; 0]);
}

pub fn labels_are_kept_and_replaced(store: &dyn Store) {
    let run = begin(store);
    let forms = (1..=4).map(|id| form(id, "http://a.org/", 0.9, 0.8)).collect();
    find(store, run, 0, "http://a.org/", forms);
    let say = |form, label| {
        set_label(store, form, "books", Some(label));
    };
    assert_eq!(labels(store, None, 10), []);
    say(1, Label::Wrong);
    say(2, Label::Wrong);
    say(2, Label::Right);
    say(3, Label::NotASearch);
    assert_eq!(ids(&store.forms(&all()).unwrap()), [2, 4]);
    let with = |marks| ids(&store.forms(&FormQuery { labels: marks, ..all() }).unwrap());
    assert_eq!(with(LabelFilter::Any), [1, 2, 3, 4]);
    assert_eq!(with(LabelFilter::Only(Label::Wrong)), [1]);
    assert_eq!(with(LabelFilter::Only(Label::Right)), [2]);
    assert_eq!(form_by_id(store, FormId(3), None, false).unwrap().unwrap().label, Some(Label::NotASearch));
    let rows = labels(store, None, 2);
    assert_eq!(
        rows.iter().map(|row| (row.form.0, row.label)).collect::<Vec<_>>(),
        [(1, Label::Wrong), (2, Label::Right)]
    );
    assert_eq!(labels(store, Some((2, "books")), 9).len(), 1);
    set_label(store, 1, "books", None);
    assert_eq!(ids(&store.forms(&all()).unwrap()), [1, 2, 4]);
    store.discard(Activity::Run(run)).unwrap();
    assert_eq!(labels(store, None, 10).len(), 2, "labels outlive their run");
}

pub fn harvests_are_paged_with_their_curves(store: &dyn Store) {
    let harvest = begin_harvest(store);
    let estimate = HarvestEstimate { size: [5.0, 10.0, 20.0], coverage: [0.1, 0.2, 0.4] };
    commit_steps(store, harvest, &[harvest_step(0, 1, 1..3)]);
    let ended = HarvestStep {
        estimate: Some(estimate),
        finished_query: Some(crate::harvest_fixture::query_row(1, 1..3)),
        next: vec!["sea".into(), "ship".into()],
        ..harvest_step(1, 1, 3..5)
    };
    commit_steps(store, harvest, &[ended]);
    let row = whole_harvest(store, harvest);
    let points = row.curve;
    let figures: Vec<_> =
        points.iter().map(|point| (point.requests, point.records, point.coverage)).collect();
    assert_eq!(figures, [(1, 2, None), (2, 4, Some([0.1, 0.2, 0.4]))]);
    assert_eq!(row.upcoming, ["sea", "ship"]);
    let other = store.begin_harvest(&crate::harvest_fixture::harvest_spec(2), Time(1)).unwrap();
    let page = |before, most| -> Vec<HarvestId> {
        let query = HarvestQuery {
            order: RowOrder::Newest,
            after: before,
            limit: Some(most),
            ..HarvestQuery::default()
        };
        store.harvests(&query).unwrap().iter().map(|row| row.id).collect()
    };
    assert_eq!(page(None, 1), [other]);
    assert_eq!(page(Some(other), 5), [harvest]);
}

pub fn questions_are_logged_before_their_result(store: &dyn Store) {
    let entry = Submission {
        by: Submitter::Person,
        purpose: SubmissionPurpose::Ask,
        ..harvest_entry(HarvestId(1), 0)
    };
    let (first, second) = (store.log_at_once(&entry).unwrap(), store.log_at_once(&entry).unwrap());
    assert_ne!(first, second);
    store
        .apply_user_changes(&[UserChange::Logged(Submitter::Person, second, SubmissionResult::Status(200))])
        .unwrap();
    let log = submissions(store, &SubmissionQuery::default());
    let log: Vec<_> = log.into_iter().map(|entry| (entry.by, entry.seq, entry.answer)).collect();
    let person = Submitter::Person;
    assert_eq!(log, [(person, first, None), (person, second, Some(SubmissionResult::Status(200)))]);
}
