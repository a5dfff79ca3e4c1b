//! The world as others use it: sites, truth, seeds, backlinks.

use crate::answer::{Place, place, without_session};
use crate::compose::{Citation, RELATED};
use crate::draw::{Draw, mix};
use crate::graph::{Graph, Slots};
use crate::names::{HostRole, Names};
use crate::populate::populate;
use crate::record::{Record, Role};
use crate::site::Site;
use crate::spec::Spec;
use crate::truth::{TrueForm, true_forms};
use crate::words::TOPICS;
use url::Url;

/// Seeds given per topic.
const SEEDS: usize = 12;

/// Slots looked at per linking site, and backlinks given, like a service that does not tell all.
const SLOTS_PER_SITE: usize = 400;
const MOST_BACKLINKS: usize = 1000;

/// A simulated web.
pub struct World {
    spec: Spec,
    sites: Vec<Record>,
    graph: Graph,
    names: Names,
}

impl World {
    /// Draws a world. Memory grows with the number of sites, not of pages.
    pub fn new(spec: Spec) -> World {
        let mut sites = populate(&spec);
        let names = Names::assign(&mut sites);
        let graph = Graph::link(&spec, &sites);
        World { spec, sites, graph, names }
    }

    /// What it was made from.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The topics it has databases about.
    pub fn topics() -> &'static [&'static str] {
        &TOPICS
    }

    /// How many sites there are, those that do not answer included.
    pub fn site_count(&self) -> u64 {
        self.sites.len() as u64
    }

    /// How many pages can be addressed, without answers to queries, records and endless spaces.
    pub fn page_count(&self) -> u64 {
        self.sites.iter().map(|site| u64::from(site.pages)).sum()
    }

    /// Home pages to start from: of one kind of site only, and not the kind that holds most forms.
    pub fn seeds(&self, topic: &str) -> Vec<Url> {
        let Some(subject) = TOPICS.iter().position(|name| *name == topic) else { return Vec::new() };
        let mut known: Vec<u32> = (0..self.sites.len() as u32)
            .filter(|&index| {
                let site = &self.sites[index as usize];
                usize::from(site.subject) == subject && site.role == Role::Seeded && site.answers()
            })
            .collect();
        known.sort_by_key(|&index| {
            let site = &self.sites[index as usize];
            (!site.deep, mix(site.seed, 90))
        });
        known.into_iter().take(SEEDS).map(|index| self.site(index).url(0)).collect()
    }

    /// Every form of the sites that answer.
    pub fn truth(&self) -> impl Iterator<Item = TrueForm> {
        let answering = (0..self.sites.len() as u32).filter(|&index| self.sites[index as usize].answers());
        answering.flat_map(|index| true_forms(&self.site(index)))
    }

    /// Every form that a crawl for a topic looks for.
    pub fn relevant<'w>(&'w self, topic: &'w str) -> impl Iterator<Item = TrueForm> + 'w {
        self.truth().filter(move |form| form.is_relevant(topic))
    }

    /// Pages that link to a page: other sites first, then its own. Found by arithmetic; a page that
    /// very many others link to gets some of them.
    pub fn backlinks(&self, url: &Url) -> Vec<Url> {
        let Some((index, host)) = self.locate(url) else { return Vec::new() };
        let site = self.site(index);
        let (path, _) = without_session(url);
        let Place::Page(page) = place(&site, host, &path) else { return Vec::new() };
        let mut found: Vec<Url> = Vec::new();
        for (from, rank) in self.graph.linking_to(index) {
            if !self.sites[from as usize].answers() {
                continue;
            }
            let citing = self.site(from);
            let slots = citing.slots.leading_to(rank, citing.tree.pages).take(SLOTS_PER_SITE);
            let hits = slots.filter(|&slot| self.cited_page(&citing, slot, index) == page);
            found.extend(hits.map(|slot| citing.url(slot / citing.slots.per_page)));
            if found.len() >= MOST_BACKLINKS {
                break;
            }
        }
        found.extend(in_site_backlinks(&site, page).map(|page| site.url(page)));
        found.dedup();
        found.truncate(MOST_BACKLINKS);
        found
    }

    pub(crate) fn site(&self, index: u32) -> Site<'_> {
        Site::new(&self.spec, &self.sites[index as usize], self.graph.out(index))
    }

    pub(crate) fn record(&self, index: u32) -> &Record {
        &self.sites[index as usize]
    }

    pub(crate) fn locate(&self, url: &Url) -> Option<(u32, HostRole)> {
        let host = url.domain()?;
        self.names.find(host.trim_end_matches('.'), &self.sites)
    }

    /// The page of the neighbour that an off-site link leads to.
    fn cited_page(&self, citing: &Site<'_>, slot: u32, neighbour: u32) -> u32 {
        let tree = self.sites[neighbour as usize].tree();
        let mut draw = Draw::new(citing.record.seed ^ u64::from(slot), 91);
        match draw.weighted(&[0.6, 0.25, 0.15]) {
            0 => 0,
            1 => draw.below(tree.sections + 1),
            _ => draw.below(tree.pages),
        }
    }

    /// The off-site links of a page.
    pub(crate) fn citations(&self, site: &Site<'_>, page: u32) -> Vec<Citation> {
        let Slots { per_page, .. } = site.slots;
        let first = u64::from(page) * u64::from(per_page);
        let slots = (first..first + u64::from(per_page)).filter_map(|slot| u32::try_from(slot).ok());
        slots.map(|slot| self.citation(site, slot)).collect()
    }

    fn citation(&self, site: &Site<'_>, slot: u32) -> Citation {
        let neighbour = site.neighbours[site.slots.neighbour(slot) as usize];
        let cited = self.site(neighbour);
        let page = self.cited_page(site, slot, neighbour);
        let around = cited.snippet(page, &mut Draw::new(site.record.seed ^ u64::from(slot), 92));
        Citation { url: cited.address(page), anchor: cited.anchor(page), around }
    }
}

