//! Frame of all pages of a database site, detail pages, and error pages.

use super::parameters::Parameters;
use super::style::SiteStyle;
use super::wording::Wording;
use crate::database::Database;
use crate::database::request_counter::Refusal;
use crate::database::shown::label_of;
use crate::page::markup::HtmlWriter;
use crate::random::mix;
use hadal_core::http::{Headers, Request, Response};
use hadal_core::time::Time;
use xxhash_rust::xxh3::xxh3_64;

/// Page being written in answer to a request.
pub(super) struct DatabasePage<'d> {
    pub(super) database: &'d Database,
    pub(super) style: SiteStyle,
    pub(super) wording: &'static Wording,
    pub(super) parameters: Parameters,
    pub(super) at: Time,
    /// Number of requests so far, this one included.
    pub(super) serial: u32,
    pub(super) html: HtmlWriter,
    session: String,
}

impl<'d> DatabasePage<'d> {
    pub(super) fn new(database: &'d Database, request: &Request, at: Time, serial: u32) -> DatabasePage<'d> {
        let style = SiteStyle::of(&database.config.layout);
        let visit = mix(xxh3_64(request.url.as_str().as_bytes()), mix(at.0, u64::from(serial)));
        DatabasePage {
            html: HtmlWriter::new(style.markup),
            style,
            wording: Wording::of(database.config.layout.language),
            parameters: Parameters::of(request),
            database,
            at,
            serial,
            session: format!("{visit:016x}"),
        }
    }

    /// Session id, which differs on every page.
    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// Writes a document; `main` writes its main part.
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
        self.header(&name);
        match self.style.frame {
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
        self.footer(&name);
        respond_html(status, self.html.out)
    }

    fn within(&mut self, tag: &str, id: &str, main: impl FnOnce(&mut DatabasePage<'d>)) {
        self.html.open(tag, &[("id", id)]);
        main(self);
        self.html.close(tag);
    }

    fn header(&mut self, name: &str) {
        self.html.open("div", &[("class", "header")]);
        self.html.open("a", &[("href", "/")]);
        self.html.element("b", &[], name);
        self.html.close("a");
        if self.style.frame != 2 {
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

    fn footer(&mut self, name: &str) {
        self.html.open("div", &[("class", "footer")]);
        self.html.element("p", &[], &format!("© 2026 {name}. All rights reserved."));
        self.html.element("a", &[("href", "/about")], "Imprint");
        self.html.raw(" | ");
        self.html.element("a", &[("href", "/help")], "Terms of use");
        self.html.close("div");
        self.html.raw("</body></html>\n");
    }
}

/// Response with an HTML body.
pub(super) fn respond_html(status: u16, text: String) -> Response {
    let mut headers = Headers::default();
    headers.push("Content-Type", "text/html; charset=utf-8");
    let body = text.into_bytes();
    Response { status, headers, transferred: body.len() as u64, body, ..Response::default() }
}

/// Response that redirects to a URL.
pub(super) fn respond_redirect(location: &str) -> Response {
    let mut response = respond_html(302, "<html><body><p>Found.</p></body></html>".to_string());
    response.headers.push("Location", location);
    response
}

impl DatabasePage<'_> {
    /// Detail page of a record.
    pub(super) fn record(self, number: u32) -> Response {
        let database = self.database;
        let record = database.collection.record(number).expect("its address was read against the collection");
        let (title, is_raw) = self.title_of(number, record.title);
        self.document(200, record.title, |page| {
            page.html.open("h1", &[]);
            match is_raw {
                true => page.html.raw(&title),
                false => page.html.text(&title),
            }
            page.html.close("h1");
            page.html.open("table", &[("class", "fields")]);
            let reference = database.reference(number);
            page.row("Reference", &reference);
            for (name, value) in database.collection.fields(number) {
                page.row(&label_of(name), value);
            }
            page.html.close("table");
            page.text_in("p", record.text);
        })
    }

    fn row(&mut self, name: &str, value: &str) {
        self.html.open("tr", &[]);
        self.html.element("th", &[], name);
        self.html.element("td", &[], value);
        self.html.close("tr");
    }
}

/// Response to a refused request.
pub(super) fn respond_refusal(refusal: Refusal) -> Response {
    match refusal {
        Refusal::TooMany(wait) => {
            let mut response =
                error_page(429, "Too many requests", "<p>Too many requests. Please slow down.</p>");
            response.headers.push("Retry-After", wait.to_string());
            response
        }
        Refusal::Failure => {
            error_page(500, "Error", "<h1>Internal server error</h1><p>The database did not answer.</p>")
        }
        Refusal::Gone => {
            error_page(404, "Not found", "<h1>Not found</h1><p>This service has been closed.</p>")
        }
        Refusal::Login => error_page(200, "Sign in", LOGIN),
        Refusal::Captcha => error_page(200, "Are you a robot?", CAPTCHA),
    }
}

const LOGIN: &str = "<h1>Sign in</h1><p>Please sign in to see more results.</p>\
    <form action=\"/login\" method=\"post\"><label>User name <input name=\"user\"></label>\
    <label>Password <input type=\"password\" name=\"pass\"></label><input type=\"submit\" value=\"Sign in\"></form>";

const CAPTCHA: &str = "<h1>Are you a robot?</h1><p>We have seen unusual traffic from your network. \
    Type the characters you see in the picture to go on.</p><form action=\"/captcha\" method=\"post\">\
    <img src=\"/captcha.png\" alt=\"captcha\"><input name=\"captcha\"><input type=\"submit\" value=\"Go on\"></form>";

fn error_page(status: u16, title: &str, body: &str) -> Response {
    respond_html(
        status,
        format!("<!DOCTYPE html><html><head><title>{title}</title></head><body>{body}</body></html>"),
    )
}

/// Plain text response.
pub(super) fn respond_text(text: &str) -> Response {
    respond_bytes("text/plain", text.as_bytes())
}

/// Response with the signature of a PNG file.
pub(super) fn respond_image() -> Response {
    respond_bytes("image/png", b"\x89PNG\r\n\x1a\n")
}

pub(super) fn respond_bytes(content_type: &str, body: &[u8]) -> Response {
    let mut headers = Headers::default();
    headers.push("Content-Type", content_type);
    Response {
        status: 200,
        headers,
        body: body.to_vec(),
        transferred: body.len() as u64,
        ..Response::default()
    }
}
