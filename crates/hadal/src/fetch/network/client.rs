//! Pooled HTTP client over our own connector: TLS, and HTTP/2 where the server offers it.

use super::connect::TcpConnector;
use super::connection::HostConnection;
use super::options::{NetworkError, NetworkOptions};
use bytes::Bytes;
use futures::future::BoxFuture;
use hadal_core::http::FetchError;
use http::Uri;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tower_service::Service;

pub(super) type Client = legacy::Client<TlsConnector, Full<Bytes>>;

/// Maximum number of idle connections kept per host. A host receives one request at a time, so more are never
/// reused.
const MAX_IDLE_PER_HOST: usize = 1;
/// Time for which an idle connection is kept. Guess.
const IDLE_TIME: Duration = Duration::from_secs(20);
/// Maximum number of bytes of response headers. Guess.
const MAX_HEAD_BYTES: usize = 128 * 1024;
/// Maximum number of response headers. Guess.
const MAX_HEADERS: usize = 200;

pub(super) fn build(connector: TcpConnector, options: &NetworkOptions) -> Result<Client, NetworkError> {
    let tls = HttpsConnectorBuilder::new()
        .with_tls_config(tls_config(options.ca_file.as_deref())?)
        .https_or_http()
        .enable_all_versions()
        .wrap_connector(connector);
    let limit = options.timeouts.dns + options.timeouts.connect;
    Ok(legacy::Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_TIME)
        .pool_max_idle_per_host(MAX_IDLE_PER_HOST)
        .http1_max_buf_size(MAX_HEAD_BYTES)
        .http1_max_headers(MAX_HEADERS)
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http2_max_header_list_size(MAX_HEAD_BYTES as u32)
        .build(TlsConnector { tls, limit }))
}

fn tls_config(ca_file: Option<&Path>) -> Result<rustls::ClientConfig, NetworkError> {
    let mut roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = ca_file {
        let failed = |detail: String| NetworkError::CaFile { path: path.to_path_buf(), detail };
        for certificate in CertificateDer::pem_file_iter(path).map_err(|error| failed(error.to_string()))? {
            let certificate = certificate.map_err(|error| failed(error.to_string()))?;
            roots.add(certificate).map_err(|error| failed(error.to_string()))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring supports the default protocol versions");
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Connector with TLS and a time limit.
#[derive(Clone)]
pub(super) struct TlsConnector {
    tls: HttpsConnector<TcpConnector>,
    limit: Duration,
}

type BoxError = Box<dyn Error + Send + Sync>;

impl Service<Uri> for TlsConnector {
    type Response = MaybeHttpsStream<HostConnection>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Self::Response, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tls.poll_ready(cx)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = tokio::time::timeout(self.limit, self.tls.call(uri));
        Box::pin(async move { connecting.await.unwrap_or_else(|_| Err(FetchError::ConnectTimeout.into())) })
    }
}

/// Error of a failed request. The connector's own error wins where there is one.
pub(super) fn error_of(error: &legacy::Error) -> FetchError {
    if let Some(error) = cause::<FetchError>(error) {
        return *error;
    }
    if cause::<rustls::Error>(error).is_some() {
        return FetchError::Tls;
    }
    if error.is_connect() {
        return FetchError::Connect;
    }
    match cause::<hyper::Error>(error) {
        Some(error) if error.is_parse() || error.is_user() => FetchError::Protocol,
        _ => FetchError::Closed,
    }
}

/// First error of type `E` in a chain of causes. An IO error does not name the error that it wraps as its
/// cause, so it is unwrapped here.
fn cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut link = Some(error);
    while let Some(error) = link {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        let carried = error.downcast_ref::<std::io::Error>().and_then(|error| error.get_ref());
        link = match carried {
            Some(carried) => Some(carried),
            None => error.source(),
        };
    }
    None
}
