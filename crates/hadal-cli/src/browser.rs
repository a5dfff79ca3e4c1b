//! The browser for `--render`, and notices about it.

use super::session::Session;
use hadal::render::{RenderMode, Renderer};

/// Notice for a machine without a browser.
pub const NO_BROWSER: &str = "no browser is installed, so no page is rendered (install chromium)";

/// Help for `--render` of a harvest.
pub const HARVEST_HELP: &str = "Open pages in a browser: never, always, or auto [default: auto]; auto opens pages that suggest a search by script, if a browser is installed, and types a test query into their search box";
/// Help for `--render` of a crawl.
pub const FIND_HELP: &str = "Open pages in a browser: never, always, or auto [default: never]; auto opens pages that suggest a search by script, if a browser is installed, and types a test query into their search box";

/// Browser for a mode; `None` if there is none.
pub fn renderer(mode: RenderMode, session: &Session) -> Option<Renderer> {
    let renderer = if mode == RenderMode::Never { None } else { Renderer::installed() };
    renderer.map(|renderer| renderer.with_thumbnails(session.config.thumbnails.clone()))
}
