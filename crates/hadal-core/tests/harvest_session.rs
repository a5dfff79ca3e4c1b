//! A harvest against small search programs written here: what is sent, what is understood, how it ends.

#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

use hadal_core::harvest::policy::{Policy, PolicyContext, QueryOutcome, RequestCosts, find_policy};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::session::{
    DetailMode, EntryPage, HarvestEnding, HarvestOptions, HarvestSession, ParsedResponse, RequestPurpose,
};
use hadal_core::html;
use hadal_core::http::{Method, Request};
use std::collections::BTreeSet;
use std::fmt::Write;
use url::{Url, form_urlencoded};

const WORDS: [&str; 24] = [
    "harbour", "lantern", "meadow", "copper", "willow", "granite", "velvet", "thunder", "orchard", "feather",
    "marble", "saffron", "compass", "timber", "glacier", "pepper", "anchor", "violet", "canyon", "ribbon",
    "falcon", "hollow", "ember", "quartz",
];

/// A record's words: each has a few of the list, in a pattern without holes.
fn title(record: usize) -> String {
    let word = |step: usize| WORDS[(record * step + step * step) % WORDS.len()];
    format!("{} {} {} number {record}", word(1), word(5), word(7))
}

/// A program behind a form.
trait Site {
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
struct Plain {
    records: usize,
}

impl Site for Plain {
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

/// The same, behind POST and a token that is good for one query.
struct Guarded {
    plain: Plain,
    token: u32,
    refused: u32,
}

impl Site for Guarded {
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

/// The same, of which four pages are shown, each good until something else is asked if any are refused.
struct Fleeting {
    plain: Plain,
    asked: u32,
    refused: Option<u32>,
}

impl Site for Fleeting {
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

/// Shows answers elsewhere than where questions go: POST is sent on as it is, then to an address.
struct Pointing {
    plain: Plain,
}

impl Site for Pointing {
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

/// A plain search with an alphabet beside it, which leads to titles or to those who wrote them.
struct Lettered {
    plain: Plain,
    leads_to: &'static str,
}

impl Site for Lettered {
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

/// The same page whatever is asked.
struct Alike;

impl Site for Alike {
    fn answer(&mut self, _: &Request) -> (u16, Option<&'static str>, String) {
        let found: Vec<usize> = (0..8).collect();
        (200, None, results(&found, 0, 10, |_| String::new()))
    }
}

/// A welcome whatever is asked, with the sections of the site.
struct Welcome;

impl Site for Welcome {
    fn answer(&mut self, request: &Request) -> (u16, Option<&'static str>, String) {
        let sections = (0..8).fold(String::new(), |list, section| {
            format!("{list}<li><a href='/section/{section}/'>{}</a></li>", title(section * 11))
        });
        let asked = value(request, "q");
        (200, None, frame(&format!("<h1>Welcome</h1><p>You asked for {asked}.</p><ul>{sections}</ul>")))
    }
}

/// Thanks for whatever is sent.
struct Thanks;

impl Site for Thanks {
    fn answer(&mut self, _: &Request) -> (u16, Option<&'static str>, String) {
        (200, None, frame("<h1>Thank you</h1><p>Your entry has been received.</p>"))
    }
}

/// Nothing but a wall.
struct Wall;

impl Site for Wall {
    fn answer(&mut self, _: &Request) -> (u16, Option<&'static str>, String) {
        let wall = "<h1>Are you a robot?</h1><p>Please complete the captcha to continue.</p><div class=g-recaptcha></div>";
        (403, None, frame(wall))
    }
}

struct Course {
    records: BTreeSet<String>,
    submitted: Vec<String>,
    submissions: u32,
    lists: u32,
    requests: u32,
    ending: Option<HarvestEnding>,
}

fn run(site: &mut dyn Site, policy: &str, most: u32) -> Course {
    let context = PolicyContext { first_words: vec!["harbour".into()], ..PolicyContext::default() };
    run_policy(site, find_policy(policy).unwrap().make(&context), most)
}

fn run_policy(site: &mut dyn Site, policy: Box<dyn Policy>, most: u32) -> Course {
    let home = Url::parse("http://museum.example/").unwrap();
    let (status, _, body) = Plain { records: 0 }.answer(&Request::get(home.clone()));
    assert_eq!(status, 200);
    let (_, _, own) = site.answer(&Request::get(home.clone()));
    let page = html::parse(own.as_bytes(), None, &home);
    let page = if page.forms.is_empty() { html::parse(body.as_bytes(), None, &home) } else { page };
    let door = EntryPage::new(page.forms[0].clone(), home, page.charset);
    let wishes = HarvestOptions { coverage: 1.0, records: None, details: DetailMode::Never, seed: 1 };
    let mut harvest = HarvestSession::new(door, policy, wishes);
    let mut course = Course {
        records: BTreeSet::new(),
        submitted: Vec::new(),
        submissions: 0,
        lists: 0,
        requests: 0,
        ending: None,
    };
    while let Some((request, purpose)) = harvest.next_request() {
        assert_eq!(harvest.next_request().unwrap().0, request, "the same until a reply is taken");
        let (status, location, body) = site.answer(&request);
        let location = location.map(|to| request.url.join(to).unwrap());
        let document = Some(html::parse_with_outline(body.as_bytes(), Some("text/html"), &request.url));
        let taken = harvest.receive(ParsedResponse { status, location, document });
        course.records.extend(taken.records.iter().map(|(record, _)| record.title.clone()));
        course.submitted.extend(purpose.submits().then(|| request.url.path().to_string()));
        course.submissions += u32::from(purpose == RequestPurpose::Query);
        course.lists += u32::from(purpose == RequestPurpose::Link);
        course.requests += 1;
        if course.requests == most {
            break;
        }
    }
    course.ending = harvest.ending();
    course
}

#[test]
fn everything_behind_a_search_box_is_brought_up_page_by_page() {
    for policy in ["adaptive", "hadal"] {
        let course = run(&mut Plain { records: 150 }, policy, 400);
        let truth: BTreeSet<String> = (0..150).map(title).collect();
        let found = course.records.intersection(&truth).count();
        assert!(found >= 149, "{policy}: {found} in {} requests", course.requests);
        assert_eq!(course.records.difference(&truth).count(), 0, "{policy}");
    }
}

#[test]
fn a_token_that_is_good_once_is_fetched_again() {
    let mut site = Guarded { plain: Plain { records: 40 }, token: 0, refused: 0 };
    let course = run(&mut site, "adaptive", 300);
    assert!(course.records.len() >= 39, "{} of 40", course.records.len());
    assert!(site.refused <= course.submissions + 1, "{} refusals", site.refused);
}

#[test]
fn pages_that_expire_do_not_end_a_harvest() {
    let [lasting, expiring] = [None, Some(0)].map(|refused| {
        let mut site = Fleeting { plain: Plain { records: 900 }, asked: 0, refused };
        let course = run(&mut site, "hadal", 600);
        assert_eq!(course.ending, Some(HarvestEnding::Unprofitable));
        (course.records.len(), site.refused)
    });
    assert!(expiring.1 > Some(0), "none was read on");
    assert!(10 * expiring.0 >= 9 * lasting.0, "{expiring:?} against {lasting:?}");
}

#[test]
fn a_form_that_answers_everything_alike_is_said_not_to_search() {
    let course = run(&mut Alike, "hadal", 50);
    assert_eq!(course.ending, Some(HarvestEnding::Alike));
    assert_eq!(course.records.len(), 8);
}

#[test]
fn a_form_that_only_welcomes_is_found_out_soon() {
    let course = run(&mut Welcome, "hadal", 50);
    assert_eq!(course.ending, Some(HarvestEnding::Alike));
    assert!(course.submissions <= 4, "{} submissions", course.submissions);
}

#[test]
fn a_form_that_takes_entries_in_is_asked_once() {
    let course = run(&mut Thanks, "hadal", 50);
    assert_eq!(course.ending, Some(HarvestEnding::TakenIn));
    assert_eq!((course.submitted.len(), course.records.len()), (1, 0));
}

#[test]
fn a_wall_ends_a_harvest_with_its_name() {
    let course = run(&mut Wall, "hadal", 50);
    assert_eq!(course.ending, Some(HarvestEnding::Captcha));
    assert!(course.requests < 10);
}

#[test]
fn only_requests_that_carry_the_form_are_submissions() {
    let course = run(&mut Pointing { plain: Plain { records: 60 } }, "hadal", 30);
    assert!(!course.records.is_empty());
    let (asked, again) = ("/ask".to_string(), "/again".to_string());
    assert!(course.submitted.len() >= 6);
    assert!(
        course.submitted.chunks(2).all(|pair| pair[0] == asked && pair.get(1).is_none_or(|to| *to == again))
    );
    assert!(u32::try_from(course.submitted.len()).unwrap() < course.requests);
}

#[test]
fn a_list_to_browse_is_walked_before_more_words_are_asked() {
    let mut site = Lettered { plain: Plain { records: 300 }, leads_to: "/item/" };
    let course = run(&mut site, "hadal", 40);
    assert_eq!(course.records.len(), 300, "{} requests", course.requests);
    assert!(course.submitted.iter().all(|path| path == "/find"), "links submit nothing");
}

#[test]
fn a_list_that_leads_to_something_else_is_left_alone() {
    let mut site = Lettered { plain: Plain { records: 300 }, leads_to: "/people/by/name/" };
    let course = run(&mut site, "hadal", 40);
    let truth: BTreeSet<String> = (0..300).map(title).collect();
    assert_eq!(course.records.difference(&truth).count(), 0);
    assert!(course.lists <= 3, "{} letters", course.lists);
}

/// Sends one query, then asks to continue answers that the session does not hold.
struct LosesTrack {
    first: Option<Query>,
    /// Number of different answers it asks to continue before it starts again with the first.
    continuations: u32,
    choices: u32,
    /// Answers that the session reported as lost and that the policy gives up, if it listens.
    lost: Option<u32>,
}

impl LosesTrack {
    fn new(continuations: u32) -> LosesTrack {
        LosesTrack { first: Some(Query::words("harbour")), continuations, choices: 0, lost: None }
    }
}

impl Policy for LosesTrack {
    fn choose(&mut self, _: &RequestCosts) -> Option<Query> {
        self.choices += 1;
        assert!(self.choices < 20_000, "the session asks the policy for ever");
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
        let course = run_policy(&mut Plain { records: 60 }, Box::new(LosesTrack::new(continuations)), 100);
        assert_eq!(course.ending, Some(HarvestEnding::PolicyFailed), "{continuations}");
        assert!(course.requests < 20, "{continuations}: {} requests", course.requests);
    }
}

#[test]
fn a_policy_that_gives_up_lost_answers_is_asked_on() {
    let policy = LosesTrack { lost: Some(0), ..LosesTrack::new(50) };
    let course = run_policy(&mut Plain { records: 60 }, Box::new(policy), 100);
    assert_eq!(course.ending, Some(HarvestEnding::NothingLeft));
}

#[test]
fn a_browse_list_is_followed_after_the_policy_failed() {
    let mut site = Lettered { plain: Plain { records: 300 }, leads_to: "/item/" };
    let course = run_policy(&mut site, Box::new(LosesTrack::new(3)), 60);
    assert_eq!(course.records.len(), 300, "{} requests", course.requests);
    assert_eq!(course.ending, Some(HarvestEnding::PolicyFailed));
}
