//! A client of databases that knows what it looks for: it reads every page, by the truth.
#![allow(dead_code, reason = "each scenario uses some of it")]

use hadal_core::html;
use hadal_core::http::{Request, Response};
use hadal_core::page::{FieldKind, Form, Page};
use hadal_core::submission::{FilledForm, submission};
use hadal_core::time::Time;
use hadal_world::database::Database;
use url::Url;

/// Where the database is in these tests.
pub fn home() -> Url {
    Url::parse("http://db.example/").unwrap()
}

/// A page that came, and where from.
pub struct Came {
    pub url: Url,
    pub response: Response,
    pub page: Page,
}

impl Came {
    pub fn body(&self) -> String {
        String::from_utf8_lossy(&self.response.body).into_owned()
    }
}

/// One request, redirects followed.
pub fn fetch(database: &Database, mut request: Request, at: Time) -> Came {
    for _ in 0..3 {
        let response = database.respond(&request, at);
        match response.headers.get("location") {
            Some(location) => request = Request::get(request.url.join(location).unwrap()),
            None => {
                let page = html::parse(&response.body, response.headers.get("content-type"), &request.url);
                return Came { url: request.url, response, page };
            }
        }
    }
    panic!("a circle of redirects");
}

/// The search form of a page.
pub fn search_form(page: &Page) -> Form {
    let is_search =
        |form: &&Form| form.fields.iter().any(|f| matches!(f.kind, FieldKind::Text | FieldKind::Select));
    page.forms.iter().find(is_search).expect("every page has its form").clone()
}

/// Words put into the box of the home page's form.
pub fn ask(database: &Database, words: &str, at: Time) -> Came {
    let came = fetch(database, Request::get(home()), at);
    let form = search_form(&came.page);
    let at_box = form.fields.iter().position(|field| field.kind == FieldKind::Text).unwrap();
    fetch(database, submission(&form, &FilledForm::of(at_box, words), "utf-8"), at)
}

/// The record numbers on a page of results, in order: by link, or by reference where there are no links.
pub fn records(database: &Database, came: &Came) -> Vec<u32> {
    let by_link = came.page.links.iter().filter_map(|link| database.record_at(&link.url));
    let mut found: Vec<u32> = by_link.collect();
    if found.is_empty() {
        let text = came.body();
        let reference = database.reference(0);
        let marks = text.match_indices(&reference[..4]);
        found = marks.filter_map(|(at, _)| database.record_in(&text[at..])).collect();
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|record| seen.insert(*record));
    found
}

/// The request for the next page: a declared one, one that says so, the number after the one that is no
/// link, or a button.
pub fn next(came: &Came, page: usize) -> Option<Request> {
    let labels = ["Next", "Next page »", "More results"];
    let links = || came.page.links.iter();
    let declared = links().find(|link| link.context.rel == "next");
    let named = || links().find(|link| labels.contains(&link.context.anchor.trim()));
    let number = (page + 2).to_string();
    let numbered = || links().find(|link| link.context.anchor.trim() == number);
    if let Some(link) = declared.or_else(named).or_else(numbered) {
        return Some(Request::get(link.url.clone()));
    }
    came.page.forms.iter().find_map(|form| {
        let submits = || form.fields.iter().enumerate().filter(|(_, field)| field.kind == FieldKind::Submit);
        let texts = form.fields.iter().any(|field| field.kind == FieldKind::Text);
        let named = submits().find(|(_, field)| labels.contains(&field.value.as_str()));
        let offset = submits()
            .filter(|(_, field)| !field.name.is_empty())
            .find(|(_, field)| field.value.parse() == Ok(page + 1) || field.value.parse() == Ok(page + 2));
        let (button, _) = named.or(offset).filter(|_| !texts)?;
        Some(submission(form, &FilledForm { values: vec![], button: Some(button) }, "utf-8"))
    })
}
