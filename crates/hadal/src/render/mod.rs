//! Pages in a real browser: Chromium over the DevTools protocol.
//!
//! [`Renderer::render`] is the function to read first. It opens a fetched page in a browser, lets its scripts run, and
//! returns the rendered page. If the caller allows a test query, it types a word into the search box and learns
//! the request that carries the word (`search_trial`); harvests repeat that request without a browser.
//!
//! - `process` starts the browser, `devtools` exchanges messages with it, `tab` is one page. `unfolding` clicks on
//!   controls that may show a search box or add fields.
//! - The browser opens no connection. Every request of a page is intercepted, checked by
//!   [`hadal_core::scripted::request_rules`], sent by the [`PoliteClient`] of the caller and handed to the browser.
//! - One process serves all pages; each page has its own context without cookies or storage of others. A crash or a
//!   hang costs the page; the next one starts a new process.
//!
//! The client is our own: it needs some fifteen commands and one pipe, on `serde_json` and `tokio`, which are in the
//! tree already. `chromiumoxide` generates types for the whole protocol, and `headless_chrome` blocks a thread per page
//! (by their documentation; neither was built here). Both talk over a WebSocket on a port of the machine; a pipe has no
//! port and ends with hadal.

mod devtools;
mod process;
mod search_trial;
mod tab;
mod unfolding;

pub use process::{browser_fault, find_browser};
pub use search_trial::{LearnedSearch, SearchTrial};

use crate::polite::PoliteClient;
use crate::store::StoreError;
use devtools::DevTools;
use hadal_core::address::LinkId;
use hadal_core::http::Response;
use hadal_core::page::Page;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tab::Tab;
use unfolding::ShownPage;
use url::Url;

/// Pages that one browser process renders before a new one is started. Guess: it bounds the memory of the process.
const PAGES_PER_PROCESS: u64 = 200;
/// Maximum number of bytes of scripts that are kept for other pages. Guess.
const MAX_KEPT_BYTES: usize = 32 << 20;
/// Time without a request after which a page counts as loaded. Guess.
const LOADED_AFTER: Duration = Duration::from_millis(500);

/// Use of the browser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RenderMode {
    /// No browser.
    Never,
    /// Pages that suggest a search by script, if a browser is installed.
    #[default]
    Auto,
    /// Every page.
    Always,
}

impl RenderMode {
    /// Mode with this name: `never`, `auto` or `always`.
    pub fn from_name(name: &str) -> Option<RenderMode> {
        match name {
            "never" => Some(RenderMode::Never),
            "auto" => Some(RenderMode::Auto),
            "always" => Some(RenderMode::Always),
            _ => None,
        }
    }
}

/// Limits of one rendered page.
#[derive(Clone, Copy, Debug)]
pub struct RenderLimits {
    /// Longest time, waits for the host included.
    pub time: Duration,
    /// Maximum number of requests of a rendered page.
    pub requests: u32,
    /// Maximum number of bytes of answers.
    pub bytes: u64,
}

/// Guesses: most pages need fewer than 30 scripts and answers; at a delay of one second per request they take the same
/// number of seconds.
impl Default for RenderLimits {
    fn default() -> RenderLimits {
        RenderLimits { time: Duration::from_secs(120), requests: 80, bytes: 30 << 20 }
    }
}

/// Reason why a page was not rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// The browser did not start.
    #[error("the browser did not start: {0}")]
    Start(String),
    /// The browser or the page crashed.
    #[error("the browser crashed on this page")]
    Crashed,
    /// The browser did not answer a command.
    #[error("the browser did not answer {0} in time")]
    NoReply(String),
    /// The browser refused a command.
    #[error("the browser refused a command: {0}")]
    Refused(String),
    /// A submission could not be written to the audit log, so it was not sent.
    #[error("could not write to the audit log: {0}")]
    Log(String),
}

impl From<StoreError> for RenderError {
    fn from(error: StoreError) -> RenderError {
        RenderError::Log(error.to_string())
    }
}

/// Numbers of one rendered page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RenderCounts {
    /// Requests sent, robots.txt and retries included.
    pub requests: u64,
    /// Bytes of response bodies.
    pub bytes: u64,
    /// Requests of the page that were refused.
    pub refused: u64,
}

/// A page after its scripts ran.
#[derive(Debug)]
pub struct RenderedPage {
    /// The rendered page, with the forms that scripts made.
    pub page: Page,
    /// Search that was learned by a test query.
    pub search: Option<LearnedSearch>,
    /// Requests of the page.
    pub counts: RenderCounts,
}

/// Renders pages, one browser process for all.
pub struct Renderer {
    program: PathBuf,
    limits: RenderLimits,
    browser: tokio::sync::Mutex<RunningBrowser>,
    scripts: Arc<ScriptCache>,
    /// Folder for a picture of each rendered page.
    thumbnails: Option<PathBuf>,
}

