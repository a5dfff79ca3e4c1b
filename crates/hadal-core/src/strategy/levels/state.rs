//! State of a level strategy, saved with the run.

use super::apprentice::Apprentice;
use super::backward::BackwardCrawl;
use super::config::LevelConfig;
use super::examples::LinkExamples;
use super::link_classifier::{LevelCounts, LinkClassifier};
use serde::{Deserialize, Serialize};
use url::Url;

/// State of a level strategy, except for its link classifier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelState {
    /// The backward crawl before the crawl is running.
    pub training: bool,
    /// Current backward crawl.
    pub backward: BackwardCrawl,
    /// Examples from the backward crawl before the crawl.
    pub trained: LinkExamples,
    /// Examples from paths to relevant forms and from later backward crawls.
    pub paths: LinkExamples,
    /// New relevant forms since the last learning iteration.
    pub new_relevant: u32,
    /// Pages with new relevant forms that the next backward crawl starts from.
    pub sources: Vec<Url>,
    /// Learning iterations so far.
    pub iteration: u32,
    /// Visits since the last event of the backward crawl.
    pub idle_visits: u32,
    /// Next level to load into the crawling frontier; 0 if no batch is being loaded.
    pub loading: u8,
    /// The classifier was replaced and the waiting links still have scores of the old one.
    pub rescore_due: bool,
    /// Apprentice, if the configuration has one.
    pub apprentice: Option<Apprentice>,
}

impl LevelState {
    /// State before the crawl.
    pub fn new(config: &LevelConfig) -> LevelState {
        LevelState {
            training: false,
            backward: BackwardCrawl::default(),
            trained: LinkExamples::new(config.classes()),
            paths: LinkExamples::new(config.classes()),
            new_relevant: 0,
            sources: Vec::new(),
            iteration: 0,
            idle_visits: 0,
            loading: 0,
            rescore_due: false,
            apprentice: config.apprentice.then(Apprentice::default),
        }
    }

    /// Encodes the state and the classifier.
    pub fn encode(&self, classifier: Option<&LinkClassifier>) -> Vec<u8> {
        let counts = classifier.map(LinkClassifier::counts);
        postcard::to_allocvec(&(self, counts)).expect("every field can be encoded")
    }

    /// Decodes a saved state; `None` if it is damaged or belongs to another configuration.
    pub fn decode(saved: &[u8], config: &LevelConfig) -> Option<(LevelState, Option<LinkClassifier>)> {
        let (state, counts): (LevelState, Option<LevelCounts>) = postcard::from_bytes(saved).ok()?;
        let fits = state.apprentice.is_some() == config.apprentice;
        fits.then(|| (state, counts.map(LinkClassifier::from_counts)))
    }
}
