//! Sites with a search by script and known records.
//!
//! Each kind is a path of one host: `/typing/`, `/graphql/`. The page is an empty shell; `scripts.js` is a real script
//! that a browser runs. [`ScriptedWeb::respond`] answers its requests. Searches need at least one word. Paths with
//! `forbidden` are for requests that a crawler must never send.

mod interface;

use crate::database::{Collection, CollectionSpec};
use hadal_core::http::{Exchange, FetchError, Headers, Request, Response};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use url::Url;

/// Script of all sites.
const SCRIPTS: &str = include_str!("scripts.js");
/// Host of the sites in a [`crate::World`].
pub const SCRIPTED_HOST: &str = "scripted.example";
/// Another site, which serves scripts and a search service to them.
pub const SCRIPT_HOST: &str = "scripts.example";
/// Records of each site. Guess.
const RECORDS: u32 = 80;
/// Median number of words of a record. Guess.
const MEDIAN_WORDS: u32 = 12;

/// Way in which a script searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptedKind {
    /// A form that only a script shows.
    ClientForm,
    /// Search while words are typed; pages by number.
    Typing,
    /// Search by Enter; pages by offset, loaded while scrolling.
    Scroll,
    /// Posted JSON; pages by cursor.
    Cursor,
    /// GraphQL query; pages by cursor.
    Graphql,
    /// File with all records, searched in the browser.
    StaticIndex,
    /// Box in a shadow tree; HTML inside JSON.
    Shadow,
    /// Box behind an icon; words in the path; a required header line.
    Path,
    /// Box behind an icon of a view that a click opens.
    Views,
    /// Script on another site.
    Foreign,
    /// Search service on another site.
    Service,
    /// A token that every visit to the page renews.
    Token,
    /// A form to which a script adds fields.
    AddedFields,
    /// Newsletter.
    Newsletter,
    /// Login.
    Login,
    /// Box that saves its text with a GraphQL mutation, PUT and DELETE.
    Mutation,
    /// Box that filters a table in the page.
    Filter,
    /// Contact form.
    Contact,
}

impl ScriptedKind {
    /// All kinds: searches first.
    #[rustfmt::skip]
    pub const ALL: [ScriptedKind; 18] = {
        use ScriptedKind::*;
        [ClientForm, Typing, Scroll, Cursor, Graphql, StaticIndex, Shadow, Path, Views, Foreign, Service, Token, AddedFields,
         Newsletter, Login, Mutation, Filter, Contact]
    };

    /// First part of the path.
    pub fn name(self) -> &'static str {
        use ScriptedKind::*;
        match self {
            ClientForm => "client-form",
            Typing => "typing",
            Scroll => "scroll",
            Cursor => "cursor",
            Graphql => "graphql",
            StaticIndex => "static-index",
            Shadow => "shadow",
            Path => "path",
            Views => "views",
            Foreign => "foreign",
            Service => "service",
            Token => "token",
            AddedFields => "added-fields",
            Newsletter => "newsletter",
            Login => "login",
            Mutation => "mutation",
            Filter => "filter",
            Contact => "contact",
        }
    }

    /// True if the site has a search.
    pub fn is_search(self) -> bool {
        use ScriptedKind::*;
        !matches!(self, Newsletter | Login | Mutation | Filter | Contact)
    }
}

/// All scripted sites.
pub struct ScriptedWeb {
    records: Collection,
    /// Visits to the page with a token.
    visits: AtomicU64,
}

impl Default for ScriptedWeb {
    fn default() -> ScriptedWeb {
        let spec = CollectionSpec {
            seed: 7,
            records: RECORDS,
            median_words: MEDIAN_WORDS,
            ..CollectionSpec::default()
        };
        ScriptedWeb { records: spec.generate(), visits: AtomicU64::default() }
    }
}

impl ScriptedWeb {
    /// Number of records behind a search.
    pub fn records_behind(&self, kind: ScriptedKind) -> u32 {
        if kind.is_search() { self.records.len() } else { 0 }
    }

    /// Words of the first record's title, for the first queries of a harvest.
    pub fn example_words(&self) -> Vec<String> {
        let title = self.records.record(0).map(|record| record.title).unwrap_or_default();
        title.split_whitespace().map(str::to_lowercase).collect()
    }

