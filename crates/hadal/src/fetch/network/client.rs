//! The pooled HTTP client: our dialer, TLS on top, HTTP/2 where the server offers it.

use super::dial::Dialer;
use super::line::Line;
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

pub(super) type Client = legacy::Client<Connector, Full<Bytes>>;

/// Hosts are asked one request at a time: one idle connection each is all that is ever reused.
const IDLE_PER_HOST: usize = 1;
const IDLE_TIME: Duration = Duration::from_secs(20);
const LARGEST_HEAD: usize = 128 * 1024;
const MOST_HEADERS: usize = 200;

pub(super) fn build(dialer: Dialer, options: &NetworkOptions) -> Result<Client, NetworkError> {
    let tls = HttpsConnectorBuilder::new()
        .with_tls_config(tls_config(options.ca_file.as_deref())?)
        .https_or_http()
        .enable_all_versions()
        .wrap_connector(dialer);
    let limit = options.timeouts.dns + options.timeouts.connect;
    Ok(legacy::Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_TIME)
        .pool_max_idle_per_host(IDLE_PER_HOST)
        .http1_max_buf_size(LARGEST_HEAD)
        .http1_max_headers(MOST_HEADERS)
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http2_max_header_list_size(LARGEST_HEAD as u32)
        .build(Connector { tls, limit }))
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

/// The dialer with TLS, and an end to its patience.
#[derive(Clone)]
pub(super) struct Connector {
    tls: HttpsConnector<Dialer>,
    limit: Duration,
}

type BoxError = Box<dyn Error + Send + Sync>;

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<Line>;
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

/// What a failure of the client means: our own verdict where the dialer gave one.
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

/// The first error of a type in a chain of causes, also inside of input/output errors, which
/// leave the error they carry out of the chain.
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
