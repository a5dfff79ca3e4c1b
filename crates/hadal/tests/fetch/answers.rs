//! Responses of every quality: correct, wrong, endless, or not HTTP.

use crate::fixture::{Server, Then, answer, body_of, fetch, get, impatient, options, outcome, page};
use flate2::Compression;
use flate2::write::GzEncoder;
use hadal::fetch::Fetch;
use hadal::fetch::network::Network;
use hadal_core::http::{BodyCompleteness, FetchError, Headers, Method, Request};
use hadal_core::time::Time;
use std::io::Write;
use std::time::Duration;

const SOON: Duration = Duration::from_millis(100);

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(plain).unwrap();
    gzip.finish().unwrap()
}

#[tokio::test]
async fn a_page_is_fetched_with_an_honest_name() {
    let server = Server::answering(page("<p>hello"), Then::Close).await;
    let mut options = options(server.addr);
    options.contact = Some("https://owner.example/".to_string());
    options.headers = vec![("X-Extra".to_string(), "yes".to_string())];
    let exchange = fetch(options, &get("http://user:secret@shop.example/a%20b?c=d|e#part")).await;
    let response = exchange.result.unwrap();
    assert_eq!((response.status, response.body.as_slice()), (200, &b"<p>hello"[..]));
    assert_eq!((response.completeness, response.transferred), (BodyCompleteness::Whole, 8));
    assert_eq!(response.headers.get("Content-Type"), Some("text/html"));
    assert_eq!(exchange.peer, None, "a rerouted host has no address of its own");
    let asked = server.requests().remove(0).to_lowercase();
    let agent = format!("user-agent: hadal/{} (+https://owner.example/)", env!("CARGO_PKG_VERSION"));
    for line in ["get /a%20b?c=d|e http/1.1", "host: shop.example", &agent, "x-extra: yes"] {
        assert!(asked.lines().any(|asked| asked == line), "{line} in {asked}");
    }
    assert!(!asked.contains("secret") && !asked.contains("cookie"));
}

#[tokio::test]
async fn a_form_is_posted() {
    let server = Server::answering(page(""), Then::Close).await;
    let body = b"q=used+books".to_vec();
    let request = Request { method: Method::Post, body, ..get("http://shop.example/search") };
    fetch(options(server.addr), &request).await.result.unwrap();
    let asked = server.requests().remove(0);
    assert!(asked.starts_with("POST /search HTTP/1.1\r\n") && asked.ends_with("\r\n\r\nq=used+books"));
    assert!(asked.contains("content-type: application/x-www-form-urlencoded\r\n"));
}

#[tokio::test]
async fn a_requests_own_lines_replace_ours() {
    let server = Server::answering(page(""), Then::Close).await;
    let mut request = Request { method: Method::Post, body: b"{}".to_vec(), ..get("http://shop.example/") };
    request.headers.push("Content-Type", "application/json");
    request.headers.push("Host", "other.example");
    fetch(options(server.addr), &request).await.result.unwrap();
    let asked = server.requests().remove(0);
    let of = |name: &str| asked.lines().filter(|line| line.starts_with(name)).collect::<Vec<_>>();
    assert_eq!(of("content-type"), ["content-type: application/json"]);
    assert_eq!(of("host"), ["host: shop.example"]);
}

#[tokio::test]
async fn conditions_go_out_and_not_modified_comes_back() {
    let server = Server::answering("HTTP/1.1 304 Not Modified\r\nETag: \"7\"\r\n\r\n", Then::Close).await;
    let mut request = get("http://shop.example/");
    request.headers = Headers(vec![("If-None-Match".to_string(), "\"7\"".to_string())]);
    let response = fetch(options(server.addr), &request).await.result.unwrap();
    assert_eq!((response.status, response.completeness), (304, BodyCompleteness::Whole));
    assert!(server.requests()[0].contains("if-none-match: \"7\"\r\n"));
}

