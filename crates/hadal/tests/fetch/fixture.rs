//! A server on a free port that sends prepared bytes, valid or not.

use hadal::fetch::Fetch;
use hadal::fetch::network::{Network, NetworkOptions, Timeouts};
use hadal_core::http::{BodyCompleteness, Exchange, FetchError, Request, Response};
use hadal_core::time::Time;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use url::Url;

/// Behaviour of the server after its response.
#[derive(Clone)]
pub enum Then {
    /// Closes the connection.
    Close,
    /// Keeps it open and answers the next request on it the same way.
    Hold,
    /// Repeats these bytes until the client closes the connection.
    Repeat(Vec<u8>),
    /// Sends one byte per interval until the client closes the connection.
    Trickle(Duration),
}

pub struct Server {
    pub addr: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
    closed: tokio::sync::Mutex<mpsc::UnboundedReceiver<()>>,
    accepting: JoinHandle<()>,
}

impl Server {
    /// Answers every request with these bytes.
    pub async fn answering(answer: impl Into<Vec<u8>>, then: Then) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let accepted = connections.clone();
        let (note_closed, closed) = mpsc::unbounded_channel();
        let (answer, heard) = (answer.into(), requests.clone());
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                accepted.fetch_add(1, Ordering::Relaxed);
                let (answer, then, heard, note) =
                    (answer.clone(), then.clone(), heard.clone(), note_closed.clone());
                tokio::spawn(async move {
                    converse(stream, &answer, &then, &heard).await;
                    let _ = note.send(());
                });
            }
        });
        Server { addr, requests, connections, closed: tokio::sync::Mutex::new(closed), accepting }
    }

    /// Requests received so far, each with head and body.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Number of connections so far.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Waits until a connection has ended.
    pub async fn connection_closed(&self) {
        self.closed.lock().await.recv().await.unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn converse(mut stream: TcpStream, answer: &[u8], then: &Then, heard: &Mutex<Vec<String>>) {
    while let Some(request) = read_request(&mut stream).await {
        heard.lock().unwrap().push(request);
        if stream.write_all(answer).await.is_err() {
            return;
        }
        match then {
            Then::Close => {
                let _ = stream.shutdown().await;
                return;
            }
            Then::Hold => {}
            Then::Repeat(bytes) => while stream.write_all(bytes).await.is_ok() {},
            Then::Trickle(pause) => {
                while stream.write_all(b"x").await.is_ok() {
                    tokio::time::sleep(*pause).await;
                }
            }
        }
    }
}

/// Reads one request: the head, and the body by its content-length.
async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).await.ok()?;
    bytes.extend(body);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A response with a correct content-length.
pub fn answer(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let head = format!("HTTP/1.1 {status}\r\n{lines}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub fn page(body: &str) -> Vec<u8> {
    answer("200 OK", &["Content-Type: text/html"], body.as_bytes())
}

/// Network options that connect every host to `addr`.
pub fn options(addr: SocketAddr) -> NetworkOptions {
    let connect_to = vec![format!("*={addr}").parse().unwrap()];
    NetworkOptions { connect_to, ..NetworkOptions::default() }
}

/// Short timeouts for tests in which the server does nothing; `phase` sets the timeout under test.
pub fn impatient(addr: SocketAddr, phase: impl Fn(&mut Timeouts)) -> NetworkOptions {
    let mut options = options(addr);
    phase(&mut options.timeouts);
    options
}

pub fn get(url: &str) -> Request {
    Request::get(Url::parse(url).unwrap())
}

pub async fn fetch(options: NetworkOptions, request: &Request) -> Exchange {
    Network::new(options).unwrap().fetch(request, Time(1_700_000_000_000)).await
}

/// Result of a page request to a misbehaving server.
pub async fn outcome(answer: impl Into<Vec<u8>>, then: Then) -> Result<Response, FetchError> {
    let server = Server::answering(answer, then).await;
    fetch(options(server.addr), &get("http://shop.example/")).await.result
}

/// Body and completeness of a response that must succeed.
pub async fn body_of(answer: impl Into<Vec<u8>>, then: Then) -> (String, BodyCompleteness) {
    let response = outcome(answer, then).await.unwrap();
    (String::from_utf8_lossy(&response.body).into_owned(), response.completeness)
}
