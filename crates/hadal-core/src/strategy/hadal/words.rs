//! Which words the links that paid had in them: the model knows numbers only, people want words.

use super::view;
use crate::learn::rate::OnlineRate;
use crate::link::FrontierLink;
use crate::strategy::{Lesson, SelectedFeatures};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Words remembered; the rarest make room.
const MOST: usize = 1000;
/// Words of a place that are told.
const TOLD: usize = 10;

/// Words of links that led to relevant forms.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PaidWords {
    /// By place and word: the feature it is, and how many links had it.
    counts: BTreeMap<(String, String), (u32, u32)>,
    links: u32,
    told: u32,
}

impl PaidWords {
    /// A link led to relevant forms.
    pub fn note(&mut self, link: &FrontierLink) {
        self.links += 1;
        for (place, word, feature) in view::words(link) {
            self.counts.entry((place.to_string(), word)).or_insert((feature, 0)).1 += 1;
        }
        if self.counts.len() > MOST {
            let least = self.counts.values().map(|(_, count)| *count).min().unwrap_or_default();
            let mut surplus = self.counts.len() - MOST / 2;
            self.counts.retain(|_, (_, count)| {
                let goes = *count == least && surplus > 0;
                surplus -= usize::from(goes);
                !goes
            });
        }
    }

    /// The words that the model makes most of now.
    pub fn lesson(&mut self, model: &OnlineRate) -> Lesson {
        let selected = ["url", "anchor", "around"].map(|place| self.of_place(place, model));
        self.told += 1;
        Lesson { model: "link".into(), iteration: self.told, examples: self.links, selected: selected.into() }
    }

    fn of_place(&self, place: &str, model: &OnlineRate) -> SelectedFeatures {
        let here = self.counts.iter().filter(|((known, _), (_, count))| known == place && *count > 1);
        let mut ranked: Vec<(f32, &str, u32)> = here
            .map(|((_, word), (feature, count))| (model.log_rate(&[(*feature, 1.0)]), word.as_str(), *count))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let terms = ranked.into_iter().take(TOLD).map(|(_, word, count)| (word.to_string(), count)).collect();
        SelectedFeatures { space: place.into(), level: None, terms }
    }
}
