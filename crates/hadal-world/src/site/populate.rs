//! Draws the sites of a world: subjects, roles, sizes, health.
//!
//! Topics differ in how many of their sites hold databases, which is what makes their forms rare or common
//! for a crawler that keeps to on-topic sites.

use crate::lexicon::{TOPIC_COUNT, lexicon};
use crate::random::{SeededRng, mix};
use crate::site::profile::{Health, SiteProfile, SiteRole, Trap};
use crate::spec::{Hubs, Spec};

/// Share of sites with databases among the sites of each topic, found by crawling: a crawl that keeps to
/// on-topic pages then meets relevant forms as often as crawls of the real web did.
const DEEP: [f64; TOPIC_COUNT] =
    [0.0118, 0.13, 0.0095, 0.333, 0.076, 0.012, 0.026, 0.0065, 0.2, 0.128, 0.024, 0.0215];

/// Topics in the order sites are given to them. Where databases are rare there are twice as many sites, so
/// that no crawl runs out of them.
const TURNS: [u8; 19] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 2, 5, 6, 7, 10, 11];

/// Share of sites with databases among those about other subjects.
const OTHER_DEEP: f64 = 0.25;

/// Share of sites that have a search of their own pages because they hold databases.
const SEARCHED: f64 = 0.35;

/// Share of databases' sites that are of the seeded kind.
const SEEDED_SHARE: f64 = 0.3;

/// Sites without databases per site with some, of the seeded kind and of the other.
const WITHOUT: [usize; 2] = [6, 3];

const PURPOSE_SITE: u64 = 1;
const PURPOSE_SIZE: u64 = 2;

/// All sites of a world.
pub(crate) fn populate(spec: &Spec) -> Vec<SiteProfile> {
    let scale = size_scale(spec);
    let mut sites: Vec<SiteProfile> = (0..spec.sites).map(|index| site(spec, index, scale)).collect();
    assign_roles(spec, &mut sites);
    shape(spec, &mut sites);
    sites
}

fn site(spec: &Spec, index: u32, scale: f64) -> SiteProfile {
    let seed = mix(mix(spec.seed, PURPOSE_SITE), u64::from(index));
    let mut rng = SeededRng::new(seed, PURPOSE_SITE);
    let rates = &spec.rates;
    SiteProfile {
        seed,
        pages: ((raw_size(seed) * scale) as u32).clamp(12, spec.max_pages.max(12)),
        sections: 0,
        branching: 0,
        subject: subject_of(spec, index),
        name: 0,
        role: SiteRole::Content,
        health: health(&mut rng, spec, index),
        trap: rng.chance(rates.traps).then(|| rng.pick(&TRAPS)),
        deep: false,
        soft_404: rng.chance(rates.soft_404),
        robots: rng.chance(rates.robots),
        sitemap: rng.chance(rates.sitemap),
        second_host: rng.chance(rates.second_host),
        site_search: rng.chance(rates.site_search),
    }
}

const TRAPS: [Trap; 4] = [Trap::Calendar, Trap::EndlessNext, Trap::Sessions, Trap::GrowingPath];

/// Subjects take turns, so that even a tiny world has sites of every topic.
fn subject_of(spec: &Spec, index: u32) -> u8 {
    let others = (lexicon().subjects.len() - TOPIC_COUNT) as u32;
    let topical = (f64::from(spec.sites) * spec.topic_share) as u32;
    if index < topical {
        return TURNS[index as usize % TURNS.len()];
    }
    (TOPIC_COUNT as u32 + (index - topical) % others.max(1)) as u8
}

/// Sizes follow a Pareto law: most sites are small, a few hold most of the pages.
fn raw_size(seed: u64) -> f64 {
    (1.0 - SeededRng::new(seed, PURPOSE_SIZE).unit()).powf(-1.0 / 1.15)
}

/// What brings the mean size to the one asked for, in spite of the smallest and the largest size.
fn size_scale(spec: &Spec) -> f64 {
    let sizes: Vec<f64> =
        (0..spec.sites).map(|index| raw_size(mix(mix(spec.seed, PURPOSE_SITE), u64::from(index)))).collect();
    let most = f64::from(spec.max_pages.max(12));
    let wanted = f64::from(spec.mean_pages) * f64::from(spec.sites);
    let total = |scale: f64| sizes.iter().map(|size| (size * scale).clamp(12.0, most).floor()).sum::<f64>();
    let (mut low, mut high) = (0.0, most);
    for _ in 0..30 {
        let middle = (low + high) / 2.0;
        if total(middle) < wanted { low = middle } else { high = middle }
    }
    high
}

