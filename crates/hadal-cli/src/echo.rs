//! Echo of control characters in the terminal.

use hadal::output::progress::DisplayStyle;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use std::sync::{Mutex, PoisonError};

/// Settings of the terminal before the echo was hidden.
static SAVED: Mutex<Option<Termios>> = Mutex::new(None);

/// Hides the echo of Ctrl-C while bars are drawn. `^C` would start a new line, and one bar would stay on the screen.
/// Dropping it restores the terminal.
pub struct HiddenEcho;

impl HiddenEcho {
    /// Hides the echo if bars are drawn and standard input is a terminal.
    pub fn begin(style: DisplayStyle) -> HiddenEcho {
        let input = std::io::stdin();
        if style == DisplayStyle::Bars
            && let Ok(before) = tcgetattr(&input)
        {
            let mut hidden = before.clone();
            hidden.local_modes.remove(LocalModes::ECHOCTL);
            // A terminal that refuses shows `^C`, which is harmless.
            tcsetattr(&input, OptionalActions::Now, &hidden).ok();
            SAVED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(before);
        }
        HiddenEcho
    }
}

impl Drop for HiddenEcho {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal, also before an exit that drops nothing.
pub fn restore() {
    if let Some(before) = SAVED.lock().unwrap_or_else(PoisonError::into_inner).take() {
        tcsetattr(std::io::stdin(), OptionalActions::Now, &before).ok();
    }
}
