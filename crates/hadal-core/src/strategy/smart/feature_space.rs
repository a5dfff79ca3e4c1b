//! A feature space (SmartCrawler paper, sections 4.1 and 4.3): the stems that examples have most often, by
//! where they stand, and how similar a link is to them.
//!
//! Sites have one of address, anchor and words around (FSS), links within a site one of path, anchor and
//! words around (FSL). Only selected stems are dimensions: a word that no example has does not make a
//! link less similar.

use crate::page::LinkContext;
use crate::strategy::SelectedFeatures;
use crate::strategy::features::{Matcher, Space, terms_of};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// Stems selected in one place. The paper leaves k open; its tables list between five and twenty.
const SELECTED: usize = 10;
/// Stems counted in one place; the rarest go first.
const COUNTED: usize = 1_000;
/// Shorter stems are inside of too many words to mean anything there.
const SHORTEST_PART: usize = 3;

/// What examples say in three places.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FeatureSpace {
    examples: u32,
    places: Vec<Features>,
}

/// What examples say in one place.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Features {
    space: Space,
    counts: BTreeMap<String, u32>,
    selected: Vec<(String, u32)>,
    #[serde(skip)]
    vector: Option<Vector>,
}

/// The selected stems as a vector, ready to be compared with links.
#[derive(Clone, Debug)]
struct Vector {
    matcher: Matcher,
    weights: Vec<f32>,
    length: f32,
}

impl FeatureSpace {
    /// A space that knows nothing.
    pub fn of(spaces: [Space; 3]) -> FeatureSpace {
        let nothing = |space| Features { space, counts: BTreeMap::new(), selected: Vec::new(), vector: None };
        FeatureSpace { examples: 0, places: spaces.map(nothing).into() }
    }

    /// How many examples it has seen.
    pub fn examples(&self) -> u32 {
        self.examples
    }

    /// Takes in an example.
    pub fn observe(&mut self, url: &Url, context: &LinkContext) {
        self.examples += 1;
        for place in &mut self.places {
            for stem in terms_of(place.space, url, context).into_iter().collect::<BTreeSet<_>>() {
                *place.counts.entry(stem).or_default() += 1;
            }
            place.forget_rare();
        }
    }

    /// Selects anew; whether other stems were selected than before.
    pub fn select(&mut self) -> bool {
        let mut changed = false;
        for place in &mut self.places {
            let selected = place.most_frequent();
            changed |= !selected.iter().map(|(stem, _)| stem).eq(place.selected.iter().map(|(stem, _)| stem));
            place.selected = selected;
        }
        self.ready();
        changed
    }

    /// Makes the vectors of what is selected. Follows from what is saved.
    pub fn ready(&mut self) {
        for place in &mut self.places {
            place.vector = Vector::of(place.space, &place.selected);
        }
    }

    /// How similar a link is: cosines, summed over the places. 0 as long as nothing is selected.
    pub fn similarity(&self, url: &Url, context: &LinkContext) -> f32 {
        let vectors = self.places.iter().filter_map(|place| place.vector.as_ref());
        vectors.map(|vector| vector.cosine(vector.matcher.find(url, context))).sum()
    }

    /// What is selected, to be shown.
    pub fn selected(&self) -> Vec<SelectedFeatures> {
        let shown = |place: &Features| SelectedFeatures {
            space: place.space.name().into(),
            level: None,
            terms: place.selected.clone(),
        };
        self.places.iter().map(shown).collect()
    }
}

impl Features {
    /// The stems that most examples have. In a host name words are written together: there a frequent
    /// stem is also counted where it is part of a longer one, as if the name were split by it.
    fn most_frequent(&self) -> Vec<(String, u32)> {
        let mut top: Vec<(&String, u32)> = self.counts.iter().map(|(stem, n)| (stem, *n)).collect();
        top.sort_unstable_by_key(|(stem, n)| (Reverse(*n), *stem));
        top.truncate(SELECTED);
        if self.space == Space::Url {
            for (stem, count) in &mut top {
                let inside = self.counts.iter().filter(|(longer, _)| is_part(stem, longer));
                *count += inside.map(|(_, n)| n).sum::<u32>();
            }
            top.sort_unstable_by_key(|(stem, n)| (Reverse(*n), *stem));
        }
        top.into_iter().map(|(stem, n)| (stem.clone(), n)).collect()
    }

    fn forget_rare(&mut self) {
        let mut rare = 1;
        while self.counts.len() > COUNTED {
            self.counts.retain(|_, n| *n > rare);
            rare += 1;
        }
    }
}

fn is_part(stem: &str, longer: &str) -> bool {
    stem.len() >= SHORTEST_PART && stem != longer && longer.contains(stem)
}

impl Vector {
    /// Weights 1 + ln(tf) (equation 3).
    fn of(space: Space, selected: &[(String, u32)]) -> Option<Vector> {
        let matcher = Matcher::new(space, selected.iter().map(|(stem, _)| stem.as_str()));
        let weights: Vec<f32> = selected.iter().map(|(_, n)| 1.0 + (*n as f32).ln()).collect();
        let length = weights.iter().map(|weight| weight * weight).sum::<f32>().sqrt();
        (length > 0.0).then_some(Vector { matcher, weights, length })
    }

    /// The cosine with a link that has the stems whose bits are set, once each (equation 5).
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
        let mut space = FeatureSpace::of([Space::Url, Space::Anchor, Space::Around]);
        names.iter().for_each(|name| space.observe(&url(&format!("http://{name}/")), &anchor("books")));
        space.select();
        space
    }

    #[test]
    fn similarity_sums_the_cosines_of_the_places() {
        let mut space = FeatureSpace::of([Space::Path, Space::Anchor, Space::Around]);
        let example = |words| (url("http://a.org/catalogue/"), anchor(words));
        for words in ["search", "search", "search", "books"] {
            let (url, context) = example(words);
            space.observe(&url, &context);
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
    fn a_frequent_word_counts_inside_of_host_names() {
        let space = sites(&["book.com", "book.org", "abebooks.com", "bookfinder.com", "cars.com"]);
        assert_eq!(space.selected()[0].terms[0], ("book".into(), 4));
        let of = |name: &str| space.similarity(&url(name), &LinkContext::default());
        assert!(of("http://www.textbooks.co.uk/") > of("http://www.cars.co.uk/"));
    }

    #[test]
    fn the_same_selection_is_no_change() {
        let mut space = sites(&["book.com"]);
        space.observe(&url("http://book.net/"), &anchor("books"));
        assert!(!space.select());
        space.observe(&url("http://library.net/"), &anchor("catalogue"));
        assert!(space.select());
    }

    #[test]
    fn what_is_counted_is_bounded() {
        let mut space = FeatureSpace::of([Space::Url, Space::Anchor, Space::Around]);
        for n in 0..3_000 {
            let letters: String = format!("{n:04}").bytes().map(|digit| char::from(digit + 49)).collect();
            space.observe(&url(&format!("http://{letters}.org/")), &anchor("book"));
        }
        assert!(space.places[0].counts.len() <= COUNTED);
        assert_eq!(space.places[1].counts["book"], 3_000);
    }
}
