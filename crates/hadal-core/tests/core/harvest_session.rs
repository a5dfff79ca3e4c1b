//! Harvest sessions against small search programs: requests sent, records found, endings.

use hadal_core::harvest::policy::{Policy, PolicyContext, QueryOutcome, RequestCosts, find_policy};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::session::{
    DetailMode, EntryPage, HarvestEnding, HarvestOptions, HarvestSession, ParsedResponse, RequestPurpose,
};
use hadal_core::html;
use hadal_core::http::{Method, Request};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;
use url::{Url, form_urlencoded};

const WORDS: [&str; 24] = [
    "harbour", "lantern", "meadow", "copper", "willow", "granite", "velvet", "thunder", "orchard", "feather",
    "marble", "saffron", "compass", "timber", "glacier", "pepper", "anchor", "violet", "canyon", "ribbon",
    "falcon", "hollow", "ember", "quartz",
];

/// Title of a record: three words of the list and its number.
fn title(record: usize) -> String {
    let word = |step: usize| WORDS[(record * step + step * step) % WORDS.len()];
    format!("{} {} {} number {record}", word(1), word(5), word(7))
}

/// A search program behind a form.
trait SearchSite {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String);
}

fn parameters(request: &Request) -> Vec<(String, String)> {
    let body = String::from_utf8_lossy(&request.body).into_owned();
    let text = if request.method == Method::Post { body } else { request.url.query().unwrap_or("").into() };
    form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

fn value(request: &Request, name: &str) -> String {
    let all = parameters(request);
    all.into_iter().find(|(key, _)| key == name).map(|(_, value)| value).unwrap_or_default()
}

fn frame(main: &str) -> String {
    format!(
        "<html><head><title>Museum store</title></head><body><div id=top><a href=/>Home</a> <a href=/about>About
        us</a></div>{main}<div class=foot>Open from nine to five.</div></body></html>"
    )
}

fn results(found: &[usize], page: usize, size: usize, link: impl Fn(usize) -> String) -> String {
    if found.is_empty() {
        return frame("<p>Sorry, no items match your search.</p>");
    }
    let mut main = format!("<p>{} items found</p><ul class=hits>", found.len());
    for record in found.iter().skip(page * size).take(size) {
        let text = title(*record);
        write!(
            main,
            "<li><a href='/item/{record}'>{text}</a> <span>Shelf {} of the {text} room</span></li>",
            record % 9
        )
        .unwrap();
    }
    main.push_str("</ul>");
    if (page + 1) * size < found.len() {
        write!(main, "<a href='{}'>Next page</a>", link(page + 1)).unwrap();
    }
    frame(&main)
}

/// A plain search over numbered records.
struct PlainSearch {
    records: usize,
}

impl SearchSite for PlainSearch {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        if request.url.path() != "/find" {
            return (
                200,
                None,
                frame("<form action=/find><input type=search name=q><button>Search</button></form>"),
            );
        }
        let word = value(request, "q").to_lowercase();
        let page = value(request, "page").parse().unwrap_or(0);
        let found: Vec<usize> =
            (0..self.records).filter(|record| title(*record).split(' ').any(|known| known == word)).collect();
        (200, None, results(&found, page, 10, |next| format!("/find?q={word}&page={next}")))
    }
}

/// A plain search with POST and a token that is valid for one query.
struct TokenSearch {
    plain: PlainSearch,
    token: u32,
    refused: u32,
}

impl SearchSite for TokenSearch {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        let form = |token: u32| {
            format!(
                "<form method=post action=/find><input name=q><input type=hidden name=csrf_token
                value=f00d{token:012x}><input type=submit value=Search></form>"
            )
        };
        if request.url.path() == "/" {
            self.token += 1;
            return (200, None, frame(&form(self.token)));
        }
        if request.method == Method::Post
            && value(request, "csrf_token") != format!("f00d{:012x}", self.token)
        {
            self.refused += 1;
            return (403, None, frame("<h1>Error</h1><p>Your session has expired. Please try again.</p>"));
        }
        self.token += u32::from(request.method == Method::Post);
        self.plain.answer(request)
    }
}

/// A plain search that shows four pages of an answer. If `refused` is set, pages expire at the next query.
struct ExpiringPages {
    plain: PlainSearch,
    asked: u32,
    refused: Option<u32>,
}

