//! An evaluation as it goes: one bar on a terminal, a plain line now and then without one.

use crate::find::Advance;
use hadal::output::progress::Style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Shows how far a plan has come, and when it will be done at this pace.
pub struct TrialsProgress {
    shown: Shown,
    what: &'static str,
    began: Instant,
}

enum Shown {
    Bar(ProgressBar),
    Lines(Mutex<Option<Instant>>),
    Silent,
}

impl TrialsProgress {
    /// Progress of trials, called what they are. Nothing is shown before the first word.
    pub fn new(style: Style, what: &'static str) -> TrialsProgress {
        let shown = match style {
            Style::Bars => Shown::Bar(bar()),
            Style::Lines => Shown::Lines(Mutex::new(None)),
            Style::Silent => Shown::Silent,
        };
        TrialsProgress { shown, what, began: Instant::now() }
    }

    /// Takes in how far it has come.
    pub fn update(&self, advance: &Advance) {
        match &self.shown {
            Shown::Bar(bar) => {
                bar.set_length(advance.requests);
                bar.set_position(advance.spent);
                bar.set_message(words(advance, self.what, self.began.elapsed()));
            }
            Shown::Lines(last) => {
                let mut last = last.lock().expect("writing a line does not panic");
                if last.is_none_or(|last| last.elapsed() >= LINE_EVERY) {
                    *last = Some(Instant::now());
                    writeln!(std::io::stderr(), "{}", words(advance, self.what, self.began.elapsed())).ok();
                }
            }
            Shown::Silent => {}
        }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Shown::Bar(bar) = self.shown {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let style =
        ProgressStyle::with_template("{wide_bar} {percent}%  {msg}").expect("our own template is valid");
    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(1)).with_style(style)
}

fn words(advance: &Advance, what: &str, elapsed: Duration) -> String {
    let found = if advance.found > 0 { format!(", {} from before", advance.found) } else { String::new() };
    let left = left(advance, elapsed)
        .map(|left| format!(", about {} left", humantime::format_duration(left)))
        .unwrap_or_default();
    let refused = match advance.refused {
        0 => String::new(),
        refused => format!(", {refused} pages did not fit into --cache"),
    };
    format!("{} of {} {what}{found}{left}{refused}", advance.made, advance.trials)
}

/// Time until everything is spent at the pace so far; unknown before anything is.
fn left(advance: &Advance, elapsed: Duration) -> Option<Duration> {
    let open = advance.requests.checked_sub(advance.spent)?;
    let seconds = elapsed.as_secs_f64() * open as f64 / advance.spent as f64;
    seconds.is_finite().then(|| Duration::from_secs(seconds.ceil() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_from_the_pace() {
        let advance = Advance { requests: 1000, spent: 250, trials: 4, made: 1, found: 2, refused: 0 };
        let said = words(&advance, "crawls", Duration::from_secs(20));
        assert_eq!(said, "1 of 4 crawls, 2 from before, about 1m left");
        assert_eq!(left(&Advance { spent: 0, ..advance }, Duration::from_secs(20)), None);
    }
}
