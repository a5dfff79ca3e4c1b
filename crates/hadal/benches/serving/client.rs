//! A plain client: one request, the whole answer, or its pieces as they come.

use super::Anyhow;
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client as Hyper;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

/// Somebody who asks a server.
pub struct Client {
    address: String,
    hyper: Hyper<HttpConnector, Empty<Bytes>>,
}

impl Client {
    pub fn of(address: impl ToString) -> Client {
        let hyper = Hyper::builder(TokioExecutor::new()).build_http();
        Client { address: address.to_string(), hyper }
    }

    /// What is at a path, whole.
    pub async fn get(&self, path: &str) -> Anyhow<Bytes> {
        Ok(self.open(path).await?.collect().await?.to_bytes())
    }

    /// What is at a path, as JSON.
    pub async fn json(&self, path: &str) -> Anyhow<Value> {
        Ok(serde_json::from_slice(&self.get(path).await?)?)
    }

    /// What is at a path, as it comes. The server may say that there is nothing.
    pub async fn open(&self, path: &str) -> Anyhow<Incoming> {
        let request = Request::get(format!("http://{}{path}", self.address)).body(Empty::new())?;
        let answer = self.hyper.request(request).await?;
        let status = answer.status();
        anyhow::ensure!(status.is_success() || status == 404, "{path}: {status}");
        Ok(answer.into_body())
    }
}