impl SearchSite for ExpiringPages {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        let session = value(request, "session");
        if session.is_empty() {
            self.asked += u32::from(request.url.path() == "/find");
        } else if let Some(refused) = &mut self.refused
            && session != self.asked.to_string()
        {
            *refused += 1;
            return (403, None, frame("<h1>Error</h1><p>This page of results has expired.</p>"));
        }
        let (status, location, mut body) = self.plain.answer(request);
        if value(request, "page") == "3" {
            body = body.replace("<a href='/find", "<i title='/find");
        }
        (status, location, body.replace("&page=", &format!("&session={}&page=", self.asked)))
    }
}

/// A plain search behind two redirects: one that keeps POST, one to a GET URL.
struct RedirectingSearch {
    plain: PlainSearch,
}

impl SearchSite for RedirectingSearch {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        match (request.url.path(), request.method) {
            ("/", _) => {
                let form =
                    "<form method=post action=/ask><input name=q><input type=submit value=Search></form>";
                (200, None, frame(form))
            }
            ("/ask", Method::Post) => (307, Some("/again"), String::new()),
            ("/again", Method::Post) => {
                let to = if value(request, "q") == "harbour" { "/find?q=harbour" } else { "/find?q=meadow" };
                (303, Some(to), String::new())
            }
            _ => self.plain.answer(request),
        }
    }
}

/// A plain search with an A-Z list that leads to the records or to other pages.
struct LetterIndex {
    plain: PlainSearch,
    leads_to: &'static str,
}

impl SearchSite for LetterIndex {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        let letter = value(request, "letter").to_lowercase();
        match request.url.path() {
            "/" => {
                let link = |letter: char| format!("<a href='/list?letter={letter}'>{letter}</a> ");
                let letters: String = ('A'..='Z').map(link).collect();
                let form = "<form action=/find><input type=search name=q><button>Search</button></form>";
                (200, None, frame(&format!("{form}<p class=az>{letters}</p>")))
            }
            "/list" => {
                let begins = |record: &usize| title(*record).starts_with(&letter);
                let found: Vec<usize> = (0..self.plain.records).filter(begins).collect();
                let page = results(&found, 0, 1_000, |_| String::new());
                (200, None, page.replace("/item/", self.leads_to))
            }
            _ => self.plain.answer(request),
        }
    }
}

/// A search with a link "more" that doubles the length of the list, without end. Links to records repeat the length.
struct WideningSearch {
    records: usize,
}

impl SearchSite for WideningSearch {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        if request.url.path() != "/find" {
            return PlainSearch { records: 0 }.answer(request);
        }
        let word = value(request, "q").to_lowercase();
        let length: u64 = value(request, "n").parse().unwrap_or(10);
        let copied = if length > 10 { format!("?n={length}") } else { String::new() };
        let matching =
            (0..self.records).filter(|record| title(*record).split(' ').any(|known| known == word));
        let found: Vec<usize> = matching.collect();
        if found.is_empty() {
            return (200, None, results(&found, 0, 10, |_| String::new()));
        }
        let mut list = String::from("<ul class=hits>");
        for record in found.into_iter().take(length as usize) {
            let (text, shelf) = (title(record), record % 9);
            write!(list, "<li><a href='/item/{record}{copied}'>{text}</a> <span>Shelf {shelf}</span></li>")
                .unwrap();
        }
        let more = format!("/find?q={word}&n={}", length.saturating_mul(2));
        (200, None, frame(&format!("{list}</ul><a href='{more}'>more</a>")))
    }
}

/// A plain search with pages that state the size of the index and, without results, list hints.
struct IndexSize {
    plain: PlainSearch,
}

impl SearchSite for IndexSize {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        let (status, location, body) = self.plain.answer(request);
        let hints = "<h2>Hints</h2><ul><li>Check the spelling<br>Wrong words bring no items to light.</li><li>Add
            words<br>More words bring more items to light.</li><li>Use substrings<br>Parts of words bring items to
            light.</li></ul>";
        let size = format!("<p>The index contains {} documents.</p>", self.plain.records);
        let body = body
            .replace("</div><", &format!("</div>{size}<"))
            .replace("your search.</p>", &format!("your search.</p>{hints}"));
        (status, location, body)
    }
}

/// Shows the same records for every query.
struct SameAnswers;

