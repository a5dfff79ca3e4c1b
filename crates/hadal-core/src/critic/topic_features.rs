//! What a form or a page is about, as numbers for a learner.
//!
//! Three places speak: the form itself, what stands nearest to it (heading and title), and the page's text.
//! Each place's words are weighed among themselves first, so that a long page does not drown a short form.
//! Words share their numbers across places, which lets pages teach about forms; concepts also count for the
//! place they stand in.

use crate::page::{FieldKind, Form, Page};
use crate::text::concepts::{CONCEPTS, Concept};
use crate::text::terms::{Token, each_token, each_token_while};
use crate::text::words::each_part;
use rustc_hash::FxHashMap;

/// Bounds on what is read.
const MOST_FIELDS: usize = 64;
const MOST_OPTIONS: usize = 40;
const MOST_WORDS: usize = 400;
/// More than any page has that the judges were trained on: what follows tells them nothing they know.
const MOST_PAGE_WORDS: usize = 4_000;

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextPlace {
    /// In the form.
    Own,
    /// In its heading or the page's title.
    Near,
    /// In the page's text.
    Page,
}

impl TextPlace {
    fn weight(self) -> f32 {
        match self {
            TextPlace::Own => 1.0,
            TextPlace::Near => 0.6,
            TextPlace::Page => 0.6,
        }
    }
}

/// Words as hashes with weights, each once, in rising order.
pub type TopicFeatures = Vec<(u32, f32)>;

/// What a form is about. With the words of its page, heading and title are read too; without, the form's
/// own text decides.
pub fn form_topic_features(
    form: &Form,
    page: &Page,
    page_text_features: Option<&[(u32, f32)]>,
) -> TopicFeatures {
    let mut items = tally(TextPlace::Own, |tell| each_form_token(form, page, tell));
    if let Some(words) = page_text_features {
        items.extend(tally(TextPlace::Near, |tell| each_near(form, page, tell)));
        items.extend(words);
    }
    merged(items)
}

/// The stems of a form's own text alone, as the papers read it.
pub fn form_stem_features(form: &Form, page: &Page) -> TopicFeatures {
    let own = tally(TextPlace::Own, |tell| each_form_token(form, page, tell));
    own.into_iter().filter(|(hash, _)| *hash >= FIRST_TERM).collect()
}

/// What a page's text says, to be read once for the page and all of its forms.
pub fn page_text_features(page: &Page) -> TopicFeatures {
    tally(TextPlace::Page, |tell| each_on_page(page, tell))
}

/// What a page is about: its text and its title.
pub fn page_topic_features(page: &Page, page_text_features: &[(u32, f32)]) -> TopicFeatures {
    let mut items = tally(TextPlace::Near, |tell| each_token(&page.title, page.language.as_deref(), tell));
    items.extend(page_text_features);
    merged(items)
}

/// How often each stem stands on a page.
pub fn page_stem_counts(page: &Page) -> TopicFeatures {
    let mut counts: FxHashMap<u32, f32> = FxHashMap::default();
    let mut count = |_: &str, token: Token| {
        if token.term != 0 {
            *counts.entry(stem_feature(token.term)).or_default() += 1.0;
        }
    };
    each_token(&page.title, page.language.as_deref(), &mut count);
    each_on_page(page, &mut count);
    let mut counts: TopicFeatures = counts.into_iter().collect();
    counts.sort_unstable_by_key(|(hash, _)| *hash);
    counts
}

/// What words without a page say, as if they stood in a form.
pub fn text_topic_features(words: &str) -> TopicFeatures {
    tally(TextPlace::Own, |tell| each_token(words, Some("en"), tell))
}

/// Tells every word of a form and its page with the number it is known by.
pub fn each_named_feature(form: Option<&Form>, page: &Page, tell: &mut dyn FnMut(u32, &str)) {
    let mut name = |word: &str, token: Token| {
        if token.term != 0 {
            tell(stem_feature(token.term), word);
        }
    };
    if let Some(form) = form {
        each_form_token(form, page, &mut name);
        each_near(form, page, &mut name);
    }
    each_token(&page.title, page.language.as_deref(), &mut name);
    each_on_page(page, &mut name);
}

fn merged(mut items: TopicFeatures) -> TopicFeatures {
    // Two or three runs in rising order, which this sort merges.
    items.sort_by_key(|(hash, _)| *hash);
    items.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0.0 };
        same
    });
    items
}

