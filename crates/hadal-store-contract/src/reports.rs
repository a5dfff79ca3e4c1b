//! Lists for exports: runs, forms, pages and sites.

use crate::fixture::*;
use crate::harvest_fixture::harvest_spec;
use hadal::store::*;
use hadal_core::identity::FormId;
use hadal_core::link::QueuedLink;
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;

/// Visits a page that holds these forms.
fn find(store: &dyn Store, run: RunId, seq: u64, address: &str, forms: Vec<FoundForm>) {
    let waiting = queued_link(address, 0, 0.5, seq);
    let counters = SiteCounters { pages: 1, ..SiteCounters::default() };
    run_step(store, run, &waiting, Outcome { forms, ..visit(seq, &waiting, counters) });
}

fn ids(rows: &[FormRow]) -> Vec<u64> {
    rows.iter().map(|row| row.form_id.0).collect()
}

pub fn control_is_the_last_instruction(store: &dyn Store) {
    let run = begin(store);
    assert_eq!(store.control(Activity::Run(run)).unwrap(), Control::default());
    let pause = Control { pause: true, stop: false, max_requests: Some(5000) };
    let stop = Control { pause: false, stop: true, max_requests: None };
    for control in [pause, stop] {
        store.apply_user_changes(&[UserChange::Control(Activity::Run(run), control.clone())]).unwrap();
        assert_eq!(store.control(Activity::Run(run)).unwrap(), control);
    }
}

pub fn runs_are_listed_oldest_first_with_their_counters(store: &dyn Store) {
    let specs = [spec("cars"), spec("books")];
    let ids: Vec<RunId> = specs.iter().map(|spec| store.begin(spec).unwrap()).collect();
    find(store, ids[1], 0, "http://a.org/", vec![new_form(form(1, "http://a.org/", 0.9, 0.1))]);
    let rows = runs(store);
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), ids);
    assert_eq!(rows.iter().map(|row| row.spec.clone()).collect::<Vec<_>>(), specs);
    assert_eq!(rows[0].counters, RunCounters::default());
    assert_eq!(rows[1].counters, counters(store, ids[1]));
    assert_eq!((rows[1].counters.forms, rows[1].counters.searchable, rows[1].counters.relevant), (1, 1, 0));
}

pub fn a_form_is_read_as_it_was_written(store: &dyn Store) {
    let run = begin(store);
    let put = form(u64::MAX, "http://a.org/", 0.9, 0.3);
    let other = FormRow { topic: "the run knows better".into(), ..put.clone() };
    find(store, run, 0, "http://a.org/", vec![new_form(other)]);
    assert_eq!(forms(store, &FormQuery::default()), [put]);
}

pub fn the_last_check_of_a_form_is_kept(store: &dyn Store) {
    let run = begin(store);
    find(store, run, 0, "http://a.org/", vec![new_form(form(1, "http://a.org/", 0.9, 0.6))]);
    let check = |id: u64, state| FormCheck {
        form: FormId(id),
        state,
        at: Time(u64::MAX),
        moved_to: Some(url("http://b.org/")),
        validator: Some("\"x\"".into()),
    };
    store.save_form_checks(&[check(1, FormState::Gone), check(9, FormState::Alive)]).unwrap();
    store.save_form_checks(&[check(1, FormState::Moved)]).unwrap();
    store.sync().unwrap();
    let of_harvest = |id| {
        let harvest = store.begin_harvest(&harvest_spec(id), Time(1)).unwrap();
        store.resume_harvest(harvest).unwrap().form_check
    };
    assert_eq!(of_harvest(9), Some(check(9, FormState::Alive)));
    assert_eq!(of_harvest(5), None);
    assert_eq!(of_harvest(1), Some(check(1, FormState::Moved)));
    let listed = store.forms(&FormQuery::default()).unwrap().rows.remove(0);
    assert_eq!(listed.row.check, Some(check(1, FormState::Moved)));
}

pub fn a_form_on_many_pages_is_one_form(store: &dyn Store) {
    let run = begin(store);
    find(store, run, 0, "http://a.org/", vec![new_form(form(1, "http://a.org/", 0.9, 0.6))]);
    find(store, run, 1, "http://a.org/1", vec![FoundForm::Known(FormId(1)), FoundForm::Known(FormId(77))]);
    find(store, run, 2, "http://a.org/2", vec![new_form(form(1, "http://a.org/2", 0.1, 0.1))]);
    let expected = FormRow { also_on: 2, ..form(1, "http://a.org/", 0.9, 0.6) };
    assert_eq!(forms(store, &FormQuery::default()), [expected]);
    let counters = counters(store, run);
    assert_eq!((counters.forms, counters.searchable, counters.relevant), (1, 1, 1));
}

