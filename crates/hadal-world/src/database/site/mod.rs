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
use super::layout::HomeContent;
use crate::random::SeededRng;
use hadal_core::http::{Request, Response};
use hadal_core::time::Time;
use page::{DatabasePage, respond_image, respond_refusal, respond_text};
use std::ops::RangeInclusive;
use style::{LETTER, SiteStyle};

/// Latest records on a home page. Guess.
const LATEST_RECORDS: u32 = 8;

/// Numbers of values for which a column is shown as categories. Guess.
const CATEGORIES: RangeInclusive<usize> = 2..=40;

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
            "/edit" if self.config.layout.habits.tool_links => DatabaseResource::Text("Edit"),
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
            page.home_content();
        })
    }

    /// Writes the content of the home page beside the form. Without a column of categories, the latest records are
    /// shown.
    fn home_content(&mut self) {
        let columns = self.database.collection.columns().iter();
        let category = columns.into_iter().find(|column| CATEGORIES.contains(&column.values().len()));
        match (self.database.config.layout.home, category) {
            (HomeContent::Bare, _) => {}
            (HomeContent::Categories, Some(column)) => {
                self.html.open("ul", &[("class", "categories")]);
                for value in column.values() {
                    self.html.element("li", &[], value);
                }
                self.html.close("ul");
            }
            _ => self.latest(),
        }
    }

    fn latest(&mut self) {
        let count = self.database.collection.len();
        let mut rng = SeededRng::new(self.database.config.layout.seed, 0x1a7);
        self.html.open("ul", &[("class", "latest")]);
        for nth in 0..LATEST_RECORDS.min(count) {
            let Some(item) = self.item(rng.below(count), nth) else { continue };
            self.html.open("li", &[]);
            self.title(&item);
            self.html.close("li");
        }
        self.html.close("ul");
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