/// Tells every word that the form's own part is made of.
pub fn each_form_token(form: &Form, page: &Page, tell: &mut dyn FnMut(&str, Token)) {
    let language = page.language.as_deref();
    let mut left = MOST_WORDS;
    let mut read = |text: &str, most: usize| {
        let mut most = most.min(left);
        if most == 0 {
            return;
        }
        each_token_while(text, language, |word, token| {
            (most, left) = (most - 1, left - 1);
            tell(word, token);
            most > 0
        });
    };
    for field in form.fields.iter().take(MOST_FIELDS).filter(|field| field.kind != FieldKind::Hidden) {
        read(&field.label, 20);
        read(&field.placeholder, 12);
        read(&spoken(&field.name), 6);
        read(&spoken(&field.id), 6);
        if matches!(field.kind, FieldKind::Text | FieldKind::Search | FieldKind::Submit | FieldKind::Button) {
            read(&field.value, 6);
        }
        for choice in field.options.iter().take(MOST_OPTIONS) {
            read(&choice.text, 4);
        }
    }
    read(&spoken(&form.attributes), 20);
    read(&form.text, 200);
}

/// A name with its parts apart, as if it were spoken.
fn spoken(name: &str) -> String {
    let mut spoken = String::new();
    each_part(name, |part| spoken.extend([part, " "]));
    spoken
}

fn each_near(form: &Form, page: &Page, tell: &mut dyn FnMut(&str, Token)) {
    let language = page.language.as_deref();
    each_token(&form.heading, language, &mut *tell);
    each_token(&page.title, language, &mut *tell);
}

fn each_on_page(page: &Page, tell: &mut dyn FnMut(&str, Token)) {
    let mut left = MOST_PAGE_WORDS;
    each_token_while(&page.text, page.language.as_deref(), |word, token| {
        left -= 1;
        tell(word, token);
        left > 0
    });
}

/// Counts what a place says; the result has the place's weight as its length.
fn tally(place: TextPlace, read: impl FnOnce(&mut dyn FnMut(&str, Token))) -> TopicFeatures {
    let mut terms: Vec<u32> = Vec::with_capacity(256);
    let mut concepts = [0u32; 256];
    read(&mut |_, token| {
        if token.term != 0 {
            terms.push(stem_feature(token.term));
        }
        concepts[usize::from(token.concept)] += 1;
    });
    let mut items: TopicFeatures = Vec::with_capacity(128);
    for at in [None, Some(place)] {
        let met = (1..=u8::MAX).zip(&concepts[1..]).filter(|(_, count)| **count > 0);
        items.extend(met.map(|(concept, count)| (concept_feature(concept, at), weighed(*count))));
    }
    let terms = sorted(terms);
    items.extend(terms.chunk_by(|a, b| a == b).map(|same| (same[0], weighed(same.len() as u32))));
    let length = items.iter().map(|(_, value)| value * value).sum::<f32>().sqrt();
    items.iter_mut().for_each(|(_, value)| *value *= place.weight() / length.max(1e-6));
    items
}

/// Hashes in rising order. They are spread evenly: when there are many, a bucket for each beginning leaves
/// little to sort.
fn sorted(mut hashes: Vec<u32>) -> Vec<u32> {
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

/// What being said so many times counts.
fn weighed(count: u32) -> f32 {
    1.0 + (count as f32).ln()
}

/// Numbers below are the concepts'.
const FIRST_TERM: u32 = 1024;

/// The number of a stem.
pub fn stem_feature(term: u32) -> u32 {
    term.max(FIRST_TERM)
}

/// The number of a concept, anywhere or in one place.
pub fn concept_feature(concept: Concept, place: Option<TextPlace>) -> u32 {
    let shift = match place {
        None => 0,
        Some(TextPlace::Own) => 256,
        Some(TextPlace::Near) => 512,
        Some(TextPlace::Page) => 768,
    };
    u32::from(concept) + shift
}

/// The name of a concept's number, as people read it.
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
        fn hashes_are_sorted_however_they_are_spread(mut hashes in prop::collection::vec(prop_oneof![any::<u32>(), 0..9u32], 0..900)) {
            let sorted = sorted(hashes.clone());
            hashes.sort_unstable();
            prop_assert_eq!(sorted, hashes);
        }
    }
}
