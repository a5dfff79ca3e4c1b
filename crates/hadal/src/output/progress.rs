//! Progress display of a crawl: bars on a terminal, or a line every ten seconds.
//!
//! The engine passes a [`RunSnapshot`] at any time; this module decides when to draw. All output goes to
//! standard error, so standard output is free for events.

use crate::report::RunSnapshot;
use crate::report::values::plural;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::LazyLock;
use std::time::Duration;

/// Style of a progress display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplayStyle {
    /// Bars that are redrawn in place.
    Bars,
    /// A line every few seconds.
    Lines,
    /// Nothing is printed.
    Silent,
}

/// Time between two lines about one crawl or harvest. Guess.
pub(super) const LINE_EVERY: Duration = Duration::from_secs(10);
/// Window over which rates are averaged. Guess.
const WINDOW: Duration = Duration::from_secs(15);

/// Redraws per second of the bars. Guess: fast enough to look alive.
const REDRAWS_PER_SECOND: u8 = 4;

/// All bars of this process. There is one terminal, so there is one set of bars.
static BARS: LazyLock<MultiProgress> =
    LazyLock::new(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(REDRAWS_PER_SECOND)));

/// Adds a bar below the others.
pub(super) fn add_bar(bar: ProgressBar) -> ProgressBar {
    BARS.add(bar)
}

/// Removes a bar from the screen.
pub(super) fn remove_bar(bar: &ProgressBar) {
    bar.finish_and_clear();
    BARS.remove(bar);
}

/// Standard error above the bars. Bars are erased for each write and drawn again below it.
#[derive(Clone, Copy, Debug)]
pub struct AboveBars;

