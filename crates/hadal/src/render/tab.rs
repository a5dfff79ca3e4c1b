//! One page in the browser: its requests, its script functions, its keyboard.
//!
//! All events of a page are handled by whichever call waits on the tab, so a tab needs no task of its own. While a
//! command waits for its reply, requests of the page are answered; a script may wait for them.

use super::devtools::{DevTools, PageEvent};
use super::search_trial::SearchTrial;
use super::{RenderCounts, RenderError, RenderLimits, ScriptCache};
use crate::polite::{Clock, PoliteClient, SendOutcome};
use data_encoding::BASE64;
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use hadal_core::address::Site;
use hadal_core::http::{Headers, Request, Response};
use hadal_core::page::PageToken;
use hadal_core::scripted::request_rules::{RequestRule, request_rule};
use hadal_core::scripted::search_box::SearchBox;
use hadal_core::scripted::tokens::cookie_tokens;
use hadal_core::scripted::{PageRequest, ResourceKind};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant};
use url::Url;

/// Part of a page that a thumbnail shows, in pixels. Guess.
const THUMBNAIL_VIEW: (u32, u32) = (800, 500);
/// Size of a thumbnail relative to the page. Guess: a picture takes 1 to 10 KB.
const THUMBNAIL_SCALE: f64 = 0.4;

/// Script with the functions that hadal calls.
const PAGE_SCRIPT: &str = include_str!("page_script.js");
/// Script that runs before those of the page: it makes all shadow trees readable.
const FIRST_SCRIPT: &str = "{const attach = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (init) { return attach.call(this, {...init, mode: 'open'}); };}";
/// Longest time without a request while a page loads. Guess: large scripts take seconds on a busy machine.
const MAX_LOADING: Duration = Duration::from_secs(5);
/// Answers that are kept for learning. Guess.
const MAX_KEPT: usize = 60;
/// Header lines of an answer that do not fit the decoded body, or would change later requests.
const DROPPED_HEADERS: [&str; 6] = [
    "content-encoding",
    "content-length",
    "transfer-encoding",
    "strict-transport-security",
    "connection",
    "keep-alive",
];

/// Function of the script in the page.
#[derive(Clone, Debug)]
pub enum PageFunction {
    Serialise,
    Focus(u32),
    Press(u32),
    Controls,
    Click(u32),
    Choices,
    Choose(u32, String),
    Text,
}

impl PageFunction {
    fn call(self) -> String {
        match self {
            PageFunction::Serialise => "serialise()".into(),
            PageFunction::Focus(number) => format!("focus({number})"),
            PageFunction::Press(number) => format!("press({number})"),
            PageFunction::Controls => "controls()".into(),
            PageFunction::Click(number) => format!("click({number})"),
            PageFunction::Choices => "choices()".into(),
            PageFunction::Choose(number, value) => format!("choose({number}, {})", Value::from(value)),
            PageFunction::Text => "text()".into(),
        }
    }
}

/// A request of the page with its answer.
#[derive(Clone, Debug)]
pub struct SeenRequest {
    pub request: PageRequest,
    pub response: Response,
    /// The request carried the typed word.
    pub is_submission: bool,
    /// The word was submitted before, by Enter or a button.
    pub is_after_submit: bool,
}

/// Word that is typed into a box.
#[derive(Clone, Debug)]
pub struct TypedWord {
    pub word: String,
    pub search_box: SearchBox,
    /// Enter or a button was pressed.
    pub is_submitted: bool,
}

/// Answer to a request of the page.
struct TabAnswer {
    /// Id of the paused request.
    id: String,
    request: PageRequest,
    sent: SendOutcome,
    /// Number in the audit log, for a submission.
    logged: Option<u64>,
    is_after_submit: bool,
}

