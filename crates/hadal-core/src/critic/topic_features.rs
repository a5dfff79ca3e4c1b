//! Features for the topic of a form or page: hashed stems and concepts with weights.
//!
//! Text comes from four places: the form, its heading, the page title and the page text. For a stem or
//! concept `t` that occurs `n(t, p)` times in place `p`, the weight is
//!
//! `x(t) = sum over p of w(p) * (1 + ln n(t, p)) / L(p)`
//!
//! where `w(p)` is the weight of the place and `L(p)` is the Euclidean length of all
//! `1 + ln n(t, p)` of that place. The division keeps a long page from outweighing a short form. A stem has the
//! same feature in all places, so that pages can train the form classifier. A concept has one feature for all
//! places and one per [`TextPlace`].

use crate::page::{FieldKind, Form, Page};
use crate::text::concepts::{CONCEPTS, Concept};
use crate::text::terms::{Token, each_token, each_token_while};
use crate::text::words::each_part;
use rustc_hash::FxHashMap;

/// Maximum number of fields that are read. Guess, as are the next two.
const MAX_FIELDS: usize = 64;
/// Maximum number of options read of a field.
const MAX_OPTIONS: usize = 40;
/// Maximum number of words read of one text.
const MAX_WORDS: usize = 400;
/// Maximum number of words of the page text that are read. Pages of the training data have fewer. Guess.
const MAX_PAGE_WORDS: usize = 4_000;

/// Weight of the text of a form. The other weights are relative to it.
const FORM_WEIGHT: f32 = 1.0;
/// Weights of heading and page title beside a form. Recall / precision of relevant forms on sites that were
/// not trained on: 0.82 / 0.88 with both together at 0.6, 0.84 / 0.91 with these, 0.84 / 0.90 with 0.6 each,
/// mean of two divisions into ten folds, measured outside the project.
const HEADING_WEIGHT: f32 = 0.8;
const TITLE_BESIDE_FORM_WEIGHT: f32 = 0.3;
/// Weights of title and text of a page. Guesses; 0.3 and 1.0 for the text gave no better recall and precision.
const TITLE_WEIGHT: f32 = 0.6;
const PAGE_WEIGHT: f32 = 0.6;

/// Place of a concept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextPlace {
    /// Text of the form.
    Form,
    /// Heading of the form or title of the page.
    Heading,
    /// Text of the page.
    Page,
}

/// Feature hashes with weights, each hash once, in rising order.
pub type TopicFeatures = Vec<(u32, f32)>;

/// Features of a form. Uses heading, title and page text if the features of the page text are given, else only the
/// text of the form.
pub fn form_topic_features(form: &Form, page: &Page, page_text: Option<&[(u32, f32)]>) -> TopicFeatures {
    let mut items = form_text_features(form, page);
    if let Some(page_text) = page_text {
        items.extend(heading_features(HEADING_WEIGHT, &form.heading, page));
        items.extend(heading_features(TITLE_BESIDE_FORM_WEIGHT, &page.title, page));
        items.extend(page_text);
    }
    merged(items)
}

/// Stems of the text of a form, without concepts: the features of the papers.
pub fn form_stem_features(form: &Form, page: &Page) -> TopicFeatures {
    form_text_features(form, page).into_iter().filter(|(hash, _)| *hash >= FIRST_STEM).collect()
}

/// Features of the page text. Computed once for a page and all of its forms.
pub fn page_text_features(page: &Page) -> TopicFeatures {
    place_features(TextPlace::Page, PAGE_WEIGHT, |visit| each_page_token(page, visit))
}

/// Features of a page: text and title.
pub fn page_topic_features(page: &Page, page_text: &[(u32, f32)]) -> TopicFeatures {
    let mut items = heading_features(TITLE_WEIGHT, &page.title, page);
    items.extend(page_text);
    merged(items)
}

