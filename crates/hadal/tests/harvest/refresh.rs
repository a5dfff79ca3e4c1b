//! Refreshes of a simulated database that has changed since its harvest.

use hadal::fetch::in_process::{InProcess, Respond};
use hadal::harvest::open_form::{SearchLocation, form_at_url};
use hadal::harvest::refresh::{RefreshPlan, RefreshSummary, refresh};
use hadal::harvest::{HarvestJob, HarvestPlan, harvest};
use hadal::polite::{ClientOptions, Clock, PoliteClient, Politeness};
use hadal::store::*;
use hadal_core::harvest::policy::find_policy;
use hadal_core::harvest::session::{DetailMode, HarvestOptions};
use hadal_core::http::{Exchange, Request};
use hadal_core::time::Time;
use hadal_world::database::{
    Collection, CollectionSpec, Database, DatabaseConfig, DatabaseHosts, EmptyQuery, Excerpt, Record,
};
use hadal_world::{Spec, World};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use url::Url;

const RECORDS: u32 = 300;

/// The database at first, or with some records removed, edited and added.
fn collection(is_changed: bool) -> Collection {
    let base = CollectionSpec { records: RECORDS + 10, seed: 5, ..CollectionSpec::default() }.generate();
    let mut collection = Collection::default();
    for number in 0..if is_changed { RECORDS + 10 } else { RECORDS } {
        let record = base.record(number).unwrap();
        let text = format!("{} now with a new edition", record.text);
        match number % 30 {
            // Addresses count records, so a removed record leaves a page without its title.
            3 if is_changed && number < RECORDS => {
                collection.push(Record { title: "Withdrawn", text: "", ..record }, []);
            }
            7 if is_changed => collection.push(Record { text: &text, ..record }, []),
            _ => collection.push(record, []),
        }
    }
    collection
}

fn web(is_changed: bool) -> Arc<World> {
    let mut hosts = DatabaseHosts::default();
    let (empty_query, excerpt) = (EmptyQuery::Nothing, Excerpt::Full);
    let config = DatabaseConfig { empty_query, excerpt, ..DatabaseConfig::default() };
    hosts.add("db", Database::new(Arc::new(collection(is_changed)), config));
    Arc::new(World::new(Spec::tiny(1)).with_databases(hosts))
}

/// A web that logs requests and may have lost its pages.
struct Logged {
    world: Arc<World>,
    is_gone: bool,
    log: Mutex<Vec<Request>>,
}

impl Respond for Logged {
    fn respond(&self, request: &Request, at: Time) -> Exchange {
        self.log.lock().unwrap().push(request.clone());
        let mut exchange = self.world.respond(request, at);
        if self.is_gone && request.url.path() != "/robots.txt" {
            exchange.result.as_mut().unwrap().status = 404;
        }
        exchange
    }
}

fn logged(world: Arc<World>, is_gone: bool) -> Arc<Logged> {
    Arc::new(Logged { world, is_gone, log: Mutex::default() })
}

fn client(web: &Arc<Logged>) -> PoliteClient {
    let options = ClientOptions::new(Politeness::default(), "hadal", 4 << 20);
    PoliteClient::new(Arc::new(InProcess(Arc::clone(web))), options, watch::channel(false).1)
}

/// A store with a harvest of the first state. Returns its requests, too.
async fn harvested() -> (Arc<dyn Store>, u64) {
    let (web, store) = (logged(web(false), false), open("memory:", Access::Crawl).unwrap());
    let (client, home) = (client(&web), Url::parse("http://db.example/").unwrap());
    let form =
        form_at_url(&SearchLocation::at(&home, "web"), &client, &mut Clock::simulated()).await.unwrap();
    let options = HarvestOptions { coverage: 0.98, records: None, details: DetailMode::Never, seed: 1 };
    let job = HarvestJob::new(form, &find_policy("hadal").unwrap(), options);
    let plan =
        HarvestPlan { clock: Clock::simulated(), ..HarvestPlan::new(store.clone(), client, vec![job]) };
    let summary = harvest(plan, &mut |_| {}).await.unwrap().remove(0);
    (store, summary.counters.requests)
}