impl SearchSite for SameAnswers {
    fn answer(&mut self, _: &Request) -> (u16, Option<&'static str>, String) {
        let found: Vec<usize> = (0..8).collect();
        (200, None, results(&found, 0, 10, |_| String::new()))
    }
}

/// Shows the sections of the site for every query.
struct SectionList;

impl SearchSite for SectionList {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        let sections = (0..8).fold(String::new(), |list, section| {
            format!("{list}<li><a href='/section/{section}/'>{}</a></li>", title(section * 11))
        });
        let asked = value(request, "q");
        (200, None, frame(&format!("<h1>Welcome</h1><p>You asked for {asked}.</p><ul>{sections}</ul>")))
    }
}

/// Stores every query as an entry.
struct EntryForm;

impl SearchSite for EntryForm {
    fn answer(&mut self, _: &Request) -> (u16, Option<&'static str>, String) {
        (200, None, frame("<h1>Thank you</h1><p>Your entry has been received.</p>"))
    }
}

/// Demands a captcha for every page.
struct CaptchaWall;

impl SearchSite for CaptchaWall {
    fn answer(&mut self, _: &Request) -> (u16, Option<&'static str>, String) {
        let wall = "<h1>Are you a robot?</h1><p>Please complete the captcha to continue.</p><div class=g-recaptcha></div>";
        (403, None, frame(wall))
    }
}

struct RunResult {
    /// Titles of records.
    records: BTreeSet<String>,
    addresses: BTreeSet<String>,
    submitted: Vec<String>,
    submissions: u32,
    lists: u32,
    requests: u32,
    ending: Option<HarvestEnding>,
    waits: Vec<Duration>,
    most_hits: usize,
}

/// A plain search that asks to wait at the first sending of every word, as boards do.
struct SlowedSearch {
    plain: PlainSearch,
    sent: BTreeSet<String>,
}

impl SearchSite for SlowedSearch {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        let word = value(request, "q");
        let is_first = request.url.path() == "/find" && self.sent.insert(word);
        if is_first && self.sent.len() > 1 && value(request, "page").is_empty() {
            return (
                200,
                None,
                frame("<p>You cannot search at this time. Please try again in 14 seconds.</p>"),
            );
        }
        self.plain.answer(request)
    }
}

/// A plain search behind redirects: the entry page moved, and answers come after a page that refreshes itself.
struct RedirectedSearch {
    plain: PlainSearch,
}

impl SearchSite for RedirectedSearch {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        match (request.url.path(), request.url.query()) {
            ("/", _) => (301, Some("/start"), "<h1>301 Moved Permanently</h1>".into()),
            ("/find", Some(query)) if !query.contains("ready") => {
                let target = format!("/find?{query}&ready=1");
                (200, None, format!("<meta http-equiv=refresh content='1; url={target}'><p>Searching ..."))
            }
            _ => self.plain.answer(request),
        }
    }
}

/// Russian records behind an English search page. Another page of the site shows some of their words.
struct ForeignRecords;

impl ForeignRecords {
    const WORDS: [&str; 7] = ["янтарь", "береза", "гавань", "фонарь", "компас", "ледник", "сокол"];

    fn title(record: usize) -> String {
        let word = |step: usize| Self::WORDS[(record * step + step) % Self::WORDS.len()];
        format!("{} {} {record}", word(1), word(3))
    }
}

impl SearchSite for ForeignRecords {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        let words = value(request, "q").to_lowercase();
        let matches = |record: &usize| !words.is_empty() && Self::title(*record).contains(&words);
        let item = |record: usize| {
            let title = Self::title(record);
            format!("<li><a href='/item/{record}'>{title}</a> <span>Зал {} и {title}</span></li>", record % 9)
        };
        let items: String = (0..60).filter(matches).map(item).collect();
        let main = match request.url.path() {
            "/" => "<form action=/find><input name=q><button>Search</button></form>".into(),
            "/about" => "<p>Здесь хранятся янтарь и береза.</p>".into(),
            _ if items.is_empty() => "<p>Sorry, no items match your search.</p>".into(),
            _ => format!("<ul class=hits>{items}</ul>"),
        };
        (200, None, frame(&format!("<meta charset=utf-8>{main}")))
    }
}

/// Server's response to the parameter for the page size that its result pages link to.
#[derive(Clone, Copy, PartialEq)]
enum SizeParameter {
    Obeyed,
    Ignored,
    Refused,
}

