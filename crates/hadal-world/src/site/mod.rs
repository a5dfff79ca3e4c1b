//! Sites: how they are generated, linked, addressed and how they answer.
//!
//! - [`populate`](mod@populate) draws a [`SiteProfile`](profile::SiteProfile) per site, [`host_names`] its host name;
//! - [`graph`] links sites, [`links`] turns this into links between pages and backlinks;
//! - [`Site`] is a profile with everything derived from it; [`tree`] is the tree of its pages;
//! - [`resource`] maps a URL to a resource and the resource to a response;
//! - [`seeds`] chooses seeds and example pages of a topic.

pub(crate) mod graph;
pub(crate) mod host_names;
mod links;
pub(crate) mod populate;
pub(crate) mod profile;
pub(crate) mod resource;
pub(crate) mod seeds;
pub(crate) mod tree;

use crate::form::plan::{FormRoute, FormScope, PlannedForm, form_routes, plan};
use crate::lexicon::{Subject, lexicon};
use crate::random::mix;
use crate::spec::Spec;
use graph::LinkSlots;
use host_names::HostRole;
use profile::SiteProfile;
use std::fmt::Write;
use tree::PageTree;
use url::Url;

/// A site with everything that is derived from its profile. Built for each request.
pub(crate) struct Site<'w> {
    pub(crate) spec: &'w Spec,
    pub(crate) profile: &'w SiteProfile,
    /// Indices of the sites that this site links to.
    pub(crate) neighbours: &'w [u32],
    pub(crate) tree: PageTree,
    pub(crate) slots: LinkSlots,
    pub(crate) forms: Vec<PlannedForm>,
    /// Registrable domain of the site.
    pub(crate) domain: String,
    /// Simulated day, on which the state of the databases depends.
    pub(crate) day: u32,
    /// Pages near search forms, sorted by page.
    routes: Vec<FormRoute>,
}

impl<'w> Site<'w> {
    pub(crate) fn new(spec: &'w Spec, profile: &'w SiteProfile, neighbours: &'w [u32]) -> Site<'w> {
        let forms = plan(profile, spec.back_ends);
        Site {
            spec,
            profile,
            neighbours,
            tree: profile.tree(),
            slots: LinkSlots::of(spec, profile, neighbours.len() as u32),
            routes: form_routes(profile, &forms),
            forms,
            day: 0,
            domain: host_names::domain(profile),
        }
    }

    /// Subject that the site is about.
    pub(crate) fn subject(&self) -> &'static Subject {
        &lexicon().subjects[usize::from(self.profile.subject)]
    }

    /// Route from a page to the nearest search form of a database, if that is at most three clicks away.
    pub(crate) fn route_from(&self, page: u32) -> Option<FormRoute> {
        self.routes.binary_search_by_key(&page, |route| route.page).ok().map(|at| self.routes[at])
    }

    /// Pages with a search form of a database.
    pub(crate) fn form_pages(&self) -> impl Iterator<Item = u32> {
        self.routes.iter().filter(|route| route.clicks == 1).map(|route| route.page)
    }

    /// Host that serves the site's pages.
    pub(crate) fn main_host(&self) -> HostRole {
        if host_names::is_www(self.profile) { HostRole::Www } else { HostRole::Bare }
    }

    /// Host that serves a page.
    pub(crate) fn host_of(&self, page: u32) -> HostRole {
        let is_on_second = self.profile.second_host && self.tree.section(page) == 1;
        if is_on_second { HostRole::Second } else { self.main_host() }
    }

    /// Scheme and host, without a path.
    pub(crate) fn root(&self, host: HostRole) -> String {
        let domain = &self.domain;
        match host {
            HostRole::Bare => format!("http://{domain}"),
            HostRole::Www => format!("http://www.{domain}"),
            HostRole::Second => format!("http://{}.{domain}", host_names::second_label(self.profile)),
        }
    }

    /// URL of a page.
    pub(crate) fn url(&self, page: u32) -> Url {
        Url::parse(&self.address(page)).expect("generated addresses are well-formed")
    }

    /// URL of a page, unparsed.
    pub(crate) fn address(&self, page: u32) -> String {
        self.root(self.host_of(page)) + &self.path(page)
    }

    /// URL of a path on the main host.
    pub(crate) fn url_on_main(&self, path: &str) -> Url {
        let text = self.root(self.main_host()) + path;
        Url::parse(&text).expect("generated addresses are well-formed")
    }

    /// Path and query of a page. The page number is its last number, so that [`Site::page_at`] can invert it.
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
                self.push_slug(page, &mut path);
                write!(path, "&id={page}")
            }
            5..=9 => {
                self.push_slug(page, &mut path);
                write!(path, "_{page}.php")
            }
            10..=13 => {
                self.push_slug(page, &mut path);
                write!(path, "/{page}/")
            }
            _ => {
                let section = self.tree.section(page);
                if section != page {
                    self.push_slug(section, &mut path);
                    path.push('/');
                }
                self.push_slug(page, &mut path);
                write!(path, "-{page}.html")
            }
        };
        written.expect("writing to a string cannot fail");
        path
    }

    /// Page at a path and query. The host matters for the root path only.
    pub(crate) fn page_at(&self, path: &str, host: HostRole) -> Option<u32> {
        if path == "/" {
            return Some(u32::from(host == HostRole::Second));
        }
        let page = last_number(path)?;
        (page < self.tree.pages && self.path(page) == path).then_some(page)
    }

    /// Path of the page of a form with [`FormScope::Utility`].
    pub(crate) fn utility_path(form: &PlannedForm) -> String {
        format!("/{}{}.html", form.kind.name(), form.ordinal)
    }

    /// Form with its own page at this path.
    pub(crate) fn utility_at(&self, path: &str) -> Option<&PlannedForm> {
        let form = self.forms.get(last_number(path)? as usize)?;
        (form.scope == FormScope::Utility && Self::utility_path(form) == path).then_some(form)
    }
}

/// Last run of digits in a path.
pub(crate) fn last_number(path: &str) -> Option<u32> {
    let end = path.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = path[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    path.get(start..end)?.parse().ok()
}
