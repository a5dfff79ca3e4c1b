//! The site of a database: a home page with a form, results, records, and what stands in the way.

mod address;
mod arrangement;
mod faulty;
mod form;
mod item;
mod page;
mod pager;
mod parameters;
mod record;
mod refusal;
mod results;
mod style;
mod tables;
mod wording;

use super::Database;
use hadal_core::http::{Request, Response};
use hadal_core::time::Time;
use page::{DatabasePage, respond_html};
use style::{LETTER, SiteStyle};

/// What stands at an address.
enum DatabaseResource {
    Home,
    Results(String),
    Record(u32),
    Basket,
    Text(&'static str),
    Robots,
    Picture,
    Missing,
}

impl Database {
    /// Answers a request for any address of the site. Requests are counted: limits and refusal depend on
    /// those before.
    pub fn respond(&self, request: &Request, at: Time) -> Response {
        let place = self.place(request);
        let (refusal, serial) = {
            let mut traffic = self.traffic.lock().unwrap_or_else(|broken| broken.into_inner());
            let refusal =
                traffic.count(&self.config, request, matches!(place, DatabaseResource::Results(_)), at);
            (refusal, traffic.requests)
        };
        if let Some(refusal) = refusal {
            return refusal::refuse(refusal);
        }
        let page = DatabasePage::new(self, request, at, serial);
        match place {
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
            DatabaseResource::Robots => refusal::plain("User-agent: *\nDisallow: /basket\n"),
            DatabaseResource::Picture => refusal::picture(),
            DatabaseResource::Missing => {
                page.document(404, "404", |page| page.html.element("h1", &[], "This page does not exist"))
            }
        }
    }

    /// What the site is called.
    pub(super) fn name(&self) -> String {
        const KINDS: [&str; 6] = ["Archive", "Catalogue", "Register", "Library", "Index", "Collection"];
        let seed = self.config.layout.seed;
        let words: String = self.reference(0).chars().take(3).collect();
        format!("{words} {}", KINDS[(seed % 6) as usize])
    }

    fn place(&self, request: &Request) -> DatabaseResource {
        let (skin, path) = (SiteStyle::of(&self.config.layout), request.url.path());
        if let Some(record) = self.record_at(&request.url) {
            return DatabaseResource::Record(record);
        }
        if let Some(rest) = path.strip_prefix(skin.action)
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
            "/img/thumb.png" => DatabaseResource::Picture,
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
            if page.skin.phrase.is_multiple_of(2) {
                page.html.element("p", &[], &format!("Now with {} entries.", page.wording.number(count)));
            }
            page.form();
            page.alphabet();
        })
    }

    /// Links that list titles by their first letter.
    fn alphabet(&mut self) {
        if !self.database.config.has_letter_index {
            return;
        }
        self.html.open("p", &[("class", "letters")]);
        for letter in 'A'..='Z' {
            let mut href = format!("{}?{LETTER}={letter}", self.skin.action);
            if let Some(token) = self.token() {
                href = format!("{href}&{}={token}", self.skin.token);
            }
            self.html.element("a", &[("href", &href)], &letter.to_string());
        }
        self.html.close("p");
    }
}