#[tokio::test]
async fn a_redirect_is_reported_not_followed() {
    let server = Server::answering(answer("302 Found", &["Location: /next"], b""), Then::Hold).await;
    let response = fetch(options(server.addr), &get("http://shop.example/")).await.result.unwrap();
    assert_eq!((response.status, response.headers.get("location")), (302, Some("/next")));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let server = Server::answering(page("x"), Then::Hold).await;
    let network = Network::new(options(server.addr)).unwrap();
    for _ in 0..3 {
        network.fetch(&get("http://shop.example/"), Time(0)).await.result.unwrap();
    }
    assert_eq!((server.requests().len(), server.connections()), (3, 1));
}

#[tokio::test]
async fn idle_connections_are_few_for_any_number_of_hosts() {
    let server = Server::answering(page("x"), Then::Hold).await;
    let network = Network::new(options(server.addr)).unwrap();
    for n in 0..300 {
        network.fetch(&get(&format!("http://host{n}.example/")), Time(0)).await.result.unwrap();
    }
    let most_are_closed = async {
        for _ in 0..300 - 256 {
            server.connection_closed().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), most_are_closed)
        .await
        .expect("the surplus is closed at once");
}

#[tokio::test]
async fn cookies_go_back_to_the_host_that_set_them() {
    let set = [
        "Content-Type: text/html",
        "Set-Cookie: id=7; Path=/",
        "Set-Cookie: s=8; Domain=example.org; Path=/",
    ];
    let server = Server::answering(answer("200 OK", &set, b""), Then::Hold).await;
    let network = Network::new(options(server.addr)).unwrap();
    for url in
        ["http://a.example.org/", "http://a.example.org/x", "http://b.example.org/", "http://c.example.com/"]
    {
        network.fetch(&get(url), Time(0)).await.result.unwrap();
    }
    let sent: Vec<Option<String>> = server.requests().iter().map(|asked| cookie_line(asked)).collect();
    let [first, again, sister, stranger] = [None, Some("id=7; s=8"), Some("s=8"), None];
    assert_eq!(sent, [first, again, sister, stranger].map(|line: Option<&str>| line.map(String::from)));
}

fn cookie_line(asked: &str) -> Option<String> {
    asked.lines().find_map(|line| line.strip_prefix("cookie: ")).map(String::from)
}

#[tokio::test]
async fn a_body_is_cut_at_the_limit_and_whole_just_below() {
    let server = Server::answering(page(&"x".repeat(1000)), Then::Close).await;
    for (body_limit, length, completeness) in [
        (999, 999, BodyCompleteness::Cut),
        (1000, 1000, BodyCompleteness::Whole),
        (0, 0, BodyCompleteness::Cut),
    ] {
        let request = Request { body_limit, ..get("http://shop.example/") };
        let response = fetch(options(server.addr), &request).await.result.unwrap();
        assert_eq!((response.body.len(), response.completeness), (length, completeness));
        assert_eq!(response.transferred, length as u64);
    }
}

#[tokio::test]
async fn an_endless_body_is_cut_and_the_connection_dropped() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let server = Server::answering(head, Then::Repeat(vec![b'x'; 65536])).await;
    let request = Request { body_limit: 100_000, ..get("http://shop.example/") };
    let response = fetch(options(server.addr), &request).await.result.unwrap();
    assert_eq!((response.body.len(), response.completeness), (100_000, BodyCompleteness::Cut));
    server.connection_closed().await;
}

#[tokio::test]
async fn compressed_bodies_are_charged_as_they_came() {
    let plain = "<p>again and again</p>".repeat(500);
    let coded = gzip(plain.as_bytes());
    let length = coded.len() as u64;
    let response = outcome(answer("200 OK", &["Content-Encoding: gzip"], &coded), Then::Close).await.unwrap();
    assert_eq!(response.body, plain.as_bytes());
    assert_eq!((response.transferred, response.completeness), (length, BodyCompleteness::Whole));
}

