//! Test client of databases, which maps results to record numbers with the ground truth.
#![allow(dead_code, reason = "no test file uses all of it")]

use hadal_core::html;
use hadal_core::http::{Request, Response};
use hadal_core::page::{FieldKind, Form, Page};
use hadal_core::submission::{FilledForm, submission};
use hadal_core::time::Time;
use hadal_world::database::Database;
use url::Url;

/// URL of the database in the tests.
pub fn home() -> Url {
    Url::parse("http://db.example/").unwrap()
}

/// Fetched page and its URL after redirects.
pub struct FetchedPage {
    pub url: Url,
    pub response: Response,
    pub page: Page,
}

impl FetchedPage {
    pub fn body(&self) -> String {
        String::from_utf8_lossy(&self.response.body).into_owned()
    }
}

/// Sends a request and follows redirects.
pub fn fetch(database: &Database, mut request: Request, at: Time) -> FetchedPage {
    for _ in 0..3 {
        let response = database.respond(&request, at);
        match response.headers.get("location") {
            Some(location) => request = Request::get(request.url.join(location).unwrap()),
            None => {
                let page = html::parse(&response.body, response.headers.get("content-type"), &request.url);
                return FetchedPage { url: request.url, response, page };
            }
        }
    }
    panic!("redirect loop");
}

/// Search form of a page.
pub fn search_form(page: &Page) -> Form {
    let is_search =
        |form: &&Form| form.fields.iter().any(|f| matches!(f.kind, FieldKind::Text | FieldKind::Select));
    page.forms.iter().find(is_search).expect("every page has its form").clone()
}

/// Submits words with the form of the home page.
pub fn search(database: &Database, words: &str, at: Time) -> FetchedPage {
    let fetched = fetch(database, Request::get(home()), at);
    let form = search_form(&fetched.page);
    let at_box = form.fields.iter().position(|field| field.kind == FieldKind::Text).unwrap();
    fetch(database, submission(&form, &FilledForm::of(at_box, words), "utf-8"), at)
}

/// Record numbers on a result page in order, from links or, if there are none, from reference numbers.
pub fn records(database: &Database, fetched: &FetchedPage) -> Vec<u32> {
    let by_link = fetched.page.links.iter().filter_map(|link| database.record_at(&link.url));
    let mut found: Vec<u32> = by_link.collect();
    if found.is_empty() {
        let text = fetched.body();
        let reference = database.reference(0);
        let marks = text.match_indices(&reference[..4]);
        found = marks.filter_map(|(at, _)| database.record_in(&text[at..])).collect();
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|record| seen.insert(*record));
    found
}

/// Request for the next result page: a link with `rel="next"`, a link with a suitable label, the link with
/// the next page number, or a submit button.
pub fn next(fetched: &FetchedPage, page: usize) -> Option<Request> {
    let labels = ["Next", "Next page »", "More results"];
    let links = || fetched.page.links.iter();
    let declared = links().find(|link| link.context.rel == "next");
    let named = || links().find(|link| labels.contains(&link.context.anchor.trim()));
    let number = (page + 2).to_string();
    let numbered = || links().find(|link| link.context.anchor.trim() == number);
    let icon = || {
        let is_forward = |path: &str| path.ends_with(".paging_older") || path.ends_with(".next");
        links().find(|link| link.context.anchor.trim().is_empty() && is_forward(&link.context.tag_path))
    };
    if let Some(link) = declared.or_else(named).or_else(numbered).or_else(icon) {
        return Some(Request::get(link.url.clone()));
    }
    fetched.page.forms.iter().find_map(|form| {
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
