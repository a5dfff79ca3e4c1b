//! Harvests of simulated databases, end to end: pages, paging, politeness, store, resume; scored with ground
//! truth.

use futures::future::BoxFuture;
use hadal::fetch::Fetch;
use hadal::fetch::in_process::{InProcess, Respond};
use hadal::harvest::open_form::{SearchLocation, form_at_url};
use hadal::harvest::{HarvestEvent, HarvestJob, HarvestPlan, HarvestSummary, harvest};
use hadal::polite::{ClientOptions, Clock, PoliteClient, Politeness};
use hadal::store::*;
use hadal::topic::Sample;
use hadal_core::harvest::policy::{PolicyContext, find_policy};
use hadal_core::harvest::session::{DetailMode, HarvestEnding, HarvestOptions};
use hadal_core::html;
use hadal_core::http::{Exchange, Request, Response};
use hadal_core::identity::form_id;
use hadal_core::time::Time;
use hadal_world::database::{
    Arrangement, CollectionSpec, Database, DatabaseConfig, DatabaseHosts, Excerpt, Layout, Pager, TotalShown,
};
use hadal_world::{Spec, World};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use url::Url;

const RECORDS: u32 = 600;

fn web(habits: DatabaseConfig) -> Arc<World> {
    let collection =
        Arc::new(CollectionSpec { records: RECORDS, seed: 5, ..CollectionSpec::default() }.generate());
    let mut library = DatabaseHosts::default();
    library.add("db", Database::new(collection, habits));
    Arc::new(World::new(Spec::tiny(1)).with_databases(library))
}

fn job(world: &World) -> HarvestJob {
    let home = Url::parse("http://db.example/").unwrap();
    let response = world.respond(&Request::get(home.clone()), Time(0)).result.unwrap();
    let page = html::parse(&response.body, response.headers.get("content-type"), &home);
    let charset = page.charset.to_string();
    let sample = Sample::of("home", page, None).unwrap();
    HarvestJob {
        charset,
        options: HarvestOptions { coverage: 0.98, records: None, details: DetailMode::Never, seed: 1 },
        policy_context: PolicyContext { seed: 1, ..PolicyContext::default() },
        opening_cost: (0, 0),
        entry_page: None,
        spec: HarvestSpec {
            form: form_id(&sample.form, &home),
            topic: String::new(),
            page: home,
            form_snapshot: sample.form,
            policy: "hadal".into(),
            seed: 1,
            source: "world 1".into(),
        },
        policy: find_policy("hadal").unwrap(),
        fresh: false,
    }
}

fn client(fetch: Arc<dyn Fetch>) -> PoliteClient {
    let options = ClientOptions::new(Politeness::default(), "hadal", 4 << 20);
    PoliteClient::new(fetch, options, watch::channel(false).1)
}

fn plan(world: &Arc<World>, store: &Arc<dyn Store>, max_requests: u64) -> HarvestPlan {
    let client = client(Arc::new(InProcess(Arc::clone(world))));
    HarvestPlan {
        max_requests: Some(max_requests),
        clock: Clock::simulated(),
        ..HarvestPlan::new(Arc::clone(store), client, vec![job(world)])
    }
}

/// Requests needed for this number of records; `None` if they were never reached.
async fn requests_to(world: &Arc<World>, records: u64, max_requests: u64) -> Option<u64> {
    let mut reached = None;
    let mut note = |event| {
        if let HarvestEvent::QueryFinished { standing, .. } = event
            && standing.counters.records >= records
        {
            reached = reached.or(Some(standing.counters.requests));
        }
    };
    harvest(plan(world, &memory(), max_requests), &mut note).await.unwrap();
    reached
}

async fn run(world: &Arc<World>, store: &Arc<dyn Store>, max_requests: u64) -> HarvestSummary {
    harvest(plan(world, store, max_requests), &mut |_| {}).await.unwrap().remove(0)
}

fn memory() -> Arc<dyn Store> {
    open("memory:", Access::Crawl).unwrap()
}

