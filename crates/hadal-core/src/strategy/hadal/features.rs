//! Hashed features of links and sites for the rate model.
//!
//! Features come in groups: URL words, host name, anchor, text around, tag path, facts about the link. The values of a
//! group with `n` features are `1 / sqrt(n)`, so that a link with many words has the same weight as one with few. Words
//! are not stemmed and not translated. A word counts separately by the part of the link that contains it and by
//! [`LinkDirection`].

use crate::learn::rate::HashedFeature;
use crate::link::{FrontierLink, LinkOrigin};
use crate::strategy::SiteCounters;
use crate::text::words::each_word_while;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use url::Url;

/// Maximum number of words read of one part of a link. Guess.
const MAX_WORDS: usize = 24;
/// Length in bytes of the n-grams of a host name. Guess.
const HOST_NGRAM: usize = 5;
/// Innermost elements of a tag path that become features. Guess.
const TAG_PATH_ELEMENTS: usize = 4;

/// Number of features that `add_facts` adds for a link with a parent. [`set_path_features`] relies on their order.
const FACT_FEATURES: usize = 5;

/// Numbers of the kinds of features. They are hash inputs: saved models depend on them. Kinds of words (3 to 7) are
/// multiplied by 4 and get the direction of the link added, as TAG and TAG_PAIR do. Gaps are former kinds.
mod kind {
    pub const PATH_WORD: u64 = 3;
    pub const QUERY_WORD: u64 = 4;
    pub const HOST_NGRAM: u64 = 5;
    pub const ANCHOR_WORD: u64 = 6;
    pub const AROUND_WORD: u64 = 7;
    pub const ORIGIN: u64 = 20;
    pub const SITE_DEPTH: u64 = 21;
    pub const URL_SHAPE: u64 = 22;
    pub const PARENT_TOPIC: u64 = 23;
    pub const PARENT_FORM: u64 = 24;
    pub const SITE_RELEVANT: u64 = 30;
    pub const SITE_SINCE_RELEVANT: u64 = 31;
    pub const SITE_ON_TOPIC: u64 = 32;
    pub const SITE_RELEVANT_SINCE: u64 = 33;
    pub const SITE_RELEVANT_PAGES: u64 = 34;
    pub const SITE_ALL: u64 = 35;
    pub const MENTIONS: u64 = 40;
    pub const TAG: u64 = 48;
    pub const TAG_PAIR: u64 = 52;
}

/// Direction of a link, seen from the site it was found on. The numbers are hash inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinkDirection {
    Internal = 1,
    External = 2,
}

impl LinkDirection {
    fn of(link: &FrontierLink) -> LinkDirection {
        match link.parent {
            Some(parent) if parent.same_site => LinkDirection::Internal,
            _ => LinkDirection::External,
        }
    }
}

/// Features of a link: the part of `x(l, s)` in the [module documentation](super) that depends on the link
/// only.
pub fn of_link(link: &FrontierLink) -> Vec<HashedFeature> {
    let mut features = FeatureBuilder::new();
    let direction = LinkDirection::of(link);
    features.add_words(kind::PATH_WORD, direction, link.url.path());
    features.add_words(kind::QUERY_WORD, direction, link.url.query().unwrap_or_default());
    features.end_group();
    if direction == LinkDirection::External {
        features.add_host(link.url.host_str().unwrap_or_default());
        features.end_group();
    }
    features.add_words(kind::ANCHOR_WORD, direction, &link.context.anchor);
    features.end_group();
    features.add_words(kind::AROUND_WORD, direction, &link.context.before);
    features.add_words(kind::AROUND_WORD, direction, &link.context.after);
    features.end_group();
    features.add_tag_path(direction, &link.context.tag_path);
    features.end_group();
    features.add_facts(link, direction);
    features.end_group();
    features.list
}

/// Replaces the features for site depth and form of the parent. `hadal eval order` reaches one link by several paths.
pub fn set_path_features(
    features: &mut [HashedFeature],
    is_outward: bool,
    site_depth: u16,
    parent_has_form: bool,
) {
    let direction = if is_outward { LinkDirection::External } else { LinkDirection::Internal };
    let facts = features.len().saturating_sub(FACT_FEATURES);
    if let [_, depth, _, _, form] = &mut features[facts..] {
        depth.0 = hash(kind::SITE_DEPTH, depth_number(direction, site_depth));
        form.0 = hash(kind::PARENT_FORM, form_number(direction, parent_has_form));
    }
}

/// Words of a link with the name of their part and the index of their feature.
pub fn words_of_link(link: &FrontierLink) -> Vec<(&'static str, String, u32)> {
    let direction = LinkDirection::of(link);
    let mut found = Vec::new();
    let parts = [
        ("url", kind::PATH_WORD, link.url.path()),
        ("anchor", kind::ANCHOR_WORD, &link.context.anchor),
        ("around", kind::AROUND_WORD, &link.context.before),
        ("around", kind::AROUND_WORD, &link.context.after),
    ];
    for (part, kind, text) in parts {
        let mut left = MAX_WORDS;
        each_word_while(text, |word| {
            found.push((part, word.to_string(), hash(word_kind(kind, direction), hash_of(word))));
            left -= 1;
            left > 0
        });
    }
    found
}

