//! Client of the DevTools protocol: JSON messages that end with a zero byte, over the pipes of a browser.
//!
//! One thread reads and one thread writes. Each page is a session with its own queue of events.

use super::RenderError;
use super::process::BrowserProcess;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc as thread_queue};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Longest wait for the reply to a command. Guess; a page may keep its thread busy for some seconds.
const REPLY_TIME: Duration = Duration::from_secs(20);
/// Longest message of the browser in bytes. Guess; the HTML of a page is at most 4 MB.
const MAX_MESSAGE: u64 = 64 << 20;

/// Event of a page.
#[derive(Clone, Debug)]
pub struct PageEvent {
    /// Name, as in `Page.loadEventFired`.
    pub method: String,
    /// Parameters of the event.
    pub params: Value,
}

/// Connection to a browser.
pub struct DevTools {
    _process: BrowserProcess,
    commands: thread_queue::Sender<Vec<u8>>,
    routes: Arc<Routes>,
    next_id: AtomicU64,
}

/// Receivers of replies and events.
#[derive(Default)]
struct Routes {
    replies: Mutex<HashMap<u64, oneshot::Sender<Result<Value, RenderError>>>>,
    sessions: Mutex<HashMap<String, mpsc::UnboundedSender<PageEvent>>>,
    /// The browser has ended.
    is_closed: AtomicBool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DevTools {
    /// Starts a browser and connects to it.
    pub fn start(program: &Path) -> Result<DevTools, RenderError> {
        let (process, input, output) =
            BrowserProcess::start(program).map_err(|error| RenderError::Start(error.to_string()))?;
        let routes = Arc::new(Routes::default());
        let (commands, queued) = thread_queue::channel();
        let readers = Arc::clone(&routes);
        std::thread::spawn(move || write_commands(input, &queued));
        std::thread::spawn(move || readers.read(output));
        Ok(DevTools { _process: process, commands, routes, next_id: AtomicU64::new(1) })
    }

    /// Sends a command to the browser or to a session, and waits for its result.
    pub async fn call(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Value, RenderError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, reply) = oneshot::channel();
        locked(&self.routes.replies).insert(id, sender);
        if self.routes.is_closed.load(Ordering::SeqCst) {
            return Err(RenderError::Crashed);
        }
        self.write(id, session, method, params)?;
        match tokio::time::timeout(REPLY_TIME, reply).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(RenderError::Crashed),
            Err(_) => {
                locked(&self.routes.replies).remove(&id);
                Err(RenderError::NoReply(method.to_string()))
            }
        }
    }

    /// Sends a command without waiting for its result.
    pub fn post(&self, session: &str, method: &str, params: Value) -> Result<(), RenderError> {
        self.write(self.next_id.fetch_add(1, Ordering::Relaxed), Some(session), method, params)
    }

    fn write(&self, id: u64, session: Option<&str>, method: &str, params: Value) -> Result<(), RenderError> {
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = Value::from(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.commands.send(bytes).map_err(|_| RenderError::Crashed)
    }

    /// Events of a session from now on.
    pub fn events(&self, session: &str) -> mpsc::UnboundedReceiver<PageEvent> {
        let (sender, receiver) = mpsc::unbounded_channel();
        locked(&self.routes.sessions).insert(session.to_string(), sender);
        receiver
    }

    /// Ends the events of a session.
    pub fn forget(&self, session: &str) {
        locked(&self.routes.sessions).remove(session);
    }
}

fn write_commands(mut input: ChildStdin, queued: &thread_queue::Receiver<Vec<u8>>) {
    for command in queued.iter() {
        if input.write_all(&command).and_then(|()| input.flush()).is_err() {
            break;
        }
    }
}

impl Routes {
    /// Reads messages until the browser ends. Then every waiting call fails.
    fn read(&self, output: ChildStdout) {
        let mut output = BufReader::new(output);
        loop {
            let mut message = Vec::new();
            let read = output.by_ref().take(MAX_MESSAGE).read_until(0, &mut message);
            if !matches!(read, Ok(length) if length > 0) || message.pop() != Some(0) {
                break;
            }
            if let Ok(message) = serde_json::from_slice::<Value>(&message) {
                self.route(message);
            }
        }
        self.is_closed.store(true, Ordering::SeqCst);
        locked(&self.replies).clear();
        locked(&self.sessions).clear();
    }

    fn route(&self, mut message: Value) {
        if let Some(id) = message["id"].as_u64() {
            let Some(waiting) = locked(&self.replies).remove(&id) else { return };
            let result = match message.get("error") {
                Some(error) => {
                    Err(RenderError::Refused(error["message"].as_str().unwrap_or_default().to_string()))
                }
                None => Ok(message["result"].take()),
            };
            waiting.send(result).ok();
            return;
        }
        let session = message["sessionId"].as_str().unwrap_or_default().to_string();
        let method = message["method"].as_str().unwrap_or_default().to_string();
        if let Some(events) = locked(&self.sessions).get(&session) {
            events.send(PageEvent { method, params: message["params"].take() }).ok();
        }
    }
}
