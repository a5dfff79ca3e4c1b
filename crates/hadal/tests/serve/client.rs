//! A simple HTTP client.

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client as Hyper;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use std::net::SocketAddr;

/// A client of a server.
#[derive(Clone)]
pub struct Client {
    pub address: SocketAddr,
    hyper: Hyper<HttpConnector, Full<Bytes>>,
    headers: Vec<(String, String)>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Client {
    pub fn of(address: SocketAddr) -> Client {
        Client { address, hyper: Hyper::builder(TokioExecutor::new()).build_http(), headers: Vec::new() }
    }

    /// The same client with another header line.
    pub fn with(&self, name: &str, value: &str) -> Client {
        let mut client = self.clone();
        client.headers.push((name.to_string(), value.to_string()));
        client
    }

    /// A client that may write, like our own pages.
    pub async fn writing(&self) -> Client {
        let csrf = self.get("/api/session").await.json()["csrf"].as_str().unwrap().to_string();
        self.with("x-hadal-csrf", &csrf)
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        match body {
            Some(body) => {
                self.with("content-type", "application/json").send_text(method, path, &body.to_string()).await
            }
            None => self.send_text(method, path, "").await,
        }
    }

    pub async fn send_text(&self, method: Method, path: &str, body: &str) -> Answer {
        let mut request = Request::builder().method(method).uri(format!("http://{}{path}", self.address));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let body = body.to_string();
        let answer = self.hyper.request(request.body(Full::from(body)).unwrap()).await.unwrap();
        let (head, body) = answer.into_parts();
        Answer { status: head.status, headers: head.headers, body: body.collect().await.unwrap().to_bytes() }
    }
}
