//! Runs a crawl in a terminal: signals, progress display and events.

use super::dashboard::Dashboard;
use super::echo::{self, HiddenEcho};
use super::exit::Exit;
use anyhow::Context;
use hadal::engine::{Crawl, CrawlEvent, CrawlSummary, crawl};
use hadal::output::escape::for_json;
use hadal::output::progress::{CrawlDisplay, DisplayStyle, print_above_bars};
use hadal::report;
use hadal::report::values::plural;
use hadal::store::{FailureKind, RunQuery, RunState, Store};
use hadal_core::http::FetchError;
use std::io::Write;
use std::time::Instant;
use tokio::sync::watch;

/// Display options of a crawl.
#[derive(Clone, Copy, Debug)]
pub struct Show {
    /// Print events to standard output as JSON lines.
    pub json: bool,
    pub style: DisplayStyle,
    /// Request budget, for the progress bar.
    pub max_requests: Option<u64>,
    /// The session only probes forms: counters of the run are not printed.
    pub is_probing: bool,
}

/// Runs a crawl to its end. The first Ctrl-C finishes the steps in flight and saves. The second exits at once,
/// which is safe: unsaved steps are repeated on resume.
pub fn run(
    setup: impl FnOnce(watch::Receiver<bool>) -> anyhow::Result<Crawl>,
    show: Show,
    dashboard: Option<Dashboard>,
) -> anyhow::Result<CrawlSummary> {
    let runtime = tokio::runtime::Runtime::new().context("could not start threads")?;
    let summary = runtime.block_on(async {
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(stop_on_signals(stop));
        let setup = setup(stopped)?;
        let _open = match dashboard {
            Some(dashboard) => Some(dashboard.open(&setup.store).await?),
            None => None,
        };
        let _hidden = HiddenEcho::begin(show.style);
        let mut progress = match show.is_probing {
            true => CrawlDisplay::of_probes(show.style),
            false => CrawlDisplay::new(show.style),
        };
        let began = Instant::now();
        let summary = crawl(setup, &mut |event| show_event(event, show, &mut progress, began)).await;
        let words = summary.as_ref().map_or_else(|_| "the crawl failed".into(), summary_line);
        progress.finish(Some(words.as_str()).filter(|_| !show.is_probing || summary.is_err()));
        Ok::<_, anyhow::Error>(summary?)
    });
    // After a stop no background task has work that must finish.
    runtime.shutdown_background();
    summary
}

/// Exit status of a finished crawl.
pub fn exit(summary: &CrawlSummary) -> Exit {
    match summary.state {
        RunState::Stopped => Exit::Interrupted,
        _ => Exit::Done,
    }
}

/// Prints which run `--fresh` discards.
pub fn announce_fresh(store: &dyn Store, spec: &hadal::store::RunSpec) -> anyhow::Result<()> {
    let runs = store.runs(&RunQuery::default())?;
    let Some(old) = runs.iter().find(|run| run.spec == *spec) else { return Ok(()) };
    let counters = &old.counters;
    let line = format!(
        "starting over: discarding run {} ({} requests, {} pages, {} forms)",
        old.id.0, counters.requests, counters.pages, counters.forms
    );
    writeln!(std::io::stderr(), "{line}").ok();
    Ok(())
}

/// Sends a stop on the first Ctrl-C and exits on the second.
pub async fn stop_on_signals(stop: watch::Sender<bool>) {
    interrupted().await;
    stop.send_replace(true);
    print_above_bars("finishing requests in flight; press Ctrl-C again to exit at once");
    interrupted().await;
    echo::restore();
    std::process::exit(130);
}

/// Waits for Ctrl-C or SIGTERM.
pub async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut term) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = term.recv() => {}
            }
            return;
        }
    }
    // Without signal handling there is nothing to wait for.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn show_event(event: CrawlEvent, show: Show, progress: &mut CrawlDisplay, began: Instant) {
    if let CrawlEvent::Progress(counters) | CrawlEvent::Finished { counters, .. } = &event {
        progress.update(&report::snapshot(counters, began.elapsed(), show.max_requests));
    }
    if show.json
        && let Ok(line) = serde_json::to_string(&event)
    {
        // A closed standard output does not stop the crawl.
        writeln!(std::io::stdout(), "{}", for_json(line)).ok();
    }
}

fn summary_line(summary: &CrawlSummary) -> String {
    let why = match summary.state {
        RunState::Exhausted if summary.resting > 0 => "nothing to visit for now",
        RunState::Exhausted => "nothing left to visit",
        RunState::Budget => "budget spent",
        RunState::Stopped => "stopped, everything is saved; the same command resumes",
        RunState::Paused | RunState::Running | RunState::Interrupted => "interrupted",
    };
    let counters = &summary.counters;
    let mut words = format!(
        "{why}: {}, {} on {}, {}, {} relevant",
        plural(counters.requests, "request", "requests"),
        plural(counters.pages, "page", "pages"),
        plural(counters.sites, "site", "sites"),
        plural(counters.searchable, "searchable form", "searchable forms"),
        counters.relevant
    );
    if summary.resting > 0 {
        words.push_str(&format!(
            "\n{} for hosts that failed or asked for a longer delay; run the same command later",
            plural(summary.resting, "link waits", "links wait")
        ));
    }
    if let Some(refused) = counters.errors.get(&FailureKind::Fetch(FetchError::PrivateAddress)) {
        words.push_str(&format!(
            "\n{} private addresses; add --allow-private --fresh to visit them",
            plural(*refused, "link points at", "links point at")
        ));
    }
    words
}
