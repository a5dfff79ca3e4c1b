//! Effects of a visit: a home page may open its site, a page of an open site continues or ends the site, and
//! a centre page adds sites.

use super::open_site::OpenSite;
use super::site_table::{HIGH, LOW, SiteKey, SiteStatus};
use super::stop_early::StopDecision;
use super::{SmartCrawler, SmartOptions};
use crate::address::Site;
use crate::critic::MIN_ACCEPTED_P;
use crate::link::{FrontierLink, LinkOrigin, QueueId};
use crate::page::{Link, Page};
use crate::strategy::{ON_TOPIC, PageVisit, StrategyCommand};
use rustc_hash::FxHashSet;

/// Maximum number of sites that one centre page adds. Guess.
const MAX_SITES_OF_CENTRE: usize = 256;

impl SmartCrawler {
    /// Handles a visit and runs a learning iteration if one is due.
    pub(super) fn on_visit(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        if visit.new_searchable > 0 {
            self.record_forms(visit);
        }
        let site = SiteKey::of(&visit.link.site());
        let mut commands = if self.state.reverse.is_candidate(visit.link) {
            self.visit_candidate(visit, site)
        } else if let Some(at) = self.state.open.iter().position(|open| open.key == site) {
            self.visit_open_site(visit, at)
        } else if visit.link.parent.is_none() {
            self.visit_home_page(visit, site)
        } else {
            Vec::new()
        };
        if self.options.adaptive && self.state.learner.is_due() {
            commands.extend(self.state.learner.learn());
        }
        commands
    }

    /// Records new searchable forms: the site is deep, and the links to the page and to the home page are examples.
    fn record_forms(&mut self, visit: &PageVisit<'_>) {
        let is_first = |of_site: u32, new: u32| new > 0 && of_site == new;
        let first_searchable = is_first(visit.site.searchable, visit.new_searchable);
        if first_searchable {
            self.state.add_deep_site(SiteKey::of(&visit.link.site()));
            self.state.reverse.add_site(&visit.link.url);
        }
        if !self.options.adaptive {
            return;
        }
        let learner = &mut self.state.learner;
        if first_searchable {
            learner.count_deep_site();
        }
        let is_inside = visit.link.site_depth > 0;
        learner.add_forms(visit.new_searchable, is_inside.then_some(visit.link));
        if is_first(visit.site.relevant, visit.new_relevant)
            && let Some(home) = link_to_home(visit)
        {
            learner.add_relevant_site(home);
        }
    }

    /// Opens the site of a home page if the page is on topic or the site is a seed, unless the site is open or closed.
    fn visit_home_page(&mut self, visit: &PageVisit<'_>, site: SiteKey) -> Vec<StrategyCommand> {
        self.state.sites.mark_visited(site);
        let is_good = visit.verdict.p_topic >= ON_TOPIC || self.seeds.contains(&site);
        let is_open = self.state.open.iter().any(|open| open.key == site);
        if visit.page.is_none() || !is_good || is_open || visit.site.closed {
            return Vec::new();
        }
        self.state.open.push(OpenSite::new(visit.link.site(), self.state.served));
        self.visit_open_site(visit, self.state.open.len() - 1)
    }

    /// Counts the links of a page of an open site, adds the sites it links to and applies the stop-early criteria.
    fn visit_open_site(&mut self, visit: &PageVisit<'_>, at: usize) -> Vec<StrategyCommand> {
        let open = &mut self.state.open[at];
        let mut commands = Vec::new();
        for link in visit.page.map_or(&[][..], |page| &page.links).iter().filter(|link| may_follow(link)) {
            let target = Site::of(&link.url);
            if target == open.site {
                open.count_link(&link.url, visit.link.site_depth);
                continue;
            }
            let target = SiteKey::of(&target);
            if open.add_found_site(target) && self.state.sites.add(target, SiteStatus::Found(open.key)) {
                commands.extend(add_home_page(link));
            }
        }
        match open.on_visit(visit.link, visit.new_searchable) {
            StopDecision::Continue => {}
            StopDecision::NextDepth => open.start_next_depth(),
            StopDecision::LeaveSite => {
                self.leave(at);
                commands.extend(std::iter::from_fn(|| self.state.next_command()));
            }
        }
        commands
    }

    /// Leaves the open site at index `at`. The commands for it are pending in the state.
    pub(super) fn leave(&mut self, at: usize) {
        let left = &self.state.open[at];
        if left.is_deep && self.options.adaptive {
            left.found_sites.iter().for_each(|site| self.state.sites.count_deep_link(*site));
        }
        let queue = queue_for_found(self.options, left.is_deep);
        self.state.leave(at, queue);
    }

    /// Judges a candidate of the reverse search. If it is a centre page, the sites it links to join the site frontier.
    fn visit_candidate(&mut self, visit: &PageVisit<'_>, here: SiteKey) -> Vec<StrategyCommand> {
        let linked = visit.page.map(|page| linked_sites(page, here)).unwrap_or_default();
        let is_good = |site: &SiteKey| self.seeds.contains(site) || self.state.deep.contains(site);
        let good_sites = linked.iter().filter(|(site, _)| is_good(site)).count();
        let has_relevant_form = visit.forms.iter().any(|form| form.p_relevant >= MIN_ACCEPTED_P);
        let mut commands = Vec::new();
        if self.state.reverse.judge_page(visit.link, has_relevant_form, good_sites) {
            let sites: Vec<SiteKey> = linked.iter().map(|(site, _)| *site).collect();
            self.state.sites.release(here, &sites, HIGH);
            for (site, link) in linked {
                if self.state.sites.add(site, SiteStatus::High) {
                    commands.extend(add_home_page(link));
                }
            }
        }
        if visit.link.url.path() == "/" {
            commands.extend(self.visit_home_page(visit, here));
        }
        commands
    }
}

/// Queue for the sites that a site found (algorithm 2).
fn queue_for_found(options: SmartOptions, is_deep: bool) -> QueueId {
    if is_deep || !options.incremental { HIGH } else { LOW }
}

/// Link to the home page of the visited site. Seeds are examples already, and backlinks have no anchor text.
fn link_to_home<'a>(visit: &PageVisit<'a>) -> Option<&'a FrontierLink> {
    let path = std::iter::once(visit.link).chain(visit.path);
    path.into_iter()
        .find(|link| link.site_depth == 0)
        .filter(|home| !matches!(home.origin, LinkOrigin::Seed | LinkOrigin::Backlink))
}

fn may_follow(link: &Link) -> bool {
    !link.context.rel.contains("nofollow")
}

fn add_home_page(link: &Link) -> Option<StrategyCommand> {
    let root = link.url.join("/").ok()?;
    Some(StrategyCommand::AddPage(root, link.context.clone()))
}

/// Other sites that a page links to, each once.
fn linked_sites(page: &Page, here: SiteKey) -> Vec<(SiteKey, &Link)> {
    let mut known = FxHashSet::default();
    let links = page.links.iter().filter(|link| may_follow(link));
    let sites = links.map(|link| (SiteKey::of(&Site::of(&link.url)), link));
    sites.filter(|(site, _)| *site != here && known.insert(*site)).take(MAX_SITES_OF_CENTRE).collect()
}
