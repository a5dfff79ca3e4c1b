//! What a level strategy remembers from one visit to the next, and how it is saved.

use super::apprentice::Apprentice;
use super::backward::BackwardCrawl;
use super::example::Examples;
use super::model::{Counts, LinkModel};
use super::plan::Plan;
use serde::{Deserialize, Serialize};
use url::Url;

/// All but the link classifier itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The backward crawl before the crawl is under way.
    pub training: bool,
    /// The backward crawl.
    pub backward: BackwardCrawl,
    /// Links that the backward crawl before the crawl found.
    pub trained: Examples,
    /// Links that led to relevant forms, and what later backward crawls found.
    pub paths: Examples,
    /// Relevant forms found since the last learning iteration.
    pub found: u32,
    /// Pages they were found on, as far as a backward crawl will start from them.
    pub sources: Vec<Url>,
    /// Learning iterations so far.
    pub iteration: u32,
    /// Visits since the backward crawl last heard of anything.
    pub idle: u32,
    /// The level to be loaded next; 0 when no batch is being loaded.
    pub loading: u8,
    /// There is a new classifier, and everything that waits is still placed by the old one.
    pub rerank_due: bool,
    /// The apprentice, where the plan has one.
    pub apprentice: Option<Apprentice>,
}

impl Memory {
    /// Of nothing.
    pub fn new(plan: &Plan) -> Memory {
        Memory {
            training: false,
            backward: BackwardCrawl::default(),
            trained: Examples::new(plan.classes()),
            paths: Examples::new(plan.classes()),
            found: 0,
            sources: Vec::new(),
            iteration: 0,
            idle: 0,
            loading: 0,
            rerank_due: false,
            apprentice: plan.apprentice.then(Apprentice::default),
        }
    }

    /// Bytes for the store.
    pub fn write(&self, model: Option<&LinkModel>) -> Vec<u8> {
        let counts = model.map(LinkModel::counts);
        postcard::to_allocvec(&(self, counts)).expect("memory holds nothing that cannot be written")
    }

    /// What was written, unless it is damaged or of another plan.
    pub fn read(saved: &[u8], plan: &Plan) -> Option<(Memory, Option<LinkModel>)> {
        let (memory, counts): (Memory, Option<Counts>) = postcard::from_bytes(saved).ok()?;
        let fits = memory.apprentice.is_some() == plan.apprentice;
        fits.then(|| (memory, counts.map(LinkModel::of)))
    }
}
