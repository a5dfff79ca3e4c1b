//! State of SmartCrawler, saved with the run.

use super::learner::AdaptiveLearner;
use super::open_site::OpenSite;
use super::reverse_search::ReverseSearch;
use super::site_table::{SiteKey, SiteTable};
use crate::address::Site;
use crate::link::QueueId;
use crate::strategy::{RestoreError, StrategyCommand};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Maximum number of deep sites that are remembered. Guess; bounds memory.
const MAX_DEEP_SITES: usize = 20_000;

/// State of SmartCrawler.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SmartState {
    /// Open sites, in the order they were opened.
    pub open: Vec<OpenSite>,
    /// Known sites and their queues.
    pub sites: SiteTable,
    /// Deep sites, those of earlier crawls included.
    pub deep: FxHashSet<SiteKey>,
    /// Deep sites found by this crawl.
    pub deep_found: u32,
    /// Search for more sites by backlinks.
    pub reverse: ReverseSearch,
    /// Site ranker and link ranker.
    pub learner: AdaptiveLearner,
    /// Visits chosen so far.
    pub served: u64,
    /// Pending commands for sites that were left.
    leaving: VecDeque<LeaveStep>,
}

/// Pending command for a site that was left.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum LeaveStep {
    /// Move the home pages it found into a queue of the site frontier.
    ReleaseFound(SiteKey, QueueId),
    /// Close the site.
    CloseSite(Site),
}

impl SmartState {
    /// Adds a deep site.
    pub fn add_deep_site(&mut self, site: SiteKey) {
        self.deep_found += 1;
        if self.deep.len() < MAX_DEEP_SITES {
            self.deep.insert(site);
        }
    }

    /// Leaves the open site at index `at`: its found sites join `queue`, and it is closed.
    pub fn leave(&mut self, at: usize, queue: QueueId) {
        let left = self.open.remove(at);
        self.sites.release(left.key, &left.found_sites, queue);
        self.leaving.push_back(LeaveStep::ReleaseFound(left.key, queue));
        self.leaving.push_back(LeaveStep::CloseSite(left.site));
    }

    /// Next pending command for sites that were left.
    pub fn next_command(&mut self) -> Option<StrategyCommand> {
        Some(match self.leaving.pop_front()? {
            LeaveStep::ReleaseFound(site, to) => {
                StrategyCommand::Refill { from: site.found_queue(), to, limit: usize::MAX }
            }
            LeaveStep::CloseSite(site) => StrategyCommand::CloseSite(site),
        })
    }

    /// Encodes the state.
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("every field can be encoded")
    }

    /// Decodes a saved state and rebuilds the fields that are not saved.
    pub fn decode(saved: &[u8]) -> Result<SmartState, RestoreError> {
        let mut state: SmartState =
            postcard::from_bytes(saved).map_err(|_| RestoreError { strategy: "smart" })?;
        state.open.iter_mut().for_each(OpenSite::update_queues);
        state.learner.rebuild_vectors();
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::smart::site_table::HIGH;

    #[test]
    fn a_site_that_is_left_releases_its_found_sites_and_is_closed() {
        let site = Site("shop.example".into());
        let mut state = SmartState { open: vec![OpenSite::new(site.clone(), 0)], ..SmartState::default() };
        state.leave(0, HIGH);
        let mut state = SmartState::decode(&state.encode()).unwrap();
        let from = SiteKey::of(&site).found_queue();
        let release = StrategyCommand::Refill { from, to: HIGH, limit: usize::MAX };
        assert_eq!(state.next_command(), Some(release));
        assert_eq!(state.next_command(), Some(StrategyCommand::CloseSite(site)));
        assert_eq!(state.next_command(), None);
    }

    #[test]
    fn damaged_states_are_refused() {
        let saved = SmartState::default().encode();
        assert!(SmartState::decode(&saved[..saved.len() / 2]).is_err());
        assert!(SmartState::decode(&[0xff; 64]).is_err());
    }
}
