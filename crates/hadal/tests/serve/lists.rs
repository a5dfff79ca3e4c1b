//! Search, order and exports of the directory; lists across runs and harvests; jobs of a server without a program.

use super::fixture::*;
use super::poison::poisoned;
use super::store_fixture::*;
use hadal::store::*;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use sha1::{Digest, Sha1};

fn sites(list: &Value) -> Vec<&str> {
    list["forms"].as_array().unwrap().iter().map(|form| form["site"].as_str().unwrap()).collect()
}

fn three() -> Vec<FormRow> {
    let labelled = |label: &str| {
        vec![FieldRow { label: label.into(), ..form(1, "http://a.org/", 0.9, 0.9).fields[0].clone() }]
    };
    vec![
        FormRow { fields: labelled("Author"), ..form(1, "http://c.org/", 0.6, 0.9) },
        FormRow { fields: labelled("Title"), ..form(2, "http://a.org/books", 0.9, 0.8) },
        FormRow { fields: labelled("Author, title"), ..form(3, "http://b.org/", 0.8, 0.7) },
    ]
}

#[tokio::test]
async fn the_directory_is_searched_and_sorted() {
    let client = open_to_all(with_forms(three())).await.client;
    let list = async |query: &str| client.get(&format!("/api/forms?{query}")).await.json();
    assert_eq!(sites(&list("q=AUTHOR").await), ["c.org", "b.org"]);
    assert_eq!(sites(&list("q=title+b.org").await), ["b.org"]);
    assert_eq!(sites(&list("q=nobody").await), [""; 0]);
    assert_eq!(sites(&list("sort=site").await), ["a.org", "b.org", "c.org"]);
    assert_eq!(sites(&list("sort=searchable").await), ["a.org", "b.org", "c.org"]);
    assert_eq!(sites(&list("sort=site&q=author").await), ["b.org", "c.org"]);
    assert_eq!(client.get("/api/forms/facets?q=author").await.json()["counted"], 2);
    let first = list("sort=site&limit=2").await;
    let next = first["next"].as_str().unwrap();
    let rest = list(&format!("sort=site&limit=2&after={next}")).await;
    assert_eq!((sites(&rest), &rest["next"]), (vec!["c.org"], &json!(null)));
    assert_eq!(client.get("/api/forms?sort=odd").await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn facets_of_more_than_five_hundred_forms_are_exact() {
    let many = (1..=700).map(|id| form(id, &format!("http://s{}.org/", id % 2), 0.9, 0.8)).collect();
    let client = open_to_all(with_forms(many)).await.client;
    let facets = client.get("/api/forms/facets").await.json();
    assert_eq!((&facets["counted"], &facets["or_more"]), (&json!(700), &json!(false)));
    assert_eq!(facets["site"][0]["count"], 350);
}

#[tokio::test]
async fn the_directory_is_exported_as_it_is_filtered() {
    let client = open_to_all(with_forms(three())).await.client;
    let file = client.get("/api/forms/export?format=jsonl&q=title").await;
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"forms.jsonl\"");
    let lines: Vec<Value> = file.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        lines.iter().map(|line| line["site"].as_str().unwrap()).collect::<Vec<_>>(),
        ["a.org", "b.org"]
    );
    let table = client.get("/api/forms/export?format=csv&site=c.org").await.text();
    assert_eq!(table.lines().count(), 2, "{table}");
}

#[tokio::test]
async fn sites_submissions_and_records_of_all_harvests_are_listed() {
    let serving = open_to_all(poisoned()).await;
    let client = &serving.client;
    assert_eq!(client.get("/api/sites").await.json()["sites"][0]["site"], "a.org");
    let records = client.get("/api/records").await.json();
    assert_eq!((&records["records"][0]["harvest"], &records["next"]), (&json!(1), &json!(null)));
    assert_eq!(client.get("/api/records?q=nowhere").await.json()["records"], json!([]));
    assert_eq!(client.get("/api/records/export?format=jsonl").await.text().lines().count(), 1);
    assert_eq!(client.get("/api/submissions").await.json(), json!({"submissions": [], "next": null}));
    for path in ["/api/records?after=x", "/api/submissions?after=x", "/api/records?form=1"] {
        assert_eq!(client.get(path).await.status, StatusCode::BAD_REQUEST, "{path}");
    }
}

