//! Level strategies: links by their distance from a form (FFC and ACHE papers).
//!
//! The level of a link is the estimated number of clicks from the link to a page with a form. A link
//! classifier assigns each link of an on-topic page to a level (`link_classifier.rs`). Each level has its own
//! queues, and the nearest level is served first (`queues.rs`). Within a level, links are ordered by
//!
//! ```text
//! score(l) = P(level | l) · p(l) - 0.0001 · min(d(l), 50)      links with a feature of the classifier
//! score(l) = p'(l) - 1           - 0.0001 · min(d(l), 50)      other links, on the last level
//! ```
//!
//! where `d` is the number of clicks since the crawl entered the site, `p` is the apprentice's P(on topic) of
//! the link's target, or 1 without an apprentice, and `p'` is the same, or P(on topic) of the parent page
//! without an apprentice.
//!
//! The classifier is trained by a backward crawl before the crawl (`backward.rs`; FFC paper, section 3.1), by the paths
//! on which the crawl found relevant forms (`learning.rs`; ACHE paper, section 3.2), or by both; [`config`] has the
//! configurations. Without a classifier the order is that of `best-first-sc`: before the first learning iteration, and
//! when backlinks or examples are missing. The stopping criteria of sites are the same as there.

mod apprentice;
mod backward;
pub mod config;
mod examples;
mod learning;
mod link_classifier;
mod queues;
mod state;

use super::{
    ON_TOPIC, PageVisit, Placement, QueueChoice, QueueHeads, RestoreError, SiteCounters, Strategy,
    StrategyCommand, StrategyContext, StrategyGauge,
};
use crate::critic::PageVerdict;
use crate::link::{FrontierLink, LinkOrigin, LinkTask, ParentPage, QueueId};
use link_classifier::LinkClassifier;
use queues::{LOOKUPS, TRAINING, crawling, persistent};
use state::LevelState;
use url::Url;

pub use config::LevelConfig;
pub use examples::FeatureSelection;

/// Score difference per click since the crawl entered the site. It decides between links of almost equal likelihood
/// (FFC paper, section 3.4: links of pages close to the root of a site have priority). Guess.
const DEPTH_PENALTY: f32 = 1e-4;
/// Number of clicks above which more do not count for [`DEPTH_PENALTY`]. Guess.
const MAX_DEPTH: u16 = 50;

/// Level strategy; see the [module documentation](self).
pub struct LevelStrategy {
    config: LevelConfig,
    /// Pages with forms that the backward crawl starts from.
    examples: Vec<Url>,
    classifier: Option<LinkClassifier>,
    state: LevelState,
}

impl LevelStrategy {
    /// A strategy with a configuration. It skips the training before the crawl if there is no source of backlinks.
    pub fn new(config: LevelConfig, context: &StrategyContext) -> LevelStrategy {
        let trains = config.offline && context.backlinks;
        let examples = if trains { context.examples.clone() } else { Vec::new() };
        LevelStrategy { config, examples, classifier: None, state: LevelState::new(&config) }
    }

    /// Level and score of a link; see the module documentation.
    fn level(&self, classifier: &LinkClassifier, link: &FrontierLink, parent: &ParentPage) -> (u8, f32) {
        let p_topic = self.state.apprentice.as_ref().map(|apprentice| apprentice.p_topic(link));
        let (level, score) = match classifier.level_probabilities(&link.url, &link.context) {
            None => (self.config.levels, p_topic.unwrap_or(parent.p_topic) - 1.0),
            Some(probabilities) => {
                let (level, probability) = likeliest(&probabilities, self.config.levels);
                (level, probability * p_topic.unwrap_or(1.0))
            }
        };
        (level, score - DEPTH_PENALTY * f32::from(link.site_depth.min(MAX_DEPTH)))
    }
}

