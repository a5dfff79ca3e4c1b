//! Progress display of harvests: one line per form, redrawn on a terminal, or printed every ten seconds.

use super::escape::for_terminal;
use super::progress::LINE_EVERY;
use super::progress::{DisplayStyle, add_bar, print_above_bars, remove_bar};
use crate::harvest::{HarvestEvent, HarvestStanding, HarvestSummary};
use crate::report::values::plural;
use crate::store::{HarvestEstimate, HarvestState};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::time::Instant;

/// Shows the progress of harvests.
pub struct HarvestDisplay {
    style: DisplayStyle,
    max_requests: Option<u64>,
    forms: BTreeMap<u64, HarvestDrawing>,
}

struct HarvestDrawing {
    name: String,
    bar: Option<ProgressBar>,
    last: Option<Instant>,
    /// Text of the bar after the last query.
    line: String,
}

impl HarvestDisplay {
    /// Nothing is printed before the first event.
    pub fn new(style: DisplayStyle, max_requests: Option<u64>) -> HarvestDisplay {
        HarvestDisplay { style, max_requests, forms: BTreeMap::new() }
    }

    /// Handles an event and redraws if it is time.
    pub fn note(&mut self, event: &HarvestEvent) {
        match event {
            HarvestEvent::Began { harvest, page, .. } => self.begin(*harvest, page),
            HarvestEvent::RequestFinished { harvest, requests } => self.show_requests(*harvest, *requests),
            HarvestEvent::QueryFinished { query, found, new, standing } => {
                let query = if query.is_empty() { "(empty query)".to_string() } else { short(query, 24) };
                let asked = format!("{query}: {new} new of {found}");
                self.show(standing, &asked, false);
            }
            HarvestEvent::Ended { standing, ending, .. } => {
                self.show(standing, &ending.unwrap_or("stopped").replace('_', " "), true)
            }
        }
    }

    fn begin(&mut self, harvest: u64, page: &str) {
        let name = short(page.split("://").last().unwrap_or(page), 40);
        let bar = (self.style == DisplayStyle::Bars).then(|| {
            let style = ProgressStyle::with_template("{spinner} {prefix} {wide_msg}");
            let bar = ProgressBar::new_spinner()
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
                // Not set_prefix, which draws a bar at once that belongs to no group and is never erased.
                .with_prefix(name.clone());
            let bar = add_bar(bar);
            bar.set_message("opening the form");
            bar
        });
        self.forms.insert(harvest, HarvestDrawing { name, bar, last: None, line: String::new() });
    }

    /// Shows the requests of a query while its answer is read. The bar keeps the line of the last query.
    fn show_requests(&mut self, harvest: u64, requests: u64) {
        let Some(shown) = self.forms.get_mut(&harvest) else { return };
        let due = shown.last.is_none_or(|last| last.elapsed() >= LINE_EVERY);
        let now = plural(requests, "request", "requests");
        if let Some(bar) = &shown.bar {
            let line = if shown.line.is_empty() { "reading the first answer" } else { shown.line.as_str() };
            bar.set_message(format!("{now} | {line}"));
        } else if self.style == DisplayStyle::Lines && due {
            shown.last = Some(Instant::now());
            print_above_bars(&format!("{}: {now} so far", shown.name));
        }
    }

    fn show(&mut self, standing: &HarvestStanding, message: &str, at_once: bool) {
        let line = line(standing, self.max_requests);
        let Some(shown) = self.forms.get_mut(&standing.harvest) else { return };
        let next: Vec<String> = standing.next.iter().take(3).map(|words| short(words, 16)).collect();
        if let Some(bar) = &shown.bar {
            shown.line = format!("{line} | {message} | next {}", next.join(", "));
            bar.set_message(shown.line.clone());
            bar.tick();
            return;
        }
        let due = at_once || shown.last.is_none_or(|last| last.elapsed() >= LINE_EVERY);
        if self.style == DisplayStyle::Lines && due {
            shown.last = Some(Instant::now());
            print_above_bars(&format!("{}: {line}; {message}", shown.name));
        }
    }

    /// Removes the bars and prints the last lines.
    pub fn finish(self, words: &str) {
        self.forms.values().filter_map(|shown| shown.bar.as_ref()).for_each(remove_bar);
        if self.style != DisplayStyle::Silent {
            print_above_bars(words);
        }
    }
}

fn short(text: &str, most: usize) -> String {
    let kept: String = text.chars().take(most).collect();
    for_terminal(&kept).into_owned()
}

fn line(standing: &HarvestStanding, max_requests: Option<u64>) -> String {
    let counters = &standing.counters;
    let most = max_requests.map_or(String::new(), |most| format!(" of {most}"));
    let coverage = standing.estimate.map_or(String::new(), |estimate| format!(", {}", coverage(&estimate)));
    let (queries, requests) = (plural(counters.queries, "query", "queries"), counters.requests);
    format!(
        "{queries}, {requests} requests{most}, {}{coverage}",
        plural(counters.records, "record", "records")
    )
}

fn coverage(estimate: &HarvestEstimate) -> String {
    let [low, best, high] = estimate.coverage.map(|share| (100.0 * share).clamp(0.0, 100.0));
    format!("about {best:.0} % of all ({low:.0}-{high:.0} %)")
}

/// Message at the end of a session.
pub fn summary_line(ended: &[HarvestSummary]) -> String {
    let lines = ended.iter().map(|summary| {
        let why = match (summary.state, summary.ending) {
            (HarvestState::Stopped, _) => {
                "stopped, everything is saved; the same command resumes".to_string()
            }
            (HarvestState::Budget, _) => "budget spent; raise it to continue".to_string(),
            (_, Some(ending)) => ending.to_string(),
            _ => "ended".to_string(),
        };
        let standing = HarvestStanding {
            harvest: summary.id.0,
            counters: summary.counters.clone(),
            estimate: summary.estimate,
            next: Vec::new(),
        };
        format!("harvest {}: {}; {why}", summary.id.0, line(&standing, None))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_query_is_not_many() {
        let mut standing = HarvestStanding {
            harvest: 1,
            counters: crate::store::HarvestCounters { queries: 1, records: 1, ..Default::default() },
            estimate: None,
            next: Vec::new(),
        };
        assert_eq!(line(&standing, None), "1 query, 0 requests, 1 record");
        standing.counters.queries = 2;
        assert_eq!(line(&standing, Some(9)), "2 queries, 0 requests of 9, 1 record");
    }
}
