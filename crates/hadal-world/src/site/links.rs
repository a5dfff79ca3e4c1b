//! Links between sites, from both ends: what a page cites, and who cites it.
//!
//! Backlinks are found by arithmetic. Like any service that knows the web's links, they are told a page at
//! a time: a hundred answers, from as many sites as possible.

use crate::page::{OffSiteLink, RELATED};
use crate::random::{SeededRng, mix};
use crate::site::Site;
use crate::site::graph::LinkSlots;
use crate::site::host_names::{HostRole, domain};
use crate::site::resource::{Resource, place, without_session};
use crate::world::World;
use url::Url;

/// The most answers to a look-up.
const MOST_BACKLINKS: usize = 100;

/// Linking sites looked at for an answer; slots looked at and pages told of each.
const SITES: usize = 300;
const SLOTS_PER_SITE: usize = 400;
const PAGES_PER_SITE: usize = 5;

impl World {
    /// Pages that link to a page, at most a hundred: one of each linking site, then a second one, and so
    /// on; last those of its own site.
    pub fn backlinks(&self, url: &Url) -> Vec<Url> {
        let Some((index, host)) = self.locate(url) else { return Vec::new() };
        let site = self.site(index);
        let (path, _) = without_session(url);
        let Resource::Page(page) = place(&site, host, &path) else { return Vec::new() };
        let mut linking = self.linking(index);
        linking.sort_by_key(|(from, _)| mix(site.profile.seed, u64::from(*from)));
        linking.truncate(SITES);
        let by_site: Vec<Vec<Url>> =
            linking.into_iter().map(|(from, rank)| self.pages_citing(from, rank, &site, page)).collect();
        let rounds = (0..PAGES_PER_SITE).flat_map(|n| by_site.iter().filter_map(move |pages| pages.get(n)));
        let own = in_site_backlinks(&site, page).map(|page| site.url(page));
        let mut found: Vec<Url> = rounds.take(MOST_BACKLINKS).cloned().collect();
        found.extend(own.take(MOST_BACKLINKS - found.len()));
        found
    }

    /// Registrable domains of the sites that link to a site.
    pub fn linking_sites(&self, site: &str) -> Vec<String> {
        let Some((index, HostRole::Bare)) = self.find(site) else { return Vec::new() };
        self.linking(index).into_iter().map(|(from, _)| domain(&self.records()[from as usize])).collect()
    }

    /// Sites that answer and link to a site, each with the rank of that site in its own list.
    fn linking(&self, index: u32) -> Vec<(u32, u32)> {
        let linking = self.graph().linking_to(index);
        linking.filter(|(from, _)| self.records()[*from as usize].answers()).collect()
    }

    /// Pages of a site that cite one page of the site with a rank in its list.
    fn pages_citing(&self, from: u32, rank: u32, site: &Site<'_>, page: u32) -> Vec<Url> {
        let citing = self.site(from);
        let slots = citing.slots.leading_to(rank, citing.tree.pages).take(SLOTS_PER_SITE);
        let hits = slots.filter(|&slot| cited_page(&citing, slot, site) == page);
        let mut pages: Vec<u32> =
            hits.map(|slot| slot / citing.slots.per_page).take(PAGES_PER_SITE).collect();
        pages.dedup();
        pages.into_iter().map(|page| citing.url(page)).collect()
    }

    /// The off-site links of a page.
    pub(crate) fn citations(&self, site: &Site<'_>, page: u32) -> Vec<OffSiteLink> {
        let LinkSlots { per_page, .. } = site.slots;
        let first = u64::from(page) * u64::from(per_page);
        let slots = (first..first + u64::from(per_page)).filter_map(|slot| u32::try_from(slot).ok());
        slots.map(|slot| self.citation(site, slot)).collect()
    }

    fn citation(&self, site: &Site<'_>, slot: u32) -> OffSiteLink {
        let cited = self.site(site.neighbours[site.slots.neighbour(slot) as usize]);
        let page = cited_page(site, slot, &cited);
        let around = cited.snippet(page, &mut SeededRng::new(site.profile.seed ^ u64::from(slot), 92));
        OffSiteLink { url: cited.address(page), anchor: cited.anchor(page), around }
    }
}

/// The page of another site that an off-site link leads to: mostly its home page, now and then a search.
fn cited_page(citing: &Site<'_>, slot: u32, cited: &Site<'_>) -> u32 {
    let mut rng = SeededRng::new(citing.profile.seed ^ u64::from(slot), 91);
    let searches = cited.form_pages().count() as u32;
    match rng.weighted(&[0.55, 0.22, 0.13, if searches > 0 { 0.1 } else { 0.0 }]) {
        0 => 0,
        1 => rng.below(cited.tree.sections + 1),
        2 => rng.below(cited.tree.pages),
        _ => cited.form_pages().nth(rng.below(searches) as usize).unwrap_or(0),
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
    use crate::spec::Spec;
    use hadal_core::address;
    use std::collections::BTreeSet;

    #[test]
    fn a_popular_page_gets_a_hundred_backlinks_of_many_sites() {
        let world = World::new(Spec::demo(1));
        let popular = (0..2_000).max_by_key(|&index| world.linking(index).len()).unwrap();
        let home = world.site(popular).url(0);
        let found = world.backlinks(&home);
        assert_eq!(found.len(), MOST_BACKLINKS);
        let sites: BTreeSet<String> = found.iter().map(|url| address::Site::of(url).0).collect();
        assert!(sites.len() > 20, "{}", sites.len());
        assert_eq!(found, world.backlinks(&home));
        let linking = world.linking_sites(&address::Site::of(&home).0);
        assert!(sites.iter().all(|site| linking.contains(site) || home.as_str().contains(site.as_str())));
    }

    #[test]
    fn unknown_sites_are_linked_from_nowhere() {
        assert!(World::new(Spec::tiny(1)).linking_sites("nobody.example").is_empty());
    }
}