/// The most probable of the first `levels` levels and its probability; the nearest level wins a tie.
fn likeliest(probabilities: &[f32], levels: u8) -> (u8, f32) {
    let mut best = (1, probabilities[0]);
    for (level, probability) in (1..=levels).zip(probabilities) {
        if *probability > best.1 {
            best = (level, *probability);
        }
    }
    best
}

impl Strategy for LevelStrategy {
    fn begin(&mut self) -> Vec<StrategyCommand> {
        self.start_training()
    }

    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        let enqueue = |queue: QueueId, score: f32| Placement::Enqueue { queue, score };
        if link.task == LinkTask::Backlinks {
            return enqueue(LOOKUPS, 0.0);
        }
        if self.state.backward.is_awaited(link) {
            return enqueue(TRAINING, 0.0);
        }
        match (&link.parent, &self.classifier) {
            (None, _) if link.origin == LinkOrigin::Backlink => Placement::Drop,
            (None, _) => enqueue(crawling(1), 1.0),
            (Some(parent), _) if parent.p_topic < ON_TOPIC => Placement::Drop,
            (Some(parent), None) => enqueue(crawling(1), parent.p_topic),
            (Some(parent), Some(classifier)) => {
                let (level, score) = self.level(classifier, link, parent);
                // The redirecting link was loaded into the crawling frontier already.
                let is_loaded = link.origin == LinkOrigin::Redirect;
                enqueue(if is_loaded { crawling(level) } else { persistent(level) }, score)
            }
        }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        if std::mem::take(&mut self.state.rescore_due) {
            return QueueChoice::Execute(Box::new(StrategyCommand::RescoreAll));
        }
        if let Some(queue) = queues::ready_training_queue(heads) {
            return QueueChoice::Serve(queue);
        }
        if let Some(lesson) = self.end_training(heads) {
            return QueueChoice::Execute(Box::new(StrategyCommand::RecordLesson(lesson)));
        }
        queues::choose_level(heads, self.config.levels, &mut self.state.loading)
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        let mut commands = self.visit_backward(visit);
        self.train_apprentice(visit);
        commands.extend(self.record_path(visit));
        if self.config.limits.are_reached(visit.site) {
            commands.push(StrategyCommand::CloseSite(visit.link.site()));
        }
        commands
    }

    fn on_backlinks(&mut self, about: &Url, linking: &[Url]) -> Vec<StrategyCommand> {
        self.state.idle_visits = 0;
        self.state.backward.on_backlinks(about, linking);
        Vec::new()
    }

    fn uses_backlinks(&self) -> bool {
        !self.examples.is_empty() || self.config.backward
    }

    fn accepts_page(&self, verdict: &PageVerdict) -> bool {
        verdict.p_topic >= ON_TOPIC
    }

    fn gauges(&self, heads: &dyn QueueHeads) -> Vec<StrategyGauge> {
        const CRAWLING: [&str; 4] = ["crawling 1", "crawling 2", "crawling 3", "crawling 4"];
        const PERSISTENT: [&str; 4] = ["persistent 1", "persistent 2", "persistent 3", "persistent 4"];
        let lengths = |names: [&'static str; 4], queue: fn(u8) -> QueueId| {
            let levels = (1..=self.config.levels).zip(names);
            levels.map(move |(level, name)| StrategyGauge {
                name,
                value: heads.link_count(queue(level)) as f64,
            })
        };
        let count = |name, value: u32| StrategyGauge { name, value: f64::from(value) };
        lengths(CRAWLING, crawling)
            .chain(lengths(PERSISTENT, persistent))
            .chain([
                count("look-ups", self.state.backward.lookups()),
                count("training pages", self.state.backward.pages_read()),
                count("learning iterations", self.state.iteration),
            ])
            .collect()
    }

    fn save(&self) -> Vec<u8> {
        self.state.encode(self.classifier.as_ref())
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        let decoded = LevelState::decode(saved, &self.config);
        (self.state, self.classifier) = decoded.ok_or(RestoreError { strategy: self.config.name })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
