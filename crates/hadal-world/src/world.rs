//! Public interface of the simulated web: construction, sizes and ground truth.

use crate::database::DatabaseHosts;
use crate::form::changes::day_of;
use crate::lexicon::TOPICS;
use crate::site::Site;
use crate::site::graph::SiteGraph;
use crate::site::host_names::{HostNames, HostRole};
use crate::site::populate::populate;
use crate::site::profile::SiteProfile;
use crate::spec::Spec;
use crate::truth::{TrueForm, true_forms};
use hadal_core::time::Time;
use url::Url;

/// A simulated web: sites, the links between them, and databases on hosts of their own.
pub struct World {
    spec: Spec,
    profiles: Vec<SiteProfile>,
    graph: SiteGraph,
    names: HostNames,
    databases: DatabaseHosts,
}

impl World {
    /// Generates the sites and the links between them. Memory grows with the number of sites, not of pages: about 200
    /// bytes per site.
    pub fn new(spec: Spec) -> World {
        let mut profiles = populate(&spec);
        let names = HostNames::assign(&mut profiles);
        let graph = SiteGraph::link(&spec, &profiles);
        World { spec, profiles, graph, names, databases: DatabaseHosts::default() }
    }

    /// Adds databases on hosts of their own. The sites do not change.
    pub fn with_databases(self, databases: DatabaseHosts) -> World {
        World { databases, ..self }
    }

    /// Databases on hosts of their own.
    pub fn databases(&self) -> &DatabaseHosts {
        &self.databases
    }

    /// Parameters of this world.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Names of the twelve topics, such as `hotel`.
    pub const fn topics() -> &'static [&'static str] {
        &TOPICS
    }

    /// Number of sites, including those that do not answer.
    pub fn site_count(&self) -> u64 {
        self.profiles.len() as u64
    }

    /// Number of pages of all sites, without result pages, detail pages and trap pages.
    pub fn page_count(&self) -> u64 {
        self.profiles.iter().map(|site| u64::from(site.pages)).sum()
    }

    /// Ground truth: every form of every site that answers, site by site.
    pub fn truth(&self) -> impl Iterator<Item = TrueForm> {
        let answering =
            (0..self.profiles.len() as u32).filter(|&index| self.profiles[index as usize].answers());
        answering.flat_map(|index| true_forms(&self.site(index)))
    }

    /// The relevant forms of a topic.
    pub fn relevant<'w>(&'w self, topic: &'w str) -> impl Iterator<Item = TrueForm> + 'w {
        self.deep_sites().flat_map(|site| true_forms(&site)).filter(move |form| form.is_relevant(topic))
    }

    /// Sites that answer and have a database. Relevant forms exist on these sites only.
    pub(crate) fn deep_sites(&self) -> impl Iterator<Item = Site<'_>> {
        let deep = |index: &u32| {
            let site = &self.profiles[*index as usize];
            site.deep && site.answers()
        };
        (0..self.profiles.len() as u32).filter(deep).map(|index| self.site(index))
    }

    pub(crate) fn profiles(&self) -> &[SiteProfile] {
        &self.profiles
    }

    pub(crate) fn site(&self, index: u32) -> Site<'_> {
        Site::new(&self.spec, &self.profiles[index as usize], self.graph.out(index))
    }

    /// A site at a time.
    pub(crate) fn site_at(&self, index: u32, at: Time) -> Site<'_> {
        let mut site = self.site(index);
        site.day = day_of(at);
        site
    }

    /// Index of the site that serves a URL, and which of its hosts the URL names.
    pub(crate) fn locate(&self, url: &Url) -> Option<(u32, HostRole)> {
        let host = url.domain()?;
        self.find(host.trim_end_matches('.'))
    }

    /// Index of the site that a host name belongs to, and which of its hosts it is.
    pub(crate) fn find(&self, host: &str) -> Option<(u32, HostRole)> {
        self.names.find(host, &self.profiles)
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
            seeded += usize::from(world.profiles[index as usize].role == SiteRole::Seeded);
            all += 1;
        }
        assert!(seeded * 10 > all && seeded * 10 < all * 4, "{seeded} of {all}");
        for seed in world.seeds("book") {
            let (index, _) = world.locate(&seed).unwrap();
            assert_eq!(world.profiles[index as usize].role, SiteRole::Seeded);
        }
    }

    #[test]
    fn without_hubs_no_site_links_to_many_sites() {
        let most = |hubs| {
            let world = World::new(Spec { hubs, ..Spec::demo(1) });
            let directories = world.profiles.iter().filter(|site| site.role == SiteRole::Hub).count();
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
                assert!(!anchor.split(' ').any(|word| site.subject().names.contains(&word)), "{anchor}");
            }
        }
    }

    #[test]
    fn a_site_costs_less_than_200_bytes_with_all_its_links() {
        let world = World::new(Spec { sites: 10_000, ..Spec::evaluation(1) });
        let links: usize = (0..10_000).map(|index| world.graph.out(index).len()).sum();
        // Two lists of links, their starts, the profile, and an entry of the name table at half load.
        let bytes = 8 * links / 10_000 + 8 + size_of::<SiteProfile>() + 2 * 17;
        assert!(bytes < 200, "{bytes}");
    }
}
