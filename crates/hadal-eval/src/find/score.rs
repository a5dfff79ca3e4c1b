//! A crawl's events become a curve of what it had really found.
//!
//! A form counts once, when the crawl first meets it; those that were given as examples do not count. It is *relevant* when the crawl took it for
//! relevant and it is; *met* when it is, whatever the crawl took it for.

use super::truth::Truth;
use hadal::engine::Event;
use hadal::store::FormRow;
use hadal_core::address::Site;
use hadal_core::identity::FormId;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What had been found when so much had been spent. All counts are of distinct things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// Requests spent.
    pub requests: u64,
    /// Pages read.
    pub pages: u64,
    /// Relevant forms, rightly taken for such.
    pub relevant: u64,
    /// Relevant forms that stood on pages the crawl took, recognised or not.
    pub met: u64,
    /// Forms wrongly taken for relevant.
    pub wrong: u64,
    /// Searchable forms, rightly taken for such.
    pub searchable: u64,
    /// Sites with at least one relevant form found.
    pub deep_sites: u64,
}

/// Numbers a strategy watches: by name, the value at each number of requests.
pub type Gauges = BTreeMap<String, Vec<(u64, f64)>>;

/// Keeps the score of one crawl.
pub struct Scorer<'t> {
    truth: &'t Truth,
    known: &'t FxHashSet<FormId>,
    topic: &'t str,
    now: Point,
    found: FxHashMap<Site, u32>,
    curve: Vec<Point>,
    gauges: Gauges,
}

impl<'t> Scorer<'t> {
    /// Nothing found yet.
    pub fn new(truth: &'t Truth, topic: &'t str, known: &'t FxHashSet<FormId>) -> Scorer<'t> {
        Scorer {
            truth,
            known,
            topic,
            now: Point::default(),
            found: FxHashMap::default(),
            curve: vec![Point::default()],
            gauges: Gauges::new(),
        }
    }

    /// Takes in what the crawl tells.
    pub fn hear(&mut self, event: &Event) {
        match event {
            Event::Form(form) => self.count(form),
            Event::Gauges { requests, pages, gauges } => {
                self.mark(*requests, *pages);
                for gauge in gauges {
                    self.gauges.entry(gauge.name.to_string()).or_default().push((*requests, gauge.value));
                }
            }
            Event::Finished { tally, .. } => self.mark(tally.requests, tally.pages),
            _ => {}
        }
    }

    fn count(&mut self, form: &FormRow) {
        if self.known.contains(&form.form_id) {
            return;
        }
        let (really_searches, really_relevant) =
            (self.truth.is_searchable(form.form_id), self.truth.is_relevant(form.form_id, self.topic));
        let taken = form.p_relevant >= 0.5;
        self.now.searchable += u64::from(really_searches && form.p_searchable >= 0.5);
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

    /// Relevant forms found on a site.
    pub fn found_on(&self, site: &Site) -> u32 {
        self.found.get(site).copied().unwrap_or(0)
    }

    /// The curve, and what the strategy watched.
    pub fn finish(self) -> (Vec<Point>, Gauges) {
        (self.curve, self.gauges)
    }
}

/// What a curve shows where it has spent this much by the given measure: between its points the last
/// one before, beyond its end the end.
pub fn at(curve: &[Point], measure: impl Fn(&Point) -> u64, spent: u64) -> Point {
    let end = curve.partition_point(|point| measure(point) <= spent);
    end.checked_sub(1).and_then(|last| curve.get(last)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_read_at_the_last_point_before() {
        let point = |requests, relevant| Point { requests, relevant, ..Point::default() };
        let curve = [point(0, 0), point(500, 3), point(1000, 8)];
        let relevant = |spent| at(&curve, |point| point.requests, spent).relevant;
        assert_eq!([0, 499, 500, 999, 1000, 5000].map(relevant), [0, 0, 3, 3, 8, 8]);
        assert_eq!(at(&[], |point| point.pages, 7), Point::default());
    }
}
