//! What pages say may be meant to harm; it leaves the server as data, never as markup.

use super::client::Answer;
use super::fixture::*;
use super::store_fixture::*;
use hadal::store::*;
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::http::Method as How;
use hadal_core::identity::FormId;
use hadal_core::page::Form;
use hadal_core::strategy::SiteTally;
use hadal_core::time::Time;
use std::sync::Arc;

const SCRIPT: &str = "</script><script>alert(1)</script><img src=x onerror=alert(1)>";

/// A store in which everything that a page can say is a script.
fn poisoned() -> Arc<dyn Store> {
    let store = memory();
    let run = store.begin(&RunSpec { topic: SCRIPT.into(), ..spec("x") }).unwrap();
    let address = format!("http://a.org/?q={SCRIPT}");
    let mut waiting = lead(&address, 0, 0.5, 0);
    waiting.lead.context.anchor = SCRIPT.into();
    let field = FieldRow { name: SCRIPT.into(), kind: "text".into(), label: SCRIPT.into(), options: 0 };
    let row = FormRow { fields: vec![field], evidence: vec![SCRIPT.into()], ..form(1, &address, 0.9, 0.8) };
    let page = PageRow { title: SCRIPT.into(), ..page(&waiting) };
    let tally = SiteTally { pages: 1, ..SiteTally::default() };
    let outcome = Outcome { forms: vec![new_form(row)], page: Some(page), ..visit(0, &waiting, tally) };
    run_step(store.as_ref(), run, &waiting, outcome);
    poison_a_harvest(store.as_ref());
    store
}

fn poison_a_harvest(store: &dyn Store) {
    let page = url("http://a.org/");
    let spec = HarvestSpec {
        form: FormId(1),
        topic: SCRIPT.into(),
        whole: Form::to(page.clone(), How::Get, vec![]),
        page,
        policy: "hadal".into(),
        seed: 1,
        source: "web".into(),
    };
    let harvest = store.begin_harvest(&spec, Time(0)).unwrap();
    let fields = vec![(SCRIPT.to_string(), SCRIPT.to_string())];
    let record = Record { id: RecordId(1), url: None, title: SCRIPT.into(), text: SCRIPT.into(), fields };
    let row = RecordRow {
        harvest,
        form: FormId(1),
        topic: String::new(),
        record,
        asked: 1,
        words: SCRIPT.into(),
        position: 1,
        fetched_at: Time(0),
        detail: None,
    };
    let step = HarvestStep { seq: 0, requests: 1, records: vec![row], ..HarvestStep::default() };
    store.commit_steps(harvest, &[step]).unwrap();
}

fn is_data(answer: &Answer, path: &str) {
    assert_eq!(answer.header("content-type"), "application/json", "{path}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
    assert!(answer.text().contains("alert(1)"), "{path}: {}", answer.text());
}

#[tokio::test]
async fn scripts_in_what_was_crawled_stay_text_in_json() {
    let client = open_to_all(poisoned()).await.client;
    for path in [
        "/api/runs",
        "/api/runs/1",
        "/api/forms",
        "/api/forms/facets",
        "/api/forms/0000000000000001",
        "/api/harvests",
        "/api/harvests/1",
        "/api/harvests/1/records",
    ] {
        is_data(&client.get(path).await, path);
    }
    let one = client.get("/api/runs/1").await.json();
    assert_eq!(one["decisions"][0]["title"], SCRIPT);
    assert_eq!(one["decisions"][0]["anchor"], SCRIPT);
    let form = client.get("/api/forms/0000000000000001").await.json();
    assert_eq!(form["form"]["fields"][0]["name"], SCRIPT);
    assert_eq!(form["form"]["label"], serde_json::Value::Null);
}

#[tokio::test]
async fn no_page_has_anything_from_a_store_in_it() {
    let client = open_to_all(poisoned()).await.client;
    for path in ["/", "/directory", "/harvests", "/ask", "/nowhere", "/directory?topic=%3Cscript%3Ealert(1)"]
    {
        assert!(!client.get(path).await.text().contains("alert(1)"), "{path}");
    }
    let exported = client.get("/api/harvests/1/export?format=csv").await;
    assert!(exported.header("content-disposition").starts_with("attachment"));
    assert!(exported.text().contains("alert(1)"));
    assert_eq!(exported.header("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn what_a_request_says_is_not_said_back_as_markup() {
    let client = open_to_all(memory()).await.client;
    let path = "/api/forms?label=%3Cscript%3Ealert(1)%3C/script%3E";
    let answer = client.get(path).await;
    assert_eq!(answer.header("content-type"), "application/json");
    let metrics = open_to_all(poisoned()).await.client.get("/metrics").await;
    assert!(metrics.header("content-type").starts_with("text/plain"));
}
