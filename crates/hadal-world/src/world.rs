//! The world as others use it: its sites and the truth about them.

use crate::database::DatabaseHosts;
use crate::lexicon::TOPICS;
use crate::site::Site;
use crate::site::graph::SiteGraph;
use crate::site::host_names::{HostNames, HostRole};
use crate::site::populate::populate;
use crate::site::profile::SiteProfile;
use crate::spec::Spec;
use crate::truth::{TrueForm, true_forms};
use url::Url;

/// A simulated web.
pub struct World {
    spec: Spec,
    sites: Vec<SiteProfile>,
    graph: SiteGraph,
    names: HostNames,
    databases: DatabaseHosts,
}

impl World {
    /// Draws a world. Memory grows with the number of sites, not of pages.
    pub fn new(spec: Spec) -> World {
        let mut sites = populate(&spec);
        let names = HostNames::assign(&mut sites);
        let graph = SiteGraph::link(&spec, &sites);
        World { spec, sites, graph, names, databases: DatabaseHosts::default() }
    }

    /// The same with databases on hosts of their own; nothing else changes.
    pub fn with_databases(self, databases: DatabaseHosts) -> World {
        World { databases, ..self }
    }

    /// The databases on hosts of their own.
    pub fn databases(&self) -> &DatabaseHosts {
        &self.databases
    }

    /// What it was made from.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The topics it has databases about.
    pub const fn topics() -> &'static [&'static str] {
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

    /// The topic that the site at an address is about, if it is one of the twelve.
    pub fn topic_of(&self, url: &Url) -> Option<&'static str> {
        let (index, _) = self.locate(url)?;
        TOPICS.get(usize::from(self.sites[index as usize].subject)).copied()
    }

    /// Every form of the sites that answer.
    pub fn truth(&self) -> impl Iterator<Item = TrueForm> {
        let answering = (0..self.sites.len() as u32).filter(|&index| self.sites[index as usize].answers());
        answering.flat_map(|index| true_forms(&self.site(index)))
    }

    /// Every form that a crawl for a topic looks for.
    pub fn relevant<'w>(&'w self, topic: &'w str) -> impl Iterator<Item = TrueForm> + 'w {
        self.deep_sites().flat_map(|site| true_forms(&site)).filter(move |form| form.is_relevant(topic))
    }

    /// Sites that answer and hold databases: no other has a relevant form.
    pub(crate) fn deep_sites(&self) -> impl Iterator<Item = Site<'_>> {
        let deep = |index: &u32| {
            let site = &self.sites[*index as usize];
            site.deep && site.answers()
        };
        (0..self.sites.len() as u32).filter(deep).map(|index| self.site(index))
    }

    pub(crate) fn records(&self) -> &[SiteProfile] {
        &self.sites
    }

    pub(crate) fn site(&self, index: u32) -> Site<'_> {
        Site::new(&self.spec, &self.sites[index as usize], self.graph.out(index))
    }

    pub(crate) fn record(&self, index: u32) -> &SiteProfile {
        &self.sites[index as usize]
    }

    pub(crate) fn locate(&self, url: &Url) -> Option<(u32, HostRole)> {
        let host = url.domain()?;
        self.find(host.trim_end_matches('.'))
    }

    /// The site a host name belongs to, and which of its hosts it is.
    pub(crate) fn find(&self, host: &str) -> Option<(u32, HostRole)> {
        self.names.find(host, &self.sites)
    }

    pub(crate) fn graph(&self) -> &SiteGraph {
        &self.graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::profile::SiteRole;
    use crate::spec::{Anchors, Hubs};

    #[test]
    fn seeds_are_of_a_kind_that_holds_a_minority_of_the_forms() {
        let world = World::new(Spec::demo(1));
        let (mut seeded, mut all) = (0, 0);
        for form in World::topics().iter().flat_map(|topic| world.relevant(topic)) {
            let (index, _) = world.locate(&form.page_url).unwrap();
            seeded += usize::from(world.sites[index as usize].role == SiteRole::Seeded);
            all += 1;
        }
        assert!(seeded * 10 > all && seeded * 10 < all * 4, "{seeded} of {all}");
        for seed in world.seeds("book") {
            let (index, _) = world.locate(&seed).unwrap();
            assert_eq!(world.sites[index as usize].role, SiteRole::Seeded);
        }
    }

    #[test]
    fn without_hubs_nobody_links_to_many_sites() {
        let most = |hubs| {
            let world = World::new(Spec { hubs, ..Spec::demo(1) });
            let directories = world.sites.iter().filter(|site| site.role == SiteRole::Directory).count();
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
        let bytes = 8 * links / 10_000 + 8 + size_of::<SiteProfile>() + 2 * 17;
        assert!(bytes < 200, "{bytes}");
    }
}