/// A search that shows ten records per page and links to larger pages.
struct SizedSearch {
    records: usize,
    parameter: Option<SizeParameter>,
}

impl SearchSite for SizedSearch {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        let plain = PlainSearch { records: self.records }.answer(request);
        let Some(parameter) = self.parameter.filter(|_| request.url.path() == "/find") else { return plain };
        let (word, sent) = (value(request, "q").to_lowercase(), value(request, "per_page"));
        if parameter == SizeParameter::Refused && !sent.is_empty() {
            return (500, None, frame("<h1>Internal server error</h1>"));
        }
        let size = sent.parse().ok().filter(|_| parameter == SizeParameter::Obeyed).unwrap_or(10);
        let page = value(request, "page").parse().unwrap_or(0);
        let is_match = |record: &usize| title(*record).split(' ').any(|known| known == word);
        let found: Vec<usize> = (0..self.records).filter(is_match).collect();
        let link = |next: usize| format!("/find?q={word}&per_page={sent}&page={next}");
        let sizes: String =
            [25, 100].iter().map(|n| format!("<a href='/find?q={word}&per_page={n}'>{n}</a> ")).collect();
        (200, None, results(&found, page, size, link).replace("<ul", &format!("<p>Show {sizes}</p><ul")))
    }
}

#[test]
fn larger_pages_are_used_once_they_were_seen_to_work() {
    let requests = |parameter| {
        let found = run(&mut SizedSearch { records: 400, parameter }, "hadal", 300);
        assert_eq!(found.records.len(), 400, "{:?}", found.ending);
        found.requests
    };
    let without = requests(None);
    let obeyed = requests(Some(SizeParameter::Obeyed));
    assert!(2 * obeyed < without, "{obeyed} instead of {without}");
    for parameter in [SizeParameter::Ignored, SizeParameter::Refused] {
        assert!(requests(Some(parameter)) <= without + 2, "a trial in vain costs one request");
    }
}

#[test]
fn words_of_other_pages_of_the_site_are_sent_if_those_of_the_search_page_match_nothing() {
    let found = run(&mut ForeignRecords, "hadal", 200);
    assert_eq!((found.records.len(), found.lists), (60, 1), "{:?}", found.ending);
}

fn run(site: &mut dyn SearchSite, policy: &str, most: u32) -> RunResult {
    let context = PolicyContext { first_words: vec!["harbour".into()], ..PolicyContext::default() };
    run_policy(site, find_policy(policy).unwrap().make(&context), most)
}

fn run_policy(site: &mut dyn SearchSite, policy: Box<dyn Policy>, most: u32) -> RunResult {
    let mut session = new_session(site, policy);
    run_session(&mut session, site, most)
}

fn new_session(site: &mut dyn SearchSite, policy: Box<dyn Policy>) -> HarvestSession {
    let home = Url::parse("http://museum.example/").unwrap();
    let (status, _, body) = PlainSearch { records: 0 }.answer(&Request::get(home.clone()));
    assert_eq!(status, 200);
    let (_, _, own) = site.answer(&Request::get(home.clone()));
    let page = html::parse(own.as_bytes(), None, &home);
    let page = if page.forms.is_empty() { html::parse(body.as_bytes(), None, &home) } else { page };
    let entry_page = EntryPage::new(page.forms[0].clone(), home, page.charset);
    let options = HarvestOptions { coverage: 1.0, records: None, details: DetailMode::Never, seed: 1 };
    HarvestSession::new(entry_page, policy, options)
}

fn run_session(session: &mut HarvestSession, site: &mut dyn SearchSite, most: u32) -> RunResult {
    let mut result = RunResult {
        records: BTreeSet::new(),
        addresses: BTreeSet::new(),
        submitted: Vec::new(),
        submissions: 0,
        lists: 0,
        requests: 0,
        ending: None,
        waits: Vec::new(),
        most_hits: 0,
    };
    while let Some((request, purpose)) = session.next_request() {
        assert_eq!(session.next_request().unwrap().0, request, "the same until a response is received");
        let (status, location, body) = site.answer(&request);
        let location = location.map(|to| request.url.join(to).unwrap());
        let document = Some(html::parse_with_outline(body.as_bytes(), Some("text/html"), &request.url));
        let update =
            session.receive(ParsedResponse { status, location, document, data: None, interval: None });
        result.records.extend(update.records.iter().map(|(record, _)| record.title.clone()));
        let urls = update.records.iter().filter_map(|(record, _)| record.url.as_ref());
        result.addresses.extend(urls.map(Url::to_string));
        result.submitted.extend(purpose.submits().then(|| request.url.path().to_string()));
        result.waits.extend(update.wait);
        let hits = update.finished.as_ref().map_or(0, |finished| finished.hits.len());
        result.most_hits = result.most_hits.max(hits);
        result.submissions += u32::from(purpose == RequestPurpose::Query);
        result.lists += u32::from(purpose == RequestPurpose::Link);
        result.requests += 1;
        if result.requests == most {
            break;
        }
    }
    result.ending = session.ending();
    result
}

