//! Groups of similar search forms as possible topics, like the clusters of the ACHE paper (section 6).

use super::learn::names;
use super::sample::Sample;
use crate::topic::file::checked_name;
use hadal_core::critic::topic_features::{TopicFeatures, concept_feature_name};
use hadal_core::learn::cluster::{Clusters, best, k_means, silhouette};
use hadal_core::learn::sparse::SparseRow;
use hadal_core::learn::vocabulary::Vocabulary;
use std::collections::HashMap;

/// A group of forms that could become a topic.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Words that distinguish the group, strongest first.
    pub words: Vec<String>,
    /// Indices of its forms, most typical first.
    pub members: Vec<usize>,
}

/// Result of grouping.
pub struct Proposals {
    /// Groups, largest first.
    pub groups: Vec<Proposal>,
    /// Mean silhouette; 1 is the best separation.
    pub silhouette: f64,
}

/// Maximum number of forms grouped; more hardly change the groups. Guess.
pub const MAX_FORMS: usize = 2000;
/// Maximum number of groups that are tried. Guess.
const MAX_GROUPS: usize = 16;
/// Number of words shown per group. Guess.
const WORDS_SHOWN: usize = 10;

/// Groups forms into `k` groups, or into the number with the best silhouette.
pub fn propose(samples: &[Sample], k: Option<usize>, seed: u64) -> Proposals {
    let said: Vec<TopicFeatures> = samples.iter().map(Sample::form_row).collect();
    let vocabulary = Vocabulary::of(said.iter().map(Vec::as_slice), 2);
    let rows = weighed(&said, &vocabulary);
    let (clusters, silhouette) = match k {
        Some(k) => {
            let clusters = k_means(&rows, k, seed);
            let silhouette = silhouette(&rows, &clusters);
            (clusters, silhouette)
        }
        None => best(&rows, MAX_GROUPS.min(samples.len() / 2), seed),
    };
    let names = names(samples, "");
    let hashes = vocabulary.hashes();
    let name = |number: u32| {
        let hash = *hashes.get(number as usize)?;
        concept_feature_name(hash).or_else(|| names.get(&hash).cloned())
    };
    let mut groups: Vec<Proposal> =
        (0..clusters.count).map(|at| group(at, &clusters, &rows, &name)).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.members.len()));
    Proposals { groups, silhouette }
}

/// Feature rows with inverse document frequency weights.
fn weighed(said: &[TopicFeatures], vocabulary: &Vocabulary) -> Vec<SparseRow> {
    let rows: Vec<SparseRow> = said.iter().map(|words| vocabulary.counts(words)).collect();
    let mut having: HashMap<u32, u32> = HashMap::new();
    rows.iter().flat_map(SparseRow::items).for_each(|(number, _)| *having.entry(*number).or_default() += 1);
    let rarity = |number: &u32| (rows.len() as f32 / having[number] as f32).ln();
    let weigh = |row: &SparseRow| {
        let items = row.items().iter().map(|(number, value)| (*number, value * rarity(number)));
        SparseRow::new(items.collect()).normalised()
    };
    rows.iter().map(weigh).collect()
}

fn group(
    at: usize,
    clusters: &Clusters,
    rows: &[SparseRow],
    name: &dyn Fn(u32) -> Option<String>,
) -> Proposal {
    let mut members: Vec<usize> = clusters.members(at).collect();
    let (own, all) = (mean(rows, &members), mean(rows, &(0..rows.len()).collect::<Vec<_>>()));
    let more = |(number, mean): (&u32, &f32)| (*number, mean - all.get(number).unwrap_or(&0.0));
    let mut strongest_words: Vec<(u32, f32)> = own.iter().map(more).filter(|(_, more)| *more > 0.0).collect();
    strongest_words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let likeness = |row: usize| -> f32 {
        rows[row].items().iter().map(|(number, value)| value * own.get(number).unwrap_or(&0.0)).sum()
    };
    members.sort_by(|a, b| likeness(*b).total_cmp(&likeness(*a)).then(a.cmp(b)));
    let mut words: Vec<String> = strongest_words.into_iter().filter_map(|(number, _)| name(number)).collect();
    // Positions of a concept add nothing here.
    words.retain(|word| !word.starts_with('[') || word.ends_with(']'));
    words.truncate(WORDS_SHOWN);
    Proposal { words, members }
}

fn mean(rows: &[SparseRow], of: &[usize]) -> HashMap<u32, f32> {
    let mut mean: HashMap<u32, f32> = HashMap::new();
    for (number, value) in of.iter().flat_map(|row| rows[*row].items()) {
        *mean.entry(*number).or_default() += value / of.len() as f32;
    }
    mean
}

impl Proposal {
    /// Free name made of the group's strongest words.
    pub fn name(&self, taken: &dyn Fn(&str) -> bool) -> String {
        let plain = self.words.iter().filter(|word| checked_name(word).is_ok());
        let mut name = plain.take(2).map(String::as_str).collect::<Vec<_>>().join("-");
        if checked_name(&name).is_err() {
            name = "topic".to_string();
        }
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name));
        free.unwrap_or(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::html::parse;
    use url::Url;

    fn sample(n: usize, html: &str) -> Sample {
        let url = Url::parse(&format!("http://site{n}.example/")).unwrap();
        Sample::of("x", parse(html.as_bytes(), Some("text/html"), &url), None).unwrap()
    }

    #[test]
    fn forms_about_the_same_thing_are_proposed_together() {
        let recipes =
            ["Recipe ingredient", "Cuisine recipe", "Ingredient, cuisine", "Recipe, ingredient and diet"];
        let flights = ["Flight from", "Airline flight", "Airport from, airport to", "Flight airport cabin"];
        let samples: Vec<Sample> = recipes
            .iter()
            .chain(&flights)
            .enumerate()
            .map(|(n, text)| {
                let about = if n < 4 { "recipes and cooking" } else { "flights and airports" };
                let html = format!(
                    "<title>{about}</title><form action=/find>{text} <input name=q><button>Search</button></form>"
                );
                sample(n, &html)
            })
            .collect();
        let found = propose(&samples, None, 1);
        let mut groups: Vec<Vec<usize>> = found.groups.iter().map(|group| group.members.clone()).collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort();
        assert_eq!(groups, [vec![0, 1, 2, 3], vec![4, 5, 6, 7]], "{:?}", found.groups);
        assert!(found.silhouette > 0.0);
        assert_eq!(propose(&samples, Some(3), 1).groups.len(), 3);
    }

    #[test]
    fn names_are_made_of_words_and_free() {
        let words = ["[book]", "Author", "author", "isbn", "x y"].map(String::from).to_vec();
        let proposal = Proposal { words, members: vec![] };
        assert_eq!(proposal.name(&|_| false), "author-isbn");
        assert_eq!(proposal.name(&|name| name == "author-isbn"), "author-isbn-2");
        assert_eq!(Proposal { words: vec![], members: vec![] }.name(&|_| false), "topic");
    }

    #[test]
    fn nothing_to_group_is_no_group() {
        assert!(propose(&[], None, 1).groups.is_empty());
    }
}
