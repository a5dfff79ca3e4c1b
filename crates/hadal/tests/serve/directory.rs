//! The directory: pages, facets, single forms and labels.

use super::client::Client;
use super::fixture::*;
use super::store_fixture::*;
use hadal::store::*;
use http::{Method, StatusCode};
use serde_json::{Value, json};

fn forms(count: u64) -> Vec<FormRow> {
    (1..=count)
        .map(|id| form(id, &format!("http://s{}.org/", id % 3), 0.9, 1.0 / (id as f32 + 1.0)))
        .collect()
}

fn ids(list: &Value) -> Vec<u64> {
    let id = |form: &Value| u64::from_str_radix(form["form_id"].as_str().unwrap(), 16).unwrap();
    list["forms"].as_array().unwrap().iter().map(id).collect()
}

async fn mark(client: &Client, form: &str, label: Value) -> StatusCode {
    let path = format!("/api/forms/{form}/label");
    client.send(Method::PUT, &path, Some(json!({ "label": label }))).await.status
}

#[tokio::test]
async fn every_form_is_on_one_page_of_the_list() {
    let client = open_to_all(with_forms(forms(7))).await.client;
    let (mut seen, mut path) = (Vec::new(), "/api/forms?limit=3".to_string());
    loop {
        let page = client.get(&path).await.json();
        seen.extend(ids(&page));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/api/forms?limit=3&after={next}");
    }
    assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7]);
}

#[tokio::test]
async fn the_picture_of_a_forms_page_is_shown_if_there_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let page = url("http://s1.org/");
    std::fs::write(folder.path().join(hadal::render::thumbnail_name(&page)), b"picture").unwrap();
    let client = with_thumbnails(with_forms(forms(2)), folder.path()).await.client;
    let shown = client.get("/api/forms/0000000000000001/thumbnail").await;
    assert_eq!((shown.header("content-type"), shown.text()), ("image/jpeg", "picture".to_string()));
    let missing = client.get("/api/forms/0000000000000002/thumbnail").await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
    let closed = open_to_all(with_forms(forms(1))).await.client;
    assert_eq!(closed.get("/api/forms/0000000000000001/thumbnail").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn facets_list_the_values_that_narrow_the_list() {
    let client = open_to_all(with_forms(forms(7))).await.client;
    let facets = client.get("/api/forms/facets").await.json();
    assert_eq!(facets["counted"], 7);
    assert_eq!(facets["site"][0], json!({"value": "s1.org", "count": 3}));
    assert_eq!(facets["method"], json!([{"value": "post", "count": 7}]));
    let narrowed = client.get("/api/forms?site=s1.org&method=post&fields=1").await.json();
    assert_eq!(ids(&narrowed), [1, 4, 7]);
    assert_eq!(ids(&client.get("/api/forms?site=s1.org&method=get").await.json()), [0; 0]);
    assert_eq!(ids(&client.get("/api/forms?min_relevance=0.3").await.json()), [1, 2]);
}

#[tokio::test]
async fn a_form_shows_the_way_to_it() {
    let client = open_to_all(with_forms(vec![form(1, "http://a.org/", 0.9, 0.8)])).await.client;
    let one = client.get("/api/forms/0000000000000001").await.json();
    assert_eq!(one["form"]["site"], "a.org");
    assert_eq!(one["path"], json!([{"url": "http://a.org/", "anchor": "rare books"}]));
    assert_eq!(client.get("/api/forms/0000000000000002").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_form_labelled_wrong_leaves_the_directory_until_the_label_is_removed() {
    let client = open_to_all(with_forms(forms(3))).await.client.writing().await;
    assert_eq!(mark(&client, "0000000000000002", json!("wrong")).await, StatusCode::OK);
    assert_eq!(mark(&client, "0000000000000003", json!("not-a-search")).await, StatusCode::OK);
    assert_eq!(mark(&client, "0000000000000001", json!("right")).await, StatusCode::OK);
    assert_eq!(ids(&client.get("/api/forms").await.json()), [1]);
    assert_eq!(ids(&client.get("/api/forms?label=any").await.json()), [1, 2, 3]);
    assert_eq!(ids(&client.get("/api/forms?label=wrong").await.json()), [2]);
    let labels = client.get("/api/labels?limit=2").await.json();
    assert_eq!(labels["labels"][1]["label"], "wrong");
    let next = labels["next"].as_str().unwrap();
    let rest = client.get(&format!("/api/labels?after={next}")).await.json();
    assert_eq!(rest["labels"][0]["label"], "not-a-search");
    assert_eq!(mark(&client, "0000000000000002", json!(null)).await, StatusCode::OK);
    assert_eq!(ids(&client.get("/api/forms").await.json()), [1, 2]);
    assert_eq!(mark(&client, "00000000000000ff", json!("wrong")).await, StatusCode::NOT_FOUND);
    assert_eq!(mark(&client, "0000000000000001", json!("odd")).await, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn labels_survive_while_another_handle_writes_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file:{}", folder.path().display());
    let crawl = open(&url, Access::Crawl).unwrap();
    let run = begin(crawl.as_ref());
    let waiting = queued_link("http://a.org/", 0, 0.5, 0);
    let found = vec![new_form(form(1, "http://a.org/", 0.9, 0.8))];
    run_step(
        crawl.as_ref(),
        run,
        &waiting,
        Outcome { forms: found, ..outcome(0, &waiting, StepEnd::Visited) },
    );
    crawl.sync().unwrap();
    // From here on the crawl holds its transaction open, as usual.
    crawl.commit(run, &adding(&[queued_link("http://b.org/", 0, 0.5, 1)])).unwrap();
    let serving = open_to_all(open(&url, Access::Read).unwrap()).await;
    let client = serving.client.writing().await;
    assert_eq!(mark(&client, "0000000000000001", json!("wrong")).await, StatusCode::OK);
    assert_eq!(ids(&client.get("/api/forms").await.json()), [0; 0]);
    crawl.sync().unwrap();
    drop(crawl);
    let again = open(&url, Access::Read).unwrap();
    assert_eq!(again.labels(&LabelQuery::default()).unwrap().rows[0].label, Label::Wrong);
}
