//! What comes back for a submitted search form, by the behaviour of its back end.

use crate::form::behaviour::Behaviour;
use crate::form::content::{FormContent, sketch};
use crate::form::database::{FormQuery, SiteDatabase};
use crate::form::plan::PlannedForm;
use crate::page::PageWriter;
use crate::random::{SeededRng, mix};
use crate::site::Site;
use crate::site::resource::SiteResponse;
use hadal_core::http::{Method, Request};
use hadal_core::time::Time;
use std::fmt::Write;
use url::form_urlencoded;
use xxhash_rust::xxh3::xxh3_64;

/// Results shown at once.
const PAGE_SIZE: usize = 10;

/// Share of requests that a limited back end refuses; its mind changes every minute.
const REFUSED: f64 = 0.6;
const MINUTE: u64 = 60_000;

/// What is shown at random changes this often.
const SECOND: u64 = 1_000;

/// The reply to a form as it was sent.
pub(crate) fn reply(
    site: &Site<'_>,
    form: &PlannedForm,
    sketch: &FormContent,
    request: &Request,
    session: &str,
    at: Time,
) -> SiteResponse {
    let body = String::from_utf8_lossy(&request.body);
    let in_url = request.url.query().unwrap_or_default();
    let parameters = if request.method == Method::Post && !body.is_empty() { &*body } else { in_url };
    let ask = SubmittedForm { site, form, sketch, parameters, session };
    match Behaviour::of(form, site.spec.back_ends) {
        Behaviour::Limited if is_refused(form, request, at) => too_many(),
        Behaviour::Redirect => SiteResponse::see_other(site.url_on_main(&found_path(form, parameters))),
        Behaviour::SamePage => SiteResponse::html(ask.alike(at)),
        _ => ask.results(),
    }
}

/// The results a redirect led to.
pub(crate) fn found(site: &Site<'_>, found: &RedirectedQuery<'_>, session: &str) -> SiteResponse {
    let RedirectedQuery { form, parameters } = found;
    SubmittedForm { site, form, sketch: &sketch(form), parameters, session }.results()
}

/// Where a back end that redirects keeps the results of a query.
pub(crate) struct RedirectedQuery<'s> {
    form: &'s PlannedForm,
    parameters: String,
}

/// Half of the back ends that redirect repeat the query in the address, the others number it.
fn found_path(form: &PlannedForm, parameters: &str) -> String {
    if form.seed.is_multiple_of(2) {
        return format!("/found/{}?{parameters}", form.ordinal);
    }
    let mut path = format!("/found/{}/", form.ordinal);
    for byte in parameters.bytes().take(500) {
        write!(path, "{byte:02x}").expect("writing to a string cannot fail");
    }
    path
}

/// Reads such an address back.
pub(crate) fn found_at<'s>(site: &'s Site<'_>, path: &str) -> Option<RedirectedQuery<'s>> {
    let rest = path.strip_prefix("/found/")?;
    let (ordinal, parameters) = match rest.split_once(['/', '?']) {
        Some((ordinal, digits)) if rest[ordinal.len()..].starts_with('/') => (ordinal, from_digits(digits)?),
        Some((ordinal, parameters)) => (ordinal, parameters.to_string()),
        None => (rest, String::new()),
    };
    let form = site.forms.get(ordinal.parse::<usize>().ok()?)?;
    let redirects = Behaviour::of(form, site.spec.back_ends) == Behaviour::Redirect;
    redirects.then_some(RedirectedQuery { form, parameters })
}

fn from_digits(digits: &str) -> Option<String> {
    let pairs = (0..digits.len()).step_by(2).map(|at| digits.get(at..at + 2));
    let bytes: Option<Vec<u8>> = pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect();
    String::from_utf8(bytes?).ok()
}

fn is_refused(form: &PlannedForm, request: &Request, at: Time) -> bool {
    let question = xxh3_64(request.url.as_str().as_bytes()) ^ xxh3_64(&request.body);
    SeededRng::new(mix(form.seed, question), at.0 / MINUTE).chance(REFUSED)
}

fn too_many() -> SiteResponse {
    let body = "<html><title>Busy</title><body><p>Too many requests. Please slow down.</p></body></html>";
    SiteResponse { status: 429, ..SiteResponse::html(body.to_string()) }
}

/// A question put to a form.
struct SubmittedForm<'a> {
    site: &'a Site<'a>,
    form: &'a PlannedForm,
    sketch: &'a FormContent,
    parameters: &'a str,
    session: &'a str,
}