#[tokio::test]
async fn the_audit_log_is_read_page_by_page() {
    let store = memory();
    for number in 0..3 {
        let entry = Submission {
            by: Submitter::Person,
            seq: 0,
            at: hadal_core::time::Time(number),
            topic: "books".into(),
            form: hadal_core::identity::FormId(7),
            page: url("http://a.org/"),
            method: hadal_core::http::Method::Get,
            url: url(&format!("http://a.org/?q={number}")),
            body: String::new(),
            purpose: SubmissionPurpose::Ask,
            answer: None,
        };
        store.log_at_once(&entry).unwrap();
    }
    let client = open_to_all(store).await.client;
    let (mut urls, mut after) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("/api/submissions?limit=2{after}")).await.json();
        let list = page["submissions"].as_array().unwrap();
        urls.extend(list.iter().map(|entry| entry["url"].as_str().unwrap().to_string()));
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(urls, ["http://a.org/?q=0", "http://a.org/?q=1", "http://a.org/?q=2"]);
}

#[tokio::test]
async fn a_server_beside_a_command_starts_nothing_and_bad_requests_are_refused_first() {
    let client = open_to_all(memory()).await.client;
    assert_eq!(client.get("/api/session").await.json()["starts_jobs"], false);
    assert_eq!(client.get("/api/jobs").await.json(), json!({"jobs": []}));
    assert_eq!(client.get("/api/jobs/1").await.status, StatusCode::NOT_FOUND);
    assert_eq!(client.get("/api/topics").await.json()["topics"][0]["built_in"], true);
    let crawl = json!({"topic": "book", "seeds": ["http://a.org/"]});
    let refused = client.send(Method::POST, "/api/crawls", Some(crawl.clone())).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "no CSRF secret");
    let client = client.writing().await;
    let post = async |path: &str, body: Value| client.send(Method::POST, path, Some(body)).await;
    let conflict = post("/api/crawls", crawl).await;
    assert_eq!(conflict.status, StatusCode::CONFLICT);
    assert!(conflict.json()["error"].as_str().unwrap().contains("hadal serve"));
    for (path, body) in [
        ("/api/crawls", json!({"topic": "book", "seeds": ["/etc/passwd"]})),
        ("/api/crawls", json!({"topic": ""})),
        ("/api/crawls", json!({"topic": "book", "max_requests": 0})),
        ("/api/imports", json!({"topic": "book", "pages": []})),
        ("/api/harvests", json!({})),
        ("/api/refreshes", json!({"forms": ["0000000000000001"], "topic": "book"})),
        ("/api/topics", json!({"name": "recipes"})),
        ("/api/topics/book/test", json!({"pages": []})),
    ] {
        assert_eq!(post(path, body.clone()).await.status, StatusCode::UNPROCESSABLE_ENTITY, "{path} {body}");
    }
}

/// Removes explanations: the client stays current when only words change.
fn without_prose(part: &mut Value) {
    match part {
        Value::Object(members) => {
            members.retain(|key, value| {
                !(["description", "summary"].contains(&key.as_str()) && value.is_string())
            });
            members.values_mut().for_each(without_prose);
        }
        Value::Array(items) => items.iter_mut().for_each(without_prose),
        _ => {}
    }
}

/// The first lines of the client have the hash of the routes and types that it was generated from.
#[test]
fn the_python_client_is_generated_from_the_current_description() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/python/hadal_client.py");
    let client = std::fs::read_to_string(path).unwrap();
    let mut description = serde_json::to_value(hadal::serve::api_description()).unwrap();
    without_prose(&mut description);
    let hash = data_encoding::HEXLOWER.encode(&Sha1::digest(description.to_string()));
    let line = format!("API description: {hash}\n");
    assert!(client.contains(&line), "run clients/python/generate.py again, as its first lines explain");
}
