//! A page of a site being written: its frame, and what everything on it has to know.

use super::parameters::Parameters;
use super::style::SiteStyle;
use super::wording::Wording;
use crate::database::Database;
use crate::page::markup::HtmlWriter;
use crate::random::mix;
use hadal_core::http::{Headers, Request, Response};
use hadal_core::time::Time;
use xxhash_rust::xxh3::xxh3_64;

/// A request being answered.
pub(super) struct DatabasePage<'d> {
    pub(super) database: &'d Database,
    pub(super) skin: SiteStyle,
    pub(super) wording: &'static Wording,
    pub(super) parameters: Parameters,
    pub(super) at: Time,
    /// How many requests came before.
    pub(super) serial: u32,
    pub(super) html: HtmlWriter,
    session: String,
}

impl<'d> DatabasePage<'d> {
    pub(super) fn new(database: &'d Database, request: &Request, at: Time, serial: u32) -> DatabasePage<'d> {
        let skin = SiteStyle::of(&database.config.layout);
        let visit = mix(xxh3_64(request.url.as_str().as_bytes()), mix(at.0, u64::from(serial)));
        DatabasePage {
            html: HtmlWriter::new(skin.manners),
            skin,
            wording: Wording::of(database.config.layout.language),
            parameters: Parameters::of(request),
            database,
            at,
            serial,
            session: format!("{visit:016x}"),
        }
    }

    /// Another session on every page.
    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// A whole document around what `main` writes.
    pub(super) fn document(
        mut self,
        status: u16,
        title: &str,
        main: impl FnOnce(&mut DatabasePage<'d>),
    ) -> Response {
        let name = self.database.name();
        self.html.raw("<!DOCTYPE html>\n");
        self.html.open("html", &[("lang", self.wording.code)]);
        self.html.raw("<head><meta charset=\"utf-8\">\n");
        self.html.element("title", &[], &format!("{title} - {name}"));
        self.html.raw("</head>\n<body>\n");
        self.top(&name);
        match self.skin.frame {
            0 => self.within("div", "main", main),
            1 => self.within("main", "", main),
            2 => {
                self.html.raw("<table width=\"100%\"><tr><td width=\"150\">");
                self.menu();
                self.html.raw("</td><td>\n");
                main(&mut self);
                self.html.raw("</td></tr></table>\n");
            }
            _ => main(&mut self),
        }
        self.bottom(&name);
        respond_html(status, self.html.out)
    }

    fn within(&mut self, tag: &str, id: &str, main: impl FnOnce(&mut DatabasePage<'d>)) {
        self.html.open(tag, &[("id", id)]);
        main(self);
        self.html.close(tag);
    }

    fn top(&mut self, name: &str) {
        self.html.open("div", &[("class", "header")]);
        self.html.open("a", &[("href", "/")]);
        self.html.element("b", &[], name);
        self.html.close("a");
        if self.skin.frame != 2 {
            self.menu();
        }
        self.html.close("div");
    }

    fn menu(&mut self) {
        self.html.open("ul", &[("class", "menu")]);
        for (path, text) in [("/", "Home"), ("/about", "About us"), ("/help", "Help"), ("/news", "News")] {
            self.html.open("li", &[]);
            self.html.element("a", &[("href", path)], text);
            self.html.close("li");
        }
        self.html.close("ul");
    }

    fn bottom(&mut self, name: &str) {
        self.html.open("div", &[("class", "footer")]);
        self.html.element("p", &[], &format!("© 2026 {name}. All rights reserved."));
        self.html.element("a", &[("href", "/about")], "Imprint");
        self.html.raw(" | ");
        self.html.element("a", &[("href", "/help")], "Terms of use");
        self.html.close("div");
        self.html.raw("</body></html>\n");
    }
}

/// An answer with a page in it.
pub(super) fn respond_html(status: u16, text: String) -> Response {
    let mut headers = Headers::default();
    headers.push("Content-Type", "text/html; charset=utf-8");
    let body = text.into_bytes();
    Response { status, headers, transferred: body.len() as u64, body, ..Response::default() }
}

/// An answer that leads elsewhere.
pub(super) fn respond_elsewhere(location: &str) -> Response {
    let mut response = respond_html(302, "<html><body><p>Found.</p></body></html>".to_string());
    response.headers.push("Location", location);
    response
}
