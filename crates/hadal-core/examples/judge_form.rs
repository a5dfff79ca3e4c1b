//! Judges the forms of a page for a built-in topic: `cargo run --example judge_form`.

use hadal_core::critic::Critic;
use hadal_core::critic::trained::{CriticTarget, TrainedCritic};
use hadal_core::html::parse;
use url::Url;

const PAGE: &str = r#"<!doctype html><html lang="en"><title>Town library</title>
<form action="/search"><label>Author <input name="author"></label>
<label>Title <input name="title"></label><button>Search books</button></form>
<form action="/login" method="post">User <input name="user"> Password <input type="password" name="pw"></form>"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let critic = TrainedCritic::new(CriticTarget::built_in("book").ok_or("book is a built-in topic")?);
    let page = parse(PAGE.as_bytes(), None, &Url::parse("http://library.example/")?);
    let about_page = critic.judge_page(&page);
    println!("p(page on topic) = {:.2}", about_page.p_topic);
    for form in &page.forms {
        let verdict = critic.judge_form(form, &page, &about_page);
        println!(
            "{}: kind {}, p_searchable {:.2}, p_relevant {:.2}",
            form.action,
            verdict.kind.name(),
            verdict.p_searchable,
            verdict.p_relevant
        );
    }
    Ok(())
}
