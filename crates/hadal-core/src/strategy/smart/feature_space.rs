//! Feature spaces FSS and FSL (SmartCrawler paper, section 4.1) and similarity to them (section 4.3).
//!
//! FSS describes links to home pages of deep sites by URL, anchor and text around. FSL describes links to
//! pages with forms by path, anchor and text around. Each of the three contexts selects the stems that most
//! examples contain. Its vector `V` has the weights `1 + ln tf`, where `tf` is the number of examples with
//! the stem (equation 3). The vector `L` of a link has a 1 for each selected stem that the link contains.
//! Other stems have no dimension, so they do not make a link less similar.
//!
//! ```text
//! similarity(link) = sum over the three contexts of  V·L / (|V| |L|)      (equations 4, 5 and 8)
//! ```

use crate::page::LinkContext;
use crate::strategy::SelectedFeatures;
use crate::strategy::features::{LinkPart, StemMatcher, is_inner_stem, stems_of};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// Stems selected per context. The paper leaves `k` open; its tables list between five and twenty. Guess.
const SELECTED_STEMS: usize = 10;
/// Maximum number of stems counted per context; the rarest are removed first. Guess; bounds memory.
const MAX_STEMS: usize = 1_000;

/// Stems of the examples in three contexts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FeatureSpace {
    examples: u32,
    contexts: Vec<FeatureContext>,
}

/// Stems of the examples in one context.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FeatureContext {
    part: LinkPart,
    counts: BTreeMap<String, u32>,
    selected: Vec<(String, u32)>,
    #[serde(skip)]
    vector: Option<FeatureVector>,
}

/// Selected stems with their weights.
#[derive(Clone, Debug)]
struct FeatureVector {
    matcher: StemMatcher,
    weights: Vec<f32>,
    length: f32,
}

impl FeatureSpace {
    /// A space without examples.
    pub fn new(parts: [LinkPart; 3]) -> FeatureSpace {
        let empty =
            |part| FeatureContext { part, counts: BTreeMap::new(), selected: Vec::new(), vector: None };
        FeatureSpace { examples: 0, contexts: parts.map(empty).into() }
    }

    /// Number of examples.
    pub fn examples(&self) -> u32 {
        self.examples
    }

    /// Adds an example.
    pub fn add(&mut self, url: &Url, link_context: &LinkContext) {
        self.examples += 1;
        for context in &mut self.contexts {
            for stem in stems_of(context.part, url, link_context).into_iter().collect::<BTreeSet<_>>() {
                *context.counts.entry(stem).or_default() += 1;
            }
            context.remove_rarest();
        }
    }

    /// Selects stems again; returns true if the selection changed.
    pub fn select(&mut self) -> bool {
        let mut changed = false;
        for context in &mut self.contexts {
            let selected = context.most_frequent();
            changed |=
                !selected.iter().map(|(stem, _)| stem).eq(context.selected.iter().map(|(stem, _)| stem));
            context.selected = selected;
        }
        self.rebuild_vectors();
        changed
    }

    /// Rebuilds the vectors, which are not saved.
    pub fn rebuild_vectors(&mut self) {
        for context in &mut self.contexts {
            context.vector = FeatureVector::new(context.part, &context.selected);
        }
    }

    /// Similarity of a link; 0 before the first selection.
    pub fn similarity(&self, url: &Url, context: &LinkContext) -> f32 {
        let vectors = self.contexts.iter().filter_map(|context| context.vector.as_ref());
        vectors.map(|vector| vector.cosine(vector.matcher.find(url, context))).sum()
    }

    /// Selected stems, for a lesson.
    pub fn selected(&self) -> Vec<SelectedFeatures> {
        let shown = |context: &FeatureContext| SelectedFeatures {
            space: context.part.name().into(),
            level: None,
            terms: context.selected.clone(),
        };
        self.contexts.iter().map(shown).collect()
    }
}

impl FeatureContext {
    /// The stems that most examples contain. In a URL a frequent stem also gets the counts of longer stems that contain
    /// it, because the paper splits URLs by frequent terms.
    fn most_frequent(&self) -> Vec<(String, u32)> {
        let mut top: Vec<(&String, u32)> = self.counts.iter().map(|(stem, n)| (stem, *n)).collect();
        top.sort_unstable_by_key(|(stem, n)| (Reverse(*n), *stem));
        top.truncate(SELECTED_STEMS);
        if self.part == LinkPart::Url {
            for (stem, count) in &mut top {
                let longer = self.counts.iter().filter(|(longer, _)| is_inner_stem(stem, longer));
                *count += longer.map(|(_, n)| n).sum::<u32>();
            }
            top.sort_unstable_by_key(|(stem, n)| (Reverse(*n), *stem));
        }
        top.into_iter().map(|(stem, n)| (stem.clone(), n)).collect()
    }

