//! Hand-written pages with search forms, in folders and on a small server.
#![allow(dead_code, reason = "every test binary uses a part of it")]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;

/// Search forms about volcanoes.
pub const VOLCANOES: [(&str, &str); 8] = [
    ("Volcano finder", "Volcano name, country, last eruption"),
    ("World volcanoes database", "Search volcanoes by eruption year and magma"),
    ("Eruption catalogue", "Eruption date, volcano, lava type"),
    ("Lava and magma archive", "Find a volcano: crater, elevation, eruption"),
    ("Active volcanoes", "Volcano region, eruption status, alert level"),
    ("Volcano observatory", "Look up a volcano or an eruption"),
    ("Craters and calderas", "Volcano crater name, lava, caldera"),
    ("Volcanic events", "Eruption, ash cloud, volcano name"),
];

/// Search forms about other topics.
pub const OTHERS: [(&str, &str); 6] = [
    ("Jobs in your city", "Job title, salary, company"),
    ("Hotel rooms", "Hotel, check-in, check-out, guests"),
    ("Used cars", "Make, model, mileage, price"),
    ("Library catalogue", "Author, title, ISBN"),
    ("Cheap flights", "From airport, to airport, departure, passengers"),
    ("Recipes", "Ingredient, cuisine, diet"),
];

/// A page with one search form, and a login before it.
pub fn page((title, asked): (&str, &str)) -> String {
    let fields: String = asked
        .split(", ")
        .enumerate()
        .map(|(n, label)| format!("<label>{label} <input name=f{n}></label> "))
        .collect();
    format!(
        "<!doctype html><html lang=en><title>{title}</title><body><h1>{title}</h1>
        <form action=/login method=post>User <input name=user> Password <input type=password name=pass>
        <input type=submit value='Log in'></form>
        <p>Welcome to {title}. {asked}: all of it can be searched here.</p>
        <form action=/search method=get>{fields}<input type=submit value=Search></form>"
    )
}

/// Writes pages into a folder as 0.html, 1.html, ...
pub fn write_pages(folder: &Path, pages: &[(&str, &str)]) {
    std::fs::create_dir_all(folder).unwrap();
    for (number, about) in pages.iter().enumerate() {
        std::fs::write(folder.join(format!("{number}.html")), page(*about)).unwrap();
    }
}

/// Serves pages by path on a free port as long as the test runs.
pub fn serve(answers: HashMap<String, String>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that is gone needs no response.
            answer(stream, &answers).ok();
        }
    });
    addr
}

fn answer(mut stream: TcpStream, answers: &HashMap<String, String>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let asked = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = asked.split(' ').nth(1).unwrap_or_default();
    let answer = match answers.get(path) {
        Some(target) if target.starts_with("http://") => {
            format!(
                "HTTP/1.1 302 Found\r\nlocation: {target}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            )
        }
        Some(body) => {
            let kind = if path.ends_with(".txt") { "text/plain" } else { "text/html" };
            format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            )
        }
        None => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_string(),
    };
    stream.write_all(answer.as_bytes())
}
