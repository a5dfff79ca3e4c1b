//! One site, unfolded from its record for the time of a request: hosts, addresses, titles, forms.

pub(crate) mod graph;
pub(crate) mod host_names;
mod links;
pub(crate) mod populate;
pub(crate) mod profile;
pub(crate) mod resource;
pub(crate) mod seeds;
pub(crate) mod tree;

use crate::form::plan::{FormRoute, FormScope, PlannedForm, plan, ways};
use crate::lexicon::{SEARCHING, Subject, lexicon};
use crate::random::{SeededRng, mix};
use crate::site::graph::LinkSlots;
use crate::site::profile::{SiteProfile, SiteRole};
use crate::site::tree::PageTree;
use crate::spec::{Anchors, Spec};
use host_names::HostRole;
use std::fmt::Write;
use url::Url;

/// A site with everything that is derived from its record.
pub(crate) struct Site<'w> {
    pub(crate) spec: &'w Spec,
    pub(crate) profile: &'w SiteProfile,
    pub(crate) neighbours: &'w [u32],
    pub(crate) tree: PageTree,
    pub(crate) slots: LinkSlots,
    pub(crate) forms: Vec<PlannedForm>,
    pub(crate) domain: String,
    ways: Vec<FormRoute>,
}

/// How often a word stands in a link, by clicks to the nearest form of a database (1, 2, 3) and elsewhere.
type WordRates = [f64; 4];

/// How often the one word that names the topic stands in the parts of a link. What is seen in a page is
/// more, because parts add up: a URL holds its section's words, a link's neighbours stand around it.
const URL_RATES: WordRates = [0.57, 0.17, 0.06, 0.03];
const ANCHOR_RATES: WordRates = [0.21, 0.14, 0.08, 0.05];
const AROUND_RATES: WordRates = [0.38, 0.13, 0.11, 0.07];

/// How often another telling word stands beside it: one that announces a search or is of the same kind.
const BESIDE: f64 = 0.5;

/// How often the name of a whole site says what kind of site it is.
const HOME_NAMED: f64 = 0.3;

impl<'w> Site<'w> {
    /// Unfolds a record.
    pub(crate) fn new(spec: &'w Spec, profile: &'w SiteProfile, neighbours: &'w [u32]) -> Site<'w> {
        let forms = plan(profile, spec.back_ends);
        Site {
            spec,
            profile,
            neighbours,
            tree: profile.tree(),
            slots: LinkSlots::of(spec, profile, neighbours.len() as u32),
            ways: ways(profile, &forms),
            forms,
            domain: host_names::domain(profile),
        }
    }

    /// The words of its subject.
    pub(crate) fn subject(&self) -> &'static Subject {
        &lexicon().subjects[usize::from(self.profile.subject)]
    }

    /// The way from a page to its nearest search form of a database, if three clicks or fewer.
    pub(crate) fn way_from(&self, page: u32) -> Option<FormRoute> {
        self.ways.binary_search_by_key(&page, |way| way.page).ok().map(|at| self.ways[at])
    }

    /// Pages that hold search forms of databases.
    pub(crate) fn form_pages(&self) -> impl Iterator<Item = u32> {
        self.ways.iter().filter(|way| way.clicks == 1).map(|way| way.page)
    }

    fn rate(&self, rates: &WordRates, way: Option<FormRoute>) -> f64 {
        self.spec.topic_word_factor * rates[way.map_or(3, |way| usize::from(way.clicks) - 1)]
    }