#[test]
fn readers_of_a_harvest_read_an_answer_of_one_record() {
    let mut site = PlainSearch { records: 200 };
    let mut session = |words: &str| {
        let context = PolicyContext { first_words: vec![words.into()], ..PolicyContext::default() };
        new_session(&mut site, find_policy("hadal").unwrap().make(&context))
    };
    let (mut harvest, mut other) = (session("harbour"), session("57"));
    run_session(&mut harvest, &mut site, 60);
    other.restore_readers(&harvest.save());
    let found = run_session(&mut other.refreshing(), &mut site, 3).records;
    assert_eq!(found, BTreeSet::from([title(57)]));
}

#[test]
fn an_entry_page_that_was_fetched_before_is_not_fetched_again() {
    let home = Url::parse("http://museum.example/").unwrap();
    let (_, _, body) = PlainSearch { records: 9 }.answer(&Request::get(home.clone()));
    let page = html::parse(body.as_bytes(), None, &home);
    let entry_page = EntryPage::new(page.forms[0].clone(), home, page.charset);
    let policy = find_policy("hadal").unwrap().make(&PolicyContext::default());
    let options = HarvestOptions { coverage: 1.0, records: None, details: DetailMode::Never, seed: 1 };
    let mut session = HarvestSession::new(entry_page, policy, options);
    assert_eq!(session.next_request().unwrap().1, RequestPurpose::EntryPage);
    session.open_with(&page);
    assert_eq!(session.next_request().unwrap().1, RequestPurpose::Calibration);
}

#[test]
fn all_records_behind_a_search_box_are_found() {
    for policy in ["adaptive", "hadal"] {
        let result = run(&mut PlainSearch { records: 150 }, policy, 400);
        let truth: BTreeSet<String> = (0..150).map(title).collect();
        let found = result.records.intersection(&truth).count();
        assert!(found >= 149, "{policy}: {found} in {} requests", result.requests);
        assert_eq!(result.records.difference(&truth).count(), 0, "{policy}");
    }
}

#[test]
fn a_query_is_sent_again_after_the_wait_that_a_site_asks_for() {
    let mut site = SlowedSearch { plain: PlainSearch { records: 60 }, sent: BTreeSet::new() };
    let found = run(&mut site, "adaptive", 400);
    assert_eq!(found.records.len(), 60);
    // 14 seconds at the first message, and an interval that grows until none is expected.
    assert_eq!(found.waits.first(), Some(&Duration::from_secs(14)));
    assert!(found.waits.iter().all(|wait| *wait <= Duration::from_secs(120)), "{:?}", found.waits);
}

#[test]
fn redirects_by_status_and_by_markup_are_followed() {
    let found = run(&mut RedirectedSearch { plain: PlainSearch { records: 60 } }, "adaptive", 600);
    assert_eq!(found.records.len(), 60);
}

#[test]
fn a_list_that_only_widens_is_read_once() {
    let run = run(&mut WideningSearch { records: 150 }, "hadal", 1_000);
    assert!(run.records.len() >= 140, "{} records", run.records.len());
    assert!(run.addresses.iter().all(|address| !address.contains('?')), "{:?}", run.addresses.last());
    assert_eq!(run.addresses.len(), run.records.len());
    // Every title holds the word "number". Its five pages show 300 records, 150 of them for the first time.
    assert_eq!(run.most_hits, 150);
    assert!(run.requests < 300, "{} requests", run.requests);
}

