//! One site, unfolded from its record for the time of a request: hosts, addresses, titles, forms.

use crate::draw::{Draw, mix};
use crate::graph::Slots;
use crate::names::{self, HostRole};
use crate::plan::{Planned, Scope, plan, ways};
use crate::record::Record;
use crate::spec::{Anchors, Spec};
use crate::tree::Tree;
use crate::words::{Subject, lexicon};
use std::fmt::Write;
use url::Url;

/// A site with everything that is derived from its record.
pub(crate) struct Site<'w> {
    pub(crate) spec: &'w Spec,
    pub(crate) record: &'w Record,
    pub(crate) neighbours: &'w [u32],
    pub(crate) tree: Tree,
    pub(crate) slots: Slots,
    pub(crate) forms: Vec<Planned>,
    pub(crate) domain: String,
    ways: Vec<(u32, u8)>,
}

/// How often a word that names the subject stands in a link, by clicks to the nearest form of the
/// subject (1, 2, 3) and elsewhere. What is seen in a page is more, because parts add up: a URL
/// holds its section's words, a link's neighbours stand around it.
struct WordRates([f64; 4]);

const URL_RATES: WordRates = WordRates([0.64, 0.18, 0.07, 0.03]);
const ANCHOR_RATES: WordRates = WordRates([0.21, 0.14, 0.08, 0.05]);
const AROUND_RATES: WordRates = WordRates([0.28, 0.10, 0.09, 0.06]);

impl WordRates {
    fn at(&self, clicks: Option<u8>) -> f64 {
        self.0[clicks.map_or(3, |clicks| usize::from(clicks) - 1)]
    }
}

impl<'w> Site<'w> {
    /// Unfolds a record.
    pub(crate) fn new(spec: &'w Spec, record: &'w Record, neighbours: &'w [u32]) -> Site<'w> {
        let forms = plan(record, spec.back_ends);
        Site {
            spec,
            record,
            neighbours,
            tree: record.tree(),
            slots: Slots::of(record, neighbours.len() as u32),
            ways: ways(record, &forms),
            forms,
            domain: names::domain(record),
        }
    }

    /// The words of its subject.
    pub(crate) fn subject(&self) -> &'static Subject {
        &lexicon().subjects[usize::from(self.record.subject)]
    }

    /// Clicks from a page to the nearest search form of the site's subject, if three or fewer.
    pub(crate) fn clicks_to_form(&self, page: u32) -> Option<u8> {
        self.ways.binary_search_by_key(&page, |way| way.0).ok().map(|at| self.ways[at].1)
    }

    /// The host its pages are served from.
    pub(crate) fn main_host(&self) -> HostRole {
        if names::is_www(self.record) { HostRole::Www } else { HostRole::Bare }
    }

    /// The host a page is served from.
    pub(crate) fn host_of(&self, page: u32) -> HostRole {
        let apart = self.record.second_host && self.tree.section(page) == 1;
        if apart { HostRole::Second } else { self.main_host() }
    }

    /// Root address of a host.
    pub(crate) fn root(&self, host: HostRole) -> String {
        let domain = &self.domain;
        match host {
            HostRole::Bare => format!("http://{domain}"),
            HostRole::Www => format!("http://www.{domain}"),
            HostRole::Second => format!("http://{}.{domain}", names::second_label(self.record)),
        }
    }

    /// Full address of a page.
    pub(crate) fn url(&self, page: u32) -> Url {
        Url::parse(&self.address(page)).expect("generated addresses are well-formed")
    }

    /// Full address of a page, as text.
    pub(crate) fn address(&self, page: u32) -> String {
        self.root(self.host_of(page)) + &self.path(page)
    }

    /// Full address of something on the main host.
    pub(crate) fn url_on_main(&self, path: &str) -> Url {
        let text = self.root(self.main_host()) + path;
        Url::parse(&text).expect("generated addresses are well-formed")
    }

