//! Comparison of a simulated web with published measurements of the real web.
//!
//! Forms and site sizes are counted from the plans of the sites. Pages are fetched as a client does and parsed with the
//! crawler's parser. Figures that depend on the order of a crawl are measured by the caller and compared with
//! [`Measurement::density`] and [`Measurement::relevant_shares`].

mod forms;
mod judged;
mod pages;

use crate::lexicon::{TOPIC_COUNT, TOPICS};
use crate::world::World;
use serde::Serialize;

/// Relevant forms per 100 pages of a crawl that stays on on-topic pages and stops early on sites, per topic.
/// From table 1 of ACHE; for the last four topics derived from table 2 of SmartCrawler.
const DENSITY: [f64; TOPIC_COUNT] =
    [0.132, 0.962, 0.142, 1.857, 0.571, 0.094, 0.297, 0.148, 1.55, 0.9, 0.33, 0.2];

/// Measured value of a structural property, with its target range.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// Name of the measured property.
    pub name: String,
    /// Target value as published.
    pub target: String,
    /// Value measured on the simulated web.
    pub measured: f64,
    /// Lower end of the target range.
    pub low: f64,
    /// Upper end of the target range.
    pub high: f64,
}

impl Measurement {
    fn new(name: &str, target: &str, measured: f64, low: f64, high: f64) -> Measurement {
        Measurement { name: name.to_string(), target: target.to_string(), measured, low, high }
    }

    /// Relevant forms per 100 pages of a crawl, compared with crawls of the real web. `None` for an unknown topic.
    pub fn density(topic: &str, relevant_per_100_pages: f64) -> Option<Measurement> {
        let target = DENSITY[TOPICS.iter().position(|name| *name == topic)?];
        let name = format!("relevant forms per 100 pages of a crawl, {topic}");
        let (low, high) = (target / 1.5, target * 1.5);
        Some(Measurement::new(&name, &target.to_string(), relevant_per_100_pages, low, high))
    }

    /// Shares of relevant forms among the searchable forms that crawls found, one per topic: mean and minimum.
    pub fn relevant_shares(shares: &[f64]) -> [Measurement; 2] {
        let mean = share(shares.iter().sum(), shares.len() as f64);
        let least = shares.iter().copied().fold(1.0, f64::min);
        let name = |which: &str| format!("relevant share of searchable forms in crawls, {which}");
        [
            Measurement::new(&name("mean"), "0.16", mean, 0.1, 0.25),
            Measurement::new(&name("least"), "0.065", least, 0.04, 0.1),
        ]
    }

    /// True if the measured value is in the target range.
    pub fn is_met(&self) -> bool {
        (self.low..=self.high).contains(&self.measured)
    }
}

/// Measures a world: the forms of all sites, about `sample` pages, and the judgements of about `sample` forms.
pub fn measure(world: &World, sample: usize) -> Vec<Measurement> {
    let mut figures = pages::measure(world, sample);
    figures.extend(forms::measure(world));
    figures.extend(forms::measure_supply(world));
    figures.extend(judged::measure(world, sample));
    figures
}

fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;

    #[test]
    fn a_sample_of_the_evaluation_world_is_on_target() {
        let world = World::new(Spec { sites: 12_000, ..Spec::evaluation(1) });
        // A small world has too few forms per topic, and a small sample too few links far from a form, for the figures
        // of single topics and of larger distances.
        let is_significant = |m: &Measurement| {
            let by_topic = World::topics().iter().any(|topic| m.name.ends_with(topic));
            !by_topic && (!m.name.starts_with("topic word") || m.name.ends_with("1 from form"))
        };
        let judged = measure(&world, 2_000).into_iter().filter(is_significant);
        let missed: Vec<Measurement> = judged.filter(|m| !m.is_met()).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }
}