#[tokio::test]
async fn a_decompression_bomb_is_cut() {
    let bomb = answer("200 OK", &["Content-Encoding: gzip"], &gzip(&vec![0; 20_000_000]));
    let server = Server::answering(bomb, Then::Close).await;
    let request = Request { body_limit: 100_000, ..get("http://shop.example/") };
    let response = fetch(options(server.addr), &request).await.result.unwrap();
    assert_eq!((response.body.len(), response.completeness), (100_000, BodyCompleteness::Cut));
}

#[tokio::test]
async fn a_damaged_compressed_body_keeps_its_readable_part() {
    let plain: String = (0..50_000).map(|n| format!("{} ", n * 7919 % 10_007)).collect();
    let mut coded = gzip(plain.as_bytes());
    let middle = coded.len() / 2;
    coded.truncate(middle);
    let (body, completeness) =
        body_of(answer("200 OK", &["Content-Encoding: gzip"], &coded), Then::Close).await;
    assert_eq!(completeness, BodyCompleteness::Broken);
    assert!(body.len() > 1000 && plain.starts_with(&body));
}

#[tokio::test]
async fn an_unwanted_type_is_not_downloaded() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n";
    let server = Server::answering(head, Then::Repeat(vec![0; 65536])).await;
    let response = fetch(options(server.addr), &get("http://shop.example/")).await.result.unwrap();
    assert_eq!((response.completeness, response.transferred), (BodyCompleteness::Unwanted, 0));
    server.connection_closed().await;
}

#[tokio::test]
async fn robots_txt_is_read_whatever_it_is_called() {
    let rules = answer("200 OK", &["Content-Type: application/octet-stream"], b"User-agent: *");
    let server = Server::answering(rules, Then::Close).await;
    let response = fetch(options(server.addr), &get("http://shop.example/robots.txt")).await.result.unwrap();
    assert_eq!(response.body, b"User-agent: *");
}

#[tokio::test]
async fn a_length_that_promises_too_much_leaves_a_broken_body() {
    let (body, completeness) =
        body_of("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", Then::Close).await;
    assert_eq!((body.as_str(), completeness), ("half", BodyCompleteness::Broken));
}

#[tokio::test]
async fn the_body_ends_at_its_content_length() {
    let (body, completeness) =
        body_of("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhalf and more", Then::Close).await;
    assert_eq!((body.as_str(), completeness), ("half", BodyCompleteness::Whole));
}

#[tokio::test]
async fn lengths_that_contradict_each_other_are_no_http() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nhello";
    assert_eq!(outcome(answer, Then::Close).await, Err(FetchError::Protocol));
}

#[tokio::test]
async fn a_body_without_a_length_ends_with_the_connection() {
    let (body, completeness) = body_of("HTTP/1.0 200 OK\r\n\r\n<p>all of it", Then::Close).await;
    assert_eq!((body.as_str(), completeness), ("<p>all of it", BodyCompleteness::Whole));
}

#[tokio::test]
async fn chunks_are_joined_and_damaged_ones_break_the_body() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
    let (body, completeness) = body_of(format!("{chunked}2\r\nde\r\n0\r\n\r\n"), Then::Hold).await;
    assert_eq!((body.as_str(), completeness), ("abcde", BodyCompleteness::Whole));
    for garbage in ["zz\r\nabc\r\n", "ffffffffffffffffff\r\nabc", "5\r\nab"] {
        let (body, completeness) = body_of(format!("{chunked}{garbage}"), Then::Close).await;
        assert!(body.starts_with("abc"), "{garbage}: {body}");
        assert_eq!(completeness, BodyCompleteness::Broken, "{garbage}");
    }
}

#[tokio::test]
async fn floods_of_headers_are_no_http() {
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-Line: 1\r\n".repeat(10_000));
    assert_eq!(outcome(many, Then::Hold).await, Err(FetchError::Protocol));
    let long = format!("HTTP/1.1 200 OK\r\nX-Line: {}\r\n\r\n", "x".repeat(1 << 20));
    assert_eq!(outcome(long, Then::Hold).await, Err(FetchError::Protocol));
    let endless = Then::Repeat(b"X-Line: 1\r\n".repeat(100));
    assert_eq!(outcome("HTTP/1.1 200 OK\r\n", endless).await, Err(FetchError::Protocol));
}

