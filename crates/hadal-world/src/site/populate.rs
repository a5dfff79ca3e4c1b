//! Generates the profiles of all sites: subject, role, size and health.
//!
//! Topics differ in their share of deep sites. This share decides how rare relevant forms are for a crawler that stays
//! on on-topic sites.

use crate::lexicon::{TOPIC_COUNT, lexicon};
use crate::random::{SeededRng, mix};
use crate::site::profile::{Health, SiteProfile, SiteRole, Trap};
use crate::spec::{Hubs, Spec};

/// Share of deep sites among the sites of each topic. Calibrated by crawling the simulated web, so that a crawl
/// restricted to on-topic pages finds relevant forms at the densities of [`measure`](crate::measure).
const DEEP_SHARES: [f64; TOPIC_COUNT] =
    [0.0118, 0.13, 0.0095, 0.333, 0.076, 0.012, 0.026, 0.0065, 0.2, 0.128, 0.024, 0.0215];

/// Topics in the order in which sites are assigned to them. Topics with few deep sites occur twice, so that no crawl
/// runs out of relevant forms.
const TOPIC_ROTATION: [u8; 19] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 2, 5, 6, 7, 10, 11];

/// Share of deep sites among sites about other subjects. Guess.
const OTHER_DEEP_SHARE: f64 = 0.25;

/// Probability that a deep site has a search of its own pages, in addition to `Rates::site_search`. Guess.
const DEEP_SITE_SEARCH: f64 = 0.35;

/// Share of the seeded type among deep sites. Guess.
const SEEDED_SHARE: f64 = 0.3;

/// Sites without a database per deep site, for the seeded and the unseeded type. Guess.
const SHALLOW_PER_DEEP: [usize; 2] = [6, 3];

/// Exponent of the Pareto distribution of site sizes. Guess; `hadal eval world` shows the resulting tail.
const SIZE_EXPONENT: f64 = 1.15;

/// Minimum number of pages of a site. Guess.
const MIN_PAGES: u32 = 12;

/// Numbers that separate the random streams of a site. Arbitrary.
const PURPOSE_SITE: u64 = 1;
const PURPOSE_SIZE: u64 = 2;

/// Generates the profiles of all sites. Host names are assigned later.
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
        pages: ((raw_size(seed) * scale) as u32).clamp(MIN_PAGES, spec.max_pages.max(MIN_PAGES)),
        sections: 0,
        branching: 0,
        subject: subject_of(spec, index),
        name_attempt: 0,
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

/// Subject of a site by its index. Subjects rotate, so that even a tiny world has sites of every topic.
fn subject_of(spec: &Spec, index: u32) -> u8 {
    let others = (lexicon().subjects.len() - TOPIC_COUNT) as u32;
    let topical = (f64::from(spec.sites) * spec.topic_share) as u32;
    if index < topical {
        return TOPIC_ROTATION[index as usize % TOPIC_ROTATION.len()];
    }
    (TOPIC_COUNT as u32 + (index - topical) % others.max(1)) as u8
}

/// Pareto-distributed size of a site before scaling.
fn raw_size(seed: u64) -> f64 {
    (1.0 - SeededRng::new(seed, PURPOSE_SIZE).unit()).powf(-1.0 / SIZE_EXPONENT)
}

/// Factor on raw sizes that gives the mean of the spec after clamping, found by bisection.
fn size_scale(spec: &Spec) -> f64 {
    let sizes: Vec<f64> =
        (0..spec.sites).map(|index| raw_size(mix(mix(spec.seed, PURPOSE_SITE), u64::from(index)))).collect();
    let most = f64::from(spec.max_pages.max(MIN_PAGES));
    let wanted = f64::from(spec.mean_pages) * f64::from(spec.sites);
    let total = |scale: f64| {
        sizes.iter().map(|size| (size * scale).clamp(f64::from(MIN_PAGES), most).floor()).sum::<f64>()
    };
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
        _ => Health::Moved((index + TOPIC_ROTATION.len() as u32 * (1 + rng.below(50))) % spec.sites.max(1)),
    }
}

/// Decides per subject which sites are deep and which are hubs. Deep sites are counted rather than drawn, so that a
/// topic with few of them has its exact share in every world.
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
            site.site_search |= site.deep && SeededRng::new(site.seed, 6).chance(DEEP_SITE_SEARCH);
        }
    }
}

fn deep_count(spec: &Spec, subject: usize, members: usize) -> usize {
    let share = DEEP_SHARES.get(subject).copied().unwrap_or(OTHER_DEEP_SHARE);
    let count = (members as f64 * (share * spec.deep_site_factor).min(0.85)).round() as usize;
    count.max(2).min(members)
}

/// Ends of the ranges of roles in the order of a subject's sites: deep sites of the seeded type, deep sites of the
/// unseeded type, other sites of the seeded type, other sites of the unseeded type, then content sites.
struct RoleRanks {
    deep_seeded: usize,
    deep: usize,
    shallow_seeded: usize,
    shallow_unseeded: usize,
}

impl RoleRanks {
    fn of(deep: usize, members: usize) -> RoleRanks {
        let seeded = ((deep as f64 * SEEDED_SHARE).round() as usize).max(1).min(deep);
        let most = members / 5;
        let shallow_seeded = deep + (seeded * SHALLOW_PER_DEEP[0]).min(most);
        let shallow_unseeded = shallow_seeded + ((deep - seeded) * SHALLOW_PER_DEEP[1]).min(most);
        RoleRanks { deep_seeded: seeded, deep, shallow_seeded, shallow_unseeded }
    }

    fn role(&self, spec: &Spec, seed: u64, rank: usize) -> SiteRole {
        let hub = spec.hubs == Hubs::Present
            && rank >= self.deep
            && (rank == self.deep || SeededRng::new(seed, 4).chance(spec.hub_share));
        match rank {
            _ if hub => SiteRole::Hub,
            _ if rank < self.deep_seeded => SiteRole::Seeded,
            _ if rank < self.deep => SiteRole::Unseeded,
            _ if rank < self.shallow_seeded => SiteRole::Seeded,
            _ if rank < self.shallow_unseeded => SiteRole::Unseeded,
            _ => SiteRole::Content,
        }
    }
}

/// Chooses the shape of the page trees. Deep sites get at least 150 pages and four levels, so that forms can
/// be far from the home page.
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
