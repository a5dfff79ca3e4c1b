//! How close the world is to the web that others measured.
//!
//! Forms and sizes are read from the plans of sites, pages from what a client gets and the real parser
//! makes of it. What depends on a crawl's order is for the caller to measure; [`Measurement::density`] puts it
//! beside its target.

mod forms;
mod judged;
mod pages;
mod supply;

use crate::lexicon::{TOPIC_COUNT, TOPICS};
use crate::world::World;
use serde::Serialize;

/// Relevant forms per hundred pages of a crawl that keeps to on-topic pages and leaves sites behind: ACHE's
/// table 1, and for the last four topics what follows from SmartCrawler's table 2.
const DENSITY: [f64; TOPIC_COUNT] =
    [0.132, 0.962, 0.142, 1.857, 0.571, 0.094, 0.297, 0.148, 1.55, 0.9, 0.33, 0.2];

/// One structural figure beside its target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measurement {
    /// What is measured.
    pub name: String,
    /// What it should be, in words.
    pub target: String,
    /// What it is.
    pub measured: f64,
    /// The lowest value that counts as on target.
    pub low: f64,
    /// The highest value that counts as on target.
    pub high: f64,
}

impl Measurement {
    fn new(name: &str, target: &str, measured: f64, low: f64, high: f64) -> Measurement {
        Measurement { name: name.to_string(), target: target.to_string(), measured, low, high }
    }

    /// What a crawl for a topic found per hundred pages, beside what crawls of the real web found.
    pub fn density(topic: &str, relevant_per_100_pages: f64) -> Option<Measurement> {
        let target = DENSITY[TOPICS.iter().position(|name| *name == topic)?];
        let name = format!("relevant forms per 100 pages of a crawl, {topic}");
        let (low, high) = (target / 1.5, target * 1.5);
        Some(Measurement::new(&name, &target.to_string(), relevant_per_100_pages, low, high))
    }

    /// Which share of the searchable forms that crawls found was relevant: mean and least over topics.
    pub fn relevant_shares(shares: &[f64]) -> [Measurement; 2] {
        let mean = share(shares.iter().sum(), shares.len() as f64);
        let least = shares.iter().copied().fold(1.0, f64::min);
        let name = |which: &str| format!("relevant share of searchable forms in crawls, {which}");
        [
            Measurement::new(&name("mean"), "0.16", mean, 0.1, 0.25),
            Measurement::new(&name("least"), "0.065", least, 0.04, 0.1),
        ]
    }

    /// Whether the figure is on target.
    pub fn is_met(&self) -> bool {
        (self.low..=self.high).contains(&self.measured)
    }
}

/// Measures a world: the forms of all its sites, and about `sample` of its pages and as many forms.
pub fn measure(world: &World, sample: usize) -> Vec<Measurement> {
    let mut figures = pages::measure(world, sample);
    figures.extend(forms::measure(world));
    figures.extend(supply::measure(world));
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
        // A small world is as rich as a large one, but not as large; a small sample of a topic's forms
        // and of links far from a form says little.
        let telling = |m: &Measurement| {
            let by_topic = World::topics().iter().any(|topic| m.name.ends_with(topic));
            !by_topic && (!m.name.starts_with("topic word") || m.name.ends_with("1 from form"))
        };
        let judged = measure(&world, 2_000).into_iter().filter(telling);
        let missed: Vec<Measurement> = judged.filter(|m| !m.is_met()).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }
}