pub fn a_form_twice_on_a_page_counts_once(store: &dyn Store) {
    let run = begin(store);
    let new = || new_form(form(1, "http://a.org/", 0.9, 0.6));
    let again = || FoundForm::Known(FormId(1));
    find(store, run, 0, "http://a.org/", vec![new(), again(), new()]);
    assert_eq!(forms(store, &FormQuery::default())[0].also_on, 0);
    find(store, run, 1, "http://a.org/1", vec![again(), new(), again()]);
    assert_eq!(forms(store, &FormQuery::default())[0].also_on, 1);
}

pub fn forms_are_known_per_run(store: &dyn Store) {
    let (run, other) = (begin(store), store.begin(&spec("cars")).unwrap());
    find(store, run, 0, "http://a.org/", vec![new_form(form(u64::MAX, "http://a.org/", 0.9, 0.6))]);
    let asked = [FormId(5), FormId(u64::MAX)];
    assert_eq!(known_forms(store, run, &asked), [false, true]);
    assert_eq!(known_forms(store, other, &asked), [false, false]);
}

/// Four forms on two sites.
fn four_forms(store: &dyn Store) -> RunId {
    let run = begin(store);
    let on_a = [(u64::MAX, 0.9, 0.6), (2, 0.9, 0.6), (3, 0.95, 0.6)];
    let row = |(id, searchable, relevant)| new_form(form(id, "http://a.org/", searchable, relevant));
    find(store, run, 0, "http://a.org/", on_a.map(row).into());
    find(store, run, 1, "http://b.org/", vec![new_form(form(4, "http://b.org/", 0.7, 0.7))]);
    run
}

pub fn forms_are_listed_most_relevant_first(store: &dyn Store) {
    four_forms(store);
    assert_eq!(ids(&forms(store, &FormQuery::default())), [4, 3, 2, u64::MAX]);
}

pub fn forms_are_filtered(store: &dyn Store) {
    let run = four_forms(store);
    let all = FormQuery::default;
    let nobody = store.begin(&spec("cars")).unwrap();
    let cases: [(FormQuery, &[u64]); 8] = [
        (FormQuery { run: Some(run), ..all() }, &[4, 3, 2, u64::MAX]),
        (FormQuery { run: Some(nobody), ..all() }, &[]),
        (FormQuery { topic: Some("books".into()), ..all() }, &[4, 3, 2, u64::MAX]),
        (FormQuery { topic: Some("cars".into()), ..all() }, &[]),
        (FormQuery { site: Some(site("b.org")), ..all() }, &[4]),
        (FormQuery { min_relevance: 0.7, ..all() }, &[4]),
        (FormQuery { min_searchable: 0.9, ..all() }, &[3, 2, u64::MAX]),
        (FormQuery { min_searchable: 0.9, site: Some(site("b.org")), ..all() }, &[]),
    ];
    for (filter, expected) in cases {
        assert_eq!(ids(&forms(store, &filter)), expected, "{filter:?}");
    }
}

pub fn one_form_found_by_two_runs_of_a_topic_is_one_row(store: &dyn Store) {
    let first = begin(store);
    let second = store.begin(&RunSpec { strategy: "random".into(), ..spec("books") }).unwrap();
    let cars = store.begin(&spec("cars")).unwrap();
    let found = |relevant| vec![new_form(form(1, "http://a.org/", 0.9, relevant))];
    find(store, second, 0, "http://a.org/", found(0.6));
    find(store, first, 0, "http://a.org/", found(0.8));
    find(store, first, 1, "http://a.org/1", vec![FoundForm::Known(FormId(1))]);
    find(store, cars, 0, "http://a.org/", found(0.1));
    let rows = forms(store, &FormQuery::default());
    let seen: Vec<_> = rows.iter().map(|row| (row.topic.as_str(), row.p_relevant, row.also_on)).collect();
    assert_eq!(seen, [("books", 0.6, 1), ("cars", 0.1, 0)]);
    let of_first = forms(store, &FormQuery { run: Some(first), ..FormQuery::default() });
    assert_eq!((of_first.len(), of_first[0].p_relevant, of_first[0].also_on), (1, 0.8, 1));
}

pub fn nan_probabilities_count_as_zero(store: &dyn Store) {
    let run = begin(store);
    find(store, run, 0, "http://a.org/", vec![new_form(form(1, "http://a.org/", f32::NAN, f32::NAN))]);
    let row = &forms(store, &FormQuery::default())[0];
    assert_eq!((row.p_searchable, row.p_relevant), (0.0, 0.0));
    assert_eq!(counters(store, run).searchable, 0);
    let waiting = queued_link("http://a.org/1", 0, 0.5, 1);
    let odd = PageRow { p_topic: f32::NAN, ..page(&waiting) };
    run_step(store, run, &waiting, Outcome { page: Some(odd), ..outcome(1, &waiting, StepEnd::Visited) });
    assert_eq!(pages(store, run)[1].p_topic, 0.0);
}