impl SubmittedForm<'_> {
    fn results(&self) -> SiteResponse {
        let (database, query) =
            (SiteDatabase::behind(self.site, self.form), FormQuery::read(self.sketch, self.parameters));
        let behaviour = Behaviour::of(self.form, self.site.spec.back_ends);
        if behaviour == Behaviour::RejectsEmpty && query.is_empty() {
            return self.refusal();
        }
        let found = database.answer(&query);
        if let (Behaviour::OnlyHit, [only]) = (behaviour, &found[..]) {
            return SiteResponse::see_other(self.site.url_on_main(&database.path(*only)));
        }
        SiteResponse::html(PageWriter::document(self.site, self.session, self.form.seed, "Results", |doc| {
            if behaviour == Behaviour::Echo {
                doc.html.element("h2", &[], &format!("You searched for \"{}\"", query.typed()));
            }
            let first = query.page().saturating_mul(PAGE_SIZE);
            match found.get(first..).unwrap_or_default() {
                [] => self.nothing(doc, &database, &query, behaviour),
                shown => self.listing(doc, &database, shown, found.len(), query.page()),
            }
        }))
    }

    fn listing(
        &self,
        doc: &mut PageWriter<'_>,
        database: &SiteDatabase,
        shown: &[u32],
        all: usize,
        page: usize,
    ) {
        if !self.site.profile.seed.is_multiple_of(4) {
            doc.html.element("p", &[("class", "count")], &format!("{all} results found"));
        }
        hits(doc, database, "results", shown.iter().copied().take(PAGE_SIZE));
        self.pager(doc, page, all.div_ceil(PAGE_SIZE));
    }

    fn nothing(
        &self,
        doc: &mut PageWriter<'_>,
        database: &SiteDatabase,
        query: &FormQuery,
        behaviour: Behaviour,
    ) {
        const SORRY: [&str; 4] = [
            "No matches were found. Please try other words.",
            "Sorry, nothing fits your request.",
            "Your query returned 0 records.",
            "We could not find what you are looking for.",
        ];
        let text = SORRY[(self.site.profile.seed % 4) as usize];
        match behaviour {
            Behaviour::Echo => {
                doc.html.element("p", &[("class", "none")], &format!("{text} ({})", query.typed()))
            }
            _ => doc.html.element("p", &[("class", "none")], text),
        }
        if behaviour == Behaviour::Suggest {
            let meant = database.title(0);
            doc.html.element("p", &[("class", "meant")], &format!("Did you mean: {meant}?"));
            doc.html.element("h3", &[], "Popular now");
            hits(doc, database, "popular", 0..database.records.min(6));
        }
    }

    fn pager(&self, doc: &mut PageWriter<'_>, page: usize, pages: usize) {
        let kept: Vec<(_, _)> =
            form_urlencoded::parse(self.parameters.as_bytes()).filter(|(name, _)| name != "page").collect();
        let to = |number: usize| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.extend_pairs(&kept).append_pair("page", &number.to_string());
            format!("{}?{}", self.sketch.action, query.finish())
        };
        doc.html.open("div", &[("class", "pager")]);
        let here = page + 1;
        for number in (1..=pages).filter(|number| number.abs_diff(here) <= 3 && *number != here) {
            let href = to(number);
            doc.html.element("a", &[("href", &href)], &number.to_string());
        }
        if here < pages {
            let href = to(here + 1);
            doc.html.element("a", &[("href", &href), ("rel", "next")], "Next");
        }
        doc.html.close("div");
    }

    /// Some refuse with a status, some in words only.
    fn refusal(&self) -> SiteResponse {
        let text = PageWriter::document(self.site, self.session, self.form.seed, "Search", |doc| {
            doc.html.element("p", &[("class", "error")], "Please tell us what to look for.");
        });
        let status = if self.form.seed.is_multiple_of(2) { 400 } else { 200 };
        SiteResponse { status, ..SiteResponse::html(text) }
    }

    /// One page for every question; some repeat what was asked, some show a few things at random.
    fn alike(&self, at: Time) -> String {
        let query = FormQuery::read(self.sketch, self.parameters);
        PageWriter::document(self.site, self.session, self.form.seed, "Welcome", |doc| {
            if self.form.seed.is_multiple_of(2) {
                doc.html.element("p", &[], &format!("You asked for {}.", query.typed()));
            }
            doc.filler(2);
            doc.list(self.site.tree.children(0).take(8));
            if self.form.seed.is_multiple_of(3) {
                let mut luck = SeededRng::new(self.form.seed, at.0 / SECOND);
                let pages = self.site.tree.pages;
                doc.list((0..3).map(|_| luck.below(pages)));
            }
        })
    }
}

fn hits(doc: &mut PageWriter<'_>, database: &SiteDatabase, class: &str, records: impl Iterator<Item = u32>) {
    doc.html.open("ol", &[("class", class)]);
    for record in records {
        let path = doc.with_session(&database.path(record));
        doc.html.open("li", &[("class", "hit")]);
        doc.html.element("a", &[("href", &path)], &database.title(record));
        doc.html.element("p", &[], &database.text(record));
        doc.html.close("li");
    }
    doc.html.close("ol");
}