/// Number of occurrences of each stem in title and text of a page.
pub fn page_stem_counts(page: &Page) -> TopicFeatures {
    let mut counts: FxHashMap<u32, f32> = FxHashMap::default();
    let mut count = |_: &str, token: Token| {
        if token.term != 0 {
            *counts.entry(stem_feature(token.term)).or_default() += 1.0;
        }
    };
    each_token(&page.title, page.language.as_deref(), &mut count);
    each_page_token(page, &mut count);
    let mut counts: TopicFeatures = counts.into_iter().collect();
    counts.sort_unstable_by_key(|(hash, _)| *hash);
    counts
}

/// Features of English words, as if they were the text of a form.
pub fn text_topic_features(words: &str) -> TopicFeatures {
    text_features_in(words, "en")
}

/// Features of a text in a language, as if it were the text of a form.
pub(super) fn text_features_in(text: &str, language: &str) -> TopicFeatures {
    place_features(TextPlace::Form, FORM_WEIGHT, |visit| each_token(text, Some(language), visit))
}

fn form_text_features(form: &Form, page: &Page) -> TopicFeatures {
    place_features(TextPlace::Form, FORM_WEIGHT, |visit| each_form_token(form, page, visit))
}

/// Features of a heading or title.
fn heading_features(weight: f32, text: &str, page: &Page) -> TopicFeatures {
    place_features(TextPlace::Heading, weight, |visit| each_token(text, page.language.as_deref(), visit))
}

/// Calls `visit` with the feature and the word of every stem in a form and its page.
pub fn each_named_feature(form: Option<&Form>, page: &Page, visit: &mut dyn FnMut(u32, &str)) {
    let mut name = |word: &str, token: Token| {
        if token.term != 0 {
            visit(stem_feature(token.term), word);
        }
    };
    if let Some(form) = form {
        each_form_token(form, page, &mut name);
        each_token(&form.heading, page.language.as_deref(), &mut name);
    }
    each_token(&page.title, page.language.as_deref(), &mut name);
    each_page_token(page, &mut name);
}

/// Sorts features and adds up the weights of equal ones.
fn merged(mut items: TopicFeatures) -> TopicFeatures {
    // The input is a concatenation of up to four sorted lists, which this sort merges quickly.
    items.sort_by_key(|(hash, _)| *hash);
    items.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0.0 };
        same
    });
    items
}

/// Calls `visit` with every word of the labels, names, options, action and text of a form.
pub fn each_form_token(form: &Form, page: &Page, visit: &mut dyn FnMut(&str, Token)) {
    let language = page.language.as_deref();
    let mut left = MAX_WORDS;
    let mut read = |text: &str, most: usize| {
        let mut most = most.min(left);
        if most == 0 {
            return;
        }
        each_token_while(text, language, |word, token| {
            (most, left) = (most - 1, left - 1);
            visit(word, token);
            most > 0
        });
    };
    for field in form.fields.iter().take(MAX_FIELDS).filter(|field| field.kind != FieldKind::Hidden) {
        read(&field.label, 20);
        read(&field.placeholder, 12);
        read(&split_name(&field.name), 6);
        read(&split_name(&field.id), 6);
        if matches!(field.kind, FieldKind::Text | FieldKind::Search | FieldKind::Submit | FieldKind::Button) {
            read(&field.value, 6);
        }
        for choice in field.options.iter().take(MAX_OPTIONS) {
            read(&choice.text, 4);
        }
    }
    read(&split_name(&form.attributes), 20);
    if form.names_action {
        read(&split_name(form.action.path()), 12);
    }
    read(&form.text, 200);
}

/// Splits an identifier into words: `departCity` becomes `depart City `.
fn split_name(name: &str) -> String {
    let mut words = String::new();
    each_part(name, |part| words.extend([part, " "]));
    words
}

fn each_page_token(page: &Page, visit: &mut dyn FnMut(&str, Token)) {
    let mut left = MAX_PAGE_WORDS;
    each_token_while(&page.text, page.language.as_deref(), |word, token| {
        left -= 1;
        visit(word, token);
        left > 0
    });
}

