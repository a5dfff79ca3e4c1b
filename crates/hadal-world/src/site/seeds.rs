//! Where crawls start: what a person would have gathered by hand.
//!
//! Everybody knows one kind of site of a topic, and it is not the kind that holds most of the databases:
//! book shops come to mind before libraries do. Some of what is known holds no database at all.

use crate::form::plan::FormScope;
use crate::lexicon::TOPICS;
use crate::random::mix;
use crate::site::Site;
use crate::site::profile::{SiteProfile, SiteRole};
use crate::world::World;
use hadal_core::critic::FormKind;
use url::Url;

/// Seeds given per topic, and how many of them hold databases.
const SEEDS: usize = 12;
const DEEP_SEEDS: usize = 4;

/// Examples given per topic, and the most from one site.
const EXAMPLES: usize = 100;
const EXAMPLES_PER_SITE: usize = 2;

/// Sites of the known kind that answer, those with databases first; otherwise in no order.
fn known(sites: &[SiteProfile], subject: usize) -> Vec<u32> {
    let is_known = |site: &SiteProfile| {
        usize::from(site.subject) == subject && site.role == SiteRole::Seeded && site.answers()
    };
    let mut known: Vec<u32> =
        (0..sites.len() as u32).filter(|&index| is_known(&sites[index as usize])).collect();
    known.sort_by_key(|&index| {
        let site = &sites[index as usize];
        (!site.deep, mix(site.seed, 90))
    });
    known
}

/// The sites that crawls of a subject start from.
pub(crate) fn seed_sites(sites: &[SiteProfile], subject: usize) -> Vec<u32> {
    let known = known(sites, subject);
    let (deep, plain) = known.split_at(known.partition_point(|&index| sites[index as usize].deep));
    let plain = plain.iter().take(SEEDS - DEEP_SEEDS);
    let deep = deep.iter().take(SEEDS - plain.len());
    deep.chain(plain).copied().collect()
}

fn subject(topic: &str) -> Option<usize> {
    TOPICS.iter().position(|name| *name == topic)
}

impl World {
    /// Home pages to start from: of one kind of site only, and not the kind that holds most forms.
    pub fn seeds(&self, topic: &str) -> Vec<Url> {
        let sites = subject(topic).map_or(Vec::new(), |subject| seed_sites(self.records(), subject));
        sites.into_iter().map(|index| self.site(index).url(0)).collect()
    }

    /// Up to 100 pages that hold relevant forms, of the kind of site that seeds are taken from; of the
    /// seeds' own sites only where there are no others.
    pub fn examples(&self, topic: &str) -> Vec<Url> {
        let Some(subject) = subject(topic) else { return Vec::new() };
        let seeds = seed_sites(self.records(), subject);
        let mut sites = known(self.records(), subject);
        sites.retain(|&index| self.records()[index as usize].deep);
        sites.sort_by_key(|index| seeds.contains(index));
        let others = sites.partition_point(|index| !seeds.contains(index));
        let enough = if others == 0 { sites.len() } else { others };
        let pages = sites[..enough].iter().flat_map(|&index| form_pages(&self.site(index)));
        pages.take(EXAMPLES).collect()
    }
}

/// A few pages of a site with search forms of its subject.
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
    fn examples_are_of_the_known_kind_and_hold_relevant_forms() {
        let world = World::new(Spec::demo(1));
        for topic in World::topics() {
            let forms: BTreeSet<Url> = world.relevant(topic).map(|form| form.page_url).collect();
            let examples = world.examples(topic);
            assert!(!examples.is_empty() && examples.len() <= EXAMPLES, "{topic}");
            for page in &examples {
                assert!(forms.contains(page), "{page}");
                let (index, _) = world.locate(page).unwrap();
                assert_eq!(world.records()[index as usize].role, SiteRole::Seeded);
            }
        }
        assert!(world.examples("gardening").is_empty());
    }

    #[test]
    fn examples_and_seeds_share_no_site_where_there_are_enough() {
        let world = World::new(Spec { sites: 20_000, ..Spec::evaluation(1) });
        let site = |url: &Url| world.locate(url).unwrap().0;
        let seeds: BTreeSet<u32> = world.seeds("hotel").iter().map(site).collect();
        assert_eq!(seeds.len(), SEEDS);
        assert!(world.examples("hotel").iter().all(|page| !seeds.contains(&site(page))));
    }
}