/// Pages of the same site that link to a page, without those that only do so in a menu or path.
fn in_site_backlinks(site: &Site<'_>, page: u32) -> impl Iterator<Item = u32> {
    let tree = site.tree;
    let level = tree.level(tree.depth(page));
    let width = level.end - level.start;
    let count = RELATED.min(width.saturating_sub(1));
    let level_mates = (1..=count).map(move |step| level.start + (page - level.start + width - step) % width);
    tree.parent(page).into_iter().chain(level_mates).chain(tree.children(page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Anchors, Hubs};

    #[test]
    fn seeds_are_of_a_kind_that_holds_a_minority_of_the_forms() {
        let world = World::new(Spec::demo(1));
        let (mut seeded, mut all) = (0, 0);
        for form in World::topics().iter().flat_map(|topic| world.relevant(topic)) {
            let (index, _) = world.locate(&form.page_url).unwrap();
            seeded += usize::from(world.sites[index as usize].role == Role::Seeded);
            all += 1;
        }
        assert!(seeded * 10 > all && seeded * 10 < all * 4, "{seeded} of {all}");
        for seed in world.seeds("book") {
            let (index, _) = world.locate(&seed).unwrap();
            assert_eq!(world.sites[index as usize].role, Role::Seeded);
        }
    }

    #[test]
    fn without_hubs_nobody_links_to_many_sites() {
        let most = |hubs| {
            let world = World::new(Spec { hubs, ..Spec::demo(1) });
            let directories = world.sites.iter().filter(|site| site.role == Role::Directory).count();
            assert_eq!(directories > 0, hubs == Hubs::Present);
            let mut degrees: Vec<usize> = (0..2_000).map(|index| world.graph.out(index).len()).collect();
            degrees.sort_unstable();
            degrees[degrees.len() * 99 / 100]
        };
        assert!(most(Hubs::Present) > 60);
        assert!(most(Hubs::Absent) < 60);
    }

    #[test]
    fn uninformative_anchors_name_no_topic() {
        let world = World::new(Spec { anchors: Anchors::Uninformative, ..Spec::tiny(1) });
        for index in 0..60 {
            let site = world.site(index);
            for page in 0..site.tree.pages.min(20) {
                let anchor = site.anchor(page);
                assert!(!anchor.split(' ').any(|word| site.subject().sign.contains(&word)), "{anchor}");
            }
        }
    }

    #[test]
    fn a_site_costs_less_than_200_bytes_with_all_its_links() {
        let world = World::new(Spec { sites: 10_000, ..Spec::evaluation(1) });
        let links: usize = (0..10_000).map(|index| world.graph.out(index).len()).sum();
        // Two lists of links, their starts, the record, and an entry of the name table at half load.
        let bytes = 8 * links / 10_000 + 8 + size_of::<Record>() + 2 * 17;
        assert!(bytes < 200, "{bytes}");
    }
}
