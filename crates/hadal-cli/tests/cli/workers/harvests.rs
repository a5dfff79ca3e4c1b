//! Harvests in PostgreSQL of workers that are killed.

use super::request_log::RequestLog;
use crate::crawl_process::{draws, patient};
use hadal::fetch::world_server::{RunningServer, ServerOptions, serve};
use hadal_store_contract::cluster::{self, Cluster};
use hadal_world::World;
use hadal_world::database::DatabaseList;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// A served database with its log.
struct ServedDatabase {
    running: RunningServer,
    log: RequestLog,
}

impl ServedDatabase {
    async fn start() -> ServedDatabase {
        let databases = DatabaseList::varied(1, 1).build(std::path::Path::new("")).unwrap();
        let world = Arc::new(World::new(patient(1)).with_databases(databases));
        let log = RequestLog::default();
        let (begun, ended) = (log.clone(), log.clone());
        let options = ServerOptions {
            on_request: Some(Arc::new(move |url| begun.begin(url, Duration::ZERO))),
            on_end: Some(Arc::new(move |url| ended.end(url))),
            ..ServerOptions::default()
        };
        let running = serve(world, "127.0.0.1:0".parse().unwrap(), options).await.unwrap();
        ServedDatabase { running, log }
    }

    fn harvest(&self, store: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hadal"));
        command.args([
            "--store",
            store,
            "harvest",
            "http://db1.example/",
            "--allow-private",
            "--delay",
            "0s",
        ]);
        command.args([
            "--connect-to",
            &format!("*={}", self.running.addr),
            "--max-requests",
            "300",
            "--json",
        ]);
        command.env_clear().env("HADAL_POLITENESS_LATENCY_FACTOR", "0");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(super::errors());
        command
    }
}

/// Queries that a store has committed, in their order.
fn queries(cluster: &Cluster, url: &str) -> Vec<String> {
    let listed = cluster.sql(url, "SELECT query_text FROM queries ORDER BY harvest, number");
    listed.lines().map(String::from).collect()
}

fn records(cluster: &Cluster, url: &str) -> BTreeSet<String> {
    cluster.sql(url, "SELECT id FROM records").lines().map(String::from).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_harvest_continues_elsewhere_without_loss_or_repetition() {
    let (Some(cluster), Some(url)) = (cluster::cluster(), cluster::new_store()) else { return };
    let served = ServedDatabase::start().await;
    let mut draw = draws(9);
    for _ in 0..6 {
        let (before, known) = (queries(cluster, &url), records(cluster, &url));
        let requests = served.log.requests();
        let mut child = served.harvest(&url).spawn().unwrap();
        served.log.wait_for(requests + 3 + draw(30), Duration::from_secs(30));
        child.kill().unwrap();
        child.wait().unwrap();
        let after = queries(cluster, &url);
        assert_eq!(after[..before.len()], before, "committed queries stay");
        assert!(records(cluster, &url).is_superset(&known), "committed records stay");
    }
    assert!(served.harvest(&url).status().unwrap().success());
    let done = queries(cluster, &url);
    assert_eq!(done.iter().collect::<BTreeSet<_>>().len(), done.len(), "no query is sent twice");
    assert!(done.len() > 10, "{done:?}");
    assert_eq!(served.log.breaches(), [""; 0], "two requests at once");
    let doubled = "SELECT count(*) - count(DISTINCT (harvest, id)) FROM records";
    assert_eq!(cluster.sql(&url, doubled), "0");
}
