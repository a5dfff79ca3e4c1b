//! Access control on every route.

use super::client::Client;
use super::fixture::*;
use http::{Method, StatusCode};
use serde_json::{Value, json};

/// All routes with one of their methods: API, pages and assets.
async fn every_route(client: &Client) -> Vec<(Method, String)> {
    let description = client.get("/api/openapi.json").await.json();
    let mut routes: Vec<(Method, String)> = Vec::new();
    for (path, operations) in description["paths"].as_object().unwrap() {
        let path = path.replace("{form}", "0000000000000001").replace("{run}", "1").replace("{harvest}", "1");
        let methods =
            operations.as_object().unwrap().keys().filter_map(|name| name.to_uppercase().parse().ok());
        routes.extend(methods.map(|method| (method, path.clone())));
    }
    let plain =
        ["/", "/directory", "/harvests", "/ask", "/login", "/assets/app.js", "/api/openapi.json", "/nowhere"];
    routes.extend(plain.map(|path| (Method::GET, path.to_string())));
    assert!(routes.len() > 25, "{routes:?}");
    routes
}

#[tokio::test]
async fn without_the_token_every_route_answers_401() {
    let serving = with_token(memory(), "a-long-token").await;
    let knowing = serving.client.with("authorization", "Bearer a-long-token");
    for (method, path) in every_route(&knowing).await {
        for client in [&serving.client, &serving.client.with("authorization", "Bearer a-long-tokem")] {
            let answer = client.send(method.clone(), &path, Some(json!({}))).await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path}");
            assert!(answer.json()["error"].is_string());
        }
    }
    assert_eq!(knowing.get("/api/runs").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_browser_logs_in_on_a_page() {
    let serving = with_token(memory(), "a-long-token").await;
    let page = serving.client.with("accept", "text/html").get("/directory").await;
    assert_eq!(page.status, StatusCode::UNAUTHORIZED);
    assert!(page.text().contains("<form method=\"post\" action=\"/login\">"));
    assert!(page.header("content-security-policy").contains("default-src 'none'; style-src 'sha256-"));
    let log_in = |token: &'static str| {
        let client = serving.client.with("content-type", "application/x-www-form-urlencoded");
        async move { client.send_text(Method::POST, "/login", token).await }
    };
    let wrong = log_in("token=wrong").await;
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    assert!(wrong.text().contains("not the token of this server"), "{}", wrong.text());
    assert!(!page.text().contains("not the token"));
    let welcome = log_in("token=a-long-token").await;
    assert_eq!(welcome.status, StatusCode::SEE_OTHER);
    let cookie = welcome.header("set-cookie").split(';').next().unwrap().to_string();
    let browser = serving.client.with("cookie", &cookie);
    assert_eq!(browser.get("/").await.status, StatusCode::OK);
    let write = browser.send(Method::POST, "/api/ask", Some(json!({"words": "x", "topic": "y"}))).await;
    assert_eq!(write.status, StatusCode::FORBIDDEN);
    let ours = browser.writing().await;
    let write = ours.send(Method::POST, "/api/ask", Some(json!({"words": "x", "topic": "y"}))).await;
    assert_eq!(write.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_unknown_page_is_html_for_browsers_and_json_for_programs() {
    let serving = open_to_all(memory()).await;
    let page = serving.client.with("accept", "text/html").get("/nowhere").await;
    assert_eq!((page.status, page.text().contains("<main")), (StatusCode::NOT_FOUND, true));
    let answer = serving.client.get("/nowhere").await;
    assert_eq!((answer.status, answer.json()["error"].is_string()), (StatusCode::NOT_FOUND, true));
}

/// OpenAPI requires a description of every response.
#[tokio::test]
async fn every_response_of_the_api_is_described() {
    let serving = open_to_all(memory()).await;
    let description = serving.client.get("/api/openapi.json").await.json();
    let operations =
        description["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap());
    for (method, operation) in operations {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let told = response["description"].as_str().unwrap_or_default();
            assert!(!told.is_empty(), "{method} {} {status}", operation["operationId"]);
        }
    }
}

#[tokio::test]
async fn a_name_that_is_not_ours_is_not_answered() {
    let serving = open_to_all(memory()).await;
    let port = serving.client.address.port();
    for (path, host) in [("/api/runs", "evil.example"), ("/", "evil.example"), ("/metrics", "localhost")] {
        let host = if host == "localhost" { "localhost:1".to_string() } else { format!("{host}:{port}") };
        let answer = serving.client.with("host", &host).get(path).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{host}");
    }
    let answer = serving.client.with("host", &format!("localhost:{port}")).get("/api/runs").await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn another_site_cannot_write() {
    let serving = open_to_all(memory()).await;
    let ours = serving.client.writing().await;
    for (method, path) in every_route(&ours).await {
        if method == Method::GET {
            continue;
        }
        let send = |client: Client| {
            let (method, path) = (method.clone(), path.clone());
            async move { client.send(method, &path, Some(json!({}))).await }
        };
        assert_eq!(send(serving.client.clone()).await.status, StatusCode::FORBIDDEN, "{path}");
        let foreign = ours.with("origin", "http://evil.example");
        assert_eq!(send(foreign).await.status, StatusCode::FORBIDDEN, "{path}");
        let own = ours.with("origin", &format!("http://{}", serving.client.address));
        assert_ne!(send(own).await.status, StatusCode::FORBIDDEN, "{path}");
    }
}

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let serving = open_to_all(memory()).await;
    for (method, path) in every_route(&serving.client).await {
        if path.ends_with("/events") {
            continue;
        }
        let answer = serving.client.send(method, &path, None).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(answer.headers.get("access-control-allow-origin"), None, "{path}");
    }
    let wrong: Value = serving.client.send(Method::DELETE, "/api/runs", None).await.json();
    assert!(wrong["error"].is_string());
}