/// Features of a visited site, `z(s)` in the [module documentation](super): relevant forms, pages since the
/// last one, pages, share of on-topic pages in quarters, and combinations of these.
pub fn of_site(site: &SiteCounters) -> Vec<HashedFeature> {
    let (relevant, since) = (bucket(site.relevant), bucket(site.pages_since_relevant));
    let pages = bucket(site.pages);
    let on_topic = u64::from(4 * site.on_topic / site.pages.max(1));
    let mut features = FeatureBuilder::new();
    features.add(kind::SITE_RELEVANT, relevant);
    features.add(kind::SITE_SINCE_RELEVANT, since);
    features.add(kind::SITE_ON_TOPIC, on_topic);
    features.add(kind::SITE_RELEVANT_SINCE, relevant * 64 + since);
    features.add(kind::SITE_RELEVANT_PAGES, relevant * 64 + pages);
    features.add(kind::SITE_ALL, (on_topic * 64 + relevant) * 64 + since);
    features.end_group();
    features.list
}

/// Feature of a site without visits: the number of links to it from sites with relevant forms.
pub fn of_mentions(mentions: u8) -> Vec<HashedFeature> {
    let mut features = FeatureBuilder::new();
    features.add(kind::MENTIONS, bucket(u32::from(mentions)));
    features.end_group();
    features.list
}

fn origin_number(origin: LinkOrigin) -> u64 {
    match origin {
        LinkOrigin::Seed => 1,
        LinkOrigin::Link => 2,
        LinkOrigin::Redirect => 3,
        LinkOrigin::Backlink => 4,
        LinkOrigin::AddedPage => 5,
    }
}

/// Number of path segments, at most 8, and presence of a query.
fn url_shape(url: &Url) -> u64 {
    let filled = url.path_segments().map_or(0, |all| all.filter(|part| !part.is_empty()).count());
    (filled.min(8) as u64) * 2 + u64::from(url.query().is_some())
}

/// Logarithmic bucket of a count: 0, 1, 2, 3-4, 5-8, 9-16, ...
fn bucket(count: u32) -> u64 {
    u64::from(if count < 3 { count } else { 33 - (count - 1).leading_zeros() })
}

/// List of features that scales the values of each group when the group ends.
struct FeatureBuilder {
    list: Vec<HashedFeature>,
    group_start: usize,
}

impl FeatureBuilder {
    fn new() -> FeatureBuilder {
        FeatureBuilder { list: Vec::with_capacity(64), group_start: 0 }
    }

    fn add(&mut self, kind: u64, value: u64) {
        self.list.push((hash(kind, value), 1.0));
    }

    fn add_words(&mut self, kind: u64, direction: LinkDirection, text: &str) {
        let mut left = MAX_WORDS;
        each_word_while(text, |word| {
            self.add(word_kind(kind, direction), hash_of(word));
            left -= 1;
            left > 0
        });
    }

    /// Adds the n-grams of a host name, because host names join words.
    fn add_host(&mut self, host: &str) {
        let name = psl::suffix_str(host).and_then(|suffix| host.strip_suffix(suffix)).unwrap_or(host);
        for label in name.split(['.', '-']).filter(|label| *label != "www") {
            let delimited = format!("^{label}$");
            for ngram in delimited.as_bytes().windows(HOST_NGRAM).take(MAX_WORDS) {
                let mut hasher = FxHasher::default();
                hasher.write(ngram);
                self.add(kind::HOST_NGRAM, hasher.finish());
            }
        }
    }

    /// Adds the innermost elements around the link, one by one and in pairs.
    fn add_tag_path(&mut self, direction: LinkDirection, path: &str) {
        let mut inner = 0;
        for element in path.rsplit(' ').skip(1).take(TAG_PATH_ELEMENTS) {
            let outer = hash_of(element);
            self.add(kind::TAG + direction as u64, outer);
            if inner != 0 {
                self.add(kind::TAG_PAIR + direction as u64, inner ^ outer.rotate_left(17));
            }
            inner = outer;
        }
    }

    /// Adds the facts about the position of a link: [`FACT_FEATURES`] of them for a link with a parent,
    /// the last of all.
    fn add_facts(&mut self, link: &FrontierLink, direction: LinkDirection) {
        self.add(kind::ORIGIN, direction as u64 * 8 + origin_number(link.origin));
        self.add(kind::SITE_DEPTH, depth_number(direction, link.site_depth));
        self.add(kind::URL_SHAPE, direction as u64 * 64 + url_shape(&link.url));
        if let Some(parent) = link.parent {
            self.add(kind::PARENT_TOPIC, direction as u64 * 64 + (parent.p_topic * 8.0) as u64);
            self.add(kind::PARENT_FORM, form_number(direction, parent.has_relevant_form));
        }
    }

    /// Ends a group: its `n` features get the value `1 / sqrt(n)`.
    fn end_group(&mut self) {
        let members = self.list.len() - self.group_start;
        let value = 1.0 / (members.max(1) as f32).sqrt();
        self.list[self.group_start..].iter_mut().for_each(|feature| feature.1 = value);
        self.group_start = self.list.len();
    }
}

fn depth_number(direction: LinkDirection, site_depth: u16) -> u64 {
    direction as u64 * 64 + u64::from(site_depth.min(12))
}

fn form_number(direction: LinkDirection, parent_has_form: bool) -> u64 {
    direction as u64 * 2 + u64::from(parent_has_form)
}

fn word_kind(kind: u64, direction: LinkDirection) -> u64 {
    kind * 4 + direction as u64
}

fn hash_of(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    hasher.finish()
}

fn hash(kind: u64, value: u64) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(kind);
    hasher.write_u64(value);
    (hasher.finish() >> 20) as u32
}
