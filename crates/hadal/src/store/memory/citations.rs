//! Pages that link to other sites, for backlinks in memory.

use super::super::{MAX_CITING_PAGES, RunId, is_site_root};
use super::run::MemoryRun;
use hadal_core::address::{LinkId, Site};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// Citing pages of each URL, grouped by the site of the URL.
#[derive(Default)]
pub struct CitationIndex(FxHashMap<Site, BTreeMap<LinkId, BTreeSet<LinkId>>>);

impl CitationIndex {
    /// Adds the links of a page to other sites.
    pub fn add(&mut self, page: LinkId, targets: &[Url]) {
        for url in targets {
            let citing = self.0.entry(Site::of(url)).or_default().entry(LinkId::of(url)).or_default();
            if citing.len() < MAX_CITING_PAGES {
                citing.insert(page);
            }
        }
    }

    /// Pages that cite a URL, or any page of the site if the URL is its root.
    fn citing(&self, url: &Url) -> BTreeSet<LinkId> {
        let targets = self.0.get(&Site::of(url)).into_iter().flatten();
        let (all, target) = (is_site_root(url), LinkId::of(url));
        targets.filter(|(id, _)| all || **id == target).flat_map(|(_, citing)| citing).copied().collect()
    }
}

/// Pages that link to a URL, those of the latest run first.
pub fn backlinks(runs: &BTreeMap<RunId, MemoryRun>, source: &str, url: &Url, limit: usize) -> Vec<Url> {
    let mut seen = FxHashSet::default();
    let same_source = runs.values().rev().filter(|run| run.spec.source == source);
    let linking = same_source.flat_map(|run| {
        let parent = run.frontier.link(LinkId::of(url)).and_then(|row| row.queued.link.parent);
        let pages = run.citations.citing(url).into_iter().chain(parent.map(|parent| parent.id));
        pages.filter_map(|page| run.frontier.link(page)).map(|row| row.queued.link.url)
    });
    linking.filter(|page| page != url && seen.insert(page.clone())).take(limit).collect()
}
