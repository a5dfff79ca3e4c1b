//! Prometheus metrics in text format: the numbers of `hadal status`, in total and by run.

use super::error::ApiError;
use super::state::AppState;
use crate::report::run::{RunView, view};
use crate::report::{Status, status};
use crate::store::{RowOrder, RunQuery};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use std::fmt::Write;
use std::sync::Arc;

/// Number of latest runs with their own metrics. Guess.
const MAX_RUNS: usize = 20;

/// Metrics for Prometheus.
#[utoipa::path(get, path = "/metrics", operation_id = "metrics", tag = "server",
    responses((status = 200, description = "Text exposition", content_type = "text/plain", body = String)))]
pub async fn metrics(State(state): State<Arc<AppState>>) -> Result<Response, ApiError> {
    let latest = RunQuery { order: RowOrder::Newest, limit: Some(MAX_RUNS), ..RunQuery::default() };
    let (all, runs) = state.read(move |store| Ok((status(store)?, store.runs(&latest)?))).await?;
    let runs: Vec<RunView> = runs.iter().map(view).collect();
    let content_type = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((content_type, exposition(&all, &runs)).into_response())
}

/// Labels and value of each metric line.
type Lines = Vec<(String, f64)>;

fn exposition(all: &Status, runs: &[RunView]) -> String {
    let mut text = String::new();
    let mut family = |name: &str, kind: &str, help: &str, lines: Lines| {
        let mut line = |line: String| writeln!(text, "{line}").expect("writing to a string cannot fail");
        line(format!("# HELP {name} {help}"));
        line(format!("# TYPE {name} {kind}"));
        lines.iter().for_each(|(labels, value)| line(format!("{name}{labels} {value}")));
    };
    let one = |value: f64| vec![(String::new(), value)];
    let each =
        |count: fn(&RunView) -> f64| runs.iter().map(|run| (labels(run), count(run))).collect::<Lines>();
    family("hadal_requests_total", "counter", "Requests of all runs and harvests.", one(all.requests as f64));
    family("hadal_bytes_total", "counter", "Bytes of bodies received.", one(all.bytes as f64));
    family("hadal_pages_total", "counter", "Pages read.", one(all.pages as f64));
    family("hadal_failed_total", "counter", "Links and steps that failed.", one(all.failed as f64));
    family("hadal_sites_total", "counter", "Sites with at least one page.", one(all.sites as f64));
    let kinds = [("any", all.forms), ("searchable", all.forms_searchable), ("relevant", all.forms_relevant)];
    let forms = kinds.map(|(kind, count)| (format!("{{kind=\"{kind}\"}}"), count as f64));
    family("hadal_forms_found_total", "counter", "Distinct forms found.", forms.into());
    family("hadal_queries_total", "counter", "Queries sent to forms.", one(all.queries as f64));
    family("hadal_records_total", "counter", "Records downloaded.", one(all.records as f64));
    let errors = all
        .errors
        .iter()
        .map(|(kind, count)| (format!("{{kind=\"{}\"}}", escaped(&kind.to_string())), *count as f64));
    family("hadal_errors_total", "counter", "Failures and retries by kind.", errors.collect());
    family("hadal_frontier_leads", "gauge", "Links in the frontier.", one(all.frontier as f64));
    if let Some(coverage) = all.coverage.estimate {
        family("hadal_coverage_ratio", "gauge", "Estimated coverage.", one(coverage));
    }
    family("hadal_run_requests_total", "counter", "Requests of a run.", each(|run| run.requests as f64));
    family("hadal_run_pages_total", "counter", "Pages of a run.", each(|run| run.pages as f64));
    let relevant = each(|run| run.forms_relevant as f64);
    family("hadal_run_forms_relevant_total", "counter", "Relevant forms of a run.", relevant);
    family(
        "hadal_run_frontier_leads",
        "gauge",
        "Links in the frontier of a run.",
        each(|run| run.frontier as f64),
    );
    let running = each(|run| f64::from(u8::from(run.state == "running")));
    family("hadal_run_running", "gauge", "1 if the run is running.", running);
    text
}

fn labels(run: &RunView) -> String {
    let (topic, strategy) = (escaped(&run.topic), escaped(&run.strategy));
    format!("{{run=\"{}\",topic=\"{topic}\",strategy=\"{strategy}\"}}", run.run)
}

/// Escapes a label value.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_help_type_and_labels() {
        let all = Status { requests: 7, forms_relevant: 3, ..Status::default() };
        let text = exposition(&all, &[]);
        assert!(text.contains("# TYPE hadal_requests_total counter\nhadal_requests_total 7\n"), "{text}");
        assert!(text.contains("hadal_forms_found_total{kind=\"relevant\"} 3\n"), "{text}");
        assert!(!text.contains("hadal_coverage_ratio"));
        let families = text.lines().filter(|line| line.starts_with("# TYPE")).count();
        assert_eq!(text.lines().filter(|line| line.starts_with("# HELP")).count(), families);
    }

    #[test]
    fn a_topic_cannot_break_out_of_its_label() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
