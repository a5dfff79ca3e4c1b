//! Headless Chromium over WebDriver.
//!
//! Nothing here sleeps: a script in the page waits until a condition holds.

use super::client::Client;
use http::Method;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for a condition on a busy machine.
pub const TIMEOUT: Duration = Duration::from_secs(180);

/// Key under which WebDriver names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one window; it ends with the test.
pub struct Browser {
    client: Client,
    session: String,
    driver: Child,
}

/// A browser, or `None` if there is none and none is required.
pub async fn browser() -> Option<Browser> {
    let chromium = ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(program);
    let Some((chromium, driver)) = chromium.zip(program("chromedriver")) else {
        let sentence = "the browser tests need chromium and chromedriver on the PATH";
        assert!(std::env::var("HADAL_BROWSER").as_deref() != Ok("required"), "{sentence}");
        writeln!(std::io::stderr(), "skipped: {sentence}").ok();
        return None;
    };
    Some(Browser::start(chromium, driver).await)
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

impl Browser {
    async fn start(chromium: PathBuf, program: PathBuf) -> Browser {
        let mut driver = Command::new(program)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], announced_port(&mut driver)));
        let client = Client::of(address);
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,900",
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"binary": chromium, "args": arguments},
            "timeouts": {"script": TIMEOUT.as_millis() as u64, "pageLoad": TIMEOUT.as_millis() as u64},
        }}});
        let answer = client.send(Method::POST, "/session", Some(wanted)).await.json();
        let session = answer["value"]["sessionId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_string();
        Browser { client, session, driver }
    }

    /// Opens an address, as typed into the address bar.
    pub async fn open(&self, address: &str) {
        self.command("url", json!({"url": address})).await.unwrap();
    }

    /// Value of an expression in the page.
    pub async fn value(&self, expression: &str) -> Value {
        let script = json!({"script": format!("return ({expression});"), "args": []});
        self.command("execute/sync", script).await.unwrap()
    }

    /// Waits until an expression in the page is true, and returns its value.
    pub async fn until(&self, expression: &str) -> Value {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             const look = () => {{ const value = ({expression}); value ? done(value) : setTimeout(look, 30); }};
             look();"
        );
        let waited = self.command("execute/async", json!({"script": script, "args": []})).await;
        let error = match waited {
            Ok(value) => return value,
            Err(error) => error,
        };
        // The script is lost if its page was replaced meanwhile.
        let value = self.value(&format!("({expression}) || null")).await;
        if value.is_null() {
            panic!("never true: {expression}: {error}; the page says: {}", self.text().await);
        }
        value
    }

    /// All visible text of the page.
    pub async fn text(&self) -> String {
        self.value("document.body.innerText").await.as_str().unwrap().to_string()
    }

    /// Clicks the element of a selector as soon as it is clickable.
    pub async fn click(&self, selector: &str) {
        self.on_element(selector, "click", json!({})).await;
    }

    /// Types into the element of a selector.
    pub async fn write(&self, selector: &str, text: &str) {
        self.on_element(selector, "value", json!({"text": text})).await;
    }

    /// Performs an action on an element; tries again if the page was redrawn.
    async fn on_element(&self, selector: &str, action: &str, body: Value) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            self.until(&format!("document.querySelector({}) !== null", Value::from(selector))).await;
            let found = self.command("element", json!({"using": "css selector", "value": selector})).await;
            let failed = match found {
                Ok(element) => {
                    let path = format!("element/{}/{action}", element[ELEMENT].as_str().unwrap());
                    match self.command(&path, body.clone()).await {
                        Ok(_) => return,
                        Err(error) => error,
                    }
                }
                Err(error) => error,
            };
            assert!(Instant::now() < deadline, "{action} {selector}: {failed}");
        }
    }

    /// Sends a command. Returns its value or the error of WebDriver.
    async fn command(&self, path: &str, body: Value) -> Result<Value, String> {
        let path = format!("/session/{}/{path}", self.session);
        let answer = self.client.send(Method::POST, &path, Some(body)).await;
        let value = answer.json()["value"].clone();
        match answer.status.is_success() {
            true => Ok(value),
            false => Err(format!("{}: {}", value["error"], value["message"])),
        }
    }
}

impl Drop for Browser {
    /// Closes the browser and then the driver.
    fn drop(&mut self) {
        if let Ok(mut stream) = TcpStream::connect(self.client.address) {
            stream.set_read_timeout(Some(Duration::from_secs(20))).ok();
            let line = format!("DELETE /session/{} HTTP/1.1", self.session);
            write!(stream, "{line}\r\nHost: {}\r\nConnection: close\r\n\r\n", self.client.address).ok();
            stream.read_to_end(&mut Vec::new()).ok();
        }
        self.driver.kill().ok();
        self.driver.wait().ok();
    }
}

/// Reads the port that the driver chose, and discards other output.
fn announced_port(driver: &mut Child) -> u16 {
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines().map_while(Result::ok);
    let port = lines.find_map(|line| {
        let (_, rest) = line.split_once("started successfully on port ")?;
        rest.trim_end_matches('.').parse().ok()
    });
    std::thread::spawn(move || lines.for_each(drop));
    port.expect("chromedriver says which port it is on")
}
