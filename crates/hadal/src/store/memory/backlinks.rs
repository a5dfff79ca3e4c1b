//! Who links where, from runs in memory.

use super::super::{MOST_CITING, RunId, is_root};
use super::run::MemoryRun;
use hadal_core::address::{LinkId, Site};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// Pages of other sites that cite an address, by the address's site.
#[derive(Default)]
pub struct CitationIndex(FxHashMap<Site, BTreeMap<LinkId, BTreeSet<LinkId>>>);

impl CitationIndex {
    /// Remembers where a page links to.
    pub fn keep(&mut self, page: LinkId, targets: &[Url]) {
        for url in targets {
            let citing = self.0.entry(Site::of(url)).or_default().entry(LinkId::of(url)).or_default();
            if citing.len() < MOST_CITING {
                citing.insert(page);
            }
        }
    }

    /// Pages that cite an address, or anything on the site whose root it is.
    fn citing(&self, url: &Url) -> BTreeSet<LinkId> {
        let targets = self.0.get(&Site::of(url)).into_iter().flatten();
        let (all, target) = (is_root(url), LinkId::of(url));
        targets.filter(|(id, _)| all || **id == target).flat_map(|(_, citing)| citing).copied().collect()
    }
}

/// Pages that link to an address, the latest run's first.
pub fn of(runs: &BTreeMap<RunId, MemoryRun>, source: &str, url: &Url, limit: usize) -> Vec<Url> {
    let mut met = FxHashSet::default();
    let same_web = runs.values().rev().filter(|run| run.spec.source == source);
    let linking = same_web.flat_map(|run| {
        let parent = run.frontier.lead(LinkId::of(url)).and_then(|lead| lead.parent);
        let pages = run.cited.citing(url).into_iter().chain(parent.map(|parent| parent.id));
        pages.filter_map(|page| run.frontier.lead(page)).map(|lead| lead.url)
    });
    linking.filter(|page| page != url && met.insert(page.clone())).take(limit).collect()
}
