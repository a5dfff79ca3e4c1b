//! What a site answers to a request that reached it: address to place, place to document.

use crate::form::content::{FormContent, sketch};
use crate::form::database::{SiteDatabase, detail};
use crate::form::plan::PlannedForm;
use crate::form::reply::{RedirectedQuery, found, found_at, reply};
use crate::page::machine_files::{robots_txt, sitemap};
use crate::page::traps;
use crate::page::{OffSiteLink, PageWriter, tree_page};
use crate::random::mix;
use crate::site::host_names::HostRole;
use crate::site::profile::Trap;
use crate::site::{Site, last_number};
use hadal_core::critic::FormKind;
use hadal_core::http::Request;
use hadal_core::time::Time;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// What stands at an address of a site.
pub(crate) enum Resource<'s> {
    /// A page of the tree.
    Page(u32),
    /// The page of its own that a form has.
    Utility(&'s PlannedForm),
    /// Where a form is sent to.
    Action(&'s PlannedForm, Box<FormContent>),
    /// What a redirect after a query leads to.
    RedirectedResults(RedirectedQuery<'s>),
    /// A record of a database.
    Record(SiteDatabase, u32),
    /// A page of the endless space.
    Trap(traps::TrapPage),
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
pub(crate) fn place<'s>(site: &'s Site<'_>, host: HostRole, path: &str) -> Resource<'s> {
    if let Some(page) = site.page_at(path, host) {
        let right = site.host_of(page) == host;
        return if right { Resource::Page(page) } else { Resource::Moved(site.url(page)) };
    }
    if host != site.main_host() && !matches!(path, "/robots.txt" | "/sitemap.xml") {
        return Resource::Moved(site.url_on_main(path));
    }
    if let Some(form) = site.utility_at(path) {
        return Resource::Utility(form);
    }
    fixed_place(site, path).or_else(|| action_at(site, path)).unwrap_or(Resource::Missing)
}

fn fixed_place<'s>(site: &'s Site<'_>, path: &str) -> Option<Resource<'s>> {
    match path {
        "/robots.txt" => return Some(if site.profile.robots { Resource::Robots } else { Resource::Missing }),
        "/sitemap.xml" => {
            return Some(if site.profile.sitemap { Resource::Sitemap } else { Resource::Missing });
        }
        _ => {}
    }
    if let Some(page) = path.strip_prefix("/old/") {
        let page = page.parse().ok().filter(|page| *page < site.tree.pages)?;
        return Some(Resource::Moved(site.url(page)));
    }
    if let Some(item) = path.strip_prefix("/detail/") {
        let (database, record) = item.split_once('/')?;
        let database = SiteDatabase::at(site, database.parse().ok()?)?;
        let record = record.parse().ok().filter(|record| *record < database.records)?;
        return Some(Resource::Record(database, record));
    }
    if let Some(found) = found_at(site, path) {
        return Some(Resource::RedirectedResults(found));
    }
    if let Some(spot) = site.profile.trap.and_then(|trap| traps::spot(trap, path)) {
        return Some(Resource::Trap(spot));
    }
    file_type(path).map(Resource::File)
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
fn action_at<'s>(site: &'s Site<'_>, path: &str) -> Option<Resource<'s>> {
    let path = path.split('?').next()?;
    let form = site.forms.get(last_number(path)? as usize)?;
    let sketch = sketch(form);
    (sketch.action == path).then(|| Resource::Action(form, Box::new(sketch)))
}

/// An answer before it becomes an HTTP response.
pub(crate) struct SiteResponse {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) location: Option<Url>,
    pub(crate) body: Vec<u8>,
}

impl SiteResponse {
    pub(crate) fn html(body: String) -> SiteResponse {
        SiteResponse {
            status: 200,
            content_type: "text/html; charset=utf-8",
            location: None,
            body: body.into_bytes(),
        }
    }

    pub(crate) fn file(content_type: &'static str, body: Vec<u8>) -> SiteResponse {
        SiteResponse { status: 200, content_type, location: None, body }
    }

    pub(crate) fn redirect(location: Url) -> SiteResponse {
        let location = Some(location);
        SiteResponse { status: 301, content_type: "text/html", location, body: b"<p>Moved.</p>".to_vec() }
    }

    /// A redirect to what was asked for.
    pub(crate) fn see_other(location: Url) -> SiteResponse {
        SiteResponse { status: 303, ..SiteResponse::redirect(location) }
    }
}

/// What a site answers. `cite` gives the off-site links of a page.
pub(crate) fn answer(
    site: &Site<'_>,
    host: HostRole,
    request: &Request,
    at: Time,
    cite: impl Fn(u32) -> Vec<OffSiteLink>,
) -> SiteResponse {
    let (path, session) = without_session(&request.url);
    let session = next_session(site, session, &path);
    match place(site, host, &path) {
        Resource::Page(page) => SiteResponse::html(tree_page(site, page, &session, &cite(page))),
        Resource::Utility(form) => SiteResponse::html(form_page(site, form, &session)),
        Resource::Action(form, sketch) if form.looks == FormKind::Search => {
            reply(site, form, &sketch, request, &session, at)
        }
        Resource::Action(form, _) => SiteResponse::html(thanks(site, form, &session)),
        Resource::RedirectedResults(query) => found(site, &query, &session),
        Resource::Record(database, record) => SiteResponse::html(detail(site, &database, record, &session)),
        Resource::Trap(spot) => SiteResponse::html(traps::page(site, spot)),
        Resource::Moved(url) => SiteResponse::redirect(url),
        Resource::Robots => SiteResponse::file("text/plain", robots_txt(site).into_bytes()),
        Resource::Sitemap => SiteResponse::file("application/xml", sitemap(site).into_bytes()),
        Resource::File(content_type) => {
            SiteResponse::file(content_type, format!("%{content_type} {path}\n").into_bytes())
        }
        Resource::Missing => missing(site),
    }
}

/// On sites that hand out session ids every page hands out another one.
fn next_session(site: &Site<'_>, current: Option<&str>, path: &str) -> String {
    if site.profile.trap != Some(Trap::Sessions) {
        return String::new();
    }
    let visit = mix(xxh3_64(current.unwrap_or_default().as_bytes()), xxh3_64(path.as_bytes()));
    format!(";jsessionid={visit:016X}")
}

fn form_page(site: &Site<'_>, form: &PlannedForm, session: &str) -> String {
    PageWriter::document(site, session, form.seed, form.kind.name(), |doc| {
        doc.filler(1);
        doc.forms(|other| other.ordinal == form.ordinal);
    })
}

fn thanks(site: &Site<'_>, form: &PlannedForm, session: &str) -> String {
    PageWriter::document(site, session, form.seed, "Thank you", |doc| {
        doc.html.element("p", &[("class", "done")], "Thank you. Your entry has been received.");
    })
}

fn missing(site: &Site<'_>) -> SiteResponse {
    let body = PageWriter::document(site, "", 0xdead, "Not found", |doc| {
        doc.html.element("h1", &[], "This page does not exist");
        doc.html.element("p", &[], "It may have been removed, or the address is wrong.");
    });
    SiteResponse { status: if site.profile.soft_404 { 200 } else { 404 }, ..SiteResponse::html(body) }
}
