//! Live events of a run and a harvest.

use super::fixture::*;
use super::store_fixture::*;
use bytes::Bytes;
use hadal::store::*;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::net::SocketAddr;
use std::time::Duration;

/// Reader of an endless event stream.
struct Watching {
    name: &'static str,
    body: Incoming,
    read: String,
}

impl Watching {
    async fn of(address: SocketAddr, name: &'static str, path: &str) -> Watching {
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let request =
            Request::get(path).header("host", address.to_string()).body(Empty::<Bytes>::new()).unwrap();
        let answer = sender.send_request(request).await.unwrap();
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        // The connection stays open as long as its sender exists.
        let body = answer.into_body();
        tokio::spawn(async move {
            let _open = sender;
            std::future::pending::<()>().await
        });
        Watching { name, body, read: String::new() }
    }

    /// The next event.
    async fn next(&mut self) -> Value {
        loop {
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let data = event.lines().find_map(|line| line.strip_prefix("data: ")).map(str::to_string);
                assert!(data.is_none() || event.contains(&format!("event: {}\n", self.name)), "{event}");
                self.read = rest.to_string();
                if let Some(data) = data {
                    return serde_json::from_str(&data).unwrap();
                }
                continue;
            }
            let frame = tokio::time::timeout(Duration::from_secs(60), self.body.frame()).await;
            let data = frame.expect("an event within a minute").unwrap().unwrap().into_data().unwrap();
            self.read.push_str(&String::from_utf8_lossy(&data));
        }
    }
}

#[tokio::test]
async fn events_come_while_a_crawl_writes_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file:{}", folder.path().display());
    let crawl = open(&url, Access::Crawl).unwrap();
    let run = begin(crawl.as_ref());
    let serving = open_to_all(open(&url, Access::Read).unwrap()).await;
    let mut watchers = Vec::new();
    for _ in 0..3 {
        watchers.push(Watching::of(serving.client.address, "run", "/api/runs/1/events").await);
    }
    for watching in &mut watchers {
        assert_eq!(watching.next().await["run"]["requests"], 0);
    }
    for seq in 0..3 {
        let waiting = queued_link(&format!("http://s{seq}.org/"), 0, 0.5, seq);
        run_step(crawl.as_ref(), run, &waiting, outcome(seq, &waiting, StepEnd::Failed(kind("connect"))));
        crawl.sync().unwrap();
        for watching in &mut watchers {
            while watching.next().await["run"]["requests"] != seq + 1 {}
        }
    }
    let mut late = Watching::of(serving.client.address, "run", "/api/runs/1/events").await;
    let now = late.next().await;
    assert_eq!((&now["run"]["failed"], &now["run"]["errors"][0]["kind"]), (&3.into(), &"connect".into()));
}

#[tokio::test]
async fn events_come_while_a_harvest_writes_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file:{}", folder.path().display());
    let working = open(&url, Access::Crawl).unwrap();
    let harvest = begin_harvest(working.as_ref());
    let serving = open_to_all(open(&url, Access::Read).unwrap()).await;
    let mut watching = Watching::of(serving.client.address, "harvest", "/api/harvests/1/events").await;
    assert_eq!(watching.next().await["harvest"]["requests"], 0);
    for seq in 0..3 {
        let step = HarvestStep { seq, requests: 1, ..HarvestStep::default() };
        working.commit_harvest(harvest, &step.into()).unwrap();
        working.sync().unwrap();
        while watching.next().await["harvest"]["requests"] != seq + 1 {}
    }
    working
        .apply_user_changes(&[UserChange::Control(
            Activity::Harvest(harvest),
            Control { pause: true, ..Control::default() },
        )])
        .unwrap();
    let paused = watching.next().await;
    assert_eq!(paused["control"]["pause"], true);
    assert_eq!(serving.client.get("/api/harvests/1").await.json(), paused);
}