/// File name of the thumbnail of a page.
pub fn thumbnail_name(page: &Url) -> String {
    format!("{:016x}.jpg", LinkId::of(page).0)
}

/// Process that is in use, and the number of pages it was given.
#[derive(Default)]
struct RunningBrowser {
    devtools: Option<Arc<DevTools>>,
    pages: u64,
}

impl Renderer {
    /// Renderer with a browser program. The browser starts with the first page.
    pub fn new(program: PathBuf, limits: RenderLimits) -> Renderer {
        let (browser, scripts) = (tokio::sync::Mutex::default(), Arc::default());
        Renderer { program, limits, browser, scripts, thumbnails: None }
    }

    /// Writes a small picture of each rendered page into a folder.
    pub fn with_thumbnails(self, thumbnails: Option<PathBuf>) -> Renderer {
        Renderer { thumbnails, ..self }
    }

    /// Renderer with the first browser on the `PATH`, if there is one.
    pub fn installed() -> Option<Renderer> {
        find_browser().map(|program| Renderer::new(program, RenderLimits::default()))
    }

    /// Renders a page that was fetched. With a `trial`, a test query is typed into its search box.
    pub async fn render(
        &self,
        url: &Url,
        response: Response,
        client: &PoliteClient,
        trial: Option<&SearchTrial<'_>>,
    ) -> Result<RenderedPage, RenderError> {
        let devtools = self.browser().await?;
        let rendered = self.render_in(&devtools, url, response, client, trial).await;
        if matches!(rendered, Err(RenderError::Crashed | RenderError::NoReply(_))) {
            self.discard(&devtools).await;
        }
        rendered
    }

    async fn render_in(
        &self,
        devtools: &Arc<DevTools>,
        url: &Url,
        response: Response,
        client: &PoliteClient,
        trial: Option<&SearchTrial<'_>>,
    ) -> Result<RenderedPage, RenderError> {
        let mut tab = Tab::open(devtools, client, self.limits, Arc::clone(&self.scripts), trial).await?;
        let rendered = async {
            tab.navigate(url, response).await?;
            tab.settle(LOADED_AFTER).await?;
            let ShownPage { page, boxes } = unfolding::searchable_page(&mut tab, trial).await?;
            if let Some(folder) = &self.thumbnails {
                save_thumbnail(folder, url, tab.thumbnail().await);
            }
            let search = match trial {
                Some(trial) => search_trial::learn_search(&mut tab, &page, &boxes, client, trial).await?,
                None => None,
            };
            Ok(RenderedPage { page, search, counts: tab.counts })
        }
        .await;
        tab.close().await;
        rendered
    }

    /// The running browser, or a new one.
    async fn browser(&self) -> Result<Arc<DevTools>, RenderError> {
        let mut running = self.browser.lock().await;
        if running.pages >= PAGES_PER_PROCESS {
            *running = RunningBrowser::default();
        }
        running.pages += 1;
        match &running.devtools {
            Some(devtools) => Ok(Arc::clone(devtools)),
            None => {
                let devtools = Arc::new(DevTools::start(&self.program)?);
                running.devtools = Some(Arc::clone(&devtools));
                Ok(devtools)
            }
        }
    }

    /// Ends a browser that crashed or hangs. The next page starts a new one.
    async fn discard(&self, devtools: &Arc<DevTools>) {
        let mut running = self.browser.lock().await;
        if running.devtools.as_ref().is_some_and(|current| Arc::ptr_eq(current, devtools)) {
            *running = RunningBrowser::default();
        }
    }
}

/// Writes a picture. A failure is logged only: the page was rendered.
fn save_thumbnail(folder: &Path, page: &Url, picture: Result<Vec<u8>, RenderError>) {
    let saved = picture.map_err(|error| error.to_string()).and_then(|picture| {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        std::fs::write(folder.join(thumbnail_name(page)), picture).map_err(|error| error.to_string())
    });
    if let Err(error) = saved {
        tracing::warn!("could not save a thumbnail of {page}: {error}");
    }
}

/// Scripts that several pages share.
#[derive(Default)]
struct ScriptCache {
    kept: Mutex<(HashMap<Url, Response>, usize)>,
}

impl ScriptCache {
    fn get(&self, url: &Url) -> Option<Response> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).0.get(url).cloned()
    }

    fn keep(&self, url: &Url, response: &Response) {
        let control = response.headers.get("cache-control").unwrap_or_default();
        let is_final = matches!(response.status, 200 | 403 | 404 | 410);
        if !is_final || control.contains("no-store") {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.1 + response.body.len() > MAX_KEPT_BYTES {
            *kept = (HashMap::new(), 0);
        }
        kept.1 += response.body.len();
        kept.0.insert(url.clone(), response.clone());
    }
}
