//! The program as a child process, and the simulated web that it crawls over HTTP.

use hadal::fetch::world_server::{RunningServer, ServerOptions, serve};
use hadal_world::{Rates, Spec, World};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A small simulated web over HTTP with a log of its requests.
pub struct Site {
    pub world: Arc<World>,
    running: RunningServer,
    log: Arc<(Mutex<Vec<String>>, Condvar)>,
}

impl Site {
    pub async fn tiny(seed: u64) -> Site {
        let world = Arc::new(World::new(patient(seed)));
        let log = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
        let ear = Arc::clone(&log);
        let on_request: hadal::fetch::world_server::OnRequest = Arc::new(move |url: &url::Url| {
            ear.0.lock().unwrap().push(url.to_string());
            ear.1.notify_all();
        });
        let serving = ServerOptions { on_request: Some(on_request), ..ServerOptions::default() };
        let running = serve(Arc::clone(&world), "127.0.0.1:0".parse().unwrap(), serving).await.unwrap();
        Site { world, running, log }
    }

    /// `hadal find book` on this web without delays and probes.
    pub fn find(&self, store: &Path) -> Command {
        self.find_within(store, "none")
    }

    /// Same with a request budget.
    pub fn find_within(&self, store: &Path, requests: &str) -> Command {
        self.find_by("breadth-first", store, requests)
    }

    /// Same by another strategy.
    pub fn find_by(&self, strategy: &str, store: &Path, requests: &str) -> Command {
        let mut command = program(store);
        command.args(["find", "book", "--strategy", strategy, "--delay", "0s", "--concurrency", "8"]);
        command.args(["--max-requests", requests, "--connect-to", &format!("*={}", self.running.addr)]);
        command.env("HADAL_POLITENESS_LATENCY_FACTOR", "0").env("HADAL_PROBE_WHEN", "never").arg("--seeds");
        command.args(self.world.seeds("book").iter().map(|url| url.as_str()));
        command
    }

    /// Requests since the last call.
    pub fn take_log(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.0.lock().unwrap())
    }

    /// Waits for a number of requests or the end of the child.
    pub fn wait_for(&self, requests: usize, child: &mut Child) {
        let mut log = self.log.0.lock().unwrap();
        while log.len() < requests && child.try_wait().unwrap().is_none() {
            log = self.log.1.wait_timeout(log, Duration::from_millis(20)).unwrap().0;
        }
    }
}

/// A small web without `Crawl-delay`.
pub fn patient(seed: u64) -> Spec {
    Spec { rates: Rates { robots: 0.0, ..Rates::calm() }, ..Spec::tiny(seed) }
}

/// The program with a store and without output.
pub fn program(store: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hadal"));
    command.arg("--store").arg(format!("file:{}", store.display()));
    command.env_clear().stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    command
}

/// All forms of a store, of any kind.
pub fn listed_forms(store: &Path) -> String {
    let mut command = program(store);
    command.args(["forms", "--all", "--format", "jsonl"]).stdout(Stdio::piped());
    let output = command.output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The audit log of a store.
pub fn listed_submissions(store: &Path) -> String {
    let mut command = program(store);
    command.args(["submissions", "--format", "jsonl"]).stdout(Stdio::piped());
    let output = command.output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// Sends a signal to a child.
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Deterministic pseudo-random numbers.
pub fn draws(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}
