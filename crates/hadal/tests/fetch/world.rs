//! A simulated web gives the same responses in process and over HTTP.

use crate::fixture::{fetch, get, options};
use bytes::Bytes;
use hadal::fetch::Fetch;
use hadal::fetch::in_process::{InProcess, Respond};
use hadal::fetch::world_server::{RunningServer, ServerOptions, serve};
use hadal_core::http::{BodyCompleteness, Exchange, FetchError, Method, Request, Response};
use hadal_core::time::Time;
use hadal_world::{Spec, World};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy;
use hyper_util::rt::TokioExecutor;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

/// Two sites and a dead one. Each page shows the host and path of its request.
struct Echo;

impl Respond for Echo {
    fn respond(&self, request: &Request, _: Time) -> Exchange {
        let result = match request.url.host_str() {
            Some("dead.example") => Err(FetchError::Connect),
            Some("moved.example") => {
                let mut response = Response { status: 301, ..Response::default() };
                response.headers.push("Location", "http://shop.example/");
                Ok(response)
            }
            _ => Ok(said(request)),
        };
        Exchange { result, took: Duration::from_millis(40), peer: None }
    }
}

fn said(request: &Request) -> Response {
    let form = String::from_utf8_lossy(&request.body);
    let body = format!("<p>{:?} {} {form}", request.method, request.url).into_bytes();
    let mut response = Response { status: 200, transferred: body.len() as u64, body, ..Response::default() };
    response.headers.push("Content-Type", "text/html; charset=utf-8");
    response
}

async fn echo() -> RunningServer {
    serve(Arc::new(Echo), "127.0.0.1:0".parse().unwrap(), ServerOptions::default()).await.unwrap()
}

/// All bytes that a server sends on one connection, which the request asks to close.
async fn raw(server: &RunningServer, request: &str) -> String {
    let mut stream = TcpStream::connect(server.addr).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn both_fetchers_return_the_same_response() {
    let server = echo().await;
    let posted = Request { method: Method::Post, body: b"q=1".to_vec(), ..get("http://b.example/find") };
    for request in [get("http://a.example/x?y=1"), posted, get("http://moved.example/")] {
        let direct = InProcess(Arc::new(Echo)).fetch(&request, Time(0)).await.result.unwrap();
        let served = fetch(options(server.addr), &request).await.result.unwrap();
        assert_eq!((direct.status, &direct.body), (served.status, &served.body), "{}", request.url);
        assert_eq!(direct.headers.get("location"), served.headers.get("location"));
        assert_eq!(direct.headers.get("content-type"), served.headers.get("content-type"));
        assert_eq!(direct.transferred, served.transferred);
    }
}

#[tokio::test]
async fn the_simulated_world_is_the_same_over_http() {
    let world = Arc::new(World::new(Spec::tiny(7)));
    let server =
        serve(world.clone(), "127.0.0.1:0".parse().unwrap(), ServerOptions::default()).await.unwrap();
    let mut compared = 0;
    for url in World::topics().iter().flat_map(|topic| world.seeds(topic)).take(20) {
        let request = Request::get(url);
        let Ok(direct) = InProcess(world.clone()).fetch(&request, Time(0)).await.result else { continue };
        let Ok(served) = fetch(options(server.addr), &request).await.result else { continue };
        if (direct.status, served.status) == (200, 200) {
            assert_eq!(direct.body, served.body, "{}", request.url);
            compared += 1;
        }
    }
    assert!(compared > 5, "{compared}");
}

#[tokio::test]
async fn the_body_limit_holds_in_process_too() {
    let request = Request { body_limit: 5, ..get("http://a.example/") };
    let response = InProcess(Arc::new(Echo)).fetch(&request, Time(0)).await.result.unwrap();
    assert_eq!((response.body.as_slice(), response.completeness), (&b"<p>Ge"[..], BodyCompleteness::Cut));
    assert_eq!(response.transferred, 5);
}

#[tokio::test]
async fn a_dead_host_closes_the_connection() {
    let server = echo().await;
    let exchange = fetch(options(server.addr), &get("http://dead.example/")).await;
    assert_eq!(exchange.result, Err(FetchError::Closed));
}

#[tokio::test]
async fn every_served_address_is_passed_to_the_callback() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = told.clone();
    let on_request = Arc::new(move |url: &Url| heard.lock().unwrap().push(url.to_string()));
    let serving = ServerOptions { on_request: Some(on_request), ..ServerOptions::default() };
    let server = serve(Arc::new(Echo), "127.0.0.1:0".parse().unwrap(), serving).await.unwrap();
    for url in ["http://a.example/1", "http://b.example:8080/2", "http://dead.example/3"] {
        let _ = fetch(options(server.addr), &get(url)).await;
    }
    assert_eq!(*told.lock().unwrap(), ["http://a.example/1", "http://b.example/2", "http://dead.example/3"]);
}

#[tokio::test]
async fn a_slow_host_takes_its_time_when_asked_to() {
    let serving = ServerOptions { latency_share: 1.0, ..ServerOptions::default() };
    let server = serve(Arc::new(Echo), "127.0.0.1:0".parse().unwrap(), serving).await.unwrap();
    let exchange = fetch(options(server.addr), &get("http://a.example/")).await;
    assert!(exchange.result.is_ok() && exchange.took >= Duration::from_millis(40));
}

#[tokio::test]
async fn a_head_request_gets_the_length_without_the_body() {
    let server = echo().await;
    let head = "HEAD / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n";
    let answer = raw(&server, head).await.to_lowercase();
    let length = "<p>Get http://a.example/ ".len();
    assert!(answer.starts_with("http/1.1 200 ok\r\n"), "{answer}");
    assert!(
        answer.contains(&format!("content-length: {length}\r\n")) && answer.ends_with("\r\n\r\n"),
        "{answer}"
    );
}

#[tokio::test]
async fn http_2_is_spoken_to_clients_that_begin_with_it() {
    let server = echo().await;
    let client = legacy::Client::builder(TokioExecutor::new()).http2_only(true).build_http::<Full<Bytes>>();
    let uri = format!("http://{}/x", server.addr).parse().unwrap();
    let answer = client.get(uri).await.unwrap();
    assert_eq!(answer.version(), http::Version::HTTP_2);
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "<p>Get http://127.0.0.1/x ");
}

#[tokio::test]
async fn requests_without_a_host_or_with_an_odd_method_are_refused() {
    let server = echo().await;
    let nobody = raw(&server, "GET / HTTP/1.0\r\n\r\n").await;
    assert!(nobody.starts_with("HTTP/1.0 400 "), "{nobody}");
    let odd = raw(&server, "BREW / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n").await;
    assert!(odd.starts_with("HTTP/1.1 405 "), "{odd}");
}

#[tokio::test]
async fn a_dropped_server_stops_listening() {
    let server = echo().await;
    let addr = server.addr;
    let mut open = TcpStream::connect(addr).await.unwrap();
    open.write_all(b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n").await.unwrap();
    open.read_u8().await.unwrap();
    drop(server);
    let mut rest = Vec::new();
    let _ = open.read_to_end(&mut rest).await;
    assert!(TcpStream::connect(addr).await.is_err());
}
