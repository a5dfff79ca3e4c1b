//! The simulated web as an HTTP server. The `Host` header selects the site.
//!
//! For crawls over real sockets (with `--connect-to '*=HOST:PORT'`), for browsers and for curl. Ports in the `Host`
//! header are ignored. Where the simulated web sends no response, the connection is closed.

use super::in_process::Respond;
use bytes::Bytes;
use hadal_core::http::{Exchange, FetchError, Headers, Method, Request, Response};
use hadal_core::time::Time;
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use url::Url;

/// Maximum number of bytes of a request body. Guess.
const MAX_UPLOAD: usize = 1024 * 1024;

/// Options of the server.
#[derive(Clone, Default)]
pub struct ServerOptions {
    /// Share of the simulated response time that the server waits: 0 none, 1 all of it.
    pub latency_share: f64,
    /// Time that the server waits before each response, instead of a share of the simulated one.
    pub latency: Option<Duration>,
    /// Called with the URL of every request, in order.
    pub on_request: Option<OnRequest>,
    /// Called with the URL of every request when its response is ready or its client is gone.
    pub on_end: Option<OnRequest>,
}

/// Callback with the URL of a request.
pub type OnRequest = Arc<dyn Fn(&Url) + Send + Sync>;

/// A running server. It stops when it is dropped.
pub struct RunningServer {
    /// Address on which it listens.
    pub addr: SocketAddr,
    accepting: JoinHandle<()>,
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Serves a simulated web over HTTP/1.1, and HTTP/2 with prior knowledge. Port 0 selects a free port.
pub async fn serve<W: Respond>(
    world: Arc<W>,
    addr: SocketAddr,
    options: ServerOptions,
) -> io::Result<RunningServer> {
    let listener = TcpListener::bind(addr).await?;
    let addr = listener.local_addr()?;
    let site = Arc::new(Served { world, options, began: Instant::now() });
    Ok(RunningServer { addr, accepting: tokio::spawn(accept(listener, site)) })
}

/// Accepts connections. They end with this task.
async fn accept<W: Respond>(listener: TcpListener, served: Arc<Served<W>>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => { connections.spawn(converse(stream, served.clone())); }
                // Out of file handles, or the client is gone. Other connections end and free handles.
                Err(_) => tokio::task::yield_now().await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn converse<W: Respond>(stream: TcpStream, served: Arc<Served<W>>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let served = served.clone();
        async move { served.answer(request).await }
    });
    // A client may break off.
    let _ = auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

struct Served<W> {
    world: Arc<W>,
    options: ServerOptions,
    began: Instant,
}

impl<W: Respond> Served<W> {
    /// Responds to a request. An error closes the connection without a response.
    async fn answer(
        &self,
        message: http::Request<Incoming>,
    ) -> Result<http::Response<Full<Bytes>>, FetchError> {
        let request = match read(message).await {
            Ok(request) => request,
            Err(status) => return Ok(refusal(status)),
        };
        if let Some(on_request) = &self.options.on_request {
            on_request(&request.url);
        }
        let _ended = EndOfRequest { url: &request.url, on_end: self.options.on_end.as_deref() };
        let now = Time(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX));
        let Exchange { result, took, .. } = self.world.respond(&request, now);
        let simulated = took.as_secs_f64() * self.options.latency_share;
        let wait = Duration::try_from_secs_f64(simulated).unwrap_or_default();
        let wait = self.options.latency.unwrap_or(wait);
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        Ok(write(result?))
    }
}

/// A request in progress. Its end is reported when the value is dropped, also if the client breaks off.
struct EndOfRequest<'a> {
    url: &'a Url,
    on_end: Option<&'a (dyn Fn(&Url) + Send + Sync)>,
}

impl Drop for EndOfRequest<'_> {
    fn drop(&mut self) {
        if let Some(on_end) = self.on_end {
            on_end(self.url);
        }
    }
}

/// Converts a message to a request of the simulated web, or returns the status that refuses it.
async fn read(message: http::Request<Incoming>) -> Result<Request, StatusCode> {
    let (head, body) = message.into_parts();
    let method = match head.method {
        http::Method::GET | http::Method::HEAD => Method::Get,
        http::Method::POST => Method::Post,
        _ => return Err(StatusCode::METHOD_NOT_ALLOWED),
    };
    let url = url_of(&head).ok_or(StatusCode::BAD_REQUEST)?;
    let body = Limited::new(body, MAX_UPLOAD).collect().await;
    let body = body.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?.to_bytes().to_vec();
    let line = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let headers = Headers(head.headers.iter().map(line).collect());
    Ok(Request { method, url, headers, body, body_limit: u64::MAX, answer_limit: None })
}

fn url_of(head: &http::request::Parts) -> Option<Url> {
    let named = head.uri.authority().map(|authority| authority.as_str());
    let authority = named.or_else(|| head.headers.get(header::HOST)?.to_str().ok())?;
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut url = Url::parse(&format!("http://{authority}{path}")).ok()?;
    url.set_port(None).ok()?;
    Some(url)
}

/// Converts a response to an HTTP message. The server sets the headers of the connection itself.
fn write(response: Response) -> http::Response<Full<Bytes>> {
    let mut message = http::Response::new(Full::from(response.body));
    *message.status_mut() =
        StatusCode::from_u16(response.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in &response.headers.0 {
        let (name, value) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value.as_bytes()));
        if let (Ok(name), Ok(value)) = (name, value)
            && !SERVER_HEADERS.contains(&name)
        {
            message.headers_mut().append(name, value);
        }
    }
    message
}

const SERVER_HEADERS: [HeaderName; 4] =
    [header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::CONNECTION, header::CONTENT_ENCODING];

fn refusal(status: StatusCode) -> http::Response<Full<Bytes>> {
    let mut message = http::Response::new(Full::default());
    *message.status_mut() = status;
    message
}
