//! Level strategies: links by how many clicks they are away from a form (FFC and ACHE papers).
//!
//! A link classifier puts every link of an on-topic page on a level; each level has its queue, the nearest
//! is served first. The classifier comes from a backward crawl before the crawl ([`backward`]), from the
//! paths on which the crawl found relevant forms, or first the one and then the other; [`plan`] has the
//! configurations. Without a classifier (nothing learned yet, nobody who knows backlinks, no examples) the
//! order is that of `best-first-sc`. A site is left by the same criteria.

mod apprentice;
mod backward;
mod example;
mod learning;
mod memory;
mod model;
pub mod plan;
mod queues;
mod selection;

use super::best_first::{Leave, ON_TOPIC};
use super::{
    PageVisit, Placement, QueueChoice, QueueHeads, RestoreError, SiteCounters, Strategy, StrategyCommand,
    StrategyContext, StrategyGauge,
};
use crate::critic::PageVerdict;
use crate::link::{FrontierLink, LinkOrigin, LinkTask, ParentPage, QueueId};
use memory::Memory;
use model::LinkModel;
use queues::{LOOKUPS, TRAINING, crawling, persistent};
use url::Url;

pub use plan::Plan;
pub use selection::Selection;

/// What a click away from where a site was entered takes from a link's score: it decides between links that
/// are about as likely (FFC paper, section 3.4: pages close to the root of a site come first).
const CLICK: f32 = 1e-4;
/// Clicks beyond this make no difference.
const MOST_CLICKS: u16 = 50;

/// Orders a crawl by levels.
pub struct Levels {
    plan: Plan,
    /// Pages with forms that a backward crawl can start from.
    examples: Vec<Url>,
    model: Option<LinkModel>,
    memory: Memory,
}

impl Levels {
    /// A strategy that follows a plan.
    pub fn new(plan: Plan, briefing: &StrategyContext) -> Levels {
        let trains = plan.offline && briefing.backlinks;
        let examples = if trains { briefing.examples.clone() } else { Vec::new() };
        Levels { plan, examples, model: None, memory: Memory::new(&plan) }
    }

    /// The level of a link and its score there.
    fn level(&self, model: &LinkModel, link: &FrontierLink, parent: &ParentPage) -> (u8, f32) {
        let promise = self.memory.apprentice.as_ref().map(|apprentice| apprentice.promise(link));
        let (level, score) = match model.levels(&link.url, &link.context) {
            // Nothing is known of it: explored late, below all that looks like anything.
            None => (self.plan.levels, promise.unwrap_or(parent.p_topic) - 1.0),
            Some(likelihoods) => {
                let (level, likelihood) = likeliest(&likelihoods, self.plan.levels);
                // A form counts on an on-topic page only: both must come true.
                (level, likelihood * promise.unwrap_or(1.0))
            }
        };
        (level, score - CLICK * f32::from(link.site_depth.min(MOST_CLICKS)))
    }
}

/// The likeliest of the levels that have a queue, the nearest of equals. A single queue is ordered by how
/// likely a link is of its level.
fn likeliest(likelihoods: &[f32], levels: u8) -> (u8, f32) {
    let mut best = (1, likelihoods[0]);
    for (level, likelihood) in (1..=levels).zip(likelihoods) {
        if *likelihood > best.1 {
            best = (level, *likelihood);
        }
    }
    best
}

impl Strategy for Levels {
    fn begin(&mut self) -> Vec<StrategyCommand> {
        self.set_out_backward()
    }

    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        let wait = |queue: QueueId, score: f32| Placement::Enqueue { queue, score };
        if link.task == LinkTask::Backlinks {
            return wait(LOOKUPS, 0.0);
        }
        if self.memory.backward.wants(link) {
            return wait(TRAINING, 0.0);
        }
        match (&link.parent, &self.model) {
            (None, _) if link.origin == LinkOrigin::Backlink => Placement::Drop,
            (None, _) => wait(crawling(1), 1.0),
            (Some(parent), _) if parent.p_topic < ON_TOPIC => Placement::Drop,
            (Some(parent), None) => wait(crawling(1), parent.p_topic),
            (Some(parent), Some(model)) => {
                let (level, score) = self.level(model, link, parent);
                // The other end of a redirect is the same step, already taken out of the store once.
                let goes_on = link.origin == LinkOrigin::Redirect;
                wait(if goes_on { crawling(level) } else { persistent(level) }, score)
            }
        }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        if std::mem::take(&mut self.memory.rerank_due) {
            return QueueChoice::Execute(Box::new(StrategyCommand::RescoreAll));
        }
        if let Some(queue) = queues::next_to_learn_from(heads) {
            return QueueChoice::Serve(queue);
        }
        if let Some(lesson) = self.end_of_training(heads) {
            return QueueChoice::Execute(Box::new(StrategyCommand::RecordLesson(lesson)));
        }
        queues::crawl_on(heads, self.plan.levels, &mut self.memory.loading)
    }

    fn learn(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        let mut commands = self.read_backward(visit);
        self.instruct_apprentice(visit);
        commands.extend(self.remember_path(visit));
        if Leave::default().applies(visit.site) {
            commands.push(StrategyCommand::CloseSite(visit.link.site()));
        }
        commands
    }

    fn on_backlinks(&mut self, about: &Url, linking: &[Url]) -> Vec<StrategyCommand> {
        self.memory.idle = 0;
        self.memory.backward.hear(about, linking);
        Vec::new()
    }

    fn accepts_page(&self, verdict: &PageVerdict) -> bool {
        verdict.p_topic >= ON_TOPIC
    }

    fn gauges(&self, heads: &dyn QueueHeads) -> Vec<StrategyGauge> {
        const CRAWLING: [&str; 4] = ["crawling 1", "crawling 2", "crawling 3", "crawling 4"];
        const PERSISTENT: [&str; 4] = ["persistent 1", "persistent 2", "persistent 3", "persistent 4"];
        let waiting = |names: [&'static str; 4], queue: fn(u8) -> QueueId| {
            let levels = (1..=self.plan.levels).zip(names);
            levels.map(move |(level, name)| StrategyGauge {
                name,
                value: heads.link_count(queue(level)) as f64,
            })
        };
        let count = |name, value: u32| StrategyGauge { name, value: f64::from(value) };
        waiting(CRAWLING, crawling)
            .chain(waiting(PERSISTENT, persistent))
            .chain([
                count("look-ups", self.memory.backward.lookups()),
                count("training pages", self.memory.backward.pages()),
                count("learning iterations", self.memory.iteration),
            ])
            .collect()
    }

    fn save(&self) -> Vec<u8> {
        self.memory.write(self.model.as_ref())
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), RestoreError> {
        let read = Memory::read(saved, &self.plan);
        (self.memory, self.model) = read.ok_or(RestoreError { strategy: self.plan.name })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
