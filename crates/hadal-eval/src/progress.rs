//! Progress display of an evaluation: a bar on a terminal, a line every 30 seconds elsewhere.

use crate::find::PlanProgress;
use hadal::output::progress::DisplayStyle;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time between two lines. Guess.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Shows the progress of a plan and its remaining time.
pub struct TrialsProgress {
    shown: Display,
    what: &'static str,
    began: Instant,
}

enum Display {
    Bar(ProgressBar),
    Lines(Mutex<Option<Instant>>),
    Silent,
}

impl TrialsProgress {
    /// `what` names the trials in the plural. Nothing is printed before the first update.
    pub fn new(style: DisplayStyle, what: &'static str) -> TrialsProgress {
        let shown = match style {
            DisplayStyle::Bars => Display::Bar(bar()),
            DisplayStyle::Lines => Display::Lines(Mutex::new(None)),
            DisplayStyle::Silent => Display::Silent,
        };
        TrialsProgress { shown, what, began: Instant::now() }
    }

    /// Shows the current progress.
    pub fn update(&self, progress: &PlanProgress) {
        match &self.shown {
            Display::Bar(bar) => {
                bar.set_length(progress.requests);
                bar.set_position(progress.spent);
                bar.set_message(words(progress, self.what, self.began.elapsed()));
            }
            Display::Lines(last) => {
                let mut last = last.lock().expect("writing a line does not panic");
                if last.is_none_or(|last| last.elapsed() >= LINE_EVERY) {
                    *last = Some(Instant::now());
                    writeln!(std::io::stderr(), "{}", words(progress, self.what, self.began.elapsed())).ok();
                }
            }
            Display::Silent => {}
        }
    }

    /// Removes the bar.
    pub fn finish(self) {
        if let Display::Bar(bar) = self.shown {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let style =
        ProgressStyle::with_template("{wide_bar} {percent}%  {msg}").expect("our own template is valid");
    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(1)).with_style(style)
}

fn words(progress: &PlanProgress, what: &str, elapsed: Duration) -> String {
    let found = if progress.found > 0 { format!(", {} from before", progress.found) } else { String::new() };
    let left = left(progress, elapsed)
        .map(|left| format!(", about {} left", humantime::format_duration(left)))
        .unwrap_or_default();
    let refused = match progress.refused {
        0 => String::new(),
        refused => format!(", {refused} pages did not fit into --cache"),
    };
    format!("{} of {} {what}{found}{left}{refused}", progress.made, progress.trials)
}

/// Remaining time at the rate so far; `None` before the first request.
fn left(progress: &PlanProgress, elapsed: Duration) -> Option<Duration> {
    let open = progress.requests.checked_sub(progress.spent)?;
    let seconds = elapsed.as_secs_f64() * open as f64 / progress.spent as f64;
    seconds.is_finite().then(|| Duration::from_secs(seconds.ceil() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remaining_time_follows_from_the_pace() {
        let progress = PlanProgress { requests: 1000, spent: 250, trials: 4, made: 1, found: 2, refused: 0 };
        let said = words(&progress, "crawls", Duration::from_secs(20));
        assert_eq!(said, "1 of 4 crawls, 2 from before, about 1m left");
        assert_eq!(left(&PlanProgress { spent: 0, ..progress }, Duration::from_secs(20)), None);
    }
}
