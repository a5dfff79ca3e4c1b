//! Queries to forms of a simulated web.

use super::fixture::*;
use hadal::engine::{Budget, CrawlBuilder, crawl};
use hadal::fetch::in_process::InProcess;
use hadal::polite::Clock;
use hadal::store::*;
use hadal_core::critic::trained::{CriticTarget, TrainedCritic};
use hadal_core::strategy::{StrategyContext, find_strategy};
use hadal_core::time::Time;
use hadal_world::{Spec, World};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;

/// Store of a short crawl of the tiny simulated web.
async fn crawled() -> Arc<dyn Store> {
    let (world, store) = (Arc::new(World::new(Spec::tiny(1))), memory());
    let seeds = world.seeds("book");
    let briefing = StrategyContext { seed: 1, seeds: seeds.clone(), ..StrategyContext::default() };
    let spec = RunSpec {
        topic: "book".into(),
        strategy: "hadal".into(),
        seeds,
        seed: 1,
        source: "demo world 1".into(),
    };
    let strategy = find_strategy("hadal").unwrap().make(&briefing);
    let critic = Arc::new(TrainedCritic::new(CriticTarget::built_in("book").unwrap()));
    let fetch = Arc::new(InProcess(world));
    let setup = CrawlBuilder::new(Arc::clone(&store), spec, strategy, critic, fetch)
        .budget(Budget { requests: Some(600), ..Budget::default() })
        .body_limit(1 << 20)
        .clock(Clock::simulated(), 16)
        .build();
    crawl(setup, &mut |_| {}).await.unwrap();
    store
}

#[tokio::test]
async fn a_query_to_a_topic_returns_records_with_their_sources() {
    let serving = open_to_all(crawled().await).await;
    let client = serving.client.writing().await;
    let question = json!({"words": "book", "topic": "book", "most": 4});
    let answer = client.send(Method::POST, "/api/ask", Some(question)).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let heard = answer.json();
    let sources = heard["sources"].as_array().unwrap();
    let answered: Vec<&Value> = sources.iter().filter(|source| source["outcome"] == "answered").collect();
    assert!(!answered.is_empty(), "{heard}");
    let sites: Vec<&Value> = sources.iter().map(|source| &source["site"]).collect();
    for answer in heard["answers"].as_array().unwrap() {
        assert!(answer["title"].is_string());
        let places = answer["sources"].as_array().unwrap();
        assert!(!places.is_empty() && places.iter().all(|place| sites.contains(&&place["site"])), "{answer}");
    }
    let log: Vec<Submission> =
        all_submissions(serving.store.as_ref(), SubmissionQuery::default()).map(Result::unwrap).collect();
    assert!(log.iter().all(|entry| entry.by == Submitter::Person && entry.purpose == SubmissionPurpose::Ask));
    assert!(log.len() >= answered.len() && log.iter().all(|entry| entry.answer.is_some()), "{log:?}");
}

#[tokio::test]
async fn a_form_can_be_tried_from_the_directory() {
    let serving = open_to_all(crawled().await).await;
    let client = serving.client.writing().await;
    let forms = client.get("/api/forms?topic=book&min_relevance=0.5&method=get&limit=5").await.json();
    let forms = forms["forms"].as_array().unwrap();
    assert!(!forms.is_empty());
    let mut outcomes = Vec::new();
    for form in forms {
        let path = format!("/api/forms/{}/try", form["form_id"].as_str().unwrap());
        let tried = client.send(Method::POST, &path, Some(json!({"words": "book"}))).await.json();
        assert_eq!(tried["sources"][0]["form_id"], form["form_id"]);
        outcomes.push(tried["sources"][0]["outcome"].clone());
    }
    let form = forms[0]["form_id"].as_str().unwrap();
    let by_url = client.send(Method::POST, &format!("/api/forms/{form}/try?words=book"), None).await;
    assert_eq!((by_url.status, &by_url.json()["words"]), (StatusCode::OK, &json!("book")));
    let description = client.get(&format!("/api/forms/{form}/opensearch")).await;
    assert_eq!(description.header("content-type"), "application/opensearchdescription+xml");
    assert!(description.text().contains("{searchTerms}"), "{}", description.text());
    assert!(outcomes.contains(&json!("answered")), "{outcomes:?}");
}

#[tokio::test]
async fn a_form_that_was_harvested_by_its_url_can_be_asked() {
    let query = FormQuery {
        topic: Some("book".into()),
        min_relevance: 0.5,
        labels: LabelFilter::Accepted,
        with_snapshot: true,
        limit: Some(5),
        ..FormQuery::default()
    };
    let (crawled, store) = (crawled().await, memory());
    let mut forms = Vec::new();
    for found in crawled.forms(&query).unwrap().rows {
        let spec = HarvestSpec {
            form: found.row.form_id,
            topic: String::new(),
            page: found.row.page_url.clone(),
            form_snapshot: *found.row.form_snapshot.unwrap(),
            policy: "hadal".into(),
            seed: 1,
            source: "demo world 1".into(),
        };
        store.begin_harvest(&spec, Time(0)).unwrap();
        forms.push(spec.form.to_string());
    }
    let serving = open_to_all(store).await;
    let client = serving.client.writing().await;
    let question = json!({"words": "book", "forms": forms});
    let heard = client.send(Method::POST, "/api/ask", Some(question)).await.json();
    let sources = heard["sources"].as_array().unwrap();
    assert_eq!(sources.len(), forms.len(), "{heard}");
    assert!(sources.iter().any(|source| source["outcome"] == "answered"), "{heard}");
}

#[tokio::test]
async fn a_topic_without_forms_cannot_be_asked() {
    let client = open_to_all(memory()).await.client.writing().await;
    let answer = client.send(Method::POST, "/api/ask", Some(json!({"words": "sea", "topic": "none"}))).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
}
