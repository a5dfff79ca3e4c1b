//! Host names: invented and unique, under real public suffixes.

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

/// Registrable domain of a site.
pub(crate) fn domain(site: &SiteProfile) -> String {
    let mut rng = SeededRng::new(mix(site.seed, u64::from(site.name_attempt)), 6);
    let subject = &lexicon().subjects[usize::from(site.subject)];
    let mut name = String::with_capacity(24);
    let syllables = 2 + u32::from(site.name_attempt / 2).min(20);
    match rng.weighted(&[0.70, 0.03, 0.15, 0.12]) {
        0 => push_syllables(&mut name, &mut rng, syllables + 1),
        1 => {
            name.push_str(rng.pick(&subject.names));
            push_syllables(&mut name, &mut rng, syllables);
        }
        2 => {
            let has_type_words = matches!(site.role, SiteRole::Seeded | SiteRole::Unseeded);
            name.push_str(if has_type_words {
                rng.pick(subject.link_words(site.role))
            } else {
                subject.general_term(&mut rng)
            });
            push_syllables(&mut name, &mut rng, syllables);
        }
        _ => {
            push_syllables(&mut name, &mut rng, syllables);
            name.push('-');
            push_syllables(&mut name, &mut rng, 2);
        }
    }
    name.push('.');
    name.push_str(rng.pick(&SUFFIXES));
    name
}

fn push_syllables(name: &mut String, rng: &mut SeededRng, syllables: u32) {
    for _ in 0..syllables {
        name.push_str(rng.pick(&SYLLABLES));
    }
}

/// True if the site's main host begins with `www.`.
pub(crate) fn is_www(site: &SiteProfile) -> bool {
    mix(site.seed, 7) % 10 < 7
}

/// First label of the site's second host.
pub(crate) fn second_label(site: &SiteProfile) -> &'static str {
    SECOND_HOSTS[(mix(site.seed, 8) % SECOND_HOSTS.len() as u64) as usize]
}

/// Map from the hash of a registrable domain to the index of its site.
pub(crate) struct HostNames(FxHashMap<u64, u32>);

/// Role of a host within its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostRole {
    /// The registrable domain.
    Bare,
    /// The registrable domain with `www.` before it.
    Www,
    /// Host of the first section.
    Second,
}

impl HostNames {
    /// Gives every site a unique domain by raising [`SiteProfile::name_attempt`].
    pub(crate) fn assign(sites: &mut [SiteProfile]) -> HostNames {
        let mut taken = FxHashMap::with_capacity_and_hasher(sites.len(), Default::default());
        for (index, site) in sites.iter_mut().enumerate() {
            let mut key = xxh3_64(domain(site).as_bytes());
            while taken.contains_key(&key) {
                site.name_attempt = site.name_attempt.saturating_add(1);
                key = xxh3_64(domain(site).as_bytes());
            }
            taken.insert(key, index as u32);
        }
        HostNames(taken)
    }

    /// Index of the site that a host name belongs to, and the role of the host.
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