    /// Path and query of a page. It ends with the page's number, so that it can be read back.
    pub(crate) fn path(&self, page: u32) -> String {
        if page == 0 || (page == 1 && self.record.second_host) {
            return "/".to_string();
        }
        let mut path = String::with_capacity(48);
        path.push('/');
        let style = mix(self.record.seed, 40) % 20;
        let written = match style {
            0 => write!(path, "n/{page}.htm"),
            1..=4 => {
                path.push_str("index.php?t=");
                self.slug(page, &mut path);
                write!(path, "&id={page}")
            }
            5..=9 => {
                self.slug(page, &mut path);
                write!(path, "_{page}.php")
            }
            10..=13 => {
                self.slug(page, &mut path);
                write!(path, "/{page}/")
            }
            _ => {
                let section = self.tree.section(page);
                if section != page {
                    self.slug(section, &mut path);
                    path.push('/');
                }
                self.slug(page, &mut path);
                write!(path, "-{page}.html")
            }
        };
        written.expect("writing to a string cannot fail");
        path
    }

    fn slug(&self, page: u32, path: &mut String) {
        let mut draw = Draw::new(self.record.seed ^ u64::from(page), 41);
        if draw.chance(URL_RATES.at(self.clicks_to_form(page))) {
            path.push_str(draw.pick(&self.subject().sign));
            if draw.chance(0.5) {
                return;
            }
            path.push('-');
        }
        path.push_str(lexicon().background(draw.bits()));
        if draw.chance(0.4) {
            path.push('-');
            path.push_str(lexicon().background(draw.bits()));
        }
    }

    /// What a page is called, on itself and in links to it.
    pub(crate) fn title(&self, page: u32) -> String {
        let mut draw = Draw::new(self.record.seed ^ u64::from(page), 42);
        let mut title = String::with_capacity(32);
        if draw.chance(ANCHOR_RATES.at(self.clicks_to_form(page))) {
            push_word(&mut title, draw.pick(&self.subject().sign));
        }
        if draw.chance(0.4) {
            push_word(&mut title, draw.pick(&self.subject().terms[self.subject().sign.len()..]));
        }
        for _ in 0..draw.between(1, 3) {
            push_word(&mut title, lexicon().background(draw.bits()));
        }
        title[..1].make_ascii_uppercase();
        title
    }

    /// What links to a page say.
    pub(crate) fn anchor(&self, page: u32) -> String {
        const EMPTY_WORDS: [&str; 6] = ["click here", "more", "next", "read on", "details", "here"];
        match self.spec.anchors {
            Anchors::Telling => self.title(page),
            Anchors::Uninformative => {
                Draw::new(self.record.seed ^ u64::from(page), 42).pick(&EMPTY_WORDS).to_string()
            }
        }
    }

    /// A few words beside a link to a page.
    pub(crate) fn snippet(&self, page: u32, draw: &mut Draw) -> String {
        let mut text = String::with_capacity(64);
        let telling = self.spec.anchors == Anchors::Telling;
        let sign = telling && draw.chance(AROUND_RATES.at(self.clicks_to_form(page)));
        let (place, length) = (draw.below(4), draw.between(9, 14));
        for at in 0..length {
            let word = if sign && at == place {
                draw.pick(&self.subject().sign)
            } else {
                lexicon().background(draw.bits())
            };
            push_word(&mut text, word);
        }
        text
    }

    /// Path of the page of its own that a form has.
    pub(crate) fn utility_path(form: &Planned) -> String {
        format!("/{}{}.html", form.kind.name(), form.ordinal)
    }

    /// The form a utility path belongs to.
    pub(crate) fn utility_at(&self, path: &str) -> Option<&Planned> {
        let form = self.forms.get(last_number(path)? as usize)?;
        (form.scope == Scope::Utility && Self::utility_path(form) == path).then_some(form)
    }

    /// The tree page at a path and query; the host is the caller's affair, except at the root.
    pub(crate) fn page_at(&self, path: &str, host: HostRole) -> Option<u32> {
        if path == "/" {
            return Some(u32::from(host == HostRole::Second));
        }
        let page = last_number(path)?;
        (page < self.tree.pages && self.path(page) == path).then_some(page)
    }
}

pub(crate) fn push_word(text: &mut String, word: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}

/// The last run of digits in a path.
pub(crate) fn last_number(path: &str) -> Option<u32> {
    let end = path.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = path[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    path.get(start..end)?.parse().ok()
}