#[tokio::test]
async fn preliminary_answers_are_passed_over() {
    let hints = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    let (body, _) = body_of([hints.as_bytes(), &page("<p>final")].concat(), Then::Close).await;
    assert_eq!(body, "<p>final");
}

#[tokio::test]
async fn endless_preliminary_answers_time_out() {
    let hint = "HTTP/1.1 103 Early Hints\r\n\r\n";
    let server = Server::answering(hint, Then::Repeat(hint.into())).await;
    let options = impatient(server.addr, |timeouts| timeouts.answer = SOON);
    let exchange = fetch(options, &get("http://shop.example/")).await;
    assert_eq!(exchange.result, Err(FetchError::AnswerTimeout));
}

#[tokio::test]
async fn a_response_that_is_not_http_is_reported() {
    for garbage in [
        "<html>HTTP/0.9 knew no headers</html>",
        "SSH-2.0-OpenSSH_9.0\r\n",
        "\0\0\0\0\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
    ] {
        assert_eq!(outcome(garbage, Then::Close).await, Err(FetchError::Protocol), "{garbage}");
    }
}

#[tokio::test]
async fn a_connection_closed_without_a_response_is_reported_as_closed() {
    for beginning in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Ty"] {
        assert_eq!(outcome(beginning, Then::Close).await, Err(FetchError::Closed), "{beginning}");
    }
}

#[tokio::test]
async fn a_refused_connection_is_reported() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    drop(listener);
    let exchange = fetch(options(addr), &get("http://shop.example/")).await;
    assert_eq!((exchange.result, exchange.peer), (Err(FetchError::Connect), None));
}

#[tokio::test]
async fn silence_after_the_request_times_out() {
    let server = Server::answering("", Then::Hold).await;
    let options = impatient(server.addr, |timeouts| timeouts.answer = SOON);
    let exchange = fetch(options, &get("http://shop.example/")).await;
    assert_eq!(exchange.result, Err(FetchError::AnswerTimeout));
    assert!(exchange.took >= SOON);
}

#[tokio::test]
async fn a_timeout_within_the_body_keeps_the_received_part() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", Then::Hold).await;
    let options = impatient(server.addr, |timeouts| timeouts.stall = SOON);
    let exchange = fetch(options, &get("http://shop.example/")).await;
    let response = exchange.result.unwrap();
    assert_eq!((response.completeness, response.transferred), (BodyCompleteness::Broken, 4));
}

#[tokio::test]
async fn a_body_that_never_ends_is_cut_and_its_bytes_are_charged() {
    let server = Server::answering("HTTP/1.1 200 OK\r\n\r\n", Then::Trickle(Duration::from_millis(5))).await;
    let options = impatient(server.addr, |timeouts| timeouts.total = SOON);
    let exchange = fetch(options, &get("http://shop.example/")).await;
    let response = exchange.result.unwrap();
    assert_eq!(response.completeness, BodyCompleteness::Broken);
    assert_eq!(response.transferred, response.body.len() as u64);
}

#[tokio::test]
async fn a_total_timeout_during_connection_is_reported() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let options = impatient(listener.local_addr().unwrap(), |timeouts| timeouts.total = SOON);
    let exchange = fetch(options, &get("https://shop.example/")).await;
    assert_eq!(exchange.result, Err(FetchError::ConnectTimeout));
}

#[tokio::test]
async fn a_tls_handshake_that_never_ends_times_out() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let options = impatient(listener.local_addr().unwrap(), |timeouts| {
        timeouts.dns = SOON;
        timeouts.connect = SOON;
    });
    let exchange = fetch(options, &get("https://shop.example/")).await;
    assert_eq!(exchange.result, Err(FetchError::ConnectTimeout));
}
