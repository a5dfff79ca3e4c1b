//! A crawl as it goes: bars on a terminal, a plain line every ten seconds without one.
//!
//! The engine hands over a [`RunSnapshot`] whenever it likes; what is drawn, and how often, is decided
//! here. Everything goes to standard error, so that standard output stays free for events.

use crate::report::RunSnapshot;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::VecDeque;
use std::time::Duration;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Bars that are redrawn in place, on a terminal.
    Bars,
    /// A line now and then.
    Lines,
    /// Nothing.
    Silent,
}

/// Time between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// Speeds are those of the last while, not of the whole run.
const WINDOW: Duration = Duration::from_secs(15);

/// Shows a crawl as it goes.
pub struct Progress {
    shown: Shown,
    pace: Pace,
}

enum Shown {
    Bars(Box<Bars>),
    Lines { last: Option<Duration> },
    Silent,
}

impl Progress {
    /// Nothing is shown before the first snapshot.
    pub fn new(style: Style) -> Progress {
        let shown = match style {
            Style::Bars => Shown::Bars(Box::new(Bars::new())),
            Style::Lines => Shown::Lines { last: None },
            Style::Silent => Shown::Silent,
        };
        Progress { shown, pace: Pace::default() }
    }

    /// Takes in where the run stands; draws when it is time.
    pub fn update(&mut self, now: &RunSnapshot) {
        self.pace.note(now);
        match &mut self.shown {
            Shown::Bars(bars) => bars.draw(now, &self.pace),
            Shown::Lines { last } if line_is_due(*last, now.elapsed) => {
                *last = Some(now.elapsed);
                say(&line(now, &self.pace));
            }
            _ => {}
        }
    }

    /// Takes the bars away and leaves one last line.
    pub fn finish(self, words: &str) {
        match self.shown {
            Shown::Bars(bars) => {
                bars.clear();
                say(words);
            }
            Shown::Lines { .. } => say(words),
            Shown::Silent => {}
        }
    }
}

/// A closed standard error is no reason to stop a crawl.
fn say(words: &str) {
    use std::io::Write;
    writeln!(std::io::stderr(), "{words}").ok();
}

fn line_is_due(last: Option<Duration>, now: Duration) -> bool {
    last.is_none_or(|last| now.saturating_sub(last) >= LINE_EVERY)
}

/// How fast things went lately.
#[derive(Default)]
struct Pace {
    recent: VecDeque<RunSnapshot>,
}

impl Pace {
    fn note(&mut self, now: &RunSnapshot) {
        // A hundred steps of the window are enough for an average.
        let step = WINDOW / 100;
        if self.recent.back().is_none_or(|last| now.elapsed.saturating_sub(last.elapsed) >= step) {
            self.recent.push_back(*now);
        }
        while self.recent.len() > 2 && now.elapsed.saturating_sub(self.recent[0].elapsed) > WINDOW {
            self.recent.pop_front();
        }
    }

    fn per_second(&self, count: impl Fn(&RunSnapshot) -> u64) -> Option<f64> {
        let (first, last) = (self.recent.front()?, self.recent.back()?);
        let seconds = last.elapsed.saturating_sub(first.elapsed).as_secs_f64();
        (seconds > 0.0).then(|| count(last).saturating_sub(count(first)) as f64 / seconds)
    }

    /// Time until the request budget is spent at the present pace. Unknown without a budget, at a
    /// standstill, or beyond what is worth promising. The frontier may run dry before that.
    fn left(&self, now: &RunSnapshot) -> Option<Duration> {
        let open = now.max_requests?.saturating_sub(now.requests);
        let pace = self.per_second(|snapshot| snapshot.requests).filter(|pace| *pace > 0.0)?;
        let seconds = open as f64 / pace;
        (seconds < 30.0 * 86_400.0).then(|| Duration::from_secs(seconds.ceil() as u64))
    }
}

