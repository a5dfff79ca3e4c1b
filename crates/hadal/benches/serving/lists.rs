//! Response times of three stores.

use super::Anyhow;
use super::client::Client;
use super::routes::{Route, all};
use super::watching::serving;
use hadal::store::{Access, open};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Maximum number of timed responses per route.
const ROUNDS: usize = 61;
const LONGEST: Duration = Duration::from_secs(6);
/// Pages of a thousand rows that are skipped to get deep into a list.
const TURNED: usize = 60;

/// Measures all routes on all three stores and prints the table.
pub fn table(stores: &[PathBuf; 3]) -> Anyhow<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let mut clients = Vec::new();
        for folder in stores {
            let store = open(&folder.display().to_string(), Access::Read)?;
            clients.push(Client::of(serving(store).await?));
        }
        let units = ["empty us", "small us", "large us", "large/empty", "large/small"];
        println!(
            "\n{:<58} {}",
            "CPU time of one answer, median",
            units.map(|unit| format!("{unit:>11}")).join(" ")
        );
        for route in all(&clients[0]).await? {
            row(&clients, &route).await?;
        }
        Ok(())
    })
}

async fn row(clients: &[Client], route: &Route) -> Anyhow<()> {
    let mut paths = Vec::new();
    for client in clients {
        paths.push(far_on(client, route).await?);
    }
    let farthest = paths.last().cloned().flatten().unwrap_or_else(|| route.path.clone());
    let paths: Vec<String> = paths.into_iter().map(|path| path.unwrap_or_else(|| farthest.clone())).collect();
    let [empty, small, large] = medians(clients, &paths).await?;
    let name = &route.name;
    println!(
        "{name:<58} {empty:>11.0} {small:>11.0} {large:>11.0} {:>11.1} {:>11.1}",
        large / empty,
        large / small
    );
    Ok(())
}

/// CPU microseconds of this process, with a finer clock than `/proc`.
fn cpu_us() -> f64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    used.tv_sec as f64 * 1e6 + used.tv_nsec as f64 / 1e3
}

/// Path of a page deep in a list, if there is one.
async fn far_on(client: &Client, route: &Route) -> Anyhow<Option<String>> {
    let Some(place) = &route.place else { return Ok(None) };
    let mut last = None;
    for _ in 0..TURNED {
        let from = last.as_ref().map(|next| format!("&{place}={next}")).unwrap_or_default();
        let page = client.json(&format!("{}?limit=1000{from}", route.path)).await?;
        match &page["next"] {
            Value::String(next) => last = Some(next.clone()),
            Value::Number(next) => last = Some(next.to_string()),
            _ => break,
        }
    }
    Ok(last.map(|next| format!("{}?{place}={next}", route.path)))
}

/// Median CPU microseconds of a response.
async fn medians(clients: &[Client], paths: &[String]) -> Anyhow<[f64; 3]> {
    let mut took = [const { Vec::new() }; 3];
    let began = Instant::now();
    while took[2].len() < ROUNDS && (began.elapsed() < LONGEST || took[2].len() < 3) {
        for ((client, path), took) in clients.iter().zip(paths).zip(&mut took) {
            let before = cpu_us();
            client.get(path).await?;
            took.push(cpu_us() - before);
        }
    }
    Ok(took.map(|mut took| {
        took.sort_by(f64::total_cmp);
        took[took.len() / 2]
    }))
}