/// Records in the store: the true records among them, the number of wrong ones, and the number of all.
fn found(world: &World, store: &dyn Store) -> (BTreeSet<u32>, usize, usize) {
    let database = world.databases().get("db").unwrap();
    let (mut right, mut wrong, mut all) = (BTreeSet::new(), 0, 0);
    for row in records(store) {
        all += 1;
        let by_link = row.record.url.as_ref().and_then(|url| database.record_at(url));
        let by_reference =
            || (0..RECORDS).find(|record| row.record.text.contains(&database.reference(*record)));
        match by_link.or_else(by_reference) {
            Some(record) => drop(right.insert(record)),
            None => wrong += 1,
        }
    }
    (right, wrong, all)
}

#[tokio::test]
async fn every_layout_gives_its_records_without_a_rule_for_any() {
    let (mut right, mut wrong, mut all) = (0, 0, 0);
    for (at, arrangement) in Arrangement::ALL.into_iter().enumerate() {
        let pager = Pager::ALL[at % Pager::ALL.len()];
        let layout = Layout { seed: at as u64, arrangement, pager, ..Layout::default() };
        let world =
            web(DatabaseConfig { layout, total_shown: TotalShown::Exact, ..DatabaseConfig::default() });
        let store = memory();
        let summary = run(&world, &store, 250).await;
        let (found, strangers, rows) = found(&world, store.as_ref());
        assert!(found.len() >= 400, "{arrangement:?} {pager:?}: {} of {RECORDS}, {summary:?}", found.len());
        right += found.len();
        wrong += strangers;
        all += rows;
    }
    let precision = right as f64 / all as f64;
    assert!(precision >= 0.98, "{right} right, {wrong} wrong, {all} rows: {precision:.3}");
}

#[tokio::test]
async fn an_interrupted_harvest_resumes_with_its_learned_state() {
    let world = web(DatabaseConfig::default());
    let (whole, parts) = (memory(), memory());
    let at_once = run(&world, &whole, 120).await;
    for budget in [1, 7, 23, 60, 120] {
        let summary = run(&world, &parts, budget).await;
        assert!(summary.counters.requests <= budget);
    }
    let (one, two) = (found(&world, whole.as_ref()).0, found(&world, parts.as_ref()).0);
    // Each interruption repeats at most one query and one visit of the form page.
    assert!(two.len() as f64 >= 0.8 * one.len() as f64, "{} against {}", two.len(), one.len());
    assert_eq!(at_once.counters.requests, 120);
    let numbers: Vec<u32> = asked(parts.as_ref()).iter().map(|row| row.number).collect();
    assert!(numbers.iter().zip(1..).all(|(number, expected)| *number == expected), "{numbers:?}");
}

/// All queries of a harvest, in order.
fn asked(store: &dyn Store) -> Vec<QueryRow> {
    all_queries(store, HarvestRowQuery::default()).map(Result::unwrap).collect()
}

/// Every record, in the order they were found.
fn records(store: &dyn Store) -> Vec<RecordRow> {
    all_records(store, HarvestRowQuery::default()).map(Result::unwrap).collect()
}

#[tokio::test]
async fn an_answer_that_was_left_off_is_read_on_from_there_also_by_another_session() {
    let world = web(DatabaseConfig {
        total_shown: TotalShown::Exact,
        result_cap: Some(60),
        ..DatabaseConfig::default()
    });
    let store = memory();
    run(&world, &store, 60).await;
    let before = asked(store.as_ref());
    let summary = run(&world, &store, 160).await;
    let rows = asked(store.as_ref());
    let read_on = rows.iter().filter(|row| row.query.after > 0);
    for row in read_on.clone() {
        let earlier = |other: &&QueryRow| other.number < row.number && other.query.words == row.query.words;
        let found: u32 = rows.iter().filter(earlier).map(|other| other.found).sum();
        assert_eq!(row.query.after, found, "{}", row.words);
        assert!(row.words.ends_with(&format!("[from {}]", found + 1)));
    }
    let last = |rows: &[QueryRow]| rows.iter().map(|row| row.number).max();
    let begun = |row: &QueryRow| {
        rows.iter().find(|first| first.query.words == row.query.words).map(|first| first.number)
    };
    assert!(
        read_on.clone().any(|row| Some(row.number) > last(&before) && begun(row) <= last(&before)),
        "{rows:?}"
    );
    assert_eq!(summary.counters.queries, rows.iter().filter(|row| row.query.after == 0).count() as u64);
}

