//! Parses a page and prints its links and forms: `cargo run --example parse_page [FILE]`.

use hadal_core::html::parse;
use url::Url;

const PAGE: &str = r#"<!doctype html><html lang="en"><title>Town library</title>
<h1>Catalogue</h1>
<p>See also our <a href="/opening-hours">opening hours</a>.</p>
<form action="/search"><label>Author <input name="author"></label>
<label>Title <input name="title"></label><button>Search books</button></form>"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let body = match std::env::args().nth(1) {
        Some(file) => std::fs::read(file)?,
        None => PAGE.as_bytes().to_vec(),
    };
    let page = parse(&body, Some("text/html; charset=utf-8"), &Url::parse("http://library.example/")?);
    println!("title: {}", page.title);
    for link in &page.links {
        println!("link:  {} \"{}\"", link.url, link.context.anchor);
    }
    for form in &page.forms {
        let fields: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
        println!("form:  {:?} {} with {}", form.method, form.action, fields.join(", "));
    }
    Ok(())
}
