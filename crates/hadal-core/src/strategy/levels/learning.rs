//! When a level strategy learns, and from what.
//!
//! Before the crawl it learns from what the backward crawl found. While it crawls it keeps the paths on
//! which it found relevant forms, and after every so many it makes a new classifier from them (ACHE paper,
//! algorithm 1). What was learned before the crawl stands in only for levels of which the crawl has met
//! few links: the paper's focus is that of the new paths, and it converges to what the crawl alone teaches.

use super::super::best_first::ON_TOPIC;
use super::super::{Lesson, PageVisit, QueueHeads, StrategyCommand};
use super::Levels;
use super::backward::Reading;
use super::example::{Example, Examples};
use super::model::LinkModel;
use super::queues::{LOOKUPS, TRAINING};
use crate::address::Site;

/// Pages with forms that a backward crawl before the crawl starts from.
const MOST_EXAMPLES: usize = 60;
/// Pages it reads for each level, four for each page it starts from and no more than this; the FFC paper's
/// table 1 has 187, 212 and 137.
const TRAINING_PAGES: usize = 200;
/// Visits of others after which what it still expects has got lost: more than are usually in flight.
const PATIENCE: u32 = 32;
/// Links of a level that are enough to learn it from the crawl alone.
const ENOUGH: usize = 20;
/// Pages with new relevant forms that a backward crawl at a learning iteration starts from.
const MOST_SOURCES: usize = 10;
/// Pages it reads for each level.
const BACKWARD_PAGES: u32 = 20;

impl Levels {
    /// Begins the backward crawl before the crawl, when there is something to start it from.
    pub(super) fn set_out_backward(&mut self) -> Vec<StrategyCommand> {
        let from = &self.examples[..self.examples.len().min(MOST_EXAMPLES)];
        let pages = TRAINING_PAGES.min(4 * from.len()) as u32;
        let room = vec![pages; usize::from(self.plan.classes())];
        let commands = self.memory.backward.set_out(from, &room);
        self.memory.training = !commands.is_empty();
        commands
    }

    /// Takes what a visit means to the backward crawl.
    pub(super) fn read_backward(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        let memory = &mut self.memory;
        let Some(Reading { examples, commands }) = memory.backward.read(visit.link, visit.page) else {
            memory.idle = memory.idle.saturating_add(1);
            return Vec::new();
        };
        memory.idle = 0;
        let kept = if memory.training { &mut memory.trained } else { &mut memory.paths };
        examples.into_iter().for_each(|(level, example)| kept.add(level, example));
        commands
    }

    /// Learns from the backward crawl once it has run dry. Pages that robots.txt or a failing host keeps
    /// from us never come back, so after a while they are given up.
    pub(super) fn end_of_training(&mut self, heads: &dyn QueueHeads) -> Option<Lesson> {
        let memory = &mut self.memory;
        let is_dry = heads.link_count(LOOKUPS) + heads.link_count(TRAINING) == 0
            && (!memory.backward.expects() || memory.idle >= PATIENCE);
        if !memory.training || !is_dry {
            return None;
        }
        memory.training = false;
        let levels = by_level(self.plan.classes(), |level| memory.trained.of(level).collect());
        let (model, selected) = LinkModel::learn(&levels, self.plan.selection)?;
        let lesson = model.lesson(0, selected);
        self.model = Some(model);
        self.memory.rerank_due = true;
        Some(lesson)
    }

    /// Shows the apprentice where a link led.
    pub(super) fn instruct_apprentice(&mut self, visit: &PageVisit<'_>) {
        if let Some(apprentice) = &mut self.memory.apprentice
            && visit.page.is_some()
            && visit.link.parent.is_some()
        {
            apprentice.learn(visit.link, visit.verdict.p_topic >= ON_TOPIC);
        }
    }

    /// Keeps the path to new relevant forms, and learns when there were enough of them.
    pub(super) fn remember_path(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        let Some(enough) = self.plan.learn_after.filter(|_| visit.new_relevant > 0) else {
            return Vec::new();
        };
        let memory = &mut self.memory;
        for (level, link) in (1..).zip(std::iter::once(visit.link).chain(visit.path)) {
            if let Some(example) = Example::of_lead(link) {
                memory.paths.add(level, example);
            }
        }
        memory.found = memory.found.saturating_add(visit.new_relevant);
        let from_here = |url| Site::of(url) == visit.link.site();
        if self.plan.backward && memory.sources.len() < MOST_SOURCES && !memory.sources.iter().any(from_here)
        {
            memory.sources.push(visit.link.url.clone());
        }
        if memory.training || memory.found < enough { Vec::new() } else { self.learn_from_paths() }
    }

    /// A learning iteration.
    fn learn_from_paths(&mut self) -> Vec<StrategyCommand> {
        let levels = by_level(self.plan.classes(), |level| self.lessons_of(level));
        let Some((model, selected)) = LinkModel::learn(&levels, self.plan.selection) else {
            return Vec::new();
        };
        let memory = &mut self.memory;
        memory.found = 0;
        memory.iteration += 1;
        let lesson = model.lesson(memory.iteration, selected);
        let same = self.model.as_ref().is_some_and(|old| old.counts().looks_at_the_same(model.counts()));
        self.model = Some(model);
        let mut commands = vec![
            StrategyCommand::RecordLesson(lesson),
            if same { StrategyCommand::RescoreHeads } else { StrategyCommand::RescoreAll },
        ];
        if self.plan.backward {
            let sources = std::mem::take(&mut memory.sources);
            let room = vec![BACKWARD_PAGES; usize::from(self.plan.classes())];
            commands.extend(memory.backward.set_out(&sources, &room));
        }
        commands
    }

    /// The links of a level that a learning iteration learns from.
    fn lessons_of(&self, level: u8) -> Vec<&Example> {
        let links = |examples: &'_ Examples| examples.of(level).count();
        let standing_in = links(&self.memory.paths) < ENOUGH;
        let before = self.memory.trained.of(level).filter(|_| standing_in);
        before.chain(self.memory.paths.of(level)).collect()
    }
}

fn by_level<'a>(levels: u8, examples: impl Fn(u8) -> Vec<&'a Example>) -> Vec<Vec<&'a Example>> {
    (1..=levels).map(examples).collect()
}
