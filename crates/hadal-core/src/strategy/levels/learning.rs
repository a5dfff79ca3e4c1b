//! Learning of the level strategies.
//!
//! Before the crawl, the link classifier is trained with the examples of a backward crawl. During the crawl,
//! the links on paths to relevant forms become examples, and each learning iteration trains a new classifier
//! with them (ACHE paper, algorithm 1). Examples from before the crawl are only used for levels with few
//! examples from the crawl, because the paper learns from the new paths.

use super::super::{Lesson, ON_TOPIC, PageVisit, QueueHeads, StrategyCommand};
use super::LevelStrategy;
use super::backward::BackwardStep;
use super::examples::{LinkExample, LinkExamples};
use super::link_classifier::LinkClassifier;
use super::queues::{LOOKUPS, TRAINING};
use crate::address::Site;

/// Maximum number of example pages that the backward crawl before the crawl starts from. Guess.
const MAX_START_PAGES: usize = 60;
/// Pages read per level and start page, see `PAGES_PER_TARGET` of the backward crawl.
const PAGES_PER_START_PAGE: usize = 4;
/// Maximum number of pages read per level before the crawl; table 1 of the FFC paper has 187, 212 and 137.
const MAX_TRAINING_PAGES: usize = 200;
/// Visits without an event of the backward crawl after which its pending pages are given up. Guess: more than are
/// usually in flight.
const MAX_IDLE_VISITS: u32 = 32;
/// Examples of a level from the crawl that replace those from before the crawl. Guess.
const ENOUGH_EXAMPLES: usize = 20;
/// Maximum number of pages with new relevant forms that the backward crawl of a learning iteration starts
/// from. Guess.
const MAX_SOURCES: usize = 10;
/// Pages read per level by the backward crawl of a learning iteration. Guess.
const BACKWARD_PAGES: u32 = 20;

impl LevelStrategy {
    /// Starts the backward crawl before the crawl, if there are examples.
    pub(super) fn start_training(&mut self) -> Vec<StrategyCommand> {
        let start = &self.examples[..self.examples.len().min(MAX_START_PAGES)];
        let pages = MAX_TRAINING_PAGES.min(PAGES_PER_START_PAGE * start.len()) as u32;
        let page_budget = vec![pages; usize::from(self.config.classes())];
        let commands = self.state.backward.start(start, &page_budget);
        self.state.training = !commands.is_empty();
        commands
    }

    /// Passes a visit to the backward crawl and keeps its examples.
    pub(super) fn visit_backward(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        let state = &mut self.state;
        let Some(BackwardStep { examples, commands }) = state.backward.on_visit(visit.link, visit.page)
        else {
            state.idle_visits = state.idle_visits.saturating_add(1);
            return Vec::new();
        };
        state.idle_visits = 0;
        let kept = if state.training { &mut state.trained } else { &mut state.paths };
        examples.into_iter().for_each(|(level, example)| kept.add(level, example));
        commands
    }

    /// Trains the classifier when the backward crawl has ended. Pages that robots.txt or a failing host withholds never
    /// arrive, so they are given up after [`MAX_IDLE_VISITS`].
    pub(super) fn end_training(&mut self, heads: &dyn QueueHeads) -> Option<Lesson> {
        let state = &mut self.state;
        let has_ended = heads.link_count(LOOKUPS) + heads.link_count(TRAINING) == 0
            && (!state.backward.is_pending() || state.idle_visits >= MAX_IDLE_VISITS);
        if !state.training || !has_ended {
            return None;
        }
        state.training = false;
        let levels = by_level(self.config.classes(), |level| state.trained.of(level).collect());
        let (classifier, selected) = LinkClassifier::train(&levels, self.config.selection)?;
        let lesson = classifier.lesson(0, selected);
        self.classifier = Some(classifier);
        self.state.rescore_due = true;
        Some(lesson)
    }

    /// Trains the apprentice with a visited page.
    pub(super) fn train_apprentice(&mut self, visit: &PageVisit<'_>) {
        if let Some(apprentice) = &mut self.state.apprentice
            && visit.page.is_some()
            && visit.link.parent.is_some()
        {
            apprentice.learn(visit.link, visit.verdict.p_topic >= ON_TOPIC);
        }
    }

    /// Keeps the path to new relevant forms, and starts a learning iteration after enough of them.
    pub(super) fn record_path(&mut self, visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        let Some(learn_after) = self.config.learn_after.filter(|_| visit.new_relevant > 0) else {
            return Vec::new();
        };
        let state = &mut self.state;
        for (level, link) in (1..).zip(std::iter::once(visit.link).chain(visit.path)) {
            if let Some(example) = LinkExample::of_visited(link) {
                state.paths.add(level, example);
            }
        }
        state.new_relevant = state.new_relevant.saturating_add(visit.new_relevant);
        let is_same_site = |url| Site::of(url) == visit.link.site();
        if self.config.backward
            && state.sources.len() < MAX_SOURCES
            && !state.sources.iter().any(is_same_site)
        {
            state.sources.push(visit.link.url.clone());
        }
        let is_due = !state.training && state.new_relevant >= learn_after;
        if is_due { self.learn_from_paths() } else { Vec::new() }
    }

    /// One learning iteration.
    fn learn_from_paths(&mut self) -> Vec<StrategyCommand> {
        let levels = by_level(self.config.classes(), |level| self.examples_of(level));
        let Some((classifier, selected)) = LinkClassifier::train(&levels, self.config.selection) else {
            return Vec::new();
        };
        let state = &mut self.state;
        state.new_relevant = 0;
        state.iteration += 1;
        let lesson = classifier.lesson(state.iteration, selected);
        let old = self.classifier.as_ref();
        let same_stems = old.is_some_and(|old| old.counts().has_same_stems(classifier.counts()));
        self.classifier = Some(classifier);
        let mut commands = vec![
            StrategyCommand::RecordLesson(lesson),
            if same_stems { StrategyCommand::RescoreHeads } else { StrategyCommand::RescoreAll },
        ];
        if self.config.backward {
            let sources = std::mem::take(&mut state.sources);
            let page_budget = vec![BACKWARD_PAGES; usize::from(self.config.classes())];
            commands.extend(state.backward.start(&sources, &page_budget));
        }
        commands
    }

    /// Examples of a level for a learning iteration.
    fn examples_of(&self, level: u8) -> Vec<&LinkExample> {
        let count = |examples: &'_ LinkExamples| examples.of(level).count();
        let needs_trained = count(&self.state.paths) < ENOUGH_EXAMPLES;
        let trained = self.state.trained.of(level).filter(|_| needs_trained);
        trained.chain(self.state.paths.of(level)).collect()
    }
}

fn by_level<'a>(levels: u8, examples: impl Fn(u8) -> Vec<&'a LinkExample>) -> Vec<Vec<&'a LinkExample>> {
    (1..=levels).map(examples).collect()
}