fn line(now: &RunSnapshot, pace: &Pace) -> String {
    let budget = now.max_requests.map(|max| format!(" of {max}")).unwrap_or_default();
    format!(
        "{}{budget} requests, {}, {}, {} waiting, {}",
        now.requests,
        pages(now, pace),
        forms(now),
        now.waiting,
        time(now, pace)
    )
}

fn pages(now: &RunSnapshot, pace: &Pace) -> String {
    let speed = pace.per_second(|snapshot| snapshot.pages).map(|speed| format!(" ({speed:.0}/s)"));
    format!("{} pages{} on {} sites, {} failed", now.pages, speed.unwrap_or_default(), now.sites, now.failed)
}

fn forms(now: &RunSnapshot) -> String {
    format!("{} searchable forms, {} relevant", now.searchable, now.relevant)
}

fn time(now: &RunSnapshot, pace: &Pace) -> String {
    let spent = humantime::format_duration(Duration::from_secs(now.elapsed.as_secs()));
    match pace.left(now) {
        Some(left) => format!("{spent}, at most {} left", humantime::format_duration(left)),
        None => spent.to_string(),
    }
}

/// Four lines, redrawn at most once a second.
struct Bars {
    all: MultiProgress,
    requests: ProgressBar,
    pages: ProgressBar,
    forms: ProgressBar,
    frontier: ProgressBar,
}

impl Bars {
    fn new() -> Bars {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(1));
        let row = |template: &str| {
            let style = ProgressStyle::with_template(template).expect("our own templates are valid");
            all.add(ProgressBar::no_length().with_style(style))
        };
        Bars {
            requests: row("requests  {wide_bar} {pos}/{len}  {msg}"),
            pages: row("pages     {msg}"),
            forms: row("forms     {msg}"),
            frontier: row("frontier  {msg}"),
            all,
        }
    }

    fn draw(&self, now: &RunSnapshot, pace: &Pace) {
        if let Some(max) = now.max_requests {
            self.requests.set_length(max);
        }
        self.requests.set_position(now.requests);
        self.requests.set_message(time(now, pace));
        self.pages.set_message(pages(now, pace));
        self.forms.set_message(forms(now));
        self.frontier.set_message(format!("{} waiting", now.waiting));
    }

    fn clear(&self) {
        // A terminal that went away needs no clearing.
        self.all.clear().ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64, requests: u64) -> RunSnapshot {
        RunSnapshot {
            requests,
            pages: requests,
            max_requests: Some(1000),
            elapsed: Duration::from_secs(seconds),
            ..RunSnapshot::default()
        }
    }

    #[test]
    fn a_line_every_ten_seconds() {
        assert!(line_is_due(None, Duration::ZERO));
        assert!(!line_is_due(Some(Duration::from_secs(5)), Duration::from_secs(14)));
        assert!(line_is_due(Some(Duration::from_secs(5)), Duration::from_secs(15)));
    }

    #[test]
    fn what_is_left_follows_the_recent_pace_not_the_first_rush() {
        let mut pace = Pace::default();
        for second in 0..=10 {
            pace.note(&at(second, second * 50));
        }
        for second in 11..=60 {
            pace.note(&at(second, 500 + second - 10));
        }
        let now = at(60, 550);
        assert_eq!(pace.left(&now), Some(Duration::from_secs(450)));
        assert!(line(&now, &pace).contains("(1/s)"), "{}", line(&now, &pace));
    }

    #[test]
    fn nothing_is_promised_without_a_budget_or_at_a_standstill() {
        let mut pace = Pace::default();
        pace.note(&at(0, 5));
        assert_eq!(pace.left(&at(0, 5)), None);
        pace.note(&at(9, 5));
        assert_eq!(pace.left(&at(9, 5)), None);
        pace.note(&at(10, 9));
        assert_eq!(pace.left(&RunSnapshot { max_requests: None, ..at(10, 9) }), None);
    }
}