fn health(rng: &mut SeededRng, spec: &Spec, index: u32) -> Health {
    let rates = &spec.rates;
    let fine = 1.0 - rates.dead - rates.slow - rates.flaky - rates.redirecting;
    match rng.weighted(&[fine.max(0.0), rates.dead, rates.slow, rates.flaky, rates.redirecting]) {
        0 => Health::Fine,
        1 => Health::Dead,
        2 => Health::Slow,
        3 => Health::Flaky,
        _ if rng.chance(0.3) => Health::Looping,
        _ => Health::Moved((index + TURNS.len() as u32 * (1 + rng.below(50))) % spec.sites.max(1)),
    }
}

/// Decides per subject which sites hold databases and which list others. Counted, not drawn, so
/// that a rare topic has its share in every world.
fn assign_roles(spec: &Spec, sites: &mut [SiteProfile]) {
    let mut by_subject: Vec<Vec<u32>> = vec![Vec::new(); lexicon().subjects.len()];
    for (index, site) in sites.iter().enumerate() {
        by_subject[usize::from(site.subject)].push(index as u32);
    }
    for (subject, members) in by_subject.iter_mut().enumerate() {
        members.sort_by_key(|&index| mix(sites[index as usize].seed, 3));
        let deep = deep_count(spec, subject, members.len());
        let ranks = RoleRanks::of(deep, members.len());
        for (rank, &index) in members.iter().enumerate() {
            let site = &mut sites[index as usize];
            site.deep = rank < deep;
            site.role = ranks.role(spec, site.seed, rank);
            site.site_search |= site.deep && SeededRng::new(site.seed, 6).chance(SEARCHED);
        }
    }
}

fn deep_count(spec: &Spec, subject: usize, members: usize) -> usize {
    let share = DEEP.get(subject).copied().unwrap_or(OTHER_DEEP);
    let count = (members as f64 * (share * spec.deep_site_factor).min(0.85)).round() as usize;
    count.max(2).min(members)
}

/// Where in the order of a subject's sites its kinds begin and end: sites with databases of the seeded kind,
/// of the other kind, then those of both kinds that have none, then the rest.
struct RoleRanks {
    seeded: usize,
    deep: usize,
    seeded_without: usize,
    major_without: usize,
}

impl RoleRanks {
    fn of(deep: usize, members: usize) -> RoleRanks {
        let seeded = ((deep as f64 * SEEDED_SHARE).round() as usize).max(1).min(deep);
        let most = members / 5;
        let seeded_without = deep + (seeded * WITHOUT[0]).min(most);
        let major_without = seeded_without + ((deep - seeded) * WITHOUT[1]).min(most);
        RoleRanks { seeded, deep, seeded_without, major_without }
    }

    fn role(&self, spec: &Spec, seed: u64, rank: usize) -> SiteRole {
        let hub = spec.hubs == Hubs::Present
            && rank >= self.deep
            && (rank == self.deep || SeededRng::new(seed, 4).chance(spec.hub_share));
        match rank {
            _ if hub => SiteRole::Directory,
            _ if rank < self.seeded => SiteRole::Seeded,
            _ if rank < self.deep => SiteRole::Major,
            _ if rank < self.seeded_without => SiteRole::Seeded,
            _ if rank < self.major_without => SiteRole::Major,
            _ => SiteRole::Content,
        }
    }
}

/// Chooses the trees: sites with databases are deep enough to hide some of them.
fn shape(spec: &Spec, sites: &mut [SiteProfile]) {
    for site in sites {
        let mut rng = SeededRng::new(site.seed, 5);
        if site.deep {
            site.pages = site.pages.max((150 + rng.below(450)).min(spec.max_pages / 2));
        }
        let height = if site.deep { rng.between(4, 5) } else { rng.between(2, 4) };
        let sections = (site.pages / 9).clamp(3, 12);
        let below = f64::from(site.pages) / f64::from(sections);
        site.sections = sections as u8;
        site.branching = below.powf(1.0 / f64::from(height - 1)).floor().clamp(2.0, 24.0) as u8;
    }
}