#[test]
fn the_size_of_the_index_is_no_total_of_a_query() {
    let run = run(&mut IndexSize { plain: PlainSearch { records: 240 } }, "hadal", 400);
    let truth: BTreeSet<String> = (0..240).map(title).collect();
    assert_eq!(run.records.difference(&truth).collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(run.records.len() >= 230, "{} records", run.records.len());
}

#[test]
fn a_token_for_one_query_is_fetched_again() {
    let mut site = TokenSearch { plain: PlainSearch { records: 40 }, token: 0, refused: 0 };
    let result = run(&mut site, "adaptive", 300);
    assert!(result.records.len() >= 39, "{} of 40", result.records.len());
    assert!(site.refused <= result.submissions + 1, "{} refusals", site.refused);
}

#[test]
fn pages_that_expire_do_not_end_a_harvest() {
    let [lasting, expiring] = [None, Some(0)].map(|refused| {
        let mut site = ExpiringPages { plain: PlainSearch { records: 900 }, asked: 0, refused };
        let result = run(&mut site, "hadal", 600);
        assert_eq!(result.ending, Some(HarvestEnding::Unprofitable));
        (result.records.len(), site.refused)
    });
    assert!(expiring.1 > Some(0), "no expired page was requested");
    assert!(10 * expiring.0 >= 9 * lasting.0, "{expiring:?} against {lasting:?}");
}

#[test]
fn a_form_with_the_same_answer_to_every_query_does_not_search() {
    let result = run(&mut SameAnswers, "hadal", 50);
    assert_eq!(result.ending, Some(HarvestEnding::SameAnswers));
    assert_eq!(result.records.len(), 8);
}

/// Lists all records page by page and ignores the words of a query, because a script of the page searches.
struct IgnoredWords {
    records: usize,
}

impl SearchSite for IgnoredWords {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        let page: usize = value(request, "page").parse().unwrap_or(0);
        let mut main =
            "<form action=/find><input type=search name=q><button>Search</button></form><ul>".to_string();
        for record in (0..self.records).skip(page * 10).take(10) {
            let word = |at: usize| WORDS[at % WORDS.len()];
            let (first, second) = (word(record), word(record / WORDS.len() + 5));
            write!(
                main,
                "<li><a href='/item/{record}'>{first} {second}</a> <p>A {second} with {first}</p></li>"
            )
            .unwrap();
        }
        main.push_str("</ul>");
        if (page + 1) * 10 < self.records {
            write!(main, "<a href='/find?page={}'>Next page</a>", page + 1).unwrap();
        }
        (200, None, frame(&main))
    }
}

#[test]
fn a_form_that_always_lists_all_records_is_read_as_a_list() {
    let result = run(&mut IgnoredWords { records: 230 }, "hadal", 100);
    assert_eq!(result.records.len(), 230);
    assert!(result.requests <= 40, "{} requests", result.requests);
}

#[test]
fn a_form_that_shows_only_its_sections_does_not_search() {
    let result = run(&mut SectionList, "hadal", 50);
    assert_eq!(result.ending, Some(HarvestEnding::SameAnswers));
    assert!(result.submissions <= 4, "{} submissions", result.submissions);
}

/// A site with the same links below the form on all pages, and with a search that runs in a script.
struct ScriptedSearch;

impl SearchSite for ScriptedSearch {
    fn answer(&mut self, _: &Request) -> (u16, Option<&'static str>, String) {
        let foot = "<div>&copy; <a href=/copyright>Copyright of the harbour manual</a> since 1999<br><a href=/licence>History
            and licence</a> of the manual<br><a href=/donate>Please donate</a> to the makers<br><a href=/bugs>Found a
            bug?</a> Tell the harbour office</div>";
        (
            200,
            None,
            frame(&format!("<form action=/find><input name=q></form><p>Search needs a script.</p>{foot}")),
        )
    }
}

#[test]
fn links_that_every_page_shows_are_no_records() {
    let run = run(&mut ScriptedSearch, "hadal", 100);
    assert_eq!((run.records.len(), run.ending), (0, Some(HarvestEnding::SameAnswers)));
}

#[test]
fn a_form_that_stores_entries_is_submitted_once() {
    let result = run(&mut EntryForm, "hadal", 50);
    assert_eq!(result.ending, Some(HarvestEnding::EntryStored));
    assert_eq!((result.submitted.len(), result.records.len()), (1, 0));
}