/// One page in the browser.
pub struct Tab<'a> {
    devtools: Arc<DevTools>,
    context: String,
    session: String,
    events: mpsc::UnboundedReceiver<PageEvent>,
    client: PoliteClient,
    scripts: Arc<ScriptCache>,
    trial: Option<&'a SearchTrial<'a>>,
    limits: RenderLimits,
    deadline: Instant,
    /// Answer of the page itself, until the browser asks for it.
    first: Option<Response>,
    /// URL of the page.
    url: Url,
    site: Site,
    answers: FuturesUnordered<BoxFuture<'static, TabAnswer>>,
    /// Tokens in the cookies of the page.
    pub cookies: Vec<PageToken>,
    pub typed: Option<TypedWord>,
    /// The page may not be replaced by another one.
    pub stays: bool,
    pub seen: Vec<SeenRequest>,
    pub counts: RenderCounts,
    /// The page and its scripts are loaded.
    is_loaded: bool,
    /// Requests of the page so far.
    received: u64,
}

impl<'a> Tab<'a> {
    /// Opens an empty page in a context of its own.
    pub async fn open(
        devtools: &Arc<DevTools>,
        client: &PoliteClient,
        limits: RenderLimits,
        scripts: Arc<ScriptCache>,
        trial: Option<&'a SearchTrial<'a>>,
    ) -> Result<Tab<'a>, RenderError> {
        let text = |value: Value, key: &str| value[key].as_str().unwrap_or_default().to_string();
        let context = devtools.call(None, "Target.createBrowserContext", json!({})).await?;
        let context = text(context, "browserContextId");
        let target = json!({ "url": "about:blank", "browserContextId": context });
        let target = text(devtools.call(None, "Target.createTarget", target).await?, "targetId");
        let attached = json!({ "targetId": target, "flatten": true });
        let session = text(devtools.call(None, "Target.attachToTarget", attached).await?, "sessionId");
        let url = Url::parse("about:blank").map_err(|error| RenderError::Refused(error.to_string()))?;
        let mut tab = Tab {
            events: devtools.events(&session),
            devtools: Arc::clone(devtools),
            context,
            session,
            client: client.without_retries(),
            scripts,
            trial,
            limits,
            deadline: Instant::now() + limits.time,
            first: None,
            site: Site::of(&url),
            url,
            answers: FuturesUnordered::new(),
            cookies: Vec::new(),
            typed: None,
            stays: false,
            seen: Vec::new(),
            counts: RenderCounts::default(),
            is_loaded: false,
            received: 0,
        };
        tab.prepare().await?;
        Ok(tab)
    }

    async fn prepare(&mut self) -> Result<(), RenderError> {
        let downloads = json!({ "behavior": "deny", "browserContextId": self.context });
        self.devtools.call(None, "Browser.setDownloadBehavior", downloads).await?;
        for (method, params) in [
            ("Fetch.enable", json!({})),
            ("Page.enable", json!({})),
            ("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })),
            ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": FIRST_SCRIPT })),
        ] {
            self.devtools.call(Some(&self.session), method, params).await?;
        }
        Ok(())
    }

    /// Closes the page and its context.
    pub async fn close(self) {
        self.devtools.forget(&self.session);
        let context = json!({ "browserContextId": self.context });
        self.devtools.call(None, "Target.disposeBrowserContext", context).await.ok();
    }

    /// URL of the page that was opened.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Opens a page with a known response.
    pub async fn navigate(&mut self, url: &Url, response: Response) -> Result<(), RenderError> {
        self.cookies = cookie_tokens(&response.headers);
        (self.url, self.site, self.first) = (url.clone(), Site::of(url), Some(response));
        self.call("Page.navigate", json!({ "url": url.as_str() })).await.map(drop)
    }

    /// Answers requests of the page until there was none for a while, or its time is over. A busy page is given the
    /// time to finish its scripts.
    pub async fn settle(&mut self, idle: Duration) -> Result<(), RenderError> {
        loop {
            self.answer_until_idle(idle).await?;
            let before = self.received;
            self.call("Runtime.evaluate", json!({ "expression": "0" })).await?;
            let is_idle = self.received == before && self.answers.is_empty();
            if is_idle || Instant::now() >= self.deadline {
                return Ok(());
            }
        }
    }

    async fn answer_until_idle(&mut self, idle: Duration) -> Result<(), RenderError> {
        loop {
            let wait = if self.is_loaded { idle } else { idle.max(MAX_LOADING) };
            let until = match self.answers.is_empty() {
                true => (Instant::now() + wait).min(self.deadline),
                false => self.deadline,
            };
            tokio::select! {
                event = self.events.recv() => self.receive(event.ok_or(RenderError::Crashed)?)?,
                Some(answer) = self.answers.next(), if !self.answers.is_empty() => self.fulfil(answer)?,
                () = tokio::time::sleep_until(until) => return Ok(()),
            }
        }
    }

    /// Ends the requests of the page that have no answer yet. They held the turns of their hosts, which keep a pause.
    pub fn drop_requests(&mut self) {
        self.answers.clear();
    }

    /// Sends a command and answers requests of the page until its result is there.
    async fn call(&mut self, method: &str, params: Value) -> Result<Value, RenderError> {
        let (devtools, session, method) =
            (Arc::clone(&self.devtools), self.session.clone(), method.to_string());
        let mut reply = Box::pin(async move { devtools.call(Some(&session), &method, params).await });
        loop {
            tokio::select! {
                biased;
                result = &mut reply => return result,
                event = self.events.recv() => self.receive(event.ok_or(RenderError::Crashed)?)?,
                Some(answer) = self.answers.next(), if !self.answers.is_empty() => self.fulfil(answer)?,
            }
        }
    }

    /// Calls a function of the script in the page. The script's world is out of reach of the page's own scripts.
    pub async fn function(&mut self, function: PageFunction) -> Result<Value, RenderError> {
        let tree = self.call("Page.getFrameTree", json!({})).await?;
        let world = json!({ "frameId": tree["frameTree"]["frame"]["id"], "worldName": "hadal" });
        let context = self.call("Page.createIsolatedWorld", world).await?["executionContextId"].take();
        // The functions stay in the world, so that later calls know the boxes of an earlier one.
        let call = function.call();
        let script = format!("globalThis.hadal ??= {PAGE_SCRIPT}; hadal.{call}");
        let params = json!({ "expression": script, "contextId": context, "returnByValue": true });
        Ok(self.call("Runtime.evaluate", params).await?["result"]["value"].take())
    }

    /// Small JPEG picture of the upper part of the page.
    pub async fn thumbnail(&mut self) -> Result<Vec<u8>, RenderError> {
        let (width, height) = THUMBNAIL_VIEW;
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": THUMBNAIL_SCALE });
        let params = json!({ "format": "jpeg", "quality": 60, "clip": clip });
        let shot = self.call("Page.captureScreenshot", params).await?;
        let data = shot["data"].as_str().unwrap_or_default();
        BASE64.decode(data.as_bytes()).map_err(|error| RenderError::Refused(error.to_string()))
    }

    /// Types a text at the cursor. The last letter is typed as a key, because some scripts wait for keys.
    pub async fn type_word(&mut self, word: &str) -> Result<(), RenderError> {
        let last = word.char_indices().last().map_or(0, |(at, _)| at);
        self.call("Input.insertText", json!({ "text": &word[..last] })).await?;
        let letter = &word[last..];
        let upper = letter.to_ascii_uppercase();
        let code = upper.bytes().next().unwrap_or_default();
        self.press_key(letter, &format!("Key{upper}"), code, letter).await
    }

    /// Presses the Enter key.
    pub async fn press_enter(&mut self) -> Result<(), RenderError> {
        self.press_key("Enter", "Enter", 13, "\r").await
    }

    async fn press_key(&mut self, key: &str, code: &str, number: u8, text: &str) -> Result<(), RenderError> {
        let mut event = json!({ "type": "keyDown", "key": key, "code": code, "windowsVirtualKeyCode": number, "text": text });
        self.call("Input.dispatchKeyEvent", event.clone()).await?;
        event["type"] = Value::from("keyUp");
        event["text"] = Value::from("");
        self.call("Input.dispatchKeyEvent", event).await.map(drop)
    }

    fn receive(&mut self, event: PageEvent) -> Result<(), RenderError> {
        match event.method.as_str() {
            "Fetch.requestPaused" => {
                self.received += 1;
                self.answer(&event.params)
            }
            "Page.loadEventFired" => {
                self.is_loaded = true;
                Ok(())
            }
            "Page.javascriptDialogOpening" => {
                self.devtools.post(&self.session, "Page.handleJavaScriptDialog", json!({ "accept": false }))
            }
            "Inspector.targetCrashed" => Err(RenderError::Crashed),
            _ => Ok(()),
        }
    }

    /// Answers, sends or refuses a request of the page.
    fn answer(&mut self, paused: &Value) -> Result<(), RenderError> {
        let id = paused["requestId"].as_str().unwrap_or_default().to_string();
        let Some(request) = page_request(paused) else { return self.refuse(&id) };
        if let Some(first) = self.first.take_if(|_| request.kind == ResourceKind::Document) {
            return self.fulfil_with(&id, &first);
        }
        if self.stays && request.kind == ResourceKind::Document {
            // The page stays when there is no content to show.
            self.counts.refused += 1;
            return self.fulfil_with(&id, &Response { status: 204, ..Response::default() });
        }
        let word = self.typed.as_ref().map(|typed| typed.word.as_str());
        match request_rule(&request, &self.site, word) {
            RequestRule::AnswerEmpty => {
                self.fulfil_with(&id, &Response { status: 200, ..Response::default() })
            }
            RequestRule::AnswerPreflight => self.fulfil_with(&id, &permission(&request)),
            RequestRule::Refuse(reason) => {
                tracing::debug!(url = request.url.as_str(), ?reason, "request of a page refused");
                self.refuse(&id)
            }
            _ if self.is_over_limit() => self.refuse(&id),
            RequestRule::Send => {
                match self.scripts.get(&request.url).filter(|_| request.kind == ResourceKind::Script) {
                    Some(kept) => self.fulfil_with(&id, &kept),
                    None => {
                        self.send(id, request, None);
                        Ok(())
                    }
                }
            }
            RequestRule::Submit => match self.log(&request)? {
                None => self.refuse(&id),
                logged => {
                    self.send(id, request, logged);
                    Ok(())
                }
            },
        }
    }

    /// Writes a submission to the audit log; `None` if it must not be sent.
    fn log(&self, request: &PageRequest) -> Result<Option<u64>, RenderError> {
        let (Some(trial), Some(typed)) = (self.trial, &self.typed) else { return Ok(None) };
        let SearchBox { form, field, .. } = &typed.search_box;
        let learned =
            hadal_core::scripted::request_learning::learned_form(request, &typed.word, form, *field);
        let form = learned.as_ref().unwrap_or(form);
        Ok(Some(trial.log(form, &self.url, &request.to_request())?))
    }

    fn is_over_limit(&self) -> bool {
        let waiting = self.answers.len() as u64;
        let is_late = Instant::now() >= self.deadline;
        self.counts.requests + waiting >= u64::from(self.limits.requests)
            || self.counts.bytes >= self.limits.bytes
            || is_late
    }

    fn send(&mut self, id: String, request: PageRequest, logged: Option<u64>) {
        let client = self.client.clone();
        let body_limit = self.limits.bytes - self.counts.bytes.min(self.limits.bytes);
        let message = Request { body_limit, ..request.to_request() };
        let is_after_submit = self.typed.as_ref().is_some_and(|typed| typed.is_submitted);
        self.answers.push(Box::pin(async move {
            let sent = client.send(&message, &mut Clock::Real).await;
            TabAnswer { id, request, sent, logged, is_after_submit }
        }));
    }

    /// Hands an answer to the browser and keeps it if it may be that of a search.
    fn fulfil(&mut self, answer: TabAnswer) -> Result<(), RenderError> {
        let TabAnswer { id, request, sent, logged, is_after_submit } = answer;
        self.counts.requests += u64::from(sent.requests);
        self.counts.bytes += sent.bytes;
        if let (Some(number), Some(trial)) = (logged, self.trial) {
            trial.end(number, &sent)?;
        }
        let Some(response) = sent.result.ok().and_then(|exchange| exchange.result.ok()) else {
            return self.refuse(&id);
        };
        if request.kind == ResourceKind::Script {
            self.scripts.keep(&request.url, &response);
        }
        match Site::of(&request.url) == self.site {
            true => self.fulfil_with(&id, &response)?,
            false => self.fulfil_with(&id, &readable(response.clone(), &self.url))?,
        }
        if self.seen.len() < MAX_KEPT {
            self.seen.push(SeenRequest {
                request,
                response,
                is_submission: logged.is_some(),
                is_after_submit,
            });
        }
        Ok(())
    }

    fn fulfil_with(&self, id: &str, response: &Response) -> Result<(), RenderError> {
        let is_kept = |name: &str| !DROPPED_HEADERS.contains(&name.to_ascii_lowercase().as_str());
        let lines = response.headers.0.iter().filter(|(name, _)| is_kept(name));
        let headers: Vec<Value> =
            lines.map(|(name, value)| json!({ "name": name, "value": value })).collect();
        let params = json!({
            "requestId": id,
            "responseCode": response.status,
            "responseHeaders": headers,
            "body": BASE64.encode(&response.body),
        });
        self.devtools.post(&self.session, "Fetch.fulfillRequest", params)
    }

    fn refuse(&mut self, id: &str) -> Result<(), RenderError> {
        self.counts.refused += 1;
        let params = json!({ "requestId": id, "errorReason": "BlockedByClient" });
        self.devtools.post(&self.session, "Fetch.failRequest", params)
    }
}

