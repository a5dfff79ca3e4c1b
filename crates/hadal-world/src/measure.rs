//! How close the world is to the web that others measured.
//!
//! Forms and sizes are read from the plans of sites, pages from what a client gets and the real
//! parser makes of it. What depends on a crawl's order is not measured here.

mod forms;
mod pages;

use crate::world::World;
use serde::Serialize;

/// One structural figure beside its target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measure {
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

impl Measure {
    fn new(name: &str, target: &str, measured: f64, low: f64, high: f64) -> Measure {
        Measure { name: name.to_string(), target: target.to_string(), measured, low, high }
    }

    /// Whether the figure is on target.
    pub fn is_met(&self) -> bool {
        (self.low..=self.high).contains(&self.measured)
    }
}

/// Measures a world: the forms of all its sites, and about `sample` of its pages.
pub fn measure(world: &World, sample: usize) -> Vec<Measure> {
    let mut figures = pages::measure(world, sample);
    figures.extend(forms::measure(world));
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
        // Links further from a form are too rare for a sample of this size.
        let near = |m: &Measure| !m.name.starts_with("topic word") || m.name.ends_with("1 from form");
        let judged = measure(&world, 2_000).into_iter().filter(near);
        let missed: Vec<Measure> = judged.filter(|m| !m.is_met()).collect();
        assert!(missed.is_empty(), "{missed:#?}");
    }
}
