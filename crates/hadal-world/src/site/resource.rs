//! Resources of a site: which one a URL names, and the response it gives.

use super::host_names::HostRole;
use super::profile::Trap;
use super::{Site, last_number};
use crate::form::content::{FormContent, form_content};
use crate::form::database::{SiteDatabase, detail_page};
use crate::form::plan::PlannedForm;
use crate::form::reply::{RedirectedQuery, redirected_query, redirected_response, search_response};
use crate::page::traps::{TrapPage, trap_document, trap_page};
use crate::page::{OffSiteLink, PageWriter, tree_page};
use crate::random::{SeededRng, mix};
use hadal_core::critic::FormKind;
use hadal_core::http::Request;
use hadal_core::time::Time;
use std::fmt::Write;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Resource that a URL of a site names.
pub(crate) enum Resource<'s> {
    /// Page of the page tree.
    Page(u32),
    /// Page of a form with `FormScope::Utility`.
    Utility(&'s PlannedForm),
    /// Action of a form.
    Action(&'s PlannedForm, Box<FormContent>),
    /// Results that a form redirected to.
    RedirectedResults(RedirectedQuery<'s>),
    /// Detail page of a record.
    Record(SiteDatabase, u32),
    /// Page of a crawler trap.
    Trap(TrapPage),
    /// Redirect to the resource's proper URL.
    Moved(Url),
    /// The file robots.txt.
    Robots,
    /// The file sitemap.xml.
    Sitemap,
    /// File of this content type that is not a page.
    File(&'static str),
    /// Nothing exists at this URL.
    Missing,
}

/// Splits a URL into path and query without session id, and the session id.
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

/// Resource at a path and query on one of the site's hosts.
pub(crate) fn resource_at<'s>(site: &'s Site<'_>, host: HostRole, path: &str) -> Resource<'s> {
    if let Some(page) = site.page_at(path, host) {
        let is_right_host = site.host_of(page) == host;
        return if is_right_host { Resource::Page(page) } else { Resource::Moved(site.url(page)) };
    }
    if host != site.main_host() && !matches!(path, "/robots.txt" | "/sitemap.xml") {
        return Resource::Moved(site.url_on_main(path));
    }
    if let Some(form) = site.utility_at(path) {
        return Resource::Utility(form);
    }
    fixed_resource(site, path).or_else(|| action_at(site, path)).unwrap_or(Resource::Missing)
}

fn fixed_resource<'s>(site: &'s Site<'_>, path: &str) -> Option<Resource<'s>> {
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
        let database = SiteDatabase::numbered(site, database.parse().ok()?)?;
        let record = record.parse().ok().filter(|record| database.exists(*record))?;
        return Some(Resource::Record(database, record));
    }
    if let Some(query) = redirected_query(site, path) {
        return Some(Resource::RedirectedResults(query));
    }
    if let Some(page) = site.profile.trap.and_then(|trap| trap_page(trap, path)) {
        return Some(Resource::Trap(page));
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

/// Form with an action of this path. The last number in the path is the form's number.
fn action_at<'s>(site: &'s Site<'_>, path: &str) -> Option<Resource<'s>> {
    let path = path.split('?').next()?;
    let form = site.forms.get(last_number(path)? as usize)?;
    let content = form_content(form);
    (content.action == path).then(|| Resource::Action(form, Box::new(content)))
}

/// Response of a site, before network effects are added.
pub(crate) struct SiteResponse {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) location: Option<Url>,
    pub(crate) body: Vec<u8>,
}

impl SiteResponse {
    /// Response with status 200 and an HTML body.
    pub(crate) fn html(body: String) -> SiteResponse {
        SiteResponse {
            status: 200,
            content_type: "text/html; charset=utf-8",
            location: None,
            body: body.into_bytes(),
        }
    }

    /// Response with status 200 and a body of another type.
    pub(crate) fn file(content_type: &'static str, body: Vec<u8>) -> SiteResponse {
        SiteResponse { status: 200, content_type, location: None, body }
    }

    /// Redirect with status 301.
    pub(crate) fn redirect(location: Url) -> SiteResponse {
        let location = Some(location);
        SiteResponse { status: 301, content_type: "text/html", location, body: b"<p>Moved.</p>".to_vec() }
    }

    /// Redirect with status 303, after a form was submitted.
    pub(crate) fn see_other(location: Url) -> SiteResponse {
        SiteResponse { status: 303, ..SiteResponse::redirect(location) }
    }
}

/// Response to a request on one of the site's hosts. `off_site_links` returns the off-site links of a page.
pub(crate) fn respond(
    site: &Site<'_>,
    host: HostRole,
    request: &Request,
    at: Time,
    off_site_links: impl Fn(u32) -> Vec<OffSiteLink>,
) -> SiteResponse {
    let (path, session) = without_session(&request.url);
    let session = next_session(site, session, &path);
    match resource_at(site, host, &path) {
        Resource::Page(page) => SiteResponse::html(tree_page(site, page, &session, &off_site_links(page))),
        Resource::Utility(form) => SiteResponse::html(form_page(site, form, &session)),
        Resource::Action(form, content) if form.apparent_kind == FormKind::Search => {
            search_response(site, form, &content, request, &session, at)
        }
        Resource::Action(form, _) => SiteResponse::html(confirmation_page(site, form, &session)),
        Resource::RedirectedResults(query) => redirected_response(site, &query, &session),
        Resource::Record(database, record) => {
            SiteResponse::html(detail_page(site, &database, record, &session))
        }
        Resource::Trap(page) => SiteResponse::html(trap_document(site, page)),
        Resource::Moved(url) => SiteResponse::redirect(url),
        Resource::Robots => SiteResponse::file("text/plain", robots_txt(site).into_bytes()),
        Resource::Sitemap => SiteResponse::file("application/xml", sitemap(site).into_bytes()),
        Resource::File(content_type) => {
            SiteResponse::file(content_type, format!("%{content_type} {path}\n").into_bytes())
        }
        Resource::Missing => missing(site),
    }
}

/// Session id that the links of a response carry: a new one per response on sites with [`Trap::Sessions`], else empty.
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

fn confirmation_page(site: &Site<'_>, form: &PlannedForm, session: &str) -> String {
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

/// robots.txt of a site; malformed on one site in twenty. It never disallows pages of the page tree.
fn robots_txt(site: &Site<'_>) -> String {
    let mut rng = SeededRng::new(site.profile.seed, 80);
    if rng.chance(0.05) {
        return "<html><body>User-agent: everybody\nDisalow /cgi-bin\n\u{fffd}\u{0}:::\n</body></html>"
            .to_string();
    }
    let mut text =
        String::from("# visitors are welcome\nUser-agent: *\nDisallow: /files/\nDisallow: /cart\n");
    for path in ["/cgi-bin/", "/detail/", "/calendar/", "/archive", "/more/more/"] {
        if rng.chance(0.3) {
            text.push_str("Disallow: ");
            text.push_str(path);
            text.push('\n');
        }
    }
    let rates = &site.spec.rates;
    if rng.chance(rates.crawl_delay / rates.robots.max(f64::EPSILON)) {
        writeln!(text, "Crawl-delay: {}", rng.between(1, 5)).expect("writing to a string cannot fail");
    }
    if site.profile.sitemap {
        text.push_str("Sitemap: ");
        text.push_str(site.url_on_main("/sitemap.xml").as_str());
        text.push('\n');
    }
    text
}

/// Maximum number of pages listed in a sitemap. Guess.
const SITEMAP_PAGES: u32 = 500;

/// sitemap.xml of a site: its first pages.
fn sitemap(site: &Site<'_>) -> String {
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
    let mut text = String::from(head);
    for page in 0..site.tree.pages.min(SITEMAP_PAGES) {
        text.push_str("<url><loc>");
        text.push_str(&site.url(page).as_str().replace('&', "&amp;"));
        text.push_str("</loc></url>\n");
    }
    text.push_str("</urlset>\n");
    text
}
