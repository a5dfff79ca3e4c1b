//! Small runs, links, pages and forms.

use hadal::store::*;
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::critic::FormKind;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use hadal_core::link::{FrontierLink, LinkOrigin, ParentPage, QueueId, QueueRank, QueuedLink};
use hadal_core::page::{Form, FormSource, LinkContext, LinkTopic};
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use url::Url;

pub fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

pub fn host(name: &str) -> Host {
    Host(format!("http://{name}"))
}

pub fn site(name: &str) -> Site {
    Site(name.into())
}

/// A kind of failure by its name.
pub fn kind(name: &str) -> FailureKind {
    name.parse().unwrap()
}

pub fn spec(topic: &str) -> RunSpec {
    RunSpec {
        topic: topic.into(),
        strategy: "breadth-first".into(),
        seeds: vec![url("http://seed.org/")],
        seed: 7,
        source: "web".into(),
    }
}

pub fn begin(store: &dyn Store) -> RunId {
    store.begin(&spec("books")).unwrap()
}

/// A link with a value in every field.
pub fn queued_link(address: &str, queue: u64, score: f32, order: u64) -> QueuedLink {
    let parent = url("http://seed.org/");
    let link = FrontierLink {
        context: LinkContext {
            anchor: "rare books".into(),
            before: "we sell".into(),
            after: "since 1920".into(),
            tag_path: "body ul li a".into(),
            rel: "nofollow".into(),
            position: 3,
            topic: Some(LinkTopic { own: 0.5, around: 0.25, other_sites: 7 }),
        },
        parent: Some(ParentPage {
            id: LinkId::of(&parent),
            p_topic: 0.75,
            has_relevant_form: true,
            same_site: false,
        }),
        depth: 2,
        site_depth: 1,
        redirects: vec![url("http://old.org/a"), url("http://old.org/b")],
        ..FrontierLink::root(url(address), LinkOrigin::Link)
    };
    QueuedLink {
        link,
        queue: QueueId(queue),
        score,
        order,
        generation: 4,
        attempts: 1,
        not_before: Time(900),
    }
}

pub fn adding(links: &[QueuedLink]) -> Batch {
    Batch { changes: vec![FrontierChange::Add(links.to_vec())], ..Batch::default() }
}

pub fn changing(change: FrontierChange) -> Batch {
    Batch { changes: vec![change], ..Batch::default() }
}

pub fn sent_step(seq: u64, waiting: &QueuedLink) -> SentStep {
    SentStep { seq, target: StepTarget::Link(waiting.link.id), at: Time(1000 + seq) }
}

pub fn sending(seq: u64, waiting: &QueuedLink) -> Batch {
    Batch { sent: vec![sent_step(seq, waiting)], ..Batch::default() }
}

pub fn ending(outcomes: Vec<Outcome>) -> Batch {
    Batch { outcomes, ..Batch::default() }
}

/// Outcome of a step that found nothing.
pub fn outcome(seq: u64, waiting: &QueuedLink, end: StepEnd) -> Outcome {
    Outcome { bytes: 100, end, ..Outcome::of(seq, StepTarget::Link(waiting.link.id), Time(2000 + seq)) }
}

/// Outcome of a step that read a page, with the new counters of its site.
pub fn visit(seq: u64, waiting: &QueuedLink, counters: SiteCounters) -> Outcome {
    Outcome {
        page: Some(page(waiting)),
        site: Some((waiting.link.site(), counters)),
        ..outcome(seq, waiting, StepEnd::Visited)
    }
}

pub fn page(waiting: &QueuedLink) -> PageRow {
    PageRow {
        id: waiting.link.id,
        url: waiting.link.url.clone(),
        site: waiting.link.site(),
        status: 200,
        title: "Rare \0 \"books\"".into(),
        language: Some("en".into()),
        p_topic: 0.7,
        fingerprint: u64::MAX - 5,
        depth: 2,
        parent: waiting.link.parent.map(|parent| parent.id),
        redirects: waiting.link.redirects.clone(),
        at_request: 12,
        validator: Some("\"abc\"".into()),
        note: Some("body cut".into()),
    }
}

pub fn form(id: u64, address: &str, p_searchable: f32, p_relevant: f32) -> FormRow {
    let page_url = url(address);
    FormRow {
        form_id: FormId(id),
        topic: "books".into(),
        site: Site::of(&page_url),
        action: page_url.join("/find").unwrap(),
        page_url,
        method: Method::Post,
        fields: vec![FieldRow { name: "q".into(), kind: "search".into(), label: "Find".into(), options: 2 }],
        kind: FormKind::Search,
        p_searchable,
        p_relevant,
        found_at_request: 12,
        depth: 2,
        also_on: 0,
        source: FormSource::SearchAction,
        language: None,
        evidence: vec!["a button says find".into()],
        finding: None,
        form_snapshot: None,
        check: None,
    }
}

pub fn new_form(row: FormRow) -> FoundForm {
    FoundForm::New(Box::new(row))
}

