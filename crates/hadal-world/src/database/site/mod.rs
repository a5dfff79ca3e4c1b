//! Site of a database: home page with form, result pages, detail pages and refusals.

mod address;
mod arrangement;
mod form;
mod item;
mod page;
mod pager;
mod parameters;
mod results;
mod style;
mod tables;
mod wording;

use super::Database;
use hadal_core::http::{Request, Response};
use hadal_core::time::Time;
use page::{DatabasePage, respond_image, respond_refusal, respond_text};
use style::{LETTER, SiteStyle};

/// Resource that a URL of the site names.
enum DatabaseResource {
    Home,
    /// Result page, with the part of the path after the action.
    Results(String),
    Record(u32),
    Basket,
    /// Page with a fixed text and this title.
    Text(&'static str),
    Robots,
    Image,
    Missing,
}

impl Database {
    /// Answers a request for any URL of the site; the host is ignored. Counts requests, because rate limits and walls
    /// depend on earlier ones.
    pub fn respond(&self, request: &Request, at: Time) -> Response {
        let resource = self.resource_at(request);
        let (refusal, serial) = {
            let mut counter = self.counter.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let is_query = matches!(resource, DatabaseResource::Results(_));
            (counter.count(&self.config, request, is_query, at), counter.requests)
        };
        if let Some(refusal) = refusal {
            return respond_refusal(refusal);
        }
        let page = DatabasePage::new(self, request, at, serial);
        match resource {
            DatabaseResource::Home => page.home(),
            DatabaseResource::Results(path) => page.results(&path),
            DatabaseResource::Record(record) => page.record(record),
            DatabaseResource::Basket => page.document(200, "List", |page| {
                page.html.element("p", &[], "Your list has been changed.");
            }),
            DatabaseResource::Text(title) => page.document(200, title, |page| {
                page.html.element("h1", &[], title);
                page.html.element("p", &[], "We have been collecting since 1994. Ask us anything about it.");
            }),
            DatabaseResource::Robots => respond_text("User-agent: *\nDisallow: /basket\n"),
            DatabaseResource::Image => respond_image(),
            DatabaseResource::Missing => {
                page.document(404, "404", |page| page.html.element("h1", &[], "This page does not exist"))
            }
        }
    }

    /// Name of the site.
    pub(super) fn name(&self) -> String {
        const KINDS: [&str; 6] = ["Archive", "Catalogue", "Register", "Library", "Index", "Collection"];
        let seed = self.config.layout.seed;
        let words: String = self.reference(0).chars().take(3).collect();
        format!("{words} {}", KINDS[(seed % 6) as usize])
    }

    fn resource_at(&self, request: &Request) -> DatabaseResource {
        let (style, path) = (SiteStyle::of(&self.config.layout), request.url.path());
        if let Some(record) = self.record_at(&request.url) {
            return DatabaseResource::Record(record);
        }
        if let Some(rest) = path.strip_prefix(style.action)
            && (rest.is_empty() || rest.starts_with("/page/"))
        {
            return DatabaseResource::Results(rest.to_string());
        }
        match path {
            "/" => DatabaseResource::Home,
            "/basket" => DatabaseResource::Basket,
            "/about" => DatabaseResource::Text("About us"),
            "/help" => DatabaseResource::Text("Help"),
            "/news" => DatabaseResource::Text("News"),
            "/robots.txt" => DatabaseResource::Robots,
            "/img/thumb.png" => DatabaseResource::Image,
            _ => DatabaseResource::Missing,
        }
    }
}

impl DatabasePage<'_> {
    fn home(self) -> Response {
        let title = self.wording.search[0];
        self.document(200, title, |page| {
            let count = page.database.collection().len();
            page.html.element("h1", &[], &page.database.name());
            if page.style.phrase.is_multiple_of(2) {
                page.html.element("p", &[], &format!("Now with {} entries.", page.wording.number(count)));
            }
            page.form();
            page.alphabet();
        })
    }

    /// Writes links to the titles with each first letter.
    fn alphabet(&mut self) {
        if !self.database.config.has_letter_index {
            return;
        }
        self.html.open("p", &[("class", "letters")]);
        for letter in 'A'..='Z' {
            let mut href = format!("{}?{LETTER}={letter}", self.style.action);
            if let Some(token) = self.token() {
                href = format!("{href}&{}={token}", self.style.token);
            }
            self.html.element("a", &[("href", &href)], &letter.to_string());
        }
        self.html.close("p");
    }
}