pub fn pages_are_listed_in_the_order_of_commits(store: &dyn Store) {
    let run = begin(store);
    let links: Vec<QueuedLink> = ["http://z.org/", "http://a.org/"]
        .iter()
        .zip(0..)
        .map(|(at, n)| queued_link(at, 0, 0.5, n))
        .collect();
    for (waiting, seq) in links.iter().zip(0..) {
        run_step(store, run, waiting, visit(seq, waiting, SiteCounters::default()));
    }
    assert_eq!(pages(store, run), links.iter().map(page).collect::<Vec<_>>());
}

/// Sites with these names, relevant and searchable forms.
fn three_sites(store: &dyn Store) {
    let run = begin(store);
    for (n, (name, relevant, searchable)) in [("a", 0, 2), ("b", 1, 1), ("c", 1, 1)].iter().enumerate() {
        let waiting = queued_link(&format!("http://{name}.org/"), 0, 0.5, n as u64);
        let counters = SiteCounters {
            pages: 1,
            relevant: *relevant,
            searchable: *searchable,
            ..SiteCounters::default()
        };
        let row = form(n as u64, &format!("http://{name}.org/"), 0.5, n as f32 / 4.0);
        let end = Outcome { forms: vec![new_form(row)], ..visit(n as u64, &waiting, counters) };
        run_step(store, run, &waiting, end);
    }
    store.commit(run, &adding(&[queued_link("http://unheard.org/", 0, 0.5, 9)])).unwrap();
}

fn names(rows: &[SiteRow]) -> Vec<&str> {
    rows.iter().map(|row| row.site.0.as_str()).collect()
}

pub fn sites_are_listed_most_relevant_first(store: &dyn Store) {
    three_sites(store);
    let rows = sites(store, &SiteQuery::default());
    assert_eq!(names(&rows), ["b.org", "c.org", "a.org"]);
    let expected = SiteRow {
        site: site("c.org"),
        topic: "books".into(),
        counters: SiteCounters { pages: 1, relevant: 1, searchable: 1, ..SiteCounters::default() },
        best: 0.5,
    };
    assert_eq!(rows[1], expected);
}

pub fn sites_are_filtered(store: &dyn Store) {
    three_sites(store);
    let all = SiteQuery::default;
    let cases: [(SiteQuery, &[&str]); 3] = [
        (SiteQuery { topic: Some("cars".into()), ..all() }, &[]),
        (SiteQuery { site: Some(site("a.org")), ..all() }, &["a.org"]),
        (SiteQuery { min_relevance: 0.25, ..all() }, &["b.org", "c.org"]),
    ];
    for (filter, expected) in cases {
        assert_eq!(names(&sites(store, &filter)), expected, "{filter:?}");
    }
}

pub fn long_lists_are_complete(store: &dyn Store) {
    let run = begin(store);
    const MANY: u64 = 2100;
    let links: Vec<QueuedLink> =
        (0..MANY).map(|n| queued_link(&format!("http://s{n}.org/"), 0, 0.5, n)).collect();
    let sent = links.iter().zip(0..).map(|(waiting, seq)| sent_step(seq, waiting)).collect();
    store.commit(run, &Batch { sent, ..adding(&links) }).unwrap();
    let end = |seq: u64| {
        let waiting = &links[seq as usize];
        let row = form(seq, waiting.link.url.as_str(), 0.5, (seq % 5) as f32 / 5.0);
        let counters = SiteCounters { pages: 1, ..SiteCounters::default() };
        Outcome { forms: vec![new_form(row)], ..visit(seq, waiting, counters) }
    };
    store.commit(run, &ending((0..MANY).map(end).collect())).unwrap();
    let rows = forms(store, &FormQuery::default());
    assert!(rows.is_sorted_by(|a, b| (b.p_relevant, a.form_id) < (a.p_relevant, b.form_id)));
    assert_eq!(rows.len() as u64, MANY);
    assert_eq!(sites(store, &SiteQuery::default()).len() as u64, MANY);
    assert_eq!(sites(store, &SiteQuery { limit: Some(3), ..SiteQuery::default() }).len(), 3);
    assert_eq!(pages(store, run), links.iter().map(page).collect::<Vec<_>>());
    let mut some = PageQuery { limit: Some(700), ..PageQuery::of(run) };
    for first in [0, 700, 1400] {
        let page = store.pages(&some).unwrap();
        assert_eq!((page.rows.len(), page.rows[0].id), (700, links[first].link.id));
        some.after = page.next;
    }
    assert_eq!(store.pages(&some).unwrap().rows, []);
}

pub fn the_store_can_be_used_between_two_rows(store: &dyn Store) {
    let run = four_forms(store);
    let mut seen = 0;
    for _ in all_forms(store, FormQuery { limit: Some(1), ..FormQuery::default() }) {
        seen += counters(store, run).pages;
    }
    for _ in all_pages(store, PageQuery { limit: Some(1), ..PageQuery::of(run) }) {
        seen += counters(store, run).pages;
    }
    assert_eq!(seen, 2 * (4 + 2));
}
