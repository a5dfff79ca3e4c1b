//! Host names: invented, plausible, distinct, under real public suffixes.

use crate::lexicon::lexicon;
use crate::random::{SeededRng, mix};
use crate::site::profile::{SiteProfile, SiteRole};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

const SYLLABLES: [&str; 64] = [
    "ba", "bel", "bor", "bri", "ca", "cal", "cen", "cor", "da", "del", "dor", "dra", "el", "en", "fa", "fen",
    "fi", "gal", "gar", "glo", "ha", "hel", "ho", "in", "jo", "ka", "kel", "kor", "la", "len", "lin", "lo",
    "ma", "mar", "mel", "mo", "na", "nel", "nor", "o", "pa", "pel", "por", "qui", "ra", "ren", "ri", "sa",
    "sel", "sto", "ta", "tel", "tor", "tri", "u", "va", "vel", "vin", "vo", "wa", "wen", "xi", "yo", "zen",
];

const SUFFIXES: [&str; 16] = [
    "com", "com", "com", "com", "com", "com", "org", "org", "net", "co.uk", "info", "com.au", "ca", "de",
    "co.nz", "org.uk",
];

const SECOND_HOSTS: [&str; 6] = ["catalog", "shop", "search", "my", "online", "data"];

/// The registrable domain of a site.
pub(crate) fn domain(site: &SiteProfile) -> String {
    let mut rng = SeededRng::new(mix(site.seed, u64::from(site.name)), 6);
    let subject = &lexicon().subjects[usize::from(site.subject)];
    let mut name = String::with_capacity(24);
    let syllables = 2 + u32::from(site.name / 2).min(20);
    match rng.weighted(&[0.70, 0.03, 0.15, 0.12]) {
        0 => invent(&mut name, &mut rng, syllables + 1),
        1 => {
            name.push_str(rng.pick(&subject.sign));
            invent(&mut name, &mut rng, syllables);
        }
        2 => {
            let apart = matches!(site.role, SiteRole::Seeded | SiteRole::Major);
            name.push_str(if apart {
                rng.pick(subject.leads(site.role))
            } else {
                subject.passing_term(&mut rng)
            });
            invent(&mut name, &mut rng, syllables);
        }
        _ => {
            invent(&mut name, &mut rng, syllables);
            name.push('-');
            invent(&mut name, &mut rng, 2);
        }
    }
    name.push('.');
    name.push_str(rng.pick(&SUFFIXES));
    name
}

fn invent(name: &mut String, rng: &mut SeededRng, syllables: u32) {
    for _ in 0..syllables {
        name.push_str(rng.pick(&SYLLABLES));
    }
}

/// Whether the site's own name for itself begins with `www.`.
pub(crate) fn is_www(site: &SiteProfile) -> bool {
    mix(site.seed, 7) % 10 < 7
}

/// Label of the site's second host.
pub(crate) fn second_label(site: &SiteProfile) -> &'static str {
    SECOND_HOSTS[(mix(site.seed, 8) % SECOND_HOSTS.len() as u64) as usize]
}

/// Finds sites by host name.
pub(crate) struct HostNames(FxHashMap<u64, u32>);

/// Which of a site's hosts a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostRole {
    /// The registrable domain itself.
    Bare,
    /// `www.`
    Www,
    /// The host of the first section.
    Second,
}

impl HostNames {
    /// Gives every site a name that no other site has.
    pub(crate) fn assign(sites: &mut [SiteProfile]) -> HostNames {
        let mut taken = FxHashMap::with_capacity_and_hasher(sites.len(), Default::default());
        for (index, site) in sites.iter_mut().enumerate() {
            let mut key = xxh3_64(domain(site).as_bytes());
            while taken.contains_key(&key) {
                site.name = site.name.saturating_add(1);
                key = xxh3_64(domain(site).as_bytes());
            }
            taken.insert(key, index as u32);
        }
        HostNames(taken)
    }

    /// The site a host belongs to, and which of its hosts it is.
    pub(crate) fn find(&self, host: &str, sites: &[SiteProfile]) -> Option<(u32, HostRole)> {
        if let Some(index) = self.exact(host, sites) {
            return Some((index, HostRole::Bare));
        }
        let (label, rest) = host.split_once('.')?;
        let index = self.exact(rest, sites)?;
        let site = &sites[index as usize];
        match label {
            "www" => Some((index, HostRole::Www)),
            _ if site.second_host && label == second_label(site) => Some((index, HostRole::Second)),
            _ => None,
        }
    }

    fn exact(&self, name: &str, sites: &[SiteProfile]) -> Option<u32> {
        let index = *self.0.get(&xxh3_64(name.as_bytes()))?;
        (domain(&sites[index as usize]) == name).then_some(index)
    }
}