#[tokio::test]
async fn every_submission_is_on_record() {
    let world = web(DatabaseConfig::default());
    let store = memory();
    let summary = run(&world, &store, 60).await;
    let mut submitted = 0;
    for entry in all_submissions(store.as_ref(), SubmissionQuery::default()) {
        let entry = entry.unwrap();
        assert_eq!(entry.purpose, SubmissionPurpose::Harvest);
        assert!(entry.answer.is_some());
        submitted += 1;
    }
    assert!(submitted as u64 >= summary.counters.queries, "{submitted} on record, {summary:?}");
}

/// Sends the first of two requests for each third URL to a server that is busy. Logs the URLs.
struct OftenBusy(InProcess<World>, Mutex<Vec<Url>>);

impl Fetch for OftenBusy {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        let mut log = self.1.lock().unwrap();
        let is_first = !log.contains(&request.url);
        log.push(request.url.clone());
        let is_busy = is_first && request.url.query().is_some() && log.len().is_multiple_of(3);
        match is_busy {
            true => Box::pin(async {
                let response = Response { status: 503, ..Response::default() };
                Exchange { result: Ok(response), took: Duration::ZERO, peer: None }
            }),
            false => self.0.fetch(request, at),
        }
    }
}

#[tokio::test]
async fn every_retry_of_a_submission_is_on_record() {
    let world = web(DatabaseConfig::default());
    let store = memory();
    let fetch = Arc::new(OftenBusy(InProcess(Arc::clone(&world)), Mutex::default()));
    let plan = HarvestPlan { client: client(fetch.clone()), ..plan(&world, &store, 60) };
    harvest(plan, &mut |_| {}).await.unwrap();
    let entries: Vec<Submission> =
        all_submissions(store.as_ref(), SubmissionQuery::default()).map(Result::unwrap).collect();
    let sent = fetch.1.lock().unwrap();
    let busy = SubmissionResult::Status(503);
    assert!(entries.iter().any(|entry| entry.answer.as_ref() == Some(&busy)), "{entries:?}");
    for entry in &entries {
        let on_record = entries.iter().filter(|other| other.url == entry.url).count();
        assert_eq!(on_record, sent.iter().filter(|url| **url == entry.url).count(), "{}", entry.url);
    }
}

#[tokio::test]
async fn requests_that_opened_the_form_are_charged_to_the_harvest() {
    let world = web(DatabaseConfig::default());
    let (store, home) = (memory(), Url::parse("http://db.example/").unwrap());
    let fetch = Arc::new(OftenBusy(InProcess(Arc::clone(&world)), Mutex::default()));
    let (client, mut clock) = (client(fetch.clone()), Clock::simulated());
    let form = form_at_url(&SearchLocation::at(&home, "world 1"), &client, &mut clock).await.unwrap();
    let options = HarvestOptions { coverage: 0.98, records: None, details: DetailMode::Never, seed: 1 };
    let jobs = vec![HarvestJob::new(form, &find_policy("hadal").unwrap(), options)];
    let plan = HarvestPlan { max_requests: Some(24), clock, ..HarvestPlan::new(store, client, jobs) };
    let summary = harvest(plan, &mut |_| {}).await.unwrap().remove(0);
    assert_eq!((summary.counters.requests, fetch.1.lock().unwrap().len()), (24, 24));
}

#[tokio::test]
async fn harvests_of_bad_databases_end_with_a_reason_and_keep_their_records() {
    let expected = |name: &str| -> &[HarvestEnding] {
        match name {
            "same-page" => &[HarvestEnding::SameAnswers],
            "vanishing" => &[HarvestEnding::Gone, HarvestEnding::Errors],
            "login-wall" => &[HarvestEnding::LoginWall],
            "captcha" => &[HarvestEnding::Captcha],
            _ => &[],
        }
    };
    for (name, habits) in DatabaseConfig::faulty_presets() {
        let world = web(habits());
        let store = memory();
        let summary = run(&world, &store, 300).await;
        let (right, _, _) = found(&world, store.as_ref());
        assert!(summary.ending.is_some() || summary.state == HarvestState::Budget, "{name}: {summary:?}");
        let wanted = expected(name);
        assert!(wanted.is_empty() || wanted.contains(&summary.ending.unwrap()), "{name}: {summary:?}");
        assert!(!right.is_empty(), "{name}: {summary:?}");
    }
}