#[test]
fn a_captcha_ends_a_harvest() {
    let result = run(&mut CaptchaWall, "hadal", 50);
    assert_eq!(result.ending, Some(HarvestEnding::Captcha));
    assert!(result.requests < 10);
}

#[test]
fn only_requests_that_carry_the_form_are_submissions() {
    let result = run(&mut RedirectingSearch { plain: PlainSearch { records: 60 } }, "hadal", 30);
    assert!(!result.records.is_empty());
    let (asked, again) = ("/ask".to_string(), "/again".to_string());
    assert!(result.submitted.len() >= 6);
    assert!(
        result.submitted.chunks(2).all(|pair| pair[0] == asked && pair.get(1).is_none_or(|to| *to == again))
    );
    assert!(u32::try_from(result.submitted.len()).unwrap() < result.requests);
}

#[test]
fn a_browse_list_is_followed_before_further_queries() {
    let mut site = LetterIndex { plain: PlainSearch { records: 300 }, leads_to: "/item/" };
    let result = run(&mut site, "hadal", 40);
    assert_eq!(result.records.len(), 300, "{} requests", result.requests);
    assert!(result.submitted.iter().all(|path| path == "/find"), "links do not submit the form");
}

#[test]
fn a_browse_list_of_other_pages_is_abandoned() {
    let mut site = LetterIndex { plain: PlainSearch { records: 300 }, leads_to: "/people/by/name/" };
    let result = run(&mut site, "hadal", 40);
    let truth: BTreeSet<String> = (0..300).map(title).collect();
    assert_eq!(result.records.difference(&truth).count(), 0);
    assert!(result.lists <= 3, "{} letters", result.lists);
}

/// Sends one query, then asks to continue answers that the session does not hold.
struct UnreadablePolicy {
    first: Option<Query>,
    /// Number of different answers it asks to continue before it starts again with the first.
    continuations: u32,
    choices: u32,
    /// Answers that the session reported as lost and that the policy gives up, if it listens.
    lost: Option<u32>,
}

impl UnreadablePolicy {
    fn new(continuations: u32) -> UnreadablePolicy {
        UnreadablePolicy { first: Some(Query::words("harbour")), continuations, choices: 0, lost: None }
    }
}

impl Policy for UnreadablePolicy {
    fn choose(&mut self, _: &RequestCosts) -> Option<Query> {
        self.choices += 1;
        assert!(self.choices < 20_000, "the session asks the policy without end");
        if self.lost.is_some_and(|lost| lost >= self.continuations) {
            return None;
        }
        let continuation = || Query::words(&format!("word{}", self.choices % self.continuations)).after(10);
        Some(self.first.clone().unwrap_or_else(continuation))
    }

    fn learn(&mut self, _: &QueryOutcome<'_>) {
        self.first = None;
    }

    fn drop_continuation(&mut self, _: &Query) {
        self.lost = self.lost.map(|lost| lost + 1);
    }

    fn top_queries(&self, _: &RequestCosts, _: usize) -> Vec<(Query, f64)> {
        vec![(Query::words("word").after(10), 1_000.0)]
    }
}

#[test]
fn a_policy_that_continues_unknown_answers_ends_the_harvest() {
    for continuations in [1, 7, u32::MAX] {
        let result =
            run_policy(&mut PlainSearch { records: 60 }, Box::new(UnreadablePolicy::new(continuations)), 100);
        assert_eq!(result.ending, Some(HarvestEnding::PolicyFailed), "{continuations}");
        assert!(result.requests < 20, "{continuations}: {} requests", result.requests);
    }
}

#[test]
fn a_policy_that_gives_up_lost_answers_is_asked_on() {
    let policy = UnreadablePolicy { lost: Some(0), ..UnreadablePolicy::new(50) };
    let result = run_policy(&mut PlainSearch { records: 60 }, Box::new(policy), 100);
    assert_eq!(result.ending, Some(HarvestEnding::NothingLeft));
}

#[test]
fn a_browse_list_is_followed_after_the_policy_failed() {
    let mut site = LetterIndex { plain: PlainSearch { records: 300 }, leads_to: "/item/" };
    let result = run_policy(&mut site, Box::new(UnreadablePolicy::new(3)), 60);
    assert_eq!(result.records.len(), 300, "{} requests", result.requests);
    assert_eq!(result.ending, Some(HarvestEnding::PolicyFailed));
}
