//! Which stems of the examples become features, for each level and space on its own.

use super::super::SelectedFeatures;
use super::super::features::select;
use super::example::{Example, SPACES};

/// Stems of one space and level at most; four levels fit the bits of a matcher.
const MOST: usize = 16;
/// Fewer examples than this are chance, however few there are in all.
const FEWEST: u32 = 2;

/// A way to select features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// So many of the most frequent (ACHE paper, algorithm 2).
    MostFrequent(usize),
    /// Those that at least this share of the examples has (FFC paper: a fixed threshold).
    Threshold(f32),
}

impl Selection {
    /// The stems of every level and space, where there are any.
    pub fn of_all(self, levels: &[Vec<&Example>]) -> Vec<SelectedFeatures> {
        let mut all = Vec::new();
        for (level, examples) in (1..).zip(levels) {
            for (nth, space) in SPACES.into_iter().enumerate() {
                let documents: Vec<Vec<String>> =
                    examples.iter().map(|one| one.terms(nth).to_vec()).collect();
                let terms = match self {
                    Selection::MostFrequent(k) => select(space, &documents, k.min(MOST)),
                    Selection::Threshold(share) => {
                        frequent(select(space, &documents, MOST), share, examples.len())
                    }
                };
                if !terms.is_empty() {
                    all.push(SelectedFeatures { space: space.name().into(), level: Some(level), terms });
                }
            }
        }
        all
    }
}

fn frequent(mut terms: Vec<(String, u32)>, share: f32, examples: usize) -> Vec<(String, u32)> {
    terms.retain(|(_, having)| *having >= FEWEST && *having as f32 >= share * examples as f32);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::LinkContext;
    use url::Url;

    fn anchors(texts: &[&str]) -> Vec<Example> {
        let url = Url::parse("http://a.org/").unwrap();
        let context = |text: &&str| LinkContext { anchor: text.to_string(), ..LinkContext::default() };
        texts.iter().map(|text| Example::of(&url, &context(text))).collect()
    }

    fn selected(selection: Selection, texts: &[&str]) -> Vec<String> {
        let examples = anchors(texts);
        let levels = [Vec::new(), examples.iter().collect()];
        let all = selection.of_all(&levels);
        assert!(all.iter().all(|one| one.space == "anchor" && one.level == Some(2)));
        all.into_iter().flat_map(|one| one.terms).map(|(stem, _)| stem).collect()
    }

    #[test]
    fn the_most_frequent_are_so_many_and_no_more() {
        let texts = ["job search", "job search", "job career"];
        assert_eq!(selected(Selection::MostFrequent(2), &texts), ["job", "search"]);
    }

    #[test]
    fn a_threshold_selects_what_a_share_of_the_examples_has() {
        let texts = ["job search", "job search", "job career", "job", "job", "job"];
        assert_eq!(selected(Selection::Threshold(0.3), &texts), ["job", "search"]);
        assert_eq!(selected(Selection::Threshold(0.01), &texts), ["job", "search"], "one example is chance");
    }
}
