//! What a site answers to a request that reached it: address to place, place to document.

use crate::backend::{Database, detail};
use crate::compose::{Citation, Composer, tree_page};
use crate::draw::mix;
use crate::machine_files::{robots_txt, sitemap};
use crate::names::HostRole;
use crate::plan::Planned;
use crate::record::Trap;
use crate::reply::{Found, found, found_at, reply};
use crate::site::{Site, last_number};
use crate::sketch::{Sketch, sketch};
use crate::traps;
use hadal_core::critic::Kind;
use hadal_core::http::Request;
use hadal_core::time::Time;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// What stands at an address of a site.
pub(crate) enum Place<'s> {
    /// A page of the tree.
    Page(u32),
    /// The page of its own that a form has.
    Utility(&'s Planned),
    /// Where a form is sent to.
    Action(&'s Planned, Box<Sketch>),
    /// What a redirect after a query leads to.
    Found(Found<'s>),
    /// A record of a database.
    Record(Database, u32),
    /// A page of the endless space.
    Trap(traps::Spot),
    /// The address has changed.
    Moved(Url),
    /// robots.txt
    Robots,
    /// sitemap.xml
    Sitemap,
    /// Something that is no page.
    File(&'static str),
    /// Nothing.
    Missing,
}

/// Path and query without session id, and the session id.
pub(crate) fn without_session(url: &Url) -> (String, Option<&str>) {
    let (path, session) = match url.path().split_once(";jsessionid=") {
        Some((path, session)) => (path, Some(session)),
        None => (url.path(), None),
    };
    match url.query() {
        Some(query) => (format!("{path}?{query}"), session),
        None => (path.to_string(), session),
    }
}

/// Finds the place at a path and query on one of the site's hosts.
pub(crate) fn place<'s>(site: &'s Site<'_>, host: HostRole, path: &str) -> Place<'s> {
    if let Some(page) = site.page_at(path, host) {
        let right = site.host_of(page) == host;
        return if right { Place::Page(page) } else { Place::Moved(site.url(page)) };
    }
    if host != site.main_host() && !matches!(path, "/robots.txt" | "/sitemap.xml") {
        return Place::Moved(site.url_on_main(path));
    }
    if let Some(form) = site.utility_at(path) {
        return Place::Utility(form);
    }
    fixed_place(site, path).or_else(|| action_at(site, path)).unwrap_or(Place::Missing)
}

fn fixed_place<'s>(site: &'s Site<'_>, path: &str) -> Option<Place<'s>> {
    match path {
        "/robots.txt" => return Some(if site.record.robots { Place::Robots } else { Place::Missing }),
        "/sitemap.xml" => return Some(if site.record.sitemap { Place::Sitemap } else { Place::Missing }),
        _ => {}
    }
    if let Some(page) = path.strip_prefix("/old/") {
        let page = page.parse().ok().filter(|page| *page < site.tree.pages)?;
        return Some(Place::Moved(site.url(page)));
    }
    if let Some(item) = path.strip_prefix("/detail/") {
        let (database, record) = item.split_once('/')?;
        let database = Database::at(site, database.parse().ok()?)?;
        let record = record.parse().ok().filter(|record| *record < database.records)?;
        return Some(Place::Record(database, record));
    }
    if let Some(found) = found_at(site, path) {
        return Some(Place::Found(found));
    }
    if let Some(spot) = site.record.trap.and_then(|trap| traps::spot(trap, path)) {
        return Some(Place::Trap(spot));
    }
    file_type(path).map(Place::File)
}

fn file_type(path: &str) -> Option<&'static str> {
    match path.split_once('/')?.1.split_once('/')? {
        ("files", name) if name.ends_with(".pdf") => Some("application/pdf"),
        ("img", name) if name.ends_with(".jpg") => Some("image/jpeg"),
        ("img", name) if name.ends_with(".gif") => Some("image/gif"),
        ("css", "site.css") => Some("text/css"),
        ("js", _) => Some("text/javascript"),
        _ => None,
    }
}

/// Paths of actions carry the form's number.
fn action_at<'s>(site: &'s Site<'_>, path: &str) -> Option<Place<'s>> {
    let path = path.split('?').next()?;
    let form = site.forms.get(last_number(path)? as usize)?;
    let sketch = sketch(form);
    (sketch.action == path).then(|| Place::Action(form, Box::new(sketch)))
}

/// An answer before it becomes an HTTP response.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) location: Option<Url>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn html(body: String) -> Answer {
        Answer {
            status: 200,
            content_type: "text/html; charset=utf-8",
            location: None,
            body: body.into_bytes(),
        }
    }

    pub(crate) fn file(content_type: &'static str, body: Vec<u8>) -> Answer {
        Answer { status: 200, content_type, location: None, body }
    }

    pub(crate) fn redirect(location: Url) -> Answer {
        let location = Some(location);
        Answer { status: 301, content_type: "text/html", location, body: b"<p>Moved.</p>".to_vec() }
    }

    /// A redirect to what was asked for.
    pub(crate) fn see_other(location: Url) -> Answer {
        Answer { status: 303, ..Answer::redirect(location) }
    }
}

