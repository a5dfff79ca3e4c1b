//! `hadal status`: summary of the store, as text or JSON.

use super::exit::{Exit, Usage};
use super::session::Session;
use clap::Args;
use hadal::output::harvested::coverage_phrase;
use hadal::output::table::Table;
use hadal::output::terminal::Screen;
use hadal::report::values::plural;
use hadal::report::{self, Status};
use hadal::store::RunId;
use std::io::Write;
use std::time::Duration;

/// Show the status of the store
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal status --json")]
pub struct StatusArgs {
    /// Only this run [default: all runs together]
    #[arg(long, value_name = "N")]
    run: Option<u64>,
}

pub fn run(args: &StatusArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    let status = match args.run {
        None => report::status(store.as_ref())?,
        Some(run) => report::run_status(store.as_ref(), RunId(run))?,
    };
    if let (Some(run), true) = (args.run, status.runs.is_empty()) {
        return Err(Usage(format!("unknown run {run}; `hadal runs` lists all runs")).into());
    }
    let text =
        if session.json { serde_json::to_string(&status)? + "\n" } else { screen(&status, session.stdout()) };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

pub fn screen(status: &Status, screen: Screen) -> String {
    let elapsed = humantime::format_duration(Duration::from_secs(status.elapsed_s as u64));
    let asked = match status.probes {
        0 => String::new(),
        probes => format!(", {probes} of them probes"),
    };
    let mut text = format!(
        "requests  {} in {elapsed}, {} MB{asked}\n\
         pages     {} on {} sites, {} failed\n\
         forms     {} searchable, {} relevant, {} of any kind\n\
         frontier  {} waiting\n",
        status.requests,
        status.bytes / 1_000_000,
        status.pages,
        status.sites,
        status.failed,
        status.forms_searchable,
        status.forms_relevant,
        status.forms,
        status.frontier
    );
    if status.queries > 0 || status.records > 0 {
        let coverage = coverage_phrase(&status.coverage);
        text.push_str(&format!(
            "harvest   {} with {}{coverage}\n",
            plural(status.records, "record", "records"),
            plural(status.queries, "query", "queries")
        ));
    }
    if !status.errors.is_empty() {
        let worst = status.errors.iter().take(5);
        let worst = worst.map(|(kind, count)| format!("{}: {count}\n", kind.explanation()));
        text.push_str(&format!("trouble   {}", worst.collect::<Vec<_>>().join("          ")));
        text.push_str("          `hadal log` lists the requests\n");
    }
    text + &runs(status, screen) + &workers(status, screen)
}

/// Workers of shared runs, with what to watch: silence, and links that wait for them.
fn workers(status: &Status, screen: Screen) -> String {
    if status.workers.is_empty() {
        return String::new();
    }
    let headings =
        ["run", "worker", "partitions", "requests", "per second", "silent", "inbox", "oldest", "unlearned"];
    let mut table = Table::new(&headings, screen);
    [0, 2, 3, 4, 5, 6, 7, 8].into_iter().for_each(|column| table.right(column));
    for worker in &status.workers {
        let rate = worker.requests as f64 / worker.joined_s.max(1.0);
        let row = [
            worker.run.to_string(),
            worker.worker.clone(),
            worker.partitions.to_string(),
            worker.requests.to_string(),
            format!("{rate:.1}"),
            format!("{:.1}s", worker.silent_s),
            worker.inbox.to_string(),
            format!("{:.1}s", worker.inbox_s),
            worker.unlearned.to_string(),
        ];
        table.row(row.each_ref().map(String::as_str));
    }
    format!("\n{table}")
}

fn runs(status: &Status, screen: Screen) -> String {
    if status.runs.is_empty() {
        return "\nno runs yet; start one with `hadal find`\n".to_string();
    }
    let headings = ["run", "topic", "strategy", "state", "requests", "relevant", "last active"];
    let mut table = Table::new(&headings, screen);
    [0, 4, 5].into_iter().for_each(|column| table.right(column));
    [3, 6].into_iter().for_each(|column| table.keep_whole(column));
    table.detail(6);
    for run in &status.runs {
        let (requests, relevant) = (run.requests.to_string(), run.forms_relevant.to_string());
        let last_at = run.last_at.as_deref().map_or("simulated".to_string(), |at| {
            at.chars().take("2026-01-31T12:00:00".len()).collect::<String>().replace('T', " ")
        });
        let number = run.run.to_string();
        table.row([&number, &run.topic, &run.strategy, run.state, &requests, &relevant, &last_at]);
    }
    format!("\n{table}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal::report::Coverage;

    #[test]
    fn the_status_shows_harvests_only_if_there_are_any() {
        let text = |status: &Status| screen(status, Screen::file());
        assert!(!text(&Status::default()).contains("harvest"));
        let status = Status { queries: 12, records: 340, ..Status::default() };
        assert!(text(&status).contains("harvest   340 records with 12 queries\n"));
        let coverage = Coverage { estimate: Some(0.934), low: Some(0.9), high: Some(0.95) };
        let status = Status { coverage, ..status };
        assert!(text(&status).contains("340 records with 12 queries, coverage 93 % (90 % to 95 %)\n"));
    }

    #[test]
    fn workers_of_shared_runs_are_listed_with_the_lag_of_their_inboxes() {
        let worker = hadal::store::WorkerRow {
            run: 3,
            worker: "host a, process 4711".into(),
            partitions: 128,
            requests: 600,
            joined_s: 60.0,
            silent_s: 0.25,
            inbox: 17,
            inbox_s: 1.5,
            unlearned: 0,
            is_idle: false,
        };
        let text = screen(&Status { workers: vec![worker], ..Status::default() }, Screen::file());
        for part in ["host a, process 4711", "128", "10.0", "17", "1.5s"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn the_status_shows_requests_forms_and_errors() {
        let errors = vec![(hadal::store::FailureKind::Http(404), 7)];
        let status = Status { requests: 42, forms_relevant: 3, errors, ..Status::default() };
        let text = screen(&status, Screen::file());
        assert!(text.contains("requests  42 in 0s"), "{text}");
        assert!(text.contains("3 relevant"), "{text}");
        assert!(text.contains("trouble   status 404 (Not Found): 7\n"), "{text}");
        assert!(text.contains("no runs yet"), "{text}");
    }
}
