//! Scores the events of a crawl by ground truth.
//!
//! A form counts once, when the crawl first sees it. Forms of the example pages do not count.

use super::topic_setup::FormTruth;
use hadal::engine::CrawlEvent;
use hadal::store::FormRow;
use hadal_core::address::Site;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::identity::FormId;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts of distinct forms and sites at one point of a crawl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Requests sent so far.
    pub requests: u64,
    /// HTML pages fetched so far.
    pub pages: u64,
    /// Relevant forms that the critic judged relevant.
    pub relevant: u64,
    /// Relevant forms on fetched pages, however the critic judged them.
    pub met: u64,
    /// Forms that the critic judged relevant although they are not.
    pub wrong: u64,
    /// Searchable forms that the critic judged searchable.
    pub searchable: u64,
    /// Sites with at least one relevant form found.
    pub deep_sites: u64,
}

/// Values of strategy gauges by name: pairs of requests sent and value.
pub type Gauges = BTreeMap<String, Vec<(u64, f64)>>;

/// Builds the curve of one crawl.
pub struct Scorer<'t> {
    truth: &'t FormTruth,
    known: &'t FxHashSet<FormId>,
    topic: &'t str,
    now: CurvePoint,
    found: FxHashMap<Site, u32>,
    curve: Vec<CurvePoint>,
    gauges: Gauges,
}

impl<'t> Scorer<'t> {
    pub fn new(truth: &'t FormTruth, topic: &'t str, known: &'t FxHashSet<FormId>) -> Scorer<'t> {
        Scorer {
            truth,
            known,
            topic,
            now: CurvePoint::default(),
            found: FxHashMap::default(),
            curve: vec![CurvePoint::default()],
            gauges: Gauges::new(),
        }
    }

    /// Updates the counts from an event.
    pub fn update(&mut self, event: &CrawlEvent) {
        match event {
            CrawlEvent::Form(form) => self.count(form),
            CrawlEvent::Gauges { requests, pages, gauges } => {
                self.mark(*requests, *pages);
                for gauge in gauges {
                    self.gauges.entry(gauge.name.to_string()).or_default().push((*requests, gauge.value));
                }
            }
            CrawlEvent::Finished { counters, .. } => self.mark(counters.requests, counters.pages),
            _ => {}
        }
    }

    fn count(&mut self, form: &FormRow) {
        if self.known.contains(&form.form_id) {
            return;
        }
        let (really_searches, really_relevant) =
            (self.truth.is_searchable(form.form_id), self.truth.is_relevant(form.form_id, self.topic));
        let taken = form.p_relevant >= MIN_ACCEPTED_P;
        self.now.searchable += u64::from(really_searches && form.p_searchable >= MIN_ACCEPTED_P);
        self.now.met += u64::from(really_relevant);
        self.now.wrong += u64::from(taken && !really_relevant);
        if taken && really_relevant {
            self.now.relevant += 1;
            let of_site = self.found.entry(form.site.clone()).or_default();
            *of_site += 1;
            self.now.deep_sites += u64::from(*of_site == 1);
        }
    }

    fn mark(&mut self, requests: u64, pages: u64) {
        self.now.requests = requests;
        self.now.pages = pages;
        if self.curve.last().is_none_or(|last| last.requests < requests) {
            self.curve.push(self.now);
        }
    }

    /// Number of relevant forms found on a site.
    pub fn found_on(&self, site: &Site) -> u32 {
        self.found.get(site).copied().unwrap_or(0)
    }

    /// The curve and the gauges.
    pub fn finish(self) -> (Vec<CurvePoint>, Gauges) {
        (self.curve, self.gauges)
    }
}

/// Last point of a curve with a `measure` of at most `spent`; zeros if there is none.
pub fn at(curve: &[CurvePoint], measure: impl Fn(&CurvePoint) -> u64, spent: u64) -> CurvePoint {
    let end = curve.partition_point(|point| measure(point) <= spent);
    end.checked_sub(1).and_then(|last| curve.get(last)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_read_at_the_last_point_before() {
        let point = |requests, relevant| CurvePoint { requests, relevant, ..CurvePoint::default() };
        let curve = [point(0, 0), point(500, 3), point(1000, 8)];
        let relevant = |spent| at(&curve, |point| point.requests, spent).relevant;
        assert_eq!([0, 499, 500, 999, 1000, 5000].map(relevant), [0, 0, 3, 3, 8, 8]);
        assert_eq!(at(&[], |point| point.pages, 7), CurvePoint::default());
    }
}