/// What a site answers. `cite` gives the off-site links of a page.
pub(crate) fn answer(
    site: &Site<'_>,
    host: HostRole,
    request: &Request,
    at: Time,
    cite: impl Fn(u32) -> Vec<Citation>,
) -> Answer {
    let (path, session) = without_session(&request.url);
    let session = next_session(site, session, &path);
    match place(site, host, &path) {
        Place::Page(page) => Answer::html(tree_page(site, page, &session, &cite(page))),
        Place::Utility(form) => Answer::html(form_page(site, form, &session)),
        Place::Action(form, sketch) if form.looks == Kind::Search => {
            reply(site, form, &sketch, request, &session, at)
        }
        Place::Action(form, _) => Answer::html(thanks(site, form, &session)),
        Place::Found(query) => found(site, &query, &session),
        Place::Record(database, record) => Answer::html(detail(site, &database, record, &session)),
        Place::Trap(spot) => Answer::html(traps::page(site, spot)),
        Place::Moved(url) => Answer::redirect(url),
        Place::Robots => Answer::file("text/plain", robots_txt(site).into_bytes()),
        Place::Sitemap => Answer::file("application/xml", sitemap(site).into_bytes()),
        Place::File(content_type) => {
            Answer::file(content_type, format!("%{content_type} {path}\n").into_bytes())
        }
        Place::Missing => missing(site),
    }
}

/// On sites that hand out session ids every page hands out another one.
fn next_session(site: &Site<'_>, current: Option<&str>, path: &str) -> String {
    if site.record.trap != Some(Trap::Sessions) {
        return String::new();
    }
    let visit = mix(xxh3_64(current.unwrap_or_default().as_bytes()), xxh3_64(path.as_bytes()));
    format!(";jsessionid={visit:016X}")
}

fn form_page(site: &Site<'_>, form: &Planned, session: &str) -> String {
    Composer::document(site, session, form.seed, form.kind.name(), |doc| {
        doc.filler(1);
        doc.forms(|other| other.ordinal == form.ordinal);
    })
}

fn thanks(site: &Site<'_>, form: &Planned, session: &str) -> String {
    Composer::document(site, session, form.seed, "Thank you", |doc| {
        doc.html.element("p", &[("class", "done")], "Thank you. Your entry has been received.");
    })
}

fn missing(site: &Site<'_>) -> Answer {
    let body = Composer::document(site, "", 0xdead, "Not found", |doc| {
        doc.html.element("h1", &[], "This page does not exist");
        doc.html.element("p", &[], "It may have been removed, or the address is wrong.");
    });
    Answer { status: if site.record.soft_404 { 200 } else { 404 }, ..Answer::html(body) }
}