impl Write for AboveBars {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        BARS.suspend(|| io::stderr().write_all(bytes)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Prints a line above the bars. A closed standard error is ignored.
pub fn print_above_bars(words: &str) {
    AboveBars.write_all(format!("{words}\n").as_bytes()).ok();
}

/// Shows the progress of a crawl.
pub struct CrawlDisplay {
    shown: CrawlDrawing,
    rates: RecentRates,
}

enum CrawlDrawing {
    Bars(Box<Bars>),
    /// Requests of a session that only probes. The number is that of the run before it.
    Probes(ProgressBar, Option<u64>),
    Lines {
        last: Option<Duration>,
    },
    Silent,
}

impl CrawlDisplay {
    /// Nothing is printed before the first snapshot.
    pub fn new(style: DisplayStyle) -> CrawlDisplay {
        let shown = match style {
            DisplayStyle::Bars => CrawlDrawing::Bars(Box::new(Bars::new())),
            DisplayStyle::Lines => CrawlDrawing::Lines { last: None },
            DisplayStyle::Silent => CrawlDrawing::Silent,
        };
        CrawlDisplay { shown, rates: RecentRates::default() }
    }

    /// Display of a session that visits no page: its requests alone, and only on a terminal.
    pub fn of_probes(style: DisplayStyle) -> CrawlDisplay {
        let shown = match style {
            DisplayStyle::Bars => CrawlDrawing::Probes(row("probing   {wide_bar} {msg}"), None),
            DisplayStyle::Lines | DisplayStyle::Silent => CrawlDrawing::Silent,
        };
        CrawlDisplay { shown, rates: RecentRates::default() }
    }

    /// Handles a snapshot and redraws if it is time.
    pub fn update(&mut self, now: &RunSnapshot) {
        self.rates.note(now);
        match &mut self.shown {
            CrawlDrawing::Bars(bars) => bars.draw(now, &self.rates),
            CrawlDrawing::Probes(bar, before) => {
                let before = *before.get_or_insert(now.requests);
                bar.set_length(now.max_requests.unwrap_or(now.requests).saturating_sub(before));
                bar.set_position(now.requests.saturating_sub(before));
                bar.set_message(plural(now.requests.saturating_sub(before), "request", "requests"));
            }
            CrawlDrawing::Lines { last } if line_is_due(*last, now.elapsed) => {
                *last = Some(now.elapsed);
                print_above_bars(&line(now, &self.rates));
            }
            _ => {}
        }
    }

    /// Removes the bars and prints the last lines.
    pub fn finish(self, words: Option<&str>) {
        match &self.shown {
            CrawlDrawing::Bars(bars) => bars.remove(),
            CrawlDrawing::Probes(bar, _) => remove_bar(bar),
            CrawlDrawing::Lines { .. } | CrawlDrawing::Silent => {}
        }
        match (self.shown, words) {
            (CrawlDrawing::Silent, _) | (_, None) => {}
            (_, Some(words)) => print_above_bars(words),
        }
    }
}

fn line_is_due(last: Option<Duration>, now: Duration) -> bool {
    last.is_none_or(|last| now.saturating_sub(last) >= LINE_EVERY)
}

/// Recent rates of a crawl.
#[derive(Default)]
struct RecentRates {
    recent: VecDeque<RunSnapshot>,
}

impl RecentRates {
    fn note(&mut self, now: &RunSnapshot) {
        // A hundred samples per window are enough for an average.
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

    /// Time until the request budget is spent at the current rate. `None` without a budget, at a rate of zero,
    /// or for very long times. The frontier may be exhausted earlier.
    fn left(&self, now: &RunSnapshot) -> Option<Duration> {
        let open = now.max_requests?.saturating_sub(now.requests);
        let rates = self.per_second(|snapshot| snapshot.requests).filter(|rates| *rates > 0.0)?;
        let seconds = open as f64 / rates;
        (seconds < 30.0 * 86_400.0).then(|| Duration::from_secs(seconds.ceil() as u64))
    }
}

fn line(now: &RunSnapshot, rates: &RecentRates) -> String {
    let budget = now.max_requests.map(|max| format!(" of {max}")).unwrap_or_default();
    format!(
        "{}{budget} requests, {}, {}, {} waiting, {}",
        now.requests,
        pages(now, rates),
        forms(now),
        now.waiting,
        time(now, rates)
    )
}

fn pages(now: &RunSnapshot, rates: &RecentRates) -> String {
    let speed = rates.per_second(|snapshot| snapshot.pages).map(|speed| format!(" ({speed:.0}/s)"));
    format!(
        "{}{} on {}, {} failed",
        plural(now.pages, "page", "pages"),
        speed.unwrap_or_default(),
        plural(now.sites, "site", "sites"),
        now.failed
    )
}

fn forms(now: &RunSnapshot) -> String {
    format!("{}, {} relevant", plural(now.searchable, "searchable form", "searchable forms"), now.relevant)
}

fn time(now: &RunSnapshot, rates: &RecentRates) -> String {
    let spent = humantime::format_duration(Duration::from_secs(now.elapsed.as_secs()));
    match rates.left(now) {
        Some(left) => format!("{spent}, at most {} left", humantime::format_duration(left)),
        None => spent.to_string(),
    }
}

/// Adds a line of a progress display.
fn row(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("our own templates are valid");
    add_bar(ProgressBar::no_length().with_style(style))
}

/// Progress display of four lines.
struct Bars {
    requests: ProgressBar,
    pages: ProgressBar,
    forms: ProgressBar,
    frontier: ProgressBar,
}

impl Bars {
    fn new() -> Bars {
        Bars {
            requests: row("requests  {wide_bar} {pos}/{len}  {msg}"),
            pages: row("pages     {msg}"),
            forms: row("forms     {msg}"),
            frontier: row("frontier  {msg}"),
        }
    }

    fn draw(&self, now: &RunSnapshot, rates: &RecentRates) {
        if let Some(max) = now.max_requests {
            self.requests.set_length(max);
        }
        self.requests.set_position(now.requests);
        self.requests.set_message(time(now, rates));
        self.pages.set_message(pages(now, rates));
        self.forms.set_message(forms(now));
        self.frontier.set_message(format!("{} waiting", now.waiting));
    }

    fn remove(&self) {
        [&self.requests, &self.pages, &self.forms, &self.frontier].into_iter().for_each(remove_bar);
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
    fn the_remaining_time_follows_the_recent_pace() {
        let mut rates = RecentRates::default();
        for second in 0..=10 {
            rates.note(&at(second, second * 50));
        }
        for second in 11..=60 {
            rates.note(&at(second, 500 + second - 10));
        }
        let now = at(60, 550);
        assert_eq!(rates.left(&now), Some(Duration::from_secs(450)));
        assert!(line(&now, &rates).contains("(1/s)"), "{}", line(&now, &rates));
    }

    #[test]
    fn nothing_is_promised_without_a_budget_or_at_a_standstill() {
        let mut rates = RecentRates::default();
        rates.note(&at(0, 5));
        assert_eq!(rates.left(&at(0, 5)), None);
        rates.note(&at(9, 5));
        assert_eq!(rates.left(&at(9, 5)), None);
        rates.note(&at(10, 9));
        assert_eq!(rates.left(&RunSnapshot { max_requests: None, ..at(10, 9) }), None);
    }
}
