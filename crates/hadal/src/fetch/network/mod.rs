//! HTTP client for the real web: one request over a pooled connection.
//!
//! A request passes `connect` (checks and connection), `client` (TLS and HTTP), `body` (selection and reading
//! of bodies), `decode` (content codings) and `cookies`. Redirects are not followed, and nothing is retried.

mod body;
mod client;
mod connect;
mod connect_to;
mod connection;
mod cookie_file;
mod cookies;
mod decode;
mod options;
mod proxy;
mod refusal;
mod resolver;

pub use connect_to::{ConnectTo, ConnectToError};
pub use cookie_file::CookieFileError;
pub use cookies::CookieJar;
pub use options::{NetworkError, NetworkOptions, Timeouts};
pub use proxy::Proxies;
pub use refusal::{is_bad_port, is_public};

use super::body_memory::BODIES;
use super::{Fetch, log_exchange};
use bytes::Bytes;
use client::Client;
use connect::TcpConnector;
use futures::future::BoxFuture;
use hadal_core::http::{BodyCompleteness, Exchange, FetchError, Headers, Method, Request, Response};
use hadal_core::time::Time;
use http::{HeaderMap, HeaderValue, Uri, header};
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper_util::client::legacy::connect::{CaptureConnection, capture_connection};
use options::header_line;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// HTTP client for the network.
pub struct Network {
    client: Client,
    connector: TcpConnector,
    standing: HeaderMap,
    accepted: Vec<String>,
    timeouts: Timeouts,
    cookies: Mutex<CookieJar>,
}

impl Fetch for Network {
    fn fetch<'a>(&'a self, request: &'a Request, at: Time) -> BoxFuture<'a, Exchange> {
        Box::pin(async move {
            let began = Instant::now();
            let mut peer = None;
            let result = self.exchange(request, at, began + self.timeouts.total, &mut peer).await;
            let peer = peer.filter(|_| !self.is_rerouted(&request.url));
            let exchange = Exchange { result, took: began.elapsed(), peer };
            log_exchange(request, &exchange);
            exchange
        })
    }

    fn sent_headers(&self, request: &Request, at: Time) -> Headers {
        let Ok(mut message) = self.message(request, at) else { return request.headers.clone() };
        message.headers_mut().remove(header::PROXY_AUTHORIZATION);
        lines_of(message.headers())
    }

    fn resolve<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<IpAddr>> {
        Box::pin(async move { self.connector.first_address(&uri_of(url).ok()?).await })
    }
}

impl Network {
    /// Client with these options. Must be called within a tokio runtime.
    pub fn new(options: NetworkOptions) -> Result<Network, NetworkError> {
        let connector = TcpConnector::new(&options);
        Ok(Network {
            client: client::build(connector.clone(), &options)?,
            connector,
            standing: options.standing_headers()?,
            accepted: options.accepted,
            timeouts: options.timeouts,
            cookies: Mutex::new(options.cookies),
        })
    }

