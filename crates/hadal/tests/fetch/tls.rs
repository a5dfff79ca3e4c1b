//! TLS, HTTP/2 and tunnels, with a certificate authority of the test.

use crate::fixture::{fetch, get, options};
use bytes::Bytes;
use hadal::fetch::network::{Network, NetworkError, NetworkOptions, Proxies};
use hadal_core::http::FetchError;
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use std::convert::Infallible;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use tempfile::NamedTempFile;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// Server for `shop.example` that responds with the protocol version of the request.
struct SecureShop {
    addr: SocketAddr,
    ca_file: NamedTempFile,
}

impl SecureShop {
    async fn open(protocols: &[&str]) -> SecureShop {
        let (config, ca_pem) = certified(protocols);
        let mut ca_file = NamedTempFile::new().unwrap();
        ca_file.write_all(ca_pem.as_bytes()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(say_version(stream, acceptor.clone()));
            }
        });
        SecureShop { addr, ca_file }
    }

    fn trusted(&self) -> NetworkOptions {
        NetworkOptions { ca_file: Some(self.ca_file.path().to_path_buf()), ..options(self.addr) }
    }
}

async fn say_version(stream: TcpStream, acceptor: TlsAcceptor) {
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let service = service_fn(|request: http::Request<hyper::body::Incoming>| async move {
        let said = format!("{:?} for {}", request.version(), request.uri().path());
        Ok::<_, Infallible>(http::Response::new(Full::new(Bytes::from(said))))
    });
    let _ = auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

fn certified(protocols: &[&str]) -> (rustls::ServerConfig, String) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().unwrap();
    let ca_pem = authority.self_signed(&authority_key).unwrap().pem();
    let key = KeyPair::generate().unwrap();
    let shop = CertificateParams::new(vec!["shop.example".to_string()]).unwrap();
    let certificate = shop.signed_by(&key, &Issuer::new(authority, authority_key)).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let mut config =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    (config, ca_pem)
}

async fn said(options: NetworkOptions, url: &str) -> Result<String, FetchError> {
    let response = fetch(options, &get(url)).await.result?;
    Ok(String::from_utf8(response.body).unwrap())
}

#[tokio::test]
async fn http_2_is_spoken_where_it_is_offered() {
    let shop = SecureShop::open(&["h2", "http/1.1"]).await;
    assert_eq!(said(shop.trusted(), "https://shop.example/a").await.as_deref(), Ok("HTTP/2.0 for /a"));
}

#[tokio::test]
async fn http_1_is_spoken_elsewhere() {
    for protocols in [&["http/1.1"][..], &[]] {
        let shop = SecureShop::open(protocols).await;
        assert_eq!(said(shop.trusted(), "https://shop.example/a").await.as_deref(), Ok("HTTP/1.1 for /a"));
    }
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_refused() {
    let shop = SecureShop::open(&[]).await;
    assert_eq!(said(options(shop.addr), "https://shop.example/").await, Err(FetchError::Tls));
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let shop = SecureShop::open(&[]).await;
    assert_eq!(said(shop.trusted(), "https://bank.example/").await, Err(FetchError::Tls));
}

#[tokio::test]
async fn a_server_without_tls_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        let _ = stream.read_u8().await;
    });
    assert_eq!(said(options(addr), "https://shop.example/").await, Err(FetchError::Tls));
}

#[tokio::test]
async fn https_goes_through_a_proxy_in_a_tunnel() {
    let shop = SecureShop::open(&["h2"]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let target = shop.addr;
    let tunnel = tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(client.read_u8().await.unwrap());
        }
        client.write_all(b"HTTP/1.1 200 Go\r\n\r\n").await.unwrap();
        let mut server = TcpStream::connect(target).await.unwrap();
        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
        String::from_utf8(head).unwrap()
    });
    let proxies = Proxies::all(&proxy, "").unwrap();
    let options = NetworkOptions { proxies, connect_to: Vec::new(), ..shop.trusted() };
    assert_eq!(said(options, "https://shop.example/a").await.as_deref(), Ok("HTTP/2.0 for /a"));
    assert!(tunnel.await.unwrap().starts_with("CONNECT shop.example:443 HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_certificate_file_that_cannot_be_used_is_named() {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(b"-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----\n").unwrap();
    for path in [file.path().to_path_buf(), "/no/such/file.pem".into()] {
        let options = NetworkOptions { ca_file: Some(path.clone()), ..NetworkOptions::default() };
        let Err(NetworkError::CaFile { path: named, .. }) = Network::new(options) else { panic!("{path:?}") };
        assert_eq!(named, path);
    }
}
