//! The site of a database: a home page with a form, results, records, and what stands in the way.

mod address;
mod answers;
mod arrangement;
mod form;
mod page;
mod pager;
mod parameters;
mod record;
mod results;
mod shown;
mod skin;
mod tables;
mod walls;
mod wording;

use super::Database;
use hadal_core::http::{Request, Response};
use hadal_core::time::Time;
use page::{Page, respond_html};
use skin::{LETTER, Skin};

/// What stands at an address.
enum Place {
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
    /// Answers a request for any address of the site. Requests are counted: limits and walls depend on
    /// those before.
    pub fn respond(&self, request: &Request, at: Time) -> Response {
        let place = self.place(request);
        let (refusal, serial) = {
            let mut traffic = self.traffic.lock().unwrap_or_else(|broken| broken.into_inner());
            let refusal = traffic.count(&self.habits, request, matches!(place, Place::Results(_)), at);
            (refusal, traffic.requests)
        };
        if let Some(refusal) = refusal {
            return walls::refuse(refusal);
        }
        let page = Page::new(self, request, at, serial);
        match place {
            Place::Home => page.home(),
            Place::Results(path) => page.results(&path),
            Place::Record(record) => page.record(record),
            Place::Basket => page.document(200, "List", |page| {
                page.html.element("p", &[], "Your list has been changed.");
            }),
            Place::Text(title) => page.document(200, title, |page| {
                page.html.element("h1", &[], title);
                page.html.element("p", &[], "We have been collecting since 1994. Ask us anything about it.");
            }),
            Place::Robots => walls::plain("User-agent: *\nDisallow: /basket\n"),
            Place::Picture => walls::picture(),
            Place::Missing => {
                page.document(404, "404", |page| page.html.element("h1", &[], "This page does not exist"))
            }
        }
    }

    /// What the site is called.
    pub(super) fn name(&self) -> String {
        const KINDS: [&str; 6] = ["Archive", "Catalogue", "Register", "Library", "Index", "Collection"];
        let seed = self.habits.layout.seed;
        let words: String = self.reference(0).chars().take(3).collect();
        format!("{words} {}", KINDS[(seed % 6) as usize])
    }

    fn place(&self, request: &Request) -> Place {
        let (skin, path) = (Skin::of(&self.habits.layout), request.url.path());
        if let Some(record) = self.record_at(&request.url) {
            return Place::Record(record);
        }
        if let Some(rest) = path.strip_prefix(skin.action)
            && (rest.is_empty() || rest.starts_with("/page/"))
        {
            return Place::Results(rest.to_string());
        }
        match path {
            "/" => Place::Home,
            "/basket" => Place::Basket,
            "/about" => Place::Text("About us"),
            "/help" => Place::Text("Help"),
            "/news" => Place::Text("News"),
            "/robots.txt" => Place::Robots,
            "/img/thumb.png" => Place::Picture,
            _ => Place::Missing,
        }
    }
}

impl Page<'_> {
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
        if !self.database.habits.letters {
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
