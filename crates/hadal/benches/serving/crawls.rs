//! Fills a store with runs that found many forms, two runs per topic.

use super::Anyhow;
use super::crawling::usual_context;
use hadal::store::*;
use hadal_core::address::Site;
use hadal_core::critic::FormKind;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use hadal_core::learn::rng::Rng;
use hadal_core::link::{FrontierLink, LinkOrigin, QueueId, QueuedLink};
use hadal_core::page::FormSource;
use hadal_core::strategy::{Lesson, SelectedFeatures, SiteCounters};
use hadal_core::time::Time;
use url::Url;

const TOPICS: [&str; 5] = ["book", "auto", "job", "film", "airfare"];
const RUNS: u64 = 10;
const FORMS_PER_PAGE: u64 = 2;
/// Steps per commit.
const STEPS: u64 = 20;
const COMMITS: u64 = 50;
/// One of this many forms has a label.
const LABELLED: u64 = 100;

/// Fills a store. Without forms there is one empty run.
pub fn fill(store: &dyn Store, forms: u64) -> Anyhow<()> {
    let pages = forms / FORMS_PER_PAGE;
    for n in 0..RUNS.min(pages.max(1)) {
        let topic = TOPICS[(n % TOPICS.len() as u64) as usize];
        let (strategy, source) = ("hadal".to_string(), "web".to_string());
        let spec = RunSpec { topic: topic.into(), strategy, seeds: vec![], seed: n, source };
        fill_run(store, store.begin(&spec)?, topic, n, pages / RUNS)?;
    }
    Ok(())
}

fn fill_run(store: &dyn Store, run: RunId, topic: &str, n: u64, pages: u64) -> Anyhow<()> {
    let mut random = Rng::new(n);
    for (commits, first) in (0..pages).step_by(STEPS as usize).enumerate() {
        let numbers = first..pages.min(first + STEPS);
        let visited: Vec<QueuedLink> =
            numbers.clone().map(|page| lead(run, page, 0)).collect::<Anyhow<_>>()?;
        let left: Vec<QueuedLink> =
            numbers.clone().map(|page| lead(run, page, 1 + page % 3)).collect::<Anyhow<_>>()?;
        let begin = |(seq, waiting): (u64, &QueuedLink)| SentStep {
            seq,
            target: StepTarget::Link(waiting.link.id),
            at: Time(seq),
        };
        let sent = numbers.clone().zip(&visited).map(begin).collect();
        let changes = vec![FrontierChange::Add(visited.clone()), FrontierChange::Add(left)];
        store.commit(run, &Batch { changes, sent, ..Batch::default() })?;
        let outcomes =
            numbers.zip(&visited).map(|(seq, waiting)| visit(seq, waiting, n, &mut random)).collect();
        store.commit(run, &Batch { outcomes, ..Batch::default() })?;
        if (commits as u64).is_multiple_of(COMMITS) {
            store.sync()?;
        }
    }
    if pages > 0 {
        let lessons = (0..60).map(|iteration| FrontierChange::Learned(lesson(iteration, pages))).collect();
        store.commit(run, &Batch { changes: lessons, ..Batch::default() })?;
    }
    store.sync()?;
    for form in (0..pages * FORMS_PER_PAGE).step_by(LABELLED as usize) {
        let label = if form.is_multiple_of(2 * LABELLED) { Label::Right } else { Label::Wrong };
        let label = LabelRow { form: form_id(n, form), topic: topic.into(), label, at: Time(form) };
        store.apply_user_changes(&[UserChange::Label(label.into())])?;
    }
    Ok(())
}

/// A link for every page, a site for every two pages.
fn lead(run: RunId, page: u64, lane: u64) -> Anyhow<QueuedLink> {
    let url =
        Url::parse(&format!("http://www.site-{}-{}.example/catalogue/{lane}/{page}.html", run.0, page / 2))?;
    let lead = FrontierLink { context: usual_context(), ..FrontierLink::root(url, LinkOrigin::Link) };
    let (score, not_before) = (page as f32, Time(0));
    Ok(QueuedLink {
        link: lead,
        queue: QueueId(lane),
        score,
        order: page * 4 + lane,
        generation: 0,
        attempts: 0,
        not_before,
    })
}

fn visit(seq: u64, waiting: &QueuedLink, n: u64, random: &mut Rng) -> Outcome {
    let url = &waiting.link.url;
    let page = PageRow {
        id: waiting.link.id,
        url: url.clone(),
        site: waiting.link.site(),
        status: 200,
        title: format!("Catalogue, page {seq}"),
        language: Some("en".into()),
        p_topic: 0.7,
        fingerprint: seq,
        depth: 3,
        parent: None,
        redirects: vec![],
        at_request: seq,
        validator: None,
        note: None,
    };
    let counters = SiteCounters { pages: 1 + (seq % 2) as u32, ..SiteCounters::default() };
    let numbers = seq * FORMS_PER_PAGE..(seq + 1) * FORMS_PER_PAGE;
    Outcome {
        bytes: 20_000,
        page: Some(page),
        forms: numbers.map(|number| form(form_id(n, number), number, url, random)).collect(),
        site: Some((waiting.link.site(), counters)),
        ..Outcome::of(seq, StepTarget::Link(waiting.link.id), Time(seq))
    }
}

/// Both runs of a topic find every tenth form.
fn form_id(n: u64, number: u64) -> FormId {
    let run = if number % 10 == 3 { n % TOPICS.len() as u64 } else { n };
    FormId((number * RUNS + run + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn form(form_id: FormId, number: u64, page: &Url, random: &mut Rng) -> FoundForm {
    let p_searchable = random.fraction() as f32;
    let language = match number % 1000 {
        7 => Some("is"),
        rest => [Some("en"), Some("en"), Some("de"), Some("fr"), None][(rest % 5) as usize],
    };
    let fields = if number % 1000 == 9 { 12 } else { 1 + number % 6 };
    FoundForm::New(Box::new(FormRow {
        form_id,
        topic: String::new(),
        site: Site::of(page),
        page_url: page.clone(),
        action: page.join("/find").expect("a path joins any page"),
        method: if number % 5 == 2 { Method::Post } else { Method::Get },
        fields: (0..fields).map(field).chain([hidden()]).collect(),
        kind: FormKind::Search,
        p_searchable,
        p_relevant: p_searchable * random.fraction() as f32,
        found_at_request: number,
        depth: 3,
        also_on: 0,
        source: FormSource::Form,
        language: language.map(str::to_string),
        evidence: vec!["a button says find".into(), "one box for words".into(), "words of the topic".into()],
        finding: None,
        form_snapshot: None,
        check: None,
    }))
}

fn field(n: u64) -> FieldRow {
    let (kind, options) = if n == 0 { ("search", 0) } else { ("select", 12) };
    FieldRow { name: format!("field{n}"), kind: kind.into(), label: format!("Choose {n}"), options }
}

fn hidden() -> FieldRow {
    FieldRow { name: "session".into(), kind: "hidden".into(), label: String::new(), options: 0 }
}

fn lesson(iteration: u32, pages: u64) -> LessonRow {
    let terms = |space: &str| SelectedFeatures {
        space: space.into(),
        level: None,
        terms: (0..20).map(|n| (format!("{space}{}", n + iteration), 40 - n)).collect(),
    };
    let selected = ["url", "anchor", "around"].map(terms).into();
    let lesson = Lesson { model: "link".into(), iteration, examples: 200 + iteration, selected };
    LessonRow { at_request: pages * u64::from(iteration) / 60, at_page: u64::from(iteration), lesson }
}
