//! What a visit links to: a home page opens its site or not, a page of an open site links on or out, a
//! centre page points at sites.

use super::explored::Explored;
use super::patience::Next;
use super::queues::{HIGH, LOW, SiteKey};
use super::site_table::Standing;
use super::{Parts, Smart};
use crate::address::Site;
use crate::link::{FrontierLink, LinkOrigin, QueueId};
use crate::page::{Link, Page};
use crate::strategy::best_first::ON_TOPIC;
use crate::strategy::{PageVisit, StrategyCommand};
use rustc_hash::FxHashSet;

/// Sites that one centre page may point out.
const MOST_FROM_CENTRE: usize = 256;

impl Smart {
    /// Takes in a visit; learns when it is time to.
    pub(super) fn take_in(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        if visit.new_searchable > 0 {
            self.reward(visit);
        }
        let site = SiteKey::of(&visit.link.site());
        let mut commands = if self.memory.reverse.wants(visit.link) {
            self.look_at_centre(visit, site)
        } else if let Some(at) = self.memory.open.iter().position(|open| open.key == site) {
            self.go_on(visit, at)
        } else if visit.link.parent.is_none() {
            self.enter(visit, site)
        } else {
            Vec::new()
        };
        if self.parts.adaptive && self.memory.learner.is_due() {
            commands.extend(self.memory.learner.learn());
        }
        commands
    }

    /// The page brought searchable forms: its site is deep, and the links that led here are good ones.
    fn reward(&mut self, visit: &PageVisit<'_>) {
        let is_first = |of_site: u32, new: u32| new > 0 && of_site == new;
        let first_searchable = is_first(visit.site.searchable, visit.new_searchable);
        if first_searchable {
            self.memory.note_deep(SiteKey::of(&visit.link.site()));
            self.memory.reverse.remember(&visit.link.url);
        }
        if !self.parts.adaptive {
            return;
        }
        let learner = &mut self.memory.learner;
        if first_searchable {
            learner.found_deep();
        }
        let inside = visit.link.site_depth > 0;
        learner.found_forms(visit.new_searchable, inside.then_some(visit.link));
        if is_first(visit.site.relevant, visit.new_relevant)
            && let Some(home) = home_of(visit)
        {
            learner.found_relevant(home);
        }
    }

    /// A home page: a site on topic is opened, and so is that of a seed, unless it is or was.
    fn enter(&mut self, visit: &PageVisit<'_>, site: SiteKey) -> Vec<StrategyCommand> {
        self.memory.sites.visit(site);
        let is_good = visit.verdict.p_topic >= ON_TOPIC || self.seeds.contains(&site);
        let is_open = self.memory.open.iter().any(|open| open.key == site);
        if visit.page.is_none() || !is_good || is_open || visit.site.closed {
            return Vec::new();
        }
        self.memory.open.push(Explored::new(visit.link.site(), self.memory.served));
        self.go_on(visit, self.memory.open.len() - 1)
    }

    /// A page of an open site: its links are counted, the sites it points at noted, and the stopping
    /// criteria asked.
    fn go_on(&mut self, visit: &PageVisit<'_>, at: usize) -> Vec<StrategyCommand> {
        let open = &mut self.memory.open[at];
        let mut commands = Vec::new();
        for link in visit.page.map_or(&[][..], |page| &page.links).iter().filter(|link| may_follow(link)) {
            let target = Site::of(&link.url);
            if target == open.site {
                open.note_link(&link.url, visit.link.site_depth);
                continue;
            }
            let target = SiteKey::of(&target);
            if open.note_other(target) && self.memory.sites.meet(target, Standing::Found(open.key)) {
                commands.extend(open_root(link));
            }
        }
        match open.visited(visit.link, visit.new_searchable) {
            Next::Stay => {}
            Next::Deeper => open.descend(),
            Next::Leave => {
                self.leave_later(at);
                commands.extend(std::iter::from_fn(|| self.memory.next_command()));
            }
        }
        commands
    }

    /// Leaves an open site; what follows is done before anything else is chosen.
    pub(super) fn leave_later(&mut self, at: usize) {
        let left = &self.memory.open[at];
        if left.is_deep && self.parts.adaptive {
            left.linked.iter().for_each(|site| self.memory.sites.cite(*site));
        }
        let queue = queue_of(self.parts, left.is_deep);
        self.memory.leave(at, queue);
    }

    /// A page that links to a good site: if it is a centre, the other sites it links to are opened.
    fn look_at_centre(&mut self, visit: &PageVisit<'_>, here: SiteKey) -> Vec<StrategyCommand> {
        let linked = visit.page.map(|page| others(page, here)).unwrap_or_default();
        let is_good = |site: &SiteKey| self.seeds.contains(site) || self.memory.deep.contains(site);
        let good = linked.iter().filter(|(site, _)| is_good(site)).count();
        let has_relevant_form = visit.forms.iter().any(|form| form.p_relevant >= 0.5);
        let mut commands = Vec::new();
        if self.memory.reverse.judge(visit.link, has_relevant_form, good) {
            let sites: Vec<SiteKey> = linked.iter().map(|(site, _)| *site).collect();
            self.memory.sites.settle(here, &sites, HIGH);
            for (site, link) in linked {
                if self.memory.sites.meet(site, Standing::High) {
                    commands.extend(open_root(link));
                }
            }
        }
        if visit.link.url.path() == "/" {
            commands.extend(self.enter(visit, here));
        }
        commands
    }
}

fn queue_of(parts: Parts, is_deep: bool) -> QueueId {
    if is_deep || !parts.incremental { HIGH } else { LOW }
}

/// The link that led to the home page of the site a visit belongs to. Seeds are known from the start, and
/// who links to us tells nothing about itself.
fn home_of<'a>(visit: &PageVisit<'a>) -> Option<&'a FrontierLink> {
    let way = std::iter::once(visit.link).chain(visit.path);
    way.into_iter()
        .find(|link| link.site_depth == 0)
        .filter(|home| !matches!(home.origin, LinkOrigin::Seed | LinkOrigin::Backlink))
}

fn may_follow(link: &Link) -> bool {
    !link.context.rel.contains("nofollow")
}

fn open_root(link: &Link) -> Option<StrategyCommand> {
    let root = link.url.join("/").ok()?;
    Some(StrategyCommand::Open(root, link.context.clone()))
}

/// The other sites a page links to, each once.
fn others(page: &Page, here: SiteKey) -> Vec<(SiteKey, &Link)> {
    let mut met = FxHashSet::default();
    let links = page.links.iter().filter(|link| may_follow(link));
    let sites = links.map(|link| (SiteKey::of(&Site::of(&link.url)), link));
    sites.filter(|(site, _)| *site != here && met.insert(*site)).take(MOST_FROM_CENTRE).collect()
}