    /// Record that a URL leads to, if it is that of a record.
    pub fn record_at(&self, url: &Url) -> Option<(ScriptedKind, u32)> {
        let mut parts = url.path().split('/').skip(1);
        let (kind, item, number) = (parts.next()?, parts.next()?, parts.next()?);
        let kind = ScriptedKind::ALL.into_iter().find(|known| known.name() == kind)?;
        let number = number.parse().ok().filter(|number| *number < self.records_behind(kind))?;
        (item == "item").then_some((kind, number))
    }

    /// Answers a request. The host is ignored.
    pub fn respond(&self, request: &Request) -> Exchange {
        let response = self.response(request);
        let result = Ok::<_, FetchError>(Response { transferred: response.body.len() as u64, ..response });
        Exchange { result, took: Duration::from_millis(20), peer: None }
    }

    fn response(&self, request: &Request) -> Response {
        let path = request.url.path();
        let (name, rest) = path.trim_start_matches('/').split_once('/').unwrap_or((path, ""));
        match ScriptedKind::ALL.into_iter().find(|kind| kind.name() == name) {
            _ if path == "/robots.txt" => answer(404, "text/plain", String::new()),
            _ if path == "/" => answer(200, "text/html; charset=utf-8", start_page()),
            None => answer(404, "text/html", "<p>Not found.".into()),
            Some(kind) => match rest {
                "" => answer(200, "text/html; charset=utf-8", self.shell(kind)),
                "app.js" => answer(200, "text/javascript", script(kind)),
                _ => self.interface(kind, rest, request),
            },
        }
    }
}

fn answer(status: u16, kind: &str, body: String) -> Response {
    let mut headers = Headers::default();
    headers.push("Content-Type", kind);
    Response { status, headers, body: body.into_bytes(), ..Response::default() }
}

fn start_page() -> String {
    let link = |kind: ScriptedKind| format!("<li><a href=\"/{0}/\">{0}</a>", kind.name());
    format!("<title>Scripted sites</title><ul>{}</ul>", ScriptedKind::ALL.map(link).concat())
}

/// Expression of a script for the origin of another site, which answers like this one.
const OTHER_ORIGIN: &str = "location.protocol + '//' + (location.hostname === '127.0.0.1' ? 'localhost' : 'SCRIPT_HOST') \
    + (location.port && ':' + location.port)";

fn other_origin() -> String {
    OTHER_ORIGIN.replace("SCRIPT_HOST", SCRIPT_HOST)
}

impl ScriptedWeb {
    fn shell(&self, kind: ScriptedKind) -> String {
        let script = match kind {
            ScriptedKind::Foreign => format!(
                "<script>{{ const loaded = document.createElement('script'); loaded.crossOrigin = 'anonymous'; \
                 loaded.src = {} + '/foreign/app.js'; document.body.append(loaded) }}</script>",
                other_origin()
            ),
            _ => "<script src=app.js crossorigin></script>".to_string(),
        };
        let head = match kind {
            ScriptedKind::Token => {
                self.visits.fetch_add(1, Ordering::Relaxed);
                format!("<meta name=csrf-token content={}>", self.token())
            }
            _ => String::new(),
        };
        let form = if kind == ScriptedKind::AddedFields { FILTERS } else { "" };
        format!(
            "<!doctype html><html lang=en><title>Library of {0}</title>{head}<link rel=stylesheet href=style.css>\
             <body><div id=app>{form}</div><img src=logo.png>{script}\
             <script src=\"http://tracker.invalid/count.js\"></script></body></html>",
            kind.name()
        )
    }

    /// Token of the last visit.
    fn token(&self) -> String {
        format!("token-{:08x}", self.visits.load(Ordering::Relaxed))
    }
}

/// Form to which a script adds a field for each chosen column.
const FILTERS: &str = "<form action=find><h2>Search the catalogue</h2><select id=add><option value=''>Add a filter\
    <option value=year>Year<option value=title>Title<option value=language>Language</select>\
    <div id=rows></div><button>Search</button></form>";

fn script(kind: ScriptedKind) -> String {
    let other = other_origin();
    format!("const SITE = '/{0}/', KIND = '{0}', OTHER = {other};\n{SCRIPTS}", kind.name())
}

#[cfg(test)]
mod tests;