    fn remove_rarest(&mut self) {
        let mut rare = 1;
        while self.counts.len() > MAX_STEMS {
            self.counts.retain(|_, n| *n > rare);
            rare += 1;
        }
    }
}

impl FeatureVector {
    /// The vector `V` of selected stems; `None` without any.
    fn new(part: LinkPart, selected: &[(String, u32)]) -> Option<FeatureVector> {
        let matcher = StemMatcher::new(part, selected.iter().map(|(stem, _)| stem.as_str()));
        let weights: Vec<f32> = selected.iter().map(|(_, n)| 1.0 + (*n as f32).ln()).collect();
        let length = weights.iter().map(|weight| weight * weight).sum::<f32>().sqrt();
        (length > 0.0).then_some(FeatureVector { matcher, weights, length })
    }

    /// Cosine with the vector `L` of a link; bit n of `found` is set if the link contains the nth stem.
    fn cosine(&self, found: u64) -> f32 {
        if found == 0 {
            return 0.0;
        }
        let has = |n: &usize| found >> n & 1 == 1;
        let product: f32 = (0..self.weights.len()).filter(has).map(|n| self.weights[n]).sum();
        product / (self.length * (found.count_ones() as f32).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn anchor(text: &str) -> LinkContext {
        LinkContext { anchor: text.into(), ..LinkContext::default() }
    }

    fn sites(names: &[&str]) -> FeatureSpace {
        let mut space = FeatureSpace::new([LinkPart::Url, LinkPart::Anchor, LinkPart::Around]);
        names.iter().for_each(|name| space.add(&url(&format!("http://{name}/")), &anchor("books")));
        space.select();
        space
    }

    #[test]
    fn similarity_is_the_sum_of_three_cosines() {
        let mut space = FeatureSpace::new([LinkPart::Path, LinkPart::Anchor, LinkPart::Around]);
        let example = |words| (url("http://a.org/catalogue/"), anchor(words));
        for words in ["search", "search", "search", "books"] {
            let (url, context) = example(words);
            space.add(&url, &context);
        }
        assert_eq!(
            space.similarity(&url("http://a.org/catalogue/"), &anchor("search")),
            0.0,
            "not selected yet"
        );
        assert!(space.select());
        let (search, book) = (1.0 + 3f32.ln(), 1.0);
        let expected = 1.0 + search / f32::hypot(search, book);
        let got = space.similarity(&url("http://b.org/catalogue/new"), &anchor("Search"));
        assert!((got - expected).abs() < 1e-6, "{got}");
        assert_eq!(space.similarity(&url("http://b.org/"), &anchor("contact")), 0.0);
    }

    #[test]
    fn a_frequent_stem_counts_inside_host_names() {
        let space = sites(&["book.com", "book.org", "abebooks.com", "bookfinder.com", "cars.com"]);
        assert_eq!(space.selected()[0].terms[0], ("book".into(), 4));
        let of = |name: &str| space.similarity(&url(name), &LinkContext::default());
        assert!(of("http://www.textbooks.co.uk/") > of("http://www.cars.co.uk/"));
    }

    #[test]
    fn the_same_selection_is_no_change() {
        let mut space = sites(&["book.com"]);
        space.add(&url("http://book.net/"), &anchor("books"));
        assert!(!space.select());
        space.add(&url("http://library.net/"), &anchor("catalogue"));
        assert!(space.select());
    }

    #[test]
    fn the_number_of_counted_stems_is_bounded() {
        let mut space = FeatureSpace::new([LinkPart::Url, LinkPart::Anchor, LinkPart::Around]);
        for n in 0..3_000 {
            let letters: String = format!("{n:04}").bytes().map(|digit| char::from(digit + 49)).collect();
            space.add(&url(&format!("http://{letters}.org/")), &anchor("book"));
        }
        assert!(space.contexts[0].counts.len() <= MAX_STEMS);
        assert_eq!(space.contexts[1].counts["book"], 3_000);
    }
}
