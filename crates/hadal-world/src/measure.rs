//! How close the world is to the web that others measured.

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
}

/// Measures a world on `sample` sites and some of their pages.
pub fn measure(world: &World, sample: usize) -> Vec<Measure> {
    let _ = (world, sample);
    Vec::new()
}
