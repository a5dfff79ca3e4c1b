//! Queue of facets: links beside answers that show only a part of their matches.
//!
//! A facet that states `c` matches shows `r = min(c, cap)` records. Of these
//!
//! `e = r * (new + B * p) / (records + B)`
//!
//! are expected to be new, where `new` of the `records` of recent facets were new (older ones decay), `p` is
//! the share expected beforehand, and `B` is [`PRIOR_RECORDS`]. `p` is the estimated share of all records
//! that were not downloaded, or else the share of new records in the answer that showed the facet. The facet
//! with most new records per request is followed first:
//!
//! `e / (query cost + page cost * max(r / page size - 1, 0) + detail cost * e)`

use super::FollowedLinks;
use crate::harvest::answer::Facet;
use crate::harvest::policy::{QueryOutcome, RequestCosts};
use crate::harvest::query::{BrowseLink, Query};
use serde::{Deserialize, Serialize};
use url::Url;

/// Maximum number of queued facets; those with the fewest matches are dropped. Guess.
const MAX_QUEUED: usize = 1_000;
/// Factor on `new` and `records` after each facet. Guess.
const DECAY: f64 = 0.9;
/// `B`: weight of the prior share `p`, in records. Guess.
const PRIOR_RECORDS: f64 = 20.0;

/// Queued facets and the yield of those followed.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct FacetQueue {
    queued: Vec<QueuedFacet>,
    /// New records of recent facets.
    new: f64,
    /// All records of recent facets.
    shown: f64,
}

/// The best facet of a queue with its expected yield.
pub struct FacetEstimate {
    /// Query that follows the facet.
    pub query: Query,
    /// New records expected.
    pub expected_new: f64,
    /// New records expected per request.
    pub new_per_request: f64,
}

/// A facet that was not followed yet.
#[derive(Clone, Serialize, Deserialize)]
struct QueuedFacet {
    query: Query,
    /// Stated number of matches, or an equal share of its answer's matches.
    count: f64,
    /// Share of its answer's records that were new.
    new_share: f64,
}

impl FacetQueue {
    /// Queues the facets of an answer. Returns true if any of them is new. A facet with as many matches as its answer
    /// narrows nothing and is dropped.
    pub fn add(&mut self, answer: &QueryOutcome<'_>, facets: Vec<Facet>, followed: &FollowedLinks) -> bool {
        let before = self.queued.len();
        let shown = answer.hits.len().max(1) as f64;
        let new_share = answer.hits.iter().filter(|hit| hit.is_new).count() as f64 / shown;
        let matches = answer.total.map_or(shown, |total| total.count() as f64);
        let equal_share = matches / facets.len().max(1) as f64;
        for Facet { label, count, url } in facets {
            let count = count.map_or(equal_share, |count| count as f64);
            if count > 0.0 && count < matches && !followed.contain(&url) && !self.contains(&url) {
                let query = answer.query.narrowed(BrowseLink { label, url });
                self.queued.push(QueuedFacet { query, count, new_share });
            }
        }
        let has_grown = self.queued.len() > before;
        if self.queued.len() > MAX_QUEUED {
            self.queued.sort_by(|a, b| b.count.total_cmp(&a.count));
            self.queued.truncate(MAX_QUEUED);
        }
        has_grown
    }

    fn contains(&self, url: &Url) -> bool {
        self.queued.iter().any(|facet| facet.query.link.as_ref().is_some_and(|link| link.url == *url))
    }

    /// Facet with most new records per request, see the module's formulas. `unseen` is the estimated share of all
    /// records that were not downloaded, if known.
    pub fn best(&self, costs: &RequestCosts, unseen: Option<f64>) -> Option<FacetEstimate> {
        let estimate = |facet: &QueuedFacet| {
            let shown = facet.count.min(costs.cap.map_or(f64::INFINITY, f64::from));
            let prior = unseen.unwrap_or(facet.new_share);
            let new = shown * (self.new + PRIOR_RECORDS * prior) / (self.shown + PRIOR_RECORDS);
            let more_pages = (shown / f64::from(costs.page_size.max(1)) - 1.0).max(0.0);
            (new, new / (costs.query + costs.page * more_pages + costs.detail * new))
        };
        let estimated = self.queued.iter().map(|facet| (facet, estimate(facet)));
        let best = estimated.reduce(|best, next| if next.1.1 > best.1.1 { next } else { best });
        best.map(|(facet, (expected_new, new_per_request))| FacetEstimate {
            query: facet.query.clone(),
            expected_new,
            new_per_request,
        })
    }

    /// Learns from the answer to a facet and removes it from the queue.
    pub fn learn(&mut self, answer: &QueryOutcome<'_>) {
        self.queued.retain(|facet| facet.query.link != answer.query.link);
        self.new = DECAY * self.new + answer.hits.iter().filter(|hit| hit.is_new).count() as f64;
        self.shown = DECAY * self.shown + answer.hits.len() as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::policy::{Hit, ReadingEnd, StatedTotal};
    use crate::harvest::record::RecordId;

    fn answer<'a>(query: &'a Query, hits: &'a [Hit<'a>]) -> QueryOutcome<'a> {
        QueryOutcome {
            query,
            hits,
            total: Some(StatedTotal::Exactly(500)),
            pages: 1,
            end: ReadingEnd::LastPage,
        }
    }

    fn facet(label: &str, count: u64) -> Facet {
        let url = Url::parse(&format!("http://a.org/find?q=sea&kind={label}")).unwrap();
        Facet { label: label.to_string(), count: Some(count), url }
    }

    #[test]
    fn the_largest_facet_comes_first_until_facets_return_nothing_new() {
        let query = Query::words("sea");
        let hits = [Hit { id: RecordId(1), is_new: true, title: "", text: "", fields: &[] }; 10];
        let mut facets = FacetQueue::default();
        let found = vec![facet("a", 3), facet("b", 90), facet("all", 500), facet("c", 40)];
        facets.add(&answer(&query, &hits), found, &FollowedLinks::default());
        let costs = RequestCosts { cap: Some(50), page_size: 50, ..RequestCosts::default() };
        let best = facets.best(&costs, Some(0.4)).unwrap();
        assert_eq!((best.query.link.as_ref().unwrap().label.as_str(), best.expected_new), ("b", 20.0));
        let stale = [Hit { is_new: false, ..hits[0] }; 50];
        facets.learn(&answer(&best.query, &stale));
        let next = facets.best(&costs, Some(0.4)).unwrap();
        assert_eq!(next.query.words, "sea");
        assert!(next.expected_new < 8.0, "{}", next.expected_new);
    }
}
