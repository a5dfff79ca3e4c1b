//! Seeds and example pages of a topic, as a person would collect them.
//!
//! All come from sites of the seeded type, which is not the type with most of the databases: people think of book shops
//! before libraries. Some seeds have no database at all.

use crate::form::plan::FormScope;
use crate::lexicon::TOPICS;
use crate::random::mix;
use crate::site::Site;
use crate::site::profile::{SiteProfile, SiteRole};
use crate::spec::SeedSites;
use crate::world::World;
use hadal_core::critic::FormKind;
use url::Url;

/// Number of seeds per topic. Guess.
const SEEDS: usize = 12;

/// Number of deep sites among the seeds, if there are enough others.
const DEEP_SEEDS: usize = 4;

/// Maximum number of example pages per topic. Guess.
const EXAMPLES: usize = 100;

/// Maximum number of example pages per site. Guess.
const EXAMPLES_PER_SITE: usize = 2;

/// Sites of the seeded type that answer, deep sites first, otherwise in random order.
fn seeded_sites(sites: &[SiteProfile], subject: usize) -> Vec<u32> {
    let is_seeded = |site: &SiteProfile| {
        usize::from(site.subject) == subject && site.role == SiteRole::Seeded && site.answers()
    };
    let mut seeded: Vec<u32> =
        (0..sites.len() as u32).filter(|&index| is_seeded(&sites[index as usize])).collect();
    seeded.sort_by_key(|&index| {
        let site = &sites[index as usize];
        (!site.deep, mix(site.seed, 90))
    });
    seeded
}

/// Indices of the sites that crawls of a subject start from, with [`SeedSites::Few`].
pub(crate) fn seed_sites(sites: &[SiteProfile], subject: usize) -> Vec<u32> {
    let seeded = seeded_sites(sites, subject);
    let (deep, plain) = seeded.split_at(seeded.partition_point(|&index| sites[index as usize].deep));
    let plain = plain.iter().take(SEEDS - DEEP_SEEDS);
    let deep = deep.iter().take(SEEDS - plain.len());
    deep.chain(plain).copied().collect()
}

/// Indices of up to `most` deep sites of a subject that answer, in random order.
fn deep_seed_sites(sites: &[SiteProfile], subject: usize, most: usize) -> Vec<u32> {
    let is_deep = |site: &SiteProfile| usize::from(site.subject) == subject && site.deep && site.answers();
    let mut deep: Vec<u32> =
        (0..sites.len() as u32).filter(|&index| is_deep(&sites[index as usize])).collect();
    deep.sort_by_key(|&index| mix(sites[index as usize].seed, 91));
    deep.truncate(most);
    deep
}

fn subject(topic: &str) -> Option<usize> {
    TOPICS.iter().position(|name| *name == topic)
}

impl World {
    /// Seeds of a topic: home pages of the [`SeedSites`] of the spec. The usual ones are up to 12 sites of one type, which
    /// is not the type with most relevant forms. Empty for an unknown topic.
    pub fn seeds(&self, topic: &str) -> Vec<Url> {
        let of_subject = |subject| match self.spec().seed_sites {
            SeedSites::Few => seed_sites(self.profiles(), subject),
            SeedSites::Deep(most) => deep_seed_sites(self.profiles(), subject, most),
        };
        let sites = subject(topic).map_or(Vec::new(), of_subject);
        sites.into_iter().map(|index| self.site(index).url(0)).collect()
    }

    /// Up to 100 pages with relevant forms, to learn a topic from. They are on sites of the same type as the seeds, but
    /// on the seeds' own sites only if there are no others.
    pub fn examples(&self, topic: &str) -> Vec<Url> {
        let Some(subject) = subject(topic) else { return Vec::new() };
        let seeds = seed_sites(self.profiles(), subject);
        let mut sites = seeded_sites(self.profiles(), subject);
        sites.retain(|&index| self.profiles()[index as usize].deep);
        sites.sort_by_key(|index| seeds.contains(index));
        let others = sites.partition_point(|index| !seeds.contains(index));
        let enough = if others == 0 { sites.len() } else { others };
        let pages = sites[..enough].iter().flat_map(|&index| form_pages(&self.site(index)));
        pages.take(EXAMPLES).collect()
    }
}

/// Pages of a site with search forms of its subject, at most [`EXAMPLES_PER_SITE`].
fn form_pages(site: &Site<'_>) -> Vec<Url> {
    let wanted = site.forms.iter().filter(|form| {
        form.kind == FormKind::Search && form.subject == Some(site.profile.subject) && form.database > 0
    });
    let mut pages: Vec<u32> = wanted
        .filter_map(|form| match form.scope {
            FormScope::Around(page) | FormScope::Only(page) => Some(page),
            FormScope::Everywhere | FormScope::Utility | FormScope::Inside(_) => None,
        })
        .collect();
    pages.sort_unstable();
    pages.dedup();
    pages.truncate(EXAMPLES_PER_SITE);
    pages.into_iter().map(|page| site.url(page)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;
    use std::collections::BTreeSet;

    #[test]
    fn examples_are_on_seeded_sites_and_have_relevant_forms() {
        let world = World::new(Spec::demo(1));
        for topic in World::topics() {
            let forms: BTreeSet<Url> = world.relevant(topic).map(|form| form.page_url).collect();
            let examples = world.examples(topic);
            assert!(!examples.is_empty() && examples.len() <= EXAMPLES, "{topic}");
            for page in &examples {
                assert!(forms.contains(page), "{page}");
                let (index, _) = world.locate(page).unwrap();
                assert_eq!(world.profiles()[index as usize].role, SiteRole::Seeded);
            }
        }
        assert!(world.examples("gardening").is_empty());
    }

    #[test]
    fn deep_seeds_are_sites_with_relevant_forms() {
        let world = World::new(Spec { sites: 20_000, ..Spec::smart_crawler(1) });
        let deep: BTreeSet<u32> =
            world.relevant("hotel").map(|form| world.locate(&form.page_url).unwrap().0).collect();
        let seeds: BTreeSet<u32> =
            world.seeds("hotel").iter().map(|url| world.locate(url).unwrap().0).collect();
        assert_eq!(seeds.len(), 100);
        assert!(seeds.is_subset(&deep));
    }

    #[test]
    fn examples_and_seeds_share_no_site_if_there_are_enough() {
        let world = World::new(Spec { sites: 20_000, ..Spec::evaluation(1) });
        let site = |url: &Url| world.locate(url).unwrap().0;
        let seeds: BTreeSet<u32> = world.seeds("hotel").iter().map(site).collect();
        assert_eq!(seeds.len(), SEEDS);
        assert!(world.examples("hotel").iter().all(|page| !seeds.contains(&site(page))));
    }
}
