//! Links between sites, as neighbour lists in both directions.
//!
//! There are no lists per page. Off-site links of a site are numbered by *slot*, and slot `s` leads to neighbour
//! `(s + shift) mod degree`. So the slots that lead to a given neighbour follow by arithmetic, and backlinks need no
//! stored pages.

use crate::random::{SeededRng, mix};
use crate::site::profile::{SiteProfile, SiteRole};
use crate::site::seeds::seed_sites;
use crate::spec::{Hubs, Spec};

/// Directed graph of sites in compressed sparse rows.
pub(crate) struct SiteGraph {
    out_start: Vec<u32>,
    out: Vec<u32>,
    in_start: Vec<u32>,
    /// Positions in `out` of the links to each site, site by site.
    in_edges: Vec<u32>,
}

impl SiteGraph {
    /// Generates the links of a world.
    pub(crate) fn link(spec: &Spec, sites: &[SiteProfile]) -> SiteGraph {
        let groups = groups(sites);
        let types = types(sites, &groups);
        let mut edges: Vec<(u32, u32)> = Vec::with_capacity(sites.len() * 9);
        for index in 0..sites.len() as u32 {
            chosen_links(spec, sites, (&groups, &types), index, &mut edges);
        }
        connecting_links(spec, sites, &groups, &mut edges);
        edges.retain(|(from, to)| from != to);
        edges.sort_unstable_by_key(|&(from, to)| (from, mix(u64::from(from), u64::from(to)), to));
        edges.dedup();
        SiteGraph::from_edges(sites.len(), &edges)
    }

    fn from_edges(sites: usize, edges: &[(u32, u32)]) -> SiteGraph {
        let out_start = starts(sites, edges.iter().map(|edge| edge.0));
        let in_start = starts(sites, edges.iter().map(|edge| edge.1));
        let mut next = in_start.clone();
        let mut in_edges = vec![0; edges.len()];
        for (position, (_, to)) in edges.iter().enumerate() {
            let place = &mut next[*to as usize];
            in_edges[*place as usize] = position as u32;
            *place += 1;
        }
        SiteGraph { out_start, out: edges.iter().map(|edge| edge.1).collect(), in_start, in_edges }
    }

    /// Neighbours of a site: the sites that it links to, by rank.
    pub(crate) fn out(&self, site: u32) -> &[u32] {
        let site = site as usize;
        &self.out[self.out_start[site] as usize..self.out_start[site + 1] as usize]
    }

    /// Sites that link to a site, each with the rank of that site among its neighbours.
    pub(crate) fn linking_to(&self, site: u32) -> impl Iterator<Item = (u32, u32)> {
        let site = site as usize;
        let edges = &self.in_edges[self.in_start[site] as usize..self.in_start[site + 1] as usize];
        edges.iter().map(|&edge| {
            let from = self.out_start.partition_point(|&start| start <= edge) - 1;
            (from as u32, edge - self.out_start[from])
        })
    }
}

/// Numbering of the off-site links of a site. Slot `page * per_page + n` is the `n`-th off-site link of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkSlots {
    degree: u32,
    shift: u32,
    /// Number of off-site links on each page.
    pub(crate) per_page: u32,
}

impl LinkSlots {
    /// Slots of a site with `degree` neighbours. Every neighbour gets at least one slot.
    pub(crate) fn of(spec: &Spec, site: &SiteProfile, degree: u32) -> LinkSlots {
        let usual = match site.role {
            SiteRole::Hub => 8,
            _ => (spec.off_site_links + SeededRng::new(site.seed, 9).unit()).floor().clamp(1.0, 4.0) as u32,
        };
        let per_page = if degree == 0 { 0 } else { usual.max(degree.div_ceil(site.pages)) };
        LinkSlots { degree, shift: mix(site.seed, 10) as u32 % degree.max(1), per_page }
    }

    /// Rank of the neighbour that a slot leads to.
    pub(crate) fn neighbour(self, slot: u32) -> u32 {
        ((u64::from(slot) + u64::from(self.shift)) % u64::from(self.degree.max(1))) as u32
    }

    /// Slots that lead to a neighbour on a site with `pages` pages.
    pub(crate) fn leading_to(self, neighbour: u32, pages: u32) -> impl Iterator<Item = u32> {
        let first = (neighbour + self.degree - self.shift) % self.degree.max(1);
        let end = (u64::from(pages) * u64::from(self.per_page)).min(u64::from(u32::MAX)) as u32;
        (first..end).step_by(self.degree.max(1) as usize)
    }
}

/// Row starts of a compressed sparse matrix with these row numbers.
fn starts(sites: usize, ends: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0u32; sites + 1];
    for end in ends {
        starts[end as usize + 1] += 1;
    }
    for site in 0..sites {
        starts[site + 1] += starts[site];
    }
    starts
}

/// Best popularity rank of a deep site, as a share of its subject's sites. Content sites get more links than databases.
/// Guess.
const DEEP_SITE_HANDICAP: f64 = 0.35;