    /// True when a `--connect-to` rule applies to the host of a URL. Then the address of the connection says nothing
    /// about the host, so the exchange has no peer and does not count for politeness by address.
    pub fn is_rerouted(&self, url: &Url) -> bool {
        let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(0));
        self.connector.rule_for(host, port).is_some()
    }

    async fn exchange(
        &self,
        request: &Request,
        at: Time,
        deadline: Instant,
        peer: &mut Option<IpAddr>,
    ) -> Result<Response, FetchError> {
        let message = self.message(request, at)?;
        self.connector.check(message.uri())?;
        let longest =
            request.answer_limit.map_or(self.timeouts.answer, |limit| limit.min(self.timeouts.answer));
        let answer = self.answer(message, longest, deadline, peer).await?;
        let (head, body) = answer.into_parts();
        let headers = lines_of(&head.headers);
        self.remember(&request.url, &headers, at);
        let mut response = Response { status: head.status.as_u16(), headers, ..Response::default() };
        if self.is_wanted(request, &response) {
            self.fill(&mut response, body, request.body_limit, deadline).await?;
        } else if !body.is_end_stream() {
            response.completeness = BodyCompleteness::Unwanted;
        }
        Ok(response)
    }

    /// HTTP message of a request: standing headers, cookies, then the request's own headers. Later headers replace
    /// earlier ones of the same name.
    fn message(&self, request: &Request, at: Time) -> Result<http::Request<Full<Bytes>>, FetchError> {
        let uri = uri_of(&request.url)?;
        let mut headers = self.standing.clone();
        if let Some(line) = self.jar().line_for(&request.url, at)
            && let Ok(line) = HeaderValue::from_bytes(line.as_bytes())
        {
            headers.insert(header::COOKIE, line);
        }
        if let Some(line) = self.connector.proxy_authorization(&uri) {
            headers.insert(header::PROXY_AUTHORIZATION, line);
        }
        if request.method == Method::Post {
            let form = HeaderValue::from_static("application/x-www-form-urlencoded");
            headers.insert(header::CONTENT_TYPE, form);
        }
        for (name, value) in request.headers.0.iter().filter_map(|(name, value)| header_line(name, value)) {
            headers.insert(name, value);
        }
        let mut message = http::Request::new(Full::from(request.body.clone()));
        *message.method_mut() = method_of(request.method);
        *message.uri_mut() = uri;
        *message.headers_mut() = headers;
        Ok(message)
    }

    /// Sends a message and waits for the response head, at most for `longest` after the connection is open.
    async fn answer(
        &self,
        mut message: http::Request<Full<Bytes>>,
        longest: Duration,
        deadline: Instant,
        peer: &mut Option<IpAddr>,
    ) -> Result<http::Response<Incoming>, FetchError> {
        let captured = capture_connection(&mut message);
        let answering = self.client.request(message);
        let mut waiting = captured.clone();
        let too_long = async {
            waiting.wait_for_connection_metadata().await;
            tokio::time::sleep(longest).await;
        };
        let result = tokio::select! {
            answer = answering => answer.map_err(|error| client::error_of(&error)),
            () = too_long => Err(FetchError::AnswerTimeout),
            () = tokio::time::sleep_until(deadline) => match *captured.connection_metadata() {
                Some(_) => Err(FetchError::AnswerTimeout),
                None => Err(FetchError::ConnectTimeout),
            },
        };
        *peer = peer_of(&captured);
        result
    }

    /// True when the body is downloaded. robots.txt is, whatever its content type.
    fn is_wanted(&self, request: &Request, response: &Response) -> bool {
        let content_type = response.headers.get("content-type");
        request.url.path() == "/robots.txt" || body::is_wanted(content_type, &self.accepted)
    }

    async fn fill(
        &self,
        response: &mut Response,
        body: Incoming,
        limit: u64,
        deadline: Instant,
    ) -> Result<(), FetchError> {
        let received = body::receive(body, limit, self.timeouts.stall, deadline).await?;
        response.transferred = received.bytes.len() as u64;
        let codings = response.headers.all("content-encoding");
        let _room = match response.headers.get("content-encoding") {
            Some(_) => Some(BODIES.reserve(limit).await),
            None => None,
        };
        let (decoded, completeness) = decode::decode(received.bytes, codings, limit);
        response.body = decoded;
        response.completeness = match received.completeness {
            BodyCompleteness::Whole => completeness,
            cut_or_broken => cut_or_broken,
        };
        Ok(())
    }

    fn remember(&self, url: &Url, headers: &Headers, at: Time) {
        let mut lines = headers.all("set-cookie").peekable();
        if lines.peek().is_some() {
            let mut jar = self.jar();
            lines.for_each(|line| jar.set(url, line, at));
        }
    }

    fn jar(&self) -> MutexGuard<'_, CookieJar> {
        self.cookies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn uri_of(url: &Url) -> Result<Uri, FetchError> {
    let mut url = url.clone();
    url.set_fragment(None);
    if !url.username().is_empty() || url.password().is_some() {
        url.set_username("").map_err(|()| FetchError::BadUrl)?;
        url.set_password(None).map_err(|()| FetchError::BadUrl)?;
    }
    url.as_str().parse().map_err(|_| FetchError::BadUrl)
}

fn method_of(method: Method) -> http::Method {
    match method {
        Method::Get => http::Method::GET,
        Method::Post => http::Method::POST,
    }
}

/// Headers as text: UTF-8 where it is valid, else one character per byte.
fn lines_of(headers: &HeaderMap) -> Headers {
    let text = |value: &HeaderValue| match std::str::from_utf8(value.as_bytes()) {
        Ok(text) => text.to_string(),
        Err(_) => value.as_bytes().iter().map(|byte| char::from(*byte)).collect(),
    };
    Headers(headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect())
}

fn peer_of(captured: &CaptureConnection) -> Option<IpAddr> {
    let mut extras = http::Extensions::new();
    captured.connection_metadata().as_ref()?.get_extras(&mut extras);
    extras.get::<connection::PeerAddress>()?.0
}
