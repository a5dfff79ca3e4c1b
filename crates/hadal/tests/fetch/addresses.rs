//! Permitted and refused connections: private addresses, ports, reroutes, proxies.

use crate::fixture::{Server, Then, answer, fetch, get, options, page};
use hadal::fetch::network::{Network, NetworkOptions, Proxies};
use hadal::polite::{ClientOptions, Clock, NotSent, PoliteClient, Politeness};
use hadal_core::http::FetchError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use url::Url;

async fn refusal(options: &NetworkOptions, url: &str) -> Option<FetchError> {
    fetch(options.clone(), &get(url)).await.result.err()
}

#[tokio::test]
async fn private_addresses_are_refused_in_every_spelling() {
    let server = Server::answering(page("secret"), Then::Close).await;
    let port = server.addr.port();
    for host in [
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "0177.0.0.1",
        "0",
        "0.0.0.0",
        "10.0.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00::1]",
        "127.0.0.1.",
        "%31%32%37.0.0.1",
        "\u{ff11}27.0.0.1",
        "localhost",
        "LOCALHOST",
        "shop.localhost",
    ] {
        let url = format!("http://{host}:{port}/");
        assert_eq!(
            refusal(&NetworkOptions::default(), &url).await,
            Some(FetchError::PrivateAddress),
            "{url}"
        );
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn private_addresses_are_visited_when_allowed() {
    let server = Server::answering(page("mine"), Then::Close).await;
    let options = NetworkOptions { allow_private: true, ..NetworkOptions::default() };
    for host in ["127.0.0.1", "2130706433", "localhost"] {
        let exchange = fetch(options.clone(), &get(&format!("http://{host}:{}/", server.addr.port()))).await;
        assert_eq!(exchange.result.unwrap().body, b"mine", "{host}");
        assert_eq!(exchange.peer, Some(server.addr.ip()), "{host}");
    }
}

#[tokio::test]
async fn ports_of_other_protocols_are_always_refused() {
    let server = Server::answering(page("x"), Then::Close).await;
    let anywhere = NetworkOptions { allow_private: true, ..options(server.addr) };
    for port in [1, 22, 25, 110, 6667] {
        let url = format!("http://shop.example:{port}/");
        assert_eq!(refusal(&anywhere, &url).await, Some(FetchError::BadPort), "{url}");
    }
}

#[tokio::test]
async fn addresses_other_than_http_are_refused() {
    for url in ["ftp://shop.example/", "file:///etc/hosts", "mailto:a@b.example"] {
        assert_eq!(refusal(&NetworkOptions::default(), url).await, Some(FetchError::BadUrl), "{url}");
    }
}

#[tokio::test]
async fn a_rerouted_host_keeps_its_name_and_needs_no_permission() {
    let server = Server::answering(page("x"), Then::Close).await;
    let rule = format!("*.example={}", server.addr).parse().unwrap();
    let options = NetworkOptions { connect_to: vec![rule], ..NetworkOptions::default() };
    fetch(options.clone(), &get("http://shop.example:8123/")).await.result.unwrap();
    assert!(server.requests()[0].contains("host: shop.example:8123\r\n"));
    let network = Network::new(options).unwrap();
    assert!(network.is_rerouted(&Url::parse("http://shop.example/").unwrap()));
    assert!(!network.is_rerouted(&Url::parse("http://example/").unwrap()));
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_refused() {
    let secret = Server::answering(page("secret"), Then::Close).await;
    let location = format!("Location: http://{}/robots.txt", secret.addr);
    let server = Server::answering(answer("302 Found", &[&location], b""), Then::Close).await;
    let rule = format!("*.example={}", server.addr).parse().unwrap();
    let options = NetworkOptions { connect_to: vec![rule], ..NetworkOptions::default() };
    let pauses = Politeness { delay: Duration::ZERO, ..Politeness::default() };
    let client_options = ClientOptions::new(pauses, "hadal", 1 << 20);
    let network = Arc::new(Network::new(options).unwrap());
    let client = PoliteClient::new(network, client_options, watch::channel(false).1);
    let sent = client.send(&get("http://shop.example/"), &mut Clock::Real).await;
    assert_eq!(sent.result.unwrap_err(), NotSent::Unreachable(FetchError::PrivateAddress));
    assert_eq!((server.requests().len(), secret.connections()), (1, 0));
}

#[tokio::test]
async fn a_proxy_gets_whole_urls_and_its_password() {
    let proxy = Server::answering(page("through"), Then::Close).await;
    let proxies = Proxies::all(&format!("http://me:pass@{}", proxy.addr), "").unwrap();
    let options = NetworkOptions { proxies, ..NetworkOptions::default() };
    let exchange = fetch(options, &get("http://shop.example/a?b")).await;
    assert_eq!(exchange.result.unwrap().body, b"through");
    assert_eq!(exchange.peer, None);
    let asked = proxy.requests().remove(0);
    assert!(asked.starts_with("GET http://shop.example/a?b HTTP/1.1\r\n"), "{asked}");
    assert!(asked.contains("proxy-authorization: Basic bWU6cGFzcw==\r\n"), "{asked}");
}

#[tokio::test]
async fn behind_a_proxy_private_literals_are_refused_all_the_same() {
    let proxy = Server::answering(page("secret"), Then::Close).await;
    let proxies = Proxies::all(&format!("http://{}", proxy.addr), "").unwrap();
    let options = NetworkOptions { proxies, ..NetworkOptions::default() };
    for url in ["http://127.0.0.1/", "http://0x7f.1/", "https://10.0.0.1/", "http://localhost/"] {
        assert_eq!(refusal(&options, url).await, Some(FetchError::PrivateAddress), "{url}");
    }
    assert!(proxy.requests().is_empty());
}

#[tokio::test]
async fn a_reroute_goes_around_the_proxy() {
    let server = Server::answering(page("direct"), Then::Close).await;
    let proxies = Proxies::all("http://127.0.0.1:9", "").unwrap();
    let options = NetworkOptions { proxies, ..options(server.addr) };
    let exchange = fetch(options, &get("http://shop.example/")).await;
    assert_eq!(exchange.result.unwrap().body, b"direct");
    assert!(server.requests()[0].starts_with("GET / HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_proxy_that_refuses_a_tunnel_cannot_be_connected_through() {
    let proxy = Server::answering("HTTP/1.1 403 Forbidden\r\n\r\n", Then::Close).await;
    let proxies = Proxies::all(&format!("http://{}", proxy.addr), "").unwrap();
    let options = NetworkOptions { proxies, ..NetworkOptions::default() };
    assert_eq!(refusal(&options, "https://shop.example/").await, Some(FetchError::Proxy));
    assert!(proxy.requests()[0].starts_with("CONNECT shop.example:443 HTTP/1.1\r\n"));
}
