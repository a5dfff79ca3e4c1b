//! Links between pages of different sites: the off-site links of a page, and its backlinks.
//!
//! Backlinks are computed, not stored. As backlink services do, a look-up returns at most a hundred pages, from as many
//! sites as possible.

use crate::page::{OffSiteLink, RELATED};
use crate::random::{SeededRng, mix};
use crate::site::Site;
use crate::site::graph::LinkSlots;
use crate::site::resource::{Resource, resource_at, without_session};
use crate::world::World;
use url::Url;

/// Maximum number of pages returned by a look-up. Guess.
const MAX_BACKLINKS: usize = 100;

/// Maximum number of linking sites examined per look-up. Bounds the time of a look-up. Guess.
const MAX_SITES: usize = 300;

/// Maximum number of slots examined per linking site. Guess.
const SLOTS_PER_SITE: usize = 400;

/// Maximum number of pages returned per linking site. Guess.
const PAGES_PER_SITE: usize = 5;

impl World {
    /// Backlinks of a page, at most a hundred: one page of each linking site, then a second one of each, and so on, and
    /// last pages of its own site.
    pub fn backlinks(&self, url: &Url) -> Vec<Url> {
        let Some((index, host)) = self.locate(url) else { return Vec::new() };
        let site = self.site(index);
        let (path, _) = without_session(url);
        let Resource::Page(page) = resource_at(&site, host, &path) else { return Vec::new() };
        let mut linking = self.linking(index);
        linking.sort_by_key(|(from, _)| mix(site.profile.seed, u64::from(*from)));
        linking.truncate(MAX_SITES);
        let by_site: Vec<Vec<Url>> =
            linking.into_iter().map(|(from, rank)| self.linking_pages(from, rank, &site, page)).collect();
        let rounds = (0..PAGES_PER_SITE).flat_map(|n| by_site.iter().filter_map(move |pages| pages.get(n)));
        let own = in_site_backlinks(&site, page).map(|page| site.url(page));
        let mut found: Vec<Url> = rounds.take(MAX_BACKLINKS).cloned().collect();
        found.extend(own.take(MAX_BACKLINKS - found.len()));
        found
    }

    /// Sites that answer and link to a site, each with the rank of that site among its neighbours.
    fn linking(&self, index: u32) -> Vec<(u32, u32)> {
        let linking = self.graph().linking_to(index);
        linking.filter(|(from, _)| self.profiles()[*from as usize].answers()).collect()
    }

    /// Pages of site `from` that link to a page of `site`, its neighbour of this rank.
    fn linking_pages(&self, from: u32, rank: u32, site: &Site<'_>, page: u32) -> Vec<Url> {
        let linking_site = self.site(from);
        let slots = linking_site.slots.leading_to(rank, linking_site.tree.pages).take(SLOTS_PER_SITE);
        let hits = slots.filter(|&slot| target_page(&linking_site, slot, site) == page);
        let mut pages: Vec<u32> =
            hits.map(|slot| slot / linking_site.slots.per_page).take(PAGES_PER_SITE).collect();
        pages.dedup();
        pages.into_iter().map(|page| linking_site.url(page)).collect()
    }

    /// Off-site links of a page.
    pub(crate) fn off_site_links(&self, site: &Site<'_>, page: u32) -> Vec<OffSiteLink> {
        let LinkSlots { per_page, .. } = site.slots;
        let first = u64::from(page) * u64::from(per_page);
        let slots = (first..first + u64::from(per_page)).filter_map(|slot| u32::try_from(slot).ok());
        slots.map(|slot| self.off_site_link(site, slot)).collect()
    }

    fn off_site_link(&self, site: &Site<'_>, slot: u32) -> OffSiteLink {
        let target = self.site(site.neighbours[site.slots.neighbour(slot) as usize]);
        let page = target_page(site, slot, &target);
        let snippet = target.snippet(page, &mut SeededRng::new(site.profile.seed ^ u64::from(slot), 92));
        OffSiteLink { url: target.address(page), anchor: target.anchor(page), snippet }
    }
}

/// Target page of an off-site link: home page, section, any page, or a page with a search form.
fn target_page(linking_site: &Site<'_>, slot: u32, target: &Site<'_>) -> u32 {
    let mut rng = SeededRng::new(linking_site.profile.seed ^ u64::from(slot), 91);
    let searches = target.form_pages().count() as u32;
    match rng.weighted(&[0.55, 0.22, 0.13, if searches > 0 { 0.1 } else { 0.0 }]) {
        0 => 0,
        1 => rng.below(target.tree.sections + 1),
        2 => rng.below(target.tree.pages),
        _ => target.form_pages().nth(rng.below(searches) as usize).unwrap_or(0),
    }
}

/// Pages of the same site that link to a page, other than by menu and breadcrumbs.
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
    use crate::site::host_names::domain;
    use crate::spec::Spec;
    use hadal_core::address;
    use std::collections::BTreeSet;

    #[test]
    fn a_popular_page_gets_a_hundred_backlinks_of_many_sites() {
        let world = World::new(Spec::demo(1));
        let popular = (0..2_000).max_by_key(|&index| world.linking(index).len()).unwrap();
        let home = world.site(popular).url(0);
        let found = world.backlinks(&home);
        assert_eq!(found.len(), MAX_BACKLINKS);
        let sites: BTreeSet<String> = found.iter().map(|url| address::Site::of(url).0).collect();
        assert!(sites.len() > 20, "{}", sites.len());
        assert_eq!(found, world.backlinks(&home));
        let linking = world.linking(popular).into_iter();
        let linking: BTreeSet<String> =
            linking.map(|(from, _)| domain(&world.profiles()[from as usize])).collect();
        assert!(sites.iter().all(|site| linking.contains(site) || home.as_str().contains(site.as_str())));
    }
}
