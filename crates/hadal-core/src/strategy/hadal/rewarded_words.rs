//! Words of links that led to relevant forms. The rate model stores hashes only; this table makes lessons readable.

use super::features;
use crate::learn::rate::OnlinePoisson;
use crate::link::FrontierLink;
use crate::strategy::{Lesson, SelectedFeatures};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of words in the table; the rarest are removed first. Guess.
const MAX_WORDS: usize = 1000;
/// Words per part of the link in a lesson. Guess.
const LESSON_WORDS: usize = 10;

/// Counts of words in links that led to relevant forms.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RewardedWords {
    /// Part of the link and word -> index of its feature, number of links with it.
    counts: BTreeMap<(String, String), (u32, u32)>,
    links: u32,
    lessons: u32,
}

impl RewardedWords {
    /// Counts the words of a link that led to a relevant form.
    pub fn add(&mut self, link: &FrontierLink) {
        self.links += 1;
        for (part, word, feature) in features::words_of_link(link) {
            self.counts.entry((part.to_string(), word)).or_insert((feature, 0)).1 += 1;
        }
        if self.counts.len() > MAX_WORDS {
            self.remove_rarest();
        }
    }

    /// Removes words with the lowest count until half of the table is free or none of them is left.
    fn remove_rarest(&mut self) {
        let lowest = self.counts.values().map(|(_, count)| *count).min().unwrap_or_default();
        let mut surplus = self.counts.len() - MAX_WORDS / 2;
        self.counts.retain(|_, (_, count)| {
            let is_removed = *count == lowest && surplus > 0;
            surplus -= usize::from(is_removed);
            !is_removed
        });
    }

    /// The words with the highest weights in the model.
    pub fn lesson(&mut self, model: &OnlinePoisson) -> Lesson {
        let selected = ["url", "anchor", "around"].map(|part| self.select(part, model));
        self.lessons += 1;
        Lesson {
            model: "link".into(),
            iteration: self.lessons,
            examples: self.links,
            selected: selected.into(),
        }
    }

    fn select(&self, part: &str, model: &OnlinePoisson) -> SelectedFeatures {
        let repeated = self.counts.iter().filter(|((of, _), (_, count))| of == part && *count > 1);
        let mut ranked: Vec<(f32, &str, u32)> = repeated
            .map(|((_, word), (feature, count))| (model.log_rate(&[(*feature, 1.0)]), word.as_str(), *count))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let terms =
            ranked.into_iter().take(LESSON_WORDS).map(|(_, word, count)| (word.to_string(), count)).collect();
        SelectedFeatures { space: part.into(), level: None, terms }
    }
}
