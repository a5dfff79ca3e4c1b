//! Responses to submitted search forms, by the [`Behaviour`] of the form.

use crate::form::behaviour::Behaviour;
use crate::form::content::{FormContent, form_content};
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

/// Records per result page. Guess.
const PAGE_SIZE: usize = 10;

/// Share of requests that [`Behaviour::Limited`] refuses. Guess.
const REFUSED_SHARE: f64 = 0.6;

/// Milliseconds during which [`Behaviour::Limited`] treats a request the same way. Guess.
const REFUSAL_PERIOD: u64 = 60_000;

/// Milliseconds after which the random links of [`Behaviour::SamePage`] change. Guess.
const RANDOM_LINKS_PERIOD: u64 = 1_000;

/// Response to a submitted form that looks like a search.
pub(crate) fn search_response(
    site: &Site<'_>,
    form: &PlannedForm,
    content: &FormContent,
    request: &Request,
    session: &str,
    at: Time,
) -> SiteResponse {
    let body = String::from_utf8_lossy(&request.body);
    let in_url = request.url.query().unwrap_or_default();
    let parameters = if request.method == Method::Post && !body.is_empty() { &*body } else { in_url };
    let submitted = SubmittedForm { site, form, content, parameters, session };
    match Behaviour::of(form, site.spec.back_ends) {
        Behaviour::Limited if is_refused(form, request, at) => too_many(),
        Behaviour::Redirect => SiteResponse::see_other(site.url_on_main(&redirect_path(form, parameters))),
        Behaviour::SamePage => SiteResponse::html(submitted.same_page(at)),
        _ => submitted.results(),
    }
}

/// Results of a query that was redirected to a URL of its own.
pub(crate) fn redirected_response(
    site: &Site<'_>,
    query: &RedirectedQuery<'_>,
    session: &str,
) -> SiteResponse {
    let RedirectedQuery { form, parameters } = query;
    SubmittedForm { site, form, content: &form_content(form), parameters, session }.results()
}

/// Query that a results URL expresses.
pub(crate) struct RedirectedQuery<'s> {
    form: &'s PlannedForm,
    parameters: String,
}

/// Path of the results of a query. Half of the forms repeat the query in it, the others encode it in hexadecimal.
fn redirect_path(form: &PlannedForm, parameters: &str) -> String {
    if form.seed.is_multiple_of(2) {
        return format!("/found/{}?{parameters}", form.ordinal);
    }
    let mut path = format!("/found/{}/", form.ordinal);
    for byte in parameters.bytes().take(500) {
        write!(path, "{byte:02x}").expect("writing to a string cannot fail");
    }
    path
}

/// Inverse of [`redirect_path`].
pub(crate) fn redirected_query<'s>(site: &'s Site<'_>, path: &str) -> Option<RedirectedQuery<'s>> {
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
    let submission = xxh3_64(request.url.as_str().as_bytes()) ^ xxh3_64(&request.body);
    SeededRng::new(mix(form.seed, submission), at.0 / REFUSAL_PERIOD).chance(REFUSED_SHARE)
}

fn too_many() -> SiteResponse {
    let body = "<html><title>Busy</title><body><p>Too many requests. Please slow down.</p></body></html>";
    SiteResponse { status: 429, ..SiteResponse::html(body.to_string()) }
}

/// Submitted form with its parameters.
struct SubmittedForm<'a> {
    site: &'a Site<'a>,
    form: &'a PlannedForm,
    content: &'a FormContent,
    parameters: &'a str,
    session: &'a str,
}

impl SubmittedForm<'_> {
    fn results(&self) -> SiteResponse {
        let (database, query) =
            (SiteDatabase::behind(self.site, self.form), FormQuery::read(self.content, self.parameters));
        let behaviour = Behaviour::of(self.form, self.site.spec.back_ends);
        if behaviour == Behaviour::RejectsEmpty && query.is_empty() {
            return self.rejection();
        }
        let matches = database.matches(&query);
        if let (Behaviour::OnlyHit, [only]) = (behaviour, &matches[..]) {
            return SiteResponse::see_other(self.site.url_on_main(&database.path(*only)));
        }
        SiteResponse::html(PageWriter::document(self.site, self.session, self.form.seed, "Results", |doc| {
            if behaviour == Behaviour::Echo {
                doc.html.element("h2", &[], &format!("You searched for \"{}\"", query.typed()));
            }
            let first = query.page().saturating_mul(PAGE_SIZE);
            match matches.get(first..).unwrap_or_default() {
                [] => self.no_results(doc, &database, &query, behaviour),
                shown => self.listing(doc, &database, shown, matches.len(), query.page()),
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
        write_hits(doc, database, "results", shown.iter().copied().take(PAGE_SIZE));
        self.pager(doc, page, all.div_ceil(PAGE_SIZE));
    }

    fn no_results(
        &self,
        doc: &mut PageWriter<'_>,
        database: &SiteDatabase,
        query: &FormQuery,
        behaviour: Behaviour,
    ) {
        const MESSAGES: [&str; 4] = [
            "No matches were found. Please try other words.",
            "Sorry, nothing fits your request.",
            "Your query returned 0 records.",
            "We could not find what you are looking for.",
        ];
        let text = MESSAGES[(self.site.profile.seed % 4) as usize];
        match behaviour {
            Behaviour::Echo => {
                doc.html.element("p", &[("class", "none")], &format!("{text} ({})", query.typed()))
            }
            _ => doc.html.element("p", &[("class", "none")], text),
        }
        if behaviour == Behaviour::Suggest {
            let suggestion = database.title(0);
            doc.html.element("p", &[("class", "meant")], &format!("Did you mean: {suggestion}?"));
            doc.html.element("h3", &[], "Popular now");
            write_hits(doc, database, "popular", 0..database.records.min(6));
        }
    }

    fn pager(&self, doc: &mut PageWriter<'_>, page: usize, pages: usize) {
        let kept: Vec<(_, _)> =
            form_urlencoded::parse(self.parameters.as_bytes()).filter(|(name, _)| name != "page").collect();
        let to = |number: usize| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.extend_pairs(&kept).append_pair("page", &number.to_string());
            format!("{}?{}", self.content.action, query.finish())
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

    /// Response of [`Behaviour::RejectsEmpty`], with status 400 or 200.
    fn rejection(&self) -> SiteResponse {
        let text = PageWriter::document(self.site, self.session, self.form.seed, "Search", |doc| {
            doc.html.element("p", &[("class", "error")], "Please tell us what to look for.");
        });
        let status = if self.form.seed.is_multiple_of(2) { 400 } else { 200 };
        SiteResponse { status, ..SiteResponse::html(text) }
    }

    /// Page of [`Behaviour::SamePage`]. Some forms repeat the query, some show random links.
    fn same_page(&self, at: Time) -> String {
        let query = FormQuery::read(self.content, self.parameters);
        PageWriter::document(self.site, self.session, self.form.seed, "Welcome", |doc| {
            if self.form.seed.is_multiple_of(2) {
                doc.html.element("p", &[], &format!("You asked for {}.", query.typed()));
            }
            doc.filler(2);
            doc.list(self.site.tree.children(0).take(8));
            if self.form.seed.is_multiple_of(3) {
                let mut rng = SeededRng::new(self.form.seed, at.0 / RANDOM_LINKS_PERIOD);
                let pages = self.site.tree.pages;
                doc.list((0..3).map(|_| rng.below(pages)));
            }
        })
    }
}

fn write_hits(
    doc: &mut PageWriter<'_>,
    database: &SiteDatabase,
    class: &str,
    records: impl Iterator<Item = u32>,
) {
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