async fn refreshed(web: &Arc<Logged>, store: &Arc<dyn Store>, max_requests: Option<u64>) -> RefreshSummary {
    let day = Time(0).after(Duration::from_secs(30 * 86_400));
    let plan = RefreshPlan {
        store: Arc::clone(store),
        client: client(web),
        forms: Vec::new(),
        harvests: store.harvests(&HarvestQuery::default()).unwrap(),
        max_requests,
        clock: Clock::Simulated(day),
    };
    refresh(plan, &mut |_| {}).await.unwrap()
}

fn records(store: &dyn Store) -> Vec<RecordRow> {
    all_records(store, HarvestRowQuery::default()).map(Result::unwrap).collect()
}

#[tokio::test]
async fn a_refresh_dates_new_changed_and_removed_records() {
    let (store, _) = harvested().await;
    let before = records(store.as_ref());
    let web = logged(web(true), false);
    let summary = refreshed(&web, &store, Some(10_000)).await;
    let counters = summary.harvests[0].counters;
    assert_eq!(summary.checks[0].state, FormState::Alive);
    assert!(counters.new >= 7 && counters.new <= 10, "{counters:?}");
    assert!(counters.changed >= 7 && counters.changed <= 11, "{counters:?}");
    // Some removed records are missing from answers that were not read to their ends.
    assert!(counters.removed >= 3 && counters.removed <= 10, "{counters:?}");
    let after = records(store.as_ref());
    assert_eq!(after.len() as u64, before.len() as u64 + counters.new, "no record is deleted");
    let changed: Vec<&RecordRow> = after.iter().filter(|row| row.dates.changed.is_some()).collect();
    assert!(changed.iter().all(|row| row.record.text.contains("new edition")), "{changed:?}");
    let since = summary.harvests[0].counters.began;
    let listed = HarvestRowQuery { since: Some(since), ..HarvestRowQuery::default() };
    let listed = all_records(store.as_ref(), listed).count() as u64;
    assert_eq!(listed, counters.new + counters.changed + counters.removed);
    let sent = web.log.lock().unwrap().len() as u64;
    assert_eq!(counters.requests, sent, "every request is counted");
    let log = all_submissions(store.as_ref(), SubmissionQuery::default()).map(Result::unwrap);
    assert!(log.filter(|entry| entry.at >= since).all(|entry| entry.answer.is_some()));
}

#[tokio::test]
async fn a_refresh_keeps_to_its_budget_and_the_next_one_continues_it() {
    let (store, first_cost) = harvested().await;
    let web = logged(web(true), false);
    let part = refreshed(&web, &store, Some(first_cost / 4)).await.harvests.remove(0).counters;
    assert!(part.requests <= first_cost / 4 && part.requests > 5, "{part:?} of {first_cost}");
    let found = part.new + part.changed + part.removed;
    // A quarter of the requests finds more than a quarter of the 31 changes.
    assert!(found >= 10, "{part:?}");
    let rest = refreshed(&web, &store, Some(10_000)).await.harvests.remove(0).counters;
    assert!(rest.began > part.began, "a new refresh, a day later");
    let all = found + rest.new + rest.changed + rest.removed;
    assert!((18..=31).contains(&all), "{part:?} {rest:?}");
}

#[tokio::test]
async fn a_form_whose_page_is_gone_is_gone_and_its_records_stay() {
    let (store, _) = harvested().await;
    let summary = refreshed(&logged(web(false), true), &store, None).await;
    assert_eq!(summary.checks[0].state, FormState::Gone);
    assert_eq!((summary.harvests[0].counters.removed, summary.harvests[0].counters.requests), (0, 2));
    assert!(records(store.as_ref()).iter().all(|row| row.dates == RecordDates::default()));
}

#[tokio::test]
async fn a_control_of_an_ended_harvest_does_not_apply_to_a_refresh() {
    let (store, _) = harvested().await;
    let harvest = Activity::Harvest(store.harvests(&HarvestQuery::default()).unwrap()[0].id);
    let old = Control { stop: true, ..Control::default() };
    store.apply_user_changes(&[UserChange::Control(harvest, old)]).unwrap();
    let summary = refreshed(&logged(web(true), false), &store, Some(10_000)).await;
    assert!(!summary.is_stopped && summary.harvests[0].counters.ended.is_some(), "{summary:?}");
    assert_eq!(store.control(harvest).unwrap(), Control::default());
}