    /// The word that names what a link leads to. Links to sites of the kind that seeds come from name the
    /// subject, links to the other kind name the kind, so that knowing the one does not lead to the other.
    pub(crate) fn topic_word(&self, way: Option<FormRoute>) -> &'static str {
        let subject = self.subject_of(way);
        match self.role_of(way) {
            SiteRole::Major => subject.leads(SiteRole::Major).first().unwrap_or(&subject.sign[0]),
            SiteRole::Seeded | SiteRole::Content | SiteRole::Directory => subject.sign[0],
        }
    }

    /// Another word that tells what a link leads to.
    fn word_beside(&self, way: Option<FormRoute>, rng: &mut SeededRng) -> &'static str {
        match rng.below(2) {
            0 => rng.pick(&SEARCHING),
            _ => rng.pick(self.subject_of(way).leads(self.role_of(way))),
        }
    }

    fn role_of(&self, way: Option<FormRoute>) -> SiteRole {
        let own = way.is_none_or(|way| way.subject == self.profile.subject);
        if own { self.profile.role } else { SiteRole::Content }
    }

    fn subject_of(&self, way: Option<FormRoute>) -> &'static Subject {
        &lexicon().subjects[usize::from(way.map_or(self.profile.subject, |way| way.subject))]
    }

    /// The host its pages are served from.
    pub(crate) fn main_host(&self) -> HostRole {
        if host_names::is_www(self.profile) { HostRole::Www } else { HostRole::Bare }
    }

    /// The host a page is served from.
    pub(crate) fn host_of(&self, page: u32) -> HostRole {
        let apart = self.profile.second_host && self.tree.section(page) == 1;
        if apart { HostRole::Second } else { self.main_host() }
    }

    /// Root address of a host.
    pub(crate) fn root(&self, host: HostRole) -> String {
        let domain = &self.domain;
        match host {
            HostRole::Bare => format!("http://{domain}"),
            HostRole::Www => format!("http://www.{domain}"),
            HostRole::Second => format!("http://{}.{domain}", host_names::second_label(self.profile)),
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
        if page == 0 || (page == 1 && self.profile.second_host) {
            return "/".to_string();
        }
        let mut path = String::with_capacity(48);
        path.push('/');
        let style = mix(self.profile.seed, 40) % 20;
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
        let mut rng = SeededRng::new(self.profile.seed ^ u64::from(page), 41);
        let way = self.way_from(page);
        let rate = self.rate(&URL_RATES, way);
        let (named, announced) = (rng.chance(rate), rng.chance(rate * BESIDE));
        if named {
            path.push_str(self.topic_word(way));
            path.push('-');
        }
        if announced {
            path.push_str(self.word_beside(way, &mut rng));
            path.push('-');
        }
        if (named || announced) && rng.chance(0.5) {
            path.pop();
            return;
        }
        path.push_str(lexicon().background(rng.bits()));
        if rng.chance(0.4) {
            path.push('-');
            path.push_str(lexicon().background(rng.bits()));
        }
    }

    /// What a page is called, on itself and in links to it.
    pub(crate) fn title(&self, page: u32) -> String {
        let mut rng = SeededRng::new(self.profile.seed ^ u64::from(page), 42);
        let mut title = String::with_capacity(32);
        let way = self.way_from(page);
        let named = if page == 0 { HOME_NAMED } else { self.rate(&ANCHOR_RATES, way) };
        if rng.chance(named) {
            push_word(&mut title, self.topic_word(way));
        }
        if rng.chance(named * BESIDE) {
            push_word(&mut title, self.word_beside(way, &mut rng));
        }
        if rng.chance(0.4) {
            push_word(&mut title, self.subject_of(way).passing_term(&mut rng));
        }
        for _ in 0..rng.between(1, 3) {
            push_word(&mut title, lexicon().background(rng.bits()));
        }
        title[..1].make_ascii_uppercase();
        title
    }

    /// What links to a page say.
    pub(crate) fn anchor(&self, page: u32) -> String {
        const EMPTY_WORDS: [&str; 6] = ["click here", "more", "next", "read on", "details", "here"];
        match self.spec.anchors {
            Anchors::Informative => self.title(page),
            Anchors::Uninformative => {
                SeededRng::new(self.profile.seed ^ u64::from(page), 42).pick(&EMPTY_WORDS).to_string()
            }
        }
    }

    /// A few words beside a link to a page.
    pub(crate) fn snippet(&self, page: u32, rng: &mut SeededRng) -> String {
        let mut text = String::with_capacity(64);
        let telling = self.spec.anchors == Anchors::Informative;
        let way = self.way_from(page);
        let rate = if telling { self.rate(&AROUND_RATES, way) } else { 0.0 };
        let (named, announced) = (rng.chance(rate), rng.chance(rate * BESIDE));
        let (place, length) = (rng.below(4), rng.between(9, 14));
        for at in 0..length {
            let word = if named && at == place {
                self.topic_word(way)
            } else if announced && at == place + 1 {
                self.word_beside(way, rng)
            } else {
                lexicon().background(rng.bits())
            };
            push_word(&mut text, word);
        }
        text
    }

    /// Path of the page of its own that a form has.
    pub(crate) fn utility_path(form: &PlannedForm) -> String {
        format!("/{}{}.html", form.kind.name(), form.ordinal)
    }

    /// The form a utility path belongs to.
    pub(crate) fn utility_at(&self, path: &str) -> Option<&PlannedForm> {
        let form = self.forms.get(last_number(path)? as usize)?;
        (form.scope == FormScope::Utility && Self::utility_path(form) == path).then_some(form)
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
