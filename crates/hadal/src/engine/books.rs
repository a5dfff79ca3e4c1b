//! Bounded cache of site counters in front of the store.

use crate::store::{RunId, Store, StoreError};
use hadal_core::address::Site;
use hadal_core::strategy::SiteCounters;
use rustc_hash::FxHashMap;

const MOST_SITES: usize = 200_000;

/// Sites at hand.
#[derive(Default)]
pub struct SiteBook(FxHashMap<Site, SiteCounters>);

impl SiteBook {
    /// A site's tally.
    pub fn get(&mut self, store: &dyn Store, run: RunId, site: &Site) -> Result<SiteCounters, StoreError> {
        if let Some(tally) = self.0.get(site) {
            return Ok(*tally);
        }
        let tally = store.site(run, site)?;
        self.set(site.clone(), tally);
        Ok(tally)
    }

    /// Writes a site's tally down.
    pub fn set(&mut self, site: Site, tally: SiteCounters) {
        if self.0.len() >= MOST_SITES {
            self.0.clear();
        }
        self.0.insert(site, tally);
    }
}
