//! The browser for `--render`, and notices about it.

use super::session::Session;
use clap::ValueEnum;
use hadal::render::{RenderMode, Renderer};
use std::io::Write;

/// Values of `--render`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Render {
    /// No browser
    Never,
    /// Pages that suggest a search by script, if a browser is installed
    Auto,
    /// Every page
    Always,
}

impl Render {
    pub fn mode(self) -> RenderMode {
        match self {
            Render::Never => RenderMode::Never,
            Render::Auto => RenderMode::Auto,
            Render::Always => RenderMode::Always,
        }
    }
}

/// Notice for a machine without a browser.
pub const NO_BROWSER: &str = "no browser is installed, so no page is rendered (install chromium)";

/// Browser for a mode; `None` if there is none.
pub fn renderer(mode: RenderMode, session: &Session) -> Option<Renderer> {
    let renderer = if mode == RenderMode::Never { None } else { Renderer::installed() };
    renderer.map(|renderer| renderer.with_thumbnails(session.config.thumbnails.clone()))
}

/// Browser that the user asked for. A missing one is reported once.
pub fn requested_renderer(mode: RenderMode, session: &Session) -> Option<Renderer> {
    let renderer = renderer(mode, session);
    if renderer.is_none() && mode != RenderMode::Never && !session.is_quiet() {
        writeln!(std::io::stderr(), "{NO_BROWSER}").ok();
    }
    renderer
}