/// Request in an event of the browser; `None` if it is malformed or of a service worker.
fn page_request(paused: &Value) -> Option<PageRequest> {
    let request = &paused["request"];
    let headers = request["headers"].as_object()?;
    let headers =
        headers.iter().filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_string())));
    let headers = Headers(headers.collect());
    let body = || -> Option<Vec<u8>> {
        let parts = request["postDataEntries"].as_array()?;
        let decode = |part: &Value| BASE64.decode(part["bytes"].as_str()?.as_bytes()).ok();
        parts.iter().map(decode).collect::<Option<Vec<_>>>().map(|parts| parts.concat())
    };
    let mut url = Url::parse(request["url"].as_str()?).ok()?;
    url.set_fragment(None);
    Some(PageRequest {
        method: request["method"].as_str()?.to_ascii_uppercase(),
        url,
        body: body().or_else(|| Some(request["postData"].as_str()?.as_bytes().to_vec())).unwrap_or_default(),
        kind: ResourceKind::of(paused["resourceType"].as_str()?),
        headers,
    })
    .filter(|request| request.headers.get("service-worker").is_none())
}

/// Answer of another site that the page's scripts may read. hadal sends no `Origin`, so a server does not say that they
/// may.
fn readable(mut response: Response, page: &Url) -> Response {
    if response.headers.get("access-control-allow-origin").is_none() {
        response.headers.push("Access-Control-Allow-Origin", page.origin().ascii_serialization());
        response.headers.push("Access-Control-Allow-Credentials", "true");
    }
    response
}

/// Answer to the question of the browser before a request to another host.
fn permission(request: &PageRequest) -> Response {
    let mut headers = Headers::default();
    let asked = |name: &str| request.headers.get(name).unwrap_or("*").to_string();
    headers.push("Access-Control-Allow-Origin", asked("origin"));
    headers.push("Access-Control-Allow-Methods", "GET, POST");
    headers.push("Access-Control-Allow-Headers", asked("access-control-request-headers"));
    headers.push("Access-Control-Allow-Credentials", "true");
    Response { status: 204, headers, ..Response::default() }
}
