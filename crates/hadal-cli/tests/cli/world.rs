//! The simulated web from the command line.
use crate::program::Place;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

#[test]
fn the_truth_is_listed_and_depends_only_on_the_seed() {
    let place = Place::new();
    let truth =
        |seed: &str| place.run(&["world", "truth", "--scale", "tiny", "--json", "--seed", seed]).done();
    let first = truth("3");
    let form: serde_json::Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert_eq!(form["form_id"].as_str().unwrap().len(), 16);
    assert_eq!(truth("3"), first);
    assert_ne!(truth("4"), first);
    let of_topic = place.run(&["world", "truth", "--scale", "tiny", "--json", "--topic", "hotel"]).done();
    assert!(of_topic.lines().all(|line| line.contains("\"topic\":\"hotel\"")), "{of_topic}");
}

#[test]
fn a_misspelt_topic_gets_a_suggestion() {
    Place::new().run(&["world", "truth", "--topic", "hotle"]).refused(&["did you mean 'hotel'?"]);
    Place::new().run(&["world", "serve", "--topic", "bok"]).refused(&["did you mean 'book'?"]);
}

#[test]
fn a_served_world_answers_for_its_hosts() {
    let place = Place::new();
    let args = ["world", "serve", "--scale", "tiny", "--listen", "127.0.0.1:0", "--json"];
    let mut child = place.command(&args).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let event: serde_json::Value = serde_json::from_str(&line).unwrap();
    let seed = url::Url::parse(event["seeds"][0].as_str().unwrap()).unwrap();

    let mut stream = TcpStream::connect(event["addr"].as_str().unwrap()).unwrap();
    let host = seed.host_str().unwrap();
    write!(stream, "GET {} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n", seed.path()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(
        answer.starts_with(b"HTTP/1.1 "),
        "{}",
        String::from_utf8_lossy(&answer[..answer.len().min(200)])
    );

    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn databases_are_served_on_hosts_of_their_own() {
    let place = Place::new();
    let args = ["world", "serve", "--scale", "tiny", "--listen", "127.0.0.1:0", "--json", "--databases", "2"];
    let mut child = place.command(&args).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let event: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(event["databases"], serde_json::json!(["http://db1.example/", "http://db2.example/"]));

    let mut stream = TcpStream::connect(event["addr"].as_str().unwrap()).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: db1.example\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("<form"), "{answer}");
}
