//! FacetQueue that wait: links beside answers that were too long to be shown whole.

use super::FollowedLinks;
use crate::harvest::answer::Facet;
use crate::harvest::policy::{QueryOutcome, RequestCosts};
use crate::harvest::query::{BrowseLink, Query};
use serde::{Deserialize, Serialize};
use url::Url;

/// FacetQueue that wait at most; the smallest are left out.
const MOST_WAITING: usize = 1_000;
/// How much of what older facets brought still counts after another one.
const MEMORY: f64 = 0.9;
/// Records that facets must have shown before that says as much as what was expected of them.
const BELIEF: f64 = 20.0;

/// FacetQueue, and what they brought so far.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct FacetQueue {
    waiting: Vec<QueuedFacet>,
    /// Of the records they showed of late, the new ones.
    new: f64,
    shown: f64,
}

/// A facet that promises records.
pub struct FacetEstimate {
    /// The query that follows it.
    pub query: Query,
    /// New records expected.
    pub expected_new: f64,
    /// New records for each request.
    pub new_per_request: f64,
}

/// A facet that may be asked.
#[derive(Clone, Serialize, Deserialize)]
struct QueuedFacet {
    query: Query,
    /// How many records it says it leads to.
    count: f64,
    /// The share of its answer's records that were new.
    fresh: f64,
}

impl FacetQueue {
    /// Takes in the facets beside an answer of which more exists than it shows; whether any is new.
    pub fn add(&mut self, answer: &QueryOutcome<'_>, facets: Vec<Facet>, unasked: &FollowedLinks) -> bool {
        let before = self.waiting.len();
        let shown = answer.hits.len().max(1) as f64;
        let fresh = answer.hits.iter().filter(|hit| hit.is_new).count() as f64 / shown;
        let whole = answer.total.map_or(shown, |total| total.count() as f64);
        let each = whole / facets.len().max(1) as f64;
        for Facet { label, count, url } in facets {
            // A facet of everything narrows nothing.
            let count = count.map_or(each, |count| count as f64);
            if count > 0.0 && count < whole && unasked.is_new(&url) && !self.has(&url) {
                let query = answer.query.narrowed(BrowseLink { label, url });
                self.waiting.push(QueuedFacet { query, count, fresh });
            }
        }
        let is_news = self.waiting.len() > before;
        if self.waiting.len() > MOST_WAITING {
            self.waiting.sort_by(|a, b| b.count.total_cmp(&a.count));
            self.waiting.truncate(MOST_WAITING);
        }
        is_news
    }

    fn has(&self, url: &Url) -> bool {
        self.waiting.iter().any(|waiting| waiting.query.link.as_ref().is_some_and(|link| link.url == *url))
    }

    /// The facet that promises most for its requests. `unseen` is the share of all records that never came,
    /// where it is known.
    pub fn best(&self, costs: &RequestCosts, unseen: Option<f64>) -> Option<FacetEstimate> {
        let weigh = |waiting: &QueuedFacet| {
            let shown = waiting.count.min(costs.cap.map_or(f64::INFINITY, f64::from));
            let expected = unseen.unwrap_or(waiting.fresh);
            let new = shown * (self.new + BELIEF * expected) / (self.shown + BELIEF);
            let further = (shown / f64::from(costs.page_size.max(1)) - 1.0).max(0.0);
            (new, new / (costs.query + costs.page * further + costs.detail * new))
        };
        let weighed = self.waiting.iter().map(|waiting| (waiting, weigh(waiting)));
        let best = weighed.reduce(|kept, next| if next.1.1 > kept.1.1 { next } else { kept });
        best.map(|(waiting, (new, worth))| FacetEstimate {
            query: waiting.query.clone(),
            expected_new: new,
            new_per_request: worth,
        })
    }

    /// Takes in what one brought.
    pub fn take(&mut self, answer: &QueryOutcome<'_>) {
        self.waiting.retain(|waiting| waiting.query.link != answer.query.link);
        self.new = MEMORY * self.new + answer.hits.iter().filter(|hit| hit.is_new).count() as f64;
        self.shown = MEMORY * self.shown + answer.hits.len() as f64;
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
    fn the_facet_with_most_to_show_is_asked_until_facets_bring_nothing_new() {
        let query = Query::words("sea");
        let hits = [Hit { id: RecordId(1), is_new: true, title: "", text: "", fields: &[] }; 10];
        let mut facets = FacetQueue::default();
        let found = vec![facet("a", 3), facet("b", 90), facet("all", 500), facet("c", 40)];
        facets.add(&answer(&query, &hits), found, &FollowedLinks::default());
        let costs = RequestCosts { cap: Some(50), page_size: 50, ..RequestCosts::default() };
        let best = facets.best(&costs, Some(0.4)).unwrap();
        assert_eq!((best.query.link.as_ref().unwrap().label.as_str(), best.expected_new), ("b", 20.0));
        let stale = [Hit { is_new: false, ..hits[0] }; 50];
        facets.take(&answer(&best.query, &stale));
        let next = facets.best(&costs, Some(0.4)).unwrap();
        assert_eq!(next.query.words, "sea");
        assert!(next.expected_new < 8.0, "{}", next.expected_new);
    }
}
