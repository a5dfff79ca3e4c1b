//! Responses of the routes for a store.

use super::fixture::*;
use super::store_fixture::*;
use hadal::store::*;
use http::{Method, StatusCode};
use serde_json::json;

#[tokio::test]
async fn an_empty_store_has_empty_lists() {
    let client = open_to_all(memory()).await.client;
    for (path, list) in [
        ("/api/runs", "runs"),
        ("/api/forms", "forms"),
        ("/api/labels", "labels"),
        ("/api/harvests", "harvests"),
    ] {
        let answer = client.get(path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert_eq!((&answer.json()[list], &answer.json()["next"]), (&json!([]), &json!(null)), "{path}");
    }
    for path in [
        "/api/runs/1",
        "/api/runs/1/curve",
        "/api/runs/1/events",
        "/api/harvests/7",
        "/api/harvests/7/events",
        "/api/harvests/7/export",
    ] {
        assert_eq!(client.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn bad_input_is_answered_with_a_sentence() {
    let client = open_to_all(memory()).await.client;
    for path in [
        "/api/runs?limit=0",
        "/api/runs?limit=1001",
        "/api/runs?limit=many",
        "/api/runs/-1",
        "/api/runs/99999999999999999999",
        "/api/runs/%ff",
        "/api/forms?min_relevance=2",
        "/api/forms?min_relevance=NaN",
        "/api/forms?min_searchable=1.0000000000000002",
        "/api/forms?after=%00",
        "/api/forms?label=odd",
        "/api/forms/xyz",
        "/api/harvests/1/records?after=zz",
        "/api/harvests/1/export?format=exe",
    ] {
        let answer = client.get(path).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}");
        assert!(answer.json()["error"].is_string(), "{path}");
    }
    let client = client.writing().await;
    for (path, body) in [
        ("/api/ask", json!({"words": "", "topic": "books"})),
        ("/api/ask", json!({"words": "sea"})),
        ("/api/ask", json!({"words": "sea", "topic": "books", "more": 1})),
        ("/api/ask", json!({"words": "sea", "forms": []})),
        ("/api/ask", json!({"words": "sea ".repeat(100), "topic": "books"})),
        ("/api/runs/1/control", json!({"max_requests": 0})),
        ("/api/runs/1/control", json!({"pause": "yes"})),
        ("/api/harvests/1/control", json!({"max_requests": 0})),
    ] {
        let answer = client.send(Method::POST, path, Some(body.clone())).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{path} {body}");
        assert!(answer.json()["error"].is_string(), "{path}");
    }
}

#[tokio::test]
async fn a_run_is_shown_with_all_that_is_known_of_it() {
    let serving = open_to_all(with_forms(vec![form(1, "http://a.org/", 0.9, 0.8)])).await;
    let listed = serving.client.get("/api/runs?topic=books").await.json();
    assert_eq!(listed["runs"][0]["forms_relevant"], 1);
    let one = serving.client.get("/api/runs/1").await.json();
    assert_eq!(one["run"], listed["runs"][0]);
    assert_eq!(one["hosts"][0]["host"], "http://a.org");
    assert_eq!(one["decisions"][0]["anchor"], "rare books");
    assert_eq!(one["decisions"][0]["origin"], "link");
    let curve = serving.client.get("/api/runs/1/curve").await.json();
    assert_eq!(curve["points"].as_array().unwrap().last().unwrap()["forms_relevant"], 1);
    assert_eq!(serving.client.get("/api/runs/1/lessons").await.json(), json!({"lessons": []}));
}

/// Sends control changes while the run or harvest is active, and after its end.
async fn check_controls(serving: &Serving, path: &str, control: impl Fn() -> Control, end: impl Fn()) {
    let client = serving.client.writing().await;
    let ask = |body| client.send(Method::POST, path, Some(body));
    assert_eq!(
        ask(json!({"pause": true})).await.json(),
        json!({"pause": true, "stop": false, "max_requests": null})
    );
    assert!(control().pause);
    assert_eq!(ask(json!({"pause": false, "max_requests": 77})).await.status, StatusCode::OK);
    assert_eq!(control(), Control { pause: false, stop: false, max_requests: Some(77) });
    assert_eq!(ask(json!({"stop": true})).await.status, StatusCode::OK);
    assert!(control().stop);
    end();
    assert_eq!(ask(json!({"stop": true})).await.status, StatusCode::CONFLICT);
}

#[tokio::test]
async fn a_run_is_paused_resumed_and_stopped_over_http() {
    let serving = open_to_all(with_forms(vec![])).await;
    let control = || serving.store.control(Activity::Run(RunId(1))).unwrap();
    let end = || {
        let ended = RunProgress { state: RunState::Stopped, ..RunProgress::default() };
        serving.store.commit(RunId(1), &Batch { progress: Some(ended), ..Batch::default() }).unwrap();
    };
    check_controls(&serving, "/api/runs/1/control", control, end).await;
}

#[tokio::test]
async fn a_harvest_is_paused_resumed_and_stopped_over_http() {
    let serving = open_to_all(memory()).await;
    let id = begin_harvest(serving.store.as_ref());
    let control = || serving.store.control(Activity::Harvest(id)).unwrap();
    let end = || {
        let ended = HarvestProgress { state: HarvestState::Stopped, ..HarvestProgress::default() };
        serving.store.commit_harvest(id, &ended.into()).unwrap();
    };
    check_controls(&serving, "/api/harvests/1/control", control, end).await;
    let client = serving.client.writing().await;
    let nobody = client.send(Method::POST, "/api/harvests/2/control", Some(json!({"stop": true}))).await;
    assert_eq!(nobody.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn metrics_are_exposed_to_prometheus() {
    let serving = open_to_all(with_forms(vec![form(1, "http://a.org/", 0.9, 0.8)])).await;
    let answer = serving.client.get("/metrics").await;
    assert!(answer.header("content-type").starts_with("text/plain; version=0.0.4"));
    assert!(answer.text().contains("hadal_forms_found_total{kind=\"relevant\"} 1\n"), "{}", answer.text());
    assert!(answer.text().contains("hadal_run_pages_total{run=\"1\",topic=\"books\""), "{}", answer.text());
}

#[tokio::test]
async fn pages_are_served_from_within_the_program() {
    let client = open_to_all(memory()).await.client;
    for page in [
        "/",
        "/runs",
        "/start",
        "/topics",
        "/directory",
        "/sites",
        "/harvests",
        "/records",
        "/submissions",
        "/ask",
        "/glossary",
    ] {
        let answer = client.get(page).await;
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{page}");
        assert!(!answer.text().contains("://"), "a page loads nothing from elsewhere");
    }
    let terms = client.get("/assets/glossary/terms.md").await.text();
    assert!(terms.contains("| relevant |"), "the glossary of the project: {terms}");
    let script = client.get("/assets/app.js").await;
    assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
    for path in
        ["/assets/none.js", "/assets/../Cargo.toml", "/assets/%2e%2e/Cargo.toml", "/assets/..%2fCargo.toml"]
    {
        assert_eq!(client.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}