#[tokio::test]
async fn a_letter_index_returns_all_records_with_fewer_requests_than_words() {
    let habits = |letters| DatabaseConfig {
        has_letter_index: letters,
        result_cap: Some(150),
        page_size: 25,
        ..DatabaseConfig::default()
    };
    let store = memory();
    let world = web(habits(true));
    let summary = run(&world, &store, 400).await;
    let (right, wrong, _) = found(&world, store.as_ref());
    assert!(right.len() >= 570 && wrong == 0, "{} right, {wrong} wrong, {summary:?}", right.len());
    let by_letter = requests_to(&web(habits(true)), 570, 400).await.unwrap();
    let by_words = requests_to(&web(habits(false)), 570, 400).await.unwrap_or(400);
    assert!(3 * by_letter <= by_words, "{by_letter} against {by_words}");
}

#[tokio::test]
async fn under_a_cap_facets_reach_records_that_words_do_not() {
    let habits = |facets: &[&str]| DatabaseConfig {
        facets: facets.iter().map(ToString::to_string).collect(),
        result_cap: Some(20),
        page_size: 20,
        ..DatabaseConfig::default()
    };
    let with = requests_to(&web(habits(&["subject", "place", "year"])), 570, 600).await.unwrap();
    let without = requests_to(&web(habits(&[])), 570, 600).await.unwrap_or(600);
    assert!(with < without, "{with} against {without}");
}

/// Number of records, number of records with the text of their detail page, and whether a search for a word of
/// such a text finds one.
async fn detailed(excerpt: Excerpt, details: DetailMode) -> (usize, usize, usize) {
    let world = web(DatabaseConfig { excerpt, ..DatabaseConfig::default() });
    let store = memory();
    let mut plan = plan(&world, &store, 150);
    plan.jobs[0].options.details = details;
    harvest(plan, &mut |_| {}).await.unwrap();
    let database = world.databases().get("db").unwrap();
    let (mut all, mut with, mut word) = (0, 0, None);
    for row in records(store.as_ref()) {
        all += 1;
        let record = row.record.url.as_ref().and_then(|url| database.record_at(url)).unwrap();
        let last = database.collection().record(record).unwrap().text.rsplit(' ').next().unwrap().to_string();
        with += usize::from(row.detail.as_ref().is_some_and(|text| text.contains(&last)));
        word = word.take().or(row.detail.is_some().then_some(last));
    }
    let search = Some(word.unwrap_or("nowhere".into()));
    let query = HarvestRowQuery { search, ..HarvestRowQuery::default() };
    (all, with, all_records(store.as_ref(), query).count())
}

#[tokio::test]
async fn detail_pages_are_fetched_on_request_or_when_lists_show_little() {
    for (excerpt, details, least) in [
        (Excerpt::Title, DetailMode::Auto, 8),
        (Excerpt::Words(8), DetailMode::Auto, 8),
        (Excerpt::Full, DetailMode::Always, 20),
    ] {
        let (all, with, found) = detailed(excerpt, details).await;
        assert!(with >= least && with <= all, "{excerpt:?} {details:?}: {with} of {all}");
        assert!(found >= 1, "{excerpt:?} {details:?}: text of detail pages is searchable");
    }
    for (excerpt, details) in [(Excerpt::Full, DetailMode::Auto), (Excerpt::Title, DetailMode::Never)] {
        let (all, with, _) = detailed(excerpt, details).await;
        assert!(all >= 100 && with == 0, "{excerpt:?} {details:?}: {with} of {all}");
    }
}

#[tokio::test]
async fn a_harvest_pauses_resumes_and_stops_by_its_control() {
    let (world, store) = (web(DatabaseConfig::default()), memory());
    let id = store.begin_harvest(&job(&world).spec, Time(0)).unwrap();
    let ask = |pause, stop| {
        let control = Control { pause, stop, ..Control::default() };
        store.apply_user_changes(&[UserChange::Control(Activity::Harvest(id), control.clone())]).unwrap();
    };
    let queries = || store.harvests(&HarvestQuery::default()).unwrap()[0].counters.queries;
    let (told, mut heard) = watch::channel(0);
    let mut note = |event| {
        if let HarvestEvent::QueryFinished { standing, .. } = event {
            match standing.counters.queries {
                2 => ask(true, false),
                5 => ask(false, true),
                _ => {}
            }
            told.send_replace(standing.counters.queries);
        }
    };
    let meanwhile = async {
        heard.wait_for(|queries| *queries == 2).await.unwrap();
        for _ in 0..100 {
            tokio::task::yield_now().await;
            assert_eq!(queries(), 2, "it is paused");
        }
        ask(false, false);
    };
    let (ended, ()) = tokio::join!(harvest(plan(&world, &store, 300), &mut note), meanwhile);
    assert_eq!(ended.unwrap()[0].state, HarvestState::Stopped);
    assert_eq!(queries(), 5);
    let again = run(&world, &store, 300).await;
    assert!(again.counters.queries > 5, "a stop request applies to one session only");
}

