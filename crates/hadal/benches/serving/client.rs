//! A simple HTTP client for whole responses and streams.

use super::Anyhow;
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client as Hyper;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

/// A client of a server.
pub struct Client {
    address: String,
    hyper: Hyper<HttpConnector, Empty<Bytes>>,
}

impl Client {
    pub fn of(address: impl ToString) -> Client {
        let hyper = Hyper::builder(TokioExecutor::new()).build_http();
        Client { address: address.to_string(), hyper }
    }

    /// Whole response body of a path.
    pub async fn get(&self, path: &str) -> Anyhow<Bytes> {
        Ok(self.open(path).await?.collect().await?.to_bytes())
    }

    /// JSON response of a path.
    pub async fn json(&self, path: &str) -> Anyhow<Value> {
        Ok(serde_json::from_slice(&self.get(path).await?)?)
    }

    /// Streaming response of a path.
    pub async fn open(&self, path: &str) -> Anyhow<Incoming> {
        let request = Request::get(format!("http://{}{path}", self.address)).body(Empty::new())?;
        let answer = self.hyper.request(request).await?;
        let status = answer.status();
        anyhow::ensure!(status.is_success() || status == 404, "{path}: {status}");
        Ok(answer.into_body())
    }
}
