//! Hostile page content leaves the server as data, never as HTML.

use super::client::Answer;
use super::fixture::*;
use super::poison::{SCRIPT, poisoned};

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
async fn request_content_is_not_echoed_as_markup() {
    let client = open_to_all(memory()).await.client;
    let path = "/api/forms?label=%3Cscript%3Ealert(1)%3C/script%3E";
    let answer = client.get(path).await;
    assert_eq!(answer.header("content-type"), "application/json");
    let metrics = open_to_all(poisoned()).await.client.get("/metrics").await;
    assert!(metrics.header("content-type").starts_with("text/plain"));
}
