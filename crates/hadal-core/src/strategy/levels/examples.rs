//! Training examples of the link classifier, and the selection of its features.
//!
//! An example is a link on a path to a form. Its level is the number of clicks to the page with the form: a
//! link to that page itself has level 1. Each level keeps its newest examples, so that the classifier follows
//! the crawl.

use super::super::SelectedFeatures;
use super::super::features::{LinkPart, select_stems, stems_of};
use crate::address::LinkId;
use crate::link::FrontierLink;
use crate::page::LinkContext;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use url::Url;

/// Feature spaces of the link classifier (FFC paper, section 3.1: "contexts").
pub const SPACES: [LinkPart; 3] = [LinkPart::Url, LinkPart::Anchor, LinkPart::Around];
/// Maximum number of examples of one level. Guess; bounds the saved state.
const MAX_EXAMPLES: usize = 300;
/// Maximum number of stems of one feature space of an example. Guess; bounds the saved state.
const MAX_STEMS: usize = 12;
/// Maximum number of features of one level and space: four levels fit into the 64 bits of a matcher.
const MAX_FEATURES: usize = 16;
/// Minimum number of examples that must contain a stem, whatever the share. Guess.
const MIN_EXAMPLES: u32 = 2;

/// A link on a path to a form, reduced to its stems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkExample {
    link: LinkId,
    stems: [Vec<String>; 3],
}

impl LinkExample {
    /// Example of a link on a page.
    pub fn of(url: &Url, context: &LinkContext) -> LinkExample {
        let stems = SPACES.map(|part| {
            let mut stems = stems_of(part, url, context);
            stems.truncate(MAX_STEMS);
            stems
        });
        LinkExample { link: LinkId::of(url), stems }
    }

    /// Example of a visited link; `None` if the link was not found on a page.
    pub fn of_visited(link: &FrontierLink) -> Option<LinkExample> {
        link.parent.map(|_| LinkExample { link: link.id, ..LinkExample::of(&link.url, &link.context) })
    }

    /// Stems in the nth of the [`SPACES`].
    pub fn stems(&self, space: usize) -> &[String] {
        &self.stems[space]
    }
}

/// Examples by level, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkExamples(Vec<VecDeque<LinkExample>>);

impl LinkExamples {
    /// No examples, for the levels `1..=levels`.
    pub fn new(levels: u8) -> LinkExamples {
        LinkExamples(vec![VecDeque::new(); usize::from(levels)])
    }

    /// Adds an example. Known links and unknown levels are ignored.
    pub fn add(&mut self, level: u8, example: LinkExample) {
        let Some(known) = self.0.get_mut(usize::from(level).wrapping_sub(1)) else { return };
        if known.iter().any(|other| other.link == example.link) {
            return;
        }
        known.push_back(example);
        if known.len() > MAX_EXAMPLES {
            known.pop_front();
        }
    }

    /// Examples of a level; the first level is 1.
    pub fn of(&self, level: u8) -> impl Iterator<Item = &LinkExample> {
        self.0.get(usize::from(level).wrapping_sub(1)).into_iter().flatten()
    }
}

/// Method that selects the stems of a level and feature space as features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FeatureSelection {
    /// This number of the most frequent stems (ACHE paper, algorithm 2).
    MostFrequent(usize),
    /// Stems that at least this share of the examples contains (FFC paper, section 3.1: "a fixed threshold").
    MinShare(f32),
}

impl FeatureSelection {
    /// Selected stems of every level and space that has any.
    pub fn select(self, levels: &[Vec<&LinkExample>]) -> Vec<SelectedFeatures> {
        let mut all = Vec::new();
        for (level, examples) in (1..).zip(levels) {
            for (nth, part) in SPACES.into_iter().enumerate() {
                let documents: Vec<Vec<String>> =
                    examples.iter().map(|example| example.stems(nth).to_vec()).collect();
                let terms = match self {
                    FeatureSelection::MostFrequent(k) => select_stems(part, &documents, k.min(MAX_FEATURES)),
                    FeatureSelection::MinShare(share) => {
                        let terms = select_stems(part, &documents, MAX_FEATURES);
                        retain_frequent(terms, share, examples.len())
                    }
                };
                if !terms.is_empty() {
                    all.push(SelectedFeatures { space: part.name().into(), level: Some(level), terms });
                }
            }
        }
        all
    }
}

fn retain_frequent(mut terms: Vec<(String, u32)>, share: f32, examples: usize) -> Vec<(String, u32)> {
    terms.retain(|(_, count)| *count >= MIN_EXAMPLES && *count as f32 >= share * examples as f32);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(n: usize) -> LinkExample {
        let url = Url::parse(&format!("http://a.org/books/{n}")).unwrap();
        LinkExample::of(
            &url,
            &LinkContext { anchor: "Search the catalogue".into(), ..LinkContext::default() },
        )
    }

    #[test]
    fn an_example_holds_the_stems_of_its_link() {
        assert_eq!(example(1).stems(0), ["book"]);
        assert_eq!(example(1).stems(1), ["search", "catalogu"]);
        assert!(example(1).stems(2).is_empty());
    }

    #[test]
    fn each_level_keeps_its_newest_links_once() {
        let mut examples = LinkExamples::new(2);
        (0..MAX_EXAMPLES + 5).for_each(|n| examples.add(2, example(n)));
        examples.add(2, example(MAX_EXAMPLES));
        assert_eq!(examples.of(2).count(), MAX_EXAMPLES);
        assert_eq!(examples.of(2).next(), Some(&example(5)));
    }

    #[test]
    fn unknown_levels_are_ignored() {
        let mut examples = LinkExamples::new(1);
        examples.add(0, example(0));
        examples.add(2, example(0));
        assert_eq!([0, 1, 2].map(|level| examples.of(level).count()), [0, 0, 0]);
    }

    fn anchors(texts: &[&str]) -> Vec<LinkExample> {
        let url = Url::parse("http://a.org/").unwrap();
        let context = |text: &&str| LinkContext { anchor: text.to_string(), ..LinkContext::default() };
        texts.iter().map(|text| LinkExample::of(&url, &context(text))).collect()
    }

    fn selected(selection: FeatureSelection, texts: &[&str]) -> Vec<String> {
        let examples = anchors(texts);
        let levels = [Vec::new(), examples.iter().collect()];
        let all = selection.select(&levels);
        assert!(all.iter().all(|one| one.space == "anchor" && one.level == Some(2)));
        all.into_iter().flat_map(|one| one.terms).map(|(stem, _)| stem).collect()
    }

    #[test]
    fn most_frequent_selects_k_stems() {
        let texts = ["job search", "job search", "job career"];
        assert_eq!(selected(FeatureSelection::MostFrequent(2), &texts), ["job", "search"]);
    }

    #[test]
    fn min_share_selects_stems_that_enough_examples_contain() {
        let texts = ["job search", "job search", "job career", "job", "job", "job"];
        assert_eq!(selected(FeatureSelection::MinShare(0.3), &texts), ["job", "search"]);
        assert_eq!(
            selected(FeatureSelection::MinShare(0.01), &texts),
            ["job", "search"],
            "one example is not enough"
        );
    }
}