/// Result of a harvest with `allowed` requests. After its second query, its control gets a budget of `own`
/// requests.
async fn given(allowed: u64, own: u64) -> HarvestSummary {
    let (world, store) = (web(DatabaseConfig::default()), memory());
    let id = store.begin_harvest(&job(&world).spec, Time(0)).unwrap();
    let mut note = |event| {
        if let HarvestEvent::QueryFinished { standing, .. } = event
            && standing.counters.queries == 2
        {
            let control = Control { max_requests: Some(own), ..Control::default() };
            store.apply_user_changes(&[UserChange::Control(Activity::Harvest(id), control.clone())]).unwrap();
        }
    };
    harvest(plan(&world, &store, allowed), &mut note).await.unwrap().remove(0)
}

#[tokio::test]
async fn the_budget_of_a_running_harvest_can_be_raised_and_lowered() {
    for (allowed, own) in [(80, 70), (80, 100)] {
        let ended = given(allowed, own).await;
        assert_eq!((ended.state, ended.counters.requests), (HarvestState::Budget, own), "{ended:?}");
    }
    let ended = given(80, 1).await;
    assert_eq!((ended.state, ended.counters.queries), (HarvestState::Budget, 2), "it was spent already");
}

#[tokio::test]
async fn a_resumed_harvest_has_the_state_running() {
    let (world, store) = (web(DatabaseConfig::default()), memory());
    assert_eq!(run(&world, &store, 20).await.state, HarvestState::Budget);
    let row = || store.harvests(&HarvestQuery::default()).unwrap().remove(0);
    let mut states = Vec::new();
    harvest(plan(&world, &store, 40), &mut |_| states.push(row().progress.state)).await.unwrap();
    assert_eq!(states.first(), Some(&HarvestState::Running));
    assert_eq!(states.last(), Some(&HarvestState::Budget));
}

/// The same web with a robots.txt that forbids detail pages.
struct Forbidding(Arc<World>);

impl Respond for Forbidding {
    fn respond(&self, request: &Request, at: Time) -> Exchange {
        let mut exchange = self.0.respond(request, at);
        if request.url.path() == "/robots.txt"
            && let Ok(response) = &mut exchange.result
        {
            response.body = b"User-agent: *\nDisallow: /item/\n".to_vec();
        }
        exchange
    }
}

#[tokio::test]
async fn own_pages_that_robots_forbid_are_done_without() {
    let world = web(DatabaseConfig::default());
    let store = memory();
    let mut plan = plan(&world, &store, 60);
    plan.client = client(Arc::new(InProcess(Arc::new(Forbidding(Arc::clone(&world))))));
    plan.jobs[0].options.details = DetailMode::Always;
    let summary = harvest(plan, &mut |_| {}).await.unwrap().remove(0);
    assert_ne!(summary.ending, Some(HarvestEnding::Forbidden));
    let detailed = records(store.as_ref()).iter().filter(|row| row.detail.is_some()).count();
    assert!(summary.counters.records >= 100 && detailed == 0, "{detailed} of {summary:?}");
}

#[tokio::test]
async fn a_submission_that_is_refused_before_sending_is_logged_as_not_sent() {
    let world = web(DatabaseConfig::default());
    let mut unsent = 0;
    for budget in 2..8 {
        let store = memory();
        assert_eq!(run(&world, &store, budget).await.state, HarvestState::Budget);
        for entry in all_submissions(store.as_ref(), SubmissionQuery::default()) {
            match entry.unwrap().answer {
                Some(SubmissionResult::Status(_)) => {}
                Some(SubmissionResult::Failure(FailureKind::NotSent)) => unsent += 1,
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(unsent > 0);
}