/// Features of one place. Their Euclidean length is the weight.
fn place_features(
    place: TextPlace,
    weight: f32,
    read: impl FnOnce(&mut dyn FnMut(&str, Token)),
) -> TopicFeatures {
    let (mut terms, mut concepts): (Vec<u32>, Vec<Concept>) = (Vec::new(), Vec::new());
    read(&mut |_, token| {
        if token.term != 0 {
            terms.push(stem_feature(token.term));
        }
        if token.concept != 0 {
            concepts.push(token.concept);
        }
    });
    let (terms, concepts) = (sorted(terms), counted(concepts));
    let mut items: TopicFeatures = Vec::with_capacity(terms.len() + 2 * concepts.len());
    for at in [None, Some(place)] {
        items.extend(concepts.iter().map(|(concept, count)| (concept_feature(*concept, at), damped(*count))));
    }
    items.extend(terms.chunk_by(|a, b| a == b).map(|same| (same[0], damped(same.len() as u32))));
    let length = items.iter().map(|(_, value)| value * value).sum::<f32>().sqrt();
    items.iter_mut().for_each(|(_, value)| *value *= weight / length.max(1e-6));
    items
}

/// Concepts with their number of occurrences, in rising order.
fn counted(mut concepts: Vec<Concept>) -> Vec<(Concept, u32)> {
    concepts.sort_unstable();
    concepts.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
}

/// Sorts hashes. Hashes are evenly distributed, so a bucket per prefix and an insertion sort are faster than a general
/// sort when there are many.
fn sorted(mut hashes: Vec<u32>) -> Vec<u32> {
    // Guess.
    const BUCKETS: usize = 1 << 10;
    if hashes.len() < BUCKETS / 4 {
        hashes.sort_unstable();
        return hashes;
    }
    let bucket = |hash: u32| (hash >> (32 - BUCKETS.ilog2())) as usize;
    let mut starts = [0u32; BUCKETS];
    hashes.iter().for_each(|hash| starts[bucket(*hash)] += 1);
    let mut total = 0;
    starts.iter_mut().for_each(|start| total += std::mem::replace(start, total));
    let mut sorted = vec![0; hashes.len()];
    for hash in hashes {
        let place = &mut starts[bucket(hash)];
        sorted[*place as usize] = hash;
        *place += 1;
    }
    for at in 1..sorted.len() {
        let before = sorted[..at].iter().rev().take_while(|other| **other > sorted[at]).count();
        sorted[at - before..=at].rotate_right(1);
    }
    sorted
}

/// Damped number of occurrences.
fn damped(count: u32) -> f32 {
    1.0 + (count as f32).ln()
}

/// Features below this value are concepts, the others are stems.
const FIRST_STEM: u32 = 1024;

/// Feature of a stem hash.
pub fn stem_feature(term: u32) -> u32 {
    term.max(FIRST_STEM)
}

/// Feature of a concept in one place, or in all places together (`None`).
pub fn concept_feature(concept: Concept, place: Option<TextPlace>) -> u32 {
    let shift = match place {
        None => 0,
        Some(TextPlace::Form) => 256,
        Some(TextPlace::Heading) => 512,
        Some(TextPlace::Page) => 768,
    };
    u32::from(concept) + shift
}

/// Readable name of a concept feature. `None` for other features.
pub fn concept_feature_name(index: u32) -> Option<String> {
    let place = ["", " in the form", " in heading or title", " on the page"].get(index as usize / 256)?;
    let name = CONCEPTS.names().get(index as usize % 256)?;
    Some(format!("[{name}]{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hashes_of_any_distribution_are_sorted(mut hashes in prop::collection::vec(prop_oneof![any::<u32>(), 0..9u32], 0..900)) {
            let sorted = sorted(hashes.clone());
            hashes.sort_unstable();
            prop_assert_eq!(sorted, hashes);
        }
    }
}