/// Sites by subject in order of popularity, sites that do not answer last.
fn groups(sites: &[SiteProfile]) -> Vec<Vec<u32>> {
    let subjects = sites.iter().map(|site| usize::from(site.subject) + 1).max().unwrap_or(0);
    let mut groups = vec![Vec::new(); subjects];
    for (index, site) in sites.iter().enumerate() {
        groups[usize::from(site.subject)].push(index as u32);
    }
    for group in &mut groups {
        group.sort_by_cached_key(|&index| {
            let site = &sites[index as usize];
            let handicap = if site.deep { DEEP_SITE_HANDICAP } else { 0.0 };
            let rank = handicap + (1.0 - handicap) * SeededRng::new(site.seed, 11).unit();
            (!site.answers(), (rank * f64::from(u32::MAX)) as u32, index)
        });
    }
    groups
}

/// Probability that a same-subject link of a seeded or unseeded site goes to a site of its own type. Guess.
const SAME_TYPE_SHARE: f64 = 0.2;

/// Sites of the seeded and the unseeded type of each subject, in order of popularity.
fn types(sites: &[SiteProfile], groups: &[Vec<u32>]) -> Vec<[Vec<u32>; 2]> {
    let of = |group: &[u32], role| -> Vec<u32> {
        group.iter().copied().filter(|&index| sites[index as usize].role == role).collect()
    };
    groups.iter().map(|group| [of(group, SiteRole::Seeded), of(group, SiteRole::Unseeded)]).collect()
}

/// Adds the links that a site chooses: mostly to popular sites of its own subject and type.
fn chosen_links(
    spec: &Spec,
    sites: &[SiteProfile],
    (groups, types): (&[Vec<u32>], &[[Vec<u32>; 2]]),
    from: u32,
    edges: &mut Vec<(u32, u32)>,
) {
    let site = &sites[from as usize];
    let mut rng = SeededRng::new(site.seed, 12);
    let degree = match site.role {
        SiteRole::Hub => rng.between(60, 160),
        _ => (3.0 / (1.0 - rng.unit()).powf(0.6)) as u32,
    };
    let degree = degree.min(spec.sites / 4).clamp(1, 200);
    let same_subject = if site.role == SiteRole::Hub { 0.9 } else { spec.same_subject_share };
    let [seeded, unseeded] = &types[usize::from(site.subject)];
    let same_type = match site.role {
        SiteRole::Seeded => Some(seeded),
        SiteRole::Unseeded => Some(unseeded),
        SiteRole::Content | SiteRole::Hub => None,
    };
    for _ in 0..degree {
        let group = if !rng.chance(same_subject) {
            &groups[rng.below(groups.len() as u32) as usize]
        } else {
            same_type.filter(|_| rng.chance(SAME_TYPE_SHARE)).unwrap_or(&groups[usize::from(site.subject)])
        };
        edges.extend(popular_site(sites, group, site.role, &mut rng).map(|to| (from, to)));
    }
}

/// Random site of a group, popular sites more often. Hubs try up to three times to get a deep site.
fn popular_site(sites: &[SiteProfile], group: &[u32], role: SiteRole, rng: &mut SeededRng) -> Option<u32> {
    let tries = if role == SiteRole::Hub { 3 } else { 1 };
    let mut chosen = None;
    for _ in 0..tries {
        let rank = (group.len() as f64 * rng.unit().powf(1.6)) as usize;
        chosen = group.get(rank).copied();
        if chosen.is_some_and(|index| sites[index as usize].deep) {
            break;
        }
    }
    chosen
}

/// Adds links that make every site reachable from every seed. Each site is linked from a more popular site of
/// its group, half of the time from a hub. The first sites of all groups form a ring and are linked from all
/// seed sites.
fn connecting_links(spec: &Spec, sites: &[SiteProfile], groups: &[Vec<u32>], edges: &mut Vec<(u32, u32)>) {
    let firsts: Vec<u32> = groups.iter().filter_map(|group| group.first().copied()).collect();
    for (at, group) in groups.iter().enumerate() {
        let Some(&first) = group.first() else { continue };
        edges.push((first, firsts[(at + 1) % firsts.len()]));
        let answering = group.partition_point(|&index| sites[index as usize].answers());
        let mut hubs: Vec<u32> = Vec::new();
        for (rank, &index) in group.iter().enumerate() {
            let site = &sites[index as usize];
            let mut rng = SeededRng::new(site.seed, 13);
            if rank > 0 {
                let by_hub = spec.hubs == Hubs::Present && !hubs.is_empty() && rng.chance(0.5);
                let earlier = rank.min(answering).max(1) as u32;
                let from = if by_hub { rng.pick(&hubs) } else { group[rng.below(earlier) as usize] };
                edges.push((from, index));
            }
            if rank < answering && site.role == SiteRole::Hub {
                hubs.push(index);
            }
        }
        edges.extend(seed_sites(sites, at).into_iter().map(|index| (index, first)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_and_out_lists_agree() {
        let graph = SiteGraph::from_edges(4, &[(0, 1), (0, 2), (2, 1), (3, 0)]);
        for site in 0..4 {
            for (from, rank) in graph.linking_to(site) {
                assert_eq!(graph.out(from)[rank as usize], site);
            }
        }
        assert_eq!(graph.linking_to(1).count(), 2);
        assert!(graph.out(1).is_empty());
    }

    #[test]
    fn slots_are_found_from_both_ends() {
        let slots = LinkSlots { degree: 7, shift: 3, per_page: 2 };
        for neighbour in 0..7 {
            let found: Vec<u32> = slots.leading_to(neighbour, 20).collect();
            let expected: Vec<u32> = (0..40).filter(|&slot| slots.neighbour(slot) == neighbour).collect();
            assert_eq!(found, expected);
        }
    }
}