pub fn host_state(name: &str) -> HostState {
    HostState {
        host: host(name),
        ip: Some("192.0.2.7".parse().unwrap()),
        robots: Some(RobotsState::Text("User-agent: *\nDisallow: /private\n".into())),
        robots_until: Time(u64::MAX),
        robots_validator: Some("\"v1\"".into()),
        next_at: Time(5000),
        group_next_at: Time(4000),
        failures: 2,
        latency_ms: 80,
        requests: 9,
    }
}

/// Adds a link, sends it with the number of this outcome, and commits the outcome.
pub fn run_step(store: &dyn Store, run: RunId, waiting: &QueuedLink, end: Outcome) {
    store.commit(run, &adding(std::slice::from_ref(waiting))).unwrap();
    store.commit(run, &sending(end.seq, waiting)).unwrap();
    store.commit(run, &ending(vec![end])).unwrap();
}

pub fn runs(store: &dyn Store) -> Vec<RunRow> {
    store.runs(&RunQuery::default()).unwrap()
}

/// A run with all its parts.
pub fn run_row(store: &dyn Store, run: RunId) -> Option<RunRow> {
    let parts = RunParts { strategy: true, curve: true, queues: 10, lessons: usize::MAX };
    store.runs(&RunQuery { parts, ..RunQuery::one(run) }).unwrap().pop()
}

pub fn counters(store: &dyn Store, run: RunId) -> RunCounters {
    store.runs(&RunQuery::one(run)).unwrap().remove(0).counters
}

pub fn curve(store: &dyn Store, run: RunId) -> Vec<CurvePoint> {
    run_row(store, run).map(|row| row.curve).unwrap_or_default()
}

pub fn lessons(store: &dyn Store, run: RunId) -> Vec<LessonRow> {
    run_row(store, run).map(|row| row.lessons).unwrap_or_default()
}

/// Waiting links of a host in a queue.
pub fn of_host(
    store: &dyn Store,
    run: RunId,
    queue: QueueId,
    host: &Host,
    after: Option<QueueRank>,
    limit: usize,
) -> Vec<QueuedLink> {
    let slice = QueueSlice { after, ..QueueSlice::of_host(queue, host, limit) };
    store.queue_heads(run, &[slice]).unwrap().remove(0)
}

/// Waiting links of a queue.
pub fn of_queue(store: &dyn Store, run: RunId, queue: QueueId, limit: usize) -> Vec<QueuedLink> {
    store.queue_heads(run, &[QueueSlice::of_queue(queue, limit)]).unwrap().remove(0)
}

pub fn known(store: &dyn Store, run: RunId, links: &[LinkId]) -> Vec<bool> {
    store.look_up(run, &LookUp { links, ..LookUp::default() }).unwrap().links
}

pub fn known_forms(store: &dyn Store, run: RunId, forms: &[FormId]) -> Vec<bool> {
    store.look_up(run, &LookUp { forms, ..LookUp::default() }).unwrap().forms
}

pub fn site_counters(store: &dyn Store, run: RunId, site: &Site) -> SiteCounters {
    let keys = LookUp { sites: std::slice::from_ref(site), ..LookUp::default() };
    store.look_up(run, &keys).unwrap().sites.remove(0)
}

pub fn host_state_of(store: &dyn Store, run: RunId, host: &Host) -> Option<HostState> {
    let keys = LookUp { hosts: std::slice::from_ref(host), ..LookUp::default() };
    store.look_up(run, &keys).unwrap().hosts.remove(0)
}

pub fn link_of(store: &dyn Store, run: RunId, link: LinkId) -> Option<LinkRow> {
    store.look_up(run, &LookUp { link_rows: &[link], ..LookUp::default() }).unwrap().link_rows.remove(0)
}

pub fn form_snapshot(store: &dyn Store, run: RunId, form: FormId) -> Option<Form> {
    form_snapshots(store, run, &[form]).unwrap().remove(0).map(|form| *form)
}

pub fn forms(store: &dyn Store, query: &FormQuery) -> Vec<FormRow> {
    all_forms(store, query.clone()).map(|entry| entry.unwrap().row).collect()
}

pub fn sites(store: &dyn Store, query: &SiteQuery) -> Vec<SiteRow> {
    store.sites(query).unwrap()
}

pub fn pages(store: &dyn Store, run: RunId) -> Vec<PageRow> {
    all_pages(store, PageQuery::of(run)).map(Result::unwrap).collect()
}

pub fn submissions(store: &dyn Store, query: &SubmissionQuery) -> Vec<Submission> {
    all_submissions(store, query.clone()).map(Result::unwrap).collect()
}

pub fn set_label(store: &dyn Store, form: u64, topic: &str, label: Option<Label>) {
    let change = LabelUpdate { form: FormId(form), topic: topic.into(), label, at: Time(5) };
    store.apply_user_changes(&[UserChange::Label(change)]).unwrap();
}

pub fn labels(store: &dyn Store, after: Option<(u64, &str)>, limit: usize) -> Vec<LabelRow> {
    let after = after.map(|(form, topic)| (FormId(form), topic.to_string()));
    store.labels(&LabelQuery { after, limit: Some(limit) }).unwrap().rows
}
